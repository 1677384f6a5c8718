package file

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang/value"
)

// MaxOpen is how many files one sink keeps open; the one that was used longest ago is closed for the next.
const MaxOpen = 256

// Set is what the file sources and sinks of one run share: a path that several sinks (or several tasks of one) write to
// is cut at the start of a run once, and each encoded batch goes into it as a whole; a file that a source reads is never
// cut. It is safe for concurrent use.
type Set struct {
	mu      sync.Mutex
	started map[string]*sync.Mutex // absolute paths that this run has begun; the lock is held while a batch goes in
	read    []os.FileInfo          // the files that sources read
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{started: map[string]*sync.Mutex{}} }

// begin opens a file for appending, and cuts it when this run has not written to it yet and does not append.
func (s *Set) begin(path string, keep bool) (*os.File, *sync.Mutex, error) {
	key, err := filepath.Abs(path)
	if err != nil {
		key = path
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !keep && s.started[key] == nil {
		flags |= os.O_TRUNC
		if err := s.mayCut(path); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			f, err = os.OpenFile(path, flags, 0o644)
		}
	}
	if err != nil {
		return nil, nil, writeError(err, path)
	}
	if s.started[key] == nil {
		s.started[key] = &sync.Mutex{}
	}
	return f, s.started[key], nil
}

// mayCut refuses a file that a source of the run reads, by whatever path: its rows would be gone before they are read.
func (s *Set) mayCut(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return nil // it is made, or opening it says what is wrong
	}
	for _, r := range s.read {
		if os.SameFile(st, r) {
			return connector.Fatal(fmt.Errorf("%s is read by this pipeline, and writing would empty it first: "+
				"write to another file, or give `append: true`", path))
		}
	}
	return nil
}

// NewLines prepares the source file.lines, whose file no sink of the set may cut.
func (s *Set) NewLines(_ context.Context, cfg connector.Config) (connector.Source, error) {
	src, st, err := newLines(cfg)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.read = append(s.read, st)
	s.mu.Unlock()
	return src, nil
}

func writeError(err error, path string) error {
	switch {
	case errors.Is(err, os.ErrPermission):
		return connector.Fatal(fmt.Errorf("no permission to write %s", path))
	case errors.Is(err, syscall.EISDIR):
		return connector.Fatal(fmt.Errorf("%s is a folder, not a file", path))
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		return connector.Fatal(fmt.Errorf("%s lies below something that is no folder", path))
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for %s", path)
	}
	return err
}

// NewWrite returns the maker of file.write sinks that encode with one of encoders.
func (s *Set) NewWrite(encoders connector.Encoders) connector.SinkFunc {
	return func(_ context.Context, cfg connector.Config) (connector.Sink, error) {
		if cfg.Codec == nil {
			return nil, connector.Fatal(errors.New("file.write needs a codec: encode: json or encode: text"))
		}
		mk := encoders[cfg.Codec.Name]
		if mk == nil {
			return nil, connector.Fatal(fmt.Errorf("codec %s cannot encode", cfg.Codec.Name))
		}
		enc, err := mk(*cfg.Codec, cfg.Row)
		if err != nil {
			return nil, connector.Fatal(err)
		}
		w := &writer{set: s, enc: enc, open: map[string]*openFile{}, lru: list.New()}
		w.keep = cfg.Args["append"].Bool() || !cfg.Fresh
		if len(cfg.Each) > 0 && cfg.Each[0] == "path" {
			w.each = true
		} else if p := cfg.Args["path"]; p.Kind() == value.String && p.Str() != "" {
			w.path = p.Str()
		} else {
			return nil, connector.Fatal(errors.New("file.write needs a path"))
		}
		return w, nil
	}
}

// writer is one task of a file.write sink. It hands each encoded batch to the system at once: what Write has accepted
// survives the process, and Sync makes it survive the machine.
type writer struct {
	set  *Set
	enc  connector.Encoder
	path string // where it is constant
	each bool   // Each[0] is the path
	keep bool
	open map[string]*openFile
	lru  *list.List // of *openFile, last used first
	buf  []byte
	ends []int
	part []byte
}

type openFile struct {
	path    string
	f       *os.File
	lock    *sync.Mutex
	regular bool
	dirty   bool
	at      *list.Element
}

// Activate opens (and cuts) the file where the path is constant, so that an empty run leaves an empty file and a
// path that cannot be written is told at the start.
func (w *writer) Activate(context.Context) error {
	if w.each {
		return nil
	}
	_, err := w.file(w.path)
	return err
}

