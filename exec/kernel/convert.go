package kernel

import (
	"slices"
	"strconv"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// convert compiles a conversion. Most change nothing in a column.
func (c *compiler) convert(e *plan.Convert) node {
	from, to := e.Operand.Type(), e.T
	bareFrom, bareTo := types.Bare(from), types.Bare(to)
	switch {
	case types.Equal(from, to):
		return c.expr(e.Operand)
	case from == types.None || from == types.Never:
		return &noneNode{operand: c.expr(e.Operand), none: constNode{typ: to}, fill: !types.IsOptional(to)}
	case to == types.String && types.IsOptional(from) && !types.IsString(bareFrom):
		return &textNode{typ: from, operand: c.expr(e.Operand), big: grows(from)}
	case sameColumn(bareFrom, bareTo):
		if types.IsOptional(to) {
			return c.expr(e.Operand)
		}
		return &bareNode{operand: c.expr(e.Operand)}
	case bareTo == types.Float && bareFrom == types.Int:
		return &floatNode{operand: c.expr(e.Operand)}
	case types.IsOptional(from) || types.IsOptional(to):
		return c.bridgeConvert(e)
	case to == types.String:
		return &textNode{typ: from, operand: c.expr(e.Operand), big: grows(from)}
	}
	switch to := to.(type) {
	case *types.Enum:
		return &memberOfNode{members: to.Members, operand: c.expr(e.Operand)}
	case *types.Record:
		return c.narrow(e, to)
	}
	return c.bridgeConvert(e)
}

// bridgeConvert leaves a conversion to exec/expr.
func (c *compiler) bridgeConvert(e *plan.Convert) node {
	read := &plan.Input{X: plan.X{T: e.Operand.Type(), At: e.Operand.Origin()}}
	return c.rowExpr(&plan.Convert{X: e.X, Operand: read}, []plan.Expr{e.Operand})
}

// sameColumn reports whether columns of two types, without optionality, hold a value alike.
func sameColumn(from, to types.Type) bool {
	if types.Equal(from, to) || from == types.Never {
		return true
	}
	switch to := to.(type) {
	case types.Basic:
		return to == types.String && (types.IsString(from) || from == types.Bytes || from == types.Secret) ||
			to == types.Secret && types.IsString(from)
	case *types.Enum:
		enum, ok := from.(*types.Enum)
		return ok && !slices.ContainsFunc(enum.Members, func(m string) bool { return !slices.Contains(to.Members, m) })
	case *types.List:
		list, ok := from.(*types.List)
		return ok && sameColumn(list.Elem, to.Elem)
	case *types.Map:
		m, ok := from.(*types.Map)
		return ok && sameColumn(m.Key, to.Key) && sameColumn(m.Elem, to.Elem)
	}
	return false
}

// narrow compiles a wider record to a narrower one: the operand goes into a slot of its own, and its fields are read
// from there.
func (c *compiler) narrow(e *plan.Convert, to *types.Record) node {
	from := e.Operand.Type().(*types.Record)
	slot := c.locals
	c.locals++
	n := &letNode{args: []node{c.expr(e.Operand)}, sets: []setLocal{{slot: slot, typ: from}}}
	c.set(slot)
	rec := &recordNode{}
	for _, f := range to.Fields {
		at := from.Index(f.Name)
		t := from.Fields[at].Type
		read := &plan.Member{
			X: plan.X{T: t, At: e.At}, Operand: &plan.Local{X: plan.X{T: from, At: e.At}, Slot: slot}, Field: at, Name: f.Name,
		}
		rec.fields = append(rec.fields, c.expr(&plan.Convert{X: plan.X{T: f.Type, At: e.At}, Operand: read}))
	}
	n.body = rec
	return n
}

// noneNode is none of a wider type.
type noneNode struct {
	operand node
	none    constNode
	fill    bool // there is no value of the type at all: the operand never has one
	out     vec
}

func (n *noneNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	_, s = n.operand.eval(r, d, s)
	if n.fill {
		return n.out.view(newFiller(n.none.typ).finish(d.n)), s
	}
	return n.none.eval(r, d, s)
}

// bareNode is an optional that is known to hold a value.
type bareNode struct {
	operand node
	out     vec
}

func (n *bareNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	return bare(&n.out, v), s
}

// floatNode makes floats of ints, optional ones too.
type floatNode struct {
	operand node
	out     vec
}

func (n *floatNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().floats(d.n)
	for _, i := range d.list(r, s) {
		out[i] = float64(v.Int[i])
	}
	if v.Valid != nil {
		copy(n.out.valids(d.n), v.Valid)
	}
	return &n.out, s
}

// memberOfNode checks that strings are members of an enum.
type memberOfNode struct {
	members []string
	operand node
}

func (n *memberOfNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		b := v.Bytes(int(i))
		if !slices.ContainsFunc(n.members, func(m string) bool { return m == string(b) }) {
			bad = append(bad, i)
		}
	}
	r.bad = bad
	return v, r.failed(d, s, bad, false)
}

