package check

import (
	"fmt"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// tail is the end of a flow as far as it was read: an output that the next arrow leaves from.
type tail struct {
	v        *vertex
	output   *ast.Ident // nil: the main one
	caseNo   int        // of a route, else -1
	anchor   string     // the nearest named node upstream, which unnamed ones are called after
	optional bool       // the next arrow enters an optional branch
}

// arrow leads to a step.
type arrow struct {
	grouping *ast.Grouping
	step     ast.Step
}

func arrows(first *arrow, hops []*ast.Hop) []arrow {
	list := make([]arrow, 0, len(hops)+1)
	if first != nil {
		list = append(list, *first)
	}
	for _, h := range hops {
		list = append(list, arrow{h.Grouping, h.Step})
	}
	return list
}

// flow adds the links of one flow.
func (g *graph) flow(f *ast.FlowItem) {
	v, output := g.origin(f.From)
	g.chain(tail{v: v, output: output, caseNo: -1, anchor: v.Name}, arrows(nil, f.Hops))
}

// chain adds the links of a chain of steps behind t.
func (g *graph) chain(t tail, steps []arrow) {
	for _, a := range steps {
		switch s := a.step.(type) {
		case *ast.BranchStep:
			for _, b := range s.Branches {
				branch := t
				branch.optional = t.optional || b.Optional
				g.chain(branch, arrows(&arrow{a.grouping, b.First}, b.Hops))
			}
			return // the parser has told what stands behind
		case *ast.RouteStep:
			route := g.unnamed(t.anchor, "route", s)
			route.Kind = RouteNode
			g.join(t, a, route)
			for i, c := range s.Cases {
				g.chain(tail{v: route, caseNo: i, anchor: t.anchor}, arrows(&arrow{nil, c.First}, c.Hops))
			}
			return
		}
		v := g.target(a.step, t.anchor)
		g.join(t, a, v)
		t = tail{v: v, caseNo: -1, anchor: t.anchor}
		if v.Named {
			t.anchor = v.Name
		}
	}
}

func (g *graph) join(t tail, a arrow, to *vertex) {
	to.mentioned = true
	g.connect(&link{
		from: t.v, output: t.output, caseNo: t.caseNo, to: to, grouping: a.grouping, optional: t.optional, at: stepHead(a.step),
	})
}

// unnamed makes a vertex for a step without a name. Its name says its place: the nearest named node upstream, the kind,
// and a number among those of the kind there, so that an edit elsewhere leaves it alone.
func (g *graph) unnamed(anchor, kind string, step ast.Step) *vertex {
	place := anchor + "." + kind
	name := ""
	for name == "" || g.unnamedTaken[name] { // a bolt `where1` and the 11th `where` meet
		g.ordinals[place]++
		name = fmt.Sprintf("%s%d", place, g.ordinals[place])
	}
	g.unnamedTaken[name] = true
	v := g.newVertex(0, name, step, stepHead(step))
	v.step, v.mentioned = step, true
	return v
}

// lost makes a vertex in the place of something that was told.
func (g *graph) lost(at source.Span) *vertex {
	v := g.newVertex(0, at.Text(), nil, at)
	v.broken, v.mentioned = true, true
	return v
}

// origin returns the vertex and the output that a flow starts from.
func (g *graph) origin(ref *ast.Ref) (*vertex, *ast.Ident) {
	v, rest := g.node(ref)
	if v == nil {
		v, rest = g.unknownNode(ref, true), nil
	}
	v.mentioned = true
	if len(rest) == 0 {
		return v, nil
	}
	if len(rest) > 1 && !v.broken {
		g.errorf(diag.UnknownOutput, rest[1].Span(), "`%s.%s` is an output and has no parts", v.Name, rest[0].Name).label("no such output")
		return g.lost(ref.Span()), nil
	}
	return v, rest[0]
}

// node returns the node that the front of a dotted name means, with the words behind it, or nil if there is none.
// Mentioning a bolt makes it a node.
func (g *graph) node(ref *ast.Ref) (*vertex, []*ast.Ident) {
	first, rest := ref.Parts[0], ref.Parts[1:]
	if first.Name == "" {
		return nil, nil
	}
	if v := g.named[first.Name]; v != nil {
		if v.ident != nil {
			g.info.Objects[first] = g.info.Objects[v.ident]
		}
		return v, rest
	}
	obj := g.lookupFront(ref)
	if obj == nil {
		return nil, nil
	}
	if obj.Kind == ObjModule {
		if obj.module == nil || obj.module.file == nil || len(rest) == 0 {
			return nil, nil
		}
		if v := g.named[first.Name+"."+rest[0].Name]; v != nil {
			return v, rest[1:]
		}
		at := first.Span().To(rest[0].Span())
		if obj = g.lookupIn(obj, rest[0]); obj == nil {
			return g.lost(at), nil
		}
		return g.boltNode(first.Name+"."+rest[0].Name, obj, at), rest[1:]
	}
	return g.boltNode(first.Name, obj, first.Span()), rest
}

// boltNode makes the node of a bolt that is mentioned by its name.
func (g *graph) boltNode(name string, obj *Object, at source.Span) *vertex {
	v := g.newVertex(BoltNode, name, obj.Decl, at)
	v.Named = true
	g.named[name] = v
	g.instance(v, obj, nil)
	return v
}

// instance makes v an instance of a bolt with arguments.
func (g *graph) instance(v *vertex, obj *Object, call *ast.CallStep) {
	v.Kind = BoltNode
	v.Bolt = g.boltOf(obj)
	if v.Bolt == nil || v.Bolt.In == nil {
		v.broken = true
	}
	decl, ok := obj.Decl.(*ast.BoltDecl)
	if !ok || v.Bolt == nil || v.Bolt.lostOuts && v.Bolt.In == nil {
		return // its head is a guess
	}
	params := make([]param, 0, len(v.Bolt.With))
	for i, w := range v.Bolt.With {
		p := param{name: w.Name, t: w.Type, at: w.At}
		if i < len(decl.Params) {
			p.required = decl.Params[i].Default == nil
		}
		params = append(params, p)
	}
	at, items := v.At, []*ast.Item(nil)
	if call != nil {
		at, items = call.Ref.Span(), call.Args
	}
	args, ok := g.matchArgs(at, "`"+obj.Name+"`", items, params)
	if !ok {
		v.broken = true
	}
	for i, p := range params {
		a := Arg{Name: p.name}
		if i < len(args) && args[i] != nil {
			a.Value = args[i]
			g.constArg(a.Value, expect{t: p.t, of: "the parameter `" + p.name + "` of `" + obj.Name + "`", at: p.at})
		}
		v.Args = append(v.Args, a)
	}
}

// target returns the vertex of what stands behind an arrow. It is a broken one where that was told.
func (g *graph) target(step ast.Step, anchor string) *vertex {
	call, ok := step.(*ast.CallStep)
	if !ok {
		v := g.unnamed(anchor, stepWord(step), step)
		g.fillStep(v, step)
		return v
	}
	v := g.callTarget(call, anchor)
	g.times(v, call.Times)
	return v
}

func (g *graph) callTarget(call *ast.CallStep, anchor string) *vertex {
	if g.library(call.Ref, call.Call) {
		v := g.unnamed(anchor, refText(call.Ref), call)
		g.connectorStep(v, call)
		return v
	}
	if call.Call {
		return g.callInstance(call, anchor)
	}
	v, rest := g.node(call.Ref)
	switch {
	case v == nil:
		return g.unknownNode(call.Ref, false)
	case len(rest) > 0 && !v.broken:
		g.errorf(diag.OutputAsTarget, rest[0].Span(), "`%s` names an output, and rows flow into nodes", refText(call.Ref)).
			label("an output").
			note("Write `-> %s` for the node, or begin a flow with its output: `%s -> …`.", v.Name, refText(call.Ref))
		return g.lost(call.Ref.Span())
	case v.Kind == SourceNode && !v.broken:
		g.errorf(diag.SourceAsTarget, call.Ref.Span(), "rows cannot flow into `%s`, which is a source", v.Name).
			label("a source").
			related(v.At, "`%s` is declared here", v.Name)
		v.mentioned, v.supposed = true, true
		return g.lost(call.Ref.Span())
	}
	return v
}

// callInstance returns the vertex of an unnamed instance of a bolt, `price(minimum: 5.0)`.
func (g *graph) callInstance(call *ast.CallStep, anchor string) *vertex {
	first := call.Ref.Parts[0]
	if v := g.named[first.Name]; v != nil && v.ident != nil && g.lookupNode(first) == nil {
		if !v.broken {
			args := source.Span{File: call.At.File, Start: call.Ref.Span().End, End: call.At.End}
			if call.Times != nil || len(call.Args) > 0 {
				args = source.Span{}
			}
			r := g.errorf(diag.CallOfNode, call.Ref.Span(), "`%s` is %s and takes no arguments here", first.Name, v.describe()).
				label("not a bolt").
				related(v.At, "`%s` is declared here", first.Name)
			if args.IsValid() {
				r.fix("leave the parentheses off", replace(args, ""))
			}
		}
		return v
	}
	obj, name := g.boltObject(call.Ref)
	if obj == nil {
		if g.notHere(call) {
			return g.lost(call.Ref.Span())
		}
		return g.unknownNode(call.Ref, false)
	}
	v := g.unnamed(anchor, name, call)
	g.instance(v, obj, call)
	return v
}

// notHere tells a channel or a sink group behind an arrow; both have a name.
func (g *graph) notHere(call *ast.CallStep) bool {
	name := call.Ref.Parts[0].Name
	kind := ""
	switch {
	case len(call.Ref.Parts) > 1:
		return false
	case name == "failover" || name == "balance":
		kind = "sink"
	case name == "file" || name == "spill" || g.cat.Modules[""].Channels[name] != nil:
		kind = "channel"
	default:
		return false
	}
	g.markUsed(call)
	g.hazy = true
	g.errorf(diag.NeedsName, call.Ref.Span(), "`%s(…)` makes a %s, which wants a name", name, kind).
		label("has no name").
		note("Write `%s x = %s(…)` on a line of its own, and `x` here.", kind, name)
	return true
}

// boltObject returns the bolt declaration that a name means, or nil.
func (g *graph) boltObject(ref *ast.Ref) (*Object, string) {
	obj := g.lookupFront(ref)
	if obj == nil || obj.Kind != ObjModule {
		return obj, ref.Parts[0].Name
	}
	if len(ref.Parts) < 2 || obj.module == nil || obj.module.file == nil {
		return nil, ""
	}
	return g.lookupIn(obj, ref.Parts[1]), refText(ref)
}

// unknownNode tells that a name in a flow is no node; first says that the flow starts with it.
func (g *graph) unknownNode(ref *ast.Ref, origin bool) *vertex {
	first := ref.Parts[0]
	lost := g.lost(ref.Span())
	if first.Name == "" {
		g.hazy = true
		return lost
	}
	if obj := g.lookupFront(ref); obj != nil && obj.Kind == ObjModule {
		if obj.module == nil || obj.module.file != nil && len(ref.Parts) > 1 {
			return lost // told: by lookupIn, or that the file could not be read
		}
		g.hazy = true
		g.moduleAsNode(ref, obj, origin)
		return lost
	}
	if g.doubtful[first.Name] || g.spoils.meant(first.Name) {
		return lost
	}
	if told := g.unknown[first.Name]; told != nil {
		if len(told.Related) < mostAgain {
			told.related(first.Span(), "and here")
		}
		if len(told.Fixes) > 0 {
			fix := &told.Fixes[0]
			fix.Edits = append(fix.Edits, replace(first.Span(), fix.Edits[0].Text))
		}
		return lost
	}
	r := g.errorf(diag.UnknownNode, first.Span(), "there is no node or bolt `%s`", first.Name).label("not declared")
	g.unknown[first.Name] = r
	if len(g.unknown) > mostSuggestions {
		g.hazy = true
		return lost
	}
	candidates := g.nodeNames()
	r.suggest(first.Span(), first.Name, candidates, "There are")
	g.supposed(first.Name, candidates)
	return lost
}

// mostSuggestions is how many unknown names of a pipeline are compared with all known ones: a text with thousands of
// them has another fault, and should not take long.
const mostSuggestions = 50

// moduleAsNode tells that a module, or a member of one, stands where a node is wanted.
func (g *graph) moduleAsNode(ref *ast.Ref, obj *Object, origin bool) {
	what := fmt.Sprintf("`%s` is a module, and no node", obj.Name)
	if len(ref.Parts) > 1 {
		what = fmt.Sprintf("`%s` is no node: `%s` is a module", refText(ref), obj.Name)
	}
	r := g.errorf(diag.ModuleAsNode, ref.Span(), "%s", what).label("not a node")
	lib := obj.module.lib
	switch {
	case lib == nil:
		r.note("Name a bolt of it: `%s.bolt`.", obj.Name)
	case origin && len(lib.Sources) > 0:
		r.note("A source has a name: `source x = %s.%s(…)`, and then `x -> …`.", obj.Name, sortedNames(lib.Sources)[0])
	case len(lib.Sinks) > 0:
		r.note("Its sinks are %s.", quoteAll(withPrefix(obj.Name+".", sortedNames(lib.Sinks))))
	}
}

func withPrefix(prefix string, names []string) []string {
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names
}

// supposed takes the node that was most likely meant for used, so that a misspelt name is told once. Where none is
// near, nothing is called unused.
func (g *graph) supposed(name string, candidates []string) {
	near, ok := diag.Nearest(name, candidates)
	switch {
	case !ok:
		g.hazy = true
		g.haze(boltNames)
	case g.named[near] != nil:
		g.named[near].supposed = true
	case g.unit.bolts[near] != nil:
		g.unit.bolts[near].Used = true
	}
}

// nodeNames returns the names that a flow may mention.
func (g *graph) nodeNames() []string {
	var names []string
	for _, v := range g.vertices {
		if v.Named && v.ident != nil && v.Name != "" {
			names = append(names, v.Name)
		}
	}
	return append(names, sortedNames(g.unit.bolts)...)
}

// fillStep makes v the node of an inline step or of a named instance.
func (g *graph) fillStep(v *vertex, step ast.Step) {
	v.step = step
	switch s := step.(type) {
	case *ast.CallStep:
		g.namedInstance(v, s)
	case *ast.WhereStep:
		v.Kind = WhereNode
	case *ast.SelectStep:
		v.Kind = SelectNode
	case *ast.FlatStep:
		v.Kind = FlatNode
	case *ast.TopStep:
		v.Kind = TopNode
		if s.Window != nil {
			g.window(s.Window) // here, since its input may never be known
		}
	case *ast.AggregateStep:
		v.Kind = AggregateNode
		if s.Window != nil {
			g.window(s.Window)
			g.needsEventTime(s.LateDrop, s.Window)
		}
	case *ast.DedupStep:
		v.Kind = DedupNode
		g.laterStep(v, "`dedup`")
	case *ast.LimitStep:
		v.Kind = LimitNode
		g.laterStep(v, "`limit`")
	case *ast.SampleStep:
		v.Kind = SampleNode
		g.laterStep(v, "`sample`")
	default: // a BadStep
		v.broken, g.hazy = true, true
	}
}

// laterStep tells that a step cannot be run yet; what flows behind it is not judged.
func (g *graph) laterStep(v *vertex, what string) {
	g.notYet(stepHead(v.step), what)
	g.markUsed(v.step)
	v.broken = true
}

// namedInstance makes v what `bolt name = step` says: an instance of a bolt.
func (g *graph) namedInstance(v *vertex, call *ast.CallStep) {
	if g.library(call.Ref, call.Call) {
		g.errorf(diag.NotABolt, call.Ref.Span(), "`%s` is no bolt but a connector", refText(call.Ref)).
			label("a connector").
			note("Declare it as what it is: `sink %s = …`, `source %s = …`.", v.Name, v.Name)
		v.broken, g.hazy = true, true
		return
	}
	obj, _ := g.boltObject(call.Ref)
	if obj == nil {
		if w := g.named[call.Ref.Parts[0].Name]; w != nil && w != v && len(call.Ref.Parts) == 1 {
			g.errorf(diag.NotABolt, call.Ref.Span(), "`%s` is a node of this pipeline, not the declaration of a bolt", w.Name).
				label("a node").
				related(w.At, "`%s` is declared here", w.Name)
			w.supposed = true
		} else {
			g.unknownNode(call.Ref, false)
		}
		v.broken = true
		return
	}
	g.instance(v, obj, call)
	g.times(v, call.Times)
}

// times notes a written parallelism; all mentions of a node have to agree.
func (g *graph) times(v *vertex, e ast.Expr) {
	if e == nil {
		return
	}
	if t := g.constArg(e, expect{t: types.Int, of: "the number of tasks"}); t == types.Invalid {
		return
	}
	n := 0
	if val, ok := g.info.Consts[e]; ok {
		if d, bad := BadTimes(val, e); bad {
			g.add(d)
			return
		}
		n = int(val.Int())
	}
	if v.TimesExpr == nil {
		v.Times, v.TimesExpr = n, e
		return
	}
	if n != v.Times || n == 0 && e.Span().Text() != v.TimesExpr.Span().Text() {
		g.errorf(diag.TwoParallelisms, e.Span(), "`%s` is given %s tasks here and %s before", v.said(), e.Span().Text(), v.TimesExpr.Span().Text()).
			label("another number").
			related(v.TimesExpr.Span(), "first number").
			note("A name is one node; write the number once, or the same everywhere.").
			fix("write the first number", replace(e.Span(), v.TimesExpr.Span().Text()))
	}
}

// mostTasks is the number of key groups: more tasks would have nothing to do.
const mostTasks = 256

func refText(ref *ast.Ref) string {
	var b strings.Builder
	for i, p := range ref.Parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.Name)
	}
	return b.String()
}
