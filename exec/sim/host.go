// Package sim runs the machines of the engine on one thread, in virtual time, in an order that follows from a seed.
//
// The host steps one machine at a time, chosen at random among those that were woken or are due, with a random budget.
// A machine that is neither is never stepped: a wake-up that the engine forgets shows as a run that stands still with
// work left. Calls through doors are coroutines: a call runs when the host picks it, may wait on the virtual clock, and
// is continued when its time has come, its context has ended, or (seeds decide) later. Nothing else runs meanwhile, so
// a seed gives the same run each time, whatever the scheduler of the machine does.
//
// When nothing can run, time goes on to the next moment at which something is due.
package sim

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/pipec/pipec/exec/task"
)

// Host implements task.Host and connector.Clock.
type Host struct {
	rand     *rand.Rand
	now      int64
	machines []*machine
	doors    []*door
	current  *door // whose call runs now
	steps    int
	depth    int // of steps within steps
	ctx      context.Context
	cancel   context.CancelFunc

	// Latency gives the time that a call of a node takes at least, in ns; nil is none.
	Latency func(node string) int64
	// Nested is how many of 100 wake-ups run the woken machine at once.
	Nested int
	// OnStep is called before each step, for faults at chosen points and for invariants.
	OnStep func(step int)
	// Trace, if not nil, is called with what happens, for a look at a run that was repeated.
	Trace func(format string, args ...any)
}

// start is the time at which every simulation begins: 2026-01-01T00:00:00Z.
const start = int64(1767225600) * int64(time.Second)

// NewHost returns a host whose choices follow from seed.
func NewHost(seed uint64) *Host {
	h := &Host{rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), now: start}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

type machine struct {
	host     *Host
	name     string
	m        task.Machine
	woken    bool
	done     bool
	dueAt    int64
	due      bool
	stepping bool
	spins    int // steps in a row that did nothing and left it due
}

// Wake implements task.Waker. The machine may be stepped at once, in the midst of the step of the one that woke it, as
// another processor would: so orders of things within a step are tried as well.
func (m *machine) Wake() {
	m.woken = true
	h := m.host
	if m.stepping || m.m == nil || m.done || h.depth > 2 || !h.chance(h.Nested) {
		return
	}
	h.depth++
	m.step()
	h.depth--
}

// Now implements task.Host and connector.Clock.
func (h *Host) Now() int64 { return h.now }

// Wall implements task.Host.
func (h *Host) Wall() int64 { return h.now }

// NewWaker implements task.Host.
func (h *Host) NewWaker() task.Waker {
	m := &machine{host: h}
	h.machines = append(h.machines, m)
	return m
}

// Go implements task.Host.
func (h *Host) Go(name string, x task.Machine, w task.Waker) {
	m := w.(*machine)
	m.name, m.m, m.woken = name, x, true
}

// door runs calls as coroutines.
type door struct {
	host    *Host
	node    string
	waker   task.Waker
	call    func(context.Context)
	ctx     context.Context
	cancel  context.CancelFunc
	busy    bool
	closed  bool
	resume  func() (int64, bool) // continues the call; it gives the time until which it waits
	end     func()
	yield   func(until int64) bool
	readyAt int64 // when the call may be continued
	limitAt int64 // when its context ends by time-out; 0: never
}

// Door implements task.Host.
func (h *Host) Door(node string, w task.Waker) task.Door {
	d := &door{host: h, node: node, waker: w}
	h.doors = append(h.doors, d)
	return d
}

// Submit implements task.Door.
func (d *door) Submit(timeout int64, call func(context.Context)) {
	if d.busy || d.closed {
		panic(fmt.Sprintf("sim: a call was submitted to a door of %s that is busy or closed", d.node))
	}
	h := d.host
	d.busy, d.call, d.resume = true, call, nil
	d.ctx, d.cancel = context.WithCancel(h.ctx)
	d.readyAt, d.limitAt = h.now, 0
	if h.Latency != nil {
		d.readyAt += h.Latency(d.node)
	}
	if timeout > 0 {
		d.limitAt = h.now + timeout
	}
}

// Busy implements task.Door.
func (d *door) Busy() bool { return d.busy }

// Cancel implements task.Door.
func (d *door) Cancel() {
	if d.busy {
		d.cancel()
	}
}

// Close implements task.Door.
func (d *door) Close() {
	if d.closed {
		panic(fmt.Sprintf("sim: a door of %s was closed twice", d.node))
	}
	d.closed = true
}

