package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// pipeline checks a pipeline of the main file; see graph for how.
func (c *checker) pipeline(d *ast.PipelineDecl) *Pipeline {
	g := &graph{
		checker:  c,
		decl:     d,
		p:        &Pipeline{Decl: d, Name: d.Name.Name, Settings: map[string]Setting{}},
		named:    map[string]*vertex{},
		ordinals: map[string]int{},

		unnamedTaken: map[string]bool{},
		unknown:      map[string]*report{},
		doubtful:     map[string]bool{},
	}
	g.readTold()
	g.collect()
	for _, item := range d.Items {
		if s, ok := item.(*ast.SettingItem); ok {
			g.setting(s)
		}
	}
	g.fillItems()
	for _, item := range d.Items {
		if f, ok := item.(*ast.FlowItem); ok {
			g.flow(f)
		}
	}
	g.readDeadLetters()
	order := g.sorted()
	if len(order) < len(g.vertices) {
		g.tellCycles(order)
	}
	for _, v := range order {
		g.typeVertex(v)
	}
	g.checkFlow(order)
	g.checkLevels(order)
	g.finish(order)
	return g.p
}

// readTold notes what the parser has told inside of the pipeline. The rest of it is checked, but nothing is called
// unused or untaken, and no name unknown that occurs in such a line or the one below.
func (g *graph) readTold() {
	all := g.decl.Span()
	lines := map[int]bool{}
	for _, d := range g.told {
		if d.Span.File != all.File || d.Span.Start < all.Start || d.Span.Start > all.End {
			continue
		}
		g.hazy = true
		g.toldAt = append(g.toldAt, d.Span)
		line := all.File.OffsetLine(d.Span.Start)
		for l := line; l <= min(line+1, all.File.LineCount()); l++ {
			if lines[l] {
				continue
			}
			lines[l] = true
			for _, word := range strings.FieldsFunc(all.File.LineSpan(l).Text(), notInName) {
				g.doubtful[word] = true
			}
		}
	}
}

func notInName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// toldIn reports whether the parser has told something inside of a span, or in the line in which it ends.
func (g *graph) toldIn(at source.Span) bool {
	end := at.File.LineSpan(at.File.OffsetLine(at.End)).End
	return slices.ContainsFunc(g.toldAt, func(t source.Span) bool { return t.Start >= at.Start && t.Start <= end })
}

// collect makes a vertex of each item with a name.
func (g *graph) collect() {
	for _, item := range g.decl.Items {
		switch item := item.(type) {
		case *ast.SettingItem: // read when every name is known
		case *ast.NodeItem:
			v := g.declare(item.Name, nodeKind(item), item)
			v.item = item
		case *ast.BoltItem:
			g.declare(item.Name, 0, item)
		case *ast.JoinItem:
			v := g.declare(item.Name, JoinNode, item)
			v.broken = true
		case *ast.FlowItem: // read when every name is known
		case *ast.BadItem:
			g.hazy = true
			g.haze(everyName)
		default:
			bug.Panicf("check: unknown item %T", item)
		}
	}
}

func nodeKind(item *ast.NodeItem) NodeKind {
	switch item.Kind.Word {
	case "source":
		return SourceNode
	case "channel":
		return ChannelNode
	}
	return SinkNode
}

// fillItems reads what stands behind the names.
func (g *graph) fillItems() {
	for _, v := range slices.Clone(g.vertices) {
		switch item := v.Decl.(type) {
		case *ast.NodeItem:
			g.connectorItem(v)
		case *ast.BoltItem:
			g.boltItem(v, item)
		case *ast.JoinItem:
			g.notYet(keyword(item.Span(), "join"), "a join")
			g.markUsed(item)
			g.joinInputs(v, item)
		}
	}
}

// joinInputs links both sides of a join, so that their outputs count as taken.
func (g *graph) joinInputs(v *vertex, item *ast.JoinItem) {
	for _, ref := range []*ast.Ref{item.Left, item.Right} {
		if ref == nil {
			continue
		}
		from, output := g.origin(ref)
		v.mentioned = true
		g.connect(&link{from: from, output: output, caseNo: -1, to: v, at: ref.Span()})
	}
	v.mentioned = false
}

// keyword returns the place of the word at the start of a construct.
func keyword(at source.Span, word string) source.Span {
	at.End = min(at.End, at.Start+len(word))
	return at
}

func (g *graph) boltItem(v *vertex, item *ast.BoltItem) {
	switch item.Step.(type) {
	case *ast.BranchStep, *ast.RouteStep:
		g.errorf(diag.NotABolt, stepHead(item.Step), "%s cannot have a name", stepName(item.Step)).
			label("not a bolt").
			note("Write it at the end of a flow: `… -> { a, b }` or `… -> route { … }`.")
		v.broken, g.hazy = true, true
		return
	}
	g.fillStep(v, item.Step)
}

