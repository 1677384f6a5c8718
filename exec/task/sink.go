package task

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
)

// How a sink works.
//
// Batches wait in a short queue while one is being written; small neighbours are written as one. Rows that the target
// answers with `retry`, or whose outcome is unknown (an error, a lost answer, a call that ran into its time-out), are
// written again after a back-off, before anything later, so that order survives. A refused row follows the node's
// `errors` clause, or becomes a dead letter. At most once, a row whose outcome is unknown is dropped by name. Only when
// every row of a batch has an outcome is the batch settled: its edges are acked, which may end its trees.
//
// Accepted is not durable. The coordinator asks for a Sync before it commits positions; the sink serves that between
// two writes. At its end a sink writes what waits, syncs and closes.
//
// An error that no retry can mend breaks the sink: the run stops, and what the sink holds and is still given is given
// up, so that its roots' positions are never passed while everything else can drain.
type sinkStage struct {
	node   *node
	inst   *SinkInstance
	door   Door
	each   Exprs   // computes the `each` arguments; nil if there are none
	member *member // nil in an optional branch
	isEnd  bool    // takes dead letters: it never refuses

	waiting      []held
	waitingRows  int
	waitingBytes int64
	cur          *held
	rows         []int32 // rows of cur that have no outcome yet; nil: all
	most         int     // rows of one write, after calls that ran into their time-out; 0: all
	late         bool    // the last call ran into its time-out
	refused      []Failure
	unknown      int // rows of cur whose outcome is unknown and that may not be written twice

	call     sinkCall
	out      []connector.Outcome
	err      error
	tries    int   // calls in a row that left rows without an outcome
	retryAt  int64 // when the next try is due; 0: at once
	moved    int64 // when something was last settled or came in
	stalled  bool
	sick     bool
	broken   bool
	wantSync uint64 // number of the coordinator's last request
	syncNo   uint64 // of the sync under way
	synced   uint64
	closing  int // 0 no, 1 sync, 2 close, 3 done
	jobs     sinkJobs
}

type sinkCall uint8

const (
	noCall sinkCall = iota
	writes
	syncing
	closing
)

// sinkJobs are the calls as values, made once.
type sinkJobs struct{ write, sync, close func(context.Context) }

// held is a batch that a sink has not settled. Its spans are under edges of its own.
type held struct {
	b    *batch.Batch // with Spans
	each []batch.Col
	size int64 // bytes
}

// SinkInstance is a sink that was prepared and activated.
type SinkInstance struct {
	Sink   connector.Sink
	Closed bool // Close was called by its task; read after the run, by who cleans up
}

func (s *sinkStage) init() {
	sink := s.inst.Sink
	s.jobs.write = func(ctx context.Context) {
		w := connector.Write{Batch: s.cur.b, Each: s.cur.each}
		if s.rows != nil {
			w.Batch = s.cur.b.Gather(s.writing())
			w.Each = make([]batch.Col, len(s.cur.each))
			for i, c := range s.cur.each {
				w.Each[i] = batch.Gather(c, s.writing())
			}
		}
		s.out, s.err = sink.Write(ctx, w)
		s.late = s.err != nil && ctx.Err() != nil
	}
	s.jobs.sync = func(ctx context.Context) { s.err = sink.Sync(ctx) }
	s.jobs.close = func(ctx context.Context) {
		s.inst.Closed = true
		s.err = sink.Close(ctx)
	}
}

// process queues a batch.
func (s *sinkStage) process(b *batch.Batch, f *flow) {
	n := s.node
	if s.broken {
		n.counters.GivenUp.Add(int64(b.N))
		f.giveUpAll()
		return
	}
	h := held{b: b}
	if s.each != nil {
		var ok bool
		if h, ok = s.compute(b, f); !ok {
			return
		}
	}
	c := *h.b
	c.Spans = nil
	if f.tracked {
		c.Spans = f.Pass()
	} else {
		c.Origin = nil
	}
	h.b = &c
	if len(s.waiting) == 0 && s.cur == nil {
		s.moved = n.task.now
	}
	h.size = c.Bytes()
	s.waiting = append(s.waiting, h)
	s.waitingRows += c.N
	s.waitingBytes += h.size
	s.start()
}

