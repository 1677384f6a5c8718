package task

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// How a source is read.
//
// The tasks of a source share its partitions. Where all of them are bounded, each task reads one at a time and takes the
// next when it has come to its end, so that the last ones are spread evenly; otherwise each task reads its share of them
// all at once, because any may be silent for long. A partition always has one read under way while the batch before is
// processed.
//
// A read batch is a span of roots: the position where the reader stood, and the number of rows and of inputs that made
// no row. Roots that failed are read again: a second reader is opened at that position, and the failed ones are picked
// by their number, which needs the source to give the same rows again, as a replayable source does.

// SourceInstance is a source that was prepared and activated, with its partitions. Its tasks share it.
type SourceInstance struct {
	Source connector.Source
	Closed bool

	calls    sync.Mutex // calls of Source come one after the other; held by doors only
	mu       sync.Mutex
	parts    []connector.Partition
	next     int // first partition that no task has taken, of a source that is read one by one
	oneByOne bool
	tasks    int // that have not ended
}

// NewSourceInstance returns the instance of an activated source for a number of tasks.
func NewSourceInstance(src connector.Source, tasks int, bounded bool) *SourceInstance {
	return &SourceInstance{Source: src, parts: src.Partitions(), oneByOne: bounded, tasks: tasks}
}

// Partitions returns the partitions.
func (s *SourceInstance) Partitions() []connector.Partition { return s.parts }

// take returns the next partition for a task, -1 when there is none.
func (s *SourceInstance) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.parts) {
		return -1
	}
	s.next++
	return s.next - 1
}

// leave counts a task that has ended, and reports whether it was the last.
func (s *SourceInstance) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks--
	return s.tasks == 0
}

func (s *SourceInstance) open(ctx context.Context, part uint16, pos int64) (connector.Reader, error) {
	s.calls.Lock()
	defer s.calls.Unlock()
	return s.Source.Open(ctx, part, pos)
}

type sourceStage struct {
	node    *node
	inst    *SourceInstance
	newDoor func() Door
	parts   []*part
	turn    int
	again   reread
	started bool
	stopped bool
	limited atomic.Bool  // a partition may not go further ahead of what is committed
	deadRow batch.Layout // (raw: bytes)

	closeDoor Door
	closeErr  error
	closing   int // 0 no, 1 under way, 2 done
}

// part is a partition that is being read.
type part struct {
	src     *sourceStage
	info    connector.Partition
	index   uint16
	door    Door
	reader  connector.Reader
	read    *connector.Read
	err     error
	busy    bool // a call is under way
	got     bool // read holds rows that were not taken
	ended   bool
	pos     int64 // behind the last row that was taken
	tries   int
	retryAt int64
	sick    bool
	job     func(context.Context)
}

func (s *sourceStage) process(*batch.Batch, *flow) { bug.Panicf("task: a batch for a source") }
func (s *sourceStage) ready() bool                 { return true }
func (s *sourceStage) held() int                   { return 0 }

// start opens the task's partitions.
func (s *sourceStage) start() {
	s.started = true
	if s.inst.oneByOne {
		s.takeNext()
		return
	}
	n := s.node.plan.Parallelism
	for i := range s.inst.parts {
		if i%n == s.node.task.copy {
			s.add(i)
		}
	}
}

func (s *sourceStage) takeNext() bool {
	i := s.inst.take()
	if i < 0 {
		return false
	}
	s.add(i)
	return true
}

func (s *sourceStage) add(i int) {
	info := s.inst.parts[i]
	p := &part{src: s, info: info, index: uint16(i), pos: info.Start, door: s.newDoor()}
	limits := s.node.task.shared.Limits
	p.job = func(ctx context.Context) {
		if p.reader == nil {
			if p.reader, p.err = s.inst.open(ctx, p.info.ID, p.pos); p.err != nil {
				p.reader = nil
				return
			}
		}
		p.err = p.reader.Read(ctx, p.read, limits.BatchRows, limits.BatchBytes)
	}
	s.parts = append(s.parts, p)
	s.node.counters.Total.Add(info.Bytes)
	p.submit()
}

