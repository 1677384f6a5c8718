package sim

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/value"
)

// watcher remembers events.
type watcher struct{ events []task.Event }

func (w *watcher) Observe(e task.Event) {
	if e.Kind != task.Committed {
		w.events = append(w.events, e)
	}
}

// line makes a source, a body that passes rows on, and a sink, each in a task of its own.
func line(s *scenario, src *Source, sink *Sink) {
	s.srcs[0], s.sinks[2] = src, sink
	s.ops = map[int]*op{1: {kind: opPass, mod: 2}}
	s.opts.Compiler = s
	s.addNode(plan.KindSource, "source", 1)
	s.addNode(plan.KindBody, "body", 1)
	s.addNode(plan.KindSink, "sink", 1)
	for i := range 3 {
		s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: i, Nodes: []int{i}, Parallelism: 1})
		if i > 0 {
			s.plan.Edges = append(s.plan.Edges, &plan.Edge{
				ID: i - 1, From: i - 1, To: i, Columns: []int{0, 1, 2}, Origins: true, Grouping: plan.ToForward,
			})
		}
	}
	s.opts.Sources["source0"], s.opts.Sinks["sink2"] = src.New, sink.New
}

func manyRows(n int) [][][]value.Value {
	rows := make([][]value.Value, n)
	for i := range rows {
		rows[i] = row(int64(i), int64(i%5), 0)
	}
	return [][][]value.Value{rows}
}

// TestF27SlowSinkForAnHour has a sink that takes a row in 100 ms behind a source that has one every 100 µs. For an hour
// rows wait, and nothing may time out, fail, be emitted again, or grow.
func TestF27SlowSinkForAnHour(t *testing.T) {
	const rows = 36_000 // one hour of the sink
	s := newScenarioOf(1)
	w := &watcher{}
	s.opts.Observer = w
	s.opts.Limits = task.Limits{BatchRows: 64, QueueRows: 256, SinkRows: 128}
	src := &Source{Host: s.host, Parts: manyRows(rows), Pace: 100 * time.Microsecond}
	sink := &Sink{Host: s.host, Faults: Faults{Slow: 100 * time.Millisecond}}
	got := 0
	sink.OnRow = func([]value.Value) { got++ }
	line(s, src, sink)
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	s.host.OnStep = func(int) { most = max(most, run.Stats().Nodes[0].Open) }
	if err := s.host.Drive(10_000_000); err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait()
	if err != nil || got != rows || res.Books.Reemitted != 0 || res.Nodes[2].Retried != 0 {
		t.Errorf("%v: %d rows, %+v", err, got, res)
	}
	if len(w.events) > 0 {
		t.Errorf("a slow sink was taken for a sick one: %+v", w.events)
	}
	if s.host.Elapsed() < time.Hour {
		t.Errorf("it took %v only", s.host.Elapsed())
	}
	if most > 1000 {
		t.Errorf("%d roots were open at a time; the queues take a few hundred rows", most)
	}
}

// TestF27StalledSinkIsReported has a sink whose call does not return within the time-out, nor its next tries.
func TestF27StalledSinkIsReported(t *testing.T) {
	s := newScenarioOf(1)
	w := &watcher{}
	s.opts.Observer = w
	src := &Source{Host: s.host, Parts: manyRows(4)}
	calls := 0
	line(s, src, &Sink{Host: s.host})
	s.opts.Sinks["sink2"] = hanging(s.sinks[2], func() bool { calls++; return calls <= 3 })
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.host.Drive(100_000); err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait()
	if err != nil || res.Delivered != 4 || res.Books.Reemitted != 0 {
		t.Errorf("%v %+v", err, res)
	}
	kinds := ""
	for _, e := range w.events {
		kinds += fmt.Sprint(e.Kind, " ", e.Node, "; ")
	}
	want := fmt.Sprint(task.Stalled, " sink2; ", task.Unhealthy, " sink2; ", task.Healthy, " sink2; ", task.Moving, " sink2; ")
	if kinds != want {
		t.Errorf("events %q, want %q", kinds, want)
	}
	// Three calls of 30, 60 and 120 s.
	if d := s.host.Elapsed(); d < 210*time.Second || d > 215*time.Second {
		t.Errorf("it took %v", d)
	}
}

// hangs is a sink whose calls wait until their context ends, as long as more says so.
type hangs struct {
	*Sink
	more func() bool
}