// Wait implements connector.Clock for calls through doors.
func (h *Host) Wait(ctx context.Context, d time.Duration) error {
	if h.current == nil {
		panic("sim: Wait outside of a call")
	}
	if ctx.Err() == nil {
		h.current.yield(h.now + int64(d))
	}
	return ctx.Err()
}

// step runs or continues the call until it waits or returns.
func (d *door) step() {
	h := d.host
	if d.limitAt > 0 && h.now >= d.limitAt {
		d.cancel()
	}
	if d.resume == nil {
		d.resume, d.end = iter.Pull(func(yield func(int64) bool) {
			d.yield = yield
			d.call(d.ctx)
		})
	}
	h.current = d
	until, waits := d.resume()
	h.current = nil
	if waits {
		d.readyAt = until
		return
	}
	d.end()
	d.cancel()
	d.busy = false
	d.waker.Wake()
}

// runnable reports whether the call can go on now.
func (d *door) runnable() bool { return d.busy && (d.readyAt <= d.host.now || d.ended()) }

func (d *door) ended() bool {
	return d.ctx.Err() != nil || d.limitAt > 0 && d.limitAt <= d.host.now
}

// Drive runs everything until all machines are done. It returns an error when they are not and nothing can run any
// more, or after most steps.
func (h *Host) Drive(most int) error {
	var ready []func()
	for {
		ready = ready[:0]
		left := false
		for _, m := range h.machines {
			if m.done || m.m == nil {
				continue
			}
			left = true
			if m.woken || m.due && m.dueAt <= h.now {
				ready = append(ready, m.step)
			}
		}
		for _, d := range h.doors {
			if d.runnable() {
				ready = append(ready, d.step)
			}
		}
		switch {
		case len(ready) > 0:
			h.steps++
			if h.OnStep != nil {
				h.OnStep(h.steps)
			}
			ready[h.rand.IntN(len(ready))]()
			h.now += h.rand.Int64N(int64(20 * time.Microsecond))
		case !left:
			return nil
		case !h.advance():
			return fmt.Errorf("nothing can run any more after %d steps: %s", h.steps, h.waiting())
		}
		if h.steps > most {
			return fmt.Errorf("not done after %d steps: %s", h.steps, h.waiting())
		}
	}
}

// Finish lets calls that are still under way end, with contexts that have ended.
func (h *Host) Finish() {
	h.cancel()
	for _, d := range h.doors {
		for d.busy {
			d.step()
		}
	}
}

// Steps returns the number of steps so far.
func (h *Host) Steps() int { return h.steps }

// Elapsed returns the virtual time that has passed.
func (h *Host) Elapsed() time.Duration { return time.Duration(h.now - start) }

// step steps a machine.
func (m *machine) step() {
	m.woken, m.due, m.stepping = false, false, true
	defer func() { m.stepping = false }()
	status := m.m.Step(1 + m.host.rand.IntN(4))
	if m.host.Trace != nil {
		m.host.Trace("%d %s: %d", m.host.now-start, m.name, status)
	}
	switch status {
	case task.Done:
		m.done = true
	case task.Progress:
		m.woken = true
	default:
		m.dueAt, m.due = m.m.Due()
	}
	if !m.woken && m.due && m.dueAt <= m.host.now {
		if m.spins++; m.spins > 1000 {
			panic(fmt.Sprintf("sim: %s has nothing to do and is due again and again", m.name))
		}
	} else {
		m.spins = 0
	}
}

// advance moves the clock to the next moment at which something is due; false if nothing is.
func (h *Host) advance() bool {
	next, any := int64(0), false
	at := func(t int64) {
		if !any || t < next {
			next, any = t, true
		}
	}
	for _, m := range h.machines {
		if !m.done && m.m != nil && m.due {
			at(m.dueAt)
		}
	}
	for _, d := range h.doors {
		if d.busy {
			at(d.readyAt)
			if d.limitAt > 0 {
				at(d.limitAt)
			}
		}
	}
	if any {
		h.now = max(h.now, next)
	}
	return any
}

// waiting names the machines that are not done and the calls that have not returned.
func (h *Host) waiting() string {
	s := ""
	for _, m := range h.machines {
		if !m.done && m.m != nil {
			s += " " + m.name
		}
	}
	for _, d := range h.doors {
		if d.busy {
			s += " call:" + d.node
		}
	}
	return s
}
