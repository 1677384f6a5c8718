package ledger

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/pipec/pipec/exec/batch"
)

func TestEntrySize(t *testing.T) {
	if n := unsafe.Sizeof(entry{}); n > 56 {
		t.Fatalf("an entry takes %d bytes, want at most 56", n)
	}
}

func newOwner(l Limits) *Owner {
	o := New(7, l, 1)
	o.AddPartition(0)
	return o
}

// openSpan opens a span of n roots at the partition's head, under one edge for each id.
func openSpan(o *Owner, n int, ids ...uint64) batch.Span {
	pos, _ := o.Head(0)
	s := o.Open(NewSpan{N: n, Pos: pos, Next: pos + int64(n), Bytes: n})
	for _, id := range ids {
		o.Add(s, id)
	}
	return s
}

func ack(o *Owner, s batch.Span, xor uint64) { o.Ack(Ack{s.Entry, s.Gen, xor}, 0) }

func TestTreeEndsWhenAllEdgesCameBack(t *testing.T) {
	o := newOwner(Limits{})
	s := openSpan(o, 3, 11, 22)
	o.Seal(s, 0)
	ack(o, s, 11^33) // a node took edge 11 in and put 33 out
	ack(o, s, 33)
	if b := o.Books(); b.Open != 3 || b.Done != 0 {
		t.Fatalf("with edge 22 under way: %+v", b)
	}
	ack(o, s, 22)
	if b := o.Books(); b.Open != 0 || b.Done != 3 || b.Bytes != 0 {
		t.Fatalf("with everything back: %+v", b)
	}
	ack(o, s, 22)
	if o.Books().Late != 1 {
		t.Error("a message to a span that has ended was not seen to be late")
	}
}

// An ack can be quicker than the books of the batch that it is about.
func TestSealSettlesWhatCameBackBefore(t *testing.T) {
	o := newOwner(Limits{})
	s := openSpan(o, 2)
	ack(o, s, 5)
	o.Add(s, 5)
	if o.Books().Done != 0 {
		t.Fatal("a span became quiet while it was being emitted")
	}
	o.Seal(s, 0)
	if o.Books().Done != 2 {
		t.Fatal("a span whose edges had come back was not settled")
	}
}

func TestF13FailedRootsWaitUntilQuiet(t *testing.T) {
	o := newOwner(Limits{})
	s := openSpan(o, 4, 1, 2)
	o.Seal(s, 0)
	o.Fail(Fail{Entry: s.Entry, Gen: s.Gen, Row: 2})
	ack(o, s, 1)
	if _, ok := o.NextDue(); ok {
		t.Fatal("a retry was scheduled while the first attempt was under way")
	}
	ack(o, s, 2)
	due, ok := o.NextDue()
	if !ok || due < firstBackoff*4/5 || due > firstBackoff*6/5 {
		t.Fatalf("due at %d, %v", due, ok)
	}
	if _, ok := o.NextRetry(due - 1); ok {
		t.Fatal("a retry before it was due")
	}
	r, ok := o.NextRetry(due)
	if !ok || !slices.Equal(r.Rows, []uint16{2}) || r.Span.Attempt != 1 || r.N != 4 || r.Pos != 0 {
		t.Fatalf("%+v %v", r, ok)
	}
	ack(o, s, 99) // of the first attempt
	if o.Books().Late != 1 {
		t.Error("a message of an earlier attempt was taken")
	}
	o.Add(r.Span, 7)
	o.Seal(r.Span, due)
	ack(o, r.Span, 7)
	if b := o.Books(); b.Open != 0 || b.Done != 4 || b.Reemitted != 1 || b.Roots != 4 {
		t.Fatalf("%+v", b)
	}
}

func TestBackoffDoubles(t *testing.T) {
	o := newOwner(Limits{})
	s := openSpan(o, 1)
	o.Fail(Fail{Entry: s.Entry, Gen: s.Gen})
	o.Seal(s, 0)
	now := int64(0)
	want := firstBackoff
	for range 12 {
		due, _ := o.NextDue()
		if d := due - now; d < want*4/5 || d > want*6/5 {
			t.Fatalf("waits %d, want about %d", d, want)
		}
		now = due
		r, _ := o.NextRetry(now)
		o.Fail(Fail{Entry: r.Span.Entry, Gen: r.Span.Gen})
		o.Seal(r.Span, now)
		want = min(2*want, mostBackoff)
	}
}

