package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// pitems parses the lines of a pipeline with their braces.
func (p *parse) pitems() []ast.PItem {
	var out []ast.PItem
	if !p.is("{") {
		p.expected(p.peek(), []string{`"{"`}, "pipeline name { … }")
		if p.toBrace(); !p.is("{") {
			return nil
		}
	}
	p.braces(func() { out = append(out, p.pitem()) })
	return out
}

func (p *parse) pitem() ast.PItem {
	t, second := p.peek(), p.peekAt(1)
	if t.Type != tokIdent {
		return p.badItem()
	}
	if isArrow(second) || isToken(second, ".") {
		return p.flowItem()
	}
	switch t.Value {
	case "source", "channel", "sink":
		return p.nodeItem()
	case "bolt":
		return p.boltItem()
	case "join":
		return p.joinItem()
	}
	if second.Type == tokIdent && isToken(p.peekAt(2), "=") || isToken(second, "=") || isToken(second, "(") ||
		isDeclWord(t.Value) || t.Value == "optional" || t.Value == "when" || t.Value == "default" {
		return p.badItem()
	}
	return p.settingItem()
}

func isArrow(t *plex.Token) bool {
	return t.Type == tokOp && (t.Value == "->" || t.Value == "-[")
}

func (p *parse) nodeItem() ast.PItem {
	t := p.peek()
	start := t.Pos.Offset
	v, ok := run(p, p.m.nodeItem, t.Value+" name = connector(…)")
	n := &ast.NodeItem{
		Doc: p.doc(start), Kind: &ast.Keyword{Base: p.tokenBase(t), Word: t.Value}, Name: p.orName(v.Name),
		Value: p.orExpr(v.Value),
	}
	if v.Level != nil {
		n.Level = &ast.Keyword{Base: p.tokenBase(v.Level), Word: v.Level.Value}
	}
	if v.Errors != nil {
		n.Errors = p.policy(&v.Errors.Word, &v.Errors.Value)
	}
	n.Base = p.since(start)
	p.finish(ok, "the "+t.Value)
	return n
}

func (p *parse) boltItem() ast.PItem {
	start := p.start()
	v, ok := run(p, p.m.boltItem, "bolt name = step")
	b := &ast.BoltItem{Doc: p.doc(start), Name: p.orName(v.Name), Step: p.orStep(v.Step), Base: p.since(start)}
	p.finish(ok, "the bolt")
	return b
}

func (p *parse) joinItem() ast.PItem {
	start := p.start()
	v, ok := run(p, p.m.joinItem, "join name = left a with right b on a.key == b.key within 1m -> (…)")
	j := &ast.JoinItem{
		Doc: p.doc(start), Name: p.orName(v.Name), Left: p.orRef(v.Left), LeftName: p.orName(v.LeftName), Outer: v.Outer,
		Right: p.orRef(v.Right), RightName: p.orName(v.RightName), On: p.orExpr(v.On), Within: p.orExpr(v.Within),
		Lag: v.Lag, Result: p.orRecord(v.Result), LateDrop: p.lateDrop(v.Late),
	}
	j.LeftTime, _ = v.LeftTime.(*ast.Ref)
	j.RightTime, _ = v.RightTime.(*ast.Ref)
	j.Base = p.since(start)
	p.finish(ok, "the join")
	return j
}

func (p *parse) lateDrop(v *lateDrop) *ast.Policy {
	if v == nil {
		return nil
	}
	return p.policy(&v.Late, &v.Drop)
}

func (p *parse) settingItem() ast.PItem {
	start := p.start()
	v, ok := run(p, p.m.settingItem, "setting value")
	s := &ast.SettingItem{Name: p.orName(v.Name), Value: p.orExpr(v.Value), Base: p.since(start)}
	p.finish(ok, "the setting")
	return s
}

func (p *parse) flowItem() ast.PItem {
	start := p.start()
	v, ok := run(p, p.m.flowItem, "node -> step -> step")
	f := &ast.FlowItem{From: p.orRef(v.From), Hops: asHops(v.Hops)}
	if ok && len(f.Hops) == 0 {
		t := p.peek()
		d := p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column, "expected `->`, found %s", describe(t))
		if p.is("(") {
			d.note("A flow begins with a node: declare it, as in `source name = " + f.From.Span().Text() + "(…)`, and begin with its name.")
		}
		p.skipLine()
	}
	f.Base = p.since(start)
	p.finish(ok, "the flow")
	return f
}

