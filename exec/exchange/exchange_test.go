package exchange

import (
	"fmt"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
)

type wakes int

func (w *wakes) Wake() { *w++ }

var layout = &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}}}

func ints(lo, n int) *batch.Batch {
	b := batch.NewBuilder(layout)
	for i := range n {
		b.Col(0).AppendInt(int64(lo + i))
		b.EndRow()
	}
	return b.Finish()
}

// edges counts edges for a tree of one span.
type edges struct {
	next   uint64
	passed bool
}

func (e *edges) Fork() []batch.Span {
	e.next++
	return []batch.Span{{Owner: 1, Edge: e.next}}
}

func (e *edges) Pass() []batch.Span {
	if e.passed {
		return e.Fork()
	}
	e.passed = true
	return []batch.Span{{Owner: 1, Edge: 1000}}
}

type rig struct {
	boxes []*Inbox
	in    []*Input
	out   *Outbox
	wakes [4]wakes
	send  wakes
}

func newRig(g plan.Grouping, targets int, l Limits, optional bool) *rig {
	r := &rig{}
	for i := range targets {
		r.boxes = append(r.boxes, NewInbox(&r.wakes[i]))
		r.in = append(r.in, r.boxes[i].Add(0, l, &r.send))
	}
	r.out = NewOutbox(Config{Grouping: g, Optional: optional, Rows: 8, Bytes: 1 << 20, Linger: 100}, r.in)
	return r
}

// take returns what stands in an inbox, as text.
func (r *rig) take(i int) []string {
	var out []string
	for {
		it, _, ok := r.boxes[i].Pop()
		if !ok {
			return out
		}
		if it.Kind != Rows {
			out = append(out, fmt.Sprintf("control %d sent %d", it.Kind, it.Sent))
			continue
		}
		out = append(out, fmt.Sprint(it.Batch.Cols[0].Int[:it.Batch.N]))
	}
}

func wantText(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

var wide = Limits{Rows: 1000, Bytes: 1 << 20}

func TestWholeBatchIsHandedOver(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, wide, false)
	e := &edges{}
	r.out.Write(ints(0, 5), nil, e, 1)
	r.out.Send()
	it, _, _ := r.boxes[0].Pop()
	if it.Batch.N != 5 || it.Batch.Spans[0].Edge != 1000 {
		t.Errorf("%d rows under edge %d", it.Batch.N, it.Batch.Spans[0].Edge)
	}
}

func TestSmallBatchesWaitForEachOther(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, wide, false)
	r.out.Write(ints(0, 1), nil, &edges{}, 10)
	r.out.Write(ints(1, 1), nil, &edges{}, 20)
	r.out.Send()
	wantText(t, r.take(0))
	if at, ok := r.out.Due(); !ok || at != 110 {
		t.Errorf("due at %d, %v", at, ok)
	}
	r.out.Flush()
	r.out.Send()
	it, _, _ := r.boxes[0].Pop()
	if it.Batch.N != 2 || len(it.Batch.Spans) != 2 {
		t.Errorf("%d rows of %d spans", it.Batch.N, len(it.Batch.Spans))
	}
	if _, ok := r.out.Due(); ok {
		t.Error("still due after a flush")
	}
	// A larger one takes those along that wait, in order.
	r.out.Write(ints(0, 1), nil, nil, 30)
	r.out.Write(ints(1, 4), nil, nil, 30)
	r.out.Send()
	wantText(t, r.take(0), "[0 1 2 3 4]")
}

func TestLargeBatchIsCut(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, wide, false)
	r.out.Write(ints(0, 20), nil, &edges{}, 1)
	r.out.Send()
	wantText(t, r.take(0), "[0 1 2 3 4 5 6 7]", "[8 9 10 11 12 13 14 15]", "[16 17 18 19]")
}

