package parser

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// typeExpr parses a type.
func (p *parse) typeExpr() ast.TypeExpr {
	start := p.start()
	t := p.baseType()
	if f := p.peek(); (p.is("<") || p.is("[")) && !isFirst(f) {
		p.tell(diag.ExpectedType, f.Pos.Offset, f.Pos.Column, "a type cannot go on with `%s`", f.Value).
			note("A list is written `[T]`, a map `[K: V]`.")
		p.skipGeneric()
	}
	for p.is("?") {
		if _, twice := t.(*ast.OptionalType); twice {
			p.expected(p.peek(), []string{"<nl>"}, "")
			p.next()
			continue
		}
		p.next()
		t = &ast.OptionalType{Base: p.around(start, t), Elem: t}
	}
	return t
}

// skipGeneric skips `<T>` or `[]`; nothing more is told where it ends.
func (p *parse) skipGeneric() {
	for p.is("<") || p.is("[") {
		angle := p.is("<")
		p.skipPart()
		for angle && !p.accept(">") && !p.atLineEnd() && !p.is("=") {
			p.skipPart()
		}
	}
	p.told = p.cursor()
}

func (p *parse) baseType() ast.TypeExpr {
	t := p.peek()
	start := t.Pos.Offset
	switch {
	case t.Type == tokIdent, t.Type == tokKw && p.reservedAsName(t):
		r := p.typeRef()
		return &ast.TypeRef{Base: r.Base, Ref: r}
	case t.Type == tokBegin:
		return p.enumType()
	case t.Type == tokBad, t.Type == tokBadLit:
		p.next()
		return &ast.BadType{Base: p.since(start)}
	case p.is("("):
		p.next()
		fields := p.fields()
		return &ast.RecordType{Base: p.since(start), Fields: fields}
	case p.is("["):
		return p.listType()
	}
	p.expectHere(diag.ExpectedType, "a type").note("A type is a name as `int`, a list `[T]`, a map `[K: V]`, a record " +
		"`(name: T)` or texts `\"a\" | \"b\"`, with `?` behind it where it may be none.")
	return &ast.BadType{Base: p.here()}
}

// typeRef parses the name of a type; its first word has been told where it is reserved.
func (p *parse) typeRef() *ast.Ref {
	start := p.start()
	r := &ast.Ref{Parts: []*ast.Ident{p.identOf(p.next())}}
	for p.accept(".") {
		r.Parts = append(r.Parts, p.memberName())
	}
	r.Base = p.since(start)
	return r
}

// fields parses the fields of a record up to the closing bracket.
func (p *parse) fields() []*ast.FieldDef {
	var out []*ast.FieldDef
	p.list(")", func() { out = append(out, p.field()) })
	return out
}

func (p *parse) field() *ast.FieldDef {
	start := p.start()
	f := &ast.FieldDef{Name: p.word()}
	t := p.peek()
	switch {
	case p.accept(":"):
		f.Type = p.typeExpr()
	case t.Type == tokIdent && !isFirst(t) && f.Name.Name != "":
		p.tellAside(diag.ExpectedToken, p.tokenBase(t).At, "expected `:`, found %s", describe(t)).
			fix("Write `:`", p.end(), p.end(), ":")
		if isToken(p.peekAt(1), ":") { // a word too many
			p.next()
			p.next()
		}
		f.Type = p.typeExpr()
	default:
		p.expected(t, []string{`":"`}, "name: type")
		f.Type = &ast.BadType{Base: p.here()}
	}
	f.Base = p.around(start, f.Name)
	return f
}

func (p *parse) listType() ast.TypeExpr {
	start := p.start()
	p.next()
	elem := p.typeExpr()
	if p.accept(":") {
		value := p.typeExpr()
		p.closeBracket("]")
		return &ast.MapType{Base: p.since(start), Key: elem, Elem: value}
	}
	p.closeBracket("]")
	return &ast.ListType{Base: p.since(start), Elem: elem}
}

// closeBracket takes the closer of a bracket that holds one thing, and tells and skips what stands before it.
func (p *parse) closeBracket(closer string) {
	if !p.is(closer) {
		p.expected(p.peek(), []string{`"` + closer + `"`}, "")
		p.skipTo(closer)
	}
	p.accept(closer)
}

func (p *parse) enumType() ast.TypeExpr {
	start := p.start()
	e := &ast.EnumType{Members: []*ast.StrLit{p.plainStr()}}
	for p.accept("|") {
		e.Members = append(e.Members, p.plainStr())
	}
	e.Base = p.since(start)
	return e
}

// input parses what a bolt takes: a record, or the name of one in brackets.
func (p *parse) input() ast.TypeExpr {
	start := p.start()
	if !p.is("(") {
		p.expected(p.peek(), []string{`"("`}, "bolt NAME(field: type) -> (field: type)")
		return &ast.BadType{Base: p.here()}
	}
	p.next()
	if f := p.peekAt(1); p.isKind(tokIdent) && (isToken(f, ")") || isToken(f, ".")) {
		r := p.ref()
		p.closeBracket(")")
		return &ast.TypeRef{Base: r.Base, Ref: r}
	}
	fields := p.fields()
	return &ast.RecordType{Base: p.since(start), Fields: fields}
}

// outputs parses what a bolt emits.
func (p *parse) outputs() []*ast.Output {
	var out []*ast.Output
	for {
		start := p.start()
		o := &ast.Output{}
		if t := p.peek(); (t.Type == tokIdent || t.Type == tokKw) && isToken(p.peekAt(1), ":") {
			o.Name = p.word()
			p.next()
		}
		o.Type = p.typeExpr()
		o.Base = p.since(start)
		if o.Name == nil {
			o.Base = p.around(start, o.Type)
		}
		out = append(out, o)
		if !p.accept(",") {
			return out
		}
	}
}

// params parses parameters with their brackets.
func (p *parse) params() []*ast.Param {
	var out []*ast.Param
	if !p.accept("(") {
		p.expected(p.peek(), []string{`"("`}, "")
		return nil
	}
	p.list(")", func() {
		start := p.start()
		v, ok := run(p, p.m.param, "name: type = default")
		out = append(out, p.buildParam(v, start))
		if !ok {
			p.skipItem(")")
		}
	})
	return out
}

func (p *parse) buildParam(v *param, start int) *ast.Param {
	out := &ast.Param{Name: p.orName(v.Name), Each: v.Each, Type: p.orType(v.Type), Default: v.Default}
	out.Base = p.around(start, out.Name)
	return out
}

// skipTo skips to the closer of the bracket that the cursor is in.
func (p *parse) skipTo(closer string) {
	for !p.is(closer) && p.peek().Type >= 0 {
		p.skipPart()
	}
}
