// Package expr evaluates the expressions and bodies of a plan, one row at a time, over values.
//
// This is what the language means, written as plainly as speed allows. It runs the bodies that have to go row by row
// (state, loops that emit, windows that fire); what is stateless runs as column kernels elsewhere, which are tested
// against this package and fall back on it.
//
// An expression is compiled once into a tree of closures, each made for the types in hand, which the checker has
// proved: no closure looks at types. Compiled code is immutable and shared by all tasks of a node. What changes is in a
// Frame, of which each task has its own, and which is reused from row to row, so that a row allocates nothing but the
// strings and lists that it makes.
//
// A closure returns a value and an *Error. An error is a failure or a fault on its way to whoever takes it; one special
// error, exit, stands for a change of flow out of the middle of an expression (`int(s) else continue`): the frame then
// says where to, and the statement around it goes there.
package expr

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/value"
)

// Env is what the code of one plan shares: the functions of the program and of the library. It is immutable.
type Env struct {
	lib Funcs
	fns []function
}

// function is a compiled function of the program.
type function struct {
	params, locals int
	value          eval // the body's value, or nil: run body
	body           []step
}

// NewEnv compiles the functions of a program. A Call of a library function that lib has not is a bug of the caller.
func NewEnv(funcs []plan.Func, lib Funcs) *Env {
	env := &Env{lib: lib, fns: make([]function, len(funcs))}
	for i := range funcs {
		f := &funcs[i]
		c := &compiler{env: env, inFunc: true, changed: changedIn(f.Body)}
		fn := function{params: len(f.Params), locals: max(f.Locals, len(f.Params))}
		if f.Value != nil {
			fn.value = c.expr(f.Value)
		} else {
			fn.body = c.stmts(f.Body)
		}
		env.fns[i] = fn
	}
	return env
}

// compiler turns the expressions and statements of one body or function into closures.
type compiler struct {
	env     *Env
	inFunc  bool
	changed changed
}

// eval computes an expression. A value comes with a nil error only.
type eval func(f *Frame) (value.Value, *Error)

// cond computes a bool.
type cond func(f *Frame) (bool, *Error)

// step runs a statement.
type step func(f *Frame) (flow, *Error)

// flow says where to go on after a statement.
type flow uint8

const (
	flowNext flow = iota
	flowReturn
	flowBreak
	flowContinue
	flowDrop // under Frame.drop
	flowFail // with Frame.fail
)

// exit is the error that stands for a change of flow, to Frame.flow. It is a fault so that no Try takes it.
var exit = &Error{Fault: true, Message: "change of flow"}

// caught turns an error that comes out of an expression into what a statement returns.
func (f *Frame) caught(err *Error) (flow, *Error) {
	if err == exit {
		return f.flow, nil
	}
	return flowNext, err
}

// leave turns a change of flow into the error that carries it through an expression.
func (f *Frame) leave(to flow) *Error {
	f.flow = to
	return exit
}

// call compiles a call of a library function.
func (c *compiler) call(e *plan.Call) eval {
	lib, ok := c.env.lib[e.Func]
	if !ok {
		bug.Panicf("expr: there is no library function %q", e.Func)
	}
	args := c.exprs(e.Args)
	sig := Sig{Result: e.T, Consts: make([]*value.Value, len(e.Args))}
	for i, a := range e.Args {
		sig.Args = append(sig.Args, a.Type())
		if k, ok := a.(*plan.Const); ok {
			sig.Consts[i] = &k.Value
		}
	}
	row, at := lib.Of(sig), e.At
	return func(f *Frame) (value.Value, *Error) {
		base := len(f.stack)
		if err := f.push(args); err != nil {
			return value.Value{}, err
		}
		if lib.Clock {
			f.stack = append(f.stack, value.OfTime(f.Now))
		}
		v, err := row(f.stack[base:len(f.stack):len(f.stack)])
		f.stack = f.stack[:base]
		if err != nil {
			return value.Value{}, placed(err, at)
		}
		return v, nil
	}
}

// push evaluates arguments onto the stack; at an error the stack is as it was before.
func (f *Frame) push(args []eval) *Error {
	base := len(f.stack)
	for _, a := range args {
		v, err := a(f)
		if err != nil {
			f.stack = f.stack[:base]
			return err
		}
		f.stack = append(f.stack, v)
	}
	return nil
}

// placed gives a library function's error the place of the call. It copies: a function may return one error many times.
func placed(err error, at source.Span) *Error {
	e, ok := err.(*Error)
	if !ok {
		bug.Panicf("expr: a library function returned %T (%v), which is no *expr.Error", err, err)
	}
	copied := *e
	copied.Place = at
	return &copied
}

// callFn compiles a call of a function of the program. Its locals are on the frame's stack, the arguments first. When
// the stack has to move to larger memory, the locals of the functions around stay where they were and are still theirs.
func (c *compiler) callFn(e *plan.CallFn) eval {
	fn := &c.env.fns[e.Index] // filled in later, perhaps, but before anything runs
	args := c.exprs(e.Args)
	return func(f *Frame) (value.Value, *Error) {
		base := len(f.stack)
		if err := f.push(args); err != nil {
			return value.Value{}, err
		}
		for len(f.stack) < base+fn.locals {
			f.stack = append(f.stack, value.Value{})
		}
		outer, owned := f.locals, f.ownLocals
		f.locals, f.ownLocals = f.stack[base:len(f.stack):len(f.stack)], 0
		v, err := fn.run(f)
		f.locals, f.ownLocals = outer, owned
		f.stack = f.stack[:base]
		return v, err
	}
}

func (fn *function) run(f *Frame) (value.Value, *Error) {
	if fn.value != nil {
		return fn.value(f)
	}
	to, err := runSteps(f, fn.body)
	switch {
	case err != nil:
		return value.Value{}, err
	case to == flowReturn:
		return f.ret, nil
	case to == flowDrop || to == flowFail:
		return value.Value{}, f.leave(to)
	default:
		bug.Panicf("expr: a function ended without a value")
		return value.Value{}, nil
	}
}
