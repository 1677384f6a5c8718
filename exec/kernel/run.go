package kernel

import (
	"slices"

	"github.com/pipec/pipec/exec/batch"
)

// run is the state of one run of a program.
type run struct {
	in     *batch.Batch
	now    int64
	root   domain
	locals int
	names  []string // of drops
	limit  int      // of the Data of a column: batch.MaxData but in tests
	full   bool     // a column became too large: the run is in vain

	redo     []bool // by row of the input: it is taken out, and run by exec/expr
	redoRows []int32
	gone     []bool // by row of the input: dropped after it emitted something
	anyGone  bool
	drops    [][]int32 // rows by name
	emits    []emission

	// catch collects the rows of the domain in hand that fail in the operand that is being tried. Without one (catching
	// is false) a row that fails is done again by exec/expr.
	catch    []int32
	catching bool

	bad   []int32 // scratch of operators
	pool  []int32 // memory of selections
	every []int32 // 0, 1, 2 and so on
	inCol []vec   // the columns of the input
	kept  []*vec  // vecs whose memory went into the last result
}

// emission is what one emit statement emitted in a run. They are kept in the order in which a row passes them.
type emission struct {
	to   *emitStmt
	d    *domain
	s    []int32
	cols []*vec
}

// domain is rows that a body works on: those of the input, or the elements of the lists that a loop runs over.
type domain struct {
	n     int
	outer *domain
	// Of a loop: lists of the rows s of outer, with offsets offs.
	s       []int32
	offs    []uint32
	parents []int32 // made when needed
	inputs  []*vec  // columns of the input for the rows here, made when needed
	locals  []local
	outers  []*vec // locals of outer domains for the rows here, made when needed
}

// local is what a slot holds, and for which rows.
type local struct {
	v *vec
	s []int32
}

// begin makes r ready for a batch.
func (r *run) begin(in *batch.Batch) {
	r.in, r.full, r.catching, r.anyGone = in, false, false, false
	r.redoRows, r.emits, r.bad, r.catch = r.redoRows[:0], r.emits[:0], r.bad[:0], nil
	clear(r.kept)
	r.kept = r.kept[:0]
	r.redo = cleared(r.redo, in.N)
	r.gone = cleared(r.gone, in.N)
	if r.pool = r.pool[:0]; r.pool == nil {
		r.pool = make([]int32, 0, 1<<10) // An empty selection must not be nil.
	}
	for len(r.drops) < len(r.names) {
		r.drops = append(r.drops, nil)
	}
	for i := range r.drops {
		r.drops[i] = r.drops[i][:0]
	}
	r.inCol = room(r.inCol, len(in.Cols))
	for i, c := range in.Cols {
		r.inCol[i] = vec{Col: c}
	}
	r.root.begin(in.N, nil, r)
}

// begin makes d ready for n rows.
func (d *domain) begin(n int, outer *domain, r *run) {
	d.n, d.outer, d.s, d.offs, d.parents = n, outer, nil, nil, d.parents[:0]
	d.inputs = cleared(d.inputs, len(r.in.Cols))
	d.locals = cleared(d.locals, r.locals)
	d.outers = cleared(d.outers, r.locals)
}

func cleared[T any](s []T, n int) []T {
	s = room(s, n)
	clear(s)
	return s
}

// count returns the number of rows of a selection.
func (d *domain) count(s []int32) int {
	if s == nil {
		return d.n
	}
	return len(s)
}

// list returns a selection as a list, which the caller must not change.
func (d *domain) list(r *run, s []int32) []int32 {
	if s != nil {
		return s
	}
	for i := len(r.every); i < d.n; i++ {
		r.every = append(r.every, int32(i))
	}
	return r.every[:d.n:d.n]
}

// sel returns an empty selection with room for n rows. It is good until the end of the run.
func (r *run) sel(n int) []int32 {
	from := len(r.pool)
	if cap(r.pool)-from < n {
		r.pool = make([]int32, 0, max(n, 2*cap(r.pool), 1<<10))
		from = 0
	}
	r.pool = r.pool[:from+n]
	return r.pool[from : from : from+n]
}

// parent returns for each row of a loop's domain the row of the domain around.
func (d *domain) parent() []int32 {
	if len(d.parents) == d.n {
		return d.parents
	}
	d.parents = slices.Grow(d.parents[:0], d.n)
	if d.s == nil {
		for i := range d.outer.n {
			for range d.offs[i+1] - d.offs[i] {
				d.parents = append(d.parents, int32(i))
			}
		}
		return d.parents
	}
	for _, i := range d.s {
		for range d.offs[i+1] - d.offs[i] {
			d.parents = append(d.parents, i)
		}
	}
	return d.parents
}