func TestByKeyGroup(t *testing.T) {
	r := newRig(plan.ToKey, 2, wide, false)
	hashes := []uint64{0, 127 << 56, 128 << 56, 255 << 56}
	r.out.Write(ints(0, 4), hashes, &edges{}, 1)
	r.out.Flush()
	r.out.Send()
	wantText(t, r.take(0), "[0 1]")
	wantText(t, r.take(1), "[2 3]")
}

func TestAllAndShuffle(t *testing.T) {
	r := newRig(plan.ToAll, 2, wide, false)
	r.out.Write(ints(0, 4), nil, &edges{}, 1)
	r.out.Send()
	wantText(t, r.take(0), "[0 1 2 3]")
	wantText(t, r.take(1), "[0 1 2 3]")
	r = newRig(plan.ToShuffle, 3, wide, false)
	for i := range 3 {
		r.out.Write(ints(4*i, 4), nil, &edges{}, 1)
		r.out.Send()
	}
	for i := range 3 {
		if n := len(r.take(i)); n != 1 {
			t.Errorf("target %d got %d of 3 batches", i, n)
		}
	}
}

func TestFullQueueRefuses(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, Limits{Rows: 8, Bytes: 1 << 20}, false)
	for i := range 3 {
		r.out.Write(ints(4*i, 4), nil, &edges{}, 1)
	}
	if r.out.Send() || r.out.Waiting() != 4 {
		t.Errorf("a full queue took everything; %d rows wait", r.out.Waiting())
	}
	r.out.Control(Item{Kind: EOF})
	if r.out.Send() {
		t.Error("an end overtook rows")
	}
	if r.send != 0 {
		t.Error("the sender was woken without room")
	}
	r.boxes[0].Pop()
	if r.send != 1 {
		t.Error("the sender was not woken when there was room")
	}
	if !r.out.Send() {
		t.Error("there is room, and the rows do not go")
	}
	wantText(t, r.take(0), "[4 5 6 7]", "[8 9 10 11]", "control 5 sent 12")
}

func TestControlPassesAFullQueue(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, Limits{Rows: 1, Bytes: 1}, false)
	r.out.Write(ints(0, 4), nil, nil, 1)
	r.out.Control(Item{Kind: Marker, N: 1})
	if !r.out.Send() {
		t.Error("a control item was refused by a full queue")
	}
}

func TestOptionalDropsAndLeavesTheTree(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, Limits{Rows: 4, Bytes: 1 << 20}, true)
	e := &edges{}
	r.out.Write(ints(0, 4), nil, e, 1)
	r.out.Write(ints(4, 4), nil, e, 1)
	if !r.out.Send() {
		t.Error("an optional edge held its sender back")
	}
	if sent, discarded, _ := r.in[0].Counts(); sent != 4 || discarded != 4 {
		t.Errorf("%d sent, %d dropped", sent, discarded)
	}
	if it, _, _ := r.boxes[0].Pop(); len(it.Batch.Spans) != 0 || e.next != 0 || e.passed {
		t.Error("rows of an optional branch are in a tree")
	}
}

// Inputs are read turn by turn, and one that is held not at all.
func TestTurnsAndHold(t *testing.T) {
	var w wakes
	b := NewInbox(&w)
	x, y := b.Add(0, wide, &w), b.Add(1, wide, &w)
	for i := range 2 {
		x.Push(Item{Kind: Rows, Batch: ints(i, 1)})
		y.Push(Item{Kind: Rows, Batch: ints(10+i, 1)})
	}
	x.Hold(true)
	var order []int
	pop := func() {
		if it, _, ok := b.Pop(); ok {
			order = append(order, int(it.Batch.Cols[0].Int[0]))
		}
	}
	pop()
	x.Hold(false)
	pop()
	pop()
	pop()
	if fmt.Sprint(order) != "[10 0 11 1]" {
		t.Error(order)
	}
	if w != 2 {
		t.Errorf("woken %d times for two inputs that were empty", w)
	}
}

