package task

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/ledger"
)

// Nodes with state end the trees of their input (rule R1): what they took in is acked, because its effect is in the
// state; what they put out are roots of their own, whose batch is kept until all of them are settled. A failure behind
// emits the recorded rows again, and never runs the node again.

// mostRoots is how many rows one derived span has at most.
const mostRoots = 1 << 12

// stateful reports whether what the node puts out are roots of their own.
func (n *node) stateful() bool { return n.owner != nil && n.plan.Kind != plan.KindSource }

// derive emits an output batch of a stateful node as roots of its own.
func (n *node) derive(out int, b *batch.Batch) {
	if b.N == 0 {
		return
	}
	if b.N > mostRoots {
		for lo := 0; lo < b.N; lo += mostRoots {
			n.derive(out, b.Slice(lo, min(lo+mostRoots, b.N)))
		}
		return
	}
	o := n.owner
	size := 0
	if o.tracked {
		size = int(b.Bytes())
	}
	f := n.task.rooted(o, ledger.NewSpan{N: b.N, Bytes: size, Kept: ledger.Kept{Batch: b, Out: out}})
	n.number(b)
	n.emit(out, b, f)
	n.task.end(f)
}

// number gives the rows of an output batch origins and positions: their numbers in the span and their slots.
func (n *node) number(b *batch.Batch) {
	if !n.rootsOut && !n.plan.DeadRows {
		return
	}
	_, slot := n.owner.ledger.Head(0)
	b.Origin = make([]batch.Origin, b.N)
	b.Pos = make([]int64, b.N)
	for i := range b.Origin {
		b.Origin[i].Row = uint16(i)
		b.Pos[i] = int64(slot) + int64(i)
	}
}

// deriveAgain emits failed derived roots again.
func (n *node) deriveAgain(r ledger.Retry) {
	sel := make([]int32, len(r.Rows))
	for i, row := range r.Rows {
		sel[i] = int32(row)
	}
	b := r.Kept.Batch.Gather(sel)
	f := n.task.again(n.owner, r.Span)
	n.emit(r.Kept.Out, b, f)
	n.task.end(f)
}

// keyedStage is a body with state by key, run row by row.
type keyedStage struct {
	bodyStage
}

func (s *keyedStage) process(b *batch.Batch, f *flow) {
	n := s.node
	r := s.prog.Run(n.task.wall, b, false)
	n.settle(b, &r, f)
	for i := range r.Outs {
		o := &r.Outs[i]
		switch {
		case o.Batch == nil || o.Batch.N == 0:
		case o.Unanchored:
			n.emitUntracked(o.Out, o.Batch)
		default:
			n.derive(o.Out, o.Batch)
		}
	}
}

func (s *keyedStage) finish() (done, progress bool) { return s.node.settled() }

// settled reports whether all roots of the node are settled.
func (n *node) settled() (done, progress bool) {
	return n.owner.ledger.Books().Open == 0, false
}

// absorbStage is a combiner, an aggregate or a top.
type absorbStage struct {
	node   *node
	state  Absorber
	since  int64 // when a combiner began to hold what it holds; 0: it holds nothing
	firing bool  // a flush of a combiner has begun
	thrown bool  // a stop threw the state away
}

func (s *absorbStage) process(b *batch.Batch, f *flow) {
	n := s.node
	if s.since == 0 {
		s.since = max(n.task.now, 1)
	}
	r := s.state.Absorb(n.task.wall, b)
	n.settle(b, &r, f)
}

// fire gives out a batch of results, if the ledger has room for their roots.
func (s *absorbStage) fire() (done, progress bool) {
	n := s.node
	if _, n.owner.full = n.owner.ledger.Full(); n.owner.full {
		return false, false
	}
	r, done := s.state.Fire(n.task.wall, n.task.shared.Limits.BatchRows)
	s.firing = !done
	if done {
		s.since = 0
	}
	for _, d := range r.Dropped {
		n.counters.In.Add(int64(d.N))
		n.counters.drop(d.Name, d.N)
	}
	for i := range r.Outs {
		n.derive(r.Outs[i].Out, r.Outs[i].Batch)
	}
	if len(r.Failed)+len(r.Errored) > 0 {
		n.failPanes(&r)
	}
	return done, true
}

// failPanes settles results whose body failed. No other try can help: what is not sent to `.errors` is a dead letter at
// once. Each counts as a row that came in, since it is none of the rows that were absorbed.
func (n *node) failPanes(r *Result) {
	b := r.Rows
	f := n.task.rooted(n.owner, ledger.NewSpan{N: b.N})
	n.number(b)
	bad := len(r.Failed) + len(r.Errored)
	n.counters.In.Add(int64(bad))
	if len(r.Failed) > 0 {
		n.bury(b, r.Failed, f)
	}
	if len(r.Errored) > 0 {
		n.counters.OK.Add(int64(len(r.Errored)))
		n.emitErrors(b, r.Errored, f)
	}
	n.task.end(f)
}

func (s *absorbStage) ready() bool { return true }
func (s *absorbStage) poll() bool  { return false }

// flush fires a combiner: when it is full, and when no input has come for a while, so that nothing waits in it for ever.
// It reports whether there is something to flush, and whether some of it was.
func (s *absorbStage) flush() (must, progress bool) {
	if s.node.plan.Kind != plan.KindCombine || !(s.firing || s.state.Full() || s.overdue()) {
		return false, false
	}
	_, progress = s.fire()
	return true, progress
}

func (s *absorbStage) overdue() bool {
	at, ok := s.due()
	return ok && at <= s.node.task.now
}

// due returns when a combiner is flushed although it is not full.
func (s *absorbStage) due() (int64, bool) {
	t := s.node.task
	if s.since == 0 || s.node.plan.Kind != plan.KindCombine || t.idleSince == 0 || s.state.Held() == 0 || t.stuck ||
		s.node.owner.full {
		return 0, false
	}
	return max(t.idleSince, s.since) + t.shared.Limits.Hold, true
}

func (s *absorbStage) finish() (done, progress bool) {
	n := s.node
	switch {
	case n.stopped && n.plan.Kind != plan.KindCombine:
		if !s.thrown {
			s.thrown = true
			n.task.shared.thrown.Add(int64(s.state.Held()))
		}
	case s.state.Held() > 0 || s.firing:
		_, progress = s.fire()
		return false, progress
	}
	return n.settled()
}

func (s *absorbStage) held() int { return 0 }