func TestMarkPassesRetriesAsHoles(t *testing.T) {
	o := newOwner(Limits{Uncommitted: 20})
	a, b, c := openSpan(o, 10, 1), openSpan(o, 10, 2), openSpan(o, 10, 3)
	for _, s := range []batch.Span{a, b, c} {
		o.Seal(s, 0)
	}
	ack(o, b, 2)
	if m := o.Mark(0); m.Upto != 0 || len(m.Holes) != 0 {
		t.Fatalf("first span open: %+v", m)
	}
	o.Fail(Fail{Entry: a.Entry, Gen: a.Gen, Row: 4})
	ack(o, a, 1)
	m := o.Mark(0)
	if m.Upto != 20 || m.Slot != 20 || len(m.Holes) != 1 || m.Holes[0].Pos != 0 || !slices.Equal(m.Holes[0].Rows, []uint16{4}) {
		t.Fatalf("first span waits for its retry: %+v", m)
	}
	if o.Low(0) != 0 {
		t.Error("the low-water mark passed a root that is not done")
	}
	if !o.Ahead(0) {
		t.Error("30 roots ahead of what is committed is not too far with a limit of 20")
	}
	o.Commit(0, m)
	if o.Ahead(0) {
		t.Error("10 roots ahead of what is committed is too far with a limit of 20")
	}
	due, _ := o.NextDue()
	r, _ := o.NextRetry(due)
	if h := o.Mark(0).Holes; len(h) != 1 || !slices.Equal(h[0].Rows, []uint16{4}) {
		t.Fatalf("a root that is being tried again is no hole: %+v", h)
	}
	o.Seal(r.Span, due)
	ack(o, c, 3)
	if m := o.Mark(0); m.Upto != 30 || len(m.Holes) != 0 || o.Low(0) != 30 {
		t.Fatalf("everything done: %+v", m)
	}
}

func TestGivenUpRootsHoldThePosition(t *testing.T) {
	o := newOwner(Limits{})
	s := openSpan(o, 5, 1)
	o.Seal(s, 0)
	o.Fail(Fail{Entry: s.Entry, Gen: s.Gen, Row: 1, GiveUp: true})
	ack(o, s, 1)
	if b := o.Books(); b.Undelivered != 1 || b.Done != 4 || b.Open != 0 {
		t.Fatalf("%+v", b)
	}
	if _, ok := o.NextDue(); ok || o.Low(0) != 0 {
		t.Error("a root that was given up is tried again, or its position passed")
	}
}

func TestFullByRootsAndBytes(t *testing.T) {
	o := newOwner(Limits{Roots: 10, Bytes: 100})
	openSpan(o, 9)
	if _, full := o.Full(); full {
		t.Fatal("full with 9 of 10 roots")
	}
	openSpan(o, 1)
	if why, full := o.Full(); !full || why != "pending" {
		t.Fatal(why, full)
	}
	o = newOwner(Limits{Roots: 1000, Bytes: 100})
	openSpan(o, 100)
	if why, full := o.Full(); !full || why != "pending bytes" {
		t.Fatal(why, full)
	}
}

// A root that stays open holds its own segment and no other.
func TestF37SlowRootHoldsOneSegment(t *testing.T) {
	o := newOwner(Limits{})
	slow := openSpan(o, 1, 1)
	o.Seal(slow, 0)
	for range 50 * segmentSize {
		s := openSpan(o, 256, 2)
		o.Seal(s, 0)
		ack(o, s, 2)
	}
	if n := o.Bytes(); n > 3*segmentSize*entrySize {
		t.Errorf("%d bytes with one span open", n)
	}
	ack(o, slow, 1)
	if b := o.Books(); b.Open != 0 {
		t.Errorf("%+v", b)
	}
}

