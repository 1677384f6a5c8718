package parser

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// tlines parses the lines of a test with their braces.
func (p *parse) tlines() []ast.TStmt {
	var out []ast.TStmt
	if !p.is("{") {
		p.expected(p.peek(), []string{`"{"`}, `test "what it shows" { … }`)
		if p.toBrace(); !p.is("{") {
			return nil
		}
	}
	p.test = true
	p.braces(func() { out = append(out, p.tline()) })
	p.test = false
	return out
}

func isTestWord(word string) bool {
	switch word {
	case "feed", "advance", "end", "set", "swap", "expect", "fault":
		return true
	}
	return false
}

func (p *parse) tline() ast.TStmt {
	t := p.peek()
	if t.Type != tokIdent {
		return p.badTLine()
	}
	start := t.Pos.Offset
	var line ast.TStmt
	ok := true
	switch t.Value {
	case "feed":
		var v *feedStmt
		v, ok = run(p, p.m.feedStmt, "feed node (field: value), (field: value)")
		s := &ast.FeedStmt{Node: p.orRef(v.Node), Base: p.since(start)}
		if list, reached := v.Records.(recordList); reached {
			s.Records = list
		}
		line = s
	case "advance":
		var v *advanceStmt
		v, ok = run(p, p.m.advanceStmt, "advance 1m")
		line = &ast.AdvanceStmt{By: p.orExpr(v.By), Base: p.since(start)}
	case "end":
		var v *endStmt
		v, ok = run(p, p.m.endStmt, "end source")
		line = &ast.EndStmt{Node: p.orRef(v.Node), Base: p.since(start)}
	case "set":
		var v *setStmt
		v, ok = run(p, p.m.setStmt, "set param = value")
		line = &ast.SetStmt{Name: p.orName(v.Name), Type: v.Type, Value: p.orExpr(v.Value), Base: p.since(start)}
	case "swap":
		var v *swapStmt
		v, ok = run(p, p.m.swapStmt, `swap "new.pipe"`)
		line = &ast.SwapStmt{Path: p.orStr(v.Path), Base: p.since(start)}
	case "expect":
		var v *expectStmt
		v, ok = run(p, p.m.expectStmt, "expect condition")
		line = &ast.ExpectStmt{Cond: p.orExpr(v.Cond), Base: p.since(start)}
	case "fault":
		line, ok = p.faultLine(start)
	default:
		return p.badTLine()
	}
	p.finish(ok, "`"+t.Value+"`")
	return line
}

func (p *parse) faultLine(start int) (ast.TStmt, bool) {
	v, ok := run(p, p.m.faultStmt, "fault crash after 2` or `fault fail sink times 3` or `fault stall node for 10s")
	s := &ast.FaultStmt{Kind: v.Kind, Value: p.orExpr(v.Value)}
	if v.Crash {
		s.Kind = "crash"
	} else {
		s.Node = p.orRef(v.Node)
	}
	if ok && (v.Kind == "fail" && v.Prep == "for" || v.Kind == "stall" && v.Prep == "times") {
		p.tellAside(diag.ExpectedToken, s.Node.At, "a `fail` is counted by `times`, a `stall` lasts `for` a while").
			note("It is written `fault fail sink times 3` or `fault stall node for 10s`.")
	}
	s.Base = p.since(start)
	return s, ok
}

// records parses the records of a feed.
func (p *parse) records() []*ast.RecordExpr {
	var out []*ast.RecordExpr
	for {
		out = append(out, p.record())
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parse) badTLine() ast.TStmt {
	t := p.peek()
	start := t.Pos.Offset
	d := p.tell(diag.ExpectedTestLine, start, t.Pos.Column,
		"expected a line of a test (feed, advance, end, set, swap, fault or expect), found %s", describe(t))
	p.advise(d, t, adviceInTest, testWords[:])
	p.skipPart()
	p.skipLine()
	return &ast.BadTStmt{Base: p.since(start)}
}
