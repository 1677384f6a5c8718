package parser

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// block parses the statements of a body with their braces; the opening one must be the next token.
func (p *parse) block() *ast.Block {
	start := p.start()
	b := &ast.Block{}
	assign := p.assign
	p.assign = false
	p.braces(func() { b.Stmts = append(b.Stmts, p.stmt()) })
	p.assign = assign
	b.Base = p.since(start)
	return b
}

// stmt parses a statement and ends its line.
func (p *parse) stmt() ast.Stmt {
	t := p.peek()
	start := t.Pos.Offset
	if t.Type == tokKw {
		switch t.Value {
		case "let":
			return p.letStmt()
		case "state":
			return p.stateStmt()
		case "emit":
			return p.lineOf(p.emitStmt(), "`emit`")
		case "if":
			return p.lineOf(p.ifStmt(), "`if`")
		case "for":
			return p.lineOf(p.forStmt(), "`for`")
		case "drop":
			return p.lineOf(p.dropStmt(), "`drop`")
		case "fail":
			return p.lineOf(p.failStmt(), "`fail`")
		case "return":
			return p.lineOf(p.returnStmt(), "`return`")
		case "break":
			p.next()
			return p.lineOf(&ast.BreakStmt{Base: p.since(start)}, "`break`")
		case "continue":
			p.next()
			return p.lineOf(&ast.ContinueStmt{Base: p.since(start)}, "`continue`")
		}
	}
	if f := p.peekAt(1); t.Type == tokIdent && (isToken(f, "=") || isToken(f, "[")) {
		return p.assignStmt()
	}
	return p.badStmt()
}

// lineOf ends the line of a statement. One that broke off in the middle has been told, so nothing is told here.
func (p *parse) lineOf(s ast.Stmt, what string) ast.Stmt {
	p.endLine(what)
	return s
}

func (p *parse) letStmt() ast.Stmt {
	start := p.start()
	v, ok := run(p, p.m.letStmt, "let name = value")
	s := &ast.LetStmt{Name: p.orName(v.Name), Type: v.Type, Value: p.orExpr(v.Value), Base: p.since(start)}
	p.finish(ok, "`let`")
	return s
}

func (p *parse) stateStmt() ast.Stmt {
	start := p.start()
	v, ok := run(p, p.m.stateStmt, "state name: type = value")
	s := &ast.StateStmt{
		Name: p.orName(v.Name), Type: p.orType(v.Type), Init: p.orExpr(v.Init), Keep: v.Keep, Base: p.since(start),
	}
	p.finish(ok, "`state`")
	return s
}

// emitStmt parses an emit without the end of its line: it also stands behind `else`.
func (p *parse) emitStmt() ast.Stmt {
	start := p.start()
	v, _ := run(p, p.m.emitStmt, "emit (name: value)")
	return &ast.EmitStmt{Unanchored: v.Unanchored, To: ident(v.To), Value: p.orExpr(v.Value), Base: p.since(start)}
}

func (p *parse) ifStmt() *ast.IfStmt {
	start := p.start()
	v, ok := run(p, p.m.ifStmt, "if condition { … }")
	s := &ast.IfStmt{Cond: p.orExpr(v.Cond), Then: asBlock(v.Then), Else: v.Else}
	if !ok && s.Then == nil {
		s.Then = p.bodyBehind()
		if p.accept("else") {
			s.Else = p.elseArm()
		}
	}
	s.Base = p.since(start)
	return s
}

// elseArm parses what stands behind the else of a statement.
func (p *parse) elseArm() ast.Stmt {
	start := p.start()
	switch {
	case p.is("{"):
		return p.block()
	case p.is("if") && p.depth >= maxDepth:
		p.tellDeep(p.tokenBase(p.peek()).At, "`else` nests more than %d deep here", maxDepth)
		for !p.atLineEnd() {
			p.skipPart()
		}
		return &ast.BadStmt{Base: p.since(start)}
	case p.is("if"):
		p.depth++
		s := p.ifStmt()
		p.depth--
		return s
	}
	p.expected(p.peek(), []string{`"{"`, `"if"`}, "if condition { … } else { … }")
	bad := &ast.BadStmt{Base: p.here()}
	p.skipLine()
	return bad
}

func (p *parse) forStmt() ast.Stmt {
	start := p.start()
	v, ok := run(p, p.m.forStmt, "for name in list { … }")
	s := &ast.ForStmt{Name: p.orName(v.Name), Name2: ident(v.Name2), In: p.orExpr(v.In), Body: asBlock(v.Body)}
	if !ok {
		s.Body = p.bodyBehind()
	}
	s.Base = p.since(start)
	return s
}

