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
