package kernel_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// gen draws well-typed programs. Every expression has a place of its own, so that errors can be told apart.
type gen struct {
	t      *rapid.T
	in     *types.Record
	outs   []plan.Out
	funcs  []plan.Func
	locals []types.Type
	scope  []int // slots that can be read
	loops  int   // how deep in loops
	exits  bool  // ways out of the flow are allowed
	row    bool  // inside of a function: there is no input
	file   *source.File
	places int
}

func newGen(t *rapid.T) *gen {
	return &gen{t: t, file: source.NewFile("t.pipe", string(make([]byte, 1<<16)))}
}

func (g *gen) n(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.t, "n") }

func (g *gen) span() source.Span {
	g.places++
	return source.Span{File: g.file, Start: g.places, End: g.places + 1}
}

func (g *gen) x(t types.Type) plan.X { return plan.X{T: t, At: g.span()} }

// typ draws a type that programs of these tests compute with: mostly one that the input has fields of.
func (g *gen) typ() types.Type {
	if !g.row && g.n(0, 1) == 0 {
		return rapid.SampledFrom(g.in.Fields).Draw(g.t, "field").Type
	}
	switch g.n(0, 9) {
	case 0:
		return &types.Optional{Elem: batchtest.Scalar(g.t)}
	case 1:
		return &types.List{Elem: batchtest.Scalar(g.t)}
	case 2:
		return &types.Record{Fields: []types.Field{
			{Name: "a", Type: batchtest.Scalar(g.t)}, {Name: "b", Type: &types.Optional{Elem: types.Int}},
			{Name: "c", Type: types.String},
		}}
	case 3:
		return &types.Map{Key: types.String, Elem: types.Int}
	case 4, 5:
		return types.Int
	case 6:
		return types.String
	default:
		return batchtest.Scalar(g.t)
	}
}

func (g *gen) slot(t types.Type) int {
	g.locals = append(g.locals, t)
	return len(g.locals) - 1
}

func (g *gen) constant(t types.Type) plan.Expr {
	return &plan.Const{X: g.x(t), Value: batchtest.Value(g.t, t)}
}

// leaf draws a constant, or a read of something of the type.
func (g *gen) leaf(t types.Type) plan.Expr {
	var found []plan.Expr
	if !g.row {
		for i, f := range g.in.Fields {
			if types.Equal(f.Type, t) {
				found = append(found, &plan.Input{X: g.x(t), Field: i, Name: f.Name})
			}
		}
	}
	for _, s := range g.scope {
		if types.Equal(g.locals[s], t) {
			found = append(found, &plan.Local{X: g.x(t), Slot: s, Name: fmt.Sprint("l", s)})
		}
	}
	if len(found) == 0 || g.n(0, 5) == 0 {
		return g.constant(t)
	}
	return rapid.SampledFrom(found).Draw(g.t, "leaf")
}

// expr draws an expression of a type. It may fail or fault.
func (g *gen) expr(t types.Type, depth int) plan.Expr {
	if depth <= 0 {
		return g.leaf(t)
	}
	depth--
	switch g.n(0, 11) {
	case 0, 1:
		return g.leaf(t)
	case 2:
		return &plan.If{X: g.x(t), Cond: g.expr(types.Bool, depth), Then: g.expr(t, depth), Else: g.expr(t, depth)}
	case 3:
		if !types.IsOptional(t) {
			return &plan.Coalesce{X: g.x(t), Operand: g.expr(types.Opt(t), depth), Else: g.expr(t, depth)}
		}
	case 4:
		return g.try(t, depth)
	case 5:
		if g.exits {
			return g.orExit(t, depth)
		}
	case 6:
		return g.member(t, depth)
	case 7:
		if e := g.callFn(t, depth); e != nil {
			return e
		}
	case 8:
		if t, ok := t.(*types.Optional); ok {
			return &plan.Convert{X: g.x(t), Operand: g.expr(t.Elem, depth)}
		}
		if !types.IsOptional(t) {
			list := &types.List{Elem: t}
			return &plan.Index{X: g.x(t), Operand: g.expr(list, depth), Key: g.expr(types.Int, 0)}
		}
	}
	return g.own(t, depth)
}

func (g *gen) try(t types.Type, depth int) plan.Expr {
	e := &plan.Try{X: g.x(t), Operand: g.expr(t, depth), Slot: -1}
	scope := g.scope
	if g.n(0, 3) == 0 {
		e.Slot = g.slot(errorType())
		g.scope = append(append([]int{}, scope...), e.Slot)
	}
	e.Else = g.expr(t, depth)
	g.scope = scope
	return e
}

func errorType() *types.Record {
	return &types.Record{Fields: []types.Field{
		{Name: "code", Type: types.String}, {Name: "message", Type: types.String}, {Name: "place", Type: types.String},
	}}
}

func (g *gen) orExit(t types.Type, depth int) plan.Expr {
	e := &plan.OrExit{X: g.x(t), Slot: -1}
	if !types.IsOptional(t) && g.n(0, 1) == 0 {
		e.Optional, e.Operand = true, g.expr(types.Opt(t), depth)
	} else {
		e.Operand = g.expr(t, depth)
	}
	e.Exit = g.exit(depth)
	return e
}

// exit draws a way out of the flow.
func (g *gen) exit(depth int) []plan.Stmt {
	s := plan.S{At: g.span()}
	switch k := g.n(0, 4); {
	case k == 0:
		return []plan.Stmt{&plan.Drop{S: s, Name: "exit"}}
	case k == 1:
		return []plan.Stmt{&plan.Fail{S: s, Message: g.leaf(types.String)}}
	case k == 2 && g.loops > 0:
		return []plan.Stmt{&plan.Continue{S: s}}
	case k == 3:
		exits := g.exits
		g.exits = false
		defer func() { g.exits = exits }()
		return []plan.Stmt{g.emit(depth - 1), &plan.Return{S: s}}
	default:
		return []plan.Stmt{&plan.Return{S: s}}
	}
}

