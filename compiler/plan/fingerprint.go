package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// A fingerprint is a hash of a canonical encoding of meaning: every part is written with a tag and, where its length
// varies, the length, so that different meanings have different encodings. Places are not written, nor are the names of
// nodes and their outputs, types, functions, locals, keys and state variables, which only messages show; names of fields
// and connectors are, because they reach the outside. A call of a function of the program is written as that function's
// own fingerprint.
//
// Fingerprints are stored with the state of a pipeline, so the encoding is a format: a tag is never used again for
// something else, and a change of the encoding makes every node look changed.

// Fingerprint returns a hash of what the plan does: its settings, its nodes with their parallelism and levels, and how
// they are connected. The order of declarations, names, places and the pipeline's id do not count, nor does what the
// engine derives from the rest (tasks, fused edges, origins).
func Fingerprint(p *Plan) uint64 {
	fns := funcFingerprints(p)
	up := make([]uint64, len(p.Nodes)) // of each node with all that is upstream of it
	for _, n := range p.Nodes {        // topological: what is upstream is done
		e := &encoder{fns: fns}
		e.node(n)
		e.ints(int64(n.Parallelism), int64(n.Level))
		var ins []uint64
		for _, edge := range p.Edges {
			if edge.To == n.ID {
				ins = append(ins, edgeFingerprint(edge, up[edge.From], fns))
			}
		}
		e.set(ins)
		up[n.ID] = e.sum()
	}
	e := &encoder{fns: fns}
	s := p.Settings
	e.ints(int64(p.Level), int64(p.Profile), s.Timeout, int64(s.Pending), s.PendingBytes, int64(s.Uncommitted), int64(s.Retries), s.Epoch)
	e.str(s.Store)
	if s.DeadLetters >= 0 {
		e.ints(int64(up[s.DeadLetters]))
	}
	e.set(up)
	return e.sum()
}

// NodeFingerprint returns a hash of what one node of the plan does, wherever it stands and however parallel it is.
func NodeFingerprint(p *Plan, n *Node) uint64 {
	e := &encoder{fns: funcFingerprints(p)}
	e.node(n)
	return e.sum()
}

// SetFingerprints fills in Node.Fingerprint of all nodes.
func SetFingerprints(p *Plan) {
	fns := funcFingerprints(p)
	for _, n := range p.Nodes {
		e := &encoder{fns: fns}
		e.node(n)
		n.Fingerprint = e.sum()
	}
}

func edgeFingerprint(edge *Edge, from uint64, fns []uint64) uint64 {
	e := &encoder{fns: fns}
	e.ints(int64(from), int64(edge.Out), int64(edge.Grouping))
	e.exprs(edge.Keys)
	e.ints(int64(len(edge.Columns)))
	for _, c := range edge.Columns {
		e.ints(int64(c))
	}
	e.bool(edge.Optional)
	return e.sum()
}

// funcFingerprints returns the fingerprints of the plan's functions. Functions do not call themselves, but one may
// stand before what it calls.
func funcFingerprints(p *Plan) []uint64 {
	fns := make([]uint64, len(p.Funcs))
	done := make([]bool, len(p.Funcs))
	var visit func(i int)
	visit = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		f := &p.Funcs[i]
		called := Visitor{Expr: func(e Expr) bool {
			if c, ok := e.(*CallFn); ok {
				visit(c.Index)
			}
			return true
		}}
		called.Walk(f.Value)
		called.WalkStmts(f.Body)
		e := &encoder{fns: fns}
		e.ints(int64(len(f.Params)))
		for _, t := range f.Params {
			e.typ(t)
		}
		e.typ(f.Result)
		e.bool(f.Fallible)
		e.expr(f.Value)
		e.stmts(f.Body)
		fns[i] = e.sum()
	}
	for i := range p.Funcs {
		visit(i)
	}
	return fns
}

// encoder collects an encoding. fns are the fingerprints of the plan's functions.
type encoder struct {
	buf []byte
	fns []uint64
}

func (e *encoder) sum() uint64 {
	h := sha256.Sum256(e.buf)
	return binary.BigEndian.Uint64(h[:])
}

func (e *encoder) tag(t byte) { e.buf = append(e.buf, t) }

func (e *encoder) ints(list ...int64) {
	for _, n := range list {
		e.buf = binary.BigEndian.AppendUint64(e.buf, uint64(n))
	}
}

func (e *encoder) bool(b bool) {
	if b {
		e.tag(1)
	} else {
		e.tag(0)
	}
}

func (e *encoder) str(s string) {
	e.ints(int64(len(s)))
	e.buf = append(e.buf, s...)
}

