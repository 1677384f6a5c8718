package kernel

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/exec/batch"
)

// wordsOf is the definition: runs of bytes above 0x20.
func wordsOf(b []byte) (out []string) {
	word := []byte{}
	for _, c := range append(append([]byte{}, b...), ' ') {
		if c > ' ' {
			word = append(word, c)
		} else if len(word) > 0 {
			out = append(out, string(word))
			word = word[:0]
		}
	}
	return out
}

func lowered(b []byte) []byte {
	out := append([]byte{}, b...)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 32
		}
	}
	return out
}

func uppered(b []byte) []byte {
	out := append([]byte{}, b...)
	for i, c := range out {
		if 'a' <= c && c <= 'z' {
			out[i] = c - 32
		}
	}
	return out
}

// checkText compares all that is done 8 bytes at a time with its definition, for a text that lies at an offset in some
// memory.
func checkText(t interface{ Fatalf(string, ...any) }, before, text, after []byte) {
	memory := append(append(append([]byte{}, before...), text...), after...)
	from, to := len(before), len(before)+len(text)
	want := wordsOf(text)
	got := appendWords([]batch.Str{{Off: 7, Len: 7}}, memory, from, to)[1:]
	if len(got) != len(want) {
		t.Fatalf("%q has %d words, want %d: %q", text, len(got), len(want), want)
	}
	for i, s := range got {
		if w := string(memory[s.Off : s.Off+s.Len]); w != want[i] {
			t.Fatalf("word %d of %q is %q, want %q", i, text, w, want[i])
		}
	}
	dst := make([]byte, len(text))
	if lowerInto(dst, text); !bytes.Equal(dst, lowered(text)) {
		t.Fatalf("%q in small letters is %q", text, dst)
	}
	if upperInto(dst, text); !bytes.Equal(dst, uppered(text)) {
		t.Fatalf("%q in capital letters is %q", text, dst)
	}
}

func TestWords(t *testing.T) {
	for n := range 200 { // one long word, also over the borders of blocks
		checkText(t, nil, bytes.Repeat([]byte("x"), n), []byte("y"))
		checkText(t, []byte("y"), append(bytes.Repeat([]byte(" "), n), 'Z'), nil)
		checkText(t, nil, bytes.Repeat([]byte("a "), n), []byte("bcd"))
	}
	for b := range 256 {
		checkText(t, nil, []byte{byte(b)}, nil)
		checkText(t, nil, []byte{'A', byte(b), 'z', ' ', byte(b), byte(b)}, []byte{byte(b)})
	}
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(
			rapid.SampledFrom([]string{" ", "\n", "\x00", "\x1f", "\x20", "!", "\x7f", "\x80", "\xa0", "\xff", "A", "Z", "@", "[", "`", "{"}),
			rapid.Map(rapid.IntRange(1, 140), func(n int) string { return string(bytes.Repeat([]byte("Ab"), n)) }),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 30), func(b []byte) string { return string(b) }),
		)
		join := rapid.Map(rapid.SliceOfN(piece, 0, 12), func(ps []string) []byte {
			var b []byte
			for _, p := range ps {
				b = append(b, p...)
			}
			return b
		})
		checkText(t, join.Draw(t, "before"), join.Draw(t, "text"), join.Draw(t, "after"))
	})
}

func FuzzWords(f *testing.F) {
	f.Add([]byte("Hello  World"), []byte("x"))
	f.Fuzz(func(t *testing.T, text, around []byte) { checkText(t, around, text, around) })
}
