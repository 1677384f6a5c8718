package lower

import (
	"fmt"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/types"
)

// graph makes the nodes and edges of the plan, in the topological order of the checked graph. An edge that brings a
// sink fewer fields than the sink has gets a node of its own in front, so the ids of checked nodes and of the plan's
// differ.
func (l *lowerer) graph() {
	ins := map[*check.Node][]*check.Edge{}
	for _, e := range l.pipeline.Edges {
		ins[e.To] = append(ins[e.To], e)
	}
	for _, n := range l.pipeline.Nodes {
		in := l.layout(n, ins[n])
		var froms []source
		for _, e := range ins[n] {
			from := source{node: l.nodes[e.From], out: e.Out}
			if n.Kind == check.SinkNode && !carries(from.layout(), in) {
				from = l.filled(n, e, from, in)
			}
			froms = append(froms, from)
		}
		node := l.node(n, in)
		for i, e := range ins[n] {
			l.edge(n, node, e, froms[i])
		}
	}
}

// source is an output that an edge leaves from.
type source struct {
	node *plan.Node
	out  int
}

func (s source) layout() *types.Record { return s.node.Outs[s.out].Layout }

// layout returns the input of a node: the record that it was checked against, and behind it the fields that only the
// keys of its edges read.
func (l *lowerer) layout(n *check.Node, ins []*check.Edge) *types.Record {
	if n.Kind == check.SourceNode {
		return nil
	}
	in := n.In
	for _, e := range ins {
		if e.Grouping != "by" {
			continue
		}
		from := l.nodes[e.From].Outs[e.Out].Layout
		for _, name := range l.fieldsOf(e.Keys) {
			if in.Index(name) >= 0 {
				continue
			}
			i := from.Index(name)
			if i < 0 {
				bug.Panicf("lower: the key of an edge reads `%s`, which %s does not have", name, from.Shape())
			}
			in = &types.Record{Fields: append(in.Fields[:len(in.Fields):len(in.Fields)], from.Fields[i])}
		}
	}
	return in
}

// fieldsOf returns the fields that keys read, in order of the text.
func (l *lowerer) fieldsOf(keys []check.Key) []string {
	var names []string
	for _, k := range keys {
		ast.Walk(k.Value, func(n ast.Node) bool {
			if name, ok := n.(*ast.NameExpr); ok {
				if obj := l.info.Objects[name.Name]; obj != nil && obj.Kind == check.ObjField {
					names = append(names, obj.Name)
				}
			}
			return true
		})
	}
	return names
}

// carries reports whether an output has every field of a layout, with its type.
func carries(out, in *types.Record) bool {
	for _, f := range in.Fields {
		if i := out.Index(f.Name); i < 0 || !types.Equal(out.Fields[i].Type, f.Type) {
			return false
		}
	}
	return true
}

// filled puts a node in front of a sink that fills up the fields which an edge does not bring.
func (l *lowerer) filled(n *check.Node, e *check.Edge, from source, in *types.Record) source {
	fill := &plan.Node{
		Kind: plan.KindBody, Name: fmt.Sprintf("%s.from.%s", n.Name, from.node.Name), Origin: e.At,
		Level: plan.Level(min(e.From.Level, n.Level)), In: from.layout(), Outs: []plan.Out{{Layout: in}},
	}
	if from.out > 0 {
		fill.Name += fmt.Sprintf(".%d", from.out)
	}
	if l.fills[fill.Name]++; l.fills[fill.Name] > 1 { // two arrows from one output
		fill.Name += fmt.Sprintf("-%d", l.fills[fill.Name])
	}
	emit := &plan.Emit{S: plan.S{At: e.At}}
	for _, f := range in.Fields {
		x := plan.X{T: f.Type, At: e.At}
		i := from.layout().Index(f.Name)
		switch {
		case i < 0:
			emit.Fields = append(emit.Fields, &plan.Const{X: x})
		case types.Equal(from.layout().Fields[i].Type, f.Type):
			emit.Fields = append(emit.Fields, &plan.Input{X: x, Field: i, Name: f.Name})
		default:
			value := &plan.Input{X: plan.X{T: from.layout().Fields[i].Type, At: e.At}, Field: i, Name: f.Name}
			emit.Fields = append(emit.Fields, &plan.Convert{X: x, Operand: value})
		}
	}
	fill.Body = &plan.Body{Stmts: []plan.Stmt{emit}}
	l.add(fill)
	l.connect(from, fill, &plan.Edge{Origin: e.At, Optional: e.Optional})
	return source{node: fill}
}

// add gives a node its id.
func (l *lowerer) add(n *plan.Node) {
	n.ID = len(l.plan.Nodes)
	l.plan.Nodes = append(l.plan.Nodes, n)
}

// edge makes the edge of e; its source may be a node that was put in between.
func (l *lowerer) edge(n *check.Node, to *plan.Node, e *check.Edge, from source) {
	pe := &plan.Edge{Origin: e.At, Optional: e.Optional && from.node == l.nodes[e.From]}
	switch e.Grouping {
	case "":
	case "shuffle":
		pe.Grouping = plan.ToShuffle
	case "all":
		pe.Grouping = plan.ToAll
	case "global":
		pe.Grouping = plan.ToGlobal
	case "local":
		pe.Grouping = plan.ToLocal
	case "by":
		pe.Grouping = plan.ToKey
		for _, k := range e.Keys {
			pe.Keys = append(pe.Keys, l.expr(&env{in: to.In}, k.Value))
		}
	default:
		bug.Panicf("lower: unknown grouping %q", e.Grouping)
	}
	if e.Grouping == "" && len(to.Keys) > 0 {
		pe.Grouping = plan.ToKey
		for _, k := range to.Keys {
			pe.Keys = append(pe.Keys, k.Expr)
		}
	}
	l.connect(from, to, pe)
}

// connect adds an edge, whose columns are found by name.
func (l *lowerer) connect(from source, to *plan.Node, e *plan.Edge) {
	e.ID, e.From, e.Out, e.To = len(l.plan.Edges), from.node.ID, from.out, to.ID
	for _, f := range to.In.Fields {
		i := from.layout().Index(f.Name)
		if i < 0 {
			bug.Panicf("lower: %s takes `%s`, which %s does not give", to.Name, f.Name, from.node.Name)
		}
		e.Columns = append(e.Columns, i)
	}
	l.plan.Edges = append(l.plan.Edges, e)
}