// compute evaluates the `each` arguments. Rows for which one fails are settled here.
func (s *sinkStage) compute(b *batch.Batch, f *flow) (held, bool) {
	cols, bad := s.each.Eval(s.node.task.wall, b)
	if len(bad) == 0 {
		return held{b: b, each: slices.Clone(cols)}, true
	}
	if s.isEnd { // what cannot be computed for a dead letter never can
		bad = slices.Clone(bad)
		for i := range bad {
			bad[i].Fault = true
		}
	}
	s.node.fail(b, bad, s.node.plan.Errors, f)
	if len(bad) == b.N {
		return held{}, false
	}
	sel := make([]int32, 0, b.N)
	for i := range b.N {
		if len(bad) > 0 && int(bad[0].Row) == i {
			bad = bad[1:]
			continue
		}
		sel = append(sel, int32(i))
	}
	h := held{b: b.Gather(sel), each: make([]batch.Col, len(cols))}
	for i, c := range cols {
		h.each[i] = batch.Gather(c, sel)
	}
	return h, true
}

func (s *sinkStage) ready() bool {
	l := &s.node.task.shared.Limits
	return s.waitingRows < l.SinkRows && s.waitingBytes < l.QueueBytes
}

// start submits the next call, if none is under way.
func (s *sinkStage) start() bool {
	if s.call != noCall || s.broken || s.retryAt > s.node.task.now {
		return false
	}
	timeout := s.node.task.shared.timeout(s.tries)
	switch {
	case s.cur == nil && s.synced < s.wantSync:
		return s.submit(syncing, timeout, s.jobs.sync)
	case s.cur == nil && len(s.waiting) > 0:
		s.cur = s.next()
		fallthrough
	case s.cur != nil:
		if s.most > 0 {
			s.listRows()
		}
		return s.submit(writes, timeout, s.jobs.write)
	case s.closing == 1:
		return s.submit(syncing, timeout, s.jobs.sync)
	case s.closing == 2:
		return s.submit(closing, timeout, s.jobs.close)
	}
	return false
}

func (s *sinkStage) submit(call sinkCall, timeout int64, job func(context.Context)) bool {
	s.call, s.err, s.out, s.syncNo = call, nil, nil, s.wantSync
	s.door.Submit(timeout, job)
	return true
}

// next takes the first waiting batch, and small ones behind it.
func (s *sinkStage) next() *held {
	l := &s.node.task.shared.Limits
	h := s.waiting[0]
	k, rows, spans := 1, h.b.N, len(h.b.Spans)
	if h.each == nil {
		for _, x := range s.waiting[1:] {
			rows, spans, h.size = rows+x.b.N, spans+len(x.b.Spans), h.size+x.size
			if rows > l.BatchRows || spans > exchange.MostSpans || h.size > int64(l.BatchBytes) || !alike(h.b, x.b) {
				rows, h.size = rows-x.b.N, h.size-x.size
				break
			}
			k++
		}
	}
	if k > 1 {
		bs := make([]*batch.Batch, k)
		for i := range bs {
			bs[i] = s.waiting[i].b
		}
		h.b = batch.Concat(bs)
	}
	rest := copy(s.waiting, s.waiting[k:])
	clear(s.waiting[rest:])
	s.waiting = s.waiting[:rest]
	s.waitingRows -= rows
	s.waitingBytes -= h.size
	return &h
}

func alike(a, b *batch.Batch) bool {
	return (a.Origin == nil) == (b.Origin == nil) && (a.Pos == nil) == (b.Pos == nil) &&
		(len(a.Spans) == 0) == (len(b.Spans) == 0)
}

