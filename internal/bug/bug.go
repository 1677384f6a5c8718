// Package bug reports what cannot happen: a broken invariant of pipec itself, never a user's mistake.
package bug

import "fmt"

// Panicf panics with a message that says the fault is pipec's. Commands recover it once, at their outermost boundary.
func Panicf(format string, args ...any) {
	panic(Bug(fmt.Sprintf(format, args...)))
}

// Bug is the value that Panicf panics with.
type Bug string

// Error returns the message; Bug is an error so that a boundary can pass it on.
func (b Bug) Error() string { return "internal error: " + string(b) }
