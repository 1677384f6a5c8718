package batch

import (
	"github.com/pipec/pipec/internal/bug"
)

// Bytes returns the bytes of row i of a string column; they are the column's own.
func (c *Col) Bytes(i int) []byte {
	s := c.Str[i]
	return c.Data[s.Off : s.Off+s.Len]
}

// Has reports whether row i holds a value.
func (c *Col) Has(i int) bool { return c.Valid == nil || c.Valid[i] }

// pick returns the elements of s at sel; nil stays nil.
func pick[T any](s []T, sel []int32) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(sel))
	for k, i := range sel {
		out[k] = s[i]
	}
	return out
}

// Gather returns a column of the rows sel of c, in that order; a row may occur more than once. It shares c's Data.
func Gather(c Col, sel []int32) Col {
	out := Col{
		Bool: pick(c.Bool, sel), Int: pick(c.Int, sel), Float: pick(c.Float, sel), Str: pick(c.Str, sel),
		Data: c.Data, Valid: pick(c.Valid, sel),
	}
	if c.Sub == nil {
		return out
	}
	if c.Offs != nil {
		out.Offs, sel = spread(c.Offs, sel)
	}
	out.Sub = make([]Col, len(c.Sub))
	for i, s := range c.Sub {
		out.Sub[i] = Gather(s, sel)
	}
	return out
}

// spread returns the offsets of the lists sel, and the elements that they have.
func spread(offs []uint32, sel []int32) ([]uint32, []int32) {
	n := 0
	for _, i := range sel {
		n += int(offs[i+1] - offs[i])
	}
	out, elems := make([]uint32, 1, len(sel)+1), make([]int32, 0, n)
	for _, i := range sel {
		for e := offs[i]; e < offs[i+1]; e++ {
			elems = append(elems, int32(e))
		}
		out = append(out, uint32(len(elems)))
	}
	return out, elems
}

// Compact returns the rows sel of c (nil: all n of them) with the bytes of strings copied into a Data of their own, so
// that a few rows do not keep a large block alive. Invalid rows keep no bytes.
func Compact(c Col, n int, sel []int32) Col {
	var out Col
	if sel == nil {
		out = slice(c, 0, n)
	} else {
		out = Gather(c, sel)
		n = len(sel)
	}
	compactData(&out, n)
	return out
}

func compactData(c *Col, n int) {
	if c.Str != nil {
		copyData(c)
	}
	if c.Sub == nil {
		return
	}
	subs := make([]Col, len(c.Sub))
	copy(subs, c.Sub)
	if c.Offs != nil {
		// The elements in use are those between the first and the last offset.
		lo, hi := c.Offs[0], c.Offs[n]
		if lo > 0 {
			offs := make([]uint32, n+1)
			for i, o := range c.Offs[:n+1] {
				offs[i] = o - lo
			}
			c.Offs = offs
		}
		for i := range subs {
			subs[i] = slice(subs[i], int(lo), int(hi))
		}
		n = int(hi - lo)
	}
	for i := range subs {
		compactData(&subs[i], n)
	}
	c.Sub = subs
}

// copyData gives a string column Str and Data of its own.
func copyData(c *Col) {
	n := 0
	for i, s := range c.Str {
		if c.Has(i) {
			n += int(s.Len)
		}
	}
	strs, data := make([]Str, len(c.Str)), make([]byte, 0, n)
	for i, s := range c.Str {
		if c.Has(i) {
			strs[i] = Str{uint32(len(data)), s.Len}
			data = append(data, c.Data[s.Off:s.Off+s.Len]...)
		}
	}
	c.Str, c.Data = strs, data
}

// cut returns s[lo:hi] without room to append; nil stays nil.
func cut[T any](s []T, lo, hi int) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi:hi]
}

// slice returns rows lo to hi of a column, sharing everything.
func slice(c Col, lo, hi int) Col {
	out := Col{
		Bool: cut(c.Bool, lo, hi), Int: cut(c.Int, lo, hi), Float: cut(c.Float, lo, hi), Str: cut(c.Str, lo, hi),
		Data: c.Data, Valid: cut(c.Valid, lo, hi), Sub: c.Sub,
	}
	if c.Offs != nil {
		out.Offs = c.Offs[lo : hi+1 : hi+1]
	} else if c.Sub != nil {
		out.Sub = make([]Col, len(c.Sub))
		for i, s := range c.Sub {
			out.Sub[i] = slice(s, lo, hi)
		}
	}
	return out
}

// Slice returns rows lo to hi of a column without copying; lists keep their elements where they are.
func Slice(c Col, lo, hi int) Col { return slice(c, lo, hi) }

// Slice returns rows lo to hi of a batch without copying. Spans are shared; Origin and Pos are cut alike.
func (b *Batch) Slice(lo, hi int) *Batch {
	return b.with(hi-lo, cut(b.Origin, lo, hi), cut(b.Pos, lo, hi), func(c Col) Col { return slice(c, lo, hi) })
}

// Gather returns the rows sel of a batch; strings share its Data, Spans are shared.
func (b *Batch) Gather(sel []int32) *Batch {
	return b.with(len(sel), pick(b.Origin, sel), pick(b.Pos, sel), func(c Col) Col { return Gather(c, sel) })
}

