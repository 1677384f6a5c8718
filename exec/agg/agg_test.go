package agg_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/exec/agg"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib/fn"
)

func inType() *types.Record {
	return plantest.Record(
		plantest.F("k", types.String), plantest.F("i", types.Int), plantest.F("f", types.Float), plantest.F("s", types.String),
		plantest.F("o", &types.Optional{Elem: types.String}), plantest.F("d", types.Int),
	)
}

func field(name string) plan.Expr { return plantest.In(inType(), name) }

// call returns a call of an aggregate over a field.
func call(name, over string, t types.Type, more ...plan.Expr) plan.AggCall {
	c := plan.AggCall{Func: name, Type: t, At: source.Span{Start: 7}}
	if over != "" {
		c.Args = append([]plan.Expr{field(over)}, more...)
	}
	return c
}

func float(f float64) plan.Expr {
	return &plan.Const{X: plan.X{T: types.Float}, Value: value.OfFloat(f)}
}

// calls are aggregates over the fields; the first ones can be combined.
func calls(combined bool) []plan.AggCall {
	opt := &types.Optional{Elem: types.String}
	out := []plan.AggCall{
		call("count", "", types.Int), call("sum", "i", types.Int), call("sum", "f", types.Float), call("avg", "i", types.Float),
		call("avg", "f", types.Float), call("min", "i", types.Int), call("max", "f", types.Float), call("min", "s", types.String),
		call("max", "o", opt), call("first", "s", types.String), call("last", "i", types.Int), call("last", "o", opt),
	}
	if combined {
		return out
	}
	return append(out, call("distinct", "s", types.Int), call("distinct", "f", types.Int),
		call("collect", "o", &types.List{Elem: opt}, plantest.Int(3)), call("percentile", "i", types.Int, float(0.5)),
		call("percentile", "f", types.Float, float(0.99)))
}

// node returns an aggregate that emits its keys and all results.
func node(kind plan.Kind, keys []plan.KeyDef, in *types.Record, cs []plan.AggCall) *plan.Node {
	n := &plan.Node{Name: "n", Kind: kind, In: in, Keys: keys, Global: len(keys) == 0, Agg: &plan.Aggregate{Calls: cs}}
	if kind == plan.KindCombine {
		l, ok := plan.PartialLayout(keys, cs)
		if !ok {
			panic("calls cannot be combined")
		}
		n.Outs = []plan.Out{{Layout: l}}
		return n
	}
	emit, out := &plan.Emit{}, &types.Record{}
	for i, k := range keys {
		emit.Fields = append(emit.Fields, &plan.Key{X: plan.X{T: k.Expr.Type()}, Index: i, Name: k.Name})
		out.Fields = append(out.Fields, plantest.F(k.Name, k.Expr.Type()))
	}
	for i, c := range cs {
		emit.Fields = append(emit.Fields, &plan.AggResult{X: plan.X{T: c.Type}, Index: i})
		out.Fields = append(out.Fields, plantest.F(fmt.Sprint("r", i), c.Type))
	}
	n.Outs = []plan.Out{{Layout: out}}
	n.Body = &plan.Body{Stmts: []plan.Stmt{emit}}
	return n
}

// oracle computes aggregates from the values of all rows of a key, as plainly as can be.
func oracle(c plan.AggCall, rows [][]value.Value) (value.Value, bool) {
	var vs []value.Value
	if len(c.Args) > 0 {
		for _, r := range rows {
			vs = append(vs, r[c.Args[0].(*plan.Input).Field])
		}
	}
	switch c.Func {
	case "count":
		return value.OfInt(int64(len(rows))), true
	case "sum", "avg":
		return total(c, vs)
	case "min", "max":
		vs = slices.DeleteFunc(slices.Clone(vs), value.Value.IsNone)
		if len(vs) == 0 {
			return value.Value{}, true
		}
		if c.Func == "min" {
			return slices.MinFunc(vs, value.Compare), true
		}
		return slices.MaxFunc(vs, value.Compare), true
	case "first":
		return vs[0], true
	case "last":
		return vs[len(vs)-1], true
	case "distinct":
		seen := map[string]bool{}
		for _, v := range vs {
			seen[string(value.AppendKey(nil, v))] = true
		}
		return value.OfInt(int64(len(seen))), true
	case "collect":
		return value.OfList(vs[:min(len(vs), 3)]), true
	default: // percentile
		p := c.Args[1].(*plan.Const).Value.Float()
		slices.SortFunc(vs, value.Compare)
		return vs[int(math.Ceil(p*float64(len(vs))))-1], true
	}
}