func (p *part) submit() {
	if p.src.stopped || p.ended || p.busy || p.got || p.retryAt > p.src.node.task.now {
		return
	}
	p.read = &connector.Read{}
	p.read.Batch.Layout = p.src.node.plan.Outs[0].Layout
	p.busy = true
	p.door.Submit(0, p.job)
}

// poll looks after reads that have returned.
func (s *sourceStage) poll() bool {
	worked := s.again.poll()
	if !s.started {
		s.start()
		worked = true
	}
	if !s.stopped && s.node.task.shared.Stopping() {
		s.stop()
	}
	for _, p := range s.parts {
		if p.busy && !p.door.Busy() {
			p.busy = false
			p.returned()
			worked = true
		}
		if !p.busy && !p.got && !p.ended {
			p.submit()
		}
	}
	return worked
}

// stop ends reading. What a read under way has still got is taken.
func (s *sourceStage) stop() {
	s.stopped = true
	for _, p := range s.parts {
		switch {
		case p.ended:
		case p.busy:
			p.door.Cancel()
			s.node.stopped = true
		default:
			s.node.stopped = true
			if !p.got {
				p.end()
			}
		}
	}
	s.node.stopped = s.node.stopped || s.inst.oneByOne && s.inst.take() >= 0
}

// returned looks at a read's result.
func (p *part) returned() {
	s, t := p.src, p.src.node.task
	if p.err == nil {
		p.got = true
		p.tries = 0
		if p.sick {
			p.sick = false
			t.shared.observe(Healthy, s.node.plan.Name, "", t.now)
		}
		return
	}
	switch {
	case errors.Is(p.err, io.EOF):
		p.end()
	case s.stopped:
		p.end()
	case connector.IsFatal(p.err):
		s.node.stopped = true
		p.end()
		t.shared.Fail(s.node.connectorError("reading", p.err))
	default:
		p.tries++
		p.retryAt = t.now + backoff(p.tries, t.ids.Next())
		if !p.sick {
			p.sick = true
			t.shared.observe(Unhealthy, s.node.plan.Name, p.err.Error(), t.now)
		}
	}
}

// end closes a partition's reader.
func (p *part) end() {
	p.ended = true
	if p.reader == nil {
		p.door.Close()
		return
	}
	p.busy = false
	r := p.reader
	p.reader = nil
	p.door.Submit(0, func(context.Context) { _ = r.Close() })
	p.door.Close()
}

// read takes one batch that was read and processes it. ended reports that there will be no more.
func (s *sourceStage) read() (did, ended bool) {
	s.limited.Store(false)
	left := false
	for k := range s.parts {
		p := s.parts[(s.turn+k)%len(s.parts)]
		if p.ended {
			continue
		}
		left = true
		if !p.got {
			continue
		}
		if !s.stopped && s.ahead(p) {
			continue
		}
		s.turn = (s.turn + k + 1) % len(s.parts)
		r, pos := p.read, p.pos
		p.got, p.pos = false, r.Next
		if s.stopped {
			p.end()
		} else {
			p.submit()
		}
		s.emit(p, r, pos)
		return true, false
	}
	if left || !s.started {
		return false, false
	}
	if s.inst.oneByOne && !s.stopped && s.takeNext() {
		return true, false
	}
	return false, true
}

// ahead reports whether a partition may not go further ahead of what is committed. A batch that had been read when the
// source was stopped is taken all the same: it is the last one, and nothing may be committed any more.
func (s *sourceStage) ahead(p *part) bool {
	l := s.node.owner.ledger
	if !l.Ahead(p.index) {
		return false
	}
	s.limited.Store(true) // before the look: a commit that comes behind it wakes the task
	s.node.task.co.takeCommit(s.node.task.asSource)
	return l.Ahead(p.index)
}

