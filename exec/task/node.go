package task

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/internal/bug"
)

// node is one copy of a plan node inside a task.
type node struct {
	task     *Task
	plan     *plan.Node
	stage    stage
	outs     [][]*edge // by output
	owner    *owner    // of a source or stateful node
	origins  bool      // batches that come in carry origins
	rootsOut bool      // an edge out carries origins
	counters *Counters
	eofs     int // inputs that have not ended
	stopped  bool
}

// stage is what a kind of node does.
type stage interface {
	// process takes a batch of the node's In layout. Its spans are those of f.
	process(b *batch.Batch, f *flow)
	// ready reports whether process may be called: a sink refuses while too much waits.
	ready() bool
	// poll looks after calls under way and things that are due; it reports whether it did something.
	poll() bool
	// finish brings the node to its end, after the last batch; it is called until it reports done, and reports progress.
	finish() (done, progress bool)
	// due returns when poll wants to be called; false if never.
	due() (int64, bool)
	// held returns the rows that the node keeps and has not settled.
	held() int
}

// edge leads out of a node.
type edge struct {
	plan    *plan.Edge
	layout  batch.Layout
	same    bool // the columns are those of the output, all and in order
	to      *node
	out     *exchange.Outbox
	keys    Keys // of an edge by key
	origins bool
	hashes  []uint64
}

// Keys computes the hashes of rows' keys.
type Keys interface {
	// Hash appends the hash of each row's key to dst. Keys cannot fail.
	Hash(dst []uint64, in *batch.Batch) []uint64
}

// owner is the ledger of a source or stateful node in this task.
type owner struct {
	ledger  *ledger.Owner
	inbox   *ledger.Inbox
	node    *node
	tracked bool
	full    bool // Full was reported
}

// emit sends a batch out of an output of a node. Origin and Pos of the batch are those of its rows, if carried.
func (n *node) emit(out int, b *batch.Batch, f *flow) {
	if b.N == 0 {
		return
	}
	n.counters.Out.Add(int64(b.N))
	for _, e := range n.outs[out] {
		e.send(n.task, b, f, len(n.outs[out]) == 1)
	}
}

// send takes a batch over an edge. With alone, no other edge takes it.
func (e *edge) send(t *Task, b *batch.Batch, f *flow, alone bool) {
	if e.plan.Optional && f.tracked {
		if b = e.firstAttempts(b, f); b.N == 0 {
			return
		}
	}
	c := e.project(b)
	if e.to != nil {
		e.to.take(c, f)
		return
	}
	if alone && e.plan.Grouping != plan.ToAll && !e.plan.Optional {
		c.Lease = b.Lease // the receiver is the only one who has the columns; see sinkStage.settle
	}
	if e.out.ByKey() {
		e.hashes = e.keys.Hash(e.hashes[:0], c)
	}
	var trees exchange.Trees
	if f.tracked {
		trees = f
	}
	e.out.Write(c, e.hashes, trees, t.now)
}

// firstAttempts returns the rows of a batch whose roots are emitted for the first time: an optional branch takes no row
// twice. Where rows do not carry their roots, none of a batch with a repeated one is taken.
func (e *edge) firstAttempts(b *batch.Batch, f *flow) *batch.Batch {
	some := false
	for i := range f.spans {
		some = some || f.attempt(uint16(i)) > 0
	}
	if !some {
		return b
	}
	sel := []int32{}
	for i, o := range b.Origin {
		if f.attempt(o.Span) == 0 {
			sel = append(sel, int32(i))
		}
	}
	e.out.Repeated(b.N - len(sel))
	return b.Gather(sel)
}

// project returns the batch with the columns that the target reads.
func (e *edge) project(b *batch.Batch) *batch.Batch {
	c := &batch.Batch{N: b.N, Layout: e.layout, Cols: b.Cols}
	if !e.same {
		c.Cols = make([]batch.Col, len(e.plan.Columns))
		for i, from := range e.plan.Columns {
			c.Cols[i] = b.Cols[from]
		}
	}
	if e.origins {
		c.Origin, c.Pos = b.Origin, b.Pos
	}
	return c
}

// take gives a batch to the node.
func (n *node) take(b *batch.Batch, f *flow) {
	n.counters.In.Add(int64(b.N))
	n.stage.process(b, f)
}

// settle books a body's result for a batch: what was dropped and what failed; the rest is OK.
func (n *node) settle(b *batch.Batch, r *Result, f *flow) {
	bad := len(r.Failed)
	for _, d := range r.Dropped {
		n.counters.drop(d.Name, d.N)
		bad += d.N
	}
	n.counters.OK.Add(int64(b.N - bad))
	if len(r.Failed) > 0 {
		n.failTrees(b, r.Failed, f)
	}
	if len(r.Errored) > 0 {
		n.emitErrors(b, r.Errored, f)
	}
}

// inherit gives the rows of an output the origins and positions of the rows that they were made from.
func inherit(out *batch.Batch, parents []int32, in *batch.Batch) {
	if in.Origin != nil {
		out.Origin = pick(in.Origin, parents)
	}
	if in.Pos != nil {
		out.Pos = pick(in.Pos, parents)
	}
}

func pick[T any](s []T, parents []int32) []T {
	if parents == nil {
		return s
	}
	out := make([]T, len(parents))
	for i, p := range parents {
		out[i] = s[p]
	}
	return out
}

// root returns the root of a row; rows without origin are of a span of one row.
func root(b *batch.Batch, row int32) batch.Origin {
	if b.Origin == nil {
		bug.Panicf("task: a row failed whose batch carries no origins")
	}
	return b.Origin[row]
}

// bodyStage is a stateless body.
type bodyStage struct {
	node *node
	prog Program
	// reuse: everything that comes out is absorbed at once, so that the memory of the batches can be used again.
	reuse bool
}

func (s *bodyStage) process(b *batch.Batch, f *flow) {
	n := s.node
	r := s.prog.Run(n.task.wall, b, n.rootsOut && (b.Origin != nil || b.Pos != nil))
	n.settle(b, &r, f)
	for i := range r.Outs {
		o := &r.Outs[i]
		if o.Batch == nil || o.Batch.N == 0 {
			continue
		}
		out := *o.Batch
		if o.Unanchored {
			n.emitUntracked(o.Out, &out)
			continue
		}
		if n.rootsOut {
			inherit(&out, o.Parents, b)
		}
		n.emit(o.Out, &out, f)
	}
	if s.reuse {
		s.prog.Reuse()
	}
}

// absorbed reports whether all that a node puts out is absorbed by nodes of the same task.
func (n *node) absorbed() bool {
	for _, edges := range n.outs {
		for _, e := range edges {
			if e.to == nil {
				return false
			}
			if _, ok := e.to.stage.(*absorbStage); !ok {
				return false
			}
		}
	}
	return true
}

// emitUntracked sends rows that belong to no tree.
func (n *node) emitUntracked(out int, b *batch.Batch) {
	f := n.task.received(nil)
	n.emit(out, b, f)
	n.task.end(f)
}

func (*bodyStage) ready() bool                   { return true }
func (*bodyStage) poll() bool                    { return false }
func (*bodyStage) finish() (done, progress bool) { return true, false }
func (*bodyStage) due() (int64, bool)            { return 0, false }
func (*bodyStage) held() int                     { return 0 }

// passStage is a memory channel: an edge with a larger queue.
type passStage struct {
	bodyStage
}

func (s *passStage) process(b *batch.Batch, f *flow) {
	s.node.counters.OK.Add(int64(b.N))
	s.node.emit(0, b, f)
}