func asHops(l hops) []*ast.Hop {
	list, _ := l.(hopList)
	return list
}

// badItem tells and skips a line that is none of a pipeline's.
func (p *parse) badItem() ast.PItem {
	t := p.peek()
	start := t.Pos.Offset
	if word := t.Value; word == "optional" || word == "when" || word == "default" {
		p.tell(diag.ExpectedItem, start, t.Pos.Column, "expected a line of a pipeline, found `%s`, which stands in branches", word).
			note("Branches are written `a -> { b, optional c }` or `a -> route { when condition -> b, default -> c }`.")
		p.skipLine()
		return &ast.BadItem{Base: p.since(start)}
	}
	d := p.tell(diag.ExpectedItem, start, t.Pos.Column,
		"expected a line of a pipeline (a source, channel, sink, bolt, join, flow or setting), found %s", describe(t))
	p.advise(d, t, adviceInPipeline, itemWords[:])
	p.skipPart()
	p.skipLine()
	return &ast.BadItem{Base: p.since(start)}
}

// hops parses the arrows behind a node or step, none where there are none.
func (p *parse) hops() []*ast.Hop {
	var out []*ast.Hop
	for isArrow(p.peek()) {
		if len(out) > 0 && endsFlow(out[len(out)-1].Step) {
			p.flowEnded(out[len(out)-1].Step)
		}
		h, ok := p.hop()
		out = append(out, h)
		if !ok {
			break
		}
	}
	return out
}

func endsFlow(s ast.Step) bool {
	switch s.(type) {
	case *ast.BranchStep, *ast.RouteStep:
		return true
	}
	return false
}

func (p *parse) flowEnded(s ast.Step) {
	t := p.peek()
	at := s.Span()
	p.tellAside(diag.FlowEnded, p.tokenBase(t).At, "a flow ends with its branches: nothing can follow them").
		related(at.Start, at.End, "the branches").
		note("Write the step in each branch, or let the branches lead to one node and go on from its name.")
}

func (p *parse) hop() (*ast.Hop, bool) {
	start := p.start()
	v, ok := run(p, p.m.hop, "-> step` or `-[by key]-> step")
	h := &ast.Hop{Step: p.orStep(v.Step)}
	if v.Open != nil {
		h.Grouping = p.grouping(v)
	}
	h.Base = p.since(start)
	return h, ok
}

func (p *parse) grouping(v *hop) *ast.Grouping {
	g := &ast.Grouping{Base: p.tokenBase(v.Open), Kind: v.Kind, Keys: asItems(v.Keys)}
	if v.Keys != nil {
		g.Kind = "by"
	}
	for _, k := range g.Keys {
		g.At = g.At.To(k.At)
	}
	if v.Close != nil {
		g.At = g.At.To(p.tokenBase(v.Close).At)
	}
	return g
}

// step parses what stands behind an arrow.
func (p *parse) step() ast.Step {
	t := p.peek()
	start := t.Pos.Offset
	switch {
	case p.is("{") && p.beginsCases():
		p.expected(t, []string{`"route"`}, "route { when condition -> step, default -> step }")
		return p.cases(start)
	case p.is("{"):
		return p.branches()
	case t.Type == tokBad || t.Type == tokBadLit:
		p.next()
		return &ast.BadStep{Base: p.since(start)}
	case t.Type == tokIdent && !p.beginsItem(t):
		return p.wordStep(t)
	}
	return p.missingStep(t)
}

func (p *parse) missingStep(t *plex.Token) ast.Step {
	d := p.expectHere(diag.ExpectedStep, "a step")
	if t.Type == tokKw && !isFirst(t) {
		p.advise(d, t, adviceInPipeline, nil)
	}
	return &ast.BadStep{Base: p.here()}
}

