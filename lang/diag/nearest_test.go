package diag

import (
	"slices"
	"strings"
	"testing"
)

func TestNearestOfHugeName(t *testing.T) {
	// The table of this pair would have 10^12 entries.
	if got, ok := Nearest(strings.Repeat("a", 1_000_000), []string{strings.Repeat("b", 1_000_000)}); ok {
		t.Errorf("a name of %d bytes is suggested", len(got))
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates string
		want       string // "" for none
	}{
		{"wrod", "word count line", "word"},
		{"cuont", "count", "count"},
		{"count", "count", ""}, // the name itself is no suggestion
		{"counts", "count amount", "count"},
		{"lenght", "length len", "length"},
		{"Word", "word", "word"},
		{"WORD", "word", "word"},
		{"pattern", "paterm patern", "patern"},
		{"at_laest_once", "at_least_once at_most_once exactly_once", "at_least_once"},
		{"x", "y z", ""}, // all letters differ
		{"x", "xs", "xs"},
		{"ab", "cd", ""},
		{"foo", "bar qux", ""},
		{"", "a b", ""},
		{"a", "", ""},
		{"cat", "bat cut", "cut"},         // the same first letter wins
		{"lin", "line link lint", "line"}, // then the alphabet
		{"größ", "größe", "größe"},        // letters, not bytes
		{"stdotu", "stdin stdout", "stdout"},
		{"completely_different", "a_name_of_another_kind", ""},
	} {
		candidates := strings.Fields(c.candidates)
		for range 2 {
			got, ok := Nearest(c.name, candidates)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("Nearest(%q, %v) = %q, %v, want %q", c.name, candidates, got, ok, c.want)
			}
			slices.Reverse(candidates)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 1}, // equal but for case; Nearest never asks
		{"a", "", 1},
		{"abc", "acb", 1},
		{"abcd", "badc", 2},
		{"kitten", "sitting", 3},
		{"abcdef", "uvwxyz", 6},
	} {
		if got := distance([]rune(c.a), []rune(c.b), 10); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.b), []rune(c.a), 10); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
		if got := distance([]rune(c.a), []rune(c.b), 1); (got > 1) != (c.want > 1) {
			t.Errorf("distance(%q, %q) within 1 = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