// declare makes the vertex of a name, and tells when the name is taken or must not be used.
func (g *graph) declare(id *ast.Ident, kind NodeKind, item ast.PItem) *vertex {
	v := g.newVertex(kind, id.Name, item, id.Span())
	v.ident, v.Named = id, true
	if id.Name == "" { // told by the parser
		v.broken, g.hazy = true, true
		return v
	}
	g.info.Objects[id] = &Object{Kind: ObjNode, Name: id.Name, Decl: item, At: id.Span(), File: g.unit.file, Used: true}
	if first := g.named[id.Name]; first != nil {
		g.errorf(diag.DuplicateNode, id.Span(), "`%s` is already a node of this pipeline", id.Name).
			label("used again here").
			related(first.At, "first `%s`", id.Name).
			note("A name is one node, and every mention means that node; give the second one a name of its own.")
		v.broken, v.mentioned = true, true
		return v
	}
	g.named[id.Name] = v
	if module := g.unit.modules[id.Name]; module != nil {
		other := id.Name + "_" + itemWord(item)
		g.errorf(diag.NodeNamedModule, id.Span(), "`%s` is the name of a module, and cannot name a node", id.Name).
			label("not free").
			related(module.At, "`%s` is taken here", id.Name).
			fix(fmt.Sprintf("call it `%s`", other), g.renames(id.Name, other)...)
	}
	return v
}

func itemWord(item ast.PItem) string {
	switch item := item.(type) {
	case *ast.NodeItem:
		return item.Kind.Word
	case *ast.JoinItem:
		return "join"
	}
	return "bolt"
}

// renames returns the edits that give a node another name, at its declaration and at each mention in this pipeline.
func (g *graph) renames(name, other string) []diag.Edit {
	var edits []diag.Edit
	rename := func(id *ast.Ident) {
		if id.Name == name {
			edits = append(edits, replace(id.Span(), other))
		}
	}
	for _, item := range g.decl.Items {
		ast.Walk(item, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.NodeItem:
				rename(n.Name)
			case *ast.BoltItem:
				rename(n.Name)
			case *ast.JoinItem:
				rename(n.Name)
			case *ast.FlowItem:
				rename(n.From.Parts[0])
			case *ast.SettingItem:
				if v, ok := n.Value.(*ast.NameExpr); ok && n.Name.Name == "dead_letters" {
					rename(v.Name)
				}
			case *ast.CallStep:
				if !n.Call && len(n.Ref.Parts) == 1 {
					rename(n.Ref.Parts[0])
				}
			}
			return true
		})
	}
	return edits
}

func (g *graph) newVertex(kind NodeKind, name string, decl ast.Node, at source.Span) *vertex {
	v := &vertex{Node: &Node{Kind: kind, Name: name, Decl: decl, At: at}, index: len(g.vertices)}
	g.vertices = append(g.vertices, v)
	return v
}

// readDeadLetters finds the sink that the setting names.
func (g *graph) readDeadLetters() {
	id := g.deadName
	if id == nil {
		return
	}
	v := g.named[id.Name]
	switch {
	case v == nil:
		var sinks []string
		for name, v := range g.named {
			if v.Kind == SinkNode {
				sinks = append(sinks, name)
			}
		}
		slices.Sort(sinks)
		g.errorf(diag.DeadLettersSink, id.Span(), "`dead_letters` wants the name of a sink, and there is no node `%s`", id.Name).
			label("no such sink").
			suggest(id.Span(), id.Name, sinks, "The sinks of this pipeline are").
			note("Declare one: `sink %s = file.write(\"dead.ndjson\", encode: json)`.", id.Name)
		g.hazy = true
	case v.Kind != SinkNode:
		if !v.broken {
			g.errorf(diag.DeadLettersSink, id.Span(), "`dead_letters` wants the name of a sink, and `%s` is %s", id.Name, v.describe()).
				label("not a sink").
				related(v.At, "`%s` is declared here", id.Name)
		}
	default:
		g.info.Objects[id] = g.info.Objects[v.ident]
		v.isDead = true
		g.p.Dead = v.Node
	}
}

// finish takes the graph over into the pipeline: nodes in order, edges in order of their targets and of the text.
func (g *graph) finish(order []*vertex) {
	for _, v := range order {
		g.p.Nodes = append(g.p.Nodes, v.Node)
	}
	for _, v := range order {
		for _, l := range v.in {
			e := &Edge{From: l.from.Node, Out: max(l.out, 0), To: v.Node, Keys: l.keys, Optional: l.optional, Case: l.caseNo, At: l.at}
			if l.grouping != nil {
				e.Grouping = l.grouping.Kind
			}
			g.p.Edges = append(g.p.Edges, e)
		}
	}
}

// said is the name of v for messages: of an unnamed node what is written there, `select` or `stdout.text`.
func (v *vertex) said() string {
	switch {
	case v.Named:
		return v.Name
	case v.Kind == SinkNode && v.Sig != nil:
		return v.Sig.FullName()
	}
	if call, ok := v.step.(*ast.CallStep); ok {
		return refText(call.Ref)
	}
	if v.step != nil {
		return stepWord(v.step)
	}
	return v.Name
}

// describe says what kind of node v is, for messages: "a source", "the bolt `count`".
func (v *vertex) describe() string {
	switch v.Kind {
	case SourceNode:
		return "a source"
	case ChannelNode:
		return "a channel"
	case SinkNode:
		return "a sink"
	case BoltNode:
		return "a bolt"
	case JoinNode:
		return "a join"
	}
	if v.step != nil {
		return stepName(v.step)
	}
	return "a node"
}