// poll looks after the call under way.
func (s *sinkStage) poll() bool {
	s.watch()
	if s.call == noCall {
		return s.start()
	}
	if s.door.Busy() {
		return false
	}
	call := s.call
	s.call = noCall
	switch call {
	case writes:
		s.written()
	case syncing:
		s.afterSync()
	case closing:
		s.afterClose()
	}
	s.start()
	return true
}

// listRows makes s.rows a list.
func (s *sinkStage) listRows() {
	if s.rows != nil {
		return
	}
	s.rows = make([]int32, s.cur.b.N)
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
}

// writing returns the rows of cur that are being written; s.rows is not nil.
func (s *sinkStage) writing() []int32 {
	if s.most > 0 && s.most < len(s.rows) {
		return s.rows[:s.most]
	}
	return s.rows
}

// written looks at the outcomes of a write.
func (s *sinkStage) written() {
	if connector.IsFatal(s.err) {
		s.breakDown(s.err)
		return
	}
	if s.err == nil && s.out == nil && s.rows == nil {
		s.settle()
		return
	}
	s.listRows()
	written := s.writing()
	left, wait, reason := s.outcomes(written)
	s.shrink(len(written))
	again := len(left)
	left = append(left, s.rows[len(written):]...)
	switch {
	case len(left) == 0:
		s.settle()
		return
	case again == 0:
		s.well()
	default:
		s.node.counters.Retried.Add(int64(again))
		s.again(wait, reason)
	}
	s.rows = left
}

// shrink halves the number of rows of a write when one has run into its time-out, because a target may be too slow for
// so many: without it the same rows would run into it for ever. Writes that are answered make it grow again.
func (s *sinkStage) shrink(written int) {
	switch {
	case s.late:
		s.most = max(1, written/2)
	case s.most > 0:
		if s.most *= 2; s.most > 2*s.node.task.shared.Limits.BatchRows {
			s.most = 0
		}
	}
}

// droppedUnknown is the name under which rows are dropped that may have been taken, where none may be taken twice.
const droppedUnknown = "unknown_outcome"

// outcomes sorts the rows of a write: it returns those that have to be written again, and how long to wait.
func (s *sinkStage) outcomes(rows []int32) (left []int32, wait int64, reason string) {
	once := len(s.cur.b.Spans) == 0 // rows that are followed by no tree are promised at most once
	if s.err != nil {
		if once {
			s.unknown += len(rows)
			return nil, 0, ""
		}
		return slices.Clone(rows), 0, s.err.Error()
	}
	if s.out != nil && len(s.out) != len(rows) {
		bug.Panicf("task: sink `%s` gave %d outcomes for %d rows", s.node.plan.Name, len(s.out), len(rows))
	}
	for i, o := range s.out {
		switch {
		case o.Kind == connector.OK:
		case o.Kind == connector.Unknown && once:
			s.unknown++
		case o.Kind == connector.Reject && !s.isEnd:
			s.refused = append(s.refused, Failure{
				Row: rows[i], Code: diag.Refused, Message: o.Reason, Place: s.node.plan.Origin, Fault: true,
			})
		default:
			left = append(left, rows[i])
			wait = max(wait, int64(o.After))
			reason = o.Reason
		}
	}
	return left, wait, reason
}

// again schedules the next try.
func (s *sinkStage) again(wait int64, reason string) {
	t := s.node.task
	s.tries++
	s.retryAt = t.now + max(wait, backoff(s.tries, uint64(t.ids.Next())))
	if !s.sick {
		s.sick = true
		t.shared.observe(Unhealthy, s.node.plan.Name, reason, t.now)
	}
	s.watch()
}

