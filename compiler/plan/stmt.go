package plan

import (
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// Body is what a stateless or keyed node does with a row (or, behind a window, with a fired pane). It runs atomically:
// its emits and state changes take effect together when it ends by Return or by falling off; Drop, Fail, a fault or an
// unsettled failure discards them all.
type Body struct {
	Locals []types.Type // types of the local slots
	State  []StateVar   // of a keyed node, else empty
	Errors Policy       // what an unsettled failure does; PolicyNone where there can be none
	Stmts  []Stmt
	// CanFail reports whether a row can fail, fault or be dropped after the first effect or at all.
	CanFail bool
}

// StateVar is a state variable. Init runs over constants, parameters and keys when a key is seen first.
type StateVar struct {
	Name string
	Type types.Type
	Init Expr
	Keep int64 // ns after the last change until the value is forgotten; 0 for ever
}

// Policy says what becomes of a row that fails (or is late).
type Policy uint8

// The policies.
const (
	PolicyNone Policy = iota
	PolicyDrop
	PolicyFail
	PolicyEmit // to the output `.errors` (or `.late`)
)

// Stmt is a statement of a body: a closed sum.
type Stmt interface {
	// Origin returns the place in the program.
	Origin() source.Span
	stmt()
}

// S is what every statement has. Statements are used by pointer and are immutable like expressions.
type S struct{ At source.Span }

// Origin implements Stmt.
func (s *S) Origin() source.Span { return s.At }
func (s *S) stmt()               {}

// SetLocal stores into a local slot.
type SetLocal struct {
	S
	Slot  int
	Value Expr
}

// SetState stores into a state variable of the key in hand.
type SetState struct {
	S
	Slot  int
	Value Expr
}

// SetIndex stores into a map, or a list (a bad index fails), held by a local or a state variable.
type SetIndex struct {
	S
	State bool
	Slot  int
	Key   Expr
	Value Expr
}

// Emit appends a row to an output of the node: Fields in the order of the output's layout.
type Emit struct {
	S
	Output     int
	Unanchored bool
	Fields     []Expr
}

// IfStmt runs Then or Else.
type IfStmt struct {
	S
	Cond       Expr
	Then, Else []Stmt
}

// For runs Body for each element of a list (Slot), or each entry of a map (Slot the key, Slot2 the value); with a list
// Slot2 is the element and Slot its index where two names were written. Slot2 is -1 where there is one name.
type For struct {
	S
	Slot, Slot2 int
	In          Expr
	Body        []Stmt
}

// Drop ends the row as dropped under Name.
type Drop struct {
	S
	Name string
}

// Fail fails the row with Message, which may have holes.
type Fail struct {
	S
	Message Expr
}

// Return ends the body; in a function, with Value.
type Return struct {
	S
	Value Expr // or nil
}

// Break leaves the innermost loop.
type Break struct{ S }

// Continue goes on with the next element of the innermost loop.
type Continue struct{ S }