// TestMemoryOfAMillionRoots measures what open spans cost.
func TestMemoryOfAMillionRoots(t *testing.T) {
	const spans = 1_000_000 // of one root each, the worst case
	o := newOwner(Limits{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range spans {
		o.Seal(openSpan(o, 1, 1), 0)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / spans
	t.Logf("%.1f bytes for each of %d open spans", each, spans)
	if each > 64 {
		t.Errorf("%.1f bytes for each open span, want at most 64", each)
	}
	if b := o.Books(); b.Open != spans {
		t.Errorf("%+v", b)
	}
}

func TestNoAllocations(t *testing.T) {
	o := newOwner(Limits{})
	if n := testing.AllocsPerRun(10_000, func() { o.Skip(0, 256, 1) }); n != 0 {
		t.Errorf("a tree that ends where it began allots %v times", n)
	}
	openSpan(o, 1)
	if n := testing.AllocsPerRun(10_000, func() {
		s := openSpan(o, 256, 3)
		o.Seal(s, 0)
		ack(o, s, 3)
	}); n != 0 {
		t.Errorf("a span that comes back soon allots %v times", n)
	}
}

func TestEdgeIDsDiffer(t *testing.T) {
	seen := map[uint64]bool{0: true}
	for task := range 20 {
		g := NewEdgeIDs(task)
		for range 5000 {
			id := g.Next()
			if seen[id] {
				t.Fatalf("id %x occurs twice, or is 0", id)
			}
			seen[id] = true
		}
	}
}

type wakes int

func (w *wakes) Wake() { *w++ }

func TestInboxWakesWhoWaits(t *testing.T) {
	var w wakes
	b := NewInbox(&w)
	b.Deliver([]Ack{{}}, nil)
	if w != 0 {
		t.Error("an owner that did not ask was woken by an ack")
	}
	b.Deliver(nil, []Fail{{}})
	if w != 1 {
		t.Error("an owner was not woken by a failure")
	}
	b.SetEager(true)
	b.Deliver([]Ack{{}}, nil)
	if w != 2 {
		t.Error("an owner that waits was not woken by an ack")
	}
	o := newOwner(Limits{})
	if n := b.Drain(o, 0); n != 3 || b.Any() || o.Books().Late != 3 {
		t.Errorf("drained %d, %+v", n, o.Books())
	}
}

func FuzzAgainstModel(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) { runModel(t, data) })
}

// TestModel runs the model over more random operations than the fuzzer's seeds.
func TestModel(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := make([]byte, r.IntN(1500))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		runModel(t, b)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// F38: a root that is emitted again keeps its place in the order of its partition, whatever was emitted in between, and
// messages of its first attempt do nothing to the second.
func TestF38ReemissionKeepsItsSlot(t *testing.T) {
	o := newOwner(Limits{})
	a, b := openSpan(o, 10, 1), openSpan(o, 10, 2)
	o.Seal(a, 0)
	o.Seal(b, 0)
	o.Fail(Fail{Entry: a.Entry, Gen: a.Gen, Row: 3})
	ack(o, a, 1)
	due, _ := o.NextDue()
	r, _ := o.NextRetry(due)
	o.Add(r.Span, 9)
	o.Seal(r.Span, due)
	ack(o, b, 2)
	o.Fail(Fail{Entry: a.Entry, Gen: a.Gen, Row: 5})
	ack(o, a, 1)
	if m := o.Mark(0); o.Books().Late != 2 || o.Low(0) != 0 || m.Upto != 20 || len(m.Holes) != 1 ||
		m.Holes[0].Slot != 0 || !slices.Equal(m.Holes[0].Rows, []uint16{3}) {
		t.Fatalf("low %d, %+v, %+v", o.Low(0), m, o.Books())
	}
	ack(o, r.Span, 9)
	if m := o.Mark(0); o.Books().Open != 0 || o.Low(0) != 20 || len(m.Holes) != 0 {
		t.Fatalf("low %d, %+v, %+v", o.Low(0), m, o.Books())
	}
}

// A partition's watermark is held at what it was before its lowest open span, retries included.
func TestWatermarkIsHeld(t *testing.T) {
	o := newOwner(Limits{})
	s := o.Open(NewSpan{N: 1, Next: 1, WM: 100})
	o.Fail(Fail{Entry: s.Entry, Gen: s.Gen})
	o.Seal(s, 0)
	if wm := o.HeldWatermark(0, 500); wm != 100 {
		t.Errorf("%d while a root is open from before which it was 100", wm)
	}
	due, _ := o.NextDue()
	r, _ := o.NextRetry(due)
	o.Seal(r.Span, due)
	if wm := o.HeldWatermark(0, 500); wm != 500 {
		t.Errorf("%d with no root open, want 500", wm)
	}
}
