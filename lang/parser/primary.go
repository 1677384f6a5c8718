package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/literal"
)

// primary parses an operand without what is postfixed to it.
func (p *parse) primary(negated bool) ast.Expr {
	t := p.peek()
	p.height = 1
	switch t.Type {
	case tokIdent:
		if p.beginsStatement(t) {
			break
		}
		id := p.identOf(p.next())
		return &ast.NameExpr{Base: id.Base, Name: id}
	case tokInt:
		return p.intLit(negated)
	case tokFloat:
		return p.basic(ast.FloatLit)
	case tokDur:
		return p.basic(ast.DurationLit)
	case tokSize:
		return p.basic(ast.SizeLit)
	case tokTime:
		return p.basic(ast.TimeLit)
	case tokRaw:
		return p.basic(ast.RawLit)
	case tokRegex:
		return p.basic(ast.RegexLit)
	case tokBegin:
		return p.str()
	case tokBad, tokBadLit:
		return &ast.BadExpr{Base: p.tokenBase(p.next())}
	case tokKw:
		switch t.Value {
		case "true", "false":
			return p.basic(ast.BoolLit)
		case "none":
			return p.basic(ast.NoneLit)
		case "if":
			if !p.beginsStatement(t) {
				return p.ifExpr()
			}
		case "for", "else":
		default:
			if p.reservedAsName(t) {
				id := p.identOf(p.next())
				return &ast.NameExpr{Base: id.Base, Name: id}
			}
		}
	case tokOp:
		switch t.Value {
		case "(":
			return p.paren()
		case "[":
			return p.listExpr()
		}
	}
	return p.missingValue()
}

// beginsStatement reports whether t, where a value should stand, begins the next statement instead: it is the first of
// its line, which goes on as no value does. The line before then ends with an operator whose operand was forgotten.
func (p *parse) beginsStatement(t *plex.Token) bool {
	if !isFirst(t) || p.cursor() == 0 || p.assign {
		return false
	}
	if t.Type == tokIdent {
		f, g := p.peekAt(1), p.peekAt(2)
		if p.test && isTestWord(t.Value) && (beginsValue(f) || f.Type == tokNL) {
			return true
		}
		return isToken(f, "=") || f.Type == tokIdent && isToken(g, "=") && isDeclWord(t.Value)
	}
	i := 1                // of the token behind the brace of an `if`
	const farthest = 1000 // tokens that are looked at
	for depth := 0; i < farthest && (depth > 0 || !isToken(p.peekAt(i-1), "{")); i++ {
		switch f := p.peekAt(i); {
		case f.Type == tokNL, f.Type == plex.EOF:
			return false
		case f.Type == tokOp && isOpener(f.Value) && (f.Value != "{" || depth > 0):
			depth++
		case f.Type == tokOp && isCloser(f.Value):
			depth--
		}
	}
	for p.peekAt(i).Type == tokNL {
		i++
	}
	switch f := p.peekAt(i); f.Type {
	case tokKw:
		return !beginsValue(f)
	case tokIdent:
		return isToken(p.peekAt(i+1), "=")
	default:
		return isToken(f, "}")
	}
}

func (p *parse) missingValue() ast.Expr {
	p.expectHere(diag.ExpectedValue, "a value")
	p.height = 1
	return &ast.BadExpr{Base: p.here()}
}

func (p *parse) basic(kind ast.LitKind) ast.Expr {
	t := p.next()
	return &ast.BasicLit{Base: p.tokenBase(t), Kind: kind, Text: t.Value}
}

func (p *parse) intLit(negated bool) ast.Expr {
	t := p.next()
	if len(t.Value) >= len("0x1_0000_0000_0000") { // anything shorter fits
		parseInt := literal.Int
		if negated {
			parseInt = literal.NegInt
		}
		if _, err := parseInt(t.Value); err != nil {
			p.tellAside(diag.NumberRange, p.tokenBase(t).At, "%s", err)
			return &ast.BadExpr{Base: p.tokenBase(t)}
		}
	}
	return &ast.BasicLit{Base: p.tokenBase(t), Kind: ast.IntLit, Text: t.Value}
}

// str parses a string, which must be there.
func (p *parse) str() *ast.StrLit {
	start := p.start()
	if !p.isKind(tokBegin) {
		p.expectHere(diag.ExpectedToken, "a string").note("A string stands in double quotes, as `\"text\"`.")
		return &ast.StrLit{Base: p.here()}
	}
	p.next()
	s := &ast.StrLit{}
	height := 1
	for p.peek().Type != plex.EOF {
		t := p.next()
		switch {
		case t.Type == tokEnd:
			s.Base = p.since(start)
			p.height = height
			return s
		case t.Type == tokText:
			value, _ := literal.Unescape(t.Value) // what is wrong has been told by the scanner
			s.Parts = append(s.Parts, &ast.StrText{Base: p.tokenBase(t), Text: t.Value, Value: value})
		default: // the brace of a hole
			s.Parts = append(s.Parts, p.hole(t))
			height = max(height, p.height+1)
		}
	}
	s.Base = p.since(start)
	return s
}

