package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiffText(t *testing.T) {
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\n", i+1)
		}
		return b.String()
	}
	tests := []struct{ name, a, b, want string }{
		{"equal", "a\n", "a\n", ""},
		{"changed", "a\nb\nc\n", "a\nB\nc\n", "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"from nothing", "", "a\n", "--- old\n+++ new\n@@ -0,0 +1,1 @@\n+a\n"},
		{"to nothing", "a\n", "", "--- old\n+++ new\n@@ -1,1 +0,0 @@\n-a\n"},
		{"no line end", "a", "a\n", "--- old\n+++ new\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{
			"two hunks", lines(20), strings.Replace(strings.Replace(lines(20), "2\n", "two\n", 1), "\n18\n", "\n", 1),
			"--- old\n+++ new\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n",
		},
	}
	for _, tt := range tests {
		if got := diffText("old", "new", tt.a, tt.b); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

// TestDiffLinesGivesBothTexts takes random texts: what is kept and taken away is the old one, what is kept and added
// the new one, and the numbers are those of the lines.
func TestDiffLinesGivesBothTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		list := make([]string, r.IntN(12))
		for i := range list {
			list[i] = string(rune('a'+r.IntN(4))) + "\n"
		}
		return list
	}
	for range 2000 {
		a, b := text(), text()
		var olds, news []string
		for _, o := range diffLines(a, b) {
			if o.sign != '+' {
				olds = append(olds, o.line)
				if a[o.oldNo-1] != o.line {
					t.Fatalf("%q, %q: line %d is not %q", a, b, o.oldNo, o.line)
				}
			}
			if o.sign != '-' {
				news = append(news, o.line)
				if b[o.newNo-1] != o.line {
					t.Fatalf("%q, %q: new line %d is not %q", a, b, o.newNo, o.line)
				}
			}
		}
		if strings.Join(olds, "") != strings.Join(a, "") || strings.Join(news, "") != strings.Join(b, "") {
			t.Fatalf("%q, %q: the diff gives %q and %q", a, b, olds, news)
		}
	}
}
