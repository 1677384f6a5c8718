package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/diag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts the graph.
func (g *graph) start(t *testing.T) *exec.Run {
	t.Helper()
	run, err := exec.Start(context.Background(), g.p, g.opts)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// wait waits for the end of a run, which must come soon.
func wait(t *testing.T, run *exec.Run) (exec.Result, error) {
	t.Helper()
	type end struct {
		res exec.Result
		err error
	}
	ch := make(chan end, 1)
	go func() {
		res, err := run.Wait()
		ch <- end{res, err}
	}()
	select {
	case e := <-ch:
		return e.res, e.err
	case <-time.After(20 * time.Second):
		t.Fatalf("the run does not end: %+v", run.Stats())
		return exec.Result{}, nil
	}
}

func TestEveryShape(t *testing.T) {
	for _, profile := range []plan.Profile{plan.P0, plan.P1, plan.P2} {
		for _, grouping := range []plan.Grouping{0, plan.ToForward, plan.ToShuffle, plan.ToKey, plan.ToGlobal, plan.ToLocal} {
			for _, tasks := range []int{1, 3} {
				t.Run(fmt.Sprintf("P%d grouping %d tasks %d", profile, grouping, tasks), func(t *testing.T) {
					g := newGraph(profile)
					c, k := &counter{parts: 4, each: 25_000}, &taker{}
					src := g.source(c, tasks)
					b := g.body("body", tasks, emit())
					g.edge(src, b, grouping)
					g.edge(b, g.sink("sink", k, tasks), grouping)
					res, err := wait(t, g.start(t))
					if err != nil {
						t.Fatal(err)
					}
					if k.rows != 100_000 || len(k.seen) != 100_000 {
						t.Errorf("%d rows, %d different", k.rows, len(k.seen))
					}
					if k.closed != tasks || c.closed.Load() != 1 || c.readers.Load() != 0 {
						t.Errorf("sink closed %d times, source %d, %d readers open", k.closed, c.closed.Load(), c.readers.Load())
					}
					if res.Read != 100_000 || res.Delivered != 100_000 || res.Undelivered != 0 || res.Books.Open != 0 {
						t.Errorf("%+v", res)
					}
					if profile != plan.P0 && k.syncs == 0 {
						t.Error("nothing was synced")
					}
				})
			}
		}
	}
}

func TestPoisonBecomesADeadLetter(t *testing.T) {
	g := newGraph(plan.P1)
	k, dead := &taker{}, &taker{}
	src := g.source(&counter{parts: 2, each: 3000}, 2)
	b := g.body("body", 2, failAt(777), emit())
	g.edge(src, b, 0)
	g.edge(b, g.sink("sink", k, 1), plan.ToGlobal)
	g.deadLetters(dead)
	res, err := wait(t, g.start(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{`{"n":777} 388`}; fmt.Sprint(dead.letter) != fmt.Sprint(want) {
		t.Errorf("dead letters %v, want %v", dead.letter, want)
	}
	if len(k.seen) != 5999 || res.Dead != 1 || res.Books.Reemitted != 2 {
		t.Errorf("%d rows, %+v", len(k.seen), res)
	}
}

func TestFirstDeadRowStops(t *testing.T) {
	g := newGraph(plan.P1)
	k := &taker{}
	src := g.source(&counter{parts: 1}, 1)
	b := g.body("body", 1, failAt(50_000), emit())
	g.edge(src, b, 0)
	g.edge(b, g.sink("sink", k, 1), plan.ToGlobal)
	res, err := wait(t, g.start(t))
	var te *task.Error
	if !errors.As(err, &te) || te.Code != diag.DeadRow || te.Node != "body" || !strings.Contains(te.Notes[0], `{"n":50000}`) {
		t.Fatalf("%v", err)
	}
	if res.Undelivered != 1 || int64(len(k.seen)) != res.Read-1 {
		t.Errorf("%d rows delivered, %+v", len(k.seen), res)
	}
	if m := res.Committed.Marks[0].Mark; len(m.Holes) != 1 && m.Upto > 50_000 {
		t.Errorf("the position of a row that was given up was passed: %+v", m)
	}
}

func TestF50StopDrains(t *testing.T) {
	g := newGraph(plan.P1)
	k := &taker{took: signal{at: 100_000, ch: make(chan struct{})}}
	src := g.source(&counter{parts: 2}, 2)
	g.edge(src, g.sink("sink", k, 2), plan.ToShuffle)
	run := g.start(t)
	soon(t, k.took.ch)
	run.Stop()
	res, err := wait(t, run)
	if err != nil || res.Undelivered != 0 || k.rows != res.Read {
		t.Errorf("%v: %d rows delivered, %+v", err, k.rows, res)
	}
}

// soon waits for something that another goroutine brings about.
func soon(t *testing.T, ch chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not come about")
	}
}

func TestKillLeavesABlockedSink(t *testing.T) {
	g := newGraph(plan.P1)
	k := &taker{block: make(chan struct{}), called: signal{ch: make(chan struct{})}}
	src := g.source(&counter{parts: 1}, 1)
	g.edge(src, g.sink("sink", k, 1), plan.ToGlobal)
	run := g.start(t)
	soon(t, k.called.ch)
	run.Stop()
	run.Stop()
	res, err := wait(t, run)
	if err != nil || !res.Killed || res.Undelivered == 0 || k.closed != 1 {
		t.Errorf("%v, closed %d times: %+v", err, k.closed, res)
	}
}

func TestFatalSinkErrorStops(t *testing.T) {
	g := newGraph(plan.P1)
	good, bad := &taker{}, &taker{}
	writes := 0
	bad.hook = func(connector.Write) ([]connector.Outcome, error) {
		if writes++; writes == 20 {
			return nil, connector.Fatal(errors.New("no permission"))
		}
		return nil, nil
	}
	src := g.source(&counter{parts: 1}, 1)
	g.edge(src, g.sink("good", good, 1), plan.ToGlobal)
	g.edge(src, g.sink("bad", bad, 1), plan.ToGlobal)
	res, err := wait(t, g.start(t))
	var te *task.Error
	if !errors.As(err, &te) || te.Code != diag.ConnectorFailed || te.Node != "bad" {
		t.Fatalf("%v", err)
	}
	if res.Undelivered == 0 || good.rows != res.Read || bad.closed != 1 {
		t.Errorf("%d of %d rows at the good sink, bad one closed %d times, %d undelivered", good.rows, res.Read, bad.closed, res.Undelivered)
	}
}

func TestLostAnswersAreWrittenAgain(t *testing.T) {
	g := newGraph(plan.P1)
	k := &taker{}
	writes := 0
	k.hook = func(w connector.Write) ([]connector.Outcome, error) {
		if writes++; writes%7 == 3 {
			return nil, errLost
		}
		if writes%7 == 5 {
			out := make([]connector.Outcome, w.Batch.N)
			out[0].Kind = connector.Retry
			return out, nil
		}
		return nil, nil
	}
	src := g.source(&counter{parts: 1, each: 20_000}, 1)
	g.edge(src, g.sink("sink", k, 1), plan.ToGlobal)
	res, err := wait(t, g.start(t))
	if err != nil || len(k.seen) != 20_000 || res.Books.Reemitted != 0 {
		t.Errorf("%v: %d rows, %+v", err, len(k.seen), res.Books)
	}
}

func TestF17OptionalBranchHoldsNothingBack(t *testing.T) {
	g := newGraph(plan.P1)
	k, slow := &taker{took: signal{at: 200_000, ch: make(chan struct{})}}, &taker{block: make(chan struct{})}
	src := g.source(&counter{parts: 1, each: 200_000}, 1)
	g.edge(src, g.sink("sink", k, 1), plan.ToGlobal)
	g.edge(src, g.sink("optional", slow, 1), plan.ToGlobal).Optional = true
	run := g.start(t)
	soon(t, k.took.ch)
	close(slow.block)
	res, err := wait(t, run)
	if err != nil || res.Undelivered != 0 {
		t.Fatal(err, res)
	}
	lost := res.Nodes[2].Dropped["optional_overflow"]
	if lost == 0 || lost+slow.rows != 200_000 {
		t.Errorf("%d rows dropped, %d delivered, of 200,000", lost, slow.rows)
	}
}

// A whole window that a stop throws away is told, and not fired.
func TestF50StopThrowsOpenWindowsAway(t *testing.T) {
	g := newGraph(plan.P2)
	k := &taker{}
	c := &counter{parts: 1, reached: signal{at: 100_000, ch: make(chan struct{})}}
	src := g.source(c, 1)
	top := g.node(plan.KindTop, "top", 1)
	top.Top = &plan.Top{N: 10, By: input()}
	g.edge(src, top, plan.ToGlobal)
	g.edge(top, g.sink("sink", k, 1), plan.ToGlobal)
	run := g.start(t)
	soon(t, c.reached.ch)
	run.Stop()
	res, err := wait(t, run)
	if err != nil || res.Thrown == 0 || k.rows != 0 || res.Undelivered != 0 {
		t.Errorf("%v: %d rows at the sink, %+v", err, k.rows, res)
	}
}

func TestWordsOfPrepare(t *testing.T) {
	g := newGraph(plan.P1)
	src := g.source(&counter{parts: 1, each: 1}, 1)
	g.edge(src, g.sink("sink", &taker{}, 1), plan.ToGlobal)
	g.opts.Sinks["sink"] = func(context.Context, connector.Config) (connector.Sink, error) {
		return nil, connector.Fatal(errors.New("there is no folder x"))
	}
	_, err := exec.Start(context.Background(), g.p, g.opts)
	if err == nil || !strings.Contains(err.Error(), "preparing `sink` failed: there is no folder x") {
		t.Errorf("%v", err)
	}
}