// total is sum or avg.
func total(c plan.AggCall, vs []value.Value) (value.Value, bool) {
	if c.Args[0].Type() == types.Float {
		sum := 0.0
		for _, v := range vs {
			sum += v.Float()
		}
		if math.IsInf(sum, 0) || math.IsNaN(sum) {
			return value.Value{}, false
		}
		if c.Func == "avg" {
			sum /= float64(len(vs))
		}
		return value.OfFloat(sum), true
	}
	sum := new(big.Int)
	for _, v := range vs {
		sum.Add(sum, big.NewInt(v.Int()))
	}
	if c.Func == "avg" {
		f, _ := new(big.Float).SetInt(sum).Float64()
		return value.OfFloat(f / float64(len(vs))), true
	}
	return value.OfInt(sum.Int64()), sum.IsInt64()
}

// fire lets a state give everything back in small parts, and returns the rows and the failures.
func fire(t *rapid.T, g *agg.Groups) (rows []string, bs []*batch.Batch, failed []string) {
	for {
		res, done := g.Fire(0, rapid.IntRange(1, 4).Draw(t, "most"))
		for _, o := range res.Outs {
			if err := o.Batch.Check(); err != nil {
				t.Fatal(err)
			}
			bs = append(bs, o.Batch)
			for i := range o.Batch.N {
				rows = append(rows, fmt.Sprint(o.Batch.Row(i)))
			}
		}
		for _, f := range res.Failed {
			if !f.Err.Fault || f.Err.Place.Start != 7 || f.Err.Code != diag.IntOverflow && f.Err.Code != diag.NotFinite {
				t.Fatalf("failure %v", f.Err)
			}
			failed = append(failed, fmt.Sprint(res.Rows.Row(f.Row)[:1]))
		}
		if done {
			return rows, bs, failed
		}
	}
}

// TestAggregatesAreThoseOfTheirRows compares with the oracle, without and with a combiner in front.
func TestAggregatesAreThoseOfTheirRows(t *testing.T) {
	env := kernel.NewEnv(nil, fn.Table())
	rapid.Check(t, func(t *rapid.T) {
		combined := rapid.Bool().Draw(t, "combined")
		cs := calls(combined)
		// A sum of floats depends on the order, which several partial results change.
		often := combined && rapid.Bool().Draw(t, "often")
		if often {
			cs = slices.DeleteFunc(cs, func(c plan.AggCall) bool {
				return (c.Func == "sum" || c.Func == "avg") && c.Args[0].Type() == types.Float
			})
		}
		var keys []plan.KeyDef
		if rapid.IntRange(0, 3).Draw(t, "global") > 0 {
			keys = []plan.KeyDef{{Name: "k", Expr: field("k")}}
		}
		whole := agg.NewGroups(env, node(plan.KindAggregate, keys, inType(), cs))
		var before *agg.Groups
		if combined {
			before = agg.NewGroups(env, node(plan.KindCombine, keys, inType(), cs))
			l, _ := plan.PartialLayout(keys, cs)
			behind := node(plan.KindAggregate, keys, l, cs)
			behind.Agg.Partials = true
			whole = agg.NewGroups(env, behind)
		}
		groups, order := map[string][][]value.Value{}, []string(nil)
		for range rapid.IntRange(0, 3).Draw(t, "batches") {
			b := batchtest.Batch(t, inType(), 12)
			for i := range b.N {
				row := b.Row(i)
				k := ""
				if len(keys) > 0 {
					k = row[0].Str()
				}
				if groups[k] == nil {
					order = append(order, k)
				}
				groups[k] = append(groups[k], row)
			}
			if !combined {
				whole.Absorb(0, b)
				continue
			}
			before.Absorb(0, b)
			if often && rapid.Bool().Draw(t, "flush") {
				handOver(t, before, whole)
			}
		}
		if combined {
			handOver(t, before, whole)
		}
		if whole.Len() != len(order) {
			t.Fatalf("%d keys, want %d", whole.Len(), len(order))
		}
		got, _, failed := fire(t, whole)
		compare(t, cs, len(keys) > 0, groups, order, got, failed)
		if whole.Len() != 0 {
			t.Fatal("the state is not empty after it has fired")
		}
	})
}

func handOver(t *rapid.T, from, to *agg.Groups) {
	_, bs, _ := fire(t, from)
	for _, b := range bs {
		if res := to.Absorb(0, b); len(res.Failed) > 0 {
			t.Fatal("partial results fail")
		}
	}
}

