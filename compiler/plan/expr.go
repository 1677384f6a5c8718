package plan

import (
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Expr is a typed expression of a plan: a closed sum, free of names and sugar. Parameters, `let`s of the file and
// arguments of instances have become constants; every implicit conversion is explicit; optional and fallible values
// are settled (or under a Body's Errors policy).
//
// A fallible or faulting expression fails with an error that carries its Origin.
type Expr interface {
	// Type returns the static type.
	Type() types.Type
	// Origin returns the place in the program, for errors.
	Origin() source.Span
	expr()
}

// X is what every expression has. Expressions are used by pointer (*Const, *Binary, …) and are immutable once they are
// part of a plan: a pass that changes one makes a copy (Rewrite).
type X struct {
	T  types.Type
	At source.Span
}

// Type implements Expr.
func (x *X) Type() types.Type { return x.T }

// Origin implements Expr.
func (x *X) Origin() source.Span { return x.At }
func (x *X) expr()               {}

// Const is a constant; of a Regex type it holds the pattern.
type Const struct {
	X
	Value value.Value
}

// Input reads a field of the row in hand; Field indexes the layout of the node's input.
type Input struct {
	X
	Field int
	Name  string
}

// Local reads a local slot of the body: a `let`, a loop name, a parameter of a function, a comprehension's name, or
// the `error` record right of an else.
type Local struct {
	X
	Slot int
	Name string
}

// State reads a state variable of the keyed node for the key in hand.
type State struct {
	X
	Slot int
	Name string
}

// Key reads a key of the keyed node.
type Key struct {
	X
	Index int
	Name  string
}

// AggResult reads the result of an aggregate of the node in the body that runs when a window fires.
type AggResult struct {
	X
	Index int
}

// Bound reads `window.start` or `window.end`.
type Bound struct {
	X
	End bool
}

// Unary is `-x` (int, float, duration) or `!x`. Negating the least int is a fault.
type Unary struct {
	X
	Op      Op
	Operand Expr
}

// Binary is an operator over two operands whose types are equal after conversion, but for Time and Duration sums and
// for In. Int arithmetic is checked: overflow is a fault. Int Div and Mod by zero are failures (fallible), as is
// nothing else here; a float result that is not finite is a fault. And, Or evaluate the right side only if needed.
type Binary struct {
	X
	Op          Op
	Left, Right Expr
}

// Op is an operator.
type Op uint8

// The operators.
const (
	Or Op = iota + 1
	And
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	In // element in list; key in map
	Add
	Sub
	Mul
	Div
	Mod
	Neg
	Not
)

// If is a conditional expression.
type If struct {
	X
	Cond, Then, Else Expr
}

// Coalesce is the value of Operand, or of Else where it is none.
type Coalesce struct {
	X
	Operand, Else Expr
}

// Try is the value of Operand, or of Else where Operand fails (not where it faults). Slot holds the error record
// (code, message, place: strings) while Else runs; it is -1 where Else does not read it.
type Try struct {
	X
	Operand, Else Expr
	Slot          int
}

// OrExit is the value of Operand; where it fails, or is none if Optional, the statement Exit ends the flow: Drop, Fail,
// Emit followed by the end of the body, Return, Continue or Break. Slot is as in Try.
type OrExit struct {
	X
	Operand  Expr
	Optional bool
	Exit     []Stmt
	Slot     int
}

// Member reads a field of a record. With Optional, Operand is an optional record and none gives none; the result's
// type is optional then.
type Member struct {
	X
	Operand  Expr
	Field    int
	Name     string
	Optional bool
}

// Index reads an element of a list (fallible: out of range) or of a map (none where missing).
type Index struct {
	X
	Operand, Key Expr
}

// MakeRecord builds a record of its fields, in the order of its type.
type MakeRecord struct {
	X
	Fields []Expr
}

// MakeList builds a list.
type MakeList struct {
	X
	Elems []Expr
}

// MakeMap builds a map; a later equal key replaces the value and keeps the place.
type MakeMap struct {
	X
	Keys, Elems []Expr
}

// Comp is a list comprehension; Slot is the loop name's local.
type Comp struct {
	X
	Slot  int
	In    Expr
	Cond  Expr // or nil
	Value Expr
}

// Interp is a string with holes: the parts, all of type string (see ToString), joined.
type Interp struct {
	X
	Parts []Expr
}

// Convert changes the representation without a change of meaning: int to float, enum to string, anything to string
// for an interpolation (the JSON text of lists, maps and records, RFC 3339 for times), T to T?, a wider record to a
// narrower one, T? that is known to hold a value to T.
type Convert struct {
	X
	Operand Expr
}

// Call calls a library function by its full name, "words" or "text.lower"; fallible where the function is.
type Call struct {
	X
	Func string
	Args []Expr
}

// CallFn calls a function of the program; Index is into Plan.Funcs.
type CallFn struct {
	X
	Index int
	Name  string
	Args  []Expr
}

// Func is a function of the program. Parameters are the first locals. Body ends with a Return on each path, or Value
// is set.
type Func struct {
	Name     string
	Params   []types.Type
	Result   types.Type
	Fallible bool
	Locals   int
	Value    Expr
	Body     []Stmt
	Origin   source.Span
}
