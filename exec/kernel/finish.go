package kernel

import (
	"slices"

	"github.com/pipec/pipec/exec/batch"
)

// piece is rows of one output, in order: what one emit statement emitted, or what exec/expr made.
type piece struct {
	cols    []batch.Col
	n       int
	parents []int32 // of the input; nil if rows and input are the same
	order   []int32 // by what rows of different pieces are put in order: rows of the domain they were emitted in
	shared  []*vec  // whose memory the columns share, or nil
}

// finish makes the result of a run. It returns false, and changes nothing that matters, if a column of it would become
// too large.
func (p *Program) finish(in *batch.Batch, base int, needParents bool) bool {
	r := &p.run
	var rows Result
	if len(r.redoRows) > 0 {
		slices.Sort(r.redoRows)
		for _, i := range r.redoRows {
			p.rows.one(in, int(i), 0, true, &rows)
		}
		for o := range p.outs {
			p.rows.cut(o, &rows)
		}
	}
	var outs []Out
	for o := range p.outs {
		out, ok := p.output(o, rows.Outs, needParents)
		if !ok {
			return false
		}
		if out.Batch != nil {
			outs = append(outs, out)
		}
	}
	for _, out := range outs {
		if needParents && base > 0 {
			out.Parent = shifted(out, base)
		}
		p.res.Outs = append(p.res.Outs, out)
	}
	p.endings(&rows, base)
	return true
}

// shifted returns the parents of an output whose input begins at row base of a whole.
func shifted(o Out, base int) []int32 {
	out := make([]int32, o.Batch.N)
	for i := range out {
		out[i] = int32(i + base)
		if o.Parent != nil {
			out[i] = o.Parent[i] + int32(base)
		}
	}
	return out
}

// endings adds the rows that were dropped or failed to the result.
func (p *Program) endings(rows *Result, base int) {
	r := &p.run
	for k, name := range r.names {
		var left []int32
		for _, i := range r.drops[k] {
			if !r.redo[i] {
				left = append(left, i+int32(base))
			}
		}
		p.res.drop(name, left...)
	}
	for _, d := range rows.Dropped {
		for i := range d.Rows {
			d.Rows[i] += int32(base)
		}
		p.res.drop(d.Name, d.Rows...)
	}
	for i := range p.res.Dropped {
		slices.Sort(p.res.Dropped[i].Rows)
	}
	slices.SortStableFunc(p.res.Dropped, func(a, b Dropped) int { return int(a.Rows[0] - b.Rows[0]) })
	for _, f := range rows.Failed {
		p.res.Failed = append(p.res.Failed, RowError{Row: f.Row + base, Err: f.Err})
	}
}

// output puts together the rows of one output.
func (p *Program) output(o int, redone []Out, needParents bool) (Out, bool) {
	out := Out{Output: o}
	var pieces []piece
	wantParents := needParents
	for _, x := range redone {
		wantParents = wantParents || x.Output == o
	}
	for i := range p.run.emits {
		if e := &p.run.emits[i]; e.to.output == o {
			out.Unanchored = e.to.unanchored
			if x := p.run.piece(e, wantParents); x.n > 0 {
				pieces = append(pieces, x)
			}
		}
	}
	all, ok := merged(pieces, p.run.limit, func(x piece) []int32 { return x.order })
	if !ok {
		return out, false
	}
	pieces = []piece{all}
	for _, x := range redone {
		if x.Output == o {
			// A body emits to an output either anchored or not: other bodies are no kernels.
			out.Unanchored = x.Unanchored
			pieces = append(pieces, piece{cols: x.Batch.Cols, n: x.Batch.N, parents: x.Parent})
		}
	}
	if all, ok = merged(pieces, p.run.limit, func(x piece) []int32 { return x.parents }); !ok {
		return out, false
	}
	if all.n == 0 {
		return Out{}, true
	}
	for _, v := range all.shared {
		p.run.keep(v)
	}
	out.Batch = &batch.Batch{N: all.n, Layout: p.outs[o].Layout, Cols: all.cols}
	if needParents {
		out.Parent = all.parents
	}
	return out, true
}

// piece makes the rows of an emit. Rows that were taken out of the run, and those that were dropped later, are left
// out.
func (r *run) piece(e *emission, needParents bool) piece {
	s := e.s
	if len(r.redoRows) > 0 || r.anyGone {
		left := r.sel(e.d.count(s))
		for _, i := range e.d.list(r, s) {
			if at := e.d.row(i); !r.redo[at] && !r.gone[at] {
				left = append(left, i)
			}
		}
		if len(left) < e.d.n {
			s = left
		}
	}
	x := piece{n: e.d.count(s), order: s, cols: make([]batch.Col, len(e.cols))}
	for k, v := range e.cols {
		if s == nil {
			x.cols[k] = batch.Slice(v.Col, 0, e.d.n)
		} else {
			x.cols[k] = batch.Gather(v.Col, s)
		}
		if s == nil || v.Str != nil || v.Sub != nil {
			x.shared = append(x.shared, v)
		}
	}
	if needParents && !(s == nil && e.d.outer == nil) {
		x.parents = make([]int32, 0, x.n)
		for _, i := range e.d.list(r, s) {
			x.parents = append(x.parents, e.d.row(i))
		}
	}
	return x
}

// merged puts pieces of one output together in the order of by, which ascends in each piece; where it is equal, an
// earlier piece comes first. A nil order counts from 0. It returns false if a column's Data could exceed limit.
func merged(pieces []piece, limit int, by func(piece) []int32) (piece, bool) {
	pieces = slices.DeleteFunc(pieces, func(x piece) bool { return x.n == 0 })
	switch len(pieces) {
	case 0:
		return piece{}, true
	case 1:
		return pieces[0], true
	}
	var out piece
	ns, starts := make([]int, len(pieces)), make([]int, len(pieces))
	orders := make([][]int32, len(pieces))
	for k, x := range pieces {
		ns[k], starts[k] = x.n, out.n
		out.n += x.n
		out.shared = append(out.shared, x.shared...)
		if orders[k] = by(x); orders[k] == nil {
			orders[k] = make([]int32, x.n)
			for i := range orders[k] {
				orders[k][i] = int32(i)
			}
		}
	}
	sel := make([]int32, 0, out.n)
	at := make([]int, len(pieces))
	for len(sel) < out.n {
		best := -1
		for k, o := range orders {
			if at[k] < ns[k] && (best < 0 || o[at[k]] < orders[best][at[best]]) {
				best = k
			}
		}
		sel = append(sel, int32(starts[best]+at[best]))
		if p := pieces[best].parents; p != nil {
			out.parents = append(out.parents, p[at[best]])
		} else {
			out.parents = append(out.parents, orders[best][at[best]])
		}
		at[best]++
	}
	for c := range pieces[0].cols {
		cols := make([]batch.Col, len(pieces))
		for k, x := range pieces {
			cols[k] = x.cols[c]
		}
		if dataOf(cols) > limit {
			return piece{}, false
		}
		out.cols = append(out.cols, batch.Gather(batch.ConcatCols(cols, ns), sel))
	}
	return out, true
}

// dataOf returns the bytes that the largest Data of a concatenation can have.
func dataOf(cols []batch.Col) int {
	n := 0
	for _, c := range cols {
		n += len(c.Data)
	}
	for k := range cols[0].Sub {
		var subs []batch.Col
		for _, c := range cols {
			if k < len(c.Sub) {
				subs = append(subs, c.Sub[k])
			}
		}
		n = max(n, dataOf(subs))
	}
	return n
}
