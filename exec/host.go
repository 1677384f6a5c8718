package exec

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
)

// goroutines is the host in production: one goroutine for each machine, which sleeps until it is woken or due, and one
// for each door, which sleeps until a call is submitted. Nothing polls.
type goroutines struct {
	clock    connector.Clock
	start    int64       // time of day when the run began
	began    time.Time   // the same moment, by a clock that is never put back
	panicked func(r any) // or nil
	ctx      context.Context
	cancel   context.CancelFunc

	machines sync.WaitGroup
	doors    sync.WaitGroup
}

// budget is the number of batches of one step.
const budget = 16

func newGoroutines(ctx context.Context, clock connector.Clock, panicked func(r any)) *goroutines {
	h := &goroutines{clock: clock, start: clock.Now(), began: time.Now(), panicked: panicked}
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return h
}

// Now implements task.Host.
func (h *goroutines) Now() int64 { return h.start + int64(time.Since(h.began)) }

// Wall implements task.Host.
func (h *goroutines) Wall() int64 { return h.clock.Now() }

// waker holds at most one token: a machine that was woken takes a step, however often it was woken.
type waker chan struct{}

// Wake implements task.Waker.
func (w waker) Wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// NewWaker implements task.Host.
func (h *goroutines) NewWaker() task.Waker { return make(waker, 1) }

// Go implements task.Host.
func (h *goroutines) Go(_ string, m task.Machine, w task.Waker) {
	h.machines.Go(func() { h.run(m, w.(waker)) })
}

// guard is deferred by each goroutine: it hands a panic to whoever wants to know.
func (h *goroutines) guard() {
	if h.panicked == nil {
		return
	}
	if r := recover(); r != nil {
		h.panicked(r)
	}
}

func (h *goroutines) run(m task.Machine, w waker) {
	defer h.guard()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		switch m.Step(budget) {
		case task.Done:
			return
		case task.Progress:
			continue
		}
		// A token that came during the step makes this return at once, so no wake-up is lost.
		at, ok := m.Due()
		if !ok {
			<-w
			continue
		}
		wait := time.Duration(at - h.Now())
		if wait <= 0 {
			continue
		}
		timer.Reset(wait)
		select {
		case <-w:
		case <-timer.C:
		}
	}
}

// door runs calls in a goroutine of its own.
//
// All calls get the same context as long as none of them was cancelled or ran into its time-out, because making one for
// each costs more than many calls do.
type door struct {
	host  *goroutines
	waker task.Waker
	calls chan doorCall
	busy  atomic.Bool

	mu        sync.Mutex
	cancelled bool // the call that was submitted last
	cancel    context.CancelFunc
}

type doorCall struct {
	timeout time.Duration
	call    func(context.Context)
}

// Door implements task.Host.
func (h *goroutines) Door(_ string, w task.Waker) task.Door {
	d := &door{host: h, waker: w, calls: make(chan doorCall, 1)}
	h.doors.Go(d.run)
	return d
}

func (d *door) run() {
	defer d.host.guard()
	ctx, cancel := context.WithCancel(d.host.ctx)
	defer func() { cancel() }()
	var timer *time.Timer
	for c := range d.calls {
		if ctx.Err() != nil {
			cancel()
			ctx, cancel = context.WithCancel(d.host.ctx)
			timer = nil
		}
		d.mu.Lock()
		if d.cancel = cancel; d.cancelled {
			cancel()
		}
		d.mu.Unlock()
		switch {
		case c.timeout <= 0:
		case timer == nil:
			timer = time.AfterFunc(c.timeout, cancel)
		default:
			timer.Reset(c.timeout)
		}
		c.call(ctx)
		if timer != nil && !timer.Stop() && c.timeout > 0 {
			cancel() // the timer has fired: the next call gets another context
		}
		d.mu.Lock()
		d.cancel = nil
		d.mu.Unlock()
		d.busy.Store(false)
		d.waker.Wake()
	}
}

// Submit implements task.Door.
func (d *door) Submit(timeout int64, call func(context.Context)) {
	d.mu.Lock()
	d.cancelled = false
	d.mu.Unlock()
	d.busy.Store(true)
	d.calls <- doorCall{time.Duration(timeout), call}
}

// Busy implements task.Door.
func (d *door) Busy() bool { return d.busy.Load() }

// Cancel implements task.Door.
func (d *door) Cancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancelled = true
	if d.cancel != nil {
		d.cancel()
	}
}

// Close implements task.Door.
func (d *door) Close() { close(d.calls) }
