// Package file reads and writes files on the local disk.
package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
)

// How file.lines reads.
//
// A file is split into byte ranges, one partition each. A range owns the lines that start inside it: its reader begins
// behind the first line end at or after the byte before the range, and reads on past its end until its last line is
// whole. A position is the offset of the first byte of a line, so a reader can be opened at any row that was read.
//
// The file is read by blocks. The rows of a batch point into the block, without a copy, and a block is never written
// again while rows point into it: the unfinished line at its end is copied to the start of the next one. A line that
// does not fit makes the block grow, up to max_line; behind that the line's bytes are dropped as they come, so memory
// stays bounded whatever the file holds. Batches have leases (see recycle.go): blocks that come back are read into again.
//
// Invariant: the lines of all ranges together are the lines of the file as it was at Activate, each exactly once.
const (
	blockSize    = 256 << 10
	minPartition = 4 << 20
	bom          = "\ufeff"
)

// newLines prepares the source file.lines, and says which file it reads.
func newLines(cfg connector.Config) (*lines, os.FileInfo, error) {
	s := &lines{
		node:    cfg.Node,
		path:    cfg.Args["path"].Str(),
		keepCR:  cfg.Args["eol"].Str() == "lf",
		maxLine: int(cfg.Args["max_line"].Int()),
		columns: len(cfg.Row.Fields),
		parts:   1,
	}
	if s.maxLine <= 0 {
		return nil, nil, connector.Fatal(fmt.Errorf("max_line has to be at least one byte, not %d", s.maxLine))
	}
	if cfg.Splittable {
		s.parts = 4 * max(cfg.Tasks, 1)
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil, connector.Fatal(openError(err, s.path))
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case st.IsDir():
		err = fmt.Errorf("%s is a folder, not a file", s.path)
	case !st.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file, so it cannot be read again after a failure; "+
			"for a pipe use stdin.lines", s.path)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, connector.Fatal(err)
	}
	s.f = f
	return s, st, nil
}

func openError(err error, path string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to open %s", path)
	}
	return err
}

type lines struct {
	node, path string
	keepCR     bool
	maxLine    int
	columns    int
	parts      int
	f          *os.File
	size       int64
	pool       pool
}

// Activate fixes the size up to which the file is read.
func (s *lines) Activate(context.Context) error {
	st, err := s.f.Stat()
	if err != nil {
		return err
	}
	s.size = st.Size()
	return nil
}

// Partitions returns the byte ranges.
func (s *lines) Partitions() []connector.Partition {
	n := int(min(int64(s.parts), max(1, s.size/minPartition)))
	out := make([]connector.Partition, n)
	for i := range out {
		lo, hi := s.bounds(i, n)
		name := s.path
		if n > 1 {
			name = fmt.Sprintf("%s[%d:%d]", s.path, lo, hi)
		}
		out[i] = connector.Partition{ID: uint16(i), Name: name, Bytes: hi - lo, Start: lo}
	}
	return out
}

func (s *lines) bounds(i, n int) (lo, hi int64) {
	return s.size * int64(i) / int64(n), s.size * int64(i+1) / int64(n)
}

// Open returns a reader of a range that starts at a position.
func (s *lines) Open(_ context.Context, part uint16, pos int64) (connector.Reader, error) {
	parts := s.Partitions()
	if int(part) >= len(parts) {
		return nil, connector.Fatal(fmt.Errorf("%s has no part %d: it is shorter than when it was read before", s.path, part))
	}
	p := parts[part]
	return s.reader(p.Start, p.Start+p.Bytes, pos), nil
}

func (s *lines) reader(lo, hi, pos int64) *lineReader {
	r := &lineReader{src: s, hi: hi, next: pos}
	if pos == lo && pos > 0 {
		r.seek = true
		r.next = pos - 1 // the byte before tells whether a line starts exactly here
	}
	return r
}

// Close closes the file.
func (s *lines) Close(context.Context) error { return s.f.Close() }

type lineReader struct {
	src *lines
	hi  int64 // end of the range

	block *block
	buf   []byte // of the block: buf[r:w] is read and not yet given
	r, w  int
	next  int64 // file offset of buf[r]

	seek    bool  // drop bytes up to and with the first line end before giving lines
	skipped int64 // bytes dropped of a line over the limit; 0 when not inside one
	from    int64 // where that line started
	raw     []byte
}

// Close lets the block go; the file belongs to the source.
func (r *lineReader) Close() error {
	r.src.pool.drop(r.block)
	r.block, r.buf, r.r, r.w = nil, nil, 0, 0
	return nil
}

