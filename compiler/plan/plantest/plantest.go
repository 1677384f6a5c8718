// Package plantest builds plans by hand, for tests of what reads plans.
package plantest

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Builder collects a logical plan. Nodes must be added in topological order.
type Builder struct{ Plan *plan.Plan }

// New starts an empty plan at at_least_once.
func New(pipeline string) *Builder {
	return &Builder{&plan.Plan{
		Pipeline: pipeline, Level: plan.AtLeastOnce, Profile: plan.P1,
		Settings: plan.Settings{
			ID: pipeline, Timeout: 30e9, Pending: 1_000_000, PendingBytes: 64 << 20, Uncommitted: 64_000_000, Retries: 5,
			DeadLetters: -1, Epoch: 1e9, Store: "none",
		},
	}}
}

// F is a field.
func F(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

// Record returns a record type.
func Record(fields ...types.Field) *types.Record { return &types.Record{Fields: fields} }

// Add adds a node, giving it its id and the plan's level.
func (b *Builder) Add(n *plan.Node) *plan.Node {
	n.ID = len(b.Plan.Nodes)
	n.Level = b.Plan.Level
	b.Plan.Nodes = append(b.Plan.Nodes, n)
	return n
}

// Source adds a source with the given output and traits.
func (b *Builder) Source(name, connector string, out *types.Record, traits ...string) *plan.Node {
	return b.Add(&plan.Node{
		Name: name, Kind: plan.KindSource, Outs: []plan.Out{{Layout: out}},
		Connector: &plan.Connector{Name: connector, Traits: traits},
	})
}

// Sink adds a sink.
func (b *Builder) Sink(name, connector string, in *types.Record) *plan.Node {
	return b.Add(&plan.Node{Name: name, Kind: plan.KindSink, In: in, Connector: &plan.Connector{Name: connector}})
}

// Body adds a stateless node with one output.
func (b *Builder) Body(name string, in, out *types.Record, locals []types.Type, stmts ...plan.Stmt) *plan.Node {
	return b.Add(&plan.Node{
		Name: name, Kind: plan.KindBody, In: in, Outs: []plan.Out{{Layout: out}},
		Body: &plan.Body{Locals: locals, Stmts: stmts},
	})
}

// Where adds a filter, which passes rows of its input on.
func (b *Builder) Where(name string, in *types.Record, cond plan.Expr) *plan.Node {
	emit := &plan.Emit{}
	for i := range in.Fields {
		emit.Fields = append(emit.Fields, In(in, in.Fields[i].Name))
	}
	return b.Body(name, in, in, nil, &plan.IfStmt{Cond: cond, Then: []plan.Stmt{emit}})
}

// Edge connects the main output of from with to, column by column by name.
func (b *Builder) Edge(from, to *plan.Node, g plan.Grouping, keys ...plan.Expr) *plan.Edge {
	return b.EdgeOut(from, 0, to, g, keys...)
}

// EdgeOut connects an output of from with to, column by column by name.
func (b *Builder) EdgeOut(from *plan.Node, out int, to *plan.Node, g plan.Grouping, keys ...plan.Expr) *plan.Edge {
	e := &plan.Edge{ID: len(b.Plan.Edges), From: from.ID, Out: out, To: to.ID, Grouping: g, Keys: keys}
	for _, f := range to.In.Fields {
		e.Columns = append(e.Columns, from.Outs[out].Layout.Index(f.Name))
	}
	b.Plan.Edges = append(b.Plan.Edges, e)
	return e
}

// In reads a field of a layout.
func In(r *types.Record, name string) *plan.Input {
	i := r.Index(name)
	return &plan.Input{X: plan.X{T: r.Fields[i].Type}, Field: i, Name: name}
}

// Int, Str and Bool are constants.
func Int(n int64) *plan.Const { return &plan.Const{X: plan.X{T: types.Int}, Value: value.OfInt(n)} }

// Str is a string.
func Str(s string) *plan.Const {
	return &plan.Const{X: plan.X{T: types.String}, Value: value.OfString(s)}
}

// Bool is a bool.
func Bool(b bool) *plan.Const { return &plan.Const{X: plan.X{T: types.Bool}, Value: value.OfBool(b)} }

// Bin is an operator with its result's type.
func Bin(t types.Type, op plan.Op, left, right plan.Expr) *plan.Binary {
	return &plan.Binary{X: plan.X{T: t}, Op: op, Left: left, Right: right}
}

// Local reads a slot.
func Local(t types.Type, slot int, name string) *plan.Local {
	return &plan.Local{X: plan.X{T: t}, Slot: slot, Name: name}
}

// Call calls a library function.
func Call(t types.Type, name string, args ...plan.Expr) *plan.Call {
	return &plan.Call{X: plan.X{T: t}, Func: name, Args: args}
}

// Emit emits to the main output.
func Emit(fields ...plan.Expr) *plan.Emit { return &plan.Emit{Fields: fields} }

// WordCount returns the logical plan of the word count, as a program of `lines -> split -> count -> top 20 -> table`
// makes it; parallelism is not chosen yet.
func WordCount() *plan.Plan {
	b := New("wordcount")
	b.Plan.Profile = plan.P2
	line, word := Record(F("line", types.String)), Record(F("word", types.String))
	counted := Record(F("word", types.String), F("n", types.Int))
	lines := b.Source("lines", "file.lines", line, "bounded", "replayable", "splittable")
	lines.Connector.Args = []plan.Arg{{Name: "path", Value: value.OfString("README.md")}}
	lines.Connector.Identity = "file.lines README.md"
	words := Call(&types.List{Elem: types.String}, "words", Call(types.String, "lower", In(line, "line")))
	split := b.Body("split", line, word, []types.Type{types.String},
		&plan.For{Slot: 0, Slot2: -1, In: words, Body: []plan.Stmt{Emit(Local(types.String, 0, "word"))}})
	count := b.Add(&plan.Node{
		Name: "count", Kind: plan.KindAggregate, In: word, Outs: []plan.Out{{Layout: counted}},
		Keys: []plan.KeyDef{{Name: "word", Expr: In(word, "word")}},
		Agg: &plan.Aggregate{
			Window: plan.Window{Kind: "whole"}, Calls: []plan.AggCall{{Func: "count", Type: types.Int}},
		},
		Body: &plan.Body{Stmts: []plan.Stmt{Emit(
			&plan.Key{X: plan.X{T: types.String}, Name: "word"}, &plan.AggResult{X: plan.X{T: types.Int}},
		)}},
	})
	top := b.Add(&plan.Node{
		Name: "count.top1", Kind: plan.KindTop, In: counted, Outs: []plan.Out{{Layout: counted}},
		Top: &plan.Top{N: 20, By: In(counted, "n")},
	})
	table := b.Sink("stdout.table1", "stdout.table", counted)
	b.Edge(lines, split, 0)
	b.Edge(split, count, plan.ToKey, In(word, "word"))
	b.Edge(count, top, plan.ToGlobal)
	b.Edge(top, table, 0)
	return b.Plan
}
