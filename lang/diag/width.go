package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// cell is the smallest part of a source line that is shown or left out as a whole: a grapheme cluster (a character
// with its combining marks, an emoji sequence), or one thing that must not reach a terminal as it is.
type cell struct {
	start, end int    // bytes of the line
	shown      string // what is printed
	width      int    // terminal cells of shown; 0 for a tab, whose width only the terminal knows
}

// tabWidth is what a tab counts where a line is cut to a window. Nothing else depends on it: a caret line repeats the
// tabs of the line above it.
const tabWidth = 8

func (c cell) isTab() bool { return c.shown == "\t" }

// room returns how much of a window the cell takes.
func (c cell) room() int {
	if c.isTab() {
		return tabWidth
	}
	return c.width
}

// cellsOf splits a line, given without its line end.
func cellsOf(line string) []cell {
	cells := make([]cell, 0, len(line))
	state := -1
	for at := 0; at < len(line); {
		if b := line[at]; b < utf8.RuneSelf && (at+1 == len(line) || line[at+1] < utf8.RuneSelf) {
			// The common case: nothing that follows can join this character.
			cells = append(cells, plainCell(at, at+1, line[at:at+1]))
			at++
			state = -1
			continue
		}
		cluster, _, width, next := uniseg.FirstGraphemeClusterInString(line[at:], state)
		state = next
		cells = append(cells, clusterCells(at, cluster, width)...)
		at += len(cluster)
	}
	return cells
}

// clusterCells returns one cell for a cluster that is safe to show, else one for each code point of it.
func clusterCells(at int, cluster string, width int) []cell {
	if width > 0 && len(cluster) <= longestCluster && utf8.ValidString(cluster) && !strings.ContainsFunc(cluster, unsafeInCluster) &&
		(cluster[0] >= utf8.RuneSelf || !strings.ContainsFunc(cluster, isJoiner)) {
		return []cell{{at, at + len(cluster), cluster, width}}
	}
	var cells []cell
	for i := 0; i < len(cluster); {
		_, n := utf8.DecodeRuneInString(cluster[i:])
		cells = append(cells, plainCell(at+i, at+i+n, cluster[i:i+n]))
		i += n
	}
	return cells
}

// longestCluster is the number of bytes above which a cluster is no character that anyone writes, but a heap of marks.
const longestCluster = 64

// unsafeInCluster reports whether a code point may not be printed even as a part of a cluster. Joiners, variation
// selectors and tags only shape the character before them.
func unsafeInCluster(r rune) bool {
	return !unicode.IsGraphic(r) && !isJoiner(r)
}

// isJoiner reports whether r is the zero-width joiner or non-joiner, or a tag as some flags have them. Behind an ASCII
// letter they shape nothing, and would only make two different names look the same.
func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d || r >= 0xe0020 && r <= 0xe007f }

// plainCell returns the cell of one code point or one ill-formed byte, in a form that does not act on a terminal:
// control characters as their pictures, other invisible ones by number, ill-formed bytes by value.
func plainCell(start, end int, text string) cell {
	shown := text
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case r == '\t':
		return cell{start, end, text, 0}
	case r == utf8.RuneError && n == 1:
		shown = fmt.Sprintf("<%02x>", text[0])
	case r < ' ':
		shown = string('\u2400' + r)
	case r == 0x7f:
		shown = "\u2421"
	case !unicode.IsGraphic(r) || uniseg.StringWidth(text) == 0:
		shown = fmt.Sprintf("<U+%04X>", r)
	}
	return cell{start, end, shown, uniseg.StringWidth(shown)}
}

// longestSafe is how many bytes of a line of a message are shown: a name of a megabyte helps nobody.
const longestSafe = 1000

// safe returns the text with everything that would act on a terminal replaced as in a source line. Line ends become
// the separator; tabs become spaces; of a very long line the beginning stays.
func safe(text, lineEnd string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(lineEnd)
		}
		line, long := strings.TrimSuffix(line, "\r"), len(line) > longestSafe+1
		if long {
			end := longestSafe
			for end > longestSafe-utf8.UTFMax && !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end]
		}
		for _, c := range cellsOf(line) {
			if c.isTab() {
				b.WriteString(" ")
				continue
			}
			b.WriteString(c.shown)
		}
		if long {
			b.WriteString("…")
		}
	}
	return b.String()
}
