package check

import (
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// checkFlow judges the graph as a whole: every node is used and reached, every output is taken.
func (g *graph) checkFlow(order []*vertex) {
	if g.hazy {
		return
	}
	if len(g.links) == 0 {
		g.noFlow()
		return
	}
	for _, id := range g.grouped {
		if v := g.named[id.Name]; v != nil {
			v.supposed = true
		}
	}
	for _, v := range g.vertices {
		if v.broken || v.supposed {
			continue
		}
		switch {
		case !v.mentioned && !v.isDead:
			g.unused(v)
			v.supposed = true // and no more of it
		case len(v.in) == 0 && v.Kind != SourceNode && !v.isDead:
			g.unreached(v)
			v.supposed = true
		}
	}
	for _, v := range order {
		if !v.broken && !v.supposed && v.Kind != RouteNode {
			g.untaken(v)
		}
	}
}

func (g *graph) noFlow() {
	for _, item := range g.decl.Items {
		switch item.(type) {
		case *ast.FlowItem, *ast.JoinItem:
			return
		}
	}
	r := g.errorf(diag.NoFlow, g.decl.Name.Span(), "the pipeline `%s` has no flow", g.p.Name).label("nothing moves here")
	var from, to string
	for _, v := range g.vertices {
		switch {
		case v.Kind == SourceNode && from == "":
			from = v.Name
		case v.Kind == SinkNode && to == "":
			to = v.Name
		}
	}
	if from != "" && to != "" {
		r.note("Say where the rows go: `%s -> %s`.", from, to)
	} else {
		r.note("Say where rows come from and go to: `source -> bolt -> sink`.")
	}
}

func (g *graph) unused(v *vertex) {
	r := g.errorf(diag.UnusedNode, v.At, "the %s `%s` is never used", kindWord(v), v.Name).label("no flow names it")
	switch v.Kind {
	case SourceNode:
		r.note("Begin a flow with it, `%s -> …`, or take it out.", v.Name)
	case SinkNode:
		r.note("End a flow with it, `… -> %s`, or take it out.", v.Name)
	default:
		r.note("Put it into a flow, `… -> %s -> …`, or take it out.", v.Name)
	}
}

func kindWord(v *vertex) string {
	switch v.Kind {
	case SourceNode:
		return "source"
	case ChannelNode:
		return "channel"
	case SinkNode:
		return "sink"
	}
	return "bolt"
}

func (g *graph) unreached(v *vertex) {
	g.errorf(diag.UnreachedNode, v.At, "nothing flows into `%s`", v.said()).
		label("no arrow leads here").
		note("Lead a flow to it: `… -> %s`.", v.Name)
}

// impossible reports whether an output is one that a clause asks for and the window cannot give, which was told.
func (b *Bolt) impossible(out string) bool {
	w := b.Decl.Window
	return w != nil && (out == "errors" || out == "late" && w.On == nil)
}

// untaken tells the outputs of v that no arrow takes.
func (g *graph) untaken(v *vertex) {
	taken := make([]bool, len(v.Outs))
	for _, l := range v.out {
		if l.out >= 0 && l.out < len(taken) {
			taken[l.out] = true
		}
	}
	for i, o := range v.Outs {
		if taken[i] || v.Bolt != nil && v.Bolt.impossible(o.Name) {
			continue
		}
		if o.Name == "" {
			r := g.errorf(diag.UntakenOutput, v.At, "nothing takes what `%s` gives", v.said()).label("the flow ends here, but rows come out")
			if v.Kind == BoltNode {
				r.related(o.At, "its output is declared here")
			}
			on := v.Name + " -> …"
			if !v.Named {
				on = "-> …" // behind the step, where it stands
			}
			r.note("Lead them on, `%s`; `-> null.discard()` throws them away on purpose.", on)
			continue
		}
		name := v.Name + "." + o.Name
		r := g.errorf(diag.UntakenOutput, v.At, "nothing takes `%s`", name).label("gives rows that go nowhere")
		r.related(o.At, "declared here")
		if call, ok := v.step.(*ast.CallStep); ok && !v.Named {
			r.note("An output is taken by the name of its node; give this one a name: `bolt x = %s`, and then `x.%s -> …`.", call.Span().Text(), o.Name)
			continue
		}
		r.note("Lead them on, `%s -> …`; `%s -> null.discard()` throws them away on purpose.", name, name)
		if o.Name == "errors" || o.Name == "late" {
			r.note("Or say `%s drop`, and they are counted and dropped.", o.Name)
		}
	}
}

// checkGroupings checks what stands in the arrows that lead to v.
func (g *graph) checkGroupings(v *vertex) {
	for _, l := range v.in {
		if l.grouping == nil {
			continue
		}
		if l.grouping.Kind == "by" {
			out := l.outType()
			if out == nil || out.Type == nil {
				g.markUsed(l.grouping)
				continue
			}
			sc := g.edgeScope(out.Type)
			l.keys = g.keys(sc, l.grouping.Keys)
			g.endBody(sc)
		}
		if len(v.Keys) == 0 || v.broken || badTypes(v.Keys) || l.grouping.Kind == "by" && (badKeys(l) || sameKeys(l.keys, v.Keys)) {
			continue
		}
		at := l.grouping.Span()
		r := g.errorf(diag.OtherGrouping, at, "`%s` keeps its rows `by %s`, and this arrow spreads them otherwise", v.said(), keyNames(v.Keys)).
			label("breaks `by %s`", keyNames(v.Keys))
		if v.Bolt != nil && v.Bolt.Decl.By != nil {
			r.related(v.Bolt.Decl.By.Span(), "the key is declared here")
		}
		r.note("A plain `->` brings each row to the task of its key.").fix("write `->`", replace(arrowAround(at), "->"))
	}
}

// badKeys reports whether something was told of a key of an arrow.
func badKeys(l *link) bool {
	return len(l.keys) < len(l.grouping.Keys) || badTypes(l.keys)
}

func badTypes(keys []Key) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return k.Type == nil || types.IsInvalid(k.Type) })
}

