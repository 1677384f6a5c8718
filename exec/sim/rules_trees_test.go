package sim

import (
	"context"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/value"
)

// Tests of single rules of the engine, named by the number of the scenario that each answers. Those that need no
// simulator stand with what they test: F6 in exec/state, F13, F37 and F38 of the ledger alone in exec/ledger, F33 in
// exec/exchange, F17 and F50 with goroutines in exec. Books (F26) are compared in every run here.

// chainOf adds a line of nodes to a scenario, each in a task of its own and joined by edges of a grouping.
func chainOf(s *scenario, grouping plan.Grouping, nodes ...*plan.Node) {
	for i, n := range nodes {
		s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: len(s.plan.Tasks), Nodes: []int{n.ID}, Parallelism: n.Parallelism})
		if i > 0 {
			join(s, nodes[i-1], n, grouping)
		}
	}
}

func join(s *scenario, from, to *plan.Node, grouping plan.Grouping) *plan.Edge {
	e := &plan.Edge{
		ID: len(s.plan.Edges), From: from.ID, To: to.ID, Columns: []int{0, 1, 2}, Origins: true, Grouping: grouping,
		Keys: []plan.Expr{&plan.Input{Field: 1}},
	}
	s.plan.Edges = append(s.plan.Edges, e)
	return e
}

func (s *scenario) addSourceOf(src *Source) *plan.Node {
	n := s.addNode(plan.KindSource, "source", 1)
	src.Host = s.host
	s.srcs[n.ID], s.opts.Sources[n.Name] = src, src.New
	return n
}

func (s *scenario) addSinkOf(k *Sink) *plan.Node {
	n := s.addNode(plan.KindSink, "sink", 1)
	k.Host = s.host
	s.sinks[n.ID], s.opts.Sinks[n.Name] = k, k.New
	return n
}

func (s *scenario) addBody(kind plan.Kind, o *op) *plan.Node {
	n := s.addNode(kind, opNames[o.kind], 1)
	if s.ops == nil {
		s.ops, s.absorbed = map[int]*op{}, map[int]map[int64]int64{}
		s.opts.Compiler = s
	}
	s.ops[n.ID] = o
	return n
}

// start starts the scenario and drives it to its end.
func (s *scenario) start(t *testing.T) (exec.Result, error) {
	t.Helper()
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.host.Drive(10_000_000); err != nil {
		t.Fatal(err)
	}
	s.host.Finish()
	return run.Wait()
}

// A sink that breaks ends a run whose source may not go further ahead of what is committed, which nothing is any more.
func TestBrokenSinkEndsALimitedSource(t *testing.T) {
	s := newScenarioOf(1)
	s.plan.Settings.Uncommitted = 4
	src := s.addSourceOf(&Source{Parts: manyRows(100)})
	good := &Sink{}
	s.host.Latency = func(node string) int64 {
		if node == "sink1" {
			return int64(100 * time.Millisecond) // the source is limited when the sink breaks
		}
		return 0
	}
	chainOf(s, plan.ToForward, src, s.addSinkOf(&Sink{Faults: Faults{FatalAt: 1}}))
	chainOf(s, plan.ToForward, s.addSinkOf(good))
	join(s, src, s.plan.Nodes[2], plan.ToForward)
	res, err := s.start(t)
	if err == nil || res.Undelivered == 0 || int64(len(good.Rows)) != res.Read {
		t.Errorf("%v: %d rows at the good sink, %+v", err, len(good.Rows), res)
	}
}

// erring is a keyed body whose rows with an odd copy go to `.errors`.
type erring struct{ body }

// Run implements task.Program.
func (p *erring) Run(now int64, in *batch.Batch, parents bool) task.Result {
	var good []int32
	var bad []task.Failure
	for i, cp := range in.Cols[2].Int[:in.N] {
		if cp%2 == 1 {
			bad = append(bad, task.Failure{Row: int32(i), Code: failCode})
		} else {
			good = append(good, int32(i))
		}
	}
	r := p.body.Run(now, in.Gather(good), parents)
	r.Errored = bad
	return r
}

