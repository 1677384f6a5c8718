package kernel

import (
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
)

// stmt runs a statement for the rows s of d and returns the rows that go on behind it.
type stmt interface {
	exec(r *run, d *domain, s []int32) []int32
}

// exec runs statements one after the other.
func (r *run) exec(list []stmt, d *domain, s []int32) []int32 {
	for _, st := range list {
		if d.count(s) == 0 || r.full {
			return s
		}
		s = st.exec(r, d, s)
	}
	return s
}

// none is the selection of no rows.
func (r *run) none() []int32 { return r.sel(0) }

type setLocal struct {
	slot  int
	typ   types.Type
	value node
	out   vec
}

func (st *setLocal) exec(r *run, d *domain, s []int32) []int32 {
	v, s := st.value.eval(r, d, s)
	r.setLocal(&st.out, d, st, v, s)
	return s
}

type ifStmt struct {
	cond        node
	then, other []stmt
}

func (st *ifStmt) exec(r *run, d *domain, s []int32) []int32 {
	v, s := st.cond.eval(r, d, s)
	yes, no := r.split(d, s, v.Bool)
	yes = r.exec(st.then, d, yes)
	no = r.exec(st.other, d, no)
	if d.count(yes)+d.count(no) == d.count(s) {
		return s
	}
	return r.union(d, yes, no)
}

type emitStmt struct {
	output     int
	unanchored bool
	layout     batch.Layout
	fields     []node
	big        []int // fields whose size must be looked at
	cols       []*vec
}

func (st *emitStmt) exec(r *run, d *domain, s []int32) []int32 {
	st.cols = st.cols[:0]
	for _, f := range st.fields {
		var v *vec
		v, s = f.eval(r, d, s)
		st.cols = append(st.cols, v)
	}
	for _, i := range st.big {
		s = r.checkSize(d, s, st.cols[i], st.layout.Fields[i].Type)
	}
	if d.count(s) > 0 {
		r.emits = append(r.emits, emission{st, d, s, st.cols})
	}
	return s
}

type dropStmt struct{ name int }

func (st *dropStmt) exec(r *run, d *domain, s []int32) []int32 {
	s = d.list(r, s)
	if d.outer != nil {
		// Which of a row's elements decides, exec/expr finds out.
		for _, i := range s {
			r.again(d, i)
		}
		return r.none()
	}
	r.drops[st.name] = append(r.drops[st.name], s...)
	if len(r.emits) > 0 {
		r.anyGone = true
		for _, i := range s {
			r.gone[i] = true
		}
	}
	return r.none()
}

// againStmt leaves rows to exec/expr.
type againStmt struct{}

func (againStmt) exec(r *run, d *domain, s []int32) []int32 {
	for _, i := range d.list(r, s) {
		r.again(d, i)
	}
	return r.none()
}

// leaveStmt is return outside of loops, and continue.
type leaveStmt struct{}

func (leaveStmt) exec(r *run, _ *domain, _ []int32) []int32 { return r.none() }

type forStmt struct {
	slot, slot2 int
	isMap       bool
	in          node
	body        []stmt
	dom         domain
	first       vec // list: the elements; map: the keys
	second      vec // map: the values
	index       vec
}

func (st *forStmt) exec(r *run, d *domain, s []int32) []int32 {
	v, s := st.in.eval(r, d, s)
	if d.count(s) == 0 {
		return s
	}
	total, elems := st.enter(r, d, s, v)
	inner := &st.dom
	one, two := &st.first, (*vec)(nil)
	switch {
	case st.isMap && st.slot2 >= 0:
		st.part(r, &st.second, v, 1, elems, total)
		two = &st.second
		st.part(r, one, v, 0, elems, total)
	case st.slot2 >= 0:
		one, two = st.indexes(d, s), &st.first
		st.part(r, two, v, 0, elems, total)
	default:
		st.part(r, one, v, 0, elems, total)
	}
	inner.locals[st.slot] = local{v: one}
	if two != nil {
		inner.locals[st.slot2] = local{v: two}
	}
	r.exec(st.body, inner, nil)
	return s
}

// enter makes the domain of the loop. It returns how many elements there are and, unless they lie one behind the other
// from the first row's first on, which they are.
func (st *forStmt) enter(r *run, d *domain, s []int32, v *vec) (int, []int32) {
	offs := v.Offs[:d.n+1]
	total := int(offs[d.n] - offs[0])
	if s != nil {
		total = 0
		for _, i := range s {
			total += int(offs[i+1] - offs[i])
		}
	}
	st.dom.begin(total, d, r)
	st.dom.s, st.dom.offs = s, offs
	if total == int(offs[d.n]-offs[0]) {
		return total, nil // The rows that are not selected have no elements.
	}
	elems := r.sel(total)
	for _, i := range s {
		for e := offs[i]; e < offs[i+1]; e++ {
			elems = append(elems, int32(e))
		}
	}
	return total, elems
}

// part makes out the elements in part k of a list or map.
func (st *forStmt) part(r *run, out, v *vec, k int, elems []int32, total int) {
	sub := v.Sub[k]
	if elems != nil {
		out.view(batch.Gather(sub, elems), v)
		return
	}
	lo := int(v.Offs[0])
	out.view(batch.Slice(sub, lo, lo+total), v)
}

// indexes returns the number of each element in its list.
func (st *forStmt) indexes(d *domain, s []int32) *vec {
	out := st.index.start().ints(st.dom.n)
	k := 0
	one := func(i int32) {
		for e := range st.dom.offs[i+1] - st.dom.offs[i] {
			out[k] = int64(e)
			k++
		}
	}
	if s == nil {
		for i := range int32(d.n) {
			one(i)
		}
	}
	for _, i := range s {
		one(i)
	}
	return &st.index
}