// settle ends the batch in hand.
func (s *sinkStage) settle() {
	n, t := s.node, s.node.task
	b := s.cur.b
	f := t.received(b.Spans)
	if len(s.refused) > 0 {
		slices.SortFunc(s.refused, func(a, b Failure) int { return int(a.Row - b.Row) })
		n.fail(b, s.refused, n.plan.Errors, f)
	}
	n.counters.drop(droppedUnknown, s.unknown)
	n.counters.OK.Add(int64(b.N - len(s.refused) - s.unknown))
	t.end(f)
	if b.Lease != nil && len(s.refused) == 0 { // a refused row may be on its way elsewhere
		b.Lease.Release()
	}
	s.cur, s.rows, s.refused, s.unknown = nil, nil, nil, 0
	s.well()
}

// well notes that something was finished.
func (s *sinkStage) well() {
	t := s.node.task
	s.tries, s.retryAt, s.moved = 0, 0, t.now
	if s.sick {
		s.sick = false
		t.shared.observe(Healthy, s.node.plan.Name, "", t.now)
	}
	if s.stalled {
		s.stalled = false
		t.shared.observe(Moving, s.node.plan.Name, "", t.now)
	}
}

// watch reports the sink as stalled when it has rows and has finished nothing for the time-out.
func (s *sinkStage) watch() {
	t := s.node.task
	limit := t.shared.Plan.Settings.Timeout
	if limit <= 0 || s.stalled || s.held() == 0 || t.now-s.moved < limit {
		return
	}
	s.stalled = true
	rows := "1 row"
	if n := s.held(); n != 1 {
		rows = fmt.Sprintf("%d rows", n)
	}
	t.shared.observe(Stalled, s.node.plan.Name, "has "+rows+" and finished none for its time-out", t.now)
}

func (s *sinkStage) afterSync() {
	t := s.node.task
	switch {
	case s.err == nil:
		s.synced = s.syncNo
		t.co.synced(s.member, s.synced)
		if s.closing == 1 && s.cur == nil && len(s.waiting) == 0 {
			s.closing = 2
		}
		s.well()
	case connector.IsFatal(s.err):
		s.breakDown(s.err)
	default:
		s.again(0, s.err.Error())
	}
}

func (s *sinkStage) afterClose() {
	s.closing = 3
	if s.err != nil {
		s.node.task.shared.Fail(s.node.connectorError("closing", s.err))
	}
}

// breakDown gives up what the sink holds, after an error that no retry can mend.
func (s *sinkStage) breakDown(err error) {
	t := s.node.task
	s.broken = true
	t.shared.Fail(s.node.connectorError("writing to", err))
	if s.cur != nil {
		s.giveUp(s.cur.b)
	}
	for _, h := range s.waiting {
		s.giveUp(h.b)
	}
	s.cur, s.rows, s.refused, s.unknown = nil, nil, nil, 0
	s.waiting, s.waitingRows, s.waitingBytes = nil, 0, 0
	t.co.broken(s.member)
}

func (s *sinkStage) giveUp(b *batch.Batch) {
	t := s.node.task
	s.node.counters.GivenUp.Add(int64(b.N))
	f := t.received(b.Spans)
	f.giveUpAll()
	t.end(f)
}

func (s *sinkStage) finish() (done, progress bool) {
	if s.broken && s.closing < 2 {
		s.closing = 2
		s.broken = false // so that Close is called
		s.tries, s.retryAt = 0, 0
	}
	switch {
	case s.closing == 3:
		return true, false
	case s.cur != nil || len(s.waiting) > 0 || s.call != noCall:
		return false, s.start()
	case s.closing == 0:
		s.closing = 1
	}
	return false, s.start()
}

func (s *sinkStage) due() (int64, bool) {
	at := int64(math.MaxInt64)
	t := s.node.task
	if s.call == noCall && s.retryAt > 0 && (s.cur != nil || s.closing > 0 || s.synced < s.wantSync) && !s.broken {
		at = s.retryAt
	}
	if limit := t.shared.Plan.Settings.Timeout; limit > 0 && !s.stalled && s.held() > 0 {
		at = min(at, s.moved+limit)
	}
	return at, at != math.MaxInt64
}

func (s *sinkStage) held() int {
	n := s.waitingRows
	if s.cur != nil {
		n += s.cur.b.N
	}
	return n
}
