package parser

import (
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// identOf returns the name that a token is, without backquotes.
func (p *parse) identOf(t *plex.Token) *ast.Ident {
	return &ast.Ident{Base: p.tokenBase(t), Name: strings.Trim(t.Value, "`")}
}

// name parses a name where one is declared or stands alone.
func (p *parse) name() *ast.Ident {
	t := p.peek()
	if t.Type == tokIdent {
		return p.identOf(p.next())
	}
	if t.Type == tokKw && p.reservedAsName(t) {
		return p.identOf(p.next())
	}
	return p.missingName("a name")
}

// word parses a name where every word is one.
func (p *parse) word() *ast.Ident {
	if t := p.peek(); t.Type == tokIdent || t.Type == tokKw {
		return p.identOf(p.next())
	}
	return p.missingName("a name")
}

// nodeName parses the name of a node, which must not be a step's.
func (p *parse) nodeName() *ast.Ident {
	id := p.name()
	if isStepWord(id.Name) && p.toks[p.cursor()-1].Value[0] != '`' {
		p.tellAside(diag.ReservedNodeName, id.At, "a node cannot be called `%s`, which is a step of flows", id.Name).
			note("Names of steps are " + stepWords + ".")
		if p.steps == nil {
			p.steps = map[string]bool{}
		}
		p.steps[id.Name] = true
	}
	return id
}

// alias parses the name of a join's side.
func (p *parse) alias() *ast.Ident {
	if t := p.peek(); t.Type == tokIdent && (t.Value == "left" || t.Value == "with" || t.Value == "on") {
		return p.missingName("a name for this side of the join")
	}
	return p.name()
}

const stepWords = "`where select flat by window aggregate dedup limit sample top route optional when default`"

func isStepWord(word string) bool {
	switch word {
	case "where", "select", "flat", "by", "window", "aggregate", "dedup", "limit", "sample", "top", "route", "optional",
		"when", "default":
		return true
	}
	return false
}

// reservedAsName tells a reserved word that stands where a name should, and reports whether it is to be taken for
// one: what follows goes on as behind a name.
func (p *parse) reservedAsName(t *plex.Token) bool {
	switch f := p.peekAt(1); {
	case isFirst(t) && p.cursor() > 0:
		return false
	case f.Type == tokNL, f.Type == tokOp && f.Value != "(" && f.Value != "[" && f.Value != "{":
	case f.Type == tokKw && f.Value == "in", f.Type == tokOp && f.Value == "(" && t.Value != "in":
	default:
		return false
	}
	quoted := "`" + t.Value + "`"
	p.tellAside(diag.ReservedWord, p.span(t.Pos.Offset, t.Pos.Column), "`%s` is a reserved word and cannot be a name here", t.Value).
		note("In backquotes it can, as `` "+quoted+" ``.").
		fix("Put it in backquotes", t.Pos.Offset, t.Pos.Column, quoted)
	return true
}

func (p *parse) missingName(what string) *ast.Ident {
	d := p.expectHere(diag.ExpectedName, what)
	if t := p.peek(); t.Type == tokKw && !isFirst(t) && t.Value != "in" && t.Value != "else" {
		d.note("`" + t.Value + "` is a reserved word; in backquotes it can be a name, as `` `" + t.Value + "` ``.")
	}
	return &ast.Ident{Base: p.here()}
}

// expectHere tells that what is missing at the cursor: at the token there, or, where the line broke off before it, at
// the last token of the line.
func (p *parse) expectHere(code diag.Code, what string) finding {
	t := p.peek()
	if i := p.cursor(); i > 0 && (isFirst(t) || t.Type == tokNL || t.Type == plex.EOF) {
		if prev := &p.toks[i-1]; prev.Pos.Offset < prev.Pos.Column {
			return p.tell(code, prev.Pos.Offset, prev.Pos.Column, "expected %s after %s", what, describe(prev)).
				label("the line ends here")
		}
	}
	return p.tell(code, t.Pos.Offset, t.Pos.Column, "expected %s, found %s", what, describe(t))
}

// ref parses a dotted name.
func (p *parse) ref() *ast.Ref {
	start := p.start()
	r := &ast.Ref{Parts: []*ast.Ident{p.name()}}
	for p.is(".") {
		p.next()
		r.Parts = append(r.Parts, p.memberName())
	}
	r.Base = p.around(start, r.Parts[0])
	return r
}

// memberName parses the word behind a dot. A word on the next line is none where that line goes on as a statement
// does: then the name is missing.
func (p *parse) memberName() *ast.Ident {
	t := p.peek()
	switch {
	case t.Type != tokIdent && t.Type != tokKw:
	case !isFirst(t):
		return p.identOf(p.next())
	case t.Type == tokIdent:
		f := p.peekAt(1)
		if f.Type == tokOp && f.Value != "=" && !isArrow(f) || f.Type == tokNL || f.Type == tokKw {
			return p.identOf(p.next())
		}
	}
	return p.missingName("a name")
}
