// Package ledger follows tuple trees: it knows for each root whether everything that was made of it has ended.
//
// Who owns what. Each source task and each copy of a stateful node (whose outputs are roots of their own, rule R1 of
// the engine) has an Owner. An Owner is used by its task alone; other tasks reach it through its Inbox.
//
// The algorithm. A span is a run of consecutive roots of one batch. Its Entry holds the XOR of the ids of all edges
// that still wait: every (span, batch) on its way has one id. Who takes a batch in sends one message for each of its
// spans, the XOR of the edge that came in and of all edges that went out because of it; so the word is zero exactly when
// nothing of the span is on its way, in whatever order the messages come. Ids are values of a bijection over (task,
// counter), hence distinct, and a false zero needs distinct ids to cancel by chance: 2^-64 a message.
//
// A row that fails is XORed out like any other, and its root is noted in the entry's set. Only when the word is zero
// (the entry is quiet) does anything happen: without failed roots the span is done, otherwise the failed ones move to a
// retry entry, which takes the old one's place in the order of its partition, waits (50 ms, doubling to 10 s, with
// jitter), and is given out by NextRetry. A re-emission therefore never races its first attempt, and messages of an
// earlier attempt or of an earlier use of the same memory are told by state and generation, and ignored.
//
// Entries lie in segments of 1,024; a segment whose entries have all ended is used again under the next generation, so
// one slow root holds 64 KiB back and not the ring. The open entries of a partition are linked in the order of their
// slots: the head is the low-water mark, found without a search.
//
// Invariants. An entry is emitting, open, waiting or free; it can become quiet only when open. Every root is counted in
// exactly one of open, done, undelivered. A position is never reported as passed while a root at or before it is
// neither done nor listed as a hole.
package ledger

import (
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
)

// segmentSize is the number of entries that are allotted and given back together.
const segmentSize = 1024

// none ends the lists of entries.
const none = ^uint32(0)

type state uint8

const (
	free     state = iota
	emitting       // its batches are being made; it cannot become quiet
	open           // waits for its word to become zero
	waiting        // failed roots wait for their re-emission
	stuck          // quiet, but with roots that were given up: the position is never passed
)

// entry is one attempt at one span. It is 56 bytes, because a span may wait behind a blocked sink with a million
// others and may cost 64 with everything; so what few entries have stands beside them (Owner.failed, segment.kept).
type entry struct {
	xor        uint64
	slot       uint64 // of the span's first root: the order of first emission in its partition
	pos        int64  // position of the span's first root
	wm         int64  // watermark before the span, held while it is open
	prev, next uint32 // neighbours among the open entries of the partition
	bytes      uint32
	epoch      uint32 // in which this attempt was emitted
	n          uint16 // roots of the span
	live       uint16 // roots of this attempt
	part       uint16
	state      state
	attempt    uint8 // the highest bit says that a root was given up
}

const givenUp = 0x80

// MostAttempts is how many attempts behind the first one are counted; from then on the count stands still.
const MostAttempts = givenUp - 1

// segment keeps its entries apart, because an allocation of exactly that size wastes nothing.
type segment struct {
	entries *[segmentSize]entry
	kept    []Kept // of derived roots
	used    int
	live    int
}

// Kept is the output batch that a derived span's roots are rows of, with the output they left by.
type Kept struct {
	Batch *batch.Batch
	Out   int
}

// Limits bound what an owner may have open; 0 is no limit.
type Limits struct {
	Roots       int
	Bytes       int64
	Uncommitted int // between a partition's head and its committed slot
}

// Books are the counts of an owner: Roots = Done + Undelivered + Open at every moment.
type Books struct {
	Roots       int64 // distinct roots
	Done        int64
	Undelivered int64 // given up: a fatal error kept them from being settled
	Open        int64
	Reemitted   int64 // roots that were emitted again, each time
	Bytes       int64 // of open roots
	Late        int64 // messages of earlier attempts
}

type partition struct {
	slot        uint64 // of the next root
	next        int64  // position behind the last root
	committed   uint64 // slot below which everything is in a manifest
	first, last uint32 // open entries in the order of slots
}