// Read implements connector.Reader.
func (r *lineReader) Read(ctx context.Context, dst *connector.Read, most, mostBytes int) error {
	var (
		rows      = r.src.pool.rows()
		strs, pos = rows.strs, rows.pos
		used      int
		start     = r.next
	)
	for len(strs)+len(dst.Dead) < most && used < mostBytes && r.more() {
		n := bytes.IndexByte(r.buf[r.r:r.w], '\n')
		if n < 0 && !r.atEnd() {
			if len(strs)+len(dst.Dead) > 0 {
				break // rows point into this block, and the rest needs a new one
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			r.dropOver()
			if err := r.fill(); err != nil {
				return err
			}
			continue
		}
		end, lf := r.w, 0
		if n >= 0 {
			end, lf = r.r+n, 1
		}
		lo, hi, at := r.r, end, r.next
		r.next += int64(end + lf - r.r)
		r.r = end + lf
		if r.seek {
			r.seek = false
			continue
		}
		if at == 0 && r.skipped == 0 && bytes.HasPrefix(r.buf[lo:hi], []byte(bom)) {
			lo += len(bom)
		}
		if hi > lo && lf == 1 && r.buf[hi-1] == '\r' && !r.src.keepCR {
			hi--
		}
		if long := r.skipped + int64(hi-lo); long > int64(r.src.maxLine) {
			r.dead(dst, len(strs), at, long, r.buf[lo:hi])
			continue
		}
		strs = append(strs, batch.Str{Off: uint32(lo), Len: uint32(hi - lo)})
		pos = append(pos, at)
		used += hi - lo + 1
	}
	dst.Next, dst.Bytes = r.next, r.next-start
	if len(strs)+len(dst.Dead) == 0 {
		return io.EOF
	}
	dst.Batch.N, dst.Batch.Pos = len(strs), pos
	dst.Batch.Lease = r.src.pool.lease(rows, strs, pos, r.block)
	dst.Batch.Cols = make([]batch.Col, r.src.columns)
	for i := range dst.Batch.Cols { // at most one: the line
		dst.Batch.Cols[i] = batch.Col{Str: strs, Data: r.buf}
	}
	return nil
}

// more reports whether a line of this range is left, or one is being skipped.
func (r *lineReader) more() bool {
	if r.skipped > 0 {
		return true // even at the end of the file, where the line has no line end
	}
	return !(r.r == r.w && r.atEnd()) && (r.seek || r.next < r.hi)
}

// atEnd reports whether the block holds the rest of the file.
func (r *lineReader) atEnd() bool { return r.next+int64(r.w-r.r) >= r.src.size }

// dropOver drops what the block holds of a line that is over the limit, or of bytes that belong to the range before.
func (r *lineReader) dropOver() {
	n := r.w - r.r
	switch {
	case r.seek:
	case r.skipped > 0:
		r.skipped += int64(n)
	case n > r.src.maxLine+len(bom)+1: // even without mark and CR
		r.from, r.skipped = r.next, int64(n)
		r.raw = bytes.Clone(r.buf[r.r:min(r.w, r.r+rawLimit)])
	default:
		return
	}
	r.next += int64(n)
	r.r = r.w
}

// fill makes a new block that starts with what is left of the last one. It grows while a line does not fit.
func (r *lineReader) fill() error {
	left := r.w - r.r
	next := r.src.pool.block(max(blockSize, 2*left))
	buf := next.buf
	copy(buf, r.buf[r.r:r.w])
	n := int(min(int64(len(buf)-left), r.src.size-r.next-int64(left)))
	got, err := r.src.f.ReadAt(buf[left:left+n], r.next+int64(left))
	if got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = connector.Fatal(fmt.Errorf("%s was cut to %d bytes while it was read",
				r.src.path, r.next+int64(left+got)))
		}
		r.src.pool.drop(next)
		return err
	}
	r.src.pool.drop(r.block)
	r.block, r.buf, r.r, r.w = next, buf, 0, left+n
	return nil
}

// rawLimit is how much of a dead line is shown.
const rawLimit = 4 << 10

// dead reports a line over the limit; rest is what came after the dropped bytes.
func (r *lineReader) dead(dst *connector.Read, row int, at, length int64, rest []byte) {
	d := connector.DeadRow{At: row, Pos: at, Raw: r.raw, Code: "X0101"}
	if r.skipped > 0 {
		d.Pos = r.from
	} else {
		d.Raw = bytes.Clone(rest[:min(len(rest), rawLimit)])
	}
	d.Message = fmt.Sprintf("the line at byte %d of %s has %d bytes; `max_line` allows %d",
		d.Pos, r.src.path, length, r.src.maxLine)
	dst.Dead = append(dst.Dead, d)
	r.skipped, r.raw = 0, nil
}
