package kernel

import (
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
)

// vec is a column with one slot for each row of a domain, as a node returns it. It may be longer than the domain.
//
// A node keeps its vec and writes into the same memory in each run, unless the memory went into a result: then keep has
// marked the vec, and start leaves the memory to the result. Columns of the input, and columns that are made anew in
// each run, are in vecs that no node starts.
type vec struct {
	batch.Col
	kept    bool   // its memory went into a result
	foreign bool   // its memory is not its own
	deps    []*vec // whose memory it shares
	valid   []bool // memory of Valid
}

// start makes a vec ready to be written in a run.
func (v *vec) start() *vec {
	if v.kept || v.foreign {
		*v = vec{}
		return v
	}
	v.deps, v.Valid, v.Data = v.deps[:0], nil, v.Data[:0]
	return v
}

// keep leaves the memory of a vec, and all that it shares, to a result.
func (r *run) keep(v *vec) {
	if v.kept {
		return
	}
	v.kept = true
	r.kept = append(r.kept, v)
	for _, d := range v.deps {
		r.keep(d)
	}
}

// view makes v a column that shares the memory of others.
func (v *vec) view(c batch.Col, deps ...*vec) *vec {
	v.start()
	v.Col, v.foreign = c, true
	v.deps = append(v.deps, deps...)
	return v
}

// room returns s with n elements, which may hold anything.
func room[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, n+n/8)
}

func (v *vec) bools(n int) []bool {
	v.Bool = room(v.Bool, n)
	return v.Bool
}

func (v *vec) ints(n int) []int64 {
	v.Int = room(v.Int, n)
	return v.Int
}

func (v *vec) floats(n int) []float64 {
	v.Float = room(v.Float, n)
	return v.Float
}

func (v *vec) strs(n int) []batch.Str {
	v.Str = room(v.Str, n)
	return v.Str
}

// valids returns flags for n rows, all of them set.
func (v *vec) valids(n int) []bool {
	v.valid = room(v.valid, n)
	for i := range v.valid {
		v.valid[i] = true
	}
	v.Valid = v.valid
	return v.valid
}

// merge returns a column with the rows sa of a and the rows sb of b, which have no row in common. It is made in out if
// neither of the two will do.
func (r *run) merge(out *vec, d *domain, t types.Type, a *vec, sa []int32, b *vec, sb []int32) *vec {
	if d.count(sb) == 0 {
		return a
	}
	if d.count(sa) == 0 {
		return b
	}
	out.start()
	switch batch.KindOf(t) {
	case batch.KindBool:
		put(put(out.bools(d.n), a.Bool, sa), b.Bool, sb)
	case batch.KindInt:
		put(put(out.ints(d.n), a.Int, sa), b.Int, sb)
	case batch.KindFloat:
		put(put(out.floats(d.n), a.Float, sa), b.Float, sb)
	case batch.KindStr:
		r.mergeStr(out, d, a, sa, b, sb)
	default:
		return r.mergeAny(out, d, t, a, sa, b, sb)
	}
	if a.Valid != nil || b.Valid != nil {
		valid := out.valids(d.n)
		if a.Valid != nil {
			put(valid, a.Valid, sa)
		}
		if b.Valid != nil {
			put(valid, b.Valid, sb)
		}
	}
	return out
}

// put copies the rows s of src to dst.
func put[T any](dst, src []T, s []int32) []T {
	for _, i := range s {
		dst[i] = src[i]
	}
	return dst
}

func (r *run) mergeStr(out *vec, d *domain, a *vec, sa []int32, b *vec, sb []int32) {
	strs := out.strs(d.n)
	if len(a.Data) == len(b.Data) && (len(a.Data) == 0 || &a.Data[0] == &b.Data[0]) {
		put(put(strs, a.Str, sa), b.Str, sb)
		out.view(batch.Col{Str: strs, Data: a.Data}, a, b)
		return
	}
	for _, part := range []struct {
		v *vec
		s []int32
	}{{a, sa}, {b, sb}} {
		for _, i := range part.s {
			if !part.v.Has(int(i)) {
				strs[i] = batch.Str{}
				continue
			}
			strs[i] = r.text(out, part.v.Bytes(int(i)))
		}
	}
}

// text appends bytes to the Data of out and returns where they are. When Data is full, the run is in vain; see
// Program.part.
func (r *run) text(out *vec, b []byte) batch.Str {
	if len(out.Data)+len(b) > r.limit {
		r.full = true
		return batch.Str{}
	}
	s := batch.Str{Off: uint32(len(out.Data)), Len: uint32(len(b))}
	out.Data = append(out.Data, b...)
	return s
}

// mergeAny merges columns of any type row by row, in the order of rows.
func (r *run) mergeAny(out *vec, d *domain, t types.Type, a *vec, sa []int32, b *vec, sb []int32) *vec {
	w := newFiller(t)
	for len(sa) > 0 || len(sb) > 0 {
		if len(sb) == 0 || len(sa) > 0 && sa[0] < sb[0] {
			w.at(int(sa[0])).AppendFrom(&a.Col, int(sa[0]))
			sa = sa[1:]
		} else {
			w.at(int(sb[0])).AppendFrom(&b.Col, int(sb[0]))
			sb = sb[1:]
		}
		r.full = r.full || w.b.Full()
		if r.full {
			break
		}
	}
	return out.view(w.finish(d.n))
}

// filler builds a column of which only some rows are of interest.
type filler struct{ b *batch.ColBuilder }

func newFiller(t types.Type) filler { return filler{batch.NewColBuilder(t)} }

// at returns the builder, filled with slots up to row i.
func (w filler) at(i int) *batch.ColBuilder {
	for w.b.Len() < i {
		w.b.Fill()
	}
	return w.b
}

func (w filler) finish(n int) batch.Col {
	w.at(n)
	return w.b.Take()
}
