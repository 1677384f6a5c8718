package task

import (
	"sync"
	"sync/atomic"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/ledger"
)

// Limits are sizes that the engine works with. They do not change what a pipeline does.
type Limits struct {
	BatchRows  int   // rows of a source batch and of a full batch of an exchange
	BatchBytes int   // bytes of these
	QueueRows  int64 // of one input of a task
	QueueBytes int64 // of these, and of what waits at a sink
	Linger     int64 // ns that a few rows wait for others at an exchange
	Hold       int64 // ns of idleness after which a combiner flushes
	SinkRows   int   // rows that wait at a sink while it writes
	Grace      int64 // ns that optional branches may go on when everything else has ended
}

// Shared is what all machines of a run have in common. It is safe for concurrent use.
type Shared struct {
	Plan     *plan.Plan
	Host     Host
	Limits   Limits
	Seed     uint64
	Observer Observer // or nil
	OnStop   func()   // called once when the sources are told to stop, by whoever stops them; or nil

	owners []ownerRef // by owner id; complete before anything runs
	wakers []Waker

	stopping atomic.Bool
	killed   atomic.Bool
	thrown   atomic.Int64 // rows of state that a stop threw away

	mu  sync.Mutex
	err error
	bad []string // books that do not balance
}

type ownerRef struct {
	inbox *ledger.Inbox
	node  *plan.Node
}

// Stop makes the sources stop reading; what is in flight is finished.
func (s *Shared) Stop() {
	if !s.stopping.Swap(true) && s.OnStop != nil {
		s.OnStop()
	}
	s.wakeAll()
}

// Kill makes every machine end at its next step.
func (s *Shared) Kill() {
	s.killed.Store(true)
	s.wakeAll()
}

func (s *Shared) wakeAll() {
	for _, w := range s.wakers {
		w.Wake()
	}
}

// Stopping reports whether Stop was called or an error stops the run.
func (s *Shared) Stopping() bool { return s.stopping.Load() }

// Fail notes an error that ends the run, if it is the first, and stops the sources.
func (s *Shared) Fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.Stop()
}

// Err returns the error that ended the run.
func (s *Shared) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Unbalanced notes a book that does not balance: a fault of the engine's, which the run must tell.
func (s *Shared) Unbalanced(what string) {
	s.mu.Lock()
	if len(s.bad) < mostBad {
		s.bad = append(s.bad, what)
	}
	s.mu.Unlock()
}

// mostBad is how many books that do not balance are told: one that does not is wrong at each audit from then on.
const mostBad = 20

// Bad returns the books that do not balance.
func (s *Shared) Bad() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bad
}

// Thrown returns how many rows of state a stop threw away.
func (s *Shared) Thrown() int64 { return s.thrown.Load() }

func (s *Shared) observe(kind EventKind, node, message string, now int64) {
	if s.Observer != nil {
		s.Observer.Observe(Event{Kind: kind, Node: node, Message: message, At: now})
	}
}

// timeout returns how long a call may take after a number of tries that failed: the pipeline's time-out, doubling up to
// eight times.
func (s *Shared) timeout(tries int) int64 {
	return s.Plan.Settings.Timeout << min(tries, 3)
}

const (
	firstBackoff = int64(50e6)
	mostBackoff  = int64(10e9)
)

// backoff returns the wait after a number of failed tries: 50 ms doubling to 10 s, a fifth more or less.
func backoff(tries int, random uint64) int64 {
	d := min(firstBackoff<<min(tries-1, 10), mostBackoff)
	return d - d/5 + int64(random%uint64(d*2/5+1))
}

// Killed reports whether the run was ended at once.
func (s *Shared) Killed() bool { return s.killed.Load() }
