// Package exchange moves batches between tasks: queues in front of tasks, and outboxes that spread rows over them.
//
// A task has one Inbox with one Input for each task that sends to it on an edge, so that a barrier can stop one input
// and not the others. Inputs are bounded in rows and bytes; a full one refuses, its producer stops taking input itself
// and is woken when there is room: back-pressure, never loss, except on an optional edge, which drops by name.
//
// Control items stand in the queue between the batches, do not count against its bounds (a full queue takes them, so
// they cannot dead-lock), and are put into the queues of all targets before the next batch. Each carries the number of
// rows that its sender has put into this queue so far, and gets that of the rows which have left it: the edge's book.
//
// Locks are held for the time of a copy. Nothing here blocks.
package exchange

import (
	"sync"
	"sync/atomic"

	"github.com/pipec/pipec/exec/batch"
)

// Kind says what an Item is.
type Kind uint8

// The kinds of items. A Marker is an audit mark: books are compared where it passes. Watermark and Barrier are for
// event time and snapshots.
const (
	Rows Kind = iota + 1
	Watermark
	Marker
	Barrier
	EOF
)

// Item is what stands in a queue.
type Item struct {
	Kind  Kind
	Batch *batch.Batch // of Rows
	N     uint64       // number of a marker or barrier
	Time  int64        // of a watermark
	// Stopped, of an EOF: the source was stopped before its end, so windows do not fire.
	Stopped bool
	// Sent is the number of rows that were put into this queue before a control item.
	Sent int64
	// Left is the number of rows that had left this queue when a control item was taken out. It is Sent, or the edge's
	// book does not balance.
	Left int64
	size int64
}

// Waker wakes a task; see ledger.Waker.
type Waker interface{ Wake() }

// Limits bound an input. A batch is taken while less than both is queued, so a queue can be over by one batch; with
// Strict one that would exceed the rows is not taken, unless the queue is empty.
type Limits struct {
	Rows   int64
	Bytes  int64
	Strict bool
	// Evict makes room for a batch by dropping the oldest ones, instead of refusing it.
	Evict bool
}

// Inbox is the queue of one task.
type Inbox struct {
	waker  Waker
	mu     sync.Mutex
	inputs []*Input
	next   int // input that is looked at first
	queued int // items in all inputs
}

// Input is one sender's part of an inbox. Target tells the receiving task which of its nodes the rows are for.
type Input struct {
	Target int

	box     *Inbox
	limits  Limits
	sender  Waker
	rows    atomic.Int64 // queued
	items   ring
	bytes   int64
	waiting bool // the sender was refused and wants to be woken
	held    bool // not read from, until the other inputs have come to the same barrier

	sent      atomic.Int64 // rows put in
	discarded atomic.Int64 // rows dropped because the queue was full, before they were put in
	evicted   atomic.Int64 // rows put in and dropped to make room
	received  atomic.Int64 // rows taken out
	repeated  atomic.Int64 // rows of repeated roots, not put in
}

// NewInbox returns an inbox whose task is woken by waker.
func NewInbox(waker Waker) *Inbox { return &Inbox{waker: waker} }

// Add adds an input for a sender, before anything runs.
func (b *Inbox) Add(target int, limits Limits, sender Waker) *Input {
	in := &Input{Target: target, box: b, limits: limits, sender: sender}
	b.inputs = append(b.inputs, in)
	return in
}

// Push puts an item into the queue. It returns false when the item is a batch and the queue is full; the sender is
// woken when there is room again.
func (in *Input) Push(it Item) bool {
	if it.Kind == Rows {
		it.size = it.Batch.Bytes()
	}
	b := in.box
	b.mu.Lock()
	if it.Kind == Rows && in.full(it.Batch.N) {
		if in.limits.Evict {
			in.evict(it.Batch.N)
		}
		if in.full(it.Batch.N) {
			in.waiting = true
			b.mu.Unlock()
			return false
		}
	}
	if it.Kind == Rows {
		in.rows.Add(int64(it.Batch.N))
		in.bytes += it.size
		in.sent.Add(int64(it.Batch.N))
	}
	it.Sent = in.sent.Load()
	in.items.push(it)
	b.queued++
	// A receiver that waits has found every input empty that it may read from.
	wake := in.items.n == 1
	b.mu.Unlock()
	if wake {
		b.waker.Wake()
	}
	return true
}

