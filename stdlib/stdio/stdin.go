// Package stdio reads standard input and writes standard output.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
)

// NewStdin returns the maker of stdin.lines over an input. A read of the input may block for ever: it is made on a
// goroutine that ends with the process, and Read gives up waiting for it when its context ends.
func NewStdin(in io.Reader) connector.SourceFunc {
	return func(_ context.Context, cfg connector.Config) (connector.Source, error) {
		limit := cfg.Args["max_line"].Int()
		if limit <= 0 {
			return nil, connector.Fatal(fmt.Errorf("max_line has to be at least one byte, not %d", limit))
		}
		return &stdin{
			in:      in,
			keepCR:  cfg.Args["eol"].Str() == "lf",
			maxLine: int(limit),
			columns: len(cfg.Row.Fields),
		}, nil
	}
}

type stdin struct {
	in      io.Reader
	keepCR  bool
	maxLine int
	columns int
}

// Activate does nothing.
func (s *stdin) Activate(context.Context) error { return nil }

// Partitions returns the one input.
func (s *stdin) Partitions() []connector.Partition {
	return []connector.Partition{{Name: "standard input"}}
}

// Open starts to read. A position is the number of the line, from 0, and only the first can be opened.
func (s *stdin) Open(_ context.Context, _ uint16, pos int64) (connector.Reader, error) {
	if pos != 0 {
		return nil, connector.Fatal(errors.New("standard input cannot be read again"))
	}
	r := &stdinReader{src: s, chunks: make(chan chunk), done: make(chan struct{})}
	go r.pump()
	return r, nil
}

// Close does nothing: the input belongs to the process.
func (s *stdin) Close(context.Context) error { return nil }

// chunk is a number of lines, all in data.
type chunk struct {
	data []byte
	strs []batch.Str
	dead []connector.DeadRow
	err  error
}

type stdinReader struct {
	src    *stdin
	chunks chan chunk
	done   chan struct{} // closed by Close: the pump ends at its next hand-over
	rest   chunk         // what the last Read left
	line   int64
}

// Close lets the pump end.
func (r *stdinReader) Close() error {
	close(r.done)
	return nil
}

// Read implements connector.Reader. It gives what one read of the input brought, in parts where that is too much.
func (r *stdinReader) Read(ctx context.Context, dst *connector.Read, most, _ int) error {
	c := r.rest
	if len(c.strs)+len(c.dead) == 0 {
		var err error
		if c, err = r.next(ctx); err != nil {
			return err
		}
		dst.Bytes = int64(len(c.data))
	}
	c, r.rest = c.cut(most)
	n := len(c.strs)
	dst.Batch.N, dst.Batch.Pos = n, make([]int64, n)
	dead := c.dead
	for i := range n + 1 {
		for len(dead) > 0 && dead[0].At == i {
			dead[0].Pos = r.line
			dead = dead[1:]
			r.line++
		}
		if i < n {
			dst.Batch.Pos[i] = r.line
			r.line++
		}
	}
	dst.Batch.Cols = make([]batch.Col, r.src.columns)
	for i := range dst.Batch.Cols {
		dst.Batch.Cols[i] = batch.Col{Str: c.strs, Data: c.data}
	}
	dst.Dead, dst.Next = c.dead, r.line
	return nil
}

// next waits for a chunk.
func (r *stdinReader) next(ctx context.Context) (chunk, error) {
	select {
	case c, ok := <-r.chunks:
		if !ok {
			return c, io.EOF
		}
		if c.err != nil {
			return c, connector.Fatal(fmt.Errorf("standard input: %w", c.err))
		}
		return c, nil
	case <-ctx.Done():
		return chunk{}, ctx.Err()
	}
}

// cut takes the first rows of a chunk, at most n of them, dead ones included, off the rest.
func (c chunk) cut(n int) (first, rest chunk) {
	if len(c.strs)+len(c.dead) <= n {
		return c, chunk{}
	}
	good, dead := 0, 0
	for good+dead < n {
		if dead < len(c.dead) && c.dead[dead].At == good {
			dead++
		} else {
			good++
		}
	}
	first = chunk{data: c.data, strs: c.strs[:good], dead: c.dead[:dead]}
	rest = chunk{data: c.data, strs: c.strs[good:], dead: c.dead[dead:]}
	for i := range rest.dead {
		rest.dead[i].At -= good
	}
	return first, rest
}

// pump reads lines and hands them over in chunks: as many as are there, at most maxRows, without waiting for more.
func (r *stdinReader) pump() {
	const maxRows = 256
	defer close(r.chunks)
	in := bufio.NewReaderSize(r.src.in, 64<<10)
	first := true
	for {
		var c chunk
		for len(c.strs)+len(c.dead) < maxRows {
			line, size, err := r.readLine(in, c.data)
			if first {
				line, first = dropMark(line, len(c.data)), false
			}
			ended := errors.Is(err, io.EOF) && size == 0
			switch {
			case ended:
			case size > int64(r.src.maxLine):
				c.dead = append(c.dead, connector.DeadRow{At: len(c.strs), Code: "X0101",
					Message: fmt.Sprintf("a line of standard input has %d bytes; `max_line` allows %d", size, r.src.maxLine),
					Raw:     bytes.Clone(line[len(c.data):min(len(line), len(c.data)+4<<10)])})
			default:
				c.strs = append(c.strs, batch.Str{Off: uint32(len(c.data)), Len: uint32(len(line) - len(c.data))})
				c.data = line
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					r.give(c)
					c = chunk{err: err}
				}
				r.give(c)
				return
			}
			if !bufferedLine(in) {
				break
			}
		}
		if !r.give(c) {
			return
		}
	}
}

// bufferedLine reports whether a whole line lies in the buffer, so that reading it does not wait.
func bufferedLine(in *bufio.Reader) bool {
	b, _ := in.Peek(in.Buffered())
	return bytes.IndexByte(b, '\n') >= 0
}

// give hands a chunk over; false means that nobody reads any more.
func (r *stdinReader) give(c chunk) bool {
	if len(c.strs)+len(c.dead) == 0 && c.err == nil {
		return true
	}
	select {
	case r.chunks <- c:
		return true
	case <-r.done:
		return false
	}
}

// readLine appends the next line without its end to data, at most a little more than max_line of it, and returns the
// line's true size. io.EOF comes with the last line where that has no line end, or alone.
func (r *stdinReader) readLine(in *bufio.Reader, data []byte) (line []byte, size int64, err error) {
	start := len(data)
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		data = append(data, part[:min(len(part), max(0, r.src.maxLine+2-(len(data)-start)))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil {
			size--
			if part[len(part)-1] == '\n' && int64(len(data)-start) > size {
				data = data[:len(data)-1]
			}
			if !r.src.keepCR && size > 0 && len(data) > start && int64(len(data)-start) == size && data[len(data)-1] == '\r' {
				data, size = data[:len(data)-1], size-1
			}
		}
		return data, size, err
	}
}

func dropMark(line []byte, start int) []byte {
	if bytes.HasPrefix(line[start:], []byte("\ufeff")) {
		return append(line[:start], line[start+3:]...)
	}
	return line
}
