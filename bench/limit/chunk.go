package main

import (
	"bytes"
	"io"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	chunkSize = 256 << 10
	pad       = 64 // bytes that may be over-read past the end of a chunk
)

// must ends the program: a benchmark has nobody to report to.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// load reads the eight bytes at p+i.
func load(p unsafe.Pointer, i int) uint64 { return *(*uint64)(unsafe.Add(p, i)) }

// eachChunk splits the file at line boundaries and hands each piece to fn on one of t workers, numbered in the order of
// the file; every number comes once, some with no data. Memory behind data is readable for pad bytes.
func eachChunk(path string, t int, fn func(worker, seq int, data []byte)) {
	f, err := os.Open(path)
	must(err)
	defer f.Close()
	st, err := f.Stat()
	must(err)
	size := st.Size()
	var next atomic.Int64
	work := func(w int) {
		buf := make([]byte, chunkSize+4096+pad)
		for {
			i := next.Add(1) - 1
			lo := i * chunkSize
			if lo >= size {
				return
			}
			hi := min(lo+chunkSize, size)
			from := lo
			if i > 0 {
				from-- // the byte before tells whether a line starts exactly at lo
			}
			want := int(min(hi+4096, size) - from)
			n, err := f.ReadAt(buf[:want], from)
			if err != nil && err != io.EOF {
				panic(err)
			}
			s := 0
			if i > 0 {
				s = newline(buf[:n], 0) + 1
				if from+int64(s) >= hi { // the chunk lies inside a line that an earlier one takes
					fn(w, int(i), nil)
					continue
				}
			}
			e := n
			if hi < size {
				for {
					p := newline(buf[:n], int(hi-1-from))
					if p < n {
						e = p + 1
						break
					}
					if int64(n) == size-from { // last line has no newline
						e = n
						break
					}
					nb := make([]byte, 2*len(buf))
					copy(nb, buf[:n])
					buf = nb
					m, err := f.ReadAt(buf[n:int(min(int64(len(buf)-pad), size-from))], from+int64(n))
					if err != nil && err != io.EOF {
						panic(err)
					}
					n += m
				}
			}
			clear(buf[n:min(n+pad, len(buf))])
			if s < e {
				fn(w, int(i), buf[s:e])
			} else {
				fn(w, int(i), nil)
			}
		}
	}
	if t == 1 {
		work(0)
		return
	}
	var wg sync.WaitGroup
	for w := range t {
		wg.Go(func() { work(w) })
	}
	wg.Wait()
}

// newline returns the index of the first '\n' at or after i, or len(b).
func newline(b []byte, i int) int {
	p := unsafe.Pointer(unsafe.SliceData(b))
	for ; i+8 <= len(b); i += 8 {
		x := load(p, i) ^ 0x0a0a0a0a0a0a0a0a
		if m := (x - 0x0101010101010101) & ^x & 0x8080808080808080; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '\n' {
			return i
		}
	}
	return i
}

// lineEnd is newline for long distances: bytes.IndexByte uses AVX2.
func lineEnd(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(b)
}

// ordered writes pieces to a file in sequence order, whatever worker made them.
type ordered struct {
	f    *os.File
	mu   sync.Mutex
	cond *sync.Cond
	next int
}

func newOrdered(path string) *ordered {
	f, err := os.Create(path)
	must(err)
	o := &ordered{f: f}
	o.cond = sync.NewCond(&o.mu)
	return o
}

func (o *ordered) write(seq int, b []byte) {
	o.mu.Lock()
	for o.next != seq {
		o.cond.Wait()
	}
	if len(b) > 0 {
		_, err := o.f.Write(b)
		must(err)
	}
	o.next++
	o.mu.Unlock()
	o.cond.Broadcast()
}
