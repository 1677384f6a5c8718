package expr

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Frame is what code runs on: what the caller gives it for a row, and what comes out. It belongs to one goroutine, is
// reused from row to row, and may be used for different bodies one after the other.
type Frame struct {
	// Input, Keys, State and Aggs are set by the caller before a run, as far as the code reads them. Run changes the
	// slots of State in place, and puts them back if the row does not end well.
	Input, Keys, State, Aggs []value.Value
	// Start and End are the bounds of the window that fires, in nanoseconds since the Unix epoch.
	Start, End int64
	// Now is the time that `now()` gives, in nanoseconds since the Unix epoch; one reading of a clock a batch will do.
	Now int64

	// Emits are the rows that the last Run emitted, in order. They and their fields are valid until the next Run.
	Emits []EmitRow
	// Changed reports whether the last Run assigned to a state variable.
	Changed bool

	locals []value.Value // of the body or function in hand
	body   []value.Value // memory of the body's locals
	stack  []value.Value // arguments, and locals of functions
	fields []value.Value // memory of the fields of Emits
	before []value.Value // state before the run
	buf    []byte        // strings in the making, one behind the other

	// What lists and maps in slots have been made by this run and shown to nobody since: bit i for slot i.
	ownLocals, ownState uint64

	flow flow        // where exit leads
	drop string      // of flowDrop
	fail *Error      // of flowFail
	ret  value.Value // of flowReturn in a function
}

// EmitRow is a row that a body emitted to an output of its node.
type EmitRow struct {
	Output     int
	Unanchored bool
	Fields     []value.Value // in order of the output's layout
}

// Outcome is how a row ended. Only after OK are there emits and changes of state.
type Outcome struct {
	Kind OutcomeKind
	Name string // of Dropped: the name that it is counted under
	Err  *Error // of Failed, Faulted and Errored
}

// OutcomeKind says how a row ended.
type OutcomeKind uint8

// The outcomes. Failed: the row's tree fails and may be emitted again. Faulted: the row is dead at once. Errored: the
// caller emits (input, error) to the output `errors`, and the row is done.
const (
	OK OutcomeKind = iota
	Dropped
	Failed
	Faulted
	Errored
)

// DroppedByErrors is the name under which the clause `errors drop` counts its rows.
const DroppedByErrors = "errors"

// Expr is a compiled expression. It is immutable and may be used by several goroutines.
type Expr struct {
	eval   eval
	locals int
}

// CompileExpr compiles an expression that stands alone: a key, a condition, an argument of an aggregate or connector.
func CompileExpr(env *Env, e plan.Expr) *Expr {
	c := &compiler{env: env}
	x := &Expr{eval: c.expr(e)}
	// Comprehensions and settled failures have local slots of their own; no list of them comes with the expression.
	plan.Visitor{Expr: func(e plan.Expr) bool {
		switch e := e.(type) {
		case *plan.Local:
			x.locals = max(x.locals, e.Slot+1)
		case *plan.Comp:
			x.locals = max(x.locals, e.Slot+1)
		case *plan.Try:
			x.locals = max(x.locals, e.Slot+1)
		case *plan.OrExit:
			x.locals = max(x.locals, e.Slot+1)
		}
		return true
	}}.Walk(e)
	return x
}

// Eval computes the expression on f. The value may share memory with what f was given.
func (x *Expr) Eval(f *Frame) (value.Value, *Error) {
	f.begin(x.locals)
	return x.eval(f)
}

// Body is a compiled body. It is immutable and may be used by several goroutines.
type Body struct {
	steps    []step
	locals   int
	errors   plan.Policy
	init     []*Expr
	setState bool
	grown    []grown
}

// grown is a state variable that is changed element by element, and the place of the first such change.
type grown struct {
	slot int
	at   source.Span
}

// CompileBody compiles a body.
func CompileBody(env *Env, b *plan.Body) *Body {
	c := &compiler{env: env, changed: changedIn(b.Stmts)}
	body := &Body{steps: c.stmts(b.Stmts), locals: len(b.Locals), errors: b.Errors}
	for _, s := range b.State {
		body.init = append(body.init, CompileExpr(env, s.Init))
	}
	seen := map[int]bool{}
	plan.Visitor{Stmt: func(s plan.Stmt) bool {
		switch s := s.(type) {
		case *plan.SetState:
			body.setState = true
		case *plan.SetIndex:
			if s.State {
				body.setState = true
				if !seen[s.Slot] {
					seen[s.Slot] = true
					body.grown = append(body.grown, grown{s.Slot, s.At})
				}
			}
		}
		return true
	}}.WalkStmts(b.Stmts)
	return body
}

// Init appends the initial values of the state variables to dst, for the key in f.Keys. It can fault.
func (b *Body) Init(f *Frame, dst []value.Value) ([]value.Value, *Error) {
	for _, x := range b.init {
		v, err := x.Eval(f)
		if err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// begin makes f ready for code with so many local slots.
func (f *Frame) begin(locals int) {
	for len(f.body) < locals {
		f.body = append(f.body, value.Value{})
	}
	f.locals = f.body
	f.stack = f.stack[:0]
	f.buf = f.buf[:0]
	f.ownLocals, f.ownState = 0, 0
}

// Run runs the body for one row. It is atomic: unless the outcome is OK, f.Emits is empty and f.State as it was.
func (b *Body) Run(f *Frame) Outcome {
	f.begin(b.locals)
	f.Emits, f.fields, f.Changed = f.Emits[:0], f.fields[:0], false
	if b.setState {
		f.before = append(f.before[:0], f.State...)
	}
	to, err := runSteps(f, b.steps)
	if err == nil && f.Changed {
		err = b.checkState(f)
	}
	if err == nil && (to == flowNext || to == flowReturn) {
		return Outcome{}
	}
	f.Emits = f.Emits[:0]
	if b.setState {
		copy(f.State, f.before)
		f.Changed = false
	}
	return b.ended(f, to, err)
}

// ended returns the outcome of a row that did not end well.
func (b *Body) ended(f *Frame, to flow, err *Error) Outcome {
	switch {
	case err == nil && to == flowDrop:
		return Outcome{Kind: Dropped, Name: f.drop}
	case err == nil && to == flowFail:
		return Outcome{Kind: Failed, Err: f.fail}
	case err == nil:
		bug.Panicf("expr: a body ended with a jump out of no loop")
	case err.Fault:
		return Outcome{Kind: Faulted, Err: err}
	}
	switch b.errors {
	case plan.PolicyDrop:
		return Outcome{Kind: Dropped, Name: DroppedByErrors, Err: err}
	case plan.PolicyFail:
		return Outcome{Kind: Failed, Err: err}
	case plan.PolicyEmit:
		return Outcome{Kind: Errored, Err: err}
	default:
		bug.Panicf("expr: %v is not settled, and no clause takes it", err)
		return Outcome{}
	}
}

// checkState returns the fault that a state variable has grown over the limit. Assignments of whole values are checked
// where they are; changes of elements only here, once a row.
func (b *Body) checkState(f *Frame) *Error {
	for _, g := range b.grown {
		if value.TooLarge(f.State[g.slot]) {
			return tooLarge(g.at)
		}
	}
	return nil
}

func tooLarge(at source.Span) *Error {
	return &Error{Code: diag.ValueTooLarge, Message: "the value is larger than 16 MiB", Place: at, Fault: true}
}

// grows reports whether values of a type can be of any size although each string in them is within the limit.
func grows(t types.Type) bool {
	return types.Has(t, func(t types.Type) bool {
		switch t.(type) {
		case *types.List, *types.Map:
			return true
		}
		return false
	})
}
