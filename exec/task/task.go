package task

import (
	"math"
	"sync/atomic"

	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/internal/bug"
)

// Task is one copy of a plan task.
type Task struct {
	name   string
	shared *Shared
	waker  Waker
	inbox  *exchange.Inbox
	nodes  []*node // in topological order
	source *sourceStage
	sinks  []*sinkStage
	// absorbers are the combiners among the nodes.
	absorbers []*absorbStage
	outs      []*exchange.Outbox
	dead      *deadOut // nil: no dead letters, or this is the task that takes them
	owners    []*owner
	copy      int

	ids   ledger.EdgeIDs
	acks  ackBuffer
	flows []*flow
	now   int64 // of the step
	wall  int64 // the time of day, for rows
	// stuck: the task can emit nothing, because a queue behind it is full or a sink of its own has enough.
	stuck bool
	// ending is the index of the node that is being finished, or -1 while input can come.
	ending  int
	eofSent bool
	done    bool
	// idleSince is when the task last ran out of input; 0 while it has some.
	idleSince int64
	marker    uint64      // last audit marker that came by
	optional  bool        // the task is in an optional branch
	cut       atomic.Bool // everything else has ended: the optional branch ends too
	co        *Coordinator
	asSource  *member
}

// Step implements Machine.
func (t *Task) Step(budget int) Status {
	if t.done {
		return Done
	}
	if t.shared.killed.Load() || t.cut.Load() {
		t.done = true
		t.abandon()
		if t.cut.Load() {
			t.co.taskDone(t)
		}
		return Done
	}
	t.now, t.wall = t.shared.Host.Now(), t.shared.Host.Wall()
	t.stuck = false
	status := t.step(budget)
	t.acks.flush(t.shared)
	if status == Done {
		t.done = true
		t.co.taskDone(t)
	}
	return status
}

func (t *Task) step(budget int) Status {
	worked := t.poll()
	t.linger()
	for range budget {
		if !t.send() {
			return t.rest(worked, Blocked)
		}
		did, why := t.work()
		if did {
			worked = true
			continue
		}
		if why == Done {
			return Done
		}
		return t.rest(worked, why)
	}
	t.send()
	return Progress
}

// poll looks after acks, requests of the coordinator, and calls that have returned.
func (t *Task) poll() bool {
	worked := false
	for _, o := range t.owners {
		worked = o.inbox.Drain(o.ledger, t.now) > 0 || worked
		o.node.counters.Open.Store(o.ledger.Books().Open)
	}
	t.co.serve(t)
	for _, n := range t.nodes {
		worked = n.stage.poll() || worked
	}
	return worked
}

// rest is the end of a step without more to do: what waits for company goes out, and the owners say whether they want
// to hear of acks at once. It may turn out that there is more to do after all.
func (t *Task) rest(worked bool, why Status) Status {
	t.acks.flush(t.shared)
	if why == Idle || t.waitsForAcks() {
		t.flushOuts()
	} else {
		t.linger()
	}
	sent := t.send()
	eager := t.waitsForAcks()
	for _, o := range t.owners {
		o.inbox.SetEager(eager)
		if eager && o.inbox.Any() {
			return Progress
		}
	}
	switch {
	case worked:
		return Progress
	case !sent:
		t.stuck = true
		return Blocked
	}
	return why
}

// waitsForAcks reports whether the task can go on only when trees end.
func (t *Task) waitsForAcks() bool {
	if t.ending >= 0 {
		return true
	}
	for _, o := range t.owners {
		if o.full {
			return true
		}
	}
	return false
}

func (t *Task) flushOuts() {
	for _, o := range t.outs {
		o.Flush()
	}
}

// linger sends rows that have waited for company long enough.
func (t *Task) linger() {
	for _, o := range t.outs {
		if at, ok := o.Due(); ok && at <= t.now {
			o.Flush()
		}
	}
}

// send pushes what is ready into the queues; false if some queue is full.
func (t *Task) send() bool {
	all := true
	for _, o := range t.outs {
		all = o.Send() && all
	}
	return all
}

