package expr

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

// runSteps runs statements until one goes elsewhere.
func runSteps(f *Frame, steps []step) (flow, *Error) {
	for _, s := range steps {
		if to, err := s(f); to != flowNext || err != nil {
			return to, err
		}
	}
	return flowNext, nil
}

func (c *compiler) stmts(list []plan.Stmt) []step {
	out := make([]step, len(list))
	for i, s := range list {
		out[i] = c.stmt(s)
	}
	return out
}

func (c *compiler) stmt(s plan.Stmt) step {
	switch s := s.(type) {
	case *plan.SetLocal:
		return c.setLocal(s)
	case *plan.SetState:
		return c.setState(s)
	case *plan.SetIndex:
		return c.setIndex(s)
	case *plan.Emit:
		return c.emit(s)
	case *plan.IfStmt:
		return c.ifStmt(s)
	case *plan.For:
		return c.forStmt(s)
	case *plan.Drop:
		name := s.Name
		return func(f *Frame) (flow, *Error) {
			f.drop = name
			return flowDrop, nil
		}
	case *plan.Fail:
		return c.failStmt(s)
	case *plan.Return:
		return c.returnStmt(s)
	case *plan.Break:
		return func(*Frame) (flow, *Error) { return flowBreak, nil }
	case *plan.Continue:
		return func(*Frame) (flow, *Error) { return flowContinue, nil }
	default:
		bug.Panicf("expr: unhandled statement %T", s)
		return nil
	}
}

func (c *compiler) setLocal(s *plan.SetLocal) step {
	v, slot, mask := c.expr(s.Value), s.Slot, ^slotBit(s.Slot)
	return func(f *Frame) (flow, *Error) {
		x, err := v(f)
		if err != nil {
			return f.caught(err)
		}
		f.locals[slot] = x
		f.ownLocals &= mask
		return flowNext, nil
	}
}

func (c *compiler) setState(s *plan.SetState) step {
	v, slot, mask, at, big := c.expr(s.Value), s.Slot, ^slotBit(s.Slot), s.At, grows(s.Value.Type())
	return func(f *Frame) (flow, *Error) {
		x, err := v(f)
		if err != nil {
			return f.caught(err)
		}
		if big && value.TooLarge(x) {
			return flowNext, tooLarge(at)
		}
		f.State[slot] = x
		f.ownState &= mask
		f.Changed = true
		return flowNext, nil
	}
}

// changed tells which slots of a body hold lists or maps that it changes element by element.
//
// Values are immutable for all who can see them, so `m[k] = v` works on a copy. To copy once and not at each change,
// the frame remembers which slots hold a copy that this run has made and nobody else has seen: it "owns" them. Reading
// the slot as a whole, and assigning to it, ends that. Slots from 64 on are copied each time.
type changed struct{ locals, states uint64 }

func (c changed) local(slot int) bool { return c.locals&slotBit(slot) != 0 }
func (c changed) state(slot int) bool { return c.states&slotBit(slot) != 0 }

// slotBit returns the bit of a slot; a slot from 64 on has none.
func slotBit(slot int) uint64 { return 1 << uint(slot) }

func changedIn(stmts []plan.Stmt) changed {
	var c changed
	plan.Visitor{Stmt: func(s plan.Stmt) bool {
		if s, ok := s.(*plan.SetIndex); ok {
			if s.State {
				c.states |= slotBit(s.Slot)
			} else {
				c.locals |= slotBit(s.Slot)
			}
		}
		return true
	}}.WalkStmts(stmts)
	return c
}

func (c *compiler) setIndex(s *plan.SetIndex) step {
	key, elem, slot, bit, at, state := c.expr(s.Key), c.expr(s.Value), s.Slot, slotBit(s.Slot), s.At, s.State
	return func(f *Frame) (flow, *Error) {
		k, err := key(f)
		if err != nil {
			return f.caught(err)
		}
		x, err := elem(f)
		if err != nil {
			return f.caught(err)
		}
		var place *value.Value
		owned := &f.ownLocals
		if state {
			place, owned = &f.State[slot], &f.ownState
			f.Changed = true
		} else {
			place = &f.locals[slot]
		}
		n := int64(len(place.Elems()))
		isList := place.Kind() == value.List
		if isList && (k.Int() < 0 || k.Int() >= n) {
			return flowNext, outOfRange(k.Int(), int(n), at)
		}
		if *owned&bit == 0 {
			*place = place.Copy()
			*owned |= bit
		}
		if isList {
			place.SetElem(int(k.Int()), x)
			return flowNext, nil
		}
		place.SetEntry(k, x)
		if len(place.Keys()) > value.MaxEntries {
			return flowNext, tooLarge(at)
		}
		return flowNext, nil
	}
}

