package parser

import (
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// decls parses the declarations of the chunk and appends them to out.
func (p *parse) decls(out []ast.Decl) []ast.Decl {
	for {
		p.newlines()
		if p.isKind(plex.EOF) {
			return out
		}
		p.told, p.depth, p.assign, p.tooDeep = -1, 0, false, false
		p.line(func() { out = append(out, p.decl()) })
	}
}

func (p *parse) decl() ast.Decl {
	t := p.peek()
	if t.Type == tokIdent || t.Type == tokKw {
		switch t.Value {
		case "use":
			return p.useDecl()
		case "type":
			return p.typeDecl()
		case "let":
			return p.letDecl()
		case "param":
			return p.paramDecl()
		case "fn":
			return p.fnDecl()
		case "bolt":
			return p.boltDecl()
		case "table":
			return p.tableDecl()
		case "source", "sink", "channel", "codec", "aggregate":
			return p.sigDecl()
		case "pipeline":
			return p.pipelineDecl()
		case "test":
			return p.testDecl()
		}
	}
	return p.badDecl()
}

const useForm = "`use module, module` or `use \"./file.pipe\" as name`"

func (p *parse) useDecl() ast.Decl {
	start := p.start()
	if t := p.peekAt(1); t.Type != tokIdent && t.Type != tokBegin {
		p.next()
		p.expectHere(diag.ExpectedName, "the name of a module or the path of a file").
			note("It is written " + useForm + ".")
		p.skipLine()
		return &ast.Use{Base: p.since(start)}
	}
	v, ok := run(p, p.m.useDecl, strings.Trim(useForm, "`"))
	d := &ast.Use{Alias: ident(v.Alias)}
	d.Path, _ = v.Path.(*ast.StrLit)
	for _, m := range v.Modules {
		d.Modules = append(d.Modules, ident(m))
	}
	d.Base = p.since(start)
	if t := p.peek(); ok && len(d.Modules) > 0 && t.Type == tokIdent {
		p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column, "expected `,` between modules, found %s", describe(t)).
			fix("Write a comma", p.end(), p.end(), ",")
		ok = false
	}
	p.finish(ok, "`use`")
	return d
}

func (p *parse) typeDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.typeDecl, "type Name = type")
	if v.First {
		p.leadingBar(v.Type)
	}
	d := &ast.TypeDecl{Doc: p.doc(start), Name: p.orName(v.Name), Type: p.orType(v.Type), Base: p.since(start)}
	p.finish(ok, "the type")
	return d
}

// leadingBar keeps that a `|` stands before a type, which must be texts.
func (p *parse) leadingBar(t ast.TypeExpr) {
	if o, optional := t.(*ast.OptionalType); optional {
		t = o.Elem
	}
	switch t := t.(type) {
	case *ast.EnumType:
		t.Leading = true
	case nil, *ast.BadType:
	default:
		p.tellAside(diag.ExpectedToken, t.Span(), "expected a string after `|`, found another type").
			note("Only texts are alternatives of each other, as `\"a\" | \"b\"`.")
	}
}

func (p *parse) letDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.letDecl, "let name = value")
	d := &ast.LetDecl{
		Doc: p.doc(start), Name: p.orName(v.Name), Type: v.Type, Value: p.orExpr(v.Value), Base: p.since(start),
	}
	p.finish(ok, "`let`")
	return d
}

func (p *parse) paramDecl() ast.Decl {
	start := p.start()
	p.next()
	from := p.start()
	v, ok := run(p, p.m.param, "param name: type = value")
	d := &ast.ParamDecl{Doc: p.doc(start), Param: p.buildParam(v, from), Base: p.since(start)}
	p.finish(ok, "`param`")
	return d
}

func (p *parse) fnDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.fnDecl, "fn name(parameter: type) -> type = value")
	d := &ast.FnDecl{
		Doc: p.doc(start), Name: p.orName(v.Name), Params: asParams(v.Params), Result: p.orType(v.Result),
		Fallible: v.Fallible, Value: v.Value, Body: asBlock(v.Body),
	}
	if !ok {
		d.Body = p.bodyBehind()
	}
	d.Base = p.since(start)
	p.finish(ok, "the function")
	return d
}

func asParams(l params) []*ast.Param {
	list, _ := l.(paramList)
	return list
}

func (p *parse) tableDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.tableDecl, "table name: (key: type, …) by key = source")
	d := &ast.TableDecl{
		Doc: p.doc(start), Name: p.orName(v.Name), Type: p.orType(v.Type), Key: p.orName(v.Key),
		Value: p.orExpr(v.Value), Refresh: v.Refresh, Base: p.since(start),
	}
	p.finish(ok, "the table")
	return d
}

