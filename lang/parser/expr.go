package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// Expressions are parsed by precedence climbing: binary(min) takes an operand and then every operator that binds at
// least as strongly as min, with an operand on its right that binds more strongly. `else` belongs to the operand, so
// it binds more tightly than any binary operator and less tightly than a call, an index or a member; a prefix is
// applied to operand and `else` together.
//
// No expression is higher than maxHeight: a walk over the tree may recurse. p.height is the height of the expression
// that was parsed last; whoever wraps it adds one.

// maxHeight is the greatest height of an expression's tree: enough for ten thousand operators in a row.
const maxHeight = 10_000

// The levels of binary operators, weakest first.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMultiply
)

// expr parses an expression.
func (p *parse) expr() ast.Expr { return p.binary(precOr) }

// inside parses with f what stands in brackets, where newlines and `=` mean nothing.
func (p *parse) inside(f func()) {
	assign, cond := p.assign, p.cond
	p.assign, p.cond = false, false
	f()
	p.assign, p.cond = assign, cond
}

// condition parses an expression that is a condition: an `=` in it was meant to compare, also in parentheses.
func (p *parse) condition() ast.Expr {
	cond := p.cond
	p.cond = true
	x := p.expr()
	p.cond = cond
	return x
}

func precedence(t *plex.Token) int {
	switch t.Type {
	case tokOp:
		switch t.Value {
		case "||":
			return precOr
		case "&&":
			return precAnd
		case "==", "!=", "<", "<=", ">", ">=":
			return precCompare
		case "+", "-":
			return precAdd
		case "*", "/", "%":
			return precMultiply
		}
	case tokKw:
		if t.Value == "in" {
			return precCompare
		}
	}
	return 0
}

func (p *parse) binary(least int) ast.Expr {
	start := p.start()
	x := p.unary()
	height := p.height
	chained := false
	for {
		op, prec := p.operatorHere(least)
		if prec < least {
			p.height = height
			return x
		}
		t := p.next()
		if prec == precCompare && chained && !p.broken() {
			p.tellAside(diag.ChainedComparison, p.tokenBase(t).At, "comparisons do not chain: `%s` cannot compare the answer of another", op).
				note("Write both comparisons and `&&` between them, as in `a < b && b < c`.")
		}
		chained = chained || prec == precCompare
		y := p.operand(t, prec+1)
		height = max(height, p.height) + 1
		b := &ast.BinaryExpr{Base: p.around(start, x), Op: op, OpAt: p.tokenBase(t).At, X: x, Y: y}
		x = b
		if height > maxHeight {
			p.tellDeep(b.OpAt, "this expression has more than %d operators in a row", maxHeight)
			x, height = &ast.BadExpr{Base: b.Base}, 1
		}
	}
}

// operatorHere returns the binary operator that is next and its level, 0 where there is none. An operator in another
// language's spelling is told and taken for the one that it is.
func (p *parse) operatorHere(least int) (string, int) {
	t := p.peek()
	if prec := precedence(t); prec > 0 {
		return t.Value, prec
	}
	want, prec := "", 0
	switch {
	case t.Type == tokOp && t.Value == "=" && !p.assign && p.told != p.cursor():
		want, prec = "==", precCompare
	case t.Type == tokIdent && t.Value == "and":
		want, prec = "&&", precAnd
	case t.Type == tokIdent && t.Value == "or":
		want, prec = "||", precOr
	default:
		return "", 0
	}
	if prec < least || t.Type == tokIdent && (isFirst(t) || !beginsValue(p.peekAt(1))) {
		return "", 0
	}
	d := p.tellAside(diag.ForeignSpelling, p.tokenBase(t).At, "found `%s`, which is written `%s` here", t.Value, want)
	d.fix("Write `"+want+"`", t.Pos.Offset, t.Pos.Column, want)
	return want, prec
}

// operand parses what stands on the right of the operator op.
func (p *parse) operand(op *plex.Token, least int) ast.Expr {
	t := p.peek()
	if op.Value == "%" && (isFirst(t) || p.atLineEnd()) {
		p.expectHere(diag.ExpectedValue, "a value").note("There are no percentages: write `0.05` for five percent.")
	}
	if beginsValue(t) || t.Type == tokBad || t.Type == tokBadLit || isFirst(t) || p.atLineEnd() {
		return p.binary(least)
	}
	p.tell(diag.ExpectedValue, t.Pos.Offset, t.Pos.Column, "expected a value after `%s`, found %s", op.Value, describe(t))
	if precedence(t) > 0 && beginsValue(p.peekAt(1)) {
		p.next() // one operator too many: what follows is the operand
		return p.binary(least)
	}
	p.height = 1
	return &ast.BadExpr{Base: p.here()}
}

// beginsValue reports whether an expression can begin with t.
func beginsValue(t *plex.Token) bool {
	switch t.Type {
	case tokIdent, tokInt, tokFloat, tokDur, tokSize, tokTime, tokRaw, tokRegex, tokBegin:
		return true
	case tokOp:
		return t.Value == "(" || t.Value == "[" || t.Value == "-" || t.Value == "!"
	case tokKw:
		return t.Value == "true" || t.Value == "false" || t.Value == "none" || t.Value == "if"
	}
	return false
}

