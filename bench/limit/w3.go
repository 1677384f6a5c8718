package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
)

// agg is what W3 keeps for one country and minute.
type agg struct{ key, n, sum, max uint64 }

// aggTable is keyed by country (up to 4 bytes, upper half) and minute (lower half).
type aggTable struct {
	t    []agg
	bits int // its length is 1<<bits
	used int
}

func newAggTable() *aggTable { return &aggTable{t: make([]agg, 1<<16), bits: 16} }

func (c *aggTable) add(key, n, sum, max_ uint64) {
	h := (key * 0x9E3779B97F4A7C15) >> (64 - c.bits)
	for {
		s := &c.t[h&uint64(len(c.t)-1)]
		if s.n == 0 {
			*s = agg{key, n, sum, max_}
			if c.used++; c.used > len(c.t)*5/8 {
				old := c.t
				c.t, c.bits, c.used = make([]agg, 2*len(old)), c.bits+1, 0
				for _, s := range old {
					if s.n != 0 {
						c.add(s.key, s.n, s.sum, s.max)
					}
				}
			}
			return
		}
		if s.key == key {
			s.n += n
			s.sum += sum
			s.max = max(s.max, max_)
			return
		}
		h++
	}
}

// writeAggs writes "window_ms,country,count,sum,max" lines, sorted by window, then country.
func writeAggs(out string, all []agg) {
	slices.SortFunc(all, func(a, b agg) int {
		return cmp.Or(cmp.Compare(uint32(a.key), uint32(b.key)), cmp.Compare(a.key, b.key))
	})
	f, err := os.Create(out)
	must(err)
	w := bufio.NewWriterSize(f, 256<<10)
	for _, a := range all {
		b := w.AvailableBuffer()
		b = strconv.AppendUint(b, uint64(uint32(a.key))*60000, 10)
		b = append(b, ',')
		for sh := 56; sh >= 32; sh -= 8 {
			if ch := byte(a.key >> sh); ch != 0 {
				b = append(b, ch)
			}
		}
		for _, v := range [...]uint64{a.n, a.sum, a.max} {
			b = append(b, ',')
			b = strconv.AppendUint(b, v, 10)
		}
		w.Write(append(b, '\n'))
	}
	must(w.Flush())
	must(f.Close())
}

// aggKey packs country and minute into a key of aggTable.
func aggKey(country []byte, ts int64) uint64 {
	var k uint64
	for _, c := range country {
		k = k<<8 | uint64(c)
	}
	return k<<32 | uint64(uint32(ts/60000))
}

// finishAggs adds up the threads' tables and writes the result.
func finishAggs(out string, ts []*aggTable) {
	c := ts[0]
	for _, o := range ts[1:] {
		for _, s := range o.t {
			if s.n != 0 {
				c.add(s.key, s.n, s.sum, s.max)
			}
		}
	}
	var all []agg
	for _, s := range c.t {
		if s.n != 0 {
			all = append(all, s)
		}
	}
	writeAggs(out, all)
}

// w3hand scans each record for the three fields it needs; lazy stops behind the last of them.
func w3hand(lazy bool) func(in, out string, t int) {
	return func(in, out string, t int) {
		ts := make([]*aggTable, t)
		for i := range ts {
			ts[i] = newAggTable()
		}
		eachChunk(in, t, func(w, _ int, d []byte) {
			var r order
			for i := 0; i < len(d); {
				var ok bool
				if i, ok = r.parse(d, i, wantW3, lazy, nil); ok {
					ts[w].add(aggKey(r.country, r.ts), 1, uint64(r.cents), uint64(r.cents))
				}
			}
		})
		finishAggs(out, ts)
	}
}

// w3json decodes each record into a struct with encoding/json.
func w3json(in, out string, t int) {
	ts := make([]*aggTable, t)
	for i := range ts {
		ts[i] = newAggTable()
	}
	eachChunk(in, t, func(w, _ int, d []byte) {
		var r struct {
			TSms    int64   `json:"ts_ms"`
			Country string  `json:"country"`
			Amount  float64 `json:"amount"`
		}
		for len(d) > 0 {
			line := d
			if i := bytes.IndexByte(d, '\n'); i >= 0 {
				line, d = d[:i], d[i+1:]
			} else {
				d = nil
			}
			must(json.Unmarshal(line, &r))
			c := uint64(math.Round(r.Amount * 100))
			ts[w].add(aggKey([]byte(r.Country), r.TSms), 1, c, c)
		}
	})
	finishAggs(out, ts)
}