// beginsItem reports whether t, where a step should stand, begins the next line of the pipeline.
func (p *parse) beginsItem(t *plex.Token) bool {
	return isFirst(t) && (isDeclWord(t.Value) || t.Value == "join") && p.peekAt(1).Type == tokIdent
}

func (p *parse) wordStep(t *plex.Token) ast.Step {
	start := t.Pos.Offset
	if p.steps[t.Value] && p.endsRef(p.peekAt(1)) {
		return p.callStep(start) // a node of that name, which was told
	}
	switch t.Value {
	case "route":
		if isToken(p.peekAt(1), "{") {
			return p.route()
		}
	case "where":
		v, _ := run(p, p.m.whereStep, "where condition")
		return &ast.WhereStep{Cond: p.orExpr(v.Cond), Base: p.since(start)}
	case "select":
		v, _ := run(p, p.m.selectStep, "select (field, name: value)")
		return &ast.SelectStep{Record: p.orRecord(v.Record), Base: p.since(start)}
	case "flat":
		v, _ := run(p, p.m.flatStep, "flat list as name")
		return &ast.FlatStep{Value: p.orExpr(v.Value), Name: p.orName(v.Name), Base: p.since(start)}
	case "by", "window":
		return p.aggregate(start)
	case "aggregate":
		p.tell(diag.ExpectedStep, start, t.Pos.Column, "an `aggregate` wants a window before it").
			note("It is written `by key window tumbling 1m aggregate (n: count())`; the window of bounded input may be `window whole`.")
		p.next()
		return &ast.AggregateStep{
			Window: &ast.Window{Base: ast.Base{At: p.span(start, start)}}, Record: p.record(), Base: p.since(start),
		}
	case "dedup":
		v, _ := run(p, p.m.dedupStep, "dedup by key within 1h")
		return &ast.DedupStep{Keys: asItems(v.Keys), Within: p.orExpr(v.Within), Base: p.since(start)}
	case "limit":
		v, _ := run(p, p.m.limitStep, "limit 100 every 1s")
		return &ast.LimitStep{Count: p.orExpr(v.Count), Every: p.orExpr(v.Every), Drop: v.Drop, Base: p.since(start)}
	case "sample":
		v, _ := run(p, p.m.sampleStep, "sample 0.05")
		return &ast.SampleStep{Rate: p.orExpr(v.Rate), Base: p.since(start)}
	case "top":
		return p.top(start)
	}
	return p.callStep(start)
}

// endsRef reports whether t, behind a name, goes on as behind that of a node.
func (p *parse) endsRef(t *plex.Token) bool {
	switch t.Type {
	case tokNL, plex.EOF:
		return true
	case tokOp:
		return isArrow(t) || t.Value == "," || t.Value == "}" || t.Value == "*" || t.Value == "." || t.Value == "("
	}
	return false
}

func (p *parse) callStep(start int) ast.Step {
	v, _ := run(p, p.m.callStep, "node` or `bolt(parameter: value) * 2")
	return &ast.CallStep{
		Ref: p.orRef(v.Ref), Call: v.Call != nil, Args: asItems(v.Call), Times: v.Times, Base: p.since(start),
	}
}

func (p *parse) aggregate(start int) ast.Step {
	v, _ := run(p, p.m.aggregateStep, "by key window tumbling 1m aggregate (n: count())")
	a := &ast.AggregateStep{Record: p.orRecord(v.Record), LateDrop: p.lateDrop(v.Late)}
	if v.By != nil {
		a.By = &ast.By{Base: p.tokenBase(&v.By.Word), Keys: asItems(v.By.Keys)}
		for _, k := range a.By.Keys {
			a.By.At = a.By.At.To(k.At)
		}
	}
	if v.Window != nil {
		a.Window = p.buildWindow(v.Window)
	} else {
		a.Window = &ast.Window{Base: p.here()}
	}
	a.Base = p.since(start)
	return a
}

func (p *parse) top(start int) ast.Step {
	v, _ := run(p, p.m.topStep, "top 20 by value")
	s := &ast.TopStep{Count: v.Count, By: p.orExpr(v.By)}
	if v.Window != nil {
		s.Window = p.buildWindow(v.Window)
	}
	s.Base = p.since(start)
	return s
}

