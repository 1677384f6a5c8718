// Package exec runs plans.
//
// Start prepares and activates the connectors of a plan, builds its tasks (package exec/task) and starts them on a
// host: goroutines in production, or whatever Options.Host gives, as the simulator of exec/sim does. A Run then goes on
// by itself. It ends when its sources have ended and everything is settled, when it is stopped, or when an error that
// nothing can mend stops it; Wait gives the result.
//
// What a run promises is in the plan's profile: P0 follows no trees, P1 and P2 do (exec/ledger), and commit positions
// in memory; nothing outlives the process in this version.
package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

// Options say what a plan runs on.
type Options struct {
	Sources connector.Sources
	Sinks   connector.Sinks
	Funcs   expr.Funcs
	// Clock is the time that rows and connectors see; nil is the wall clock.
	Clock connector.Clock
	// Seed makes the jitter of retries.
	Seed     uint64
	Observer task.Observer // or nil
	// Panicked, if not nil, is called from the goroutine of a task or connector that panicked, instead of ending the
	// process. The run does not go on: the caller is to end the process in its own way.
	Panicked func(r any)
	// Host runs the machines; nil is one goroutine for each.
	Host task.Host
	// Compiler makes what nodes run; nil is the usual one. Tests give their own.
	Compiler task.Compiler
	Limits   task.Limits // zero fields get their defaults
	// Drain bounds how long a run that was stopped, or that an error stops, goes on with what is in flight; 0 is 30 s.
	Drain time.Duration
}

// Run is a running pipeline. Its methods are safe for concurrent use.
type Run struct {
	plan   *plan.Plan
	shared *task.Shared
	graph  *task.Graph
	co     *task.Coordinator
	host   *goroutines // nil if the host was given
	insts  instances
	drain  time.Duration

	ended   chan struct{} // closed when all machines have ended; not used with a given host
	stop    sync.Once
	settled sync.Once
	result  Result
	err     error
}

// instances are the connectors of a run.
type instances struct {
	sources map[int]*task.SourceInstance
	sinks   map[int][]*task.SinkInstance
}

const (
	defaultDrain  = 30 * time.Second
	closeTime     = 5 * time.Second
	defaultCommit = int64(time.Second)
)

// Start starts a plan. It returns when the connectors are active and the first machine runs; ctx bounds that, and ends
// nothing later. An error is a *task.Error or the context's.
func Start(ctx context.Context, p *plan.Plan, opts Options) (*Run, error) {
	if p.Profile == plan.P3 {
		bug.Panicf("exec: a plan of profile P3")
	}
	if opts.Clock == nil {
		opts.Clock = connector.Wall{}
	}
	r := &Run{plan: p, drain: opts.Drain}
	if r.drain == 0 {
		r.drain = defaultDrain
	}
	if err := r.open(ctx, p, opts); err != nil {
		r.close()
		return nil, err
	}
	host := opts.Host
	if host == nil {
		r.host = newGoroutines(ctx, opts.Clock, opts.Panicked)
		host = r.host
	}
	compiler := opts.Compiler
	if compiler == nil {
		compiler = newCompiler(p, opts.Funcs)
	}
	r.shared = &task.Shared{
		Plan: p, Host: host, Limits: limits(opts.Limits), Seed: opts.Seed, Observer: opts.Observer, OnStop: r.bound,
	}
	interval := int64(0)
	if p.Profile != plan.P0 {
		interval = p.Settings.Epoch
		if interval == 0 {
			interval = defaultCommit
		}
	}
	r.co = task.NewCoordinator(r.shared, host.NewWaker(), interval)
	r.graph = task.Build(task.Parts{
		Shared: r.shared, Compiler: compiler, Coordinator: r.co, Sources: r.insts.sources, Sinks: r.insts.sinks,
	})
	if r.host != nil {
		r.ended = make(chan struct{})
	}
	r.graph.Start(r.shared, r.co)
	if r.host != nil {
		go func() {
			r.host.machines.Wait()
			close(r.ended)
		}()
	}
	return r, nil
}

// limits fills in the defaults.
func limits(l task.Limits) task.Limits {
	def := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	if l.BatchRows == 0 {
		l.BatchRows = 1024
	}
	if l.BatchBytes == 0 {
		l.BatchBytes = 128 << 10
	}
	if l.SinkRows == 0 {
		l.SinkRows = 2 * l.BatchRows
	}
	def(&l.QueueRows, 8*int64(l.BatchRows))
	def(&l.QueueBytes, 1<<20)
	def(&l.Linger, int64(5*time.Millisecond))
	def(&l.Hold, int64(100*time.Millisecond))
	def(&l.Grace, int64(5*time.Second))
	return l
}

