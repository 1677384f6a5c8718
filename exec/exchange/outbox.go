package exchange

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
)

// How rows leave a task.
//
// An Outbox is one task's end of one edge. Write takes a batch of the target's layout and decides who gets which rows.
// Where rows are spread by key, each target's share is copied out of the batch; a share that is small waits for others
// and goes with them as one batch, so that a shuffle does not crumble batches. A batch that is not spread is handed
// over as it is; a small one waits likewise, in order.
//
// What waits goes out when it has become a batch's worth, on Flush (idle input, a control item) or when it has waited
// for the linger time. Nothing is pushed into a queue before Send: until then the trees' books of the batch in hand
// are not closed, and a receiver that were faster than them could settle a tree too early.

// Trees hands out the spans of the batch in hand for a batch made from it. A nil Trees is of untracked rows.
type Trees interface {
	// Fork returns the spans under new edges.
	Fork() []batch.Span
	// Pass returns the spans for a batch that takes the place of the one in hand: under the edges on which that came,
	// if nobody has taken these yet.
	Pass() []batch.Span
}

// Config says how an outbox spreads rows.
type Config struct {
	Grouping plan.Grouping // ToKey, ToShuffle, ToAll; any other takes all to the first target
	Optional bool          // rows leave their trees, and a full target's rows are dropped
	Drop     bool          // drop what a full target does not take
	Strict   bool          // no batch has more than Rows
	Rows     int           // rows of a full batch
	Bytes    int64         // bytes of a full batch
	Linger   int64         // ns that a row waits for others
}

// Outbox is one task's end of one edge.
type Outbox struct {
	cfg     Config
	targets []target
	next    int   // of shuffle
	ready   int   // batches that wait for Send
	since   int64 // when the oldest waiting row came; 0: none waits
	sel     [][]int32
}

type target struct {
	in    *Input
	parts []*batch.Batch // small batches that wait for more
	rows  int
	bytes int64
	spans int
	ready []Item
}

// MostSpans bounds the spans of a batch that is made of several; an index of a span has 16 bits. Filters leave batches of
// few rows that have still all of their spans, so the number of rows is no bound.
const MostSpans = 4096

// NewOutbox returns an outbox; the targets are the inputs of the receiving tasks, in order.
func NewOutbox(cfg Config, inputs []*Input) *Outbox {
	o := &Outbox{cfg: cfg, targets: make([]target, len(inputs)), sel: make([][]int32, len(inputs))}
	for i, in := range inputs {
		o.targets[i].in = in
	}
	return o
}

// ByKey reports whether Write needs hashes.
func (o *Outbox) ByKey() bool { return o.cfg.Grouping == plan.ToKey && len(o.targets) > 1 }

// Write spreads a batch. hashes are those of the rows' keys where ByKey; trees is nil for untracked rows. now is the
// time, in ns.
func (o *Outbox) Write(b *batch.Batch, hashes []uint64, trees Trees, now int64) {
	if b.N == 0 {
		return
	}
	if o.cfg.Optional {
		trees = nil
		b = untracked(b)
	}
	switch {
	case o.ByKey():
		o.spread(b, hashes, trees, now)
	case o.cfg.Grouping == plan.ToAll:
		for i := range o.targets {
			o.hand(i, b, trees, now, false)
		}
	default:
		o.hand(o.only(), b, trees, now, true)
	}
}

func untracked(b *batch.Batch) *batch.Batch {
	c := *b
	c.Spans, c.Origin = nil, nil
	return &c
}

// only returns the target that takes a whole batch.
func (o *Outbox) only() int {
	if o.cfg.Grouping == plan.ToShuffle {
		return o.leastLoaded()
	}
	return 0
}

// leastLoaded returns the target with the fewest rows to do; among equals, turn by turn. A target at which rows wait
// for company comes first, or small batches would wait at each of them.
func (o *Outbox) leastLoaded() int {
	best, least := 0, int64(-1)
	for k := range o.targets {
		i := (o.next + k) % len(o.targets)
		t := &o.targets[i]
		if t.rows > 0 && len(t.ready) == 0 {
			return i
		}
		load := t.in.Queued()
		for _, it := range t.ready {
			if it.Kind == Rows {
				load += int64(it.Batch.N)
			}
		}
		if least < 0 || load < least {
			best, least = i, load
		}
	}
	o.next = (best + 1) % len(o.targets)
	return best
}

// spread gives each target its rows by key group.
func (o *Outbox) spread(b *batch.Batch, hashes []uint64, trees Trees, now int64) {
	n := len(o.targets)
	for i := range o.sel {
		o.sel[i] = o.sel[i][:0]
	}
	for row, h := range hashes {
		i := int(batch.KeyGroup(h)) * n / batch.KeyGroups
		o.sel[i] = append(o.sel[i], int32(row))
	}
	for i, sel := range o.sel {
		switch len(sel) {
		case 0:
		case b.N:
			o.hand(i, b, trees, now, true)
		default:
			o.hand(i, b.Compact(sel), trees, now, false)
		}
	}
}

