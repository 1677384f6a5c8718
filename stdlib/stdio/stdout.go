package stdio

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang/types"
)

// Out is the standard output that several sinks share: each batch goes out as a whole. It is safe for concurrent use.
type Out struct {
	mu sync.Mutex
	w  io.Writer
}

// NewOut returns an Out over w, which stays the caller's.
func NewOut(w io.Writer) *Out { return &Out{w: w} }

func (o *Out) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.w.Write(b); err != nil {
		return connector.Fatal(fmt.Errorf("standard output: %w", err))
	}
	return nil
}

// NewSink returns the maker of a sink that writes what an encoder makes: stdout.text and stdout.json.
func (o *Out) NewSink(encoder connector.EncoderFunc) connector.SinkFunc {
	return func(_ context.Context, cfg connector.Config) (connector.Sink, error) {
		enc, err := encoder(connector.CodecConfig{Args: cfg.Args, Each: cfg.Each}, cfg.Row)
		if err != nil {
			return nil, connector.Fatal(err)
		}
		return &outSink{out: o, enc: enc}, nil
	}
}

type outSink struct {
	out  *Out
	enc  connector.Encoder
	buf  []byte
	ends []int
}

// Activate does nothing.
func (s *outSink) Activate(context.Context) error { return nil }

// Write encodes and writes at once.
func (s *outSink) Write(_ context.Context, w connector.Write) ([]connector.Outcome, error) {
	var bad []connector.RowError
	s.buf, s.ends, bad = s.enc.Append(s.buf[:0], s.ends[:0], w)
	return rejected(bad, w.Batch.N), s.out.write(s.buf)
}

// Sync does nothing: what was written is out of our hands.
func (s *outSink) Sync(context.Context) error { return nil }

// Close does nothing.
func (s *outSink) Close(context.Context) error { return nil }

func rejected(bad []connector.RowError, n int) []connector.Outcome {
	if len(bad) == 0 {
		return nil
	}
	out := make([]connector.Outcome, n)
	for _, b := range bad {
		out[b.Row] = connector.Outcome{Kind: connector.Reject, Reason: b.Reason}
	}
	return out
}

// NewTable is the maker of stdout.table.
//
// Columns can only be aligned over rows that are known. Rows are held until there are tableRows of them or a Sync or
// Close asks for them, and are printed as a block; a later block widens the columns if it must. The header comes once,
// with the first block, or at Close where there was no row.
func (o *Out) NewTable(_ context.Context, cfg connector.Config) (connector.Sink, error) {
	t := &table{out: o, row: cfg.Row, width: make([]int, len(cfg.Row.Fields))}
	for i, f := range cfg.Row.Fields {
		t.width[i] = utf8.RuneCountInString(f.Name)
	}
	return t, nil
}

const tableRows = 1000

type table struct {
	out    *Out
	row    batch.Layout
	width  []int // in code points
	cells  []string
	header bool
}

// Activate does nothing.
func (t *table) Activate(context.Context) error { return nil }

// Write holds the rows, and prints them when there are enough.
func (t *table) Write(_ context.Context, w connector.Write) ([]connector.Outcome, error) {
	for i := range w.Batch.N {
		for f := range t.row.Fields {
			cell := cellText(&w.Batch.Cols[f], t.row.Fields[f].Type, i)
			t.width[f] = max(t.width[f], utf8.RuneCountInString(cell))
			t.cells = append(t.cells, cell)
		}
	}
	if len(t.cells) >= tableRows*max(1, len(t.row.Fields)) {
		return nil, t.flush()
	}
	return nil, nil
}

// Sync prints what is held.
func (t *table) Sync(context.Context) error { return t.flush() }

// Close prints what is held.
func (t *table) Close(context.Context) error {
	if !t.header {
		return t.print(nil)
	}
	return t.flush()
}

func (t *table) flush() error {
	if len(t.cells) == 0 {
		return nil
	}
	err := t.print(t.cells)
	t.cells = t.cells[:0]
	return err
}

func (t *table) print(cells []string) error {
	var b strings.Builder
	n := len(t.row.Fields)
	if !t.header {
		t.header = true
		names := make([]string, n)
		for i, f := range t.row.Fields {
			names[i] = f.Name
		}
		t.line(&b, names)
	}
	for i := 0; i+n <= len(cells) && n > 0; i += n {
		t.line(&b, cells[i:i+n])
	}
	return t.out.write([]byte(b.String()))
}

// line writes one line; numbers stand at the right of their column, and no line ends with blanks.
func (t *table) line(b *strings.Builder, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		pad := strings.Repeat(" ", t.width[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			line.WriteString("  ")
		}
		if isNumber(t.row.Fields[i].Type) {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}

func isNumber(t types.Type) bool {
	if o, ok := t.(*types.Optional); ok {
		t = o.Elem
	}
	return t == types.Int || t == types.Float || t == types.Duration
}
