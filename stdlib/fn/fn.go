// Package fn holds the functions of the standard library: what runs the `fn` declarations of ../*.pipe.
//
// A function is declared there, with its documentation and examples, and implemented here under the same full name; a
// test holds the two against each other. The checker has verified every call against the declaration, so an argument
// has the kind that it says. A function with several declared forms tells them apart by the kind of its argument.
//
// No function keeps a size unchecked that its arguments could blow up: the result is measured before it is made.
package fn

import (
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

// Table returns all functions by their full names. The table is the caller's.
func Table() expr.Funcs {
	table := expr.Funcs{}
	for _, module := range [][]expr.Func{prelude(), text(), math(), list(), time(), file()} {
		for _, f := range module {
			if _, twice := table[f.Name]; twice {
				bug.Panicf("fn: %s is there twice", f.Name)
			}
			table[f.Name] = f
		}
	}
	return table
}

// pure makes a function of one that cannot fail.
func pure(name string, row func(args []value.Value) value.Value) expr.Func {
	return expr.Func{Name: name, Row: func(args []value.Value) (value.Value, error) { return row(args), nil }}
}

// fallible makes a function of one that can fail.
func fallible(name string, row expr.RowFunc) expr.Func {
	return expr.Func{Name: name, Fallible: true, Row: row}
}

// faulting makes a function of one that can fault.
func faulting(name string, row expr.RowFunc) expr.Func { return expr.Func{Name: name, Row: row} }

// listOf makes a list of strings.
func listOf(parts []string) value.Value {
	elems := make([]value.Value, len(parts))
	for i, p := range parts {
		elems[i] = value.OfString(p)
	}
	return value.OfList(elems)
}

// overflow is the fault of a result that does not fit into 64 bits.
func overflow(what string) error {
	return expr.Faultf(diag.IntOverflow, "%s: %v", what, value.Overflow)
}

// tooLong is the fault of a result that would be larger than a value may be.
func tooLong() error { return expr.Faultf(diag.ValueTooLarge, "the value is larger than 16 MiB") }