// unary parses prefixes, an operand with what is postfixed to it, and an `else`.
func (p *parse) unary() ast.Expr {
	start := p.start()
	first := p.cursor()
	for p.is("-") || p.is("!") || p.foreignNot() {
		p.next()
	}
	n := p.cursor() - first
	x := p.postfix(n > 0 && p.toks[p.cursor()-1].Value == "-")
	if p.is("else") {
		x = p.elseExpr(x)
	}
	if n == 0 {
		return x
	}
	if n+p.depth > maxDepth {
		p.tellDeep(p.tokenBase(&p.toks[first]).At, "prefixes nest more than %d deep here", maxDepth)
		p.height = 1
		return &ast.BadExpr{Base: p.since(start)}
	}
	for i := first + n - 1; i >= first; i-- {
		op := p.toks[i].Value
		if op == "not" {
			op = "!"
		}
		x = &ast.UnaryExpr{Base: p.since(p.toks[i].Pos.Offset), Op: op, X: x}
		p.height++
	}
	return x
}

// foreignNot tells a `not` before a value, which is taken for a `!`.
func (p *parse) foreignNot() bool {
	t := p.peek()
	if t.Type != tokIdent || t.Value != "not" {
		return false
	}
	if f := p.peekAt(1); isFirst(f) || !beginsValue(f) || f.Type == tokOp || f.Type == tokBegin {
		return false
	}
	p.tellAside(diag.ForeignSpelling, p.tokenBase(t).At, "found `not`, which is written `!` here").
		fix("Write `!`", t.Pos.Offset, p.peekAt(1).Pos.Offset, "!")
	return true
}

// elseExpr parses the `else` behind x and what it leads to.
func (p *parse) elseExpr(x ast.Expr) ast.Expr {
	height := p.height
	at := p.next()
	e := &ast.ElseExpr{X: x}
	if p.depth >= maxDepth {
		p.tellDeep(p.tokenBase(at).At, "`else` nests more than %d deep here", maxDepth)
		for !p.atLineEnd() && !p.is(",") && !(p.isKind(tokOp) && isCloser(p.peek().Value)) {
			p.skipPart()
		}
		e.Value = &ast.BadExpr{Base: p.here()}
		e.Base = p.since(x.Span().Start)
		return e
	}
	p.depth++
	p.height = 1
	if exit := p.exit(); exit != nil {
		e.Exit = exit
	} else {
		e.Value = p.unary()
	}
	p.depth--
	e.Base = p.since(x.Span().Start)
	p.height = max(height, p.height) + 1
	return e
}

// exit parses what ends a body on the right of an `else`, nil where a value stands there.
func (p *parse) exit() ast.Stmt {
	t := p.peek()
	if t.Type != tokKw || isFirst(t) {
		return nil
	}
	start := t.Pos.Offset
	switch t.Value {
	case "drop":
		return p.dropStmt()
	case "fail":
		return p.failStmt()
	case "emit":
		return p.emitStmt()
	case "return":
		p.next()
		return &ast.ReturnStmt{Base: p.since(start)}
	case "continue":
		p.next()
		return &ast.ContinueStmt{Base: p.since(start)}
	case "break":
		p.next()
		return &ast.BreakStmt{Base: p.since(start)}
	}
	return nil
}

// postfix parses an operand and the members, indexes and calls behind it. negated says that a minus stands before it.
func (p *parse) postfix(negated bool) ast.Expr {
	start := p.start()
	x := p.primary(negated)
	for {
		switch {
		case p.is("."), p.is("?."):
			optional := p.next().Value == "?."
			m := &ast.MemberExpr{X: x, Optional: optional, Name: p.memberName()}
			m.Base = p.around(start, x)
			x = m
			p.height++
		case p.is("["):
			x = p.index(x, start)
		case p.is("(") && !isRecord(x):
			x = p.call(x, start)
		default:
			return x
		}
		if p.height > maxHeight {
			p.tellDeep(p.tokenBase(&p.toks[p.cursor()-1]).At, "this expression goes on for more than %d steps", maxHeight)
			x, p.height = &ast.BadExpr{Base: p.around(start, x)}, 1
		}
	}
}

func (p *parse) index(x ast.Expr, start int) ast.Expr {
	height := p.height
	p.next()
	var i ast.Expr
	p.inside(func() { i = p.expr() })
	p.closeBracket("]")
	p.height = max(height, p.height) + 1
	return &ast.IndexExpr{Base: p.around(start, x), X: x, Index: i}
}

func (p *parse) call(x ast.Expr, start int) ast.Expr {
	height := p.height
	if !callable(x) {
		if !p.broken() {
			p.tellAside(diag.NotCallable, x.Span(), "only a function can be called, by its name").
				note("A call is `name(…)` or `module.name(…)`.")
		}
		p.args()
		p.height = 1
		return &ast.BadExpr{Base: p.around(start, x)}
	}
	args := p.args()
	p.height = max(height, p.height) + 1
	return &ast.CallExpr{Base: p.around(start, x), Fun: x, Args: args}
}

func isRecord(x ast.Expr) bool {
	_, ok := x.(*ast.RecordExpr)
	return ok
}

// callable reports whether x is a name or a module's member, or was told already.
func callable(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.NameExpr:
		return true
	case *ast.MemberExpr:
		_, module := x.X.(*ast.NameExpr)
		return module && !x.Optional
	}
	return false
}
