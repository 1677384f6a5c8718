package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/value"
)

// Source is a replayable source of given rows. Positions are indexes into a partition's rows.
type Source struct {
	Host *Host
	// Parts are the rows of each partition, in order; a nil row is one that cannot be made (a dead row).
	Parts [][][]value.Value
	// Flaky is how many of 100 reads and opens fail with an error that goes away.
	Flaky int
	// Pace is the time between two rows; 0: all are there at once.
	Pace time.Duration

	row    batch.Layout
	closed int
}

// New is a connector.SourceFunc.
func (s *Source) New(_ context.Context, cfg connector.Config) (connector.Source, error) {
	s.row = cfg.Row
	return s, nil
}

// Activate implements connector.Source.
func (s *Source) Activate(context.Context) error { return nil }

// Partitions implements connector.Source.
func (s *Source) Partitions() []connector.Partition {
	out := make([]connector.Partition, len(s.Parts))
	for i, rows := range s.Parts {
		out[i] = connector.Partition{ID: uint16(i), Name: fmt.Sprintf("part %d", i), Bytes: int64(len(rows))}
	}
	return out
}

// Open implements connector.Source.
func (s *Source) Open(_ context.Context, part uint16, pos int64) (connector.Reader, error) {
	if s.Host.chance(s.Flaky) {
		return nil, errors.New("the source could not be opened")
	}
	return &reader{src: s, rows: s.Parts[part], next: pos}, nil
}

// Close implements connector.Source.
func (s *Source) Close(context.Context) error {
	if s.closed++; s.closed > 1 {
		panic("sim: a source was closed twice")
	}
	return nil
}

// Closed reports whether the source was closed.
func (s *Source) Closed() bool { return s.closed == 1 }

type reader struct {
	src  *Source
	rows [][]value.Value
	next int64
}

// Read implements connector.Reader: it gives a random number of rows.
func (r *reader) Read(ctx context.Context, dst *connector.Read, most, _ int) error {
	h := r.src.Host
	if h.chance(r.src.Flaky) {
		return errors.New("a read failed")
	}
	left := int64(len(r.rows)) - r.next
	if left == 0 {
		return io.EOF
	}
	n := 1 + h.rand.Int64N(min(left, int64(most)))
	if r.src.Pace > 0 {
		if err := h.Wait(ctx, time.Duration(n)*r.src.Pace); err != nil {
			return err
		}
	}
	b := batch.NewBuilder(r.src.row)
	for i := range n {
		row, pos := r.rows[r.next+i], r.next+i
		if row == nil {
			dst.Dead = append(dst.Dead, connector.DeadRow{
				At: b.Len(), Pos: pos, Code: "X0101", Message: "no row", Raw: fmt.Append(nil, "raw ", pos),
			})
			continue
		}
		b.Append(row)
		dst.Batch.Pos = append(dst.Batch.Pos, pos)
	}
	pos := dst.Batch.Pos
	dst.Batch = *b.Finish()
	dst.Batch.Pos = pos
	dst.Batch.Lease = &scribble{dst.Batch}
	r.next += n
	dst.Next, dst.Bytes = r.next, n
	return nil
}

// scribble is the lease of a batch: it spoils what comes back, so that whoever released too early delivers nonsense.
type scribble struct{ b batch.Batch }

// Release implements batch.Lease.
func (s *scribble) Release() {
	if s.b.N < 0 {
		bug.Panicf("sim: a lease was released twice")
	}
	for i := range s.b.Cols {
		spoil(&s.b.Cols[i])
	}
	for i := range s.b.Pos {
		s.b.Pos[i] = -1 << 40
	}
	s.b.N = -1
}

func spoil(c *batch.Col) {
	for i := range c.Int {
		c.Int[i] = -1 << 40
	}
	for i := range c.Data {
		c.Data[i] = '#'
	}
	clear(c.Bool)
	clear(c.Float)
	for i := range c.Sub {
		spoil(&c.Sub[i])
	}
}

// Close implements connector.Reader.
func (r *reader) Close() error { return nil }