type erringCompiler struct{ *scenario }

// Keyed implements task.Compiler.
func (c erringCompiler) Keyed(n *plan.Node) task.Program {
	return &erring{body{c.scenario, c.ops[n.ID], c.counts(n)}}
}

// What a stateful node sends to `.errors` is a root of its own, as all that it puts out: a failure behind does not run
// the node again.
func TestF01ErrorsOfAStatefulNode(t *testing.T) {
	s := newScenarioOf(1)
	s.plan.Settings.Retries = 100
	src := s.addSourceOf(&Source{Parts: manyRows(40)})
	twice := s.addBody(plan.KindBody, &op{kind: opFlat, mod: 6, rest: -1})
	keyed := s.addBody(plan.KindKeyed, &op{kind: opState, mod: 2, rest: -1})
	flaky := s.addBody(plan.KindBody, &op{kind: opFlaky, mod: 1})
	good, bad := &Sink{}, &Sink{}
	keyed.Outs = append(keyed.Outs, plan.Out{Name: "errors", Layout: rowLayout})
	chainOf(s, plan.ToForward, src, twice, keyed, s.addSinkOf(good))
	chainOf(s, plan.ToForward, flaky, s.addSinkOf(bad))
	join(s, keyed, flaky, plan.ToForward).Out = 1
	s.opts.Compiler = erringCompiler{s}
	res, err := s.start(t)
	if err != nil || len(good.Rows) != 40 || len(bad.Rows) != 40 || res.Books.Reemitted == 0 {
		t.Errorf("%v: %d rows, %d errors, %+v", err, len(good.Rows), len(bad.Rows), res.Books)
	}
	for key, n := range s.absorbed[keyed.ID] {
		if n != 8 {
			t.Errorf("the state of key %d took in %d rows, want 8", key, n)
		}
	}
}

// Without trees nothing but the limits of queues and sinks bounds what waits: these count bytes too.
func TestBlockedSinkHoldsFewBytes(t *testing.T) {
	const rows = 10_000
	s := newScenarioOf(1)
	s.plan.Level, s.plan.Profile = plan.AtMostOnce, plan.P0
	s.opts.Limits = task.Limits{BatchRows: 10, QueueRows: rows, QueueBytes: 1 << 10, SinkRows: rows}
	blocked := true
	sink := &Sink{Host: s.host}
	line(s, &Source{Host: s.host, Parts: manyRows(rows)}, sink)
	s.opts.Sinks["sink2"] = hanging(sink, func() bool { return blocked })
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	s.host.OnStep = func(int) {
		if blocked = s.host.Elapsed() < time.Minute; blocked {
			most = max(most, run.Stats().Nodes[0].In)
		}
	}
	if err := s.host.Drive(1_000_000); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(); err != nil || most > 1000 {
		t.Errorf("%v: %d rows of 24 bytes were read while the sink was blocked", err, most)
	}
}

// `retries` may be more than the ledger counts: poison is a dead letter in the end all the same.
func TestManyRetriesEnd(t *testing.T) {
	s := newScenarioOf(1)
	s.plan.Settings.Retries = 1000
	src := s.addSourceOf(&Source{Parts: manyRows(3)})
	chainOf(s, plan.ToForward, src, s.addBody(plan.KindBody, &op{kind: opPoison, mod: 3}), s.addSinkOf(&Sink{}))
	s.addDead(&Sink{})
	if res, err := s.start(t); err != nil || len(s.dead.Rows) != 1 || res.Undelivered != 0 {
		t.Errorf("%v: %d dead letters, %+v", err, len(s.dead.Rows), res)
	}
}

func (s *scenario) addDead(k *Sink) {
	n := s.addSinkOf(k)
	n.In, s.plan.Settings.DeadLetters, s.dead = deadLayout, n.ID, k
	chainOf(s, plan.ToForward, n)
}

