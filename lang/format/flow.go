package format

import (
	"unicode/utf8"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
)

func (p *printer) pipeline(d *ast.PipelineDecl) {
	p.word("pipeline")
	p.as(d.Name)
	p.blank()
	al := aligner{p: p}
	p.braces(d, len(d.Items), func() {}, func(i int) {
		al.put(p.pitem(d.Items[i]), i > 0 && p.together(d.Items[i-1], d.Items[i]))
	})
}

// pitem prints a line of a pipeline and returns the line that it marks for alignment, or -1.
func (p *printer) pitem(it ast.PItem) int {
	mark := -1
	switch it := it.(type) {
	case *ast.SettingItem:
		p.as(it.Name)
		p.blank()
		p.expr(it.Value)
	case *ast.NodeItem:
		p.word(it.Kind.Word)
		p.as(it.Name)
		mark = p.point()
		p.assign(it.Value)
		if it.Level != nil {
			p.blank()
			p.tok(it.Level.Word)
		}
		if it.Errors != nil {
			p.blank()
			p.policy(it.Errors)
		}
	case *ast.BoltItem:
		p.word("bolt")
		p.as(it.Name)
		p.soft()
		p.tok("=")
		p.soft()
		p.step(it.Step)
	case *ast.JoinItem:
		p.join(it)
	case *ast.FlowItem:
		p.ref(it.From)
		if len(it.From.Parts) > 1 {
			mark = p.point()
		}
		p.hops(it.Hops)
	case *ast.BadItem:
		unprintable(it)
	default:
		bug.Panicf("format: %T", it)
	}
	return mark
}

func (p *printer) join(j *ast.JoinItem) {
	p.word("join")
	p.as(j.Name)
	p.soft()
	p.tok("=")
	p.soft()
	p.ref(j.Left)
	p.blank()
	p.as(j.LeftName)
	if j.Outer {
		p.blank()
		p.tok("left")
	}
	p.soft()
	p.word("with")
	p.ref(j.Right)
	p.blank()
	p.as(j.RightName)
	p.joinClause("on", j.On)
	p.joinClause("within", j.Within)
	if j.LeftTime != nil {
		p.soft()
		p.word("of")
		p.ref(j.LeftTime)
		p.comma()
		p.soft()
		p.ref(j.RightTime)
	}
	p.joinClause("lag", j.Lag)
	if j.LateDrop != nil {
		p.soft()
		p.policy(j.LateDrop)
	}
	p.soft()
	p.tok("->")
	p.soft()
	p.record(j.Result)
}

// joinClause prints a clause of a join, which may begin a line.
func (p *printer) joinClause(word string, value ast.Expr) {
	if value != nil {
		p.soft()
		p.word(word)
		p.expr(value)
	}
}

func (p *printer) hops(hops []*ast.Hop) {
	for _, h := range hops {
		p.soft()
		if h.Grouping == nil {
			p.tok("->")
		} else {
			p.grouping(h.Grouping)
		}
		p.soft()
		p.step(h.Step)
	}
}

func (p *printer) grouping(g *ast.Grouping) {
	p.tok("-[")
	p.tok(g.Kind)
	if g.Kind == "by" {
		p.blank()
		p.items(g.Keys)
	}
	p.tok("]")
	p.tok("->")
}

func (p *printer) step(s ast.Step) {
	switch s := s.(type) {
	case *ast.CallStep:
		p.callStep(s)
	case *ast.BranchStep:
		p.braces(s, len(s.Branches), p.comma, func(i int) { p.branch(s.Branches[i]) })
	case *ast.RouteStep:
		p.word("route")
		al := aligner{p: p}
		p.braces(s, len(s.Cases), p.comma, func(i int) {
			al.put(p.routeCase(s.Cases[i]), i > 0 && p.together(s.Cases[i-1], s.Cases[i]))
		})
	case *ast.WhereStep:
		p.word("where")
		p.expr(s.Cond)
	case *ast.SelectStep:
		p.word("select")
		p.record(s.Record)
	case *ast.FlatStep:
		p.word("flat")
		p.expr(s.Value)
		p.blank()
		p.word("as")
		p.as(s.Name)
	case *ast.AggregateStep:
		p.aggregate(s)
	case *ast.DedupStep:
		p.word("dedup")
		p.word("by")
		p.items(s.Keys)
		p.clause("within", s.Within)
	case *ast.LimitStep:
		p.word("limit")
		p.expr(s.Count)
		p.clause("every", s.Every)
		if s.Drop {
			p.blank()
			p.tok("drop")
		}
	case *ast.SampleStep:
		p.word("sample")
		p.expr(s.Rate)
	case *ast.TopStep:
		p.top(s)
	case *ast.BadStep:
		unprintable(s)
	default:
		bug.Panicf("format: %T", s)
	}
}

func (p *printer) callStep(s *ast.CallStep) {
	p.ref(s.Ref)
	if s.Call {
		p.args(s.Args)
	}
	if s.Times != nil {
		p.soft()
		p.tok("*")
		p.soft()
		p.expr(s.Times)
	}
}

func (p *printer) branch(b *ast.Branch) {
	if b.Optional {
		p.word("optional")
	}
	p.step(b.First)
	p.hops(b.Hops)
}

// routeCase prints a case and returns the line that it marks for alignment, or -1.
func (p *printer) routeCase(c *ast.Case) int {
	mark := -1
	if c.When == nil {
		p.tok("default")
	} else {
		p.word("when")
		p.expr(c.When)
	}
	if l := p.line(); utf8.RuneCount(l.text) <= widestCase {
		mark = p.point()
	}
	p.soft()
	p.tok("->")
	p.soft()
	p.step(c.First)
	p.hops(c.Hops)
	return mark
}

func (p *printer) aggregate(s *ast.AggregateStep) {
	if s.By != nil {
		p.by(s.By)
		p.blank()
	}
	p.window(s.Window)
	if s.LateDrop != nil {
		p.blank()
		p.policy(s.LateDrop)
	}
	p.soft()
	p.word("aggregate")
	p.record(s.Record)
}

func (p *printer) top(s *ast.TopStep) {
	p.tok("top")
	if s.Count != nil {
		p.blank()
		p.expr(s.Count)
	}
	p.clause("by", s.By)
	if s.Window != nil {
		p.blank()
		p.window(s.Window)
	}
}