func compare(t *rapid.T, cs []plan.AggCall, keyed bool, groups map[string][][]value.Value, order, got, failed []string) {
	for _, k := range order {
		row, ok := []value.Value{}, true
		if keyed {
			row = append(row, value.OfString(k))
		}
		for _, c := range cs {
			v, fits := oracle(c, groups[k])
			ok = ok && fits
			row = append(row, v)
		}
		if !ok {
			if len(failed) == 0 || keyed && failed[0] != fmt.Sprint(row[:1]) {
				t.Fatalf("no fault of key %q; failed are %v", k, failed)
			}
			failed = failed[1:]
			continue
		}
		if len(got) == 0 || got[0] != fmt.Sprint(row) {
			t.Fatalf("next row is\n%v, want\n%v", got, row)
		}
		got = got[1:]
	}
	if len(got)+len(failed) > 0 {
		t.Fatalf("too many rows: %v, failed %v", got, failed)
	}
}

// TestRowsThatFailAreNotAbsorbed divides by a field that is sometimes 0, in a key and in an argument.
func TestRowsThatFailAreNotAbsorbed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := func(n int64) plan.Expr { return plantest.Bin(types.Int, plan.Div, plantest.Int(n), field("d")) }
		n := node(plan.KindAggregate, []plan.KeyDef{{Name: "q", Expr: ratio(4)}}, inType(), []plan.AggCall{
			call("count", "", types.Int), {Func: "sum", Args: []plan.Expr{ratio(math.MinInt64)}, Type: types.Int},
		})
		g := agg.NewGroups(kernel.NewEnv(nil, fn.Table()), n)
		b := batchtest.Batch(t, inType(), 20)
		var want []string
		counted := int64(0)
		for i := range b.N {
			switch d := b.Cols[5].Int[i]; d {
			case 0:
				want = append(want, fmt.Sprint(i, diag.DivisionByZero, false))
			case -1:
				want = append(want, fmt.Sprint(i, diag.IntOverflow, true))
			default:
				counted++
			}
		}
		var got []string
		for _, e := range g.Absorb(0, b).Failed {
			got = append(got, fmt.Sprint(e.Row, e.Err.Code, e.Err.Fault))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("failed are %v, want %v", got, want)
		}
		res, _ := g.Fire(0, 100)
		for _, o := range res.Outs {
			for _, n := range o.Batch.Cols[1].Int {
				counted -= n
			}
		}
		if counted != 0 && len(res.Failed) == 0 {
			t.Fatalf("%d rows too few are counted", counted)
		}
	})
}

// TestPanesThatFail runs a body that divides two results, once by columns and once in a form that goes row by row.
func TestPanesThatFail(t *testing.T) {
	l := inType()
	rows := batch.NewBuilder(l)
	for _, r := range [][3]int64{{1, 10, 2}, {2, 7, 0}, {3, math.MaxInt64, 1}, {3, 1, 0}, {4, 9, 3}, {5, math.MinInt64, -1}} {
		rows.Append([]value.Value{
			value.OfString(fmt.Sprint(r[0])), value.OfInt(r[1]), value.OfFloat(0), value.OfString(""), {}, value.OfInt(r[2]),
		})
	}
	in := rows.Finish()
	for _, byRow := range []bool{false, true} {
		n := node(plan.KindAggregate, []plan.KeyDef{{Name: "k", Expr: field("k")}}, l,
			[]plan.AggCall{call("sum", "i", types.Int), call("sum", "d", types.Int)})
		result := func(i int) plan.Expr { return &plan.AggResult{X: plan.X{T: types.Int}, Index: i} }
		key := &plan.Key{X: plan.X{T: types.String}, Name: "k"}
		out := plantest.Record(plantest.F("k", types.String), plantest.F("r", types.Int))
		n.Outs = []plan.Out{{Layout: out}, {Name: "errors", Layout: plantest.Record(plantest.F("input", l))}}
		var emit plan.Stmt = plantest.Emit(key, plantest.Bin(types.Int, plan.Div, result(0), result(1)))
		n.Body = &plan.Body{Errors: plan.PolicyEmit, Stmts: []plan.Stmt{emit}}
		if byRow {
			n.Body.Locals = []types.Type{types.Int}
			one := &plan.MakeList{X: plan.X{T: &types.List{Elem: types.Int}}, Elems: []plan.Expr{plantest.Int(1)}}
			n.Body.Stmts = []plan.Stmt{&plan.For{Slot: 0, Slot2: -1, In: one, Body: []plan.Stmt{emit, &plan.Break{}}}}
		}
		g := agg.NewGroups(kernel.NewEnv(nil, fn.Table()), n)
		g.Absorb(0, in)
		res, done := g.Fire(0, 10)
		var got []string
		for _, o := range res.Outs {
			for i := range o.Batch.N {
				got = append(got, fmt.Sprint(o.Output, o.Batch.Row(i)))
			}
		}
		for _, f := range res.Failed {
			got = append(got, fmt.Sprint(res.Rows.Row(f.Row)[0], " ", f.Err.Code))
		}
		want := []string{
			`0 ["1" 5]`, `0 ["4" 3]`, `"2" ` + string(diag.DivisionByZero), `"3" ` + string(diag.IntOverflow), `"5" ` + string(diag.IntOverflow),
		}
		if !slices.Equal(got, want) || !done {
			t.Errorf("row by row %t: got %q, want %q", byRow, got, want)
		}
	}
}