func hanging(k *Sink, more func() bool) connector.SinkFunc {
	return func(ctx context.Context, cfg connector.Config) (connector.Sink, error) {
		_, err := k.New(ctx, cfg)
		return &hangs{k, more}, err
	}
}

// Write implements connector.Sink.
func (k *hangs) Write(ctx context.Context, w connector.Write) ([]connector.Outcome, error) {
	if k.more() {
		return nil, k.Host.Wait(ctx, 1000*time.Hour)
	}
	return k.Sink.Write(ctx, w)
}

// TestMillionRootsPending measures the engine with a million roots open behind a blocked sink.
func TestMillionRootsPending(t *testing.T) {
	const rows = 1_000_000
	s := newScenarioOf(1)
	s.plan.Settings.Pending, s.plan.Settings.PendingBytes, s.plan.Settings.Uncommitted = 2*rows, 1<<40, 64*rows
	s.opts.Limits = task.Limits{BatchRows: 256, BatchBytes: 1 << 30, QueueRows: 2 * rows, QueueBytes: 1 << 40, SinkRows: 10}
	src := &Source{Host: s.host, Parts: manyRows(rows)}
	blocked := true
	got := 0
	sink := &Sink{Host: s.host, OnRow: func([]value.Value) { got++ }}
	line(s, src, sink)
	s.opts.Sinks["sink2"] = hanging(sink, func() bool { return blocked })
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	s.host.OnStep = func(step int) {
		if blocked && step%64 == 0 && run.Stats().Nodes[0].Open == rows {
			blocked = false
			open := run.OpenMemory()
			t.Logf("%d bytes for %d spans", open.Bytes, open.Spans)
			if open.Spans < rows/256 || open.Bytes > 64*open.Spans {
				t.Errorf("%d bytes for %d open spans", open.Bytes, open.Spans)
			}
			runtime.GC()
		}
	}
	if err := s.host.Drive(10_000_000); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(); err != nil || got != rows || res.Undelivered != 0 {
		t.Errorf("%v: %d rows delivered, %+v", err, got, res)
	}
	if blocked {
		t.Error("a million roots were never open")
	}
}

// TestF11TricklesAreNotHeld has one row a second, and looks at how long each is under way.
func TestF11TricklesAreNotHeld(t *testing.T) {
	s := newScenarioOf(1)
	src := &Source{Host: s.host, Parts: manyRows(50), Pace: time.Second}
	most := time.Duration(0)
	n := 0
	sink := &Sink{Host: s.host, OnRow: func([]value.Value) {
		n++
		most = max(most, s.host.Elapsed()-time.Duration(n)*time.Second)
	}}
	s.opts.Limits = task.Limits{BatchRows: 1}
	line(s, src, sink)
	s.drive(t)
	if n != 50 || most > 50*time.Millisecond {
		t.Errorf("%d rows, one was under way for %v", n, most)
	}
}

// TestF11RareKeysAreNotHeld has a task that is never idle and sends one row in a thousand to another target than the
// others: it must not wait until there are enough of its kind.
func TestF11RareKeysAreNotHeld(t *testing.T) {
	const rows = 20_000
	s := newScenarioOf(1)
	src := &Source{Host: s.host, Parts: manyRows(rows), Pace: 100 * time.Microsecond}
	for i, r := range src.Parts[0] {
		r[1] = value.OfInt(0)
		if i%1000 == 0 {
			r[1] = value.OfInt(3) // of the other half of the key groups
		}
	}
	rare, most := 0, time.Duration(0)
	sink := &Sink{Host: s.host, OnRow: func(r []value.Value) {
		if r[1].Int() == 3 {
			rare++
			most = max(most, s.host.Elapsed()-time.Duration(r[0].Int())*100*time.Microsecond)
		}
	}}
	s.opts.Limits = task.Limits{BatchRows: 32}
	line(s, src, sink)
	s.plan.Nodes[2].Parallelism = 2
	s.plan.Tasks[2].Parallelism = 2
	s.plan.Edges[1].Grouping = plan.ToKey
	s.drive(t)
	if rare != rows/1000 || most > 100*time.Millisecond {
		t.Errorf("%d rare rows, one was under way for %v", rare, most)
	}
}

// drive runs the scenario to its end, which has to be a good one.
func (s *scenario) drive(t *testing.T) {
	t.Helper()
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.host.Drive(10_000_000); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
}