// extend returns the smallest place that covers at and n; n may be nil, also as a pointer.
func extend(at source.Span, n ast.Node) source.Span {
	switch x := n.(type) {
	case nil:
		return at
	case *ast.Ref:
		if x == nil {
			return at
		}
	}
	return at.To(n.Span())
}

// branches parses `{ a, optional b -> c }`.
func (p *parse) branches() ast.Step {
	start := p.start()
	b := &ast.BranchStep{}
	p.separated(func() {
		from := p.start()
		v, ok := run(p, p.m.branch, "{ step -> step, optional step }")
		one := &ast.Branch{Optional: v.Optional, First: p.orStep(v.First), Hops: asHops(v.Hops)}
		one.Base = p.around(from, one.First)
		b.Branches = append(b.Branches, one)
		p.endBranch(ok)
	})
	b.Base = p.since(start)
	if len(b.Branches) == 0 {
		p.tellAside(diag.ExpectedStep, b.At, "expected a step in these branches")
	}
	return b
}

// route parses `route { when c -> a, default -> b }`.
func (p *parse) route() ast.Step {
	start := p.start()
	p.next()
	return p.cases(start)
}

// beginsCases reports whether the brace at the cursor holds the cases of a route.
func (p *parse) beginsCases() bool {
	i := 1
	for p.peekAt(i).Type == tokNL {
		i++
	}
	f := p.peekAt(i + 1)
	return isToken(p.peekAt(i), "when") && (beginsValue(f) && !isToken(f, "(")) || isToken(p.peekAt(i), "default") && isArrow(f)
}

// cases parses the cases of a route that began at start.
func (p *parse) cases(start int) ast.Step {
	r := &ast.RouteStep{}
	broken := false
	p.separated(func() {
		from := p.start()
		if !p.is("when") && !p.is("default") {
			t := p.peek()
			d := p.tell(diag.ExpectedToken, from, t.Pos.Column, "expected `when` or `default`, found %s", describe(t))
			d.note("A case is written `when condition -> step` or `default -> step`.")
			p.suggest(d, t, []string{"when", "default"})
			broken = true
			p.skipPart()
			p.endBranch(false)
			return
		}
		conditional := p.is("when")
		v, ok := run(p, p.m.routeCase, "when condition -> step` or `default -> step")
		c := &ast.Case{When: v.When, First: p.orStep(v.First), Hops: asHops(v.Hops), Base: p.since(from)}
		if c.When == nil && conditional {
			c.When = &ast.BadExpr{Base: p.here()}
		}
		r.Cases = append(r.Cases, c)
		p.endBranch(ok)
	})
	r.Base = p.since(start)
	if len(r.Cases) == 0 && !broken {
		p.tellAside(diag.ExpectedStep, r.At, "expected a case in this `route`")
	}
	return r
}

// separated parses parts in braces, which commas or lines divide.
func (p *parse) separated(one func()) {
	assign := p.assign
	p.assign = false
	first := true
	p.braces(func() {
		if first && p.is(",") {
			t := p.peek()
			p.tell(diag.ExpectedStep, t.Pos.Offset, t.Pos.Column, "expected a step, found `,`").
				fix("Leave it out", t.Pos.Offset, t.Pos.Column, "")
		}
		if first = false; !p.accept(",") {
			one()
		}
	})
	p.assign = assign
}

// endBranch tells and skips what stands between a branch and the next.
func (p *parse) endBranch(ok bool) {
	if !p.is(",") && !p.atLineEnd() && !(p.told == p.cursor() && p.atFreshLine()) {
		if ok {
			t := p.peek()
			d := p.tell(diag.ExpectedEnd, t.Pos.Offset, t.Pos.Column, "expected a comma or the end of the line, found %s", describe(t))
			p.adviseEnd(d, t)
			if t.Value == "else" {
				d.note("The last case of a `route` is written `default -> step`.")
			}
		}
		for !p.is(",") && !p.atLineEnd() && !p.atFreshLine() {
			p.skipPart()
		}
	}
}

func (p *parse) orStep(s ast.Step) ast.Step {
	if s != nil {
		return s
	}
	return &ast.BadStep{Base: p.here()}
}