func (c *compiler) emit(s *plan.Emit) step {
	fields, output, unanchored, at := c.exprs(s.Fields), s.Output, s.Unanchored, s.At
	big := make([]bool, len(fields))
	for i, e := range s.Fields {
		big[i] = grows(e.Type())
	}
	return func(f *Frame) (flow, *Error) {
		// A field can end the row with an emit of its own, whose fields then lie in between; this emit does not take
		// place then.
		base := len(f.fields)
		for i, field := range fields {
			x, err := field(f)
			if err != nil {
				return f.caught(err)
			}
			if big[i] && value.TooLarge(x) {
				return flowNext, tooLarge(at)
			}
			f.fields = append(f.fields, x)
		}
		n := len(f.fields)
		f.Emits = append(f.Emits, EmitRow{Output: output, Unanchored: unanchored, Fields: f.fields[base:n:n]})
		return flowNext, nil
	}
}

func (c *compiler) ifStmt(s *plan.IfStmt) step {
	test, then, other := c.cond(s.Cond), c.stmts(s.Then), c.stmts(s.Else)
	return func(f *Frame) (flow, *Error) {
		ok, err := test(f)
		switch {
		case err != nil:
			return f.caught(err)
		case ok:
			return runSteps(f, then)
		}
		return runSteps(f, other)
	}
}

// forStmt compiles a loop. What it runs over is fixed when it starts: a change of the list or map in the loop works on
// a copy.
func (c *compiler) forStmt(s *plan.For) step {
	in, body, slot, slot2 := c.expr(s.In), c.stmts(s.Body), s.Slot, s.Slot2
	mask := ^slotBit(slot)
	if slot2 >= 0 {
		mask &^= slotBit(slot2)
	}
	return func(f *Frame) (flow, *Error) {
		v, err := in(f)
		if err != nil {
			return f.caught(err)
		}
		isMap := v.Kind() == value.Map
		for i, x := range v.Elems() {
			switch {
			case isMap && slot2 >= 0:
				f.locals[slot], f.locals[slot2] = v.Keys()[i], x
			case isMap:
				f.locals[slot] = v.Keys()[i]
			case slot2 >= 0:
				f.locals[slot], f.locals[slot2] = value.OfInt(int64(i)), x
			default:
				f.locals[slot] = x
			}
			f.ownLocals &= mask
			to, err := runSteps(f, body)
			if err != nil {
				return flowNext, err
			}
			if to == flowBreak {
				break
			}
			if to != flowNext && to != flowContinue {
				return to, nil
			}
		}
		return flowNext, nil
	}
}

// failStmt compiles a fail. In a function it is a failure of the call, which the caller settles like any other; in a
// body it fails the row.
func (c *compiler) failStmt(s *plan.Fail) step {
	message, at, inFunc := c.expr(s.Message), s.At, c.inFunc
	return func(f *Frame) (flow, *Error) {
		v, err := message(f)
		if err != nil {
			return f.caught(err)
		}
		failure := &Error{Code: diag.FailStatement, Message: v.Str(), Place: at}
		if inFunc {
			return flowNext, failure
		}
		f.fail = failure
		return flowFail, nil
	}
}

func (c *compiler) returnStmt(s *plan.Return) step {
	if s.Value == nil {
		return func(*Frame) (flow, *Error) { return flowReturn, nil }
	}
	v := c.expr(s.Value)
	return func(f *Frame) (flow, *Error) {
		x, err := v(f)
		if err != nil {
			return f.caught(err)
		}
		f.ret = x
		return flowReturn, nil
	}
}
