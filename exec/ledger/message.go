package ledger

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

const entrySize = int64(unsafe.Sizeof(entry{}))

// Ack is a message to an owner: edges of an entry came and went.
type Ack struct {
	Entry, Gen uint32
	Xor        uint64
}

// Fail is a message to an owner: a root failed, or (GiveUp) cannot be settled at all. It must reach the owner not later
// than the Ack of the edge on which the row came.
type Fail struct {
	Entry, Gen uint32
	Row        uint16
	All        bool // all roots of the attempt, instead of Row
	GiveUp     bool
}

// Waker wakes a task. Wake may be called from anywhere, often, and does not block.
type Waker interface{ Wake() }

// mostUnread is the number of messages with which an owner is woken although it asked to be left alone.
const mostUnread = 1 << 12

// Inbox takes messages for an owner from other tasks. Its lock is held for copying only.
type Inbox struct {
	waker Waker
	eager atomic.Bool
	any   atomic.Bool

	mu    sync.Mutex
	acks  []Ack
	fails []Fail

	readAcks  []Ack // the owner's, swapped with acks
	readFails []Fail
}

// NewInbox returns an inbox whose owner is woken by waker.
func NewInbox(waker Waker) *Inbox { return &Inbox{waker: waker} }

// SetEager says whether the owner waits for acks: because it is full, or draining. Otherwise it is woken by failures and
// by a great number of unread messages only, and finds the rest when it runs for another reason.
func (b *Inbox) SetEager(eager bool) {
	if b.eager.Load() != eager {
		b.eager.Store(eager)
	}
}

// Deliver adds messages, which are copied.
func (b *Inbox) Deliver(acks []Ack, fails []Fail) {
	b.mu.Lock()
	b.acks = append(b.acks, acks...)
	b.fails = append(b.fails, fails...)
	unread := len(b.acks)
	b.mu.Unlock()
	b.any.Store(true)
	if len(fails) > 0 || unread > mostUnread || b.eager.Load() {
		b.waker.Wake()
	}
}

// Any reports whether there are messages.
func (b *Inbox) Any() bool { return b.any.Load() }

// Drain applies all messages to the owner: failures first, since an ack may make their entry quiet. It returns the
// number of messages.
func (b *Inbox) Drain(o *Owner, now int64) int {
	if !b.any.Load() {
		return 0
	}
	b.mu.Lock()
	b.acks, b.readAcks = b.readAcks[:0], b.acks
	b.fails, b.readFails = b.readFails[:0], b.fails
	b.any.Store(false)
	b.mu.Unlock()
	for _, f := range b.readFails {
		o.Fail(f)
	}
	for _, a := range b.readAcks {
		o.Ack(a, now)
	}
	return len(b.readAcks) + len(b.readFails)
}

// EdgeIDs makes the edge ids of one task.
type EdgeIDs struct{ next uint64 }

// NewEdgeIDs returns the ids of a task: distinct from those of every other one for the first 2^44 of each.
func NewEdgeIDs(task int) EdgeIDs { return EdgeIDs{next: uint64(task) << 44} }

// Next returns a new id, never 0.
func (g *EdgeIDs) Next() uint64 {
	for {
		g.next++
		if id := mix(g.next); id != 0 {
			return id
		}
	}
}

// mix is the finaliser of splitmix64, a bijection.
func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