// Owner is the ledger of one source task or one copy of a stateful node.
type Owner struct {
	id      uint32
	limits  Limits
	parts   []partition
	segs    []*segment
	gens    []uint32        // outlives the segment, so that a generation is never used twice
	idle    []uint32        // indexes without a segment
	spare   *segment        // the last one given back, to be used again
	current uint32          // segment that is being filled, or none
	failed  map[uint32]*set // by entry: roots that failed in this attempt; of a waiting one, those to emit again
	retries retryQueue
	random  uint64
	books   Books
	epoch   uint32
}

// New returns an owner with the id that its spans carry. seed makes its jitter.
func New(id uint32, limits Limits, seed uint64) *Owner {
	return &Owner{id: id, limits: limits, current: none, random: seed, failed: map[uint32]*set{}}
}

// AddPartition adds the partition with the next index, which starts at a position.
func (o *Owner) AddPartition(pos int64) {
	o.parts = append(o.parts, partition{next: pos, first: none, last: none})
}

// ID returns the id that spans of this owner carry.
func (o *Owner) ID() uint32 { return o.id }

// Books returns the counts.
func (o *Owner) Books() Books { return o.books }

// SetEpoch sets the epoch in which attempts are emitted from now on.
func (o *Owner) SetEpoch(e uint32) { o.epoch = e }

// Full reports whether the owner may not emit new roots, and why: "pending" or "pending bytes".
func (o *Owner) Full() (string, bool) {
	switch {
	case o.limits.Roots > 0 && o.books.Open >= int64(o.limits.Roots):
		return "pending", true
	case o.limits.Bytes > 0 && o.books.Bytes >= o.limits.Bytes:
		return "pending bytes", true
	}
	return "", false
}

// Ahead reports whether a partition is as far ahead of its committed position as it may be.
func (o *Owner) Ahead(part uint16) bool {
	p := &o.parts[part]
	return o.limits.Uncommitted > 0 && p.slot-p.committed >= uint64(o.limits.Uncommitted)
}

// Skip counts n roots whose trees ended where they began. It makes no entry and allots nothing.
func (o *Owner) Skip(part uint16, n int, next int64) {
	p := &o.parts[part]
	p.slot += uint64(n)
	p.next = next
	o.books.Roots += int64(n)
	o.books.Done += int64(n)
}

// NewSpan describes a span to be opened.
type NewSpan struct {
	Part  uint16
	N     int   // roots, 1 to 65,535
	Pos   int64 // of the first
	Next  int64 // behind the last
	WM    int64
	Bytes int
	Kept  Kept
}

// Open makes an entry for a span's first attempt, in the state of being emitted: until Seal it cannot become quiet.
// The returned span has no edge yet.
func (o *Owner) Open(s NewSpan) batch.Span {
	if s.N < 1 || s.N > 1<<16-1 {
		bug.Panicf("ledger: a span of %d roots", s.N)
	}
	p := &o.parts[s.Part]
	i, e := o.allot()
	*e = entry{
		slot: p.slot, pos: s.Pos, wm: s.WM, bytes: uint32(min(s.Bytes, 1<<32-1)), epoch: o.epoch,
		n: uint16(s.N), live: uint16(s.N), part: s.Part, state: emitting, prev: p.last, next: none,
	}
	if p.last == none {
		p.first = i
	} else {
		o.at(p.last).next = i
	}
	p.last = i
	p.slot += uint64(s.N)
	p.next = s.Next
	if s.Kept.Batch != nil {
		o.keep(i, s.Kept)
	}
	o.books.Roots += int64(s.N)
	o.books.Open += int64(s.N)
	o.books.Bytes += int64(e.bytes)
	return o.ref(i, e)
}

// Add registers edges: xor is the XOR of their ids.
func (o *Owner) Add(s batch.Span, xor uint64) {
	o.emittingEntry(s).xor ^= xor
}

// Seal ends the emission of an attempt. If everything has come back already, the span is settled now.
func (o *Owner) Seal(s batch.Span, now int64) {
	e := o.emittingEntry(s)
	e.state = open
	if e.xor == 0 {
		o.quiet(s.Entry, e, now)
	}
}