// TestPercentile holds the definition against values where rounding could go wrong.
func TestPercentile(t *testing.T) {
	env := kernel.NewEnv(nil, fn.Table())
	for _, c := range []struct {
		p    float64
		n    int
		want int64
	}{{0, 10, 1}, {1, 10, 10}, {0.5, 10, 5}, {0.5, 11, 6}, {0.07, 100, 7}, {0.29, 100, 29}, {0.99, 100, 99}, {0.999, 100, 100}, {0.1, 1, 1}} {
		l := inType()
		g := agg.NewGroups(env, node(plan.KindAggregate, nil, l, []plan.AggCall{call("percentile", "i", types.Int, float(c.p))}))
		b := batch.NewBuilder(l)
		for i := range c.n {
			b.Append([]value.Value{value.OfString(""), value.OfInt(int64(c.n - i)), value.OfFloat(0), value.OfString(""), {}, value.OfInt(0)})
		}
		g.Absorb(0, b.Finish())
		res, _ := g.Fire(0, 1)
		if got := res.Outs[0].Batch.Cols[0].Int[0]; got != c.want {
			t.Errorf("percentile %v of 1 to %d is %d, want %d", c.p, c.n, got, c.want)
		}
	}
}

// TestTop compares with sorting all rows.
func TestTop(t *testing.T) {
	env := kernel.NewEnv(nil, fn.Table())
	rapid.Check(t, func(t *rapid.T) {
		l := batchtest.Record(t, 1)
		by := rapid.IntRange(0, len(l.Fields)-1).Draw(t, "by")
		n := rapid.IntRange(-1, 4).Draw(t, "n")
		top := agg.NewTop(env, &plan.Node{In: l, Outs: []plan.Out{{Layout: l}}, Top: &plan.Top{
			N: int64(n), By: &plan.Input{X: plan.X{T: l.Fields[by].Type}, Field: by, Name: l.Fields[by].Name},
		}})
		for range 2 { // The state takes rows again after it has fired.
			var rows [][]value.Value
			for range rapid.IntRange(0, 3).Draw(t, "batches") {
				b := batchtest.Batch(t, l, 10)
				for range rapid.SampledFrom([]int{1, 1, 300}).Draw(t, "times") {
					if res := top.Absorb(0, b); len(res.Failed) > 0 {
						t.Fatal("a field fails")
					}
					for i := range b.N {
						rows = append(rows, b.Row(i))
					}
				}
			}
			slices.SortFunc(rows, func(a, b []value.Value) int {
				if c := value.Compare(b[by], a[by]); c != 0 {
					return c
				}
				return slices.CompareFunc(a, b, value.Compare)
			})
			if n >= 0 {
				rows = rows[:min(n, len(rows))]
				if top.Len() > 2*n+1024+10 {
					t.Fatalf("%d rows are kept for the best %d", top.Len(), n)
				}
			}
			for done := false; !done; {
				var res agg.Result
				res, done = top.Fire(rapid.IntRange(1, 50).Draw(t, "most"))
				for _, o := range res.Outs {
					for i := range o.Batch.N {
						if len(rows) == 0 || value.Compare(value.OfRecord(o.Batch.Row(i)), value.OfRecord(rows[0])) != 0 {
							t.Fatalf("next row is %v; left are %v", o.Batch.Row(i), rows)
						}
						rows = rows[1:]
					}
				}
			}
			if len(rows) > 0 || top.Len() != 0 || top.Bytes() != 0 {
				t.Fatalf("%d rows are missing; %d rows of %d bytes stay", len(rows), top.Len(), top.Bytes())
			}
		}
	})
}
