package ledger

import (
	"math/bits"

	"github.com/pipec/pipec/exec/batch"
)

// allot returns a free entry.
func (o *Owner) allot() (uint32, *entry) {
	if o.current == none || o.segs[o.current].used == segmentSize {
		o.current = o.newSegment()
	}
	s := o.segs[o.current]
	off := uint32(s.used)
	s.used++
	s.live++
	return o.current*segmentSize + off, &s.entries[off]
}

// newSegment returns the index of an empty segment, under a generation that its index has not had.
func (o *Owner) newSegment() uint32 {
	s := o.spare
	o.spare = nil
	if s == nil {
		s = &segment{entries: new([segmentSize]entry)}
	}
	if n := len(o.idle); n > 0 {
		i := o.idle[n-1]
		o.idle = o.idle[:n-1]
		o.segs[i] = s
		return i
	}
	o.segs = append(o.segs, s)
	o.gens = append(o.gens, 1)
	return uint32(len(o.segs) - 1)
}

// release frees an entry, and its segment with the last one. One free segment is kept; more go to the collector.
func (o *Owner) release(i uint32) {
	o.drop(i)
	index := i / segmentSize
	s := o.segs[index]
	s.entries[i%segmentSize].state = free
	if len(o.failed) > 0 {
		delete(o.failed, i)
	}
	s.live--
	if s.live > 0 || s.used < segmentSize {
		return
	}
	o.gens[index]++
	s.used = 0
	if index == o.current {
		return
	}
	o.segs[index] = nil
	o.idle = append(o.idle, index)
	o.spare = s
}

// at returns an entry that is known to be in use.
func (o *Owner) at(i uint32) *entry { return &o.segs[i/segmentSize].entries[i%segmentSize] }

// find returns the entry that a message means, or nil if it has ended since.
func (o *Owner) find(i, gen uint32) *entry {
	index := i / segmentSize
	if int(index) >= len(o.segs) || o.segs[index] == nil || o.gens[index] != gen {
		return nil
	}
	return o.at(i)
}

func (o *Owner) ref(i uint32, e *entry) batch.Span {
	return batch.Span{
		Owner: o.id, Entry: i, Gen: o.gens[i/segmentSize], Part: e.part, Attempt: e.attempt &^ givenUp,
	}
}

// Bytes returns how much memory the entries take, without kept batches.
func (o *Owner) Bytes() int64 {
	n := int64(0)
	for _, s := range o.segs {
		if s != nil {
			n++
		}
	}
	return n * segmentSize * entrySize
}

// Spans returns how many entries are in use.
func (o *Owner) Spans() int64 {
	n := int64(0)
	for _, s := range o.segs {
		if s != nil {
			n += int64(s.live)
		}
	}
	return n
}

// set is a set of roots of a span. The nil set is empty. members, if not nil, are the roots of the attempt; otherwise
// all roots of the span are.
type set struct{ words, members []uint64 }

func newSet(n int) *set { return &set{words: make([]uint64, (n+63)/64)} }

func (s *set) add(i int) { s.words[i/64] |= 1 << (i % 64) }

// addAll adds all n roots of the span that are in the attempt.
func (s *set) addAll(n int) {
	if s.members != nil {
		copy(s.words, s.members)
		return
	}
	for i := range n {
		s.add(i)
	}
}

func (s *set) count() int {
	if s == nil {
		return 0
	}
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// list appends the members in ascending order.
func (s *set) list(dst []uint16) []uint16 {
	if s == nil {
		return dst
	}
	return listWords(dst, s.words)
}

func listWords(dst []uint16, words []uint64) []uint16 {
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, uint16(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}
