package task

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/lang/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// idleDoor is a door whose calls are never run.
type idleDoor struct{ busy bool }

func (d *idleDoor) Submit(int64, func(context.Context)) { d.busy = true }
func (d *idleDoor) Busy() bool                          { return d.busy }
func (d *idleDoor) Cancel()                             {}
func (d *idleDoor) Close()                              {}

// nowhere is a sink that is never called.
type nowhere struct{ connector.Sink }

// bareSink returns a sink whose first write has not returned.
func bareSink(l Limits) *sinkStage {
	t, _ := bare()
	t.shared.Limits = l
	n := &node{task: t, plan: &plan.Node{Name: "sink"}, counters: &Counters{}}
	s := &sinkStage{node: n, inst: &SinkInstance{Sink: nowhere{}}, door: &idleDoor{}}
	s.init()
	s.process(textRows(1, 1, 0), t.received(nil))
	return s
}

// textRows returns n rows of size bytes each, under so many spans.
func textRows(n, size, spans int) *batch.Batch {
	bl := batch.NewBuilder(&types.Record{Fields: []types.Field{{Name: "x", Type: types.String}}})
	for range n {
		bl.Col(0).AppendBytes(make([]byte, size))
		bl.EndRow()
	}
	b := bl.Finish()
	if spans > 0 {
		b.Spans, b.Origin = make([]batch.Span, spans), make([]batch.Origin, n)
	}
	return b
}

func (s *sinkStage) give(b *batch.Batch) { s.process(b, s.node.task.received(b.Spans)) }

// One write has no more spans than an origin can tell, nor more bytes than a batch, however few its rows.
func TestNextWriteIsBounded(t *testing.T) {
	for _, c := range []struct{ size, spans int }{{1, exchange.MostSpans / 2}, {100, 1}, {1, 0}} {
		s := bareSink(Limits{BatchRows: 1000, BatchBytes: 450, SinkRows: 1 << 20, QueueBytes: 1 << 20})
		for range 40 {
			s.give(textRows(1, c.size, c.spans))
		}
		rows, writes := 0, 0
		for len(s.waiting) > 0 {
			h := s.next()
			rows, writes = rows+h.b.N, writes+1
			if len(h.b.Spans) > exchange.MostSpans || h.b.Bytes() > 450 || h.size != h.b.Bytes() {
				t.Errorf("%+v: a write of %d spans and %d bytes, told as %d", c, len(h.b.Spans), h.b.Bytes(), h.size)
			}
		}
		if rows != 40 || writes == 40 || s.waitingRows != 0 || s.waitingBytes != 0 {
			t.Errorf("%+v: %d rows in %d writes, %d rows and %d bytes are told to wait", c, rows, writes, s.waitingRows, s.waitingBytes)
		}
	}
}

// A sink refuses more when it has enough rows, or enough bytes.
func TestSinkIsFullByRowsAndBytes(t *testing.T) {
	for _, c := range []struct{ rows, size, batches int }{{10, 1, 2}, {1, 5000, 2}} {
		s := bareSink(Limits{BatchRows: 10, BatchBytes: 1 << 10, SinkRows: 15, QueueBytes: 6000})
		n := 0
		for s.ready() {
			s.give(textRows(c.rows, c.size, 0))
			n++
		}
		if n != c.batches {
			t.Errorf("%+v: %d batches were taken", c, n)
		}
	}
}

// Where writes ran into their time-out, they are made smaller, and grow again until all rows are written at once.
func TestWritesShrinkAndGrow(t *testing.T) {
	s := bareSink(Limits{BatchRows: 100, BatchBytes: 1 << 10, SinkRows: 100, QueueBytes: 1 << 20})
	s.late = true
	for want, written := 50, 100; want >= 1; want, written = want/2, want {
		if s.shrink(written); s.most != want {
			t.Fatalf("%d rows behind a write of %d that was too slow, want %d", s.most, written, want)
		}
	}
	s.late = false
	for range 9 {
		s.shrink(s.most)
	}
	if s.most != 0 {
		t.Errorf("%d rows are written at most, want all", s.most)
	}
}
