package expr

import (
	"fmt"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// expr compiles an expression.
func (c *compiler) expr(e plan.Expr) eval {
	switch e := e.(type) {
	case *plan.Const:
		v := e.Value
		return func(*Frame) (value.Value, *Error) { return v, nil }
	case *plan.Input:
		i := e.Field
		return func(f *Frame) (value.Value, *Error) { return f.Input[i], nil }
	case *plan.Local:
		return c.local(e)
	case *plan.State:
		return c.state(e)
	case *plan.Key:
		i := e.Index
		return func(f *Frame) (value.Value, *Error) { return f.Keys[i], nil }
	case *plan.AggResult:
		i := e.Index
		return func(f *Frame) (value.Value, *Error) { return f.Aggs[i], nil }
	case *plan.Bound:
		if e.End {
			return func(f *Frame) (value.Value, *Error) { return value.OfTime(f.End), nil }
		}
		return func(f *Frame) (value.Value, *Error) { return value.OfTime(f.Start), nil }
	case *plan.Unary:
		return c.unary(e)
	case *plan.Binary:
		return c.binary(e)
	case *plan.If:
		return c.ifExpr(e)
	case *plan.Coalesce:
		return c.coalesce(e)
	case *plan.Try:
		return c.try(e)
	case *plan.OrExit:
		return c.orExit(e)
	case *plan.Member:
		return c.member(e)
	case *plan.Index:
		return c.index(e)
	case *plan.MakeRecord:
		return makeValue(c.exprs(e.Fields), value.OfRecord)
	case *plan.MakeList:
		return makeValue(c.exprs(e.Elems), value.OfList)
	case *plan.MakeMap:
		return c.makeMap(e)
	case *plan.Comp:
		return c.comp(e)
	case *plan.Interp:
		return c.interp(e)
	case *plan.Convert:
		return c.convert(e)
	case *plan.Call:
		return c.call(e)
	case *plan.CallFn:
		return c.callFn(e)
	default:
		bug.Panicf("expr: unhandled expression %T", e)
		return nil
	}
}

func (c *compiler) exprs(list []plan.Expr) []eval {
	out := make([]eval, len(list))
	for i, e := range list {
		out[i] = c.expr(e)
	}
	return out
}

// local compiles a read of a local slot. Whoever reads a list or map as a whole may keep it, so the run owns it no
// longer; see setIndex.
func (c *compiler) local(e *plan.Local) eval {
	i := e.Slot
	if !c.changed.local(i) {
		return func(f *Frame) (value.Value, *Error) { return f.locals[i], nil }
	}
	mask := ^slotBit(i)
	return func(f *Frame) (value.Value, *Error) {
		f.ownLocals &= mask
		return f.locals[i], nil
	}
}

func (c *compiler) state(e *plan.State) eval {
	i := e.Slot
	if !c.changed.state(i) {
		return func(f *Frame) (value.Value, *Error) { return f.State[i], nil }
	}
	mask := ^slotBit(i)
	return func(f *Frame) (value.Value, *Error) {
		f.ownState &= mask
		return f.State[i], nil
	}
}

// peek compiles an expression whose value is only looked into at once and not kept: a read of a slot leaves the run
// the owner of what is in it.
func (c *compiler) peek(e plan.Expr) eval {
	switch e := e.(type) {
	case *plan.Local:
		i := e.Slot
		return func(f *Frame) (value.Value, *Error) { return f.locals[i], nil }
	case *plan.State:
		i := e.Slot
		return func(f *Frame) (value.Value, *Error) { return f.State[i], nil }
	}
	return c.expr(e)
}

func (c *compiler) ifExpr(e *plan.If) eval {
	test, then, other := c.cond(e.Cond), c.expr(e.Then), c.expr(e.Else)
	return func(f *Frame) (value.Value, *Error) {
		ok, err := test(f)
		switch {
		case err != nil:
			return value.Value{}, err
		case ok:
			return then(f)
		}
		return other(f)
	}
}

func (c *compiler) coalesce(e *plan.Coalesce) eval {
	operand, other := c.expr(e.Operand), c.expr(e.Else)
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		if err != nil || !v.IsNone() {
			return v, err
		}
		return other(f)
	}
}

func (c *compiler) try(e *plan.Try) eval {
	operand, other, slot := c.expr(e.Operand), c.expr(e.Else), e.Slot
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		if err == nil || err.Fault {
			return v, err
		}
		if slot >= 0 {
			f.locals[slot] = err.Record()
		}
		return other(f)
	}
}

func (c *compiler) orExit(e *plan.OrExit) eval {
	operand, way, slot, optional := c.expr(e.Operand), c.stmts(e.Exit), e.Slot, e.Optional
	absent := &Error{Message: "there is no value", Place: e.At}
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		switch {
		case err == nil && !(optional && v.IsNone()):
			return v, nil
		case err == nil:
			err = absent
		case err.Fault:
			return v, err
		}
		if slot >= 0 {
			f.locals[slot] = err.Record()
		}
		to, err := runSteps(f, way)
		if err != nil {
			return value.Value{}, err
		}
		if to == flowNext {
			bug.Panicf("expr: the right side of an else at %s leads nowhere", e.At)
		}
		return value.Value{}, f.leave(to)
	}
}