// textNode writes values as a hole of a string shows them.
type textNode struct {
	typ     types.Type
	operand node
	big     bool // the value itself can be too large
	buf     []byte
	out     vec
}

func (n *textNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := &n.out
	strs := out.start().strs(d.n)
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		n.buf = n.appendText(n.buf[:0], &v.Col, int(i))
		if len(n.buf) > value.MaxSize || n.big && value.TooLarge(batch.ValueAt(&v.Col, n.typ, int(i))) {
			bad = append(bad, i)
			continue
		}
		strs[i] = r.text(out, n.buf)
	}
	r.bad = bad
	return out, r.failed(d, s, bad, true)
}

func (n *textNode) appendText(dst []byte, c *batch.Col, i int) []byte {
	switch n.typ {
	case types.Bool:
		return strconv.AppendBool(dst, c.Bool[i])
	case types.Int:
		return strconv.AppendInt(dst, c.Int[i], 10)
	case types.Float:
		return value.AppendFloat(dst, c.Float[i])
	case types.Time:
		return value.AppendTime(dst, c.Int[i])
	case types.Duration:
		return value.AppendDuration(dst, c.Int[i])
	}
	return value.AppendText(dst, batch.ValueAt(c, n.typ, i), n.typ)
}

// interpNode joins strings.
type interpNode struct {
	parts []node
	cols  []*vec
	out   vec
}

func (n *interpNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	n.cols = n.cols[:0]
	most := 0 // no string is longer
	for _, p := range n.parts {
		var v *vec
		v, s = p.eval(r, d, s)
		n.cols = append(n.cols, v)
		if most += len(v.Data); most > value.MaxSize {
			s = n.tooLarge(r, d, s)
		}
	}
	out := &n.out
	strs := out.start().strs(d.n)
	for _, i := range d.list(r, s) {
		from := len(out.Data)
		for _, v := range n.cols {
			x := v.Str[i]
			out.Data = append(out.Data, v.Data[x.Off:x.Off+x.Len]...)
		}
		if len(out.Data) > r.limit {
			r.full = true
			out.Data, strs[i] = out.Data[:from], batch.Str{}
			continue
		}
		strs[i] = batch.Str{Off: uint32(from), Len: uint32(len(out.Data) - from)}
	}
	return out, s
}

// tooLarge takes the rows out whose parts up to here are larger than a value may be.
func (n *interpNode) tooLarge(r *run, d *domain, s []int32) []int32 {
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		size := 0
		for _, v := range n.cols {
			size += int(v.Str[i].Len)
		}
		if size > value.MaxSize {
			bad = append(bad, i)
		}
	}
	r.bad = bad
	return r.failed(d, s, bad, true)
}

// checkSize takes the rows out that are larger than a value may be.
func (r *run) checkSize(d *domain, s []int32, v *vec, t types.Type) []int32 {
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		if sizeLeft(&v.Col, t, int(i), value.MaxSize) < 0 {
			bad = append(bad, i)
		}
	}
	r.bad = bad
	return r.failed(d, s, bad, true)
}

// sizeLeft returns what is left of a number of bytes after row i, as value.SizeLeft counts them.
func sizeLeft(c *batch.Col, t types.Type, i, left int) int {
	if !c.Has(i) {
		return left
	}
	switch t := types.Bare(t).(type) {
	case *types.List:
		return partsLeft(c, 0, t.Elem, i, left-value.ElemSize*int(c.Offs[i+1]-c.Offs[i]))
	case *types.Map:
		const entrySize = value.MaxSize / value.MaxEntries
		left = partsLeft(c, 0, t.Key, i, left-entrySize*int(c.Offs[i+1]-c.Offs[i]))
		return partsLeft(c, 1, t.Elem, i, left)
	case *types.Record:
		left -= value.ElemSize * len(t.Fields)
		for k, f := range t.Fields {
			left = sizeLeft(&c.Sub[k], f.Type, i, left)
		}
		return left
	default:
		if batch.KindOf(t) == batch.KindStr {
			return left - int(c.Str[i].Len)
		}
		return left
	}
}

func partsLeft(c *batch.Col, k int, t types.Type, i, left int) int {
	for e := c.Offs[i]; e < c.Offs[i+1] && left >= 0; e++ {
		left = sizeLeft(&c.Sub[k], t, int(e), left)
	}
	return left
}
