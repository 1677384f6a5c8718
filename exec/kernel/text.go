package kernel

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
)

// textCall compiles a call of a library function that has a kernel for the types in hand, or returns nil.
func (c *compiler) textCall(e *plan.Call) node {
	all := func(ts ...types.Type) bool {
		return slices.EqualFunc(e.Args, ts, func(a plan.Expr, t types.Type) bool { return types.Equal(a.Type(), t) })
	}
	switch {
	case e.Func == "words" && all(types.String):
		if lower, ok := e.Args[0].(*plan.Call); ok && lower.Func == "lower" {
			return &wordsNode{lower: true, operand: c.expr(lower.Args[0])}
		}
		return &wordsNode{operand: c.expr(e.Args[0])}
	case e.Func == "lower" && all(types.String):
		return &caseNode{change: lowerInto, operand: c.expr(e.Args[0])}
	case e.Func == "upper" && all(types.String):
		return &caseNode{change: upperInto, operand: c.expr(e.Args[0])}
	case e.Func == "trim" && all(types.String):
		return &trimNode{operand: c.expr(e.Args[0])}
	case e.Func == "split" && all(types.String, types.String):
		if sep, ok := e.Args[1].(*plan.Const); ok && sep.Value.Str() != "" {
			return &splitNode{sep: []byte(sep.Value.Str()), operand: c.expr(e.Args[0])}
		}
	case e.Func == "len" && len(e.Args) == 1 && !types.IsOptional(e.Args[0].Type()):
		if n := lengths(e.Args[0].Type()); n != nil {
			return &lenNode{operand: c.expr(e.Args[0]), of: n}
		}
	case e.Func == "contains" && all(types.String, types.String):
		return &findNode{holds: bytes.Contains, left: c.expr(e.Args[0]), right: c.expr(e.Args[1])}
	case e.Func == "text.starts_with" && all(types.String, types.String):
		return &findNode{holds: bytes.HasPrefix, left: c.expr(e.Args[0]), right: c.expr(e.Args[1])}
	case e.Func == "text.ends_with" && all(types.String, types.String):
		return &findNode{holds: bytes.HasSuffix, left: c.expr(e.Args[0]), right: c.expr(e.Args[1])}
	case e.Func == "int" && all(types.String):
		return &parseInt{operand: c.expr(e.Args[0])}
	case e.Func == "float" && all(types.String):
		return &parseFloat{operand: c.expr(e.Args[0])}
	case e.Func == "float" && all(types.Int):
		return &floatNode{operand: c.expr(e.Args[0])}
	case e.Func == "string" && len(e.Args) == 1 && !types.IsOptional(e.Args[0].Type()):
		return c.convert(&plan.Convert{X: e.X, Operand: e.Args[0]})
	}
	return nil
}

// wordsNode makes lists of the words of texts, which may be lowered on the way. The words of all rows lie one behind
// the other, in the bytes of the operand or, lowered, in a copy of them; blanks between them are copied along.
type wordsNode struct {
	lower   bool
	operand node
	sub     vec
	out     vec
	most    int // words of a batch so far, and some more
}

func (n *wordsNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.sub.start()
	words, offs := room(out.Str, n.most)[:0], make([]uint32, d.n+1)
	data := v.Data
	if n.lower {
		data = n.copyBytes(r, d, s, v, out)
	}
	if r.full {
		return n.out.view(batch.Col{Offs: offs, Sub: make([]batch.Col, 1)}), s
	}
	next := 0 // row whose list begins with the next word
	from := uint32(0)
	for _, i := range d.list(r, s) {
		for ; next <= int(i); next++ {
			offs[next] = uint32(len(words))
		}
		x := v.Str[i]
		if n.lower {
			lowerInto(data[from:from+x.Len], v.Data[x.Off:x.Off+x.Len])
		} else {
			from = x.Off
		}
		words = appendWords(words, data, int(from), int(from+x.Len))
		from += x.Len
	}
	for ; next <= d.n; next++ {
		offs[next] = uint32(len(words))
	}
	out.Str, n.most = words, max(n.most, len(words)+len(words)/8)
	if n.lower {
		out.Data = data
		return n.out.view(batch.Col{Offs: offs, Sub: []batch.Col{out.Col}}, out), s
	}
	sub := batch.Col{Str: words, Data: data}
	return n.out.view(batch.Col{Offs: offs, Sub: []batch.Col{sub}}, out, v), s
}

