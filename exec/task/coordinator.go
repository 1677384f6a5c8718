package task

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/exec/ledger"
)

// Coordinator commits positions: every interval it asks the tasks of sources how far each partition is settled, then has
// every sink sync what it accepted, and only then are the positions of the first step committed. A root is done when
// its rows are accepted; its position may be passed when they are durable.
//
// It is a machine like the others. Tasks answer from their own steps; the lock is held for a copy only. With the first
// question the sources also send an audit marker through the graph, at which books are compared.
type Coordinator struct {
	shared   *Shared
	waker    Waker
	interval int64
	sources  []*member
	sinks    []*member

	marksAsked atomic.Uint64 // number of the commit for which marks are asked
	syncAsked  atomic.Uint64 // and for which a sync is

	mu        sync.Mutex
	stuck     bool // a sink is broken: nothing can be committed any more
	left      int  // required tasks that have not ended
	optional  int  // tasks of optional branches that have not ended
	optionals []*Task
	cutAt     int64 // when those that are left are cut off; 0: not yet known
	committed Manifest

	phase  coordinatorPhase
	n      uint64
	nextAt int64
	toWake []*Task
	cut    bool // optional branches were cut off
}

// member is a source of a task, or a sink, as the coordinator sees it.
type member struct {
	task     *Task
	answered uint64 // last number that it answered
	done     bool
	marks    []SourceMark // of the commit under way
	final    []SourceMark // of a task that has ended; not to be mixed into a commit whose sync was asked for before
	commit   []SourceMark // committed and not yet told to the task's ledger
}

type coordinatorPhase uint8

const (
	waitingForTime coordinatorPhase = iota
	waitingForMarks
	waitingForSyncs
)

// Manifest is what is committed: for each source and partition the position up to which everything is settled and
// durable, and the roots below it that are not.
type Manifest struct {
	N     uint64
	Marks []SourceMark
}

// SourceMark is a partition's mark.
type SourceMark struct {
	Source string
	Part   uint16
	Mark   ledger.Mark
}

// NewCoordinator returns the coordinator of a run, which commits every interval ns; with 0 only at the end.
func NewCoordinator(s *Shared, w Waker, interval int64) *Coordinator {
	s.wakers = append(s.wakers, w)
	return &Coordinator{shared: s, waker: w, interval: interval, nextAt: s.Host.Now() + interval}
}

// add makes a task known, before anything runs. Sinks of optional branches hold nothing back.
func (c *Coordinator) add(t *Task) {
	if t.optional {
		c.optional++
		c.optionals = append(c.optionals, t)
		return
	}
	c.left++
	if t.source != nil {
		t.asSource = &member{task: t}
		c.sources = append(c.sources, t.asSource)
	}
	for _, s := range t.sinks {
		s.member = &member{task: t}
		c.sinks = append(c.sinks, s.member)
	}
}

// Committed returns the last manifest.
func (c *Coordinator) Committed() Manifest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.committed
}

// Step implements Machine.
func (c *Coordinator) Step(int) Status {
	before := c.committed.N
	c.mu.Lock()
	status := c.step()
	wake := c.toWake
	c.toWake = nil
	c.mu.Unlock()
	for _, t := range wake { // not under the lock: who is woken may answer at once
		t.waker.Wake()
	}
	if c.committed.N != before {
		c.shared.observe(Committed, "", "", c.shared.Host.Now())
	}
	return status
}

func (c *Coordinator) step() Status {
	if c.shared.killed.Load() {
		return Done
	}
	switch {
	case c.left == 0:
		return c.end()
	case c.stuck:
		return Idle
	}
	switch c.phase {
	case waitingForTime:
		if c.interval == 0 || c.shared.Host.Now() < c.nextAt {
			return Idle
		}
		c.n++
		c.phase = waitingForMarks
		c.marksAsked.Store(c.n)
		c.wake(c.sources)
	case waitingForMarks:
		if !c.answered(c.sources) {
			return Idle
		}
		c.takeFinals()
		c.phase = waitingForSyncs
		c.syncAsked.Store(c.n)
		c.wake(c.sinks)
	case waitingForSyncs:
		if !c.answered(c.sinks) {
			return Idle
		}
		c.commit()
		c.phase = waitingForTime
		c.nextAt = c.shared.Host.Now() + c.interval
	}
	return Progress
}

