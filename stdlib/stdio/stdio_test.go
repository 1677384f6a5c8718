package stdio

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/connector/conntest"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib/codec"
)

var lineRow = &types.Record{Fields: []types.Field{{Name: "line", Type: types.String}}}

func config(eol string) connector.Config {
	return connector.Config{Node: "lines", Row: lineRow, Args: map[string]value.Value{
		"eol": value.OfString(eol), "max_line": value.OfInt(100_000),
	}}
}

func TestStdin(t *testing.T) {
	long, over := strings.Repeat("x", 90_000), strings.Repeat("y", 200_000)
	for _, c := range []struct {
		name, eol, in string
		want          []string
	}{
		{"empty", "any", "", nil},
		{"last without end", "any", "a\nb", []string{"a", "b"}},
		{"mark and CRLF", "any", "\ufeffa\r\n\r\nb\r", []string{"a", "", "b\r"}},
		{"kept CR", "lf", "a\r\nb\n", []string{"a\r", "b"}},
		{"long", "any", long + "\nb\n" + long, []string{long, "b", long}},
		{"over", "any", "a\n" + over + "\nb\n" + over, []string{"a", "!", "b", "!"}},
		{"NUL", "any", "\x00\n\xff\n", []string{"\x00", "\xff"}},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r },
			"half":  iotest.HalfReader, "byte": iotest.OneByteReader,
		} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				mk := func(ctx context.Context, cfg connector.Config) (connector.Source, error) {
					return NewStdin(wrap(strings.NewReader(c.in)))(ctx, cfg)
				}
				got := read(t, mk, config(c.eol))
				if len(got) != len(c.want) {
					t.Fatalf("%d rows %.60q, want %d", len(got), got, len(c.want))
				}
				for i, w := range c.want {
					if got[i] != w {
						t.Errorf("row %d is %.60q, want %.60q", i, got[i], w)
					}
				}
			})
		}
	}
}

// read gives the lines, "!" for a dead one.
func read(t *testing.T, mk connector.SourceFunc, cfg connector.Config) []string {
	t.Helper()
	src, err := mk(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := src.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for {
		var got connector.Read
		err := r.Read(t.Context(), &got, 256, 64<<10)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Batch.N + 1 {
			for _, d := range got.Dead {
				if d.At == i {
					out = append(out, "!")
				}
			}
			if i < got.Batch.N {
				out = append(out, string(got.Batch.Cols[0].Bytes(i)))
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return out
}

func TestStdinSuite(t *testing.T) {
	in := strings.Repeat("some line\n", 1000)
	mk := func(ctx context.Context, cfg connector.Config) (connector.Source, error) {
		return NewStdin(strings.NewReader(in))(ctx, cfg)
	}
	if got := conntest.Source(t, conntest.SourceCase{Make: mk, Config: config("any")}); len(got) != 1000 {
		t.Errorf("%d rows, want 1000", len(got))
	}
}

// TestStdinWaits ends a Read that has nothing to read by its context.
func TestStdinWaits(t *testing.T) {
	in, out := io.Pipe()
	src, err := NewStdin(in)(t.Context(), config("any"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := src.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Read(ctx, &connector.Read{}, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Read under an ended context: %v", err)
	}
	if err := errors.Join(r.Close(), out.Close()); err != nil {
		t.Error(err)
	}
}

var wordRow = &types.Record{Fields: []types.Field{
	{Name: "word", Type: types.String}, {Name: "n", Type: types.Int}, {Name: "note", Type: &types.Optional{Elem: types.String}},
}}

func words(rows ...[]value.Value) connector.Write {
	return connector.Write{Batch: batch.FromRows(wordRow, rows)}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	sink, err := NewOut(&b).NewTable(t.Context(), connector.Config{Row: wordRow})
	if err != nil {
		t.Fatal(err)
	}
	row := func(w string, n int64, note value.Value) []value.Value {
		return []value.Value{value.OfString(w), value.OfInt(n), note}
	}
	_, err1 := sink.Write(t.Context(), words(row("the", 1200, value.Value{}), row("a\tb", 7, value.OfString("x"))))
	err2 := sink.Sync(t.Context())
	_, err3 := sink.Write(t.Context(), words(row("été", 3, value.Value{})))
	if err := errors.Join(err1, err2, err3, sink.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := "word     n  note\nthe   1200\na\ufffdb      7  x\nété      3\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestTableWithoutRows(t *testing.T) {
	var b strings.Builder
	sink, err := NewOut(&b).NewTable(t.Context(), connector.Config{Row: wordRow})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sink.Sync(t.Context()), sink.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if want := "word  n  note\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestOutFails(t *testing.T) {
	sink, err := NewOut(broken{}).NewSink(codec.NewJSON)(t.Context(), connector.Config{Row: wordRow})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sink.Write(t.Context(), words([]value.Value{value.OfString("a"), value.OfInt(1), {}}))
	if !connector.IsFatal(err) {
		t.Errorf("writing to a closed output: %v, want a fatal error", err)
	}
}