func (o *Owner) emittingEntry(s batch.Span) *entry {
	e := o.find(s.Entry, s.Gen)
	if e == nil || e.state != emitting {
		bug.Panicf("ledger: owner %d: entry %d is not being emitted", o.id, s.Entry)
	}
	return e
}

// Fail notes that a root of a span failed. The edge of its row is XORed out apart from this. With giveUp the root will
// not be tried again: its position is never passed.
func (o *Owner) Fail(f Fail) {
	e := o.find(f.Entry, f.Gen)
	if e == nil || (e.state != open && e.state != emitting) {
		o.books.Late++
		return
	}
	failed := o.failed[f.Entry]
	if failed == nil {
		failed = newSet(int(e.n))
		o.failed[f.Entry] = failed
	}
	if f.All {
		failed.addAll(int(e.n))
	} else {
		failed.add(int(f.Row))
	}
	if f.GiveUp {
		e.attempt |= givenUp
	}
}

// Ack applies one message about edges.
func (o *Owner) Ack(a Ack, now int64) {
	e := o.find(a.Entry, a.Gen)
	if e == nil || (e.state != open && e.state != emitting) {
		o.books.Late++
		return
	}
	e.xor ^= a.Xor
	if e.xor == 0 && e.state == open {
		o.quiet(a.Entry, e, now)
	}
}

// quiet settles an attempt of which nothing is on its way any more.
func (o *Owner) quiet(i uint32, e *entry, now int64) {
	failed := o.failed[i].count()
	done := int64(int(e.live) - failed)
	o.books.Open -= done
	o.books.Done += done
	switch {
	case failed == 0:
		o.books.Bytes -= int64(e.bytes)
		o.unlink(e)
		o.release(i)
	case e.attempt&givenUp != 0:
		o.books.Open -= int64(failed)
		o.books.Undelivered += int64(failed)
		o.books.Bytes -= int64(e.bytes)
		e.state, e.live = stuck, uint16(failed)
		o.drop(i)
	default:
		o.retryLater(i, e, failed, now)
	}
}

// retryLater moves the failed roots to a new entry, which takes the old one's place in its partition.
func (o *Owner) retryLater(i uint32, e *entry, failed int, now int64) {
	ni, ne := o.allot()
	*ne = *e
	o.failed[ni] = o.failed[i]
	ne.xor, ne.live, ne.state = 0, uint16(failed), waiting
	if ne.attempt < MostAttempts {
		ne.attempt++
	}
	if kept := o.Kept(i); kept.Batch != nil {
		o.keep(ni, kept)
	}
	p := &o.parts[e.part]
	if e.prev == none {
		p.first = ni
	} else {
		o.at(e.prev).next = ni
	}
	if e.next == none {
		p.last = ni
	} else {
		o.at(e.next).prev = ni
	}
	o.release(i)
	o.retries.push(retry{due: now + o.backoff(int(ne.attempt)), entry: ni})
}

// unlink takes an entry out of its partition's list.
func (o *Owner) unlink(e *entry) {
	p := &o.parts[e.part]
	if e.prev == none {
		p.first = e.next
	} else {
		o.at(e.prev).next = e.next
	}
	if e.next == none {
		p.last = e.prev
	} else {
		o.at(e.next).prev = e.prev
	}
}

// Kept returns the output batch kept for an entry of derived roots.
func (o *Owner) Kept(i uint32) Kept {
	if kept := o.segs[i/segmentSize].kept; kept != nil {
		return kept[i%segmentSize]
	}
	return Kept{}
}

func (o *Owner) keep(i uint32, k Kept) {
	s := o.segs[i/segmentSize]
	if s.kept == nil {
		s.kept = make([]Kept, segmentSize)
	}
	s.kept[i%segmentSize] = k
}

// drop lets go of the batch that was kept for an entry.
func (o *Owner) drop(i uint32) {
	if kept := o.segs[i/segmentSize].kept; kept != nil {
		kept[i%segmentSize] = Kept{}
	}
}