func sameKeys(a, b []Key) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Value == nil || b[i].Value == nil || a[i].Value.Span().Text() != b[i].Value.Span().Text() {
			return false
		}
	}
	return true
}

func keyNames(keys []Key) string {
	text := ""
	for i, k := range keys {
		if i > 0 {
			text += ", "
		}
		text += k.Name
	}
	return text
}

// keysShared tells keys of arrows that read a field which other arrows into the same node do not bring: all rows in
// front of a node have one layout.
func (g *graph) keysShared(v *vertex) {
	if len(v.in) < 2 {
		return
	}
	seen := map[string]bool{}
	for _, l := range v.in {
		for _, k := range l.keys {
			if k.Value == nil {
				continue
			}
			ast.Walk(k.Value, func(n ast.Node) bool {
				if name, ok := n.(*ast.NameExpr); ok && !seen[name.Name.Name] {
					if obj := g.info.Objects[name.Name]; obj != nil && obj.Kind == ObjField {
						seen[name.Name.Name] = true
						g.fieldShared(v, l, name)
					}
				}
				return true
			})
		}
	}
}

func (g *graph) fieldShared(v *vertex, l *link, name *ast.NameExpr) {
	field := name.Name.Name
	own := l.outType().Type
	for _, other := range v.in {
		out := other.outType()
		if other == l || out == nil || out.Type == nil || out.Type == own {
			continue
		}
		if i, k := out.Type.Index(field), own.Index(field); i < 0 || k < 0 || !types.Equal(out.Type.Fields[i].Type, own.Fields[k].Type) {
			g.errorf(diag.KeyNotShared, name.Span(), "not all rows that reach `%s` have the field `%s`", v.said(), field).
				label("not shared").
				related(other.at, "`%s` gives `%s`", other.from.said(), out.Type.Shape()).
				note("Give the others the field with a `select`, or lead them to a node of their own.")
			return
		}
	}
}

// arrowAround widens the span of what stands in an arrow's brackets to the arrow.
func arrowAround(at source.Span) source.Span {
	text := at.File.Text()
	if !strings.HasPrefix(at.Text(), "-[") {
		at.Start = max(strings.LastIndex(text[:at.Start], "-["), 0)
	}
	if !strings.HasSuffix(at.Text(), "]->") {
		if i := strings.Index(text[at.End:], "->"); i >= 0 {
			at.End += i + len("->")
		}
	}
	return at
}