// Compact returns the rows sel of a batch (nil: all) with strings copied; see Compact of columns.
func (b *Batch) Compact(sel []int32) *Batch {
	if sel == nil {
		return b.with(b.N, b.Origin, b.Pos, func(c Col) Col { return Compact(c, b.N, nil) })
	}
	return b.with(len(sel), pick(b.Origin, sel), pick(b.Pos, sel), func(c Col) Col { return Compact(c, b.N, sel) })
}

func (b *Batch) with(n int, origin []Origin, pos []int64, f func(Col) Col) *Batch {
	out := &Batch{N: n, Layout: b.Layout, Cols: make([]Col, len(b.Cols)), Spans: b.Spans, Origin: origin, Pos: pos}
	for i, c := range b.Cols {
		out.Cols[i] = f(c)
	}
	return out
}

// Concat returns the rows of batches of one layout, one batch after the other. Their Spans are put side by side and
// Origins follow them. The caller makes sure that no column's Data exceeds MaxData and that there are at most 65,536
// spans; Origin and Pos must be carried by all batches or by none.
func Concat(bs []*Batch) *Batch {
	if len(bs) == 1 {
		return bs[0]
	}
	out := &Batch{Layout: bs[0].Layout, Cols: make([]Col, len(bs[0].Cols))}
	ns, parts := make([]int, len(bs)), make([]Col, len(bs))
	for k, b := range bs {
		ns[k] = b.N
		out.N += b.N
		base := uint16(len(out.Spans))
		out.Spans = append(out.Spans, b.Spans...)
		for _, o := range b.Origin {
			out.Origin = append(out.Origin, Origin{o.Span + base, o.Row})
		}
		out.Pos = append(out.Pos, b.Pos...)
	}
	if len(out.Spans) > 1<<16 || out.Origin != nil && len(out.Origin) != out.N {
		bug.Panicf("exec/batch: concatenation of %d batches with %d spans, %d origins for %d rows", len(bs),
			len(out.Spans), len(out.Origin), out.N)
	}
	for i := range out.Cols {
		for k, b := range bs {
			parts[k] = b.Cols[i]
		}
		out.Cols[i] = ConcatCols(parts, ns)
	}
	return out
}

// ConcatCols returns the rows of columns of one type, one column after the other; ns are their row counts. Data is
// shared where all columns have the same one, and else copied.
func ConcatCols(cs []Col, ns []int) Col {
	var out Col
	total, optional := 0, false
	for k, c := range cs {
		total += ns[k]
		optional = optional || c.Valid != nil
		out.Bool = append(out.Bool, c.Bool...)
		out.Int = append(out.Int, c.Int...)
		out.Float = append(out.Float, c.Float...)
	}
	concatStr(&out, cs, total)
	if optional {
		out.Valid = make([]bool, 0, total)
		for k, c := range cs {
			for i := range ns[k] {
				out.Valid = append(out.Valid, c.Has(i))
			}
		}
	}
	concatSub(&out, cs, ns)
	return out
}

func concatStr(out *Col, cs []Col, total int) {
	same, has := true, false
	for _, c := range cs {
		has = has || c.Str != nil
		same = same && sameData(c.Data, cs[0].Data)
	}
	if !has {
		return
	}
	out.Str = make([]Str, 0, total)
	if same {
		out.Data = cs[0].Data
		for _, c := range cs {
			out.Str = append(out.Str, c.Str...)
		}
		return
	}
	for _, c := range cs {
		c.Str = cut(c.Str, 0, len(c.Str))
		copyData(&c)
		base := uint32(len(out.Data))
		out.Data = append(out.Data, c.Data...)
		for _, s := range c.Str {
			out.Str = append(out.Str, Str{s.Off + base, s.Len})
		}
	}
}

// sameData reports whether two slices are the same memory.
func sameData(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func concatSub(out *Col, cs []Col, ns []int) {
	var model Col
	for _, c := range cs {
		if c.Sub != nil {
			model = c
			break
		}
	}
	if model.Sub == nil {
		return
	}
	subs, counts := make([][]Col, len(model.Sub)), make([]int, 0, len(cs))
	if model.Offs != nil {
		out.Offs = []uint32{0}
	}
	for k, c := range cs {
		if c.Sub == nil {
			continue // No rows: the column was never made.
		}
		lo, hi := 0, ns[k]
		if model.Offs != nil {
			lo, hi = int(c.Offs[0]), int(c.Offs[ns[k]])
			base := out.Offs[len(out.Offs)-1]
			for _, o := range c.Offs[1 : ns[k]+1] {
				out.Offs = append(out.Offs, o-c.Offs[0]+base)
			}
		}
		for i := range c.Sub {
			subs[i] = append(subs[i], slice(c.Sub[i], lo, hi))
		}
		counts = append(counts, hi-lo)
	}
	out.Sub = make([]Col, len(model.Sub))
	for i := range out.Sub {
		out.Sub[i] = ConcatCols(subs[i], counts)
	}
}