// watch starts the scenario and calls look before each step.
func (s *scenario) watch(t *testing.T, look func(*exec.Run)) (exec.Result, error) {
	t.Helper()
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	s.host.OnStep = func(int) { look(run) }
	if err := s.host.Drive(10_000_000); err != nil {
		t.Fatal(err)
	}
	s.host.Finish()
	return run.Wait()
}

// F2: what a window has absorbed is done. A window over the whole input holds no root, however low `pending` is.
func TestF02WindowPinsNoRoots(t *testing.T) {
	s := newScenarioOf(2)
	s.plan.Settings.Pending = 5
	sink := &Sink{}
	chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: manyRows(500)}),
		s.addBody(plan.KindAggregate, &op{kind: opWhole, mod: 2}), s.addSinkOf(sink))
	before := int64(0)
	res, err := s.watch(t, func(run *exec.Run) {
		if len(sink.Rows) == 0 && run.Stats().Nodes[0].In == 500 && run.Stats().Nodes[0].Open == 0 {
			before = run.Stats().Nodes[1].In
		}
	})
	if err != nil || len(sink.Rows) != 5 || before != 500 || res.Books.Reemitted != 0 {
		t.Errorf("%v: %d results, %d rows absorbed and done before, %+v", err, len(sink.Rows), before, res.Books)
	}
}

// F10: a window with many results gives them out as the sink takes them, under `pending`.
func TestF10FiringUnderPending(t *testing.T) {
	const keys, pending = 1000, 10
	s := newScenarioOf(3)
	s.plan.Settings.Pending = pending
	rows := manyRows(keys)
	for i, r := range rows[0] {
		r[1] = value.OfInt(int64(i))
	}
	sink := &Sink{Faults: Faults{Slow: time.Millisecond, Again: 10}}
	chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: rows}),
		s.addBody(plan.KindAggregate, &op{kind: opWhole, mod: 2}), s.addSinkOf(sink))
	most := int64(0)
	res, err := s.watch(t, func(run *exec.Run) { most = max(most, run.Stats().Nodes[1].Open) })
	if err != nil || len(sink.Rows) != keys || res.Undelivered != 0 {
		t.Errorf("%v: %d of %d results, %+v", err, len(sink.Rows), keys, res)
	}
	if limit := int64(pending + s.opts.Limits.BatchRows); most > limit || most < pending/2 {
		t.Errorf("%d results were open at a time, the limit is %d and a batch", most, pending)
	}
}

// F11: a combiner hands on what it holds when no input comes, so that nothing waits for rows that never come.
func TestF11CombinerFlushesWhenIdle(t *testing.T) {
	s := newScenarioOf(4)
	combine := s.addSourceOf(&Source{Parts: manyRows(50), Pace: 10 * time.Second})
	c := s.addBody(plan.KindCombine, &op{kind: opCombine, mod: 100})
	whole := s.addBody(plan.KindAggregate, &op{kind: opWhole, mod: 2})
	s.opts.Limits.BatchRows = 1
	chainOf(s, plan.ToForward, combine, c, whole, s.addSinkOf(&Sink{}))
	lag := int64(0)
	_, err := s.watch(t, func(run *exec.Run) {
		n := run.Stats().Nodes
		if at := s.host.Elapsed() % (10 * time.Second); at > time.Second && s.host.Elapsed() < 400*time.Second {
			lag = max(lag, n[c.ID].In-n[whole.ID].In)
		}
	})
	if err != nil || s.host.Elapsed() < 490*time.Second || lag > 0 {
		t.Errorf("%v: a second after a row came, %d rows were still in the combiner", err, lag)
	}
}

