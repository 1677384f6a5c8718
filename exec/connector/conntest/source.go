// Package conntest is the suite that every connector has to pass, whatever it is connected to.
package conntest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
)

// Row is one row as the suite compares it: its position, and a text of its columns.
type Row struct {
	Part uint16
	Pos  int64
	Text string
}

// SourceCase is a source to be tested.
type SourceCase struct {
	Make   connector.SourceFunc
	Config connector.Config
	// Replayable: any position can be opened again.
	Replayable bool
}

// Source runs the suite over a bounded source and returns its rows, partition by partition, as one reader gave them.
// Dead rows have their message as text.
func Source(t *testing.T, c SourceCase) []Row {
	t.Helper()
	src, err := c.Make(t.Context(), c.Config)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	if err := src.Activate(t.Context()); err != nil {
		t.Fatalf("Activate: %v", err)
	}
	var all []Row
	for _, p := range src.Partitions() {
		rows := readAll(t, c, src, p.ID, p.Start, 256, 64<<10)
		keeps(t, c, p)
		for i := 1; i < len(rows); i++ {
			if rows[i].Pos <= rows[i-1].Pos {
				t.Fatalf("partition %d: position %d of row %d does not grow (before: %d)", p.ID, rows[i].Pos, i, rows[i-1].Pos)
			}
		}
		if c.Replayable {
			reopen(t, c, src, p, rows)
		}
		all = append(all, rows...)
	}
	if err := src.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	closesUnactivated(t, c)
	return all
}

// reopen reads the partition by one row at a time, and again from each of (at most 50) positions.
func reopen(t *testing.T, c SourceCase, src connector.Source, p connector.Partition, rows []Row) {
	t.Helper()
	same(t, fmt.Sprintf("partition %d by single rows", p.ID), readAll(t, c, src, p.ID, p.Start, 1, 1), rows)
	step := len(rows)/50 + 1
	for i := 0; i < len(rows); i += step {
		same(t, fmt.Sprintf("partition %d from position %d", p.ID, rows[i].Pos),
			readAll(t, c, src, p.ID, rows[i].Pos, 7, 1000), rows[i:])
	}
}

func same(t *testing.T, what string, got, want []Row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d is %+v, want %+v", what, i, got[i], want[i])
		}
	}
}

func readAll(t *testing.T, c SourceCase, src connector.Source, part uint16, pos int64, most, mostBytes int) []Row {
	t.Helper()
	r, err := src.Open(t.Context(), part, pos)
	if err != nil {
		t.Fatalf("Open(%d, %d): %v", part, pos, err)
	}
	var rows []Row
	for {
		var got connector.Read
		err := r.Read(t.Context(), &got, most, mostBytes)
		if errors.Is(err, io.EOF) {
			if got.Batch.N+len(got.Dead) > 0 {
				t.Fatal("Read gave rows together with io.EOF")
			}
			break
		}
		if err != nil {
			t.Fatalf("Read: %v", err)
		}
		rows = append(rows, check(t, c, part, &got, most)...)
		if got.Batch.Lease != nil {
			got.Batch.Lease.Release()
		}
	}
	if err := r.Close(); err != nil {
		t.Errorf("Reader.Close: %v", err)
	}
	return rows
}

// keeps holds every batch of a partition (of a source of its own) until the end: none may change while its lease is not
// released, even where every other one is.
func keeps(t *testing.T, c SourceCase, p connector.Partition) {
	t.Helper()
	src, err := c.Make(t.Context(), c.Config)
	if err == nil {
		err = src.Activate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := src.Open(t.Context(), p.ID, p.Start)
	if err != nil {
		t.Fatal(err)
	}
	var kept []*batch.Batch
	var texts [][]Row
	for n := 0; ; n++ {
		var got connector.Read
		err := r.Read(t.Context(), &got, 100, 10_000)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows := check(t, c, p.ID, &got, 100)
		if n%2 == 1 && got.Batch.Lease != nil {
			got.Batch.Lease.Release()
			continue
		}
		got.Dead = nil
		kept, texts = append(kept, &got.Batch), append(texts, rows)
	}
	for i, b := range kept {
		n := 0
		for _, row := range texts[i] { // dead rows are not in the batch
			if n < b.N && b.Pos[n] == row.Pos {
				if now := text(b, n); now != row.Text {
					t.Fatalf("partition %d: a batch that is held changed from %s to %s", p.ID, row.Text, now)
				}
				n++
			}
		}
		if n != b.N {
			t.Fatalf("partition %d: the positions of a batch that is held changed", p.ID)
		}
	}
	if err := errors.Join(r.Close(), src.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

func check(t *testing.T, c SourceCase, part uint16, got *connector.Read, most int) []Row {
	t.Helper()
	b := &got.Batch
	switch {
	case b.N+len(got.Dead) == 0:
		t.Fatal("Read gave no row and no error")
	case b.N > most:
		t.Fatalf("Read gave %d rows, at most %d were asked for", b.N, most)
	case len(b.Pos) != b.N:
		t.Fatalf("%d positions for %d rows", len(b.Pos), b.N)
	case len(b.Cols) != len(c.Config.Row.Fields):
		t.Fatalf("%d columns, want those of %s", len(b.Cols), c.Config.Row.Shape())
	}
	b.Layout = c.Config.Row
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	var rows []Row
	dead := got.Dead
	for i := range b.N + 1 {
		for len(dead) > 0 && dead[0].At == i {
			rows = append(rows, Row{part, dead[0].Pos, dead[0].Message})
			dead = dead[1:]
		}
		if i < b.N {
			rows = append(rows, Row{part, b.Pos[i], text(b, i)})
		}
	}
	if len(dead) > 0 {
		t.Fatalf("a dead row stands before row %d of %d", dead[0].At, b.N)
	}
	return rows
}

func text(b *batch.Batch, i int) string {
	s := ""
	for f := range b.Cols {
		s += batch.ValueAt(&b.Cols[f], b.Layout.Fields[f].Type, i).String() + ";"
	}
	return s
}

// closesUnactivated closes a source that was only prepared.
func closesUnactivated(t *testing.T, c SourceCase) {
	t.Helper()
	src, err := c.Make(t.Context(), c.Config)
	if err != nil {
		t.Fatalf("Prepare a second time: %v", err)
	}
	if err := src.Close(context.Background()); err != nil {
		t.Errorf("Close without Activate: %v", err)
	}
}
