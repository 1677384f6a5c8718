package gen

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/connector/conntest"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var row = &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}, {Name: "at", Type: types.Time}}}

// clock goes on only when somebody waits.
type clock struct{ now atomic.Int64 }

func (c *clock) Now() int64 { return c.now.Load() }
func (c *clock) Wait(_ context.Context, d time.Duration) error {
	c.now.Add(int64(d))
	return nil
}

func config(args map[string]value.Value) connector.Config {
	return connector.Config{Row: row, Args: args}
}

func TestSequence(t *testing.T) {
	seeded := map[string]value.Value{"count": value.OfInt(1000), "seed": value.OfInt(7)}
	got := conntest.Source(t, conntest.SourceCase{Make: NewSequence(&clock{}), Config: config(seeded), Replayable: true})
	if len(got) != 1000 || got[0].Pos != 0 || got[999].Pos != 999 {
		t.Fatalf("%d rows from %v", len(got), got[0])
	}
	if want := `0;t"2000-01-01T00:00:00.`; got[0].Text[:len(want)] != want {
		t.Errorf("the first row is %s", got[0].Text)
	}
	again := conntest.Source(t, conntest.SourceCase{Make: NewSequence(&clock{}), Config: config(seeded), Replayable: true})
	seeded["seed"] = value.OfInt(8)
	other := conntest.Source(t, conntest.SourceCase{Make: NewSequence(&clock{}), Config: config(seeded), Replayable: true})
	if again[5] != got[5] || other[5] == got[5] {
		t.Errorf("seed 7 gave %v and %v, seed 8 gave %v", got[5], again[5], other[5])
	}
}

func TestSequenceRate(t *testing.T) {
	c := &clock{}
	src, err := NewSequence(c)(t.Context(), config(map[string]value.Value{"count": value.OfInt(100), "rate": value.OfInt(50)}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := src.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for {
		var got connector.Read
		err := r.Read(t.Context(), &got, 256, 1<<16)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows += got.Batch.N
	}
	if rows != 100 || time.Duration(c.Now()) != 99*20*time.Millisecond {
		t.Errorf("%d rows in %s, want 100 in 1.98s", rows, time.Duration(c.Now()))
	}
}

func TestSequenceErrors(t *testing.T) {
	for name, args := range map[string]map[string]value.Value{
		"count": {"count": value.OfInt(-1)}, "rate": {"rate": value.OfInt(0)},
	} {
		if _, err := NewSequence(&clock{})(t.Context(), config(args)); !connector.IsFatal(err) {
			t.Errorf("%s: %v, want a fatal error", name, err)
		}
	}
	src, err := NewSequence(&clock{})(t.Context(), config(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Open(t.Context(), 0, 5); !connector.IsFatal(err) {
		t.Errorf("opening in the middle without a seed: %v", err)
	}
}
