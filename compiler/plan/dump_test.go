package plan_test

import (
	"reflect"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

func TestDumpWordCount(t *testing.T) {
	golden.Check(t, "testdata/wordcount.plan", plan.Dump(plantest.WordCount()))
}

func TestDumpEverything(t *testing.T) {
	p := everything()
	if err := plan.Verify(p); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/everything.plan", plan.Dump(p))
}

// everything returns a plan with every kind of node, expression and statement, and places in two files.
func everything() *plan.Plan {
	main, other := source.NewFile("main.pipe", "one\ntwo\nthree\n"), source.NewFile("other.pipe", "a\n")
	at := func(f *source.File, start int) source.Span { return source.Span{File: f, Start: start, End: start + 1} }
	item := plantest.Record(plantest.F("sku", types.String), plantest.F("price", types.Float))
	optInt, ints := &types.Optional{Elem: types.Int}, &types.List{Elem: types.Int}
	table := &types.Map{Key: types.String, Elem: types.Int}
	in := plantest.Record(plantest.F("a", types.Int), plantest.F("s", types.String), plantest.F("o", optInt), plantest.F("xs", ints), plantest.F("item", item), plantest.F("m", table))
	out := plantest.Record(plantest.F("n", types.Int))
	a, s, o, xs := plantest.In(in, "a"), plantest.In(in, "s"), plantest.In(in, "o"), plantest.In(in, "xs")
	x := plan.X{T: types.Int}
	text := plan.X{T: types.String}
	add := plantest.Bin(types.Int, plan.Add, a, plantest.Int(1))
	local := func(slot int) plan.Expr { return plantest.Local(types.Int, slot, "v") }
	set := func(slot int, e plan.Expr) plan.Stmt { return &plan.SetLocal{Slot: slot, Value: e} }
	price := &plan.Member{X: plan.X{T: types.Float}, Operand: plantest.In(in, "item"), Field: 1, Name: "price"}
	made := &plan.MakeRecord{X: plan.X{T: item}, Fields: []plan.Expr{s, price}}
	lookup := &plan.Index{X: plan.X{T: optInt}, Operand: plantest.In(in, "m"), Key: s}

	b := plantest.New("everything")
	b.Plan.Funcs = []plan.Func{
		{Name: "twice", Params: []types.Type{types.Int}, Result: types.Int, Locals: 1, Origin: at(other, 0),
			Value: plantest.Bin(types.Int, plan.Mul, local(0), plantest.Int(2))},
		{Name: "check", Params: []types.Type{types.Int}, Result: types.Int, Locals: 1, Fallible: true, Body: []plan.Stmt{
			&plan.IfStmt{Cond: plantest.Bin(types.Bool, plan.Lt, local(0), plantest.Int(0)), Then: []plan.Stmt{
				&plan.Fail{Message: plantest.Str("negative")},
			}},
			&plan.Return{Value: local(0)},
		}},
	}
	src := b.Source("src", "gen.rows", in)
	src.Origin = at(main, 4)
	src.Errors = plan.PolicyDrop
	body := b.Body("body", in, out, []types.Type{types.Int, types.Int, types.Int, types.String, types.Float},
		set(0, plantest.Bin(types.Int, plan.Mul, add, &plan.Unary{X: x, Op: plan.Neg, Operand: a})),
		set(0, plantest.Bin(types.Int, plan.Sub, a, plantest.Bin(types.Int, plan.Sub, a, a))),
		set(0, &plan.If{X: x, Cond: &plan.Unary{X: plan.X{T: types.Bool}, Op: plan.Not, Operand: plantest.Bool(true)}, Then: a, Else: local(1)}),
		set(0, &plan.Coalesce{X: x, Operand: o, Else: &plan.Coalesce{X: x, Operand: lookup, Else: plantest.Int(7)}}),
		set(1, &plan.Try{X: x, Operand: &plan.Call{X: x, Func: "int", Args: []plan.Expr{s}}, Else: add, Slot: -1}),
		set(1, &plan.OrExit{X: x, Operand: &plan.Index{X: x, Operand: xs, Key: plantest.Int(0)}, Slot: 3, Exit: []plan.Stmt{
			&plan.IfStmt{Cond: plantest.Bool(false), Then: []plan.Stmt{&plan.Break{}}},
			&plan.For{Slot: 1, Slot2: -1, In: xs, Body: []plan.Stmt{&plan.Continue{}}},
			&plan.Drop{Name: "no first"},
		}}),
		set(1, &plan.OrExit{X: x, Operand: o, Optional: true, Slot: -1, Exit: []plan.Stmt{&plan.Fail{Message: plantest.Str("why")}}}),
		set(4, &plan.Member{X: plan.X{T: types.Float}, Operand: made, Field: 1, Name: "price", Optional: true}),
		set(3, &plan.Interp{X: text, Parts: []plan.Expr{plantest.Str("a \"{b}\": "), &plan.Convert{X: text, Operand: a}, s}}),
		&plan.SetIndex{Slot: 2, Key: a, Value: &plan.CallFn{X: x, Index: 1, Name: "check", Args: []plan.Expr{a}}},
		&plan.For{S: plan.S{At: at(main, 8)}, Slot: 0, Slot2: 1, In: &plan.MakeMap{X: plan.X{T: table}, Keys: []plan.Expr{s}, Elems: []plan.Expr{a}}, Body: []plan.Stmt{
			&plan.Continue{S: plan.S{At: at(other, 0)}}, &plan.Break{},
		}},
		&plan.IfStmt{
			Cond: plantest.Bin(types.Bool, plan.In, a, &plan.Comp{X: plan.X{T: ints}, Slot: 2, In: xs, Cond: plantest.Bool(true), Value: local(2)}),
			Then: []plan.Stmt{&plan.Return{}},
			Else: []plan.Stmt{&plan.Emit{Unanchored: true, Output: 1, Fields: []plan.Expr{&plan.MakeList{X: plan.X{T: ints}, Elems: []plan.Expr{a, a}}}}},
		},
		plantest.Emit(a),
	)
	body.Outs = append(body.Outs, plan.Out{Name: "more", Layout: plantest.Record(plantest.F("xs", ints))})
	body.Body.CanFail, body.Body.Errors, body.DeadRows = true, plan.PolicyFail, true
	keyed := b.Add(&plan.Node{
		Name: "keyed", Kind: plan.KindKeyed, In: out, Outs: []plan.Out{{Layout: out}},
		Keys: []plan.KeyDef{{Name: "k", Expr: plantest.In(out, "n")}},
		Body: &plan.Body{
			State: []plan.StateVar{{Name: "seen", Type: table, Init: &plan.MakeMap{X: plan.X{T: table}}, Keep: 3600e9}},
			Stmts: []plan.Stmt{
				&plan.SetIndex{State: true, Slot: 0, Key: plantest.Str("x"), Value: &plan.Key{X: x, Name: "k"}},
				&plan.SetState{Slot: 0, Value: &plan.State{X: plan.X{T: table}, Name: "seen"}},
				plantest.Emit(&plan.Key{X: x, Name: "k"}),
			},
		},
	})
	window := b.Add(&plan.Node{
		Name: "window", Kind: plan.KindAggregate, In: out, Global: true, Outs: []plan.Out{{Layout: plantest.Record(plantest.F("t", types.Time))}},
		Agg: &plan.Aggregate{
			Window: plan.Window{Kind: "sliding", Size: 300e9, Every: 60e9},
			Calls:  []plan.AggCall{{Func: "sum", Args: []plan.Expr{plantest.In(out, "n")}, Type: types.Int, At: at(main, 5)}},
		},
		Body: &plan.Body{Stmts: []plan.Stmt{
			&plan.IfStmt{Cond: plantest.Bin(types.Bool, plan.Gt, &plan.AggResult{X: x}, plantest.Int(0)), Then: []plan.Stmt{
				plantest.Emit(&plan.Bound{X: plan.X{T: types.Time}}), plantest.Emit(&plan.Bound{X: plan.X{T: types.Time}, End: true}),
			}},
		}},
	})
	channel := b.Add(&plan.Node{
		Name: "buffer", Kind: plan.KindChannel, In: out, Outs: []plan.Out{{Layout: out}},
		Connector: &plan.Connector{Name: "memory", Args: []plan.Arg{{Name: "capacity", Value: value.OfInt(10)}}},
	})
	sink := b.Sink("sink", "file.write", out)
	sink.Connector.Each = []plan.EachArg{{Name: "path", Expr: &plan.Interp{X: text, Parts: []plan.Expr{&plan.Convert{X: text, Operand: plantest.In(out, "n")}}}}}
	sink.Connector.Codec = &plan.Codec{Name: "json", Args: []plan.Arg{{Name: "pretty", Value: value.OfBool(true)}}}
	more := b.Sink("more", "file.write", plantest.Record(plantest.F("xs", ints)))
	times := b.Sink("times", "stdout.table", plantest.Record(plantest.F("t", types.Time)))
	b.Plan.Settings.DeadLetters = more.ID
	b.Edge(src, body, plan.ToShuffle).Origins = true
	b.Edge(body, keyed, plan.ToKey, plantest.In(out, "n"))
	b.Edge(body, window, plan.ToGlobal)
	b.Edge(keyed, channel, 0).Optional = true
	b.Edge(channel, sink, plan.ToAll)
	b.EdgeOut(body, 1, more, plan.ToLocal)
	b.Edge(window, times, 0)
	return b.Plan
}

// TestEverythingIsComplete sees to it that the golden file shows every kind of expression and statement.
func TestEverythingIsComplete(t *testing.T) {
	p := everything()
	shown := map[reflect.Type]bool{}
	v := plan.Visitor{
		Expr: func(e plan.Expr) bool { shown[reflect.TypeOf(e)] = true; return true },
		Stmt: func(s plan.Stmt) bool { shown[reflect.TypeOf(s)] = true; return true },
	}
	for _, n := range p.Nodes {
		v.WalkNode(n)
	}
	for i := range p.Funcs {
		v.WalkStmts(p.Funcs[i].Body)
	}
	for _, k := range plan.AllKinds {
		if !shown[reflect.TypeOf(k)] {
			t.Errorf("there is no %T", k)
		}
	}
}
