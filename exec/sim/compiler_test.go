package sim

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/types"
)

// The test's compiler: a scenario makes what its nodes run. State is remembered by node, over all of its tasks, for the
// expectation to look at.

const failCode = "X0401"

// Body implements task.Compiler.
func (s *scenario) Body(n *plan.Node) task.Program { return &body{s, s.ops[n.ID], nil} }

// Keyed implements task.Compiler.
func (s *scenario) Keyed(n *plan.Node) task.Program {
	return &body{s, s.ops[n.ID], s.counts(n)}
}

// Absorber implements task.Compiler.
func (s *scenario) Absorber(n *plan.Node) task.Absorber {
	w := &whole{total: s.counts(n), node: n, state: map[int64]int64{}}
	if n.Kind == plan.KindCombine {
		w.combine = s.ops[n.ID].mod
	}
	w.partial = slices.ContainsFunc(s.plan.Edges, func(e *plan.Edge) bool {
		return e.To == n.ID && s.plan.Nodes[e.From].Kind == plan.KindCombine
	})
	return w
}

// Each implements task.Compiler.
func (s *scenario) Each(*plan.Node) task.Exprs { return nil }

// Keys implements task.Compiler.
func (s *scenario) Keys(*plan.Edge, batch.Layout) task.Keys { return keyHash{} }

// counts returns how many rows a stateful node has absorbed, by key.
func (s *scenario) counts(n *plan.Node) map[int64]int64 {
	if s.absorbed[n.ID] == nil {
		s.absorbed[n.ID] = map[int64]int64{}
	}
	return s.absorbed[n.ID]
}

type keyHash struct{}

// Hash implements task.Keys.
func (keyHash) Hash(dst []uint64, in *batch.Batch) []uint64 {
	return batch.Hash(dst, in.Cols[1:2], []types.Type{types.Int}, in.N)
}

// body runs an op row by row.
type body struct {
	s     *scenario
	op    *op
	count map[int64]int64
}

// Run implements task.Program.
func (p *body) Run(_ int64, in *batch.Batch, parents bool) task.Result {
	var r task.Result
	bl := batch.NewBuilder(rowLayout)
	var from []int32
	dropped := 0
	for i := range in.N {
		id, key, cp := in.Cols[0].Int[i], in.Cols[1].Int[i], in.Cols[2].Int[i]
		emit := func(cp int64) {
			bl.Append(row(id, key, cp))
			from = append(from, int32(i))
		}
		hit := id%p.op.mod == p.op.rest
		switch p.op.kind {
		case opFlat:
			for k := range p.op.copies() {
				emit(cp*4 + k)
			}
		case opFilter:
			if hit {
				dropped++
			} else {
				emit(cp)
			}
		case opPoison, opFlaky:
			if hit && (p.op.kind == opPoison || p.s.host.chance(50)) {
				r.Failed = append(r.Failed, task.Failure{
					Row: int32(i), Code: failCode, Message: "poison", Fault: p.op.fault && p.op.kind == opPoison,
				})
			} else {
				emit(cp)
			}
		case opOnly:
			if hit {
				emit(cp)
			} else {
				dropped++
			}
		case opState:
			p.count[key]++
			emit(cp)
		default:
			emit(cp)
		}
	}
	if dropped > 0 {
		r.Dropped = []task.Drop{{Name: "filtered", N: dropped}}
	}
	if bl.Len() > 0 {
		r.Outs = []task.Output{{Batch: bl.Finish()}}
		if parents {
			r.Outs[0].Parents = from
		}
	}
	return r
}

// Reuse implements task.Program.
func (p *body) Reuse() {}

func (o *op) copies() int64 { return o.mod % 4 }

// whole counts rows by key and gives a row for each key at the end; a combiner gives (key, key, count) when it is full.
type whole struct {
	node    *plan.Node
	total   map[int64]int64
	state   map[int64]int64
	order   []int64
	fired   int
	combine int64 // of a combiner: keys with which it is full
	partial bool  // the input is a combiner's output
}

// Absorb implements task.Absorber.
func (w *whole) Absorb(_ int64, in *batch.Batch) task.Result {
	for i, key := range in.Cols[1].Int[:in.N] {
		if w.state[key] == 0 {
			w.order = append(w.order, key)
		}
		n := int64(1)
		if w.partial {
			n = in.Cols[2].Int[i]
		}
		w.state[key] += n
		w.total[key] += n
	}
	return task.Result{}
}

// Held implements task.Absorber.
func (w *whole) Held() int { return len(w.order) - w.fired }

// Full implements task.Absorber.
func (w *whole) Full() bool { return w.combine > 0 && int64(len(w.order)) >= w.combine }

// Fire implements task.Absorber.
func (w *whole) Fire(_ int64, most int) (task.Result, bool) {
	bl := batch.NewBuilder(rowLayout)
	for bl.Len() < most && w.fired < len(w.order) {
		key := w.order[w.fired]
		if w.combine > 0 {
			bl.Append(row(key, key, w.state[key]))
		} else {
			bl.Append(wholeRow(w.node, key))
		}
		w.fired++
	}
	var r task.Result
	if bl.Len() > 0 {
		r.Outs = []task.Output{{Batch: bl.Finish()}}
	}
	done := w.fired == len(w.order)
	if done {
		w.order, w.fired = nil, 0
		clear(w.state)
	}
	return r, done
}
