package agg

import (
	"bytes"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
)

// Table gives keys dense numbers in the order of their first appearance.
//
// Every key is a string of bytes to the table: a single string is itself, a single number its 8 bytes, and any other
// combination its key encoding (batch.AppendKey). An entry holds the first 16 bytes as two words and so compares most
// keys without touching other memory; what a longer key has behind them is in an arena. Entries lie in order of
// insertion, which for real data means that the frequent ones lie together.
//
// Slots are open-addressed with linear probing. Each is one word: the upper 32 bits of the key's hash, and the entry's
// number plus one (0 is an empty slot). At most 5/8 of them are used. A batch is looked up in strips: first the hashes
// of a strip are computed, then its slots are probed, so that the processor has many cache misses under way at once.
//
// Invariant: entry i of entries, hashes and (for encoded keys) cols is key i, and each key has exactly one slot.
type Table struct {
	types   []types.Type
	form    form
	slots   []uint64
	entries []entry
	hashes  []uint64
	long    arena
	cols    []*batch.ColBuilder // of encoded keys: the keys as they came

	enc  []byte // encodings of a strip
	strs []batch.Str
	h    [strip]uint64
	a, b [strip]uint64
	w    [strip]uint64

	touched uint64
}

// form says how keys become bytes.
type form uint8

const (
	formString form = iota
	formInt
	formEncoded
)

// strip is how many rows are hashed before they are probed.
const strip = 256

// entry is a key: its first 16 bytes, and its length with, for keys over 16 bytes, the place of the rest.
type entry struct{ a, b, ref uint64 }

const lenBits = 31 // of ref; the place is above

// NewTable returns an empty table for keys of the given types.
func NewTable(ts []types.Type) *Table {
	t := &Table{types: ts, form: formEncoded}
	if len(ts) == 1 && !batch.IsOptional(ts[0]) {
		switch batch.KindOf(ts[0]) {
		case batch.KindStr:
			t.form = formString
		case batch.KindInt:
			t.form = formInt
		}
	}
	t.Reset()
	return t
}

// Reset forgets all keys and lets their memory go.
func (t *Table) Reset() {
	t.slots, t.entries, t.hashes, t.long, t.cols = make([]uint64, 64), nil, nil, arena{}, nil
	if t.form == formEncoded {
		for _, ty := range t.types {
			t.cols = append(t.cols, batch.NewColBuilder(ty))
		}
	}
}

// Len returns the number of keys.
func (t *Table) Len() int { return len(t.entries) }

// Hash returns the hash of a key; see batch.Hash.
func (t *Table) Hash(i int) uint64 { return t.hashes[i] }

// Group returns the numbers of the keys of a key group, in order.
func (t *Table) Group(g uint8) []int32 {
	var out []int32
	for i, h := range t.hashes {
		if batch.KeyGroup(h) == g {
			out = append(out, int32(i))
		}
	}
	return out
}

// Bytes returns about how much memory the table takes.
func (t *Table) Bytes() int64 {
	n := int64(8*cap(t.slots) + 24*cap(t.entries) + 8*cap(t.hashes) + t.long.size)
	for _, c := range t.cols {
		n += int64(c.Bytes())
	}
	return n
}

// Lookup appends to dst the numbers of the keys in rows 0 to n of the columns; keys that the table does not know yet
// get the next numbers.
func (t *Table) Lookup(dst []uint32, cols []batch.Col, n int) []uint32 {
	for lo := 0; lo < n; {
		hi := min(lo+strip, n)
		switch t.form {
		case formString:
			strs := cols[0].Str[lo:hi]
			t.hashStrings(strs, cols[0].Data)
			dst = t.probe(dst, strs, cols[0].Data, cols, lo)
		case formInt:
			ints := cols[0].Int[lo:hi]
			for i, x := range ints {
				t.h[i], t.a[i], t.b[i] = batch.HashInt(x), uint64(x), 0
			}
			dst = t.probeInts(dst, ints)
		default:
			hi = t.encode(cols, lo, hi)
			dst = t.probe(dst, t.strs, t.enc, cols, lo)
		}
		lo = hi
	}
	return dst
}