// set writes hashes in an order that does not depend on where they come from.
func (e *encoder) set(hashes []uint64) {
	hashes = slices.Clone(hashes)
	slices.SortFunc(hashes, cmp.Compare[uint64])
	e.ints(int64(len(hashes)))
	for _, h := range hashes {
		e.ints(int64(h))
	}
}

func (e *encoder) node(n *Node) {
	e.ints(int64(n.Kind))
	e.bool(n.Global)
	e.ints(int64(n.Errors))
	e.record(n.In)
	e.ints(int64(len(n.Outs)))
	for _, o := range n.Outs {
		if o.Name == "errors" || o.Name == "late" { // the engine writes these itself
			e.str(o.Name)
		}
		e.record(o.Layout)
	}
	e.ints(int64(len(n.Keys)))
	for _, k := range n.Keys {
		e.expr(k.Expr)
	}
	e.bool(n.Connector != nil)
	if n.Connector != nil {
		e.connector(n.Connector)
	}
	e.bool(n.Agg != nil)
	if n.Agg != nil {
		e.aggregate(n.Agg)
	}
	e.bool(n.Top != nil)
	if n.Top != nil {
		e.ints(int64(n.Top.N))
		e.expr(n.Top.By)
	}
	e.bool(n.Body != nil)
	if n.Body != nil {
		e.body(n.Body)
	}
}

func (e *encoder) record(r *types.Record) {
	e.bool(r != nil)
	if r != nil {
		e.typ(r)
	}
}

func (e *encoder) connector(c *Connector) {
	e.str(c.Name)
	e.str(c.Identity)
	e.args(c.Args, c.Each)
	e.bool(c.Codec != nil)
	if c.Codec != nil {
		e.str(c.Codec.Name)
		e.args(c.Codec.Args, c.Codec.Each)
	}
}

func (e *encoder) args(list []Arg, each []EachArg) {
	e.ints(int64(len(list)), int64(len(each)))
	for _, a := range list {
		e.str(a.Name)
		e.value(a.Value)
	}
	for _, a := range each {
		e.str(a.Name)
		e.expr(a.Expr)
	}
}

func (e *encoder) aggregate(a *Aggregate) {
	e.str(a.Window.Kind)
	e.ints(a.Window.Size, a.Window.Every)
	e.bool(a.Partials)
	e.ints(int64(len(a.Calls)))
	for _, c := range a.Calls {
		e.str(c.Func)
		e.typ(c.Type)
		if !a.Partials {
			e.exprs(c.Args)
		}
	}
}

func (e *encoder) body(b *Body) {
	e.ints(int64(len(b.Locals)))
	for _, t := range b.Locals {
		e.typ(t)
	}
	e.ints(int64(len(b.State)))
	for _, s := range b.State {
		e.typ(s.Type)
		e.expr(s.Init)
		e.ints(s.Keep)
	}
	e.ints(int64(b.Errors))
	e.stmts(b.Stmts)
}

// value writes a value; unlike a key encoding it tells -0.0 from 0.0, and maps apart by the order of their entries.
func (e *encoder) value(v value.Value) {
	e.tag(byte(v.Kind()))
	switch v.Kind() {
	case value.None:
	case value.Bool:
		e.bool(v.Bool())
	case value.Int, value.Time, value.Duration:
		e.ints(v.Int())
	case value.Float:
		e.ints(int64(math.Float64bits(v.Float())))
	case value.String, value.Bytes:
		e.str(v.Str())
	case value.List, value.Map, value.Record:
		e.ints(int64(len(v.Elems())), int64(len(v.Keys())))
		for _, k := range v.Keys() {
			e.value(k)
		}
		for _, x := range v.Elems() {
			e.value(x)
		}
	default:
		bug.Panicf("plan: fingerprint of unhandled value kind %d", v.Kind())
	}
}

func (e *encoder) typ(t types.Type) {
	switch t := t.(type) {
	case nil:
		e.tag(0)
	case types.Basic:
		e.tag(1)
		e.tag(byte(t))
	case *types.List:
		e.tag(2)
		e.typ(t.Elem)
	case *types.Map:
		e.tag(3)
		e.typ(t.Key)
		e.typ(t.Elem)
	case *types.Optional:
		e.tag(4)
		e.typ(t.Elem)
	case *types.Record:
		e.tag(5)
		e.ints(int64(len(t.Fields)))
		for _, f := range t.Fields {
			e.str(f.Name)
			e.typ(f.Type)
		}
	case *types.Enum:
		e.tag(6)
		e.ints(int64(len(t.Members)))
		for _, m := range slices.Sorted(slices.Values(t.Members)) { // a set: the order does not count
			e.str(m)
		}
	case *types.Var:
		e.tag(7)
		e.str(t.Name)
	default:
		bug.Panicf("plan: fingerprint of unhandled type %T", t)
	}
}