// emit processes a batch that was read at a position.
func (s *sourceStage) emit(p *part, r *connector.Read, pos int64) {
	n := s.node
	roots := r.Batch.N + len(r.Dead)
	if roots == 0 {
		return
	}
	n.counters.In.Add(int64(roots))
	n.counters.OK.Add(int64(r.Batch.N))
	n.counters.Bytes.Add(r.Bytes)
	f := n.task.rooted(n.owner, ledger.NewSpan{
		Part: p.index, N: roots, Pos: pos, Next: r.Next, Bytes: int(r.Bytes),
	})
	b := &r.Batch
	s.number(b, r.Dead, 0)
	if len(r.Dead) > 0 {
		s.deadRows(r.Dead, f)
	}
	n.emit(0, b, f)
	n.task.end(f)
}

// number gives rows their origins, where an edge carries them: their number in the span, dead rows counted.
func (s *sourceStage) number(b *batch.Batch, dead []connector.DeadRow, first int) {
	if !s.node.rootsOut {
		b.Pos = nil
		return
	}
	b.Origin = make([]batch.Origin, b.N)
	k := 0
	for i := range b.Origin {
		for k < len(dead) && dead[k].At <= i {
			k++
		}
		b.Origin[i].Row = uint16(first + i + k)
	}
}

// deadRows settles inputs that made no row. The origin of dead row k is the number of rows and dead rows before it.
func (s *sourceStage) deadRows(dead []connector.DeadRow, f *flow) {
	origins := make([]batch.Origin, len(dead))
	for k, d := range dead {
		origins[k].Row = uint16(d.At + k)
	}
	b, rows := s.rejected(dead, origins)
	s.node.fail(b, rows, s.node.plan.Errors, f)
}

// rejected returns inputs that made no row as a batch of their bytes, each of whose rows failed.
func (s *sourceStage) rejected(dead []connector.DeadRow, origins []batch.Origin) (*batch.Batch, []Failure) {
	n := s.node
	bl := batch.NewBuilder(s.deadRow)
	rows := make([]Failure, len(dead))
	pos := make([]int64, len(dead))
	for k, d := range dead {
		bl.Col(0).AppendBytes(d.Raw)
		bl.EndRow()
		rows[k] = Failure{Row: int32(k), Code: diag.Code(d.Code), Message: d.Message, Place: n.plan.Origin, Fault: true}
		pos[k] = d.Pos
	}
	b := bl.Finish()
	b.Origin, b.Pos = origins, pos
	return b, rows
}

// finish waits until all roots are settled, and closes the source with the last of its tasks.
func (s *sourceStage) finish() (done, progress bool) {
	for _, p := range s.parts {
		if p.door.Busy() {
			return false, false
		}
	}
	if !s.settled() {
		return false, false
	}
	switch s.closing {
	case 0:
		s.again.close()
		if !s.inst.leave() {
			s.closing = 2
			return true, true
		}
		s.closing = 1
		s.closeDoor = s.newDoor()
		s.closeDoor.Submit(s.node.task.shared.timeout(0), func(ctx context.Context) {
			s.inst.calls.Lock()
			defer s.inst.calls.Unlock()
			s.inst.Closed = true
			s.closeErr = s.inst.Source.Close(ctx)
		})
		return false, true
	case 1:
		if s.closeDoor.Busy() {
			return false, false
		}
		s.closeDoor.Close()
		s.closing = 2
		if s.closeErr != nil {
			s.node.task.shared.Fail(s.node.connectorError("closing", s.closeErr))
		}
	}
	return true, true
}

// settled reports whether no root is open any more.
func (s *sourceStage) settled() bool {
	return s.node.owner.ledger.Books().Open == 0 && !s.again.busy
}

func (s *sourceStage) due() (int64, bool) {
	at := int64(math.MaxInt64)
	for _, p := range s.parts {
		if !p.busy && !p.got && !p.ended && p.retryAt > 0 && !s.stopped {
			at = min(at, p.retryAt)
		}
	}
	if d, ok := s.again.due(); ok {
		at = min(at, d)
	}
	return at, at != math.MaxInt64
}

// deadRowLayout is the layout of inputs that made no row.
func deadRowLayout() batch.Layout {
	return &types.Record{Fields: []types.Field{{Name: "raw", Type: types.Bytes}}}
}