// input returns a column of the input for the rows of d.
func (d *domain) input(r *run, field int) *vec {
	if d.outer == nil {
		return &r.inCol[field]
	}
	if d.inputs[field] == nil {
		d.inputs[field] = gathered(d.outer.input(r, field), d.parent())
	}
	return d.inputs[field]
}

// local returns what a slot holds for the rows of d.
func (d *domain) local(slot int) *vec {
	if v := d.locals[slot].v; v != nil {
		return v
	}
	if d.outers[slot] == nil {
		d.outers[slot] = gathered(d.outer.local(slot), d.parent())
	}
	return d.outers[slot]
}

// gathered returns the rows sel of a column, in memory of its own but for what strings share.
func gathered(v *vec, sel []int32) *vec {
	return &vec{Col: batch.Gather(v.Col, sel), foreign: true, deps: []*vec{v}}
}

// setLocal puts the rows s of v into a slot, and leaves its other rows as they were.
func (r *run) setLocal(out *vec, d *domain, st *setLocal, v *vec, s []int32) {
	old := d.locals[st.slot]
	if s == nil || old.v == nil {
		d.locals[st.slot] = local{v, s}
		return
	}
	if len(s) == 0 {
		return
	}
	rest := r.without(d, old.s, s)
	if d.count(rest) == 0 {
		d.locals[st.slot] = local{v, s}
		return
	}
	merged := r.merge(out, d, st.typ, v, s, old.v, rest)
	d.locals[st.slot] = local{merged, r.union(d, rest, s)}
}

// failed takes the rows bad, ascending, out of a selection; each of them has failed, or met a fault.
func (r *run) failed(d *domain, s, bad []int32, fault bool) []int32 {
	if len(bad) == 0 {
		return s
	}
	if r.catching && !fault {
		r.catch = append(r.catch, bad...)
	} else {
		for _, i := range bad {
			r.again(d, i)
		}
	}
	return r.without(d, s, bad)
}

// again takes a row of the input, given by a row of d, out of the run; exec/expr will run it.
func (r *run) again(d *domain, i int32) {
	i = d.row(i)
	if !r.redo[i] {
		r.redo[i] = true
		r.redoRows = append(r.redoRows, i)
	}
}

// row returns the row of the input that a row of d belongs to.
func (d *domain) row(i int32) int32 {
	for ; d.outer != nil; d = d.outer {
		i = d.parent()[i]
	}
	return i
}

// without returns the rows of s that are not in bad; both ascend.
func (r *run) without(d *domain, s, bad []int32) []int32 {
	if len(bad) == 0 {
		return s
	}
	out := r.sel(d.count(s))
	if s == nil {
		for i := range int32(d.n) {
			if len(bad) > 0 && bad[0] == i {
				bad = bad[1:]
				continue
			}
			out = append(out, i)
		}
		return out
	}
	for _, i := range s {
		for len(bad) > 0 && bad[0] < i {
			bad = bad[1:]
		}
		if len(bad) > 0 && bad[0] == i {
			continue
		}
		out = append(out, i)
	}
	return out
}

// union returns the rows of two selections that have none in common.
func (r *run) union(d *domain, a, b []int32) []int32 {
	switch {
	case d.count(a) == d.n:
		return nil
	case d.count(b) == d.n:
		return nil
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	case len(a)+len(b) == d.n:
		return nil
	}
	out := r.sel(len(a) + len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// split returns the rows of s for which a condition holds, and the others.
func (r *run) split(d *domain, s []int32, cond []bool) (yes, no []int32) {
	n := d.count(s)
	yes, no = r.sel(n)[:n], r.sel(n)[:n]
	y, k := 0, 0
	if s == nil {
		for i, ok := range cond[:n] {
			yes[y], no[k] = int32(i), int32(i)
			y += bit(ok)
			k += bit(!ok)
		}
	} else {
		for _, i := range s {
			ok := cond[i]
			yes[y], no[k] = i, i
			y += bit(ok)
			k += bit(!ok)
		}
	}
	if s == nil && y == n {
		return nil, no[:0]
	}
	if s == nil && k == n {
		return yes[:0], nil
	}
	return yes[:y], no[:k]
}

// bit returns 1 for true, without a branch.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