// member draws a field of a record that has one of the type.
func (g *gen) member(t types.Type, depth int) plan.Expr {
	rec := &types.Record{Fields: []types.Field{{Name: "u", Type: types.Int}, {Name: "v", Type: t}}}
	if o, ok := t.(*types.Optional); ok && g.n(0, 1) == 0 {
		// Of an optional record, the field of which may be optional itself.
		if g.n(0, 1) == 0 {
			rec.Fields[1].Type = o.Elem
		}
		return &plan.Member{X: g.x(t), Operand: g.expr(&types.Optional{Elem: rec}, depth), Field: 1, Name: "v", Optional: true}
	}
	return &plan.Member{X: g.x(t), Operand: g.expr(rec, depth), Field: 1, Name: "v"}
}

// callFn draws a call of a function whose result is of the type; it makes one if there is none yet.
func (g *gen) callFn(t types.Type, depth int) plan.Expr {
	if g.row || len(g.funcs) > 4 {
		return nil
	}
	f := plan.Func{Name: fmt.Sprint("f", len(g.funcs)), Params: []types.Type{types.Int, g.typ()}, Result: t, Origin: g.span()}
	inner := &gen{t: g.t, row: true, file: g.file, places: g.places, locals: append([]types.Type{}, f.Params...), scope: []int{0, 1}}
	body := inner.expr(t, depth)
	if g.n(0, 2) == 0 {
		f.Body = []plan.Stmt{&plan.Return{S: plan.S{At: g.span()}, Value: body}}
	} else {
		f.Value = body
	}
	f.Locals = len(inner.locals)
	g.places = inner.places
	g.funcs = append(g.funcs, f)
	return &plan.CallFn{X: g.x(t), Index: len(g.funcs) - 1, Name: f.Name, Args: []plan.Expr{
		g.expr(types.Int, depth), g.expr(f.Params[1], depth),
	}}
}

func (g *gen) call(t types.Type, name string, args ...plan.Expr) plan.Expr {
	return &plan.Call{X: g.x(t), Func: name, Args: args}
}

func (g *gen) bin(t types.Type, l, r plan.Expr, ops ...plan.Op) plan.Expr {
	return &plan.Binary{X: g.x(t), Op: rapid.SampledFrom(ops).Draw(g.t, "op"), Left: l, Right: r}
}

// own draws an expression that only values of its type have.
func (g *gen) own(t types.Type, depth int) plan.Expr {
	e := func(t types.Type) plan.Expr { return g.expr(t, depth) }
	switch t := t.(type) {
	case types.Basic:
		return g.basic(t, depth)
	case *types.List:
		return g.list(t, depth)
	case *types.Map:
		return &plan.MakeMap{X: g.x(t), Keys: []plan.Expr{e(t.Key), e(t.Key)}, Elems: []plan.Expr{e(t.Elem), e(t.Elem)}}
	case *types.Record:
		if g.n(0, 2) == 0 {
			wide := &types.Record{Fields: []types.Field{{Name: "more", Type: types.Int}}}
			for i := len(t.Fields) - 1; i >= 0; i-- {
				wide.Fields = append(wide.Fields, t.Fields[i])
			}
			return &plan.Convert{X: g.x(t), Operand: e(wide)}
		}
		r := &plan.MakeRecord{X: g.x(t)}
		for _, f := range t.Fields {
			r.Fields = append(r.Fields, e(f.Type))
		}
		return r
	case *types.Optional:
		switch g.n(0, 3) {
		case 0:
			return &plan.Convert{X: g.x(t), Operand: &plan.Const{X: g.x(types.None)}}
		case 1:
			if t.Elem == types.Int {
				return &plan.Index{X: g.x(t), Operand: e(&types.Map{Key: types.String, Elem: types.Int}), Key: e(types.String)}
			}
		}
		return &plan.Convert{X: g.x(t), Operand: e(t.Elem)}
	}
	return g.leaf(t)
}

func (g *gen) list(t *types.List, depth int) plan.Expr {
	switch g.n(0, 4) {
	case 0:
		from := &types.List{Elem: g.typ()}
		in := g.expr(from, depth)
		slot := g.slot(from.Elem)
		scope, exits := g.scope, g.exits
		g.scope, g.exits = append(append([]int{}, scope...), slot), false
		c := &plan.Comp{X: g.x(t), Slot: slot, In: in, Value: g.expr(t.Elem, depth)}
		if g.n(0, 1) == 0 {
			c.Cond = g.expr(types.Bool, depth)
		}
		g.scope, g.exits = scope, exits
		return c
	case 1:
		if t.Elem == types.String {
			return g.call(t, "words", g.expr(types.String, depth))
		}
	case 2:
		if t.Elem == types.String {
			return g.call(t, "words", g.call(types.String, "lower", g.expr(types.String, depth)))
		}
	case 3:
		if t.Elem == types.String {
			sep := rapid.SampledFrom([]string{",", "a", " ", "", "\r\n"}).Draw(g.t, "separator")
			return g.call(t, "split", g.expr(types.String, depth), &plan.Const{X: g.x(types.String), Value: value.OfString(sep)})
		}
	}
	l := &plan.MakeList{X: g.x(t)}
	for range g.n(0, 3) {
		l.Elems = append(l.Elems, g.expr(t.Elem, depth))
	}
	return l
}
