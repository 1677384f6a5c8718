package check

import (
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// The level of a row is fixed at its source: the pipeline's, or the source's own if that is weaker. It holds at a node
// if one required path brings the row there, a path without `optional`. A node's level is that of the strongest rows
// that reach it. What keeps a pipeline from at_least_once is a hurdle: a source that can neither be read again nor
// withhold its answer, an `emit unanchored`, a channel that loses rows. A stated level is proven or refused, so each
// hurdle is an error; an unstated one becomes at_most_once if there is a hurdle, and the first one is the reason that
// the note gives.

// hurdle is a reason why the rows of a path are not delivered at least once.
type hurdle struct {
	at   source.Span
	why  string  // "its source `x` cannot be read again"
	tell func()  // reports it as an error
	of   *vertex // where it is
}

// checkLevels finds the level of each node and checks the rules of reliability.
func (g *graph) checkLevels(order []*vertex) {
	stated := g.p.Stated
	for _, v := range order {
		stated = stated || v.Kind == SourceNode && v.Own == AtLeastOnce && !g.p.Stated
	}
	if !g.p.Stated || g.laterLevel {
		g.p.Level = AtLeastOnce
	}
	g.spreadLevels(order)
	g.checkOptional(order)
	if g.laterLevel {
		return
	}
	g.checkOwnLevels(order)
	hurdles := g.hurdles(order)
	switch {
	case stated && g.p.Level >= AtLeastOnce:
		for _, h := range hurdles {
			h.tell()
		}
	case !stated:
		if len(hurdles) > 0 {
			g.p.Level = AtMostOnce
			g.spreadLevels(order)
		}
		g.tellLevel(order, hurdles)
	}
	g.checkIdle()
	g.checkOrdered(order)
}

// spreadLevels sets the level of each node, and which nodes only optional rows reach.
func (g *graph) spreadLevels(order []*vertex) {
	for _, v := range order {
		v.Level, v.Optional, v.weak = AtMostOnce, false, nil
		if v.Kind == SourceNode {
			v.Level = g.p.Level
			if v.Own != 0 && v.Own < v.Level {
				v.Level, v.weak = v.Own, v
			}
			continue
		}
		v.Optional = len(v.in) > 0
		for _, l := range v.in {
			if l.optional || l.from.Optional {
				continue
			}
			v.Optional = false
			v.Level = max(v.Level, l.from.Level)
			if v.weak == nil {
				v.weak = l.from.weak
			}
		}
	}
	if dead := g.deadVertex(); dead != nil {
		dead.Level, dead.Optional = max(dead.Level, g.p.Level), false
	}
}

func (g *graph) deadVertex() *vertex {
	for _, v := range g.vertices {
		if v.isDead {
			return v
		}
	}
	return nil
}

// checkOptional tells where an optional branch meets a required path again.
func (g *graph) checkOptional(order []*vertex) {
	for _, v := range order {
		var optional, required *link
		for _, l := range v.in {
			if l.optional || l.from.Optional {
				optional = first(optional, l)
			} else {
				required = first(required, l)
			}
		}
		if optional == nil || required == nil && !v.isDead {
			continue
		}
		r := g.errorf(diag.OptionalRejoins, optional.at, "an `optional` branch leads back to a required path at `%s`", v.said()).
			label("optional rows arrive here")
		if required != nil {
			r.related(required.at, "required rows arrive here")
		}
		r.note("What an optional branch cannot keep up with is dropped, so it may not mix with rows that count. Give it a node of its own, or leave `optional` out.")
	}
}

func first(a, b *link) *link {
	if a != nil {
		return a
	}
	return b
}

// checkOwnLevels tells a source that promises more than its pipeline, and says at each sink which rows are weaker.
func (g *graph) checkOwnLevels(order []*vertex) {
	for _, v := range order {
		switch {
		case v.Kind == SourceNode && g.p.Stated && v.Own > g.p.Level:
			g.errorf(diag.StrongerSource, v.item.Level.Span(), "the source `%s` says `%s`, and its pipeline keeps `%s`", v.Name, v.Own, g.p.Level).
				label("stronger than the pipeline").
				related(g.settingAt("reliability"), "the pipeline's level").
				note("A source's own level may only be weaker. Raise the pipeline's, or leave this one out.")
		case v.Kind == SinkNode && v.weak != nil && v.Level > AtMostOnce:
			g.notef(diag.WeakRows, v.At, "rows from `%s` reach `%s` at most once", v.weak.Name, v.said()).
				label("at most once, for these rows").
				related(v.weak.item.Level.Span(), "`%s` says so", v.weak.Name)
		case v.Kind == SinkNode && v.weak != nil && g.p.Level > AtMostOnce:
			g.notef(diag.WeakRows, v.At, "the rows of `%s` arrive at most once", v.said()).
				label("at most once").
				related(v.weak.item.Level.Span(), "`%s` says so", v.weak.Name)
		}
	}
}

// hurdles returns what stands against at_least_once, in order of the text.
func (g *graph) hurdles(order []*vertex) []hurdle {
	var list []hurdle
	for _, v := range order {
		if v.broken || v.Level < AtLeastOnce {
			continue
		}
		switch v.Kind {
		case SourceNode:
			if !v.has("replayable") && !v.has("ackable") {
				list = append(list, g.lossySource(v))
			}
		case BoltNode:
			if v.Bolt.Unanchored {
				list = append(list, g.unanchored(v)...)
			}
		case ChannelNode:
			list = append(list, g.lossyChannel(v)...)
		}
	}
	return list
}

func (g *graph) lossySource(v *vertex) hurdle {
	condition := ""
	for _, t := range v.Sig.Traits {
		if t.Name == "replayable" && t.When != "" {
			condition = t.When
		}
	}
	return hurdle{at: v.At, of: v, why: "its source `" + v.Name + "` cannot be read again", tell: func() {
		call := v.item.Value.Span()
		r := g.errorf(diag.LossySource, call, "`%s` cannot be read again, so a row of `%s` that fails is lost", v.Sig.FullName(), v.Name).
			label("neither replayable nor answered")
		if at := g.settingAt("reliability"); at.IsValid() {
			r.related(at, "`%s` is promised here", g.p.Level)
		} else if v.item.Level != nil {
			r.related(v.item.Level.Span(), "`%s` is promised here", v.Own)
		}
		if condition != "" {
			r.note("With `%s` it makes the same rows again: `%s(%s: 1)`.", condition, v.Sig.FullName(), condition)
		}
		if v.item.Level == nil {
			r.fix("let its rows arrive at most once", behind(call, " at_most_once"))
		} else {
			r.fix("let its rows arrive at most once", replace(v.item.Level.Span(), "at_most_once"))
		}
		r.note("Say `at_most_once` behind it, or read from a source that can be read again, such as `file.lines`.")
	}}
}

// unanchored returns the `emit unanchored` statements of a bolt whose rows a required path takes.
func (g *graph) unanchored(v *vertex) []hurdle {
	taken := map[string]bool{}
	for _, l := range v.out {
		if l.out >= 0 && !l.optional && !l.from.Optional {
			taken[v.Outs[l.out].Name] = true
		}
	}
	if v.Bolt.Decl.Body == nil {
		return nil
	}
	var list []hurdle
	ast.Walk(v.Bolt.Decl.Body, func(n ast.Node) bool {
		e, ok := n.(*ast.EmitStmt)
		if !ok || !e.Unanchored {
			return true
		}
		output := ""
		if e.To != nil {
			output = e.To.Name
		}
		if !taken[output] {
			return true
		}
		at := emitHead(e)
		list = append(list, hurdle{at: at, of: v, why: "the bolt `" + v.Bolt.Decl.Name.Name + "` emits unanchored", tell: func() {
			g.errorf(diag.UnanchoredEmit, at, "`emit unanchored` on a path that keeps `%s`", v.Level).
				label("a failure behind it is not repaired").
				related(v.At, "`%s` stands on such a path", v.said()).
				note("Leave `unanchored` out, or lead its output into an `optional` branch.").
				fix("anchor it", replace(at, "emit"))
		}})
		return true
	})
	return list
}

// emitHead returns the words `emit unanchored`.
func emitHead(e *ast.EmitStmt) source.Span {
	at := e.Span()
	if i := strings.Index(at.Text(), "unanchored"); i >= 0 {
		at.End = at.Start + i + len("unanchored")
	}
	return at
}

// lossyChannel returns the arguments of a memory channel that lose rows.
func (g *graph) lossyChannel(v *vertex) []hurdle {
	var list []hurdle
	for _, name := range []string{"ack", "full"} {
		g.fixedArg(v.arg(name))
	}
	if a := v.arg("ack"); a != nil && a.Value != nil && g.constText(a.Value) == "committed" {
		capacity := "as many as its `capacity`"
		list = append(list, hurdle{at: a.Value.Span(), of: v, why: "the channel `" + v.Name + "` confirms rows that are in memory only", tell: func() {
			g.errorf(diag.VolatileChannel, a.Value.Span(), "the channel `%s` confirms rows while they are in memory only, and a crash loses them", v.Name).
				label("up to %s", capacity).
				note("With `ack: \"processed\"` a row is confirmed when what is behind the channel is done with it. Or lower the level: `reliability at_most_once`.").
				fix("confirm rows when they are processed", replace(a.Value.Span(), `"processed"`))
		}})
	}
	if a := v.arg("full"); a != nil && a.Value != nil && strings.HasPrefix(g.constText(a.Value), "drop_") {
		list = append(list, hurdle{at: a.Value.Span(), of: v, why: "the channel `" + v.Name + "` drops rows when it is full", tell: func() {
			g.errorf(diag.DroppingChannel, a.Value.Span(), "the channel `%s` drops rows when it is full, on a path that keeps `%s`", v.Name, v.Level).
				label("loses rows").
				note("With `full: \"block\"` a full channel holds its source back. Dropping is for paths at most once: lower the level, or make the branch `optional`.").
				fix("hold back instead", replace(a.Value.Span(), `"block"`))
		}})
	}
	return list
}

// fixedArg tells an argument that the rules hang on and the command line can change.
func (g *graph) fixedArg(a *Arg) {
	if a == nil || a.Value == nil || types.IsInvalid(g.exprType(a.Value)) {
		return
	}
	if _, known := g.info.Consts[a.Value]; !known {
		g.errorf(diag.NotConstant, a.Value.Span(), "`%s` hangs on a parameter of the command line, and the level of the rows hangs on it", a.Name).
			label("not fixed").
			note("Write the value here, or name a `let`.")
	}
}

// constText returns the text of a constant, or "" if it is none that is known.
func (g *graph) constText(e ast.Expr) string { return g.info.Consts[e].Str() }

// tellLevel says which level a pipeline gets that states none, and why.
func (g *graph) tellLevel(order []*vertex, hurdles []hurdle) {
	if g.hazy || len(g.links) == 0 {
		return
	}
	for _, v := range g.vertices {
		if v.broken {
			return
		}
	}
	if len(order) < len(g.vertices) {
		return
	}
	r := g.notef(diag.UnstatedLevel, g.decl.Name.Span(), "the pipeline `%s` does not state its reliability, and gets `%s`", g.p.Name, g.p.Level).
		label("`%s`", g.p.Level)
	if len(hurdles) > 0 {
		r.note("It cannot keep more, because %s.", hurdles[0].why).related(hurdles[0].at, "because of this")
	} else {
		r.note("Every part can keep it; `exactly_once` has to be asked for.")
	}
	if at, ok := g.bodyStart(); ok {
		r.fix("state it", diag.Edit{Span: at, Text: "\n    reliability " + g.p.Level.String()})
	}
}

// bodyStart returns the place behind the brace that opens the pipeline, if the line ends there.
func (g *graph) bodyStart() (source.Span, bool) {
	at := g.decl.Name.Span()
	text := at.File.Text()
	i := strings.IndexByte(text[at.End:], '{')
	if i < 0 {
		return at, false
	}
	at.Start, at.End = at.End+i+1, at.End+i+1
	rest := text[at.Start:]
	return at, strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n")
}

// checkIdle warns of settings that do nothing where no row is tracked.
func (g *graph) checkIdle() {
	if g.p.Level > AtMostOnce {
		return
	}
	for _, name := range []string{"timeout", "pending", "uncommitted", "retries"} {
		if at := g.settingAt(name); at.IsValid() {
			g.warnf(diag.IdleSetting, at, "`%s` does nothing at `at_most_once`", name).
				label("no effect").
				note("Rows are tracked and sent again from `at_least_once` on.")
		}
	}
}