// hashStrings fills the strip with the hashes and first words of strings.
func (t *Table) hashStrings(strs []batch.Str, data []byte) {
	hs, as, bs := t.h[:len(strs)], t.a[:len(strs)], t.b[:len(strs)]
	for i, s := range strs {
		a, b := batch.Short(data, s.Off, min(s.Len, 16))
		as[i], bs[i] = a, b
		if s.Len <= 16 {
			hs[i] = batch.HashShort(a, b, int(s.Len))
		} else {
			hs[i] = batch.HashBytes(data[s.Off : s.Off+s.Len])
		}
	}
}

// encode fills the strip with the hashes and first words of the rows' key encodings. It returns the row at which it
// stopped: before hi where the encodings are long.
func (t *Table) encode(cols []batch.Col, lo, hi int) int {
	t.enc, t.strs = t.enc[:0], t.strs[:0]
	for i := lo; i < hi; i++ {
		if len(t.enc) > 1<<20 {
			hi = i
			break
		}
		from := len(t.enc)
		for k := range cols {
			t.enc = batch.AppendKey(t.enc, &cols[k], t.types[k], i)
		}
		t.strs = append(t.strs, batch.Str{Off: uint32(from), Len: uint32(len(t.enc) - from)})
	}
	for i, s := range t.strs {
		t.a[i], t.b[i] = batch.Short(t.enc, s.Off, min(s.Len, 16))
	}
	part := make([]batch.Col, len(cols))
	for k := range cols {
		part[k] = batch.Slice(cols[k], lo, hi)
	}
	batch.Hash(t.h[:0], part, t.types, hi-lo)
	return hi
}

// probe finds or inserts the keys of a strip, whose bytes are strs in data; they begin at row lo of the columns.
//
// It goes over the strip three times. The first two loops only load: each row's slot, then the entry that the slot
// names. No load waits for another in its loop, so the misses of many rows overlap; the third loop, which decides, finds
// nearly all that it needs close by. This is worth a tenth of the whole word count where the table does not fit the
// nearest caches, and costs little where it does.
func (t *Table) probe(dst []uint32, strs []batch.Str, data []byte, cols []batch.Col, lo int) []uint32 {
	t.reserve(len(strs))
	slots, mask := t.slots, uint64(len(t.slots)-1)
	hs, as, bs := t.h[:len(strs)], t.a[:len(strs)], t.b[:len(strs)]
	ws := t.load(len(strs))
	for i, s := range strs {
		h, p := hs[i], hs[i]
		w := ws[i]
		for {
			if w == 0 {
				w = slots[p&mask] // an earlier row of the strip may have taken it
			}
			if w == 0 {
				slots[p&mask] = h>>32<<32 | uint64(len(t.entries)+1)
				dst = append(dst, uint32(len(t.entries)))
				t.insert(h, as[i], bs[i], data[s.Off:s.Off+s.Len])
				for k, c := range t.cols {
					c.AppendFrom(&cols[k], lo+i)
				}
				break
			}
			if (w^h)>>32 == 0 {
				e := &t.entries[uint32(w)-1]
				if e.a == as[i] && e.b == bs[i] && uint32(e.ref&(1<<lenBits-1)) == s.Len &&
					(s.Len <= 16 || bytes.Equal(t.long.at(e.ref>>lenBits, s.Len-16), data[s.Off+16:s.Off+s.Len])) {
					dst = append(dst, uint32(w)-1)
					break
				}
			}
			p++
			w = slots[p&mask]
		}
	}
	return dst
}

// load reads the first slot of each of the n hashes of the strip, and touches the entries that they name.
func (t *Table) load(n int) []uint64 {
	slots, mask := t.slots, uint64(len(t.slots)-1)
	ws, hs := t.w[:n], t.h[:n]
	for i, h := range hs {
		ws[i] = slots[h&mask]
	}
	if len(t.entries) == 0 {
		return ws
	}
	sum := uint64(0)
	es := t.entries
	for _, w := range ws {
		i := uint32(w)
		i -= min(i, 1) // an empty slot stands for the first entry
		sum += es[i].a
	}
	t.touched = sum // so that the loads are not taken for useless
	return ws
}

// probeInts is probe for keys of 8 bytes.
func (t *Table) probeInts(dst []uint32, ints []int64) []uint32 {
	t.reserve(len(ints))
	slots, mask := t.slots, uint64(len(t.slots)-1)
	hs := t.h[:len(ints)]
	for i, x := range ints {
		h := hs[i]
		for p := h; ; p++ {
			w := slots[p&mask]
			if w == 0 {
				slots[p&mask] = h>>32<<32 | uint64(len(t.entries)+1)
				dst = append(dst, uint32(len(t.entries)))
				t.entries = append(t.entries, entry{uint64(x), 0, 8})
				t.hashes = append(t.hashes, h)
				break
			}
			if (w^h)>>32 == 0 && t.entries[uint32(w)-1].a == uint64(x) {
				dst = append(dst, uint32(w)-1)
				break
			}
		}
	}
	return dst
}