// Discard counts a batch that was dropped instead of pushed.
func (in *Input) Discard(rows int) { in.discarded.Add(int64(rows)) }

// Repeats returns how many rows of repeated roots were kept from the queue of an optional branch.
func (in *Input) Repeats() int64 { return in.repeated.Load() }

// full reports whether a batch of n rows has to wait.
func (in *Input) full(n int) bool {
	rows := in.rows.Load()
	if in.limits.Strict && rows > 0 && rows+int64(n) > in.limits.Rows {
		return true
	}
	return rows >= in.limits.Rows || in.bytes >= in.limits.Bytes
}

// evict drops the oldest batches until one of n rows has room, but none behind a control item, and no tracked rows.
func (in *Input) evict(n int) {
	for in.full(n) && in.items.n > 0 {
		if it := in.items.buf[in.items.head]; it.Kind != Rows || len(it.Batch.Spans) > 0 {
			return
		}
		it := in.items.pop()
		in.box.queued--
		in.bytes -= it.size
		in.rows.Add(-int64(it.Batch.N))
		in.evicted.Add(int64(it.Batch.N))
	}
}

// Queued returns the number of rows in the queue; it may be asked from anywhere.
func (in *Input) Queued() int64 { return in.rows.Load() }

// Counts returns the edge's book: rows put in, dropped because the queue was full (before they were put in, or to make
// room for others), and rows that left the queue, either way.
func (in *Input) Counts() (sent, dropped, left int64) {
	evicted := in.evicted.Load()
	return in.sent.Load(), in.discarded.Load() + evicted, in.received.Load() + evicted
}

// Pop takes the next item, turn by turn from the inputs that are not held.
func (b *Inbox) Pop() (Item, *Input, bool) {
	b.mu.Lock()
	if b.queued == 0 {
		b.mu.Unlock()
		return Item{}, nil, false
	}
	for range b.inputs {
		in := b.inputs[b.next]
		b.next++
		if b.next == len(b.inputs) {
			b.next = 0
		}
		if in.held || in.items.n == 0 {
			continue
		}
		it := in.items.pop()
		b.queued--
		it.Left = in.received.Load() + in.evicted.Load()
		var wake Waker
		if it.Kind == Rows {
			in.bytes -= it.size
			left := in.rows.Add(-int64(it.Batch.N))
			in.received.Add(int64(it.Batch.N))
			if in.waiting && left <= in.limits.Rows/2 && in.bytes <= in.limits.Bytes/2 {
				in.waiting, wake = false, in.sender
			}
		}
		b.mu.Unlock()
		if wake != nil {
			wake.Wake()
		}
		return it, in, true
	}
	b.mu.Unlock()
	return Item{}, nil, false
}

// Hold stops or resumes reading from an input.
func (in *Input) Hold(held bool) {
	in.box.mu.Lock()
	in.held = held
	in.box.mu.Unlock()
}

// ring is a growing FIFO.
type ring struct {
	buf  []Item
	head int
	n    int
}

func (r *ring) push(it Item) {
	if r.n == len(r.buf) {
		buf := make([]Item, max(8, 2*r.n))
		for i := range r.n {
			buf[i] = r.buf[(r.head+i)%len(r.buf)]
		}
		r.buf, r.head = buf, 0
	}
	r.buf[(r.head+r.n)%len(r.buf)] = it
	r.n++
}

func (r *ring) pop() Item {
	it := r.buf[r.head]
	r.buf[r.head] = Item{}
	r.head = (r.head + 1) % len(r.buf)
	r.n--
	return it
}
