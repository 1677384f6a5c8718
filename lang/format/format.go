// Package format prints programs in their one layout.
//
// [File] walks the tree and the text together: it writes the tokens of the program in their order and looks, before
// each, at what stands between it and the token before in the text. So a comment is met exactly where it was written
// and is written there again, and a line that was broken where the layout allows it stays broken. What the layout
// decides is everything else: indentation by four spaces, the blanks between tokens, at most one empty line between
// lines, commas behind the last item of a list whose bracket ends on a line of its own, and what is aligned (align.go).
//
// Invariants, which the tests hold: the printed text has the same tree and the same comments in the same order, and
// printing it again changes nothing. The time is linear in the text.
package format

import (
	"github.com/pipec/pipec/lang/ast"
)

// File returns the text of f in the layout of the language, with LF line ends. The tree must come from a text without
// syntax errors: a program that has some is left as it is by its owner, not printed.
func File(f *ast.File) string {
	p := &printer{src: f.Source.Text(), comments: f.Comments, pos: start(f)}
	al := aligner{p: p}
	for i, d := range f.Decls {
		p.newLine()
		al.put(p.decl(d), i > 0 && p.together(f.Decls[i-1], d))
	}
	p.newLine()
	p.before() // the comments at the end
	return p.text()
}

// start returns the offset of the first byte that counts.
func start(f *ast.File) int {
	const byteOrderMark = "\ufeff"
	if t := f.Source.Text(); len(t) >= len(byteOrderMark) && t[:len(byteOrderMark)] == byteOrderMark {
		return len(byteOrderMark)
	}
	return 0
}