func (w *writer) file(path string) (*openFile, error) {
	if o := w.open[path]; o != nil {
		w.lru.MoveToFront(o.at)
		return o, nil
	}
	if len(w.open) >= MaxOpen {
		if err := w.release(w.lru.Back().Value.(*openFile)); err != nil {
			return nil, err
		}
	}
	f, lock, err := w.set.begin(path, w.keep)
	if err != nil {
		return nil, err
	}
	o := &openFile{path: path, f: f, lock: lock}
	if st, err := f.Stat(); err == nil {
		o.regular = st.Mode().IsRegular()
	}
	o.at = w.lru.PushFront(o)
	w.open[path] = o
	return o, nil
}

func (w *writer) release(o *openFile) error {
	err := o.sync()
	if cerr := o.f.Close(); err == nil {
		err = cerr
	}
	w.lru.Remove(o.at)
	delete(w.open, o.path)
	return err
}

// Write encodes the rows and appends them to their files.
func (w *writer) Write(_ context.Context, in connector.Write) ([]connector.Outcome, error) {
	enc := in
	if w.each {
		enc.Each = in.Each[1:]
	}
	var bad []connector.RowError
	w.buf, w.ends, bad = w.enc.Append(w.buf[:0], w.ends[:0], enc)
	var out []connector.Outcome
	if len(bad) > 0 {
		out = make([]connector.Outcome, in.Batch.N)
		for _, b := range bad {
			out[b.Row] = connector.Outcome{Kind: connector.Reject, Reason: b.Reason}
		}
	}
	if !w.each {
		o, err := w.file(w.path)
		if err != nil {
			return nil, err
		}
		return out, o.append(w.buf)
	}
	return w.spread(in, out)
}

// spread appends the rows to the files that their paths name, each file's rows together and in order.
func (w *writer) spread(in connector.Write, out []connector.Outcome) ([]connector.Outcome, error) {
	col := &in.Each[0]
	rows := map[string][]int{}
	var order []string
	for i := range in.Batch.N {
		if out != nil && out[i].Kind != connector.OK {
			continue
		}
		p := str(col, i)
		if _, seen := rows[string(p)]; !seen {
			order = append(order, string(p))
		}
		rows[string(p)] = append(rows[string(p)], i)
	}
	for n, path := range order {
		w.part = w.part[:0]
		for _, i := range rows[path] {
			start := 0
			if i > 0 {
				start = w.ends[i-1]
			}
			w.part = append(w.part, w.buf[start:w.ends[i]]...)
		}
		o, err := w.file(path)
		if err == nil {
			err = o.append(w.part)
		}
		if err != nil {
			return w.partly(out, in.Batch.N, order[n:], rows, err)
		}
	}
	return out, nil
}

// partly says which rows have to be written again when a file failed after others had taken theirs.
func (w *writer) partly(out []connector.Outcome, n int, left []string, rows map[string][]int,
	err error) ([]connector.Outcome, error) {
	if connector.IsFatal(err) {
		return nil, err
	}
	if out == nil {
		out = make([]connector.Outcome, n)
	}
	for _, path := range left {
		for _, i := range rows[path] {
			out[i] = connector.Outcome{Kind: connector.Retry, Reason: err.Error()}
		}
	}
	return out, nil
}

func str(c *batch.Col, i int) []byte {
	s := c.Str[i]
	return c.Data[s.Off : s.Off+s.Len]
}

// append writes b as a whole or not at all: what a failed write left behind is cut away again, so that no half row
// stays in the file.
func (o *openFile) append(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	n, err := o.f.Write(b)
	if err == nil {
		o.dirty = true
		return nil
	}
	if n > 0 && o.regular {
		st, serr := o.f.Stat()
		if serr == nil {
			serr = o.f.Truncate(st.Size() - int64(n))
		}
		if serr != nil {
			return connector.Fatal(fmt.Errorf("%w; and what was written of a row could not be cut away: %w",
				writeError(err, o.path), serr))
		}
	}
	return writeError(err, o.path)
}

// sync makes the file durable, as far as its kind can be. A failure is fatal: what the system held for the file may be
// gone, and a second try on the same descriptor would not know.
func (o *openFile) sync() error {
	if !o.dirty || !o.regular {
		return nil
	}
	if err := syscall.Fdatasync(int(o.f.Fd())); err != nil && !errors.Is(err, syscall.EINVAL) {
		return connector.Fatal(fmt.Errorf("%s could not be made durable: %w", o.path, err))
	}
	o.dirty = false
	return nil
}

// Sync makes all files durable.
func (w *writer) Sync(context.Context) error {
	for e := w.lru.Front(); e != nil; e = e.Next() {
		if err := e.Value.(*openFile).sync(); err != nil {
			return err
		}
	}
	return nil
}

// Close closes all files.
func (w *writer) Close(context.Context) error {
	var first error
	for w.lru.Len() > 0 {
		if err := w.release(w.lru.Front().Value.(*openFile)); err != nil && first == nil {
			first = err
		}
	}
	return first
}