// chance is true in percent of 100 cases.
func (h *Host) chance(percent int) bool { return percent > 0 && h.rand.IntN(100) < percent }

// Faults say how often, of 100 writes, a sink does what sinks do.
type Faults struct {
	Fail     int // takes nothing and says so by an error
	Lose     int // takes everything, and the answer is lost
	LosePart int // takes some rows from the first on, and the answer is lost
	Again    int // takes some rows from the first on, and asks for the others again
	SyncFail int
	// FatalAt is the write at which the sink breaks for good; 0: never.
	FatalAt int
	// Reject refuses rows for good.
	Reject func(row []value.Value) bool
	// Slow is the time that a row takes.
	Slow time.Duration
}

// Sink takes rows and remembers them.
type Sink struct {
	Host   *Host
	Faults Faults
	Rows   [][]value.Value // accepted, in order, repeats included
	Synced int             // rows that the last good Sync covers
	// OnRow is called for each accepted row; with it rows are not remembered.
	OnRow func(row []value.Value)

	writes, open int
	closed       int
}

// New is a connector.SinkFunc. The tasks of a sink share the memory, as they would share a table.
func (s *Sink) New(context.Context, connector.Config) (connector.Sink, error) {
	s.open++
	return s, nil
}

// Activate implements connector.Sink.
func (s *Sink) Activate(context.Context) error { return nil }

// Write implements connector.Sink.
func (s *Sink) Write(ctx context.Context, w connector.Write) ([]connector.Outcome, error) {
	h, f := s.Host, &s.Faults
	s.writes++
	if err := w.Batch.Check(); err != nil {
		panic(err)
	}
	if f.Slow > 0 {
		if err := h.Wait(ctx, time.Duration(w.Batch.N)*f.Slow); err != nil {
			return nil, err
		}
	}
	n := w.Batch.N
	switch {
	case f.FatalAt > 0 && s.writes >= f.FatalAt:
		return nil, connector.Fatal(errors.New("the sink is broken"))
	case ctx.Err() != nil:
		s.take(w.Batch, h.rand.IntN(n+1), nil)
		return nil, ctx.Err()
	case h.chance(f.Fail):
		return nil, errors.New("a write failed")
	case h.chance(f.Lose):
		s.take(w.Batch, n, nil)
		return nil, errors.New("the answer was lost")
	case h.chance(f.LosePart):
		s.take(w.Batch, h.rand.IntN(n+1), nil)
		return nil, errors.New("the answer was lost half-way")
	}
	out := make([]connector.Outcome, n)
	if h.chance(f.Again) {
		for i := h.rand.IntN(n); i < n; i++ {
			out[i] = connector.Outcome{Kind: connector.Retry, Reason: "again", After: time.Duration(h.rand.IntN(int(time.Second)))}
			if h.chance(20) {
				out[i].Kind = connector.Unknown
			}
		}
	}
	s.take(w.Batch, n, out)
	return out, nil
}

// take accepts the first n rows, but not those that have another outcome or are refused.
func (s *Sink) take(b *batch.Batch, n int, out []connector.Outcome) {
	for i := range n {
		row := b.Row(i)
		refuse := s.Faults.Reject != nil && s.Faults.Reject(row)
		switch {
		case refuse && out != nil && out[i].Kind == connector.OK:
			out[i] = connector.Outcome{Kind: connector.Reject, Reason: "refused"}
		case refuse || out != nil && out[i].Kind != connector.OK:
		case s.OnRow != nil:
			s.OnRow(row)
		default:
			s.Rows = append(s.Rows, row)
		}
	}
}

// Sync implements connector.Sink.
func (s *Sink) Sync(context.Context) error {
	if s.Host.chance(s.Faults.SyncFail) {
		return errors.New("a sync failed")
	}
	s.Synced = len(s.Rows)
	return nil
}

// Close implements connector.Sink.
func (s *Sink) Close(context.Context) error {
	if s.closed++; s.closed > s.open {
		panic("sim: a sink was closed twice")
	}
	return nil
}

// Closed reports whether the sink was closed by all of its tasks.
func (s *Sink) Closed() bool { return s.closed == s.open }