// hole parses a hole behind its opening brace.
func (p *parse) hole(open *plex.Token) ast.Expr {
	if p.is("}") {
		p.tellAside(diag.ExpectedValue, p.span(open.Pos.Offset, p.peek().Pos.Column), "expected a value in this hole of a string").
			note("A brace as such is written `\\{`.")
		x := &ast.BadExpr{Base: p.here()}
		p.next()
		p.height = 1
		return x
	}
	var x ast.Expr
	p.inside(func() { x = p.expr() })
	if !p.is("}") {
		t := p.peek()
		d := p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column, "expected `}` to end the hole, found %s", describe(t))
		d.note("A hole holds one value; a brace as such is written `\\{`.")
		p.skipTo("}")
	}
	p.accept("}")
	return x
}

// plainStr parses a string that may have no holes.
func (p *parse) plainStr() *ast.StrLit {
	s := p.str()
	for _, part := range s.Parts {
		if _, text := part.(*ast.StrText); !text {
			p.tellAside(diag.HoleNotAllowed, part.Span(), "this string cannot have a hole: it must be known before anything runs").
				note("A brace as such is written `\\{`.")
			break
		}
	}
	return s
}

// args parses the arguments of a call with their brackets, which must be there.
func (p *parse) args() []*ast.Item {
	items, _ := p.items(false)
	return items
}

// items parses a bracket with items and reports whether a comma stands behind the last one. cond says that the bracket
// stands in a condition.
func (p *parse) items(cond bool) (items []*ast.Item, comma bool) {
	height := 0
	p.next()
	p.inside(func() {
		p.cond = cond
		comma = p.list(")", func() {
			items = append(items, p.item())
			height = max(height, p.height)
		})
	})
	p.height = height
	return items, comma
}

// item parses one argument, item of a record, or key.
func (p *parse) item() *ast.Item {
	start := p.start()
	it := &ast.Item{}
	t := p.peek()
	switch {
	case p.is(".."):
		p.next()
		it.Spread = true
	case t.Type == tokIdent || t.Type == tokKw:
		f := p.peekAt(1)
		if isToken(f, ":") {
			it.Name = p.word()
			p.next()
		} else if t.Type == tokIdent && isToken(f, "=") && !p.assign && !p.cond {
			it.Name = p.word()
			p.tellAside(diag.ForeignSpelling, p.tokenBase(f).At, "found `=`, but a value is named with `:`").
				fix("Write `:`", p.end(), f.Pos.Column, ":")
			p.next()
		}
	}
	it.Value = p.expr()
	it.Base = p.since(start)
	if it.Name == nil && !it.Spread {
		it.Base = p.around(start, it.Value)
	}
	return it
}

// keys parses items without brackets.
func (p *parse) keys() []*ast.Item {
	assign := p.assign
	p.assign = true
	var out []*ast.Item
	for {
		out = append(out, p.item())
		if !p.accept(",") {
			break
		}
	}
	p.assign = assign
	return out
}

// paren parses a group or a record.
func (p *parse) paren() ast.Expr {
	start := p.start()
	items, comma := p.items(p.cond)
	p.height++
	if len(items) == 1 && items[0].Name == nil && !items[0].Spread && !comma {
		return &ast.ParenExpr{Base: p.since(start), X: items[0].Value}
	}
	return &ast.RecordExpr{Base: p.since(start), Items: items}
}

// payload parses an expression in which lone parentheses are a record.
func (p *parse) payload() ast.Expr {
	x := p.expr()
	if g, ok := x.(*ast.ParenExpr); ok {
		return recordOf(g)
	}
	return x
}

func recordOf(g *ast.ParenExpr) *ast.RecordExpr {
	return &ast.RecordExpr{Base: g.Base, Items: []*ast.Item{{Base: ast.Base{At: g.X.Span()}, Value: g.X}}}
}

// record parses a record, which must be there.
func (p *parse) record() *ast.RecordExpr {
	start := p.start()
	if !p.is("(") {
		p.expectHere(diag.ExpectedToken, "`(`").note("A record stands in parentheses, as `(id, n: count())`.")
		return &ast.RecordExpr{Base: p.here()}
	}
	items, _ := p.items(false)
	return &ast.RecordExpr{Base: p.since(start), Items: items}
}

// listExpr parses a list, a map, or a list made by `for`.
func (p *parse) listExpr() ast.Expr {
	start := p.start()
	p.next()
	var x ast.Expr
	p.inside(func() { x = p.listContent(start) })
	return x
}

