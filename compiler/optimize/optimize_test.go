package optimize_test

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	. "github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var (
	line    = Record(F("line", types.String))
	word    = Record(F("word", types.String))
	counted = Record(F("word", types.String), F("n", types.Int))
	event   = Record(F("id", types.String), F("level", types.String), F("ms", types.Int), F("body", types.String))
)

// run optimises a plan for two cores and verifies it after each pass.
func run(t *testing.T, p *plan.Plan, off ...string) *plan.Plan {
	t.Helper()
	if err := plan.Verify(p); err != nil {
		t.Fatalf("the test's plan: %v", err)
	}
	p, err := optimize.Run(p, optimize.Options{Cores: 2, Off: off}, func(pass string, p *plan.Plan) {
		if err := plan.Verify(p); err != nil {
			t.Fatalf("after pass %s: %v\n%s", pass, err, plan.Dump(p))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func split(b *Builder) *plan.Node {
	words := Call(&types.List{Elem: types.String}, "words", In(line, "line"))
	return b.Body("split", line, word, []types.Type{types.String},
		&plan.For{Slot: 0, Slot2: -1, In: words, Body: []plan.Stmt{Emit(Local(types.String, 0, "word"))}})
}

// count adds a window over words; calls name its aggregates.
func count(b *Builder, name string, calls ...string) *plan.Node {
	n := &plan.Node{
		Name: name, Kind: plan.KindAggregate, In: word, Outs: []plan.Out{{Layout: counted}},
		Keys: []plan.KeyDef{{Name: "word", Expr: In(word, "word")}},
		Agg:  &plan.Aggregate{Window: plan.Window{Kind: "whole"}},
		Body: &plan.Body{Stmts: []plan.Stmt{Emit(&plan.Key{X: plan.X{T: types.String}, Name: "word"}, &plan.AggResult{X: plan.X{T: types.Int}})}},
	}
	for _, c := range calls {
		call := plan.AggCall{Func: c, Type: types.Int}
		if c != "count" {
			call.Args = []plan.Expr{In(word, "word")}
		}
		n.Agg.Calls = append(n.Agg.Calls, call)
	}
	return b.Add(n)
}

// running adds a bolt that counts in a state variable.
func running(b *Builder) *plan.Node {
	n := &plan.State{X: plan.X{T: types.Int}, Name: "n"}
	return b.Add(&plan.Node{
		Name: "running", Kind: plan.KindKeyed, In: word, Outs: []plan.Out{{Layout: counted}},
		Keys: []plan.KeyDef{{Name: "word", Expr: In(word, "word")}},
		Body: &plan.Body{
			State: []plan.StateVar{{Name: "n", Type: types.Int, Init: Int(0)}},
			Stmts: []plan.Stmt{
				&plan.SetState{Value: Bin(types.Int, plan.Add, n, Int(1))},
				Emit(&plan.Key{X: plan.X{T: types.String}, Name: "word"}, n),
			},
		},
	})
}

// plans are logical plans by name; each golden file shows what becomes of one.
var plans = map[string]func() *plan.Plan{
	"wordcount": WordCount,
	"wordcount_written": func() *plan.Plan { // split * 3 -> count * 4
		p := WordCount()
		p.Nodes[1].Parallelism, p.Nodes[2].Parallelism = 3, 4
		return p
	},
	"passthrough": func() *plan.Plan { // lines -> sink keeps the order of the file
		b := New("passthrough")
		b.Edge(b.Source("lines", "file.lines", line, "splittable"), b.Sink("out", "file.write", line), 0)
		return b.Plan
	},
	"filter_to_sink": func() *plan.Plan { // the filter stays with the source, and the file in order
		b := New("filter")
		lines := b.Source("lines", "file.lines", line, "splittable")
		where := b.Where("lines.where1", line, Bin(types.Bool, plan.Ne, In(line, "line"), Str("")))
		b.Edge(lines, where, 0)
		b.Edge(where, b.Sink("out", "file.write", line), 0)
		return b.Plan
	},
	"parallel_to_sink": func() *plan.Plan { // split * 2: the text gives the order up
		b := New("parallel")
		lines, s := b.Source("lines", "file.lines", line, "splittable"), split(b)
		s.Parallelism = 2
		b.Edge(lines, s, 0)
		b.Edge(s, b.Sink("out", "file.write", word), 0)
		return b.Plan
	},
	"shuffled_to_sink": func() *plan.Plan { // a written shuffle gives it up, too
		b := New("shuffled")
		lines, s := b.Source("lines", "file.lines", line, "splittable"), split(b)
		b.Edge(lines, s, plan.ToShuffle)
		b.Edge(s, b.Sink("out", "file.write", word), 0)
		return b.Plan
	},
	"reader_and_rest": func() *plan.Plan { // a source that cannot be split, and no order needed
		b := New("stdin")
		in, s, c := b.Source("in", "stdin.lines", line), split(b), count(b, "count", "count")
		b.Edge(in, s, 0)
		b.Edge(s, c, plan.ToKey, In(word, "word"))
		b.Edge(c, b.Sink("out", "stdout.text", counted), 0)
		return b.Plan
	},
	"running_count": func() *plan.Plan { // a keyed bolt sees each key's rows in the source's order
		b := New("running")
		lines, s, r := b.Source("lines", "file.lines", line, "splittable"), split(b), running(b)
		r.Parallelism = 4
		where := b.Where("running.where1", counted, Bin(types.Bool, plan.Gt, In(counted, "n"), Int(1)))
		b.Edge(lines, s, 0)
		b.Edge(s, r, plan.ToKey, In(word, "word"))
		b.Edge(r, where, 0)
		b.Edge(where, b.Sink("out", "stdout.text", counted), 0)
		return b.Plan
	},
	"first_word": func() *plan.Plan { // first() depends on order: no split, no combiner
		b := New("first")
		lines, s, c := b.Source("lines", "file.lines", line, "splittable"), split(b), count(b, "count", "count", "first")
		c.Parallelism = 2
		b.Edge(lines, s, 0)
		b.Edge(s, c, plan.ToKey, In(word, "word"))
		b.Edge(c, b.Sink("out", "stdout.text", counted), 0)
		return b.Plan
	},
	"distinct": func() *plan.Plan { // a call that cannot be combined
		b := New("distinct")
		lines, s, c := b.Source("lines", "file.lines", line, "splittable"), split(b), count(b, "count", "count", "distinct")
		b.Edge(lines, s, 0)
		b.Edge(s, c, plan.ToKey, In(word, "word"))
		b.Edge(c, b.Sink("out", "stdout.text", counted), 0)
		return b.Plan
	},
	"two_inputs": func() *plan.Plan { // an aggregate fed by two: a combiner on each edge
		b := New("two")
		a, z := b.Source("a", "file.lines", line, "splittable"), b.Source("z", "gen.words", word)
		s, c := split(b), count(b, "count", "count")
		b.Plan.Settings.DeadLetters = b.Sink("dead", "file.write", word).ID
		b.Edge(a, s, 0)
		b.Edge(s, c, plan.ToKey, In(word, "word"))
		b.Edge(z, c, plan.ToKey, In(word, "word"))
		b.Edge(c, b.Sink("out", "stdout.text", counted), 0)
		return b.Plan
	},
	"global": func() *plan.Plan { // one value for all: combined before the only task
		b := New("global")
		lines, s, c := b.Source("lines", "file.lines", line, "splittable"), split(b), count(b, "count", "count")
		c.Keys, c.Global = nil, true
		c.Outs[0].Layout = Record(F("n", types.Int))
		c.Body.Stmts = []plan.Stmt{Emit(&plan.AggResult{X: plan.X{T: types.Int}})}
		b.Edge(lines, s, 0)
		b.Edge(s, c, plan.ToGlobal)
		b.Edge(c, b.Sink("out", "stdout.text", c.Outs[0].Layout), 0)
		return b.Plan
	},
	"pruned": pruned,
	"folded": folded,
	"dead_rows": func() *plan.Plan { // rows can die behind: edges carry origins, and the declared input stays
		b := New("dead")
		src, keep := b.Source("src", "kafka.read", event), Record(F("id", types.String))
		where := b.Where("src.where1", event, Bin(types.Bool, plan.Gt, In(event, "ms"), Int(9)))
		bolt := b.Body("bolt", event, keep, nil,
			&plan.IfStmt{Cond: Bin(types.Bool, plan.Eq, In(event, "id"), Str("")), Then: []plan.Stmt{&plan.Fail{Message: Str("no id")}}},
			Emit(In(event, "id")))
		bolt.DeadRows, bolt.Body.CanFail = true, true
		agg := count(b, "count", "count")
		agg.In, agg.Keys[0].Expr = keep, In(keep, "id")
		b.Edge(src, where, 0)
		b.Edge(where, bolt, 0)
		b.Edge(bolt, agg, plan.ToKey, In(keep, "id"))
		sink := b.Sink("out", "file.write", counted)
		sink.DeadRows = true
		b.Edge(agg, sink, 0)
		return b.Plan
	},
	"fan_out": func() *plan.Plan { // a tree of fused nodes; groupings as written; an optional branch
		b := New("fan")
		src := b.Source("src", "gen.events", event)
		a := b.Where("a", event, Bool(true))
		z := b.Where("z", event, Bool(true))
		n := b.Where("n", event, Bool(true))
		n.Parallelism = 2
		all := b.Where("all", event, Bool(true))
		all.Parallelism = 2
		channel := b.Add(&plan.Node{
			Name: "buffer", Kind: plan.KindChannel, In: event, Outs: []plan.Out{{Layout: event}},
			Connector: &plan.Connector{Name: "memory"},
		})
		opt := b.Where("opt", event, Bool(true))
		out, out2 := b.Sink("out", "file.write", event), b.Sink("out2", "file.write", Record(F("id", types.String)))
		b.Edge(src, a, 0)
		b.Edge(src, z, plan.ToLocal)
		b.Edge(src, n, 0)
		b.Edge(src, all, plan.ToAll)
		b.Edge(src, opt, 0).Optional = true
		b.Edge(a, channel, 0)
		b.Edge(z, channel, 0)
		b.Edge(channel, out2, 0)
		b.Edge(n, out, 0)
		b.Edge(all, out, 0)
		b.Edge(opt, out, 0)
		return b.Plan
	},
}

// pruned reads few of many columns, through a filter, a channel and a bolt with two outputs.
func pruned() *plan.Plan {
	b := New("pruned")
	src := b.Source("src", "kafka.read", event)
	where := b.Where("src.where1", event, Bin(types.Bool, plan.Gt, In(event, "ms"), Int(9)))
	buffer := b.Add(&plan.Node{
		Name: "buffer", Kind: plan.KindChannel, In: event, Outs: []plan.Out{{Layout: event}},
		Connector: &plan.Connector{Name: "memory"},
	})
	disk := b.Add(&plan.Node{
		Name: "disk", Kind: plan.KindChannel, In: event, Outs: []plan.Out{{Layout: event}},
		Connector: &plan.Connector{Name: "file", Traits: []string{"durable"}},
	})
	three := Record(F("id", types.String), F("twice", types.Int), F("level", types.String))
	ms := In(event, "ms")
	bolt := b.Body("bolt", event, three, []types.Type{types.String},
		// Nobody reads the local, nor `level` behind it; `twice` is not read either, but can fault.
		&plan.SetLocal{Slot: 0, Value: In(event, "body")},
		Emit(In(event, "id"), Bin(types.Int, plan.Mul, ms, Int(2)), In(event, "level")),
		&plan.Emit{Output: 1, Fields: []plan.Expr{In(event, "level"), In(event, "id")}},
	)
	bolt.Outs = append(bolt.Outs, plan.Out{Name: "rest", Layout: Record(F("level", types.String), F("id", types.String))})
	id, level := Record(F("id", types.String)), Record(F("level", types.String))
	b.Edge(src, where, 0)
	b.Edge(where, buffer, 0)
	b.Edge(buffer, bolt, 0)
	b.Edge(src, disk, 0)
	b.Edge(bolt, b.Sink("out", "file.write", id), 0)
	b.EdgeOut(bolt, 1, b.Sink("rest", "file.write", level), 0)
	b.Edge(disk, b.Sink("out2", "file.write", id), 0)
	return b.Plan
}

// folded has expressions that are known, and some that only look so.
func folded() *plan.Plan {
	b := New("folded")
	src := b.Source("src", "kafka.read", event)
	ms, id := In(event, "ms"), In(event, "id")
	integer, boolean, text := plan.X{T: types.Int}, plan.X{T: types.Bool}, plan.X{T: types.String}
	optional := plan.X{T: &types.Optional{Elem: types.Int}}
	list := plan.X{T: &types.List{Elem: types.Int}}
	pair := Record(F("a", types.Int), F("b", types.String))
	out := Record(F("n", types.Int))
	some := &plan.Convert{X: optional, Operand: ms}
	var stmts []plan.Stmt
	for _, e := range []plan.Expr{
		Bin(types.Int, plan.Add, Int(2), Bin(types.Int, plan.Mul, Int(3), Int(4))),
		Bin(types.Int, plan.Add, Int(1<<62), Int(1<<62)), // overflows where it is reached
		&plan.Try{X: integer, Operand: Bin(types.Int, plan.Div, Int(1), Int(0)), Else: Int(-1), Slot: -1},
		&plan.Try{X: integer, Operand: Bin(types.Int, plan.Div, Int(6), Int(2)), Else: ms, Slot: -1},
		&plan.Try{X: integer, Operand: Bin(types.Int, plan.Add, ms, Int(1)), Else: Int(0), Slot: -1},
		&plan.Unary{X: integer, Op: plan.Neg, Operand: Int(5)},
		&plan.If{X: integer, Cond: Bin(types.Bool, plan.Lt, Int(1), Int(2)), Then: ms, Else: Int(0)},
		&plan.If{X: integer, Cond: Bin(types.Bool, plan.And, Bool(true), Bin(types.Bool, plan.Gt, ms, Int(1))), Then: ms, Else: Int(0)},
		&plan.If{X: integer, Cond: Bin(types.Bool, plan.Or, Bin(types.Bool, plan.Gt, ms, Int(1)), Bool(true)), Then: ms, Else: Int(0)},
		&plan.If{X: integer, Cond: Bin(types.Bool, plan.Or, Call(types.Bool, "text.odd", id), Bool(true)), Then: ms, Else: Int(0)},
		&plan.Coalesce{X: integer, Operand: &plan.Const{X: optional}, Else: Int(7)},
		&plan.Coalesce{X: integer, Operand: some, Else: Int(7)},
		&plan.OrExit{X: integer, Optional: true, Operand: &plan.Const{X: optional, Value: value.OfInt(3)}, Slot: -1, Exit: []plan.Stmt{&plan.Drop{Name: "none"}}},
		&plan.Member{X: integer, Operand: &plan.MakeRecord{X: plan.X{T: pair}, Fields: []plan.Expr{ms, id}}, Name: "a"},
		&plan.Member{X: integer, Operand: &plan.MakeRecord{X: plan.X{T: pair}, Fields: []plan.Expr{ms, Call(types.String, "lower", id)}}, Name: "a"},
		Call(types.Int, "len", &plan.MakeList{X: list, Elems: []plan.Expr{Int(1), Int(2)}}),
		Call(types.Int, "len", &plan.Interp{X: text, Parts: []plan.Expr{Str("a"), Str("b"), id, &plan.Convert{X: text, Operand: Int(7)}, Str("d")}}),
		Call(types.Int, "int", &plan.Convert{X: plan.X{T: types.Float}, Operand: Int(3)}),
		&plan.Index{X: integer, Operand: &plan.MakeList{X: list, Elems: []plan.Expr{Int(1), Int(2)}}, Key: Int(1)},
		&plan.Index{X: integer, Operand: &plan.MakeList{X: list, Elems: []plan.Expr{Int(1), Int(2)}}, Key: Int(2)}, // fails where it is reached
		&plan.Coalesce{X: integer, Operand: &plan.Index{X: optional, Operand: &plan.MakeMap{X: plan.X{T: &types.Map{Key: types.String, Elem: types.Int}}, Keys: []plan.Expr{Str("a"), Str("a")}, Elems: []plan.Expr{Int(1), Int(2)}}, Key: Str("a")}, Else: Int(0)},
		Call(types.Int, "len", &plan.Convert{X: plan.X{T: &types.List{Elem: types.Float}}, Operand: &plan.MakeList{X: list, Elems: []plan.Expr{Int(1), Int(2)}}}),
		&plan.Member{X: integer, Operand: &plan.Convert{
			X:       plan.X{T: Record(F("a", types.Int))},
			Operand: &plan.MakeRecord{X: plan.X{T: Record(F("b", types.String), F("a", types.Int))}, Fields: []plan.Expr{Str("x"), Int(5)}},
		}, Name: "a"},
	} {
		stmts = append(stmts, Emit(e))
	}
	stmts = append(stmts,
		&plan.SetLocal{Slot: 0, Value: ms},                         // read by nobody
		&plan.SetLocal{Slot: 1, Value: Call(types.Int, "len", id)}, // the same, but the call may fail
		&plan.IfStmt{Cond: &plan.Unary{X: boolean, Op: plan.Not, Operand: Bool(true)}, Then: []plan.Stmt{&plan.Drop{Name: "never"}}, Else: []plan.Stmt{Emit(Int(8))}},
		&plan.IfStmt{Cond: Bin(types.Bool, plan.In, Str("b"), &plan.MakeList{X: plan.X{T: &types.List{Elem: types.String}}, Elems: []plan.Expr{Str("a"), Str("b")}}), Then: []plan.Stmt{Emit(Int(9))}},
	)
	bolt := b.Body("bolt", event, out, []types.Type{types.Int, types.Int}, stmts...)
	b.Edge(src, bolt, 0)
	b.Edge(bolt, b.Sink("out", "file.write", out), 0)
	return b.Plan
}

func TestPlans(t *testing.T) {
	for name, build := range plans {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, "testdata/"+name+".plan", plan.Dump(run(t, build())))
		})
	}
}

// TestPassesAreIndependent leaves each optional pass out, and all of them.
func TestPassesAreIndependent(t *testing.T) {
	var all []string
	for _, pass := range optimize.Passes() {
		if pass.Optional {
			all = append(all, pass.Name)
		}
	}
	for _, build := range plans {
		for _, off := range all {
			run(t, build(), off)
		}
		run(t, build(), all...)
	}
}

func TestPassesOffLeaveOut(t *testing.T) {
	p := run(t, WordCount(), "combine", "fuse", "split", "prune", "fold")
	dump := plan.Dump(p)
	for _, gone := range []string{"combine", "fused", "split freely"} {
		if strings.Contains(dump, gone) {
			t.Errorf("there is %q in\n%s", gone, dump)
		}
	}
	if len(p.Tasks) != len(p.Nodes) {
		t.Errorf("%d tasks for %d nodes", len(p.Tasks), len(p.Nodes))
	}
	if _, err := optimize.Run(WordCount(), optimize.Options{Off: []string{"spread"}}, nil); err == nil {
		t.Error("a pass that is needed can be switched off")
	}
}

// TestOneCore: nothing is parallel that is not written so.
func TestOneCore(t *testing.T) {
	p, err := optimize.Run(WordCount(), optimize.Options{Cores: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range p.Nodes {
		if n.Parallelism != 1 {
			t.Errorf("%s has %d copies", n.Name, n.Parallelism)
		}
	}
}
