package task

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", maxShown), strings.Repeat("é", maxShown/2)} {
		if got := shorten(text); got != text {
			t.Errorf("%q was cut to %q", text, got)
		}
	}
	for _, text := range []string{strings.Repeat("x", 5000), "a" + strings.Repeat("é", 5000), "ab" + strings.Repeat("😀", 5000)} {
		got := shorten(text)
		head, tail, cut := strings.Cut(got, "…")
		if !cut || !strings.HasPrefix(text, head) || len(head) < maxShown-utf8.UTFMax || len(head) > maxShown {
			t.Errorf("the head is %d bytes of %q", len(head), got)
		}
		if !utf8.ValidString(got) || !strings.HasSuffix(tail, " bytes)") {
			t.Errorf("%q is no readable text", got)
		}
	}
	// Bytes that are no code points at all are cut all the same.
	if got := shorten(strings.Repeat("\x80", 5000)); len(got) > maxShown+20 {
		t.Errorf("%d bytes of ill-formed text", len(got))
	}
}
