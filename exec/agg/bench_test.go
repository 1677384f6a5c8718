package agg

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/types"
)

// zipfWords returns batches of 2,048 words: n in all out of 60,000 whose frequencies fall as in a text, frequent ones
// being short.
func zipfWords(n int) []*batch.Batch {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([][]byte, 60_000)
	for i := range words {
		w := make([]byte, 2+r.IntN(3)+int(1.2*math.Log(float64(i+1))*r.Float64()))
		for k := range w {
			w[k] = 'a' + byte(r.IntN(26))
		}
		words[i] = w
	}
	sum, acc := 0.0, make([]float64, len(words))
	for i := range acc {
		sum += math.Pow(float64(i)+2.7, -1.03)
		acc[i] = sum
	}
	l := &types.Record{Fields: []types.Field{{Name: "word", Type: types.String}}}
	b := batch.NewBuilder(l)
	var out []*batch.Batch
	for range n {
		b.Col(0).AppendBytes(words[sort.SearchFloat64s(acc, r.Float64()*sum)])
		b.EndRow()
		if b.Len() == 2048 {
			out = append(out, b.Finish())
		}
	}
	return out
}

func BenchmarkLookup(b *testing.B) {
	bs := zipfWords(1 << 20)
	t := NewTable([]types.Type{types.String})
	var idx []uint32
	for _, x := range bs {
		idx = t.Lookup(idx[:0], x.Cols, x.N)
	}
	b.ResetTimer()
	n := 0
	for b.Loop() {
		x := bs[n%len(bs)]
		idx = t.Lookup(idx[:0], x.Cols, x.N)
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*2048), "ns/word")
}

// BenchmarkCount counts 60,000 words whose frequencies fall as in a text: hash, probe and count, as a combiner does it.
func BenchmarkCount(b *testing.B) {
	bs := zipfWords(1 << 20)
	in := bs[0].Layout
	g := NewGroups(kernel.NewEnv(nil, nil), &plan.Node{
		Kind: plan.KindCombine, In: in, Keys: []plan.KeyDef{{Name: "word", Expr: plantest.In(in, "word")}},
		Agg: &plan.Aggregate{Calls: []plan.AggCall{{Func: "count", Type: types.Int}}},
	})
	for _, x := range bs {
		g.Absorb(0, x)
	}
	n := 0
	for b.Loop() {
		g.Absorb(0, bs[n%len(bs)])
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*2048), "ns/word")
	b.ReportMetric(float64(g.Len()), "keys")
}