// open prepares all connectors, and then activates them: sinks first, so that nothing is read before it can be written.
func (r *Run) open(ctx context.Context, p *plan.Plan, opts Options) error {
	r.insts = instances{sources: map[int]*task.SourceInstance{}, sinks: map[int][]*task.SinkInstance{}}
	sources := map[int]connector.Source{}
	defer func() {
		for id, s := range sources { // those that did not get as far as an instance
			if r.insts.sources[id] == nil {
				r.closeSource(s)
			}
		}
	}()
	for _, n := range p.Nodes {
		switch n.Kind {
		case plan.KindSource:
			s, err := opts.Sources[n.Connector.Name](ctx, config(n, 0))
			if err != nil {
				return startError(n, "preparing", err)
			}
			sources[n.ID] = s
		case plan.KindSink:
			for i := range max(1, n.Parallelism) {
				s, err := opts.Sinks[n.Connector.Name](ctx, config(n, i))
				if err != nil {
					return startError(n, "preparing", err)
				}
				r.insts.sinks[n.ID] = append(r.insts.sinks[n.ID], &task.SinkInstance{Sink: s})
			}
		}
	}
	for _, n := range p.Nodes {
		for _, s := range r.insts.sinks[n.ID] {
			if err := s.Sink.Activate(ctx); err != nil {
				return startError(n, "opening", err)
			}
		}
	}
	for _, n := range p.Nodes {
		s := sources[n.ID]
		if s == nil {
			continue
		}
		if err := s.Activate(ctx); err != nil {
			return startError(n, "opening", err)
		}
		bounded := slices.Contains(n.Connector.Traits, "bounded")
		r.insts.sources[n.ID] = task.NewSourceInstance(s, max(1, n.Parallelism), bounded)
	}
	return nil
}

func config(n *plan.Node, i int) connector.Config {
	c := connector.Config{
		Node: n.Name, Args: args(n.Connector.Args), Task: i, Tasks: max(1, n.Parallelism),
		Splittable: n.Connector.Splittable, Fresh: true,
	}
	for _, e := range n.Connector.Each {
		c.Each = append(c.Each, e.Name)
	}
	if n.Kind == plan.KindSource {
		c.Row = n.Outs[0].Layout
	} else {
		c.Row = n.In
	}
	if codec := n.Connector.Codec; codec != nil {
		c.Codec = &connector.CodecConfig{Name: codec.Name, Args: args(codec.Args)}
		for _, e := range codec.Each {
			c.Codec.Each = append(c.Codec.Each, e.Name)
		}
	}
	return c
}

func args(list []plan.Arg) map[string]value.Value {
	m := make(map[string]value.Value, len(list))
	for _, a := range list {
		m[a.Name] = a.Value
	}
	return m
}

func startError(n *plan.Node, doing string, err error) error {
	return &task.Error{
		Code: diag.ConnectorFailed, Node: n.Name, Place: n.Origin, Cause: err,
		Message: fmt.Sprintf("%s `%s` failed: %v", doing, n.Name, err),
	}
}

// Stop stops the sources; what is in flight is finished, but not for longer than Options.Drain. A second call ends the
// run at once, as Kill does.
func (r *Run) Stop() {
	first := false
	r.stop.Do(func() { first = true })
	if !first {
		r.Kill()
		return
	}
	r.shared.Stop()
}

// bound lets a run that was stopped, or that an error stops, go on for no longer than Options.Drain.
func (r *Run) bound() {
	if r.host == nil {
		return
	}
	timer := time.AfterFunc(r.drain, r.Kill)
	go func() {
		<-r.ended
		timer.Stop()
	}()
}

// Kill ends the run at once: calls under way are cancelled, and what is in flight is left undelivered.
func (r *Run) Kill() {
	r.shared.Kill()
	if r.host != nil {
		r.host.cancel()
	}
}

// Wait returns when the run has ended and its connectors are closed. The error is what ended it before its time, a
// *task.Error; rows that were left undelivered make no error, but Result.Undelivered says how many they are.
func (r *Run) Wait() (Result, error) {
	if r.ended != nil {
		<-r.ended
	}
	r.settled.Do(r.settle)
	return r.result, r.err
}

// settle closes what is still open, and makes up the result.
func (r *Run) settle() {
	if r.host == nil || r.host.waitForDoors(closeTime) {
		r.graph.CloseReaders()
		r.close()
	}
	if r.host != nil {
		r.host.cancel()
	}
	if !r.shared.Killed() {
		r.graph.Check(r.shared)
	}
	r.result = r.makeResult()
	r.err = r.shared.Err()
	if bad := r.shared.Bad(); len(bad) > 0 && !r.shared.Killed() {
		r.err = errors.Join(r.err, &task.Error{
			Code: diag.Unbalanced, Node: r.plan.Pipeline, Message: "the books of the run do not balance", Notes: bad,
		})
	}
}

// close closes connectors that their tasks have not closed.
func (r *Run) close() {
	for _, s := range r.insts.sources {
		if !s.Closed {
			s.Closed = true
			r.closeSource(s.Source)
		}
	}
	for _, list := range r.insts.sinks {
		for _, s := range list {
			if !s.Closed {
				s.Closed = true
				ctx, cancel := context.WithTimeout(context.Background(), closeTime)
				_ = s.Sink.Close(ctx) // the run has failed or was killed: there is a better error already
				cancel()
			}
		}
	}
}

func (r *Run) closeSource(s connector.Source) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = s.Close(ctx)
}

// waitForDoors waits until all calls have returned, but not for longer than d: a call that does not heed its context
// must not keep a run from ending. It reports whether all have returned.
func (h *goroutines) waitForDoors(d time.Duration) bool {
	done := make(chan struct{})
	go func() {
		h.doors.Wait()
		close(done)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
