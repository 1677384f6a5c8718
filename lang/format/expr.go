package format

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
)

func (p *printer) expr(x ast.Expr) {
	switch x := x.(type) {
	case *ast.BasicLit:
		p.as(x)
	case *ast.StrLit:
		p.str(x)
	case *ast.StrText:
		p.as(x)
	case *ast.NameExpr:
		p.as(x.Name)
	case *ast.MemberExpr:
		p.member(x)
	case *ast.IndexExpr:
		p.expr(x.X)
		p.list("[", "]", 1, false, false, func(int) { p.expr(x.Index) })
	case *ast.CallExpr:
		p.expr(x.Fun)
		p.args(x.Args)
	case *ast.ParenExpr:
		p.list("(", ")", 1, false, false, func(int) { p.expr(x.X) })
	case *ast.RecordExpr:
		lone := len(x.Items) == 1 && x.Items[0].Name == nil && !x.Items[0].Spread
		p.list("(", ")", len(x.Items), true, lone, func(i int) { p.item(x.Items[i]) })
	case *ast.ListExpr:
		p.list("[", "]", len(x.Elems), true, false, func(i int) { p.expr(x.Elems[i]) })
	case *ast.MapExpr:
		p.mapExpr(x)
	case *ast.CompExpr:
		p.list("[", "]", 1, false, false, func(int) { p.comprehension(x) })
	case *ast.IfExpr:
		p.ifExpr(x)
	case *ast.UnaryExpr:
		p.unary(x)
	case *ast.BinaryExpr:
		p.expr(x.X)
		p.soft()
		p.tok(x.Op)
		p.soft()
		p.expr(x.Y)
	case *ast.ElseExpr:
		p.elseExpr(x)
	case *ast.BadExpr:
		unprintable(x)
	default:
		bug.Panicf("format: %T", x)
	}
}

// str prints a string; its text is left as it is.
func (p *printer) str(s *ast.StrLit) {
	p.tok(`"`)
	for _, part := range s.Parts {
		if _, text := part.(*ast.StrText); text {
			p.literally(part)
			continue
		}
		p.literal("{")
		p.expr(part)
		p.tok("}")
	}
	p.literal(`"`)
}

// literally prints text of a string, in which blanks count and slashes begin no comment.
func (p *printer) literally(n ast.Node) {
	s := n.Span()
	p.literal(p.src[s.Start:s.End])
}

func (p *printer) literal(text string) {
	p.add(text)
	p.pos += len(text)
}

func (p *printer) member(x *ast.MemberExpr) {
	p.expr(x.X)
	if x.Optional {
		p.tok("?.")
	} else {
		p.tok(".")
	}
	p.as(x.Name)
}

func (p *printer) args(items []*ast.Item) {
	p.list("(", ")", len(items), true, false, func(i int) { p.item(items[i]) })
}

// record prints a record where lone parentheses are one.
func (p *printer) record(r *ast.RecordExpr) { p.args(r.Items) }

// items prints items without brackets.
func (p *printer) items(items []*ast.Item) {
	for i, it := range items {
		if i > 0 {
			p.comma()
			p.soft()
		}
		p.item(it)
	}
}

func (p *printer) item(it *ast.Item) {
	switch {
	case it.Spread:
		p.tok("..")
	case it.Name != nil:
		p.as(it.Name)
		p.tok(":")
		p.soft()
	}
	p.expr(it.Value)
}

func (p *printer) mapExpr(x *ast.MapExpr) {
	if len(x.Entries) == 0 {
		p.tok("[")
		p.tok(":")
		p.tok("]")
		return
	}
	p.list("[", "]", len(x.Entries), true, false, func(i int) {
		p.expr(x.Entries[i].Key)
		p.tok(":")
		p.soft()
		p.expr(x.Entries[i].Value)
	})
}

func (p *printer) comprehension(x *ast.CompExpr) {
	p.expr(x.Value)
	p.soft()
	p.word("for")
	p.as(x.Name)
	p.blank()
	p.tok("in")
	p.soft()
	p.expr(x.In)
	if x.Cond != nil {
		p.soft()
		p.word("if")
		p.expr(x.Cond)
	}
}

func (p *printer) ifExpr(x *ast.IfExpr) {
	p.word("if")
	p.expr(x.Cond)
	p.blank()
	p.choice(x.Then)
	p.blank()
	p.word("else")
	if other, ok := x.Else.(*ast.IfExpr); ok && !p.at("{") {
		p.ifExpr(other)
		return
	}
	p.choice(x.Else)
}

// choice prints a value in braces, on a line of its own where the text has it so.
func (p *printer) choice(x ast.Expr) {
	outer, cont, listed := p.lineIndent(), p.cont, p.listed
	p.tok("{")
	onLines := p.broken()
	if onLines {
		outer = p.line().indent
		p.cont, p.listed = outer+step, false
		p.sep = separator{kind: sepLine, indent: p.cont, comments: p.cont, first: true}
	} else {
		p.blank()
	}
	p.expr(x)
	if onLines {
		p.sep = separator{kind: sepLine, indent: outer, comments: p.cont, last: true}
	} else {
		p.blank()
	}
	p.tok("}")
	p.cont, p.listed = cont, listed
}

func (p *printer) lineIndent() int { return p.line().indent }

func (p *printer) unary(x *ast.UnaryExpr) {
	p.tok(x.Op)
	if x.Op == "-" && p.at("[") {
		p.blank() // `-[` is an arrow
	}
	p.expr(x.X)
}

func (p *printer) elseExpr(x *ast.ElseExpr) {
	p.expr(x.X)
	p.soft()
	p.tok("else")
	p.soft()
	if x.Exit != nil {
		p.stmt(x.Exit)
		return
	}
	p.expr(x.Value)
}
