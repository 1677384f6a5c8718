package exec_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// An error that stops the run is the end of it, also if another sink cannot be drained: as long as a stop is given.
func TestAnErrorDoesNotWaitForABlockedSinkForEver(t *testing.T) {
	g := newGraph(plan.P1)
	g.opts.Drain = 50 * time.Millisecond
	bad, blocked := &taker{}, &taker{block: make(chan struct{}), called: signal{ch: make(chan struct{})}}
	bad.hook = func(connector.Write) ([]connector.Outcome, error) {
		<-blocked.called.ch
		return nil, connector.Fatal(errors.New("no permission"))
	}
	src := g.source(&counter{parts: 1}, 1)
	g.edge(src, g.sink("bad", bad, 1), plan.ToGlobal)
	g.edge(src, g.sink("blocked", blocked, 1), plan.ToGlobal)
	res, err := wait(t, g.start(t))
	var te *task.Error
	if !errors.As(err, &te) || te.Node != "bad" || res.Undelivered == 0 || bad.closed != 1 || blocked.closed != 1 {
		t.Errorf("%v, closed %d and %d times, %+v", err, bad.closed, blocked.closed, res)
	}
}

// A run that is ended at once closes the readers that it had open.
func TestKillClosesReaders(t *testing.T) {
	g := newGraph(plan.P1)
	c, k := &counter{parts: 3}, &taker{block: make(chan struct{}), called: signal{ch: make(chan struct{})}}
	g.edge(g.source(c, 2), g.sink("sink", k, 1), plan.ToGlobal)
	run := g.start(t)
	soon(t, k.called.ch)
	run.Kill()
	if _, err := wait(t, run); err != nil || c.readers.Load() != 0 || c.closed.Load() != 1 {
		t.Errorf("%v: %d readers are open, the source was closed %d times", err, c.readers.Load(), c.closed.Load())
	}
}

// A run can be ended at once while its source closes, after roots were read again.
func TestKillWhileTheSourceCloses(t *testing.T) {
	g := newGraph(plan.P1)
	c := &counter{parts: 1, each: 100, closing: make(chan struct{})}
	src := g.source(c, 1)
	b := g.body("body", 1, failAt(7), emit())
	g.edge(src, b, 0)
	g.edge(b, g.sink("sink", &taker{}, 1), plan.ToGlobal)
	g.deadLetters(&taker{})
	run := g.start(t)
	soon(t, c.closing)
	run.Kill()
	if res, err := wait(t, run); err != nil || !res.Killed || res.Books.Reemitted == 0 {
		t.Errorf("%v %+v", err, res)
	}
}

// What a sink of dead letters cannot compute for one ends the run with a word, since there is no place behind it.
func TestDeadLetterThatCannotBeWritten(t *testing.T) {
	g := newGraph(plan.P1)
	dead := &taker{}
	src := g.source(&counter{parts: 1, each: 100}, 1)
	b := g.body("body", 1, failAt(7), emit())
	g.edge(src, b, 0)
	g.edge(b, g.sink("sink", &taker{}, 1), plan.ToGlobal)
	g.deadLetters(dead)
	position := &plan.Input{X: plan.X{T: types.Int}, Field: 3, Name: "position"}
	g.p.Nodes[g.p.Settings.DeadLetters].Connector.Each = []plan.EachArg{{
		Name: "path", Expr: &plan.Binary{X: plan.X{T: types.Int}, Op: plan.Div, Left: position, Right: constant(0)},
	}}
	res, err := wait(t, g.start(t))
	var te *task.Error
	if !errors.As(err, &te) || te.Code != diag.DeadRow || te.Node != "dead" || !strings.Contains(te.Notes[0], `"position":7`) {
		t.Fatalf("%v", err)
	}
	if res.Undelivered != 1 || len(dead.letter) != 0 {
		t.Errorf("%v %+v", dead.letter, res)
	}
}

// What a source says when it is closed is not lost.
func TestErrorOfClosingASource(t *testing.T) {
	g := newGraph(plan.P1)
	c := &counter{parts: 1, each: 10, closeErr: errors.New("the lock is gone")}
	g.edge(g.source(c, 1), g.sink("sink", &taker{}, 1), plan.ToGlobal)
	res, err := wait(t, g.start(t))
	var te *task.Error
	if !errors.As(err, &te) || te.Code != diag.ConnectorFailed || te.Node != "source" || res.Undelivered != 0 {
		t.Errorf("%v %+v", err, res)
	}
}

// jumpy is a clock that is put back by an hour when it has been asked a number of times.
type jumpy struct {
	connector.Wall
	asked atomic.Int64
}

// Now implements connector.Clock.
func (c *jumpy) Now() int64 {
	now := c.Wall.Now()
	if c.asked.Add(1) > 200 {
		now -= int64(time.Hour)
	}
	return now
}

// A clock that is put back does not make anything wait: neither retries, nor commits, nor rows for company.
func TestClockThatJumps(t *testing.T) {
	g := newGraph(plan.P1)
	g.opts.Clock = &jumpy{}
	g.p.Settings.Uncommitted = 1000
	k := &taker{}
	writes := 0
	k.hook = func(w connector.Write) ([]connector.Outcome, error) {
		if writes++; writes%7 == 3 {
			return nil, errLost
		}
		return nil, nil
	}
	g.opts.Limits.BatchRows = 100
	src := g.source(&counter{parts: 2, each: 2000}, 1)
	b := g.body("body", 2, failAt(777), emit())
	g.edge(src, b, plan.ToKey)
	g.edge(b, g.sink("sink", k, 1), plan.ToGlobal)
	g.deadLetters(&taker{})
	if res, err := wait(t, g.start(t)); err != nil || len(k.seen) != 3999 || res.Undelivered != 0 {
		t.Errorf("%v: %d rows, %+v", err, len(k.seen), res)
	}
}
