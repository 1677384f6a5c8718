package task

import (
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/ledger"
)

// How trees are followed through a task.
//
// A flow is the part of one or more trees that one batch in hand is. It begins when a batch is taken from a queue, read
// from a source, or put out by a stateful node (whose outputs are roots, rule R1), and ends when everything that was
// made of it has left the task, is held by a sink, or has ended. In between its batches move by calls and carry no
// edges; each batch that leaves forks the flow: new edges for each of its spans, noted in xor. When the flow ends, one
// message for each span says what came in and what went out; nothing that left is visible to others before that
// (exchange.Outbox.Send), so a tree cannot look finished while its message is on the way.
//
// Two short cuts keep this cheap. A flow of roots made here opens its ledger entry only when the first batch leaves: a
// tree that ends inside its first task costs a few additions. And the first batch that leaves a received flow takes over
// the edges on which that came (Pass), so that a task which passes batches on sends no message at all.

// flow implements exchange.Trees.
type flow struct {
	task    *Task
	tracked bool
	owner   *owner         // of roots made here; nil for a received batch
	open    bool           // the entry of roots made here exists
	root    ledger.NewSpan // of roots made here, until the entry is opened
	spans   []batch.Span
	one     [1]batch.Span // spans of roots made here
	xor     []uint64
	passed  bool
	fails   []rootFailure
}

// rootFailure is a root that failed: by span and its number in it.
type rootFailure struct {
	span   uint16
	row    uint16
	all    bool // all roots of the span
	giveUp bool
}

// received begins the flow of a batch that came in with spans.
func (t *Task) received(spans []batch.Span) *flow {
	f := t.newFlow()
	f.tracked = len(spans) > 0
	f.spans = spans
	f.clearXor()
	return f
}

// rooted begins the flow of roots that are made here.
func (t *Task) rooted(o *owner, root ledger.NewSpan) *flow {
	f := t.newFlow()
	f.tracked = o.tracked
	f.owner = o
	f.root = root
	f.one[0] = batch.Span{}
	f.spans = f.one[:]
	f.clearXor()
	return f
}

// again begins the flow of roots that are emitted again.
func (t *Task) again(o *owner, span batch.Span) *flow {
	f := t.rooted(o, ledger.NewSpan{})
	f.open = true
	f.one[0] = span
	return f
}

func (t *Task) newFlow() *flow {
	if n := len(t.flows); n > 0 {
		f := t.flows[n-1]
		t.flows = t.flows[:n-1]
		return f
	}
	return &flow{task: t}
}

func (f *flow) clearXor() {
	f.xor = append(f.xor[:0], make([]uint64, len(f.spans))...)
}

// ensure opens the entry of roots made here.
func (f *flow) ensure() {
	if f.owner != nil && !f.open {
		f.open = true
		f.one[0] = f.owner.ledger.Open(f.root)
	}
}

// Fork implements exchange.Trees.
func (f *flow) Fork() []batch.Span {
	if !f.tracked {
		return nil
	}
	f.ensure()
	out := make([]batch.Span, len(f.spans))
	for i, s := range f.spans {
		s.Edge = f.task.ids.Next()
		f.xor[i] ^= s.Edge
		out[i] = s
	}
	return out
}

// Pass implements exchange.Trees.
func (f *flow) Pass() []batch.Span {
	if !f.tracked || f.owner != nil || f.passed {
		return f.Fork()
	}
	f.passed = true
	return f.spans
}

// fail notes that a row's root failed. row is its number in its span.
func (f *flow) fail(o batch.Origin, giveUp bool) {
	f.fails = append(f.fails, rootFailure{span: o.Span, row: o.Row, giveUp: giveUp})
}

// giveUpAll gives up all roots of the flow.
func (f *flow) giveUpAll() {
	if !f.tracked {
		return
	}
	for i := range f.spans {
		f.fails = append(f.fails, rootFailure{span: uint16(i), all: true, giveUp: true})
	}
}

// end closes the flow and tells the owners.
func (t *Task) end(f *flow) {
	switch {
	case !f.tracked:
		if f.owner != nil {
			f.owner.ledger.Skip(f.root.Part, f.root.N, f.root.Next)
		}
	case f.owner != nil:
		t.endRooted(f)
	default:
		t.endReceived(f)
	}
	f.owner, f.open, f.passed, f.tracked = nil, false, false, false
	f.spans, f.fails, f.root = nil, f.fails[:0], ledger.NewSpan{}
	t.flows = append(t.flows, f)
}

func (t *Task) endRooted(f *flow) {
	if len(f.fails) > 0 {
		f.ensure()
	}
	l := f.owner.ledger
	if !f.open {
		l.Skip(f.root.Part, f.root.N, f.root.Next)
		return
	}
	s := f.one[0]
	for _, x := range f.fails {
		l.Fail(ledger.Fail{Entry: s.Entry, Gen: s.Gen, Row: x.row, All: x.all, GiveUp: x.giveUp})
	}
	l.Add(s, f.xor[0])
	l.Seal(s, t.now)
}

func (t *Task) endReceived(f *flow) {
	told := false
	for i, s := range f.spans {
		delta := f.xor[i]
		if !f.passed {
			delta ^= s.Edge
		}
		if delta != 0 {
			t.acks.ack(s.Owner, ledger.Ack{Entry: s.Entry, Gen: s.Gen, Xor: delta})
			told = true
		}
	}
	for _, x := range f.fails {
		s := f.spans[x.span]
		t.acks.fail(s.Owner, ledger.Fail{Entry: s.Entry, Gen: s.Gen, Row: x.row, All: x.all, GiveUp: x.giveUp})
		told = true
	}
	// A batch that took over the edges could come to its end before the owner hears of the others.
	if f.passed && told {
		t.acks.flush(t.shared)
	}
}

// ackBuffer collects messages for owners until they are worth a delivery.
type ackBuffer struct {
	byOwner []ownerMessages
	pending []uint32 // owners with messages
}

type ownerMessages struct {
	acks  []ledger.Ack
	fails []ledger.Fail
}

func (a *ackBuffer) of(owner uint32) *ownerMessages {
	for int(owner) >= len(a.byOwner) {
		a.byOwner = append(a.byOwner, ownerMessages{})
	}
	m := &a.byOwner[owner]
	if len(m.acks) == 0 && len(m.fails) == 0 {
		a.pending = append(a.pending, owner)
	}
	return m
}

func (a *ackBuffer) ack(owner uint32, x ledger.Ack) {
	m := a.of(owner)
	m.acks = append(m.acks, x)
}

func (a *ackBuffer) fail(owner uint32, x ledger.Fail) {
	m := a.of(owner)
	m.fails = append(m.fails, x)
}

// flush delivers all messages.
func (a *ackBuffer) flush(s *Shared) {
	for _, owner := range a.pending {
		m := &a.byOwner[owner]
		s.owners[owner].inbox.Deliver(m.acks, m.fails)
		m.acks, m.fails = m.acks[:0], m.fails[:0]
	}
	a.pending = a.pending[:0]
}
