package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// lower8 lowers the ASCII letters of 8 bytes at once.
func lower8(x uint64) uint64 {
	h := x & 0x7f7f7f7f7f7f7f7f
	up := ((h + 0x3f*ones) ^ (h + 0x25*ones)) & ^x & high
	return x | up>>2
}

// slot is one word with its count: up to 16 bytes, padded by zeros, and no word at all where n is 0.
type slot struct{ k0, k1, n uint64 }

// counter is an open-addressed table of words of up to 16 bytes; longer ones go to a map.
type counter struct {
	t    []slot // its length is a power of two
	used int
	long map[string]*uint64
	lowb []byte
	q    [256]struct{ h, k0, k1 uint64 } // words found but not yet counted: probing many in a row overlaps cache misses
	qn   int
}

func newCounter() *counter {
	return &counter{t: make([]slot, 1<<17), long: map[string]*uint64{}}
}

// hash2 mixes the two halves of a word by one wide multiplication.
func hash2(k0, k1 uint64) uint64 {
	hi, lo := bits.Mul64(k0^0x9E3779B97F4A7C15, k1^0xD6E8FEB86659FD93)
	return hi ^ lo
}

func (c *counter) add(k0, k1, n uint64) { c.addHash(hash2(k0, k1), k0, k1, n) }

func (c *counter) addHash(h, k0, k1, n uint64) {
	t := c.t
	for {
		s := &t[h&uint64(len(t)-1)]
		if s.k0 == k0 && s.k1 == k1 && s.n != 0 {
			s.n += n
			return
		}
		if s.n == 0 {
			*s = slot{k0, k1, n}
			if c.used++; c.used > len(t)*5/8 {
				c.grow()
			}
			return
		}
		h++
	}
}

func (c *counter) grow() {
	old := c.t
	c.t, c.used = make([]slot, 2*len(old)), 0
	for _, s := range old {
		if s.n != 0 {
			c.add(s.k0, s.k1, s.n)
		}
	}
}

// push notes a short word to be counted by flush.
func (c *counter) push(k0, k1 uint64) {
	e := &c.q[c.qn&255]
	e.h, e.k0, e.k1 = hash2(k0, k1), k0, k1
	if c.qn++; c.qn == len(c.q) {
		c.flush()
	}
}

func (c *counter) flush() {
	for i := range c.q[:c.qn] {
		e := &c.q[i]
		c.addHash(e.h, e.k0, e.k1, 1)
	}
	c.qn = 0
}

// count adds the words of data, eight bytes at a time; pad bytes behind data must be readable.
func (c *counter) count(data []byte) {
	defer c.flush()
	p := unsafe.Pointer(unsafe.SliceData(data))
	for i := 0; i < len(data); {
		x := load(p, i)
		m := (x - 0x21*ones) & ^x & high
		n := bits.TrailingZeros64(m) >> 3
		if n < 8 {
			if n > 0 {
				c.push(lower8(x)&(1<<(n*8)-1), 0)
			}
			i += n + 1
			continue
		}
		y := load(p, i+8)
		m = (y - 0x21*ones) & ^y & high
		if n = bits.TrailingZeros64(m) >> 3; n < 8 {
			c.push(lower8(x), lower8(y)&(1<<(n*8)-1))
			i += n + 9
			continue
		}
		j := i + 16
		for j < len(data) && data[j] > ' ' {
			j++
		}
		c.lowb = append(c.lowb[:0], data[i:j]...)
		for k, b := range c.lowb {
			if 'A' <= b && b <= 'Z' {
				c.lowb[k] = b + 32
			}
		}
		if j-i == 16 {
			c.push(binary.LittleEndian.Uint64(c.lowb), binary.LittleEndian.Uint64(c.lowb[8:]))
		} else if q := c.long[string(c.lowb)]; q != nil {
			*q++
		} else {
			one := uint64(1)
			c.long[string(c.lowb)] = &one
		}
		i = j + 1
	}
}

// wc is a word with its count.
type wc struct {
	w string
	n uint64
}

// w1hand counts with one table for each thread, and adds them up at the end.
func w1hand(in, out string, t int) {
	cs := make([]*counter, t)
	for i := range cs {
		cs[i] = newCounter()
	}
	eachChunk(in, t, func(w, _ int, d []byte) { cs[w].count(d) })
	c := cs[0]
	for _, o := range cs[1:] {
		for _, s := range o.t {
			if s.n != 0 {
				c.add(s.k0, s.k1, s.n)
			}
		}
		for k, n := range o.long {
			if q := c.long[k]; q != nil {
				*q += *n
			} else {
				c.long[k] = n
			}
		}
	}
	all := make([]wc, 0, c.used+len(c.long))
	var b [16]byte
	for _, s := range c.t {
		if s.n != 0 {
			binary.LittleEndian.PutUint64(b[:], s.k0)
			binary.LittleEndian.PutUint64(b[8:], s.k1)
			n := 16
			for n > 0 && b[n-1] == 0 {
				n--
			}
			all = append(all, wc{string(b[:n]), s.n})
		}
	}
	for k, n := range c.long {
		all = append(all, wc{k, *n})
	}
	writeCounts(out, all)
}

// writeCounts writes "word n" lines sorted by the bytes of the words.
func writeCounts(out string, all []wc) {
	slices.SortFunc(all, func(a, b wc) int { return cmp.Compare(a.w, b.w) })
	f, err := os.Create(out)
	must(err)
	w := bufio.NewWriterSize(f, 256<<10)
	for _, x := range all {
		w.WriteString(x.w)
		w.WriteByte(' ')
		w.Write(strconv.AppendUint(w.AvailableBuffer(), x.n, 10))
		w.WriteByte('\n')
	}
	must(w.Flush())
	must(f.Close())
}

// w1plain is what most people write by hand.
func w1plain(in, out string, _ int) {
	f, err := os.Open(in)
	must(err)
	m := map[string]uint64{}
	sc := bufio.NewScanner(f)
	sc.Buffer(make([]byte, 64<<10), 1<<20)
	for sc.Scan() {
		for _, w := range strings.Fields(strings.ToLower(sc.Text())) {
			m[w]++
		}
	}
	must(sc.Err())
	all := make([]wc, 0, len(m))
	for k, n := range m {
		all = append(all, wc{k, n})
	}
	writeCounts(out, all)
}

// w1good is careful but ordinary Go: no allocation per word, the built-in swiss map.
func w1good(in, out string, _ int) {
	f, err := os.Open(in)
	must(err)
	m := map[string]*uint64{}
	sc := bufio.NewScanner(f)
	sc.Buffer(make([]byte, 256<<10), 1<<20)
	for sc.Scan() {
		b := sc.Bytes()
		s := 0
		for i := 0; i <= len(b); i++ {
			if i == len(b) || b[i] <= ' ' {
				if i > s {
					if q := m[string(b[s:i])]; q != nil {
						*q++
					} else {
						one := uint64(1)
						m[string(b[s:i])] = &one
					}
				}
				s = i + 1
			} else if b[i]-'A' < 26 {
				b[i] += 32
			}
		}
	}
	must(sc.Err())
	all := make([]wc, 0, len(m))
	for k, n := range m {
		all = append(all, wc{k, *n})
	}
	writeCounts(out, all)
}
