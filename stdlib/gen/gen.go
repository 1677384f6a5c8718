// Package gen makes data up, and takes data that nobody wants.
package gen

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
)

// epoch is where the times of a seeded sequence start: 2000-01-01T00:00:00Z in nanoseconds.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// NewSequence returns the maker of gen.sequence over a clock.
func NewSequence(clock connector.Clock) connector.SourceFunc {
	return func(_ context.Context, cfg connector.Config) (connector.Source, error) {
		s := &sequence{clock: clock, row: cfg.Row, count: math.MaxInt64, step: int64(time.Millisecond)}
		if v, ok := cfg.Args["count"]; ok && !v.IsNone() {
			if s.count = v.Int(); s.count < 0 {
				return nil, connector.Fatal(fmt.Errorf("count has to be at least 0, not %d", s.count))
			}
		}
		if v, ok := cfg.Args["rate"]; ok && !v.IsNone() {
			if v.Int() <= 0 || v.Int() > int64(time.Second) {
				return nil, connector.Fatal(fmt.Errorf("rate is rows a second, from 1 to %d, not %d", int64(time.Second), v.Int()))
			}
			s.limited, s.step = true, int64(time.Second)/v.Int()
		}
		if v, ok := cfg.Args["seed"]; ok && !v.IsNone() {
			s.seeded, s.seed = true, uint64(v.Int())
		}
		return s, nil
	}
}

type sequence struct {
	clock   connector.Clock
	row     batch.Layout
	count   int64
	limited bool
	step    int64 // ns between two rows
	seeded  bool
	seed    uint64
}

// Activate does nothing.
func (s *sequence) Activate(context.Context) error { return nil }

// Partitions returns the one sequence. Positions are the numbers.
func (s *sequence) Partitions() []connector.Partition {
	return []connector.Partition{{Name: "sequence"}}
}

// Open returns a reader that starts with the number pos.
func (s *sequence) Open(_ context.Context, _ uint16, pos int64) (connector.Reader, error) {
	if pos != 0 && !s.seeded {
		return nil, connector.Fatal(fmt.Errorf("a sequence without a seed cannot be read again"))
	}
	return &sequenceReader{src: s, next: pos, first: pos, start: s.clock.Now()}, nil
}

// Close does nothing.
func (s *sequence) Close(context.Context) error { return nil }

type sequenceReader struct {
	src         *sequence
	next, first int64
	start       int64 // clock at which first was due
}

// Close does nothing.
func (r *sequenceReader) Close() error { return nil }

// Read implements connector.Reader. With a rate it waits until the next number is due, and gives all that are.
func (r *sequenceReader) Read(ctx context.Context, dst *connector.Read, most, _ int) error {
	left := r.src.count - r.next
	if left <= 0 {
		dst.Next = r.next
		return io.EOF
	}
	n := min(int64(most), left)
	if r.src.limited {
		due, err := r.due(ctx)
		if err != nil {
			return err
		}
		n = min(n, due)
	}
	numbers, times := make([]int64, n), make([]int64, n)
	now := r.src.clock.Now()
	for i := range n {
		numbers[i] = r.next + i
		times[i] = now
		if r.src.seeded {
			times[i] = epoch + numbers[i]*r.src.step + int64(mix(r.src.seed, uint64(numbers[i]))%uint64(r.src.step))
		}
	}
	dst.Batch.N, dst.Batch.Pos = int(n), numbers
	for _, f := range r.src.row.Fields {
		col := batch.Col{Int: numbers}
		if f.Name == "at" {
			col.Int = times
		}
		dst.Batch.Cols = append(dst.Batch.Cols, col)
	}
	r.next += n
	dst.Next = r.next
	return nil
}

// due waits until a number is due and returns how many are.
func (r *sequenceReader) due(ctx context.Context) (int64, error) {
	for {
		now := r.src.clock.Now()
		passed := (now-r.start)/r.src.step + 1 // the first one is due at once
		if n := passed - (r.next - r.first); n > 0 {
			return n, nil
		}
		wait := r.start + (r.next-r.first)*r.src.step - now
		if err := r.src.clock.Wait(ctx, time.Duration(wait)); err != nil {
			return 0, err
		}
	}
}

// mix is splitmix64 over a seed and a number (Steele, Lea, Flood 2014).
func mix(seed, n uint64) uint64 {
	x := seed*0x9E3779B97F4A7C15 + n + 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// NewDiscard makes null.discard.
func NewDiscard(context.Context, connector.Config) (connector.Sink, error) { return discard{}, nil }

type discard struct{}

func (discard) Activate(context.Context) error { return nil }
func (discard) Write(context.Context, connector.Write) ([]connector.Outcome, error) {
	return nil, nil
}
func (discard) Sync(context.Context) error  { return nil }
func (discard) Close(context.Context) error { return nil }
