package format

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
)

// decl prints a declaration and returns the line that it marks for alignment, or -1.
func (p *printer) decl(d ast.Decl) int {
	mark := -1
	switch d := d.(type) {
	case *ast.Use:
		p.use(d)
	case *ast.TypeDecl:
		p.word("type")
		p.as(d.Name)
		mark = p.point()
		p.blank()
		p.tok("=")
		p.soft()
		p.typeExpr(d.Type)
	case *ast.LetDecl:
		p.let(d.Name, d.Type, d.Value)
	case *ast.ParamDecl:
		p.word("param")
		p.param(d.Param)
	case *ast.FnDecl:
		p.fn(d)
	case *ast.TableDecl:
		p.table(d)
	case *ast.SigDecl:
		p.signature(d)
	case *ast.BoltDecl:
		p.bolt(d)
	case *ast.PipelineDecl:
		p.pipeline(d)
	case *ast.TestDecl:
		p.test(d)
	case *ast.BadDecl:
		unprintable(d)
	default:
		bug.Panicf("format: %T", d)
	}
	return mark
}

// unprintable is reached by programs with syntax errors, which are not to be formatted.
func unprintable(n ast.Node) { bug.Panicf("format: %T in a program to format", n) }

func (p *printer) use(d *ast.Use) {
	p.word("use")
	if d.Path != nil {
		p.as(d.Path)
		p.blank()
		p.word("as")
		p.as(d.Alias)
		return
	}
	for i, m := range d.Modules {
		if i > 0 {
			p.comma()
			p.soft()
		}
		p.as(m)
	}
}

// let prints `let name [: T] = value`; `set` of a test looks the same but for the word.
func (p *printer) let(name *ast.Ident, t ast.TypeExpr, value ast.Expr) {
	p.word("let")
	p.binding(name, t, value)
}

func (p *printer) binding(name *ast.Ident, t ast.TypeExpr, value ast.Expr) {
	p.as(name)
	if t != nil {
		p.tok(":")
		p.soft()
		p.typeExpr(t)
	}
	p.assign(value)
}

// assign prints ` = value`.
func (p *printer) assign(value ast.Expr) {
	p.soft()
	p.tok("=")
	p.soft()
	p.expr(value)
}

func (p *printer) param(d *ast.Param) {
	p.as(d.Name)
	p.tok(":")
	p.soft()
	if d.Each {
		p.word("each")
	}
	p.typeExpr(d.Type)
	if d.Default != nil {
		p.assign(d.Default)
	}
}

func (p *printer) params(params []*ast.Param) {
	p.list("(", ")", len(params), true, false, func(i int) { p.param(params[i]) })
}

func (p *printer) fn(d *ast.FnDecl) {
	p.word("fn")
	p.as(d.Name)
	p.params(d.Params)
	p.soft()
	p.tok("->")
	p.soft()
	p.typeExpr(d.Result)
	if d.Fallible {
		p.tok("!")
	}
	switch {
	case d.Value != nil:
		p.assign(d.Value)
	case d.Body != nil:
		p.blank()
		p.block(d.Body)
	}
}

func (p *printer) table(d *ast.TableDecl) {
	p.word("table")
	p.as(d.Name)
	p.tok(":")
	p.soft()
	p.typeExpr(d.Type)
	p.blank()
	p.word("by")
	p.as(d.Key)
	p.assign(d.Value)
	p.clause("refresh", d.Refresh)
}

// clause prints ` word value` where there is a value.
func (p *printer) clause(word string, value ast.Expr) {
	if value != nil {
		p.blank()
		p.word(word)
		p.expr(value)
	}
}

func (p *printer) signature(d *ast.SigDecl) {
	p.as(d.Kind)
	p.blank()
	p.as(d.Name)
	p.params(d.Params)
	p.typeClause("of", d.Of)
	if d.Result != nil {
		p.soft()
		p.tok("->")
		p.soft()
		p.typeExpr(d.Result)
	}
	p.typeClause("meta", d.Meta)
	for _, t := range d.Traits {
		p.blank()
		p.as(t.Name)
		if t.When != nil {
			p.blank()
			p.word("when")
			p.as(t.When)
		}
	}
}