// What an edge's book says at a control item is what had left the queue when that did, whatever the sender does then.
func TestBookOfAControlItemWithEviction(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, Limits{Rows: 2, Bytes: 1 << 20, Strict: true, Evict: true}, false)
	in := r.in[0]
	in.Push(Item{Kind: Rows, Batch: ints(0, 2)})
	in.Push(Item{Kind: Rows, Batch: ints(2, 2)}) // makes room for itself
	in.Push(Item{Kind: Marker, N: 1})
	r.boxes[0].Pop()
	it, _, _ := r.boxes[0].Pop()
	in.Push(Item{Kind: Rows, Batch: ints(4, 2)})
	in.Push(Item{Kind: Rows, Batch: ints(6, 2)})
	if it.Kind != Marker || it.Sent != 4 || it.Left != it.Sent {
		t.Errorf("%+v", it)
	}
}

// A batch has no more spans than an index of one can tell, also where filters leave few rows of many spans.
func TestFewRowsOfManySpans(t *testing.T) {
	r := newRig(plan.ToGlobal, 1, wide, false)
	spans := many(MostSpans - 1)
	for range 20 {
		r.out.Write(ints(0, 1), nil, spans, 1)
	}
	r.out.Flush()
	r.out.Send()
	for rows := 0; rows < 20; {
		it, _, ok := r.boxes[0].Pop()
		if !ok || len(it.Batch.Spans) > MostSpans {
			t.Fatalf("after %d rows: %v, %d spans", rows, ok, len(it.Batch.Spans))
		}
		rows += it.Batch.N
	}
}

// many is a tree of so many spans.
type many int

func (m many) Fork() []batch.Span { return make([]batch.Span, m) }
func (m many) Pass() []batch.Span { return m.Fork() }

// No batch for a channel has more rows than it takes, however they are spread.
func TestStrictByKey(t *testing.T) {
	r := newRig(plan.ToKey, 2, wide, false)
	r.out.cfg.Strict = true
	b := ints(0, 100)
	r.out.Write(b, batch.Hash(nil, b.Cols, []types.Type{types.Int}, b.N), nil, 1)
	r.out.Flush()
	r.out.Send()
	rows := 0
	for _, box := range r.boxes {
		for {
			it, _, ok := box.Pop()
			if !ok {
				break
			}
			if rows += it.Batch.N; it.Batch.N > 8 {
				t.Errorf("a batch of %d rows", it.Batch.N)
			}
		}
	}
	if rows != 100 {
		t.Errorf("%d rows", rows)
	}
}

// F33: the rows of a key go to the same group of keys for ever, and groups to tasks in ranges: with twice as many tasks
// each has half of what one had.
func TestF33KeyGroups(t *testing.T) {
	b := ints(0, 12)
	hashes := batch.Hash(nil, b.Cols, []types.Type{types.Int}, b.N)
	groups := make([]int, len(hashes))
	for i, h := range hashes {
		groups[i] = int(batch.KeyGroup(h))
	}
	if want := "[201 242 126 167 117 158 27 76 128 169 54 95]"; batch.KeyGroups != 256 || fmt.Sprint(groups) != want {
		t.Errorf("the groups of 0 to 11 are %v of %d, want %s: states that were stored are lost", groups, batch.KeyGroups, want)
	}
	b = ints(0, 500)
	hashes = batch.Hash(nil, b.Cols, []types.Type{types.Int}, b.N)
	owner := func(tasks int) map[int64]int {
		r := newRig(plan.ToKey, tasks, wide, false)
		r.out.Write(b, hashes, nil, 1)
		r.out.Flush()
		r.out.Send()
		of := map[int64]int{}
		for i, box := range r.boxes {
			for it, _, ok := box.Pop(); ok; it, _, ok = box.Pop() {
				for _, x := range it.Batch.Cols[0].Int[:it.Batch.N] {
					of[x] = i
				}
			}
		}
		return of
	}
	two, four := owner(2), owner(4)
	for x := range int64(500) {
		if two[x] != four[x]/2 {
			t.Fatalf("key %d is with task %d of 2 and %d of 4", x, two[x], four[x])
		}
	}
}