func (p *parse) sigDecl() ast.Decl {
	start := p.start()
	kind := *p.peek()
	v, ok := run(p, p.m.sigDecl, kind.Value+" name(parameter: type) -> type")
	d := &ast.SigDecl{
		Doc: p.doc(start), Kind: p.identOf(&kind), Name: p.orName(v.Name), Params: asParams(v.Params), Of: v.Of,
		Result: v.Result, Meta: v.Meta,
	}
	for _, t := range v.Traits {
		d.Traits = append(d.Traits, p.buildTrait(t))
	}
	d.Base = p.since(start)
	p.finish(ok, "the signature")
	return d
}

func (p *parse) buildTrait(t *trait) *ast.Trait {
	out := &ast.Trait{Name: p.identOf(&t.Name), When: ident(t.When)}
	out.At = out.Name.At
	if out.When != nil {
		out.At = out.At.To(out.When.At)
	}
	return out
}

func (p *parse) boltDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.boltDecl, "bolt name(field: type) -> (field: type) { … }")
	d := &ast.BoltDecl{
		Doc: p.doc(start), Name: p.orName(v.Name), Input: p.orType(v.Input), Params: asParams(v.Params), Value: v.Value,
		Body: asBlock(v.Body),
	}
	if out, reached := v.Outputs.(outputList); reached {
		d.Outputs = out
	}
	if set, reached := v.Clauses.(*clauseSet); reached {
		d.Clauses = set.Clauses
		d.Outputs = append(d.Outputs, set.outputs...)
	}
	if !ok {
		for p.toBrace(); p.isKind(tokNL) && isClauseWord(p.peekAt(1).Value); p.toBrace() {
			p.next() // the header goes on
		}
		d.Body = p.bodyBehind()
	}
	d.Base = p.since(start)
	p.finish(ok, "the bolt")
	return d
}

func isClauseWord(word string) bool {
	switch word {
	case "by", "global", "window", "errors", "late", "ordered":
		return true
	}
	return false
}

// clauses parses the clauses of a bolt's header, which may stand on lines of their own.
func (p *parse) clauses() *clauseSet {
	c := &clauseSet{}
	for {
		t := p.peek()
		if t.Type == tokNL {
			t = p.peekAt(1)
		}
		switch {
		case t.Type == tokIdent && isClauseWord(t.Value):
			p.newlines()
			if !p.clause(c, p.peek()) {
				return c
			}
		case p.is("(") && len(c.InOrder()) == 0 && len(c.outputs) == 0:
			p.looseRecord(c)
		case t.Type == tokIdent && t.Value == "with":
			p.newlines()
			p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column, "expected `with` before `->`, found it behind").
				note("It is written `bolt name(field: type) with (parameter: type = default) -> (field: type) { … }`.")
			p.skipPart()
			if p.is("(") {
				p.skipPart()
			}
		case t.Type == tokIdent && !isDeclWord(t.Value):
			p.newlines()
			d := p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column,
				"expected a clause of the bolt (by, global, window, errors, late or ordered), `=` or `{`, found %s", describe(t))
			p.suggest(d, t, clauseWords[:])
			p.skipPart()
			for !p.atLineEnd() && !p.is("{") && !isClauseWord(p.peek().Value) {
				p.skipPart()
			}
		default:
			return c
		}
	}
}

// looseRecord tells a bracket in a bolt's header before which a word is missing: `with` before parameters, an arrow
// before the output.
func (p *parse) looseRecord(c *clauseSet) {
	from, told := p.lx.MakeCheckpoint(), p.told
	t := p.peek()
	p.skipPart()
	isParams := p.is("->")
	p.lx.LoadCheckpoint(from)
	p.told = told
	if isParams {
		p.expected(t, []string{`"with"`}, "bolt name(field: type) with (parameter: type = default) -> (field: type) { … }")
		p.skipPart()
		p.next()
	} else {
		p.expected(t, []string{`"->"`}, "bolt name(field: type) -> (field: type) { … }")
	}
	c.outputs = append(c.outputs, p.outputs()...)
}

// clause parses one clause into c and reports whether it was whole. The first of two stays.
func (p *parse) clause(c *clauseSet, t *plex.Token) bool {
	ok := true
	switch t.Value {
	case "by":
		var by *ast.By
		by, ok = p.byClause()
		if p.first(c.By == nil, c.By, t) {
			c.By = by
		}
	case "window":
		var w *ast.Window
		w, ok = p.window()
		if p.first(c.Window == nil, c.Window, t) {
			c.Window = w
		}
	case "errors":
		var v *errorsPolicy
		v, ok = run(p, p.m.errorsPolicy, "errors drop|fail|emit")
		if p.first(c.Errors == nil, c.Errors, t) {
			c.Errors = p.policy(&v.Word, &v.Value)
		}
	case "late":
		var v *latePolicy
		v, ok = run(p, p.m.latePolicy, "late drop|emit")
		if p.first(c.Late == nil, c.Late, t) {
			c.Late = p.policy(&v.Word, &v.Value)
		}
	case "global":
		p.next()
		if p.first(c.Global == nil, c.Global, t) {
			c.Global = &ast.Keyword{Base: p.tokenBase(t), Word: t.Value}
		}
	case "ordered":
		p.next()
		if p.first(c.Ordered == nil, c.Ordered, t) {
			c.Ordered = &ast.Keyword{Base: p.tokenBase(t), Word: t.Value}
		}
	}
	return ok
}