func (p *parse) listContent(start int) ast.Expr {
	if p.is(":") {
		p.next()
		p.closeBracket("]")
		return &ast.MapExpr{Base: p.since(start)}
	}
	if p.accept("]") {
		return &ast.ListExpr{Base: p.since(start)}
	}
	first := p.expr()
	height := p.height
	if p.is("for") {
		return p.comprehension(start, first)
	}
	if p.accept("]") { // a list of one
		p.height = height + 1
		return &ast.ListExpr{Base: p.since(start), Elems: []ast.Expr{first}}
	}
	var elems []ast.Expr
	var entries []*ast.MapEntry
	isMap := p.is(":")
	begun := true // the first element has been parsed
	p.list("]", func() {
		x := first
		if !begun {
			x = p.expr()
			height = max(height, p.height)
		}
		begun = false
		if !isMap {
			elems = append(elems, x)
			return
		}
		entries = append(entries, p.mapEntry(x))
		height = max(height, p.height)
	})
	p.height = height + 1
	if isMap {
		return &ast.MapExpr{Base: p.since(start), Entries: entries}
	}
	return &ast.ListExpr{Base: p.since(start), Elems: elems}
}

// mapEntry parses the value behind a key.
func (p *parse) mapEntry(key ast.Expr) *ast.MapEntry {
	e := &ast.MapEntry{Key: key}
	if p.accept(":") {
		e.Value = p.expr()
	} else {
		p.expected(p.peek(), []string{`":"`}, "[key: value, …]")
		e.Value = &ast.BadExpr{Base: p.here()}
	}
	e.Base = p.since(key.Span().Start)
	return e
}

func (p *parse) comprehension(start int, value ast.Expr) ast.Expr {
	height := p.height
	p.next()
	c := &ast.CompExpr{Value: value, Name: p.name()}
	if p.accept("in") {
		c.In = p.expr()
		height = max(height, p.height)
	} else {
		p.expected(p.peek(), []string{`"in"`}, "[value for name in list]")
		c.In = &ast.BadExpr{Base: p.here()}
	}
	if p.accept("if") {
		c.Cond = p.expr()
		height = max(height, p.height)
	}
	p.closeBracket("]")
	c.Base = p.since(start)
	p.height = height + 1
	return c
}

// ifExpr parses a choice between values.
func (p *parse) ifExpr() ast.Expr {
	start := p.start()
	e := &ast.IfExpr{}
	if p.depth >= maxDepth {
		p.tellDeep(p.tokenBase(p.peek()).At, "`if` nests more than %d deep here", maxDepth)
		for p.is("if") || p.is("else") || p.is("{") || !p.atLineEnd() && p.peek().Type == tokIdent {
			p.skipPart()
		}
		p.told = p.cursor()
		return &ast.BadExpr{Base: p.since(start)}
	}
	p.next()
	p.depth++
	defer func() { p.depth-- }()
	e.Cond = p.expr()
	height := p.height
	e.Then = p.choice("if condition { value } else { value }")
	height = max(height, p.height)
	if p.accept("else") {
		if p.is("if") {
			e.Else = p.ifExpr()
		} else {
			e.Else = p.choice("if condition { value } else { value }")
		}
	} else {
		p.expectHere(diag.ExpectedToken, "`else`").note("A choice between values has both: `if condition { a } else { b }`.")
		e.Else = &ast.BadExpr{Base: p.here()}
	}
	p.height = max(height, p.height) + 1
	e.Base = p.since(start)
	return e
}

// choice parses a value in braces.
func (p *parse) choice(form string) ast.Expr {
	if !p.is("{") {
		p.expected(p.peek(), []string{`"{"`}, form)
		p.height = 1
		return &ast.BadExpr{Base: p.here()}
	}
	p.next()
	var x ast.Expr
	p.inside(func() {
		p.newlines()
		x = p.expr()
		p.newlines()
	})
	p.closeBracket("}")
	return x
}

func (p *parse) newlines() {
	for p.isKind(tokNL) {
		p.next()
	}
}

// constant parses a value that stands for itself, or the name of one.
func (p *parse) constant() ast.Expr {
	t := p.peek()
	switch t.Type {
	case tokInt, tokFloat, tokDur, tokSize, tokBad, tokBadLit:
		return p.primary(false)
	case tokIdent:
		if !isFirst(t) || p.cursor() == 0 {
			return p.constantName()
		}
	}
	p.expectHere(diag.ExpectedValue, "a number, a duration, or the name of a constant")
	p.height = 1
	return &ast.BadExpr{Base: p.here()}
}

func (p *parse) constantName() ast.Expr {
	start := p.start()
	x := p.primary(false)
	for p.accept(".") {
		m := &ast.MemberExpr{X: x, Name: p.memberName()}
		m.Base = p.since(start)
		x = m
	}
	return x
}
