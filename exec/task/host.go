// Package task holds the parts of a running pipeline as step machines: source, operator and sink tasks, and the
// coordinator that commits positions.
//
// A machine never blocks: not on a lock, a channel, a file or the clock. Step does a bounded amount of work and says
// whether there is more. What takes time outside (opening and reading a source, writing and syncing a sink) goes through
// a Door, which runs the call somewhere else and wakes the machine when it has returned. Time comes from the Host. So
// the same machines run under two hosts: one goroutine each in production, and one seeded thread in simulation, where a
// run can be repeated exactly.
//
// A Task is a chain (or tree) of fused nodes, see plan.Task. Rows pass between fused nodes as calls and between tasks
// through package exchange. How trees are followed through a task is described in flow.go, how a node ends in finish.go.
package task

import (
	"context"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// Status is what a step came to.
type Status uint8

// The statuses. Progress: there is more to do. Idle: nothing to do until woken or due. Blocked: there is work, but
// somebody else has to move first. Done: never step it again.
const (
	Progress Status = iota + 1
	Idle
	Blocked
	Done
)

// Machine is a part that is run by a host.
type Machine interface {
	// Step does about budget batches of work.
	Step(budget int) Status
	// Due returns the time (ns) at which the machine wants a step although nobody wakes it; false if never. It is asked
	// after a step that was not Progress.
	Due() (int64, bool)
}

// Waker wakes a machine: it is stepped again. Wake may be called from anywhere, often, and does not block.
type Waker interface{ Wake() }

// Host is what machines stand on.
type Host interface {
	// Now returns the time that waiting goes by, in ns: it begins at the time of day, and never goes back or jumps.
	Now() int64
	// Wall returns the time of day that rows see, in ns since the Unix epoch. It may be put back.
	Wall() int64
	// NewWaker returns a waker for a machine that is handed to Go later.
	NewWaker() Waker
	// Door returns a door for calls of a node's connector.
	Door(node string, w Waker) Door
	// Go runs a machine until it is Done, with the waker that was made for it.
	Go(name string, m Machine, w Waker)
}

// Door runs calls that may block, one at a time, outside of its machine.
type Door interface {
	// Submit starts a call; the door must not be busy. The call's context ends after timeout ns (0: never), with Cancel,
	// or when the run is killed.
	Submit(timeout int64, call func(ctx context.Context))
	// Busy reports whether a call is under way. When it turns false, what the call wrote is visible, and the machine
	// has been woken.
	Busy() bool
	// Cancel ends the context of the call under way.
	Cancel()
	// Close ends the door after the call under way.
	Close()
}

// Observer is told what happens to a running pipeline besides its rows. It is called from any task and must be quick
// and safe for concurrent use.
type Observer interface{ Observe(Event) }

// Event is something that happened.
type Event struct {
	Kind    EventKind
	Node    string
	Message string
	At      int64 // ns since the Unix epoch
}

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events. A node is unhealthy while a call of its connector fails and is retried; stalled when it holds
// rows, is not blocked, and has finished none for its time-out.
const (
	Unhealthy EventKind = iota + 1
	Healthy
	Stalled
	Moving
	Committed
)

// Error is a failure that a user can cause or has to know of: a diagnostic of the run.
type Error struct {
	Code    diag.Code
	Node    string
	Place   source.Span
	Message string
	Notes   []string
	Cause   error // of a connector, or nil
}

// Error returns the message with node and code.
func (e *Error) Error() string { return e.Message + " (" + e.Node + ", " + string(e.Code) + ")" }

// Unwrap returns the connector's error.
func (e *Error) Unwrap() error { return e.Cause }

// Diagnostic returns the error as a diagnostic, to be rendered like those of check.
func (e *Error) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Code: e.Code, Severity: diag.Error, Span: e.Place, Message: e.Message, Label: "in `" + e.Node + "`", Notes: e.Notes,
	}
}