// F12: a sink's rows are written again in place: in order, and no other branch sees anything of it.
func TestF12RetryInPlace(t *testing.T) {
	s := newScenarioOf(5)
	src := s.addSourceOf(&Source{Parts: manyRows(300)})
	faulty, other := &Sink{Faults: Faults{Fail: 20, Again: 40}}, &Sink{}
	chainOf(s, plan.ToForward, src, s.addSinkOf(faulty))
	chainOf(s, plan.ToForward, s.addSinkOf(other))
	join(s, src, s.plan.Nodes[2], plan.ToForward)
	res, err := s.start(t)
	if err != nil || res.Books.Reemitted != 0 || res.Nodes[1].Retried == 0 {
		t.Errorf("%v: %d rows retried, %+v", err, res.Nodes[1].Retried, res.Books)
	}
	inOrder(t, other, 300)
	// The faulty sink takes what it did not ask for again out of turn, but each row once.
	if len(faulty.Rows) != 300 {
		t.Errorf("the faulty sink took %d rows", len(faulty.Rows))
	}
}

// inOrder checks that a sink took the rows 0 to n-1, each once and in order.
func inOrder(t *testing.T, k *Sink, n int) {
	t.Helper()
	if len(k.Rows) != n {
		t.Errorf("%d rows, want %d", len(k.Rows), n)
	}
	for i, r := range k.Rows {
		if r[0].Int() != int64(i) {
			t.Fatalf("row %d is %d", i, r[0].Int())
		}
	}
}

// F13: a root is not emitted again while rows of its first attempt are under way.
func TestF13NoRetryWhileTheFirstAttemptRuns(t *testing.T) {
	s := newScenarioOf(6)
	s.plan.Settings.Retries = 2
	src := s.addSourceOf(&Source{Parts: manyRows(1)})
	slow := &Sink{Faults: Faults{Slow: 20 * time.Second}}
	poison := s.addBody(plan.KindBody, &op{kind: opPoison, mod: 1})
	chainOf(s, plan.ToForward, src, s.addSinkOf(slow))
	chainOf(s, plan.ToForward, poison, s.addSinkOf(&Sink{}))
	join(s, src, poison, plan.ToForward)
	s.addDead(&Sink{})
	var at []time.Duration
	slow.OnRow = func([]value.Value) { at = append(at, s.host.Elapsed()) }
	if _, err := s.start(t); err != nil || len(s.dead.Rows) != 1 || len(at) != 3 {
		t.Fatalf("%v: %d attempts, %d dead letters", err, len(at), len(s.dead.Rows))
	}
	for i := 1; i < len(at); i++ {
		// Between two attempts lies the back-off, which begins when the first one has come to its end at the slow sink.
		if d := at[i] - at[i-1]; d < 20*time.Second+40*time.Millisecond {
			t.Errorf("attempt %d was taken %v behind the one before: that was under way when it was emitted", i, d)
		}
	}
}

// F22: a memory channel is an edge with a larger queue: its rows are done when the sink has taken them.
func TestF22MemoryChannelIsPartOfTheTree(t *testing.T) {
	s := newScenarioOf(7)
	sink := &Sink{Host: s.host}
	channel := s.addBody(plan.KindChannel, &op{kind: opChannel, mod: 2})
	channel.Connector.Args = []plan.Arg{{Name: "capacity", Value: value.OfInt(3)}, {Name: "batch", Value: value.OfInt(2)}}
	out := s.addSinkOf(sink)
	chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: manyRows(40)}), channel, out)
	blocked := true
	s.opts.Sinks[out.Name] = hanging(sink, func() bool { return blocked })
	res, err := s.watch(t, func(run *exec.Run) {
		blocked = s.host.Elapsed() < time.Minute
		for _, m := range run.Committed().Marks {
			if blocked && m.Mark.Upto > 0 {
				t.Fatalf("position %d was committed, and the sink has taken nothing", m.Mark.Upto)
			}
		}
	})
	if err != nil || res.Books.Reemitted != 0 || res.Committed.Marks[0].Mark.Upto != 40 {
		t.Errorf("%v %+v", err, res)
	}
	inOrder(t, sink, 40)
}