// work does one piece of work. If there is none it says why.
func (t *Task) work() (did bool, why Status) {
	for _, n := range t.nodes {
		if !n.stage.ready() {
			t.stuck = true
			return false, Blocked
		}
	}
	if t.retry() {
		return true, 0
	}
	for _, s := range t.absorbers {
		if must, progress := s.flush(); must {
			return progress, Blocked
		}
	}
	if t.ending >= 0 {
		return t.end1()
	}
	if t.full() {
		return false, Blocked
	}
	if t.source != nil {
		did, ended := t.source.read()
		if did {
			t.idleSince = 0
			return true, 0
		}
		if ended {
			t.ending = 0
			return true, 0
		}
	}
	if t.input() {
		t.idleSince = 0
		return true, 0
	}
	if t.idleSince == 0 {
		t.idleSince = max(t.now, 1)
	}
	return false, Idle
}

// full reports whether a ledger of the task has no room for more roots.
func (t *Task) full() bool {
	full := false
	for _, o := range t.owners {
		_, o.full = o.ledger.Full()
		full = full || o.full
	}
	return full
}

// input takes an item from the queue.
func (t *Task) input() bool {
	it, in, ok := t.inbox.Pop()
	if !ok {
		return false
	}
	n := t.nodes[in.Target]
	switch it.Kind {
	case exchange.Rows:
		f := t.received(it.Batch.Spans)
		n.take(it.Batch, f)
		t.end(f)
	case exchange.Marker:
		t.audit(it, n)
		t.passMarker(it.N)
	case exchange.EOF:
		t.audit(it, n)
		n.eofs--
		n.stopped = n.stopped || it.Stopped
		t.inputsEnded()
	case exchange.Watermark, exchange.Barrier:
		bug.Panicf("task %s: item of kind %d: nothing makes these yet", t.name, it.Kind)
	default:
		bug.Panicf("task %s: item of kind %d", t.name, it.Kind)
	}
	return true
}

// audit compares the book of an edge where a control item has come through: everything that was sent before it has been
// received.
func (t *Task) audit(it exchange.Item, n *node) {
	if it.Left != it.Sent {
		t.shared.Unbalanced(edgeBook(n.plan.Name, it.Sent, it.Left))
	}
	t.auditNodes()
}

// auditNodes compares the books of the task's nodes, which balance between two batches.
func (t *Task) auditNodes() {
	for _, n := range t.nodes {
		n.counters.Held.Store(int64(n.stage.held()))
		if !n.counters.Balanced() {
			t.shared.Unbalanced(nodeBook(n))
		}
	}
	for _, o := range t.owners {
		if b := o.ledger.Books(); b.Roots != b.Done+b.Undelivered+b.Open {
			t.shared.Unbalanced(rootBook(o, b))
		}
	}
}

// passMarker sends an audit marker on, the first time that it comes by.
func (t *Task) passMarker(n uint64) {
	if n <= t.marker {
		return
	}
	t.marker = n
	t.control(exchange.Item{Kind: exchange.Marker, N: n})
}

func (t *Task) control(it exchange.Item) {
	for _, o := range t.outs {
		o.Control(it)
	}
}

// inputsEnded begins the end of the task when no input can come any more.
func (t *Task) inputsEnded() {
	for _, n := range t.nodes {
		if n.eofs > 0 {
			return
		}
	}
	if t.source == nil {
		t.ending = 0
	}
}

// Due implements Machine.
func (t *Task) Due() (int64, bool) {
	at := int64(math.MaxInt64)
	for _, n := range t.nodes {
		if d, ok := n.stage.due(); ok {
			at = min(at, d)
		}
	}
	for _, o := range t.outs {
		if d, ok := o.Due(); ok {
			at = min(at, d)
		}
	}
	for _, o := range t.owners {
		busy := t.source != nil && o.node == t.source.node && t.source.again.busy // one span at a time
		if d, ok := o.ledger.NextDue(); ok && !t.stuck && !busy {
			at = min(at, d)
		}
	}
	return at, at != math.MaxInt64
}