func (p *printer) typeClause(word string, t ast.TypeExpr) {
	if t != nil {
		p.blank()
		p.word(word)
		p.typeExpr(t)
	}
}

func (p *printer) bolt(d *ast.BoltDecl) {
	p.word("bolt")
	p.as(d.Name)
	if ref, named := d.Input.(*ast.TypeRef); named {
		p.tok("(")
		p.as(ref)
		p.tok(")")
	} else {
		p.typeExpr(d.Input)
	}
	if len(d.Params) > 0 || p.at("with") {
		p.blank()
		p.word("with")
		p.params(d.Params)
	}
	onLines := false // a part of the header begins a line
	if len(d.Outputs) > 0 {
		p.soft()
		onLines = p.broken()
		p.tok("->")
		p.soft()
		p.outputs(d.Outputs)
	}
	for _, c := range d.InOrder() {
		p.soft()
		onLines = onLines || p.broken()
		p.boltClause(c)
	}
	switch {
	case d.Value != nil:
		p.assign(d.Value)
		return
	case onLines:
		p.sep = separator{kind: sepLine, indent: p.indent, comments: p.cont, last: true}
	default:
		p.sep = separator{kind: sepBlank, indent: p.indent, comments: p.cont}
	}
	p.block(d.Body)
}

func (p *printer) outputs(outputs []*ast.Output) {
	for i, o := range outputs {
		if i > 0 {
			p.comma()
			p.soft()
		}
		if o.Name != nil {
			p.as(o.Name)
			p.tok(":")
			p.soft()
		}
		p.typeExpr(o.Type)
	}
}

func (p *printer) boltClause(c ast.Node) {
	switch c := c.(type) {
	case *ast.By:
		p.by(c)
	case *ast.Window:
		p.window(c)
	case *ast.Keyword:
		p.tok(c.Word)
	case *ast.Policy:
		p.policy(c)
	default:
		bug.Panicf("format: clause %T", c)
	}
}

func (p *printer) by(c *ast.By) {
	p.word("by")
	p.items(c.Keys)
}

func (p *printer) policy(c *ast.Policy) {
	p.word(c.Word)
	p.tok(c.Value)
}

func (p *printer) window(w *ast.Window) {
	p.word("window")
	p.tok(w.Kind)
	switch {
	case w.Kind == "session":
		p.clause("gap", w.Size)
	case w.Size != nil:
		p.blank()
		p.expr(w.Size)
	}
	p.clause("every", w.Every)
	if w.On != nil {
		p.blank()
		p.word("on")
		p.ref(w.On)
	}
	p.clause("lag", w.Lag)
	p.clause("idle", w.Idle)
}

func (p *printer) typeExpr(t ast.TypeExpr) {
	switch t := t.(type) {
	case *ast.TypeRef:
		p.ref(t.Ref)
	case *ast.RecordType:
		p.list("(", ")", len(t.Fields), true, false, func(i int) {
			p.as(t.Fields[i].Name)
			p.tok(":")
			p.soft()
			p.typeExpr(t.Fields[i].Type)
		})
	case *ast.ListType:
		p.list("[", "]", 1, false, false, func(int) { p.typeExpr(t.Elem) })
	case *ast.MapType:
		p.list("[", "]", 1, false, false, func(int) {
			p.typeExpr(t.Key)
			p.tok(":")
			p.soft()
			p.typeExpr(t.Elem)
		})
	case *ast.EnumType:
		p.enum(t)
	case *ast.OptionalType:
		p.typeExpr(t.Elem)
		p.tok("?")
	case *ast.BadType:
		unprintable(t)
	default:
		bug.Panicf("format: %T", t)
	}
}

func (p *printer) enum(t *ast.EnumType) {
	for i, m := range t.Members {
		if i > 0 {
			p.soft()
		}
		if i > 0 || t.Leading {
			p.tok("|")
			p.soft()
		}
		p.str(m)
	}
}

// ref prints a dotted name.
func (p *printer) ref(r *ast.Ref) {
	for i, part := range r.Parts {
		if i > 0 {
			p.tok(".")
		}
		p.as(part)
	}
}
