package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// textBatch returns n lines of 5 to 15 words as a reader of files makes them: the lines lie in one block.
func textBatch(n int) (b *batch.Batch, words int) {
	r := rand.New(rand.NewPCG(1, 2))
	var data []byte
	c := batch.Col{}
	for range n {
		from := len(data)
		k := 5 + r.IntN(11)
		words += k
		for i := range k {
			if i > 0 {
				data = append(data, ' ')
			}
			at := len(data)
			for range 2 + r.IntN(4) + r.IntN(5) {
				data = append(data, 'a'+byte(r.IntN(26)))
			}
			if i == 0 {
				data[at] -= 32
			}
		}
		c.Str = append(c.Str, batch.Str{Off: uint32(from), Len: uint32(len(data) - from)})
		data = append(data, '\n')
	}
	c.Data = data
	return &batch.Batch{N: n, Layout: plantest.Record(types.Field{Name: "line", Type: types.String}), Cols: []batch.Col{c}}, words
}

// splitBody is `for word in words(lower(line)) { emit (word) }`.
func splitBody(in batch.Layout) (*plan.Body, []plan.Out) {
	words := plantest.Call(&types.List{Elem: types.String}, "words", plantest.Call(types.String, "lower", plantest.In(in, "line")))
	return &plan.Body{
		Locals: []types.Type{types.String},
		Stmts: []plan.Stmt{&plan.For{Slot: 0, Slot2: -1, In: words, Body: []plan.Stmt{
			plantest.Emit(plantest.Local(types.String, 0, "word")),
		}}},
	}, []plan.Out{{Layout: plantest.Record(types.Field{Name: "word", Type: types.String})}}
}

// plainLib has plain implementations of the functions that the benchmarks call.
func plainLib() expr.Funcs {
	return expr.Funcs{
		"words": {Name: "words", Row: func(args []value.Value) (value.Value, error) {
			var out []value.Value
			for _, w := range wordsOf([]byte(args[0].Str())) {
				out = append(out, value.OfString(w))
			}
			return value.OfList(out), nil
		}},
		"lower": {Name: "lower", Row: func(args []value.Value) (value.Value, error) {
			return value.OfString(string(lowered([]byte(args[0].Str())))), nil
		}},
	}
}

func BenchmarkWords(b *testing.B) {
	for _, how := range []struct{ parents, reuse bool }{{}, {parents: true}, {reuse: true}} {
		b.Run(fmt.Sprintf("%+v", how), func(b *testing.B) {
			in, words := textBatch(256)
			body, outs := splitBody(in.Layout)
			p := Compile(NewEnv(nil, plainLib()), body, in.Layout, outs)
			if !p.Kernel() {
				b.Fatal("no kernel")
			}
			for b.Loop() {
				if got := p.Run(in, how.parents).Outs[0].Batch.N; got != words {
					b.Fatalf("%d words, want %d", got, words)
				}
				if how.reuse {
					p.Reuse()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
		})
	}
}

func BenchmarkAppendWords(b *testing.B) {
	in, words := textBatch(256)
	c := in.Cols[0]
	dst := make([]batch.Str, 0, words)
	low := make([]byte, len(c.Data)+8)
	b.Run("tokenise", func(b *testing.B) {
		for b.Loop() {
			dst = dst[:0]
			for _, s := range c.Str {
				dst = appendWords(dst, c.Data, int(s.Off), int(s.Off+s.Len))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
	})
	b.Run("lower", func(b *testing.B) {
		for b.Loop() {
			for _, s := range c.Str {
				lowerInto(low[s.Off:], c.Data[s.Off:s.Off+s.Len])
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
	})
}

// BenchmarkFilter is `where a > 10.0 && country in ["FR", "DE"]` and `select (country, net: a * 0.8, n: n + 1)` in one body,
// of which half of the rows get through.
func BenchmarkFilter(b *testing.B) {
	in := plantest.Record(plantest.F("country", types.String), plantest.F("a", types.Float), plantest.F("n", types.Int))
	float := func(f float64) plan.Expr {
		return &plan.Const{X: plan.X{T: types.Float}, Value: value.OfFloat(f)}
	}
	list := &plan.MakeList{X: plan.X{T: &types.List{Elem: types.String}}, Elems: []plan.Expr{plantest.Str("FR"), plantest.Str("DE")}}
	cond := plantest.Bin(types.Bool, plan.And, plantest.Bin(types.Bool, plan.Gt, plantest.In(in, "a"), float(10)),
		plantest.Bin(types.Bool, plan.In, plantest.In(in, "country"), list))
	body := &plan.Body{Stmts: []plan.Stmt{&plan.IfStmt{Cond: cond, Then: []plan.Stmt{plantest.Emit(
		plantest.In(in, "country"), plantest.Bin(types.Float, plan.Mul, plantest.In(in, "a"), float(0.8)),
		plantest.Bin(types.Int, plan.Add, plantest.In(in, "n"), plantest.Int(1)),
	)}}}}
	p := Compile(NewEnv(nil, plainLib()), body, in, []plan.Out{{Layout: plantest.Record(
		plantest.F("country", types.String), plantest.F("net", types.Float), plantest.F("n", types.Int))}})
	r := rand.New(rand.NewPCG(1, 2))
	w := batch.NewBuilder(in)
	for i := range 1024 {
		country := []string{"FR", "DE", "US", "BR"}[r.IntN(4)]
		w.Append([]value.Value{value.OfString(country), value.OfFloat(10 + 100*r.Float64()), value.OfInt(int64(i))})
	}
	rows := w.Finish()
	got := 0
	for b.Loop() {
		got = p.Run(rows, false).Outs[0].Batch.N
	}
	if got < 400 || got > 600 {
		b.Fatalf("%d rows", got)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows.N), "ns/row")
}

// BenchmarkExpr is `(a * 1.5 + b) * (b - a) / 2.0 > a`, eight operators over a whole batch.
func BenchmarkExpr(b *testing.B) {
	in := plantest.Record(plantest.F("a", types.Float), plantest.F("b", types.Float))
	float := func(f float64) plan.Expr {
		return &plan.Const{X: plan.X{T: types.Float}, Value: value.OfFloat(f)}
	}
	op := func(op plan.Op, l, r plan.Expr) plan.Expr { return plantest.Bin(types.Float, op, l, r) }
	x, y := plantest.In(in, "a"), plantest.In(in, "b")
	e := op(plan.Div, op(plan.Mul, op(plan.Add, op(plan.Mul, x, float(1.5)), y), op(plan.Sub, y, x)), float(2))
	es := CompileExprs(NewEnv(nil, nil), []plan.Expr{plantest.Bin(types.Bool, plan.Gt, e, x)}, in)
	w := batch.NewBuilder(in)
	for i := range 256 {
		w.Append([]value.Value{value.OfFloat(float64(i)), value.OfFloat(float64(i * i % 17))})
	}
	rows := w.Finish()
	for b.Loop() {
		es.Eval(rows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows.N), "ns/row")
}