func (c *compiler) member(e *plan.Member) eval {
	operand, i, optional := c.peek(e.Operand), e.Field, e.Optional
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		if err != nil || optional && v.IsNone() {
			return value.Value{}, err
		}
		return v.Elems()[i], nil
	}
}

func (c *compiler) index(e *plan.Index) eval {
	operand, key, at := c.peek(e.Operand), c.expr(e.Key), e.At
	_, isMap := types.Bare(e.Operand.Type()).(*types.Map)
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		if err != nil {
			return value.Value{}, err
		}
		k, err := key(f)
		if err != nil {
			return value.Value{}, err
		}
		if isMap {
			elem, _ := v.Lookup(k)
			return elem, nil
		}
		elems := v.Elems()
		if i := k.Int(); i >= 0 && i < int64(len(elems)) {
			return elems[i], nil
		}
		return value.Value{}, outOfRange(k.Int(), len(elems), at)
	}
}

func outOfRange(i int64, n int, at source.Span) *Error {
	return &Error{
		Code: diag.IndexOutOfRange, Place: at,
		Message: fmt.Sprintf("index %d is outside of a list of %d", i, n),
	}
}

// makeValue compiles what is made of parts in order.
func makeValue(parts []eval, of func([]value.Value) value.Value) eval {
	return func(f *Frame) (value.Value, *Error) {
		elems := make([]value.Value, len(parts))
		for i, p := range parts {
			v, err := p(f)
			if err != nil {
				return value.Value{}, err
			}
			elems[i] = v
		}
		return of(elems), nil
	}
}

func (c *compiler) makeMap(e *plan.MakeMap) eval {
	keys, elems := c.exprs(e.Keys), c.exprs(e.Elems)
	return func(f *Frame) (value.Value, *Error) {
		m := value.NewMap(nil, nil)
		for i := range keys {
			k, err := keys[i](f)
			if err != nil {
				return value.Value{}, err
			}
			v, err := elems[i](f)
			if err != nil {
				return value.Value{}, err
			}
			m.SetEntry(k, v)
		}
		return m, nil
	}
}

// comp compiles a comprehension, over the elements of a list or the keys of a map. Its size is measured while it
// grows: nested ones could fill the memory before anybody sees the whole.
func (c *compiler) comp(e *plan.Comp) eval {
	in, elem, slot, at := c.expr(e.In), c.expr(e.Value), e.Slot, e.At
	var test cond
	if e.Cond != nil {
		test = c.cond(e.Cond)
	}
	return func(f *Frame) (value.Value, *Error) {
		v, err := in(f)
		if err != nil {
			return value.Value{}, err
		}
		from := v.Elems()
		if v.Kind() == value.Map {
			from = v.Keys()
		}
		list := make([]value.Value, 0, len(from))
		left := value.MaxSize
		for _, x := range from {
			f.locals[slot] = x
			if test != nil {
				ok, err := test(f)
				if err != nil {
					return value.Value{}, err
				}
				if !ok {
					continue
				}
			}
			x, err := elem(f)
			if err != nil {
				return value.Value{}, err
			}
			if left = value.SizeLeft(x, left-value.ElemSize); left < 0 {
				return value.Value{}, tooLarge(at)
			}
			list = append(list, x)
		}
		return value.OfList(list), nil
	}
}

// part compiles a part of a string: it appends to the frame's buffer.
type part func(f *Frame) *Error

// interp compiles a string with holes. The parts of a string in a string are behind those of the outer one in the same
// buffer, and gone when the inner one is made.
func (c *compiler) interp(e *plan.Interp) eval {
	parts := make([]part, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = c.part(p)
	}
	at := e.At
	return func(f *Frame) (value.Value, *Error) {
		base := len(f.buf)
		for _, p := range parts {
			err := p(f)
			if err == nil && len(f.buf)-base > value.MaxSize {
				err = tooLarge(at)
			}
			if err != nil {
				f.buf = f.buf[:base]
				return value.Value{}, err
			}
		}
		v := value.OfString(string(f.buf[base:]))
		f.buf = f.buf[:base]
		return v, nil
	}
}

func (c *compiler) part(e plan.Expr) part {
	if conv, ok := e.(*plan.Convert); ok && e.Type() == types.String && !types.IsString(conv.Operand.Type()) {
		operand, t, at := c.peek(conv.Operand), conv.Operand.Type(), conv.At
		big := grows(t)
		return func(f *Frame) *Error {
			v, err := operand(f)
			if err != nil {
				return err
			}
			if big && value.TooLarge(v) {
				return tooLarge(at)
			}
			f.buf = value.AppendText(f.buf, v, t)
			return nil
		}
	}
	text := c.expr(e)
	return func(f *Frame) *Error {
		v, err := text(f)
		if err != nil {
			return err
		}
		f.buf = append(f.buf, v.Str()...)
		return nil
	}
}