func (t *Table) insert(h, a, b uint64, key []byte) {
	ref := uint64(len(key))
	if len(key) > 16 {
		ref |= t.long.add(key[16:]) << lenBits
	}
	t.entries = append(t.entries, entry{a, b, ref})
	t.hashes = append(t.hashes, h)
}

// reserve makes room for n more keys, so that a strip never grows the table while it is being probed.
func (t *Table) reserve(n int) {
	need := len(t.entries) + n
	if need >= 1<<31 {
		bug.Panicf("exec/agg: a table of %d keys", need)
	}
	size := len(t.slots)
	for need > size*5/8 {
		size *= 2
	}
	if size == len(t.slots) {
		return
	}
	t.slots = make([]uint64, size)
	mask := uint64(size - 1)
	for i, h := range t.hashes {
		p := h
		for t.slots[p&mask] != 0 {
			p++
		}
		t.slots[p&mask] = h>>32<<32 | uint64(i+1)
	}
}

// size returns how many bytes of key i are in columns, about.
func (t *Table) size(i int) int { return int(t.entries[i].ref & (1<<lenBits - 1)) }

// Keys returns the key columns of entries lo to hi, in memory of their own.
func (t *Table) Keys(lo, hi int) []batch.Col {
	switch t.form {
	case formString:
		return []batch.Col{t.strings(lo, hi)}
	case formInt:
		ints := make([]int64, 0, hi-lo)
		for _, e := range t.entries[lo:hi] {
			ints = append(ints, int64(e.a))
		}
		return []batch.Col{{Int: ints}}
	default:
		out := make([]batch.Col, len(t.cols))
		for k, c := range t.cols {
			out[k] = batch.Compact(batch.Slice(c.View(), lo, hi), hi-lo, nil)
		}
		return out
	}
}

func (t *Table) strings(lo, hi int) batch.Col {
	size := 0
	for _, e := range t.entries[lo:hi] {
		size += int(e.ref & (1<<lenBits - 1))
	}
	c := batch.Col{Str: make([]batch.Str, 0, hi-lo), Data: make([]byte, 0, size)}
	for _, e := range t.entries[lo:hi] {
		n := uint32(e.ref & (1<<lenBits - 1))
		c.Str = append(c.Str, batch.Str{Off: uint32(len(c.Data)), Len: n})
		c.Data = appendShort(c.Data, e.a, e.b, min(n, 16))
		if n > 16 {
			c.Data = append(c.Data, t.long.at(e.ref>>lenBits, n-16)...)
		}
	}
	return c
}

// appendShort appends the first n bytes of two little-endian words.
func appendShort(dst []byte, a, b uint64, n uint32) []byte {
	for i := range n {
		if i == 8 {
			a = b
		}
		dst = append(dst, byte(a))
		a >>= 8
	}
	return dst
}

// arena holds the tails of long keys in chunks that never move. A place is the chunk's number and the offset in it.
type arena struct {
	chunks [][]byte
	size   int // bytes of all chunks
}

const chunkBits = 20 // chunks of 1 MiB; a longer tail has a chunk to itself

// add copies b and returns its place.
func (r *arena) add(b []byte) uint64 {
	last := len(r.chunks) - 1
	if last < 0 || len(b) > cap(r.chunks[last])-len(r.chunks[last]) {
		if last+1 >= 1<<(64-lenBits-chunkBits) {
			bug.Panicf("exec/agg: %d chunks of keys", last+1)
		}
		size := max(len(b), min(1<<chunkBits, max(4<<10, r.size)))
		r.chunks = append(r.chunks, make([]byte, 0, size))
		r.size += size
		last++
	}
	off := len(r.chunks[last])
	r.chunks[last] = append(r.chunks[last], b...)
	return uint64(last)<<chunkBits | uint64(off)
}

// at returns the n bytes at a place.
func (r *arena) at(place uint64, n uint32) []byte {
	off := uint32(place & (1<<chunkBits - 1))
	return r.chunks[place>>chunkBits][off : off+n]
}