// end commits for the last time, once all required tasks have ended. Optional branches may go on for a while; what they
// have not done then is dropped.
func (c *Coordinator) end() Status {
	now := c.shared.Host.Now()
	switch {
	case c.cutAt == 0:
		if !c.stuck {
			c.n++
			c.takeFinals()
			c.commit()
		}
		c.cutAt = now + c.shared.Limits.Grace
	case c.optional > 0 && c.cutAt <= now && !c.cut:
		c.cut = true
		for _, t := range c.optionals {
			t.cut.Store(true)
			c.toWake = append(c.toWake, t)
		}
	}
	if c.optional == 0 {
		return Done
	}
	return Idle
}

func (c *Coordinator) wake(ms []*member) {
	for _, m := range ms {
		c.toWake = append(c.toWake, m.task)
	}
}

func (c *Coordinator) answered(ms []*member) bool {
	return !slices.ContainsFunc(ms, func(m *member) bool { return m.answered < c.n && !m.done })
}

// takeFinals takes the marks of tasks that have ended instead of an answer.
func (c *Coordinator) takeFinals() {
	for _, m := range c.sources {
		if m.done {
			m.marks = m.final
		}
	}
}

// commit records the marks that the sources gave.
func (c *Coordinator) commit() {
	m := Manifest{N: c.n}
	for _, s := range c.sources {
		s.commit = s.marks
		m.Marks = append(m.Marks, s.marks...)
		if s.task.source.limited.Load() {
			c.toWake = append(c.toWake, s.task)
		}
	}
	c.committed = m
}

// Due implements Machine.
func (c *Coordinator) Due() (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cutAt > 0 {
		return c.cutAt, !c.cut
	}
	return c.nextAt, c.interval > 0 && c.phase == waitingForTime && !c.stuck
}

// serve answers what the coordinator asks of a task.
func (c *Coordinator) serve(t *Task) {
	if m := t.asSource; m != nil {
		if n := c.marksAsked.Load(); m.answered < n {
			c.mark(m, n)
		}
	}
	for _, s := range t.sinks {
		if s.member != nil {
			s.wantSync = c.syncAsked.Load()
		}
	}
}

// mark gives the coordinator a source task's marks, and takes those that were committed since.
func (c *Coordinator) mark(m *member, n uint64) {
	marks := m.task.source.marks()
	c.mu.Lock()
	commit := m.commit
	m.marks, m.answered, m.commit = marks, n, nil
	c.mu.Unlock()
	for _, x := range commit {
		m.task.source.node.owner.ledger.Commit(x.Part, x.Mark)
	}
	c.waker.Wake()
	m.task.control(exchange.Item{Kind: exchange.Marker, N: n})
}

// takeCommit tells a source task's ledger what was committed. The task asks while it may not go further ahead.
func (c *Coordinator) takeCommit(m *member) {
	c.mu.Lock()
	commit := m.commit
	m.commit = nil
	c.mu.Unlock()
	for _, x := range commit {
		m.task.source.node.owner.ledger.Commit(x.Part, x.Mark)
	}
}

// synced notes that a sink has synced for a commit.
func (c *Coordinator) synced(m *member, n uint64) {
	if m == nil {
		return
	}
	c.mu.Lock()
	m.answered = n
	c.mu.Unlock()
	c.waker.Wake()
}

// broken notes that a sink can not sync any more.
func (c *Coordinator) broken(m *member) {
	if m == nil {
		return
	}
	c.mu.Lock()
	c.stuck = true
	c.mu.Unlock()
	c.waker.Wake()
}

// taskDone notes that a task has ended: its marks are final, and its sink has synced and closed.
func (c *Coordinator) taskDone(t *Task) {
	var marks []SourceMark
	if t.source != nil {
		marks = t.source.marks()
	}
	c.mu.Lock()
	if t.optional {
		c.optional--
	} else {
		c.left--
	}
	if t.asSource != nil {
		t.asSource.done, t.asSource.final = true, marks
	}
	for _, s := range t.sinks {
		if s.member != nil {
			s.member.done = true
		}
	}
	c.mu.Unlock()
	c.waker.Wake()
}

// marks returns the marks of the partitions that the task has read.
func (s *sourceStage) marks() []SourceMark {
	out := make([]SourceMark, len(s.parts))
	for i, p := range s.parts {
		out[i] = SourceMark{Source: s.node.plan.Name, Part: p.info.ID, Mark: s.node.owner.ledger.Mark(p.index)}
	}
	return out
}
