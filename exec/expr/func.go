package expr

import (
	"fmt"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// RowFunc computes a library function for one row. It must not keep or change args, and must not change what they hold;
// it may be called by several goroutines at once. Its error is made by Failf or Faultf; the caller gives it a place.
type RowFunc func(args []value.Value) (value.Value, error)

// Func is a library function. Exactly one of Row and Bind is set.
type Func struct {
	Name string // full: "words", "text.lower"
	// Fallible: some form of it can fail. Any function can fault.
	Fallible bool
	// Clock: it takes the time of the row, Frame.Now, as one more argument at the end, of kind Time.
	Clock bool
	Row   RowFunc
	// Bind makes Row for one call: of a function that has to know types, or that prepares a constant argument once.
	Bind func(call Sig) RowFunc
}

// Sig is what is known about one call before it runs.
type Sig struct {
	Args   []types.Type
	Result types.Type
	// Consts holds the arguments that are constants, nil for the others; as long as Args.
	Consts []*value.Value
}

// Funcs are library functions by their full names. It is read by several goroutines and never changed once in use.
type Funcs map[string]Func

// Of returns the implementation for one call.
func (f Func) Of(call Sig) RowFunc {
	if f.Bind != nil {
		return f.Bind(call)
	}
	return f.Row
}

// Error is why a row has no result: a failure, which a program can settle, or a fault, which it cannot.
type Error struct {
	Code    diag.Code
	Message string // a clause: what was found and what was wanted
	Place   source.Span
	Fault   bool
}

// Error returns place, message and code.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%s)", e.Place, e.Message, e.Code) }

// Record returns the error as the record (code, message, place) that a program sees; see ErrorType.
func (e *Error) Record() value.Value {
	place := ""
	if e.Place.IsValid() {
		place = e.Place.String()
	}
	return value.OfRecord([]value.Value{
		value.OfString(string(e.Code)), value.OfString(e.Message), value.OfString(place),
	})
}

// ErrorType returns the type of Error.Record.
func ErrorType() *types.Record {
	return &types.Record{Fields: []types.Field{
		{Name: "code", Type: types.String}, {Name: "message", Type: types.String}, {Name: "place", Type: types.String},
	}}
}

// Failf returns a failure without a place, for a library function.
func Failf(code diag.Code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Faultf returns a fault without a place, for a library function.
func Faultf(code diag.Code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Fault: true}
}

// CheckText returns s, or the fault that it is larger than a value may be.
func CheckText(s string) (value.Value, error) {
	if len(s) > value.MaxSize {
		return value.Value{}, Faultf(diag.ValueTooLarge, "a text of %d bytes is larger than 16 MiB", len(s))
	}
	return value.OfString(s), nil
}

// CheckSize returns v, or the fault that it is larger than a value may be.
func CheckSize(v value.Value) (value.Value, error) {
	if value.TooLarge(v) {
		return value.Value{}, Faultf(diag.ValueTooLarge, "the value is larger than 16 MiB")
	}
	return v, nil
}

// Quote returns a text as a program writes it, cut where it is long, for messages.
func Quote(s string) string {
	const most = 60
	if len(s) <= most {
		return "`" + string(value.AppendQuoted(nil, s)) + "`"
	}
	for i := range s { // the start of the first code point from there on
		if i >= most-10 {
			s = s[:i]
			break
		}
	}
	return "`" + string(value.AppendQuoted(nil, s)) + "`…"
}