// copyBytes returns memory for the bytes of all rows, and a few more, so that 8 can be read at once behind the end.
func (n *wordsNode) copyBytes(r *run, d *domain, s []int32, v, out *vec) []byte {
	total := 0
	for _, i := range d.list(r, s) {
		total += int(v.Str[i].Len)
	}
	if total > r.limit-8 {
		r.full = true
		return nil
	}
	return room(out.Data, total+8)
}

// caseNode changes the case of ASCII letters.
type caseNode struct {
	change  func(dst, src []byte)
	operand node
	out     vec
}

func (n *caseNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := &n.out
	strs := out.start().strs(d.n)
	for _, i := range d.list(r, s) {
		strs[i] = r.text(out, v.Bytes(int(i)))
		b := out.Bytes(int(i))
		n.change(b, b)
	}
	return out, s
}

// trimNode cuts bytes up to 0x20 off both ends. It shares the operand's bytes.
type trimNode struct {
	operand node
	out     vec
}

func (n *trimNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	strs := make([]batch.Str, d.n)
	for _, i := range d.list(r, s) {
		x := v.Str[i]
		for x.Len > 0 && v.Data[x.Off] <= ' ' {
			x.Off++
			x.Len--
		}
		for x.Len > 0 && v.Data[x.Off+x.Len-1] <= ' ' {
			x.Len--
		}
		strs[i] = x
	}
	return n.out.view(batch.Col{Str: strs, Data: v.Data}, v), s
}

// splitNode splits texts at a constant. It shares the operand's bytes.
type splitNode struct {
	sep     []byte
	operand node
	out     vec
}

func (n *splitNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	offs, parts := make([]uint32, d.n+1), make([]batch.Str, 0, 2*d.n)
	next := 0
	for _, i := range d.list(r, s) {
		for ; next <= int(i); next++ {
			offs[next] = uint32(len(parts))
		}
		x := v.Str[i]
		for {
			k := bytes.Index(v.Data[x.Off:x.Off+x.Len], n.sep)
			if k < 0 {
				break
			}
			parts = append(parts, batch.Str{Off: x.Off, Len: uint32(k)})
			skip := uint32(k + len(n.sep))
			x.Off, x.Len = x.Off+skip, x.Len-skip
		}
		parts = append(parts, x)
	}
	for ; next <= d.n; next++ {
		offs[next] = uint32(len(parts))
	}
	sub := batch.Col{Str: parts, Data: v.Data}
	return n.out.view(batch.Col{Offs: offs, Sub: []batch.Col{sub}}, v), s
}

// lengths returns how the length of a value of a type is found, or nil.
func lengths(t types.Type) func(c *batch.Col, i int32) int64 {
	switch batch.KindOf(t) {
	case batch.KindStr:
		switch t {
		case types.String:
			return func(c *batch.Col, i int32) int64 { return int64(utf8.RuneCount(c.Bytes(int(i)))) }
		case types.Bytes:
			return func(c *batch.Col, i int32) int64 { return int64(c.Str[i].Len) }
		}
	case batch.KindList, batch.KindMap:
		return func(c *batch.Col, i int32) int64 { return int64(c.Offs[i+1] - c.Offs[i]) }
	}
	return nil
}

type lenNode struct {
	operand node
	of      func(c *batch.Col, i int32) int64
	out     vec
}

func (n *lenNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().ints(d.n)
	for _, i := range d.list(r, s) {
		out[i] = n.of(&v.Col, i)
	}
	return &n.out, s
}

// findNode looks for one text in another.
type findNode struct {
	holds       func(text, part []byte) bool
	left, right node
	out         vec
}

func (n *findNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.left.eval(r, d, s)
	w, s := n.right.eval(r, d, s)
	out := n.out.start().bools(d.n)
	for _, i := range d.list(r, s) {
		out[i] = n.holds(v.Bytes(int(i)), w.Bytes(int(i)))
	}
	return &n.out, s
}

// parseInt reads ints.
type parseInt struct {
	operand node
	out     vec
}

func (n *parseInt) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().ints(d.n)
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		x, err := strconv.ParseInt(string(v.Bytes(int(i))), 10, 64)
		if err != nil {
			bad = append(bad, i)
		}
		out[i] = x
	}
	r.bad = bad
	return &n.out, r.failed(d, s, bad, false)
}

// parseFloat reads decimal floats.
type parseFloat struct {
	operand node
	out     vec
}

func (n *parseFloat) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().floats(d.n)
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		text := v.Bytes(int(i))
		x, err := strconv.ParseFloat(string(text), 64)
		if err != nil || len(bytes.Trim(text, "+-.eE0123456789")) > 0 {
			bad = append(bad, i)
		}
		out[i] = x
	}
	r.bad = bad
	return &n.out, r.failed(d, s, bad, false)
}