// policy makes the node of a policy from its two words, nil where the second is missing.
func (p *parse) policy(word, value *plex.Token) *ast.Policy {
	if value.Value == "" {
		return nil
	}
	return &ast.Policy{Base: ast.Base{At: p.tokenBase(word).At.To(p.tokenBase(value).At)}, Word: word.Value, Value: value.Value}
}

// first tells the second of two equal clauses.
func (p *parse) first(isFirst bool, before ast.Node, t *plex.Token) bool {
	if !isFirst {
		at := before.Span()
		p.tellAside(diag.RepeatedClause, p.tokenBase(t).At, "a second `%s` clause", t.Value).
			related(at.Start, at.End, "the first is here")
	}
	return isFirst
}

func (p *parse) byClause() (*ast.By, bool) {
	start := p.start()
	v, ok := run(p, p.m.byClause, "by key, key")
	return &ast.By{Base: p.since(start), Keys: asItems(v.Keys)}, ok
}

func asItems(l any) []*ast.Item {
	list, _ := l.(itemList)
	return list
}

// window parses a window clause.
func (p *parse) window() (*ast.Window, bool) {
	v, ok := run(p, p.m.window, "window tumbling 1m|sliding 5m every 1m|session gap 30s|count 100|whole")
	return p.buildWindow(v), ok
}

func (p *parse) buildWindow(v *window) *ast.Window {
	w := &ast.Window{Base: p.tokenBase(&v.Word), Every: v.Every, Lag: v.Lag, Idle: v.Idle}
	w.On, _ = v.On.(*ast.Ref)
	for _, k := range []struct {
		kind plex.Token
		size constant
	}{{v.Kind, v.Size}, {v.Slide, v.Width}, {v.Sess, v.Gap}, {v.Count, v.Rows}, {v.Whole, nil}} {
		if k.kind.Value != "" {
			w.Kind, w.Size = k.kind.Value, k.size
			w.At = w.At.To(p.tokenBase(&k.kind).At)
		}
	}
	for _, x := range []ast.Node{w.Size, w.Every, w.On, w.Lag, w.Idle} {
		w.At = extend(w.At, x)
	}
	return w
}

func (p *parse) pipelineDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.pipelineDecl, "pipeline name { … }")
	d := &ast.PipelineDecl{Doc: p.doc(start), Name: p.orName(v.Name)}
	if items, reached := v.Items.(pitemList); reached {
		d.Items = items
	}
	if !ok {
		if p.toBrace(); p.is("{") {
			d.Items = p.pitems()
		}
	}
	d.Base = p.since(start)
	p.finish(ok, "the pipeline")
	return d
}

func (p *parse) testDecl() ast.Decl {
	start := p.start()
	v, ok := run(p, p.m.testDecl, `test "what it shows" { … }`)
	d := &ast.TestDecl{Doc: p.doc(start), Name: p.orStr(v.Name), For: ident(v.For)}
	if lines, reached := v.Lines.(tlineList); reached {
		d.Stmts = lines
	}
	if !ok {
		if p.toBrace(); p.is("{") {
			d.Stmts = p.tlines()
		}
	}
	d.Base = p.since(start)
	p.finish(ok, "the test")
	return d
}

// badDecl tells and skips what is no declaration: up to a line that begins with a declaration word or in column 1, or
// the end of the chunk.
func (p *parse) badDecl() ast.Decl {
	t := p.peek()
	start := t.Pos.Offset
	d := p.tell(diag.ExpectedDeclaration, start, t.Pos.Column, "expected a declaration, found %s", describe(t))
	p.advise(d, t, adviceInFile, declWords[:])
	end := start
	for !p.isKind(plex.EOF) {
		if f := p.peekAt(1); p.isKind(tokNL) && (isDeclWord(f.Value) || p.inColumn1(f)) {
			break
		}
		p.skipPart()
		if last := &p.toks[p.cursor()-1]; last.Type != tokNL {
			end = last.Pos.Column
		}
	}
	return &ast.BadDecl{Base: ast.Base{At: p.span(start, max(start, end))}}
}

// inColumn1 reports whether a token stands at the start of its line and is a word.
func (p *parse) inColumn1(t *plex.Token) bool {
	at := t.Pos.Offset
	return isFirst(t) && (t.Type == tokIdent || t.Type == tokKw) && (at == 0 || p.f.Text()[at-1] == '\n')
}