// hand gives a whole batch to a target, in parts if it is large.
func (o *Outbox) hand(i int, b *batch.Batch, trees Trees, now int64, pass bool) {
	most := 2 * o.cfg.Rows
	if o.cfg.Strict {
		most = o.cfg.Rows
	}
	if b.N <= most {
		c := *b
		o.add(i, fork(&c, trees, pass), now)
		return
	}
	for lo := 0; lo < b.N; lo += o.cfg.Rows {
		o.add(i, fork(b.Slice(lo, min(lo+o.cfg.Rows, b.N)), trees, false), now)
	}
}

// fork sets the spans of a batch, which is the caller's own.
func fork(b *batch.Batch, trees Trees, pass bool) *batch.Batch {
	switch {
	case trees == nil:
		b.Spans, b.Origin = nil, nil
	case pass:
		b.Spans = trees.Pass()
	default:
		b.Spans = trees.Fork()
	}
	return b
}

// add puts a batch behind what waits at a target. One with less than a quarter of a full batch waits for more.
func (o *Outbox) add(i int, b *batch.Batch, now int64) {
	t := &o.targets[i]
	if t.rows > 0 && (!alike(t.parts[0], b) || o.cfg.Strict && t.rows+b.N > o.cfg.Rows || t.spans+len(b.Spans) > MostSpans) {
		o.join(t)
	}
	size := int64(0)
	small := b.N < o.cfg.Rows/4
	if small || t.rows > 0 {
		size = b.Bytes()
		small = small && size < o.cfg.Bytes/4
	}
	if !small && t.rows == 0 {
		o.enqueue(t, b)
		return
	}
	t.parts = append(t.parts, b)
	t.rows += b.N
	t.bytes += size
	t.spans += len(b.Spans)
	if !small || t.rows >= o.cfg.Rows || t.bytes >= o.cfg.Bytes || t.spans >= MostSpans {
		o.join(t)
	} else if o.since == 0 {
		o.since = max(now, 1)
	}
}

// alike reports whether two batches can be one: rows with and without origins or positions cannot.
func alike(a, b *batch.Batch) bool {
	return (a.Origin == nil) == (b.Origin == nil) && (a.Pos == nil) == (b.Pos == nil) &&
		(len(a.Spans) == 0) == (len(b.Spans) == 0)
}

// join makes one batch of what waits at a target.
func (o *Outbox) join(t *target) {
	if t.rows == 0 {
		return
	}
	o.enqueue(t, batch.Concat(t.parts))
	clear(t.parts)
	t.parts, t.rows, t.bytes, t.spans = t.parts[:0], 0, 0, 0
}

func (o *Outbox) enqueue(t *target, b *batch.Batch) {
	t.ready = append(t.ready, Item{Kind: Rows, Batch: b})
	o.ready++
}

// Repeated counts rows that were not written because an optional branch takes no row twice.
func (o *Outbox) Repeated(rows int) { o.targets[0].in.repeated.Add(int64(rows)) }

// Flush makes everything that waits ready to be sent.
func (o *Outbox) Flush() {
	if o.since == 0 {
		return
	}
	for i := range o.targets {
		o.join(&o.targets[i])
	}
	o.since = 0
}

// Due returns when waiting rows have waited long enough; false if none waits.
func (o *Outbox) Due() (int64, bool) { return o.since + o.cfg.Linger, o.since != 0 }

// Control flushes, and puts a control item behind the rows of each target.
func (o *Outbox) Control(it Item) {
	o.Flush()
	for i := range o.targets {
		o.targets[i].ready = append(o.targets[i].ready, it)
		o.ready++
	}
}

// Send pushes what is ready into the queues. It reports whether everything went; otherwise the task is woken when there
// is room.
func (o *Outbox) Send() bool {
	if o.ready == 0 {
		return true
	}
	for i := range o.targets {
		t := &o.targets[i]
		sent := 0
		for _, it := range t.ready {
			if !t.in.Push(it) {
				// Tracked rows are never dropped, whatever a channel says.
				if !o.cfg.Optional && (!o.cfg.Drop || len(it.Batch.Spans) > 0) {
					break
				}
				t.in.Discard(it.Batch.N)
			}
			sent++
		}
		if sent == 0 {
			continue
		}
		o.ready -= sent
		rest := copy(t.ready, t.ready[sent:])
		clear(t.ready[rest:])
		t.ready = t.ready[:rest]
	}
	return o.ready == 0
}

// Waiting returns the number of rows that are in the outbox.
func (o *Outbox) Waiting() int {
	n := 0
	for i := range o.targets {
		n += o.targets[i].waiting()
	}
	return n
}

func (t *target) waiting() int {
	n := t.rows
	for _, it := range t.ready {
		if it.Kind == Rows {
			n += it.Batch.N
		}
	}
	return n
}

// Discard counts the rows that are in the outbox as dropped, because they will not be sent any more.
func (o *Outbox) Discard() {
	for i := range o.targets {
		o.targets[i].in.Discard(o.targets[i].waiting())
	}
}