// bodyBehind finds the body of a statement or declaration whose head was broken: braces later on the line. Without
// any the body is empty.
func (p *parse) bodyBehind() *ast.Block {
	p.toBrace()
	if p.is("{") {
		return p.block()
	}
	return &ast.Block{Base: p.here()}
}

// toBrace skips what is left of a head before its brace.
func (p *parse) toBrace() {
	for !p.is("{") && !p.atLineEnd() && !p.atFreshLine() && !(p.isKind(tokOp) && isCloser(p.peek().Value)) {
		p.skipPart()
	}
}

func (p *parse) dropStmt() ast.Stmt {
	start := p.start()
	v, _ := run(p, p.m.dropStmt, `drop "why"`)
	return &ast.DropStmt{Why: p.orStr(v.Why), Base: p.since(start)}
}

func (p *parse) failStmt() ast.Stmt {
	start := p.start()
	v, _ := run(p, p.m.failStmt, `fail "why"`)
	return &ast.FailStmt{Why: p.orStr(v.Why), Base: p.since(start)}
}

func (p *parse) returnStmt() ast.Stmt {
	start := p.start()
	p.next()
	s := &ast.ReturnStmt{}
	if !p.atLineEnd() && !p.atFreshLine() {
		s.Value = p.expr()
	}
	s.Base = p.since(start)
	return s
}

func (p *parse) assignStmt() ast.Stmt {
	start := p.start()
	v, ok := run(p, p.m.assignStmt, "name = value")
	s := &ast.AssignStmt{Name: p.orName(v.Name), Index: v.Index, Value: p.orExpr(v.Value), Base: p.since(start)}
	p.finish(ok, "the assignment")
	return s
}

// badStmt tells and skips a line that is no statement.
func (p *parse) badStmt() ast.Stmt {
	t := p.peek()
	start := t.Pos.Offset
	if p.peekAt(1).Type == tokBad {
		p.skipPart() // `n++`, which was told
	}
	d := p.tell(diag.ExpectedStatement, start, t.Pos.Column, "expected a statement, found %s", describe(t))
	p.advise(d, t, adviceInBody, stmtWords[:])
	if d.d != nil && len(d.d.Notes) == 0 && len(d.d.Fixes) == 0 && beginsValue(t) {
		d.note("A value alone does nothing: give it a name by `let name = …`, or emit it.")
	}
	isField := t.Type == tokIdent && isToken(p.peekAt(1), ":")
	p.skipPart()
	p.skipLine()
	for isField && p.nextIsField() {
		p.newlines() // the fields of a record whose bracket was closed before
		p.skipPart()
		p.skipLine()
	}
	return &ast.BadStmt{Base: p.since(start)}
}

// nextIsField reports whether the next line begins as a field of a record does.
func (p *parse) nextIsField() bool {
	n := 0
	if p.isKind(tokNL) {
		n = 1
	}
	t := p.peekAt(n)
	return t.Type == tokIdent && isFirst(t) && isToken(p.peekAt(n+1), ":")
}

// The rest make up for parts that a production did not reach.

func (p *parse) orName(n ast.Node) *ast.Ident {
	if id := ident(n); id != nil {
		return id
	}
	return &ast.Ident{Base: p.here()}
}

func (p *parse) orExpr(x ast.Expr) ast.Expr {
	if x != nil {
		return x
	}
	return &ast.BadExpr{Base: p.here()}
}

func (p *parse) orType(t ast.TypeExpr) ast.TypeExpr {
	if t != nil {
		return t
	}
	return &ast.BadType{Base: p.here()}
}

func (p *parse) orStr(n ast.Node) *ast.StrLit {
	if s, ok := n.(*ast.StrLit); ok {
		return s
	}
	return &ast.StrLit{Base: p.here()}
}

func (p *parse) orRef(n ast.Node) *ast.Ref {
	if r, ok := n.(*ast.Ref); ok {
		return r
	}
	return &ast.Ref{Base: p.here(), Parts: []*ast.Ident{{Base: p.here()}}}
}

func (p *parse) orRecord(n ast.Node) *ast.RecordExpr {
	if r, ok := n.(*ast.RecordExpr); ok {
		return r
	}
	return &ast.RecordExpr{Base: p.here()}
}

func asBlock(n ast.Node) *ast.Block {
	b, _ := n.(*ast.Block)
	return b
}
