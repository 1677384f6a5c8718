package ledger

import (
	"time"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
)

const (
	firstBackoff = int64(50 * time.Millisecond)
	mostBackoff  = int64(10 * time.Second)
)

// Retry is a span whose failed roots are due to be emitted again. Span has the new attempt's entry, which is being
// emitted until Seal.
type Retry struct {
	Span batch.Span
	Pos  int64    // position of the span's first root
	N    int      // roots of the span
	Rows []uint16 // those to emit, ascending, counted from the span's first root
	Kept Kept     // of derived roots: the batch that they are rows of
}

// NextRetry returns a span that is due, in the order of their due times.
func (o *Owner) NextRetry(now int64) (Retry, bool) {
	if len(o.retries.items) == 0 || o.retries.items[0].due > now {
		return Retry{}, false
	}
	i := o.retries.pop().entry
	e := o.at(i)
	if e.state != waiting {
		bug.Panicf("ledger: owner %d: entry %d is in the retry queue in state %d", o.id, i, e.state)
	}
	r := Retry{Span: o.ref(i, e), Pos: e.pos, N: int(e.n), Rows: o.failed[i].list(nil), Kept: o.Kept(i)}
	members := o.failed[i].words
	o.failed[i] = &set{words: make([]uint64, len(members)), members: members}
	e.state, e.epoch = emitting, o.epoch
	o.books.Reemitted += int64(e.live)
	return r, true
}

// NextDue returns when the next retry is due; false if none waits.
func (o *Owner) NextDue() (int64, bool) {
	if len(o.retries.items) == 0 {
		return 0, false
	}
	return o.retries.items[0].due, true
}

// backoff returns the wait before an attempt: 50 ms doubling to 10 s, a fifth more or less.
func (o *Owner) backoff(attempt int) int64 {
	d := mostBackoff
	if attempt < 20 {
		d = min(firstBackoff<<(attempt-1), mostBackoff)
	}
	o.random++
	return d - d/5 + int64(mix(o.random)%uint64(d*2/5+1))
}

type retry struct {
	due   int64
	entry uint32
}

// retryQueue is a binary heap by due time; equal times in the order of entries, so that a run can be repeated.
type retryQueue struct{ items []retry }

func (q *retryQueue) less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	return a.due < b.due || a.due == b.due && a.entry < b.entry
}

func (q *retryQueue) push(r retry) {
	q.items = append(q.items, r)
	for i := len(q.items) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.less(i, up) {
			return
		}
		q.items[i], q.items[up] = q.items[up], q.items[i]
		i = up
	}
}

func (q *retryQueue) pop() retry {
	top := q.items[0]
	last := len(q.items) - 1
	q.items[0] = q.items[last]
	q.items = q.items[:last]
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < last && q.less(child, least) {
				least = child
			}
		}
		if least == i {
			return top
		}
		q.items[i], q.items[least] = q.items[least], q.items[i]
		i = least
	}
}
