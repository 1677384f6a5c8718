// Package value holds single values of the pipe language: constants of a program, settings of connectors, and the
// values that row-by-row code computes with. Values are immutable by convention: who changes a list or map copies it.
//
// A Value does not know its static type, only its kind; record fields are by position, in the order of their type.
// Hot code does not use Values but the typed columns of exec/batch.
package value

import (
	"math"
	"sync/atomic"
	"time"
)

// Kind says what a Value holds.
type Kind uint8

// The kinds. None is the zero Value: the absence of an optional. An enum member is a String.
const (
	None Kind = iota
	Bool
	Int
	Float
	String
	Bytes
	Time     // nanoseconds since the Unix epoch, UTC
	Duration // nanoseconds
	List
	Map
	Record
)

// Value is one value. The zero Value is none.
type Value struct {
	kind Kind
	n    int64  // bool, int, time, duration; float as bits
	s    string // string, bytes
	c    *composite
}

type composite struct {
	elems []Value // of a list; fields of a record; values of a map
	keys  []Value // of a map, in insertion order
	// index finds an entry of a large map by its key's encoding; nil until somebody searches it.
	index atomic.Pointer[map[string]int]
}

// OfBool, OfInt and the others below make a Value of a Go value.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, n: 1}
	}
	return Value{kind: Bool}
}

// OfInt returns an int.
func OfInt(n int64) Value { return Value{kind: Int, n: n} }

// OfFloat returns a float.
func OfFloat(f float64) Value { return Value{kind: Float, n: int64(math.Float64bits(f))} }

// OfString returns a string, or the member of an enum.
func OfString(s string) Value { return Value{kind: String, s: s} }

// OfBytes returns bytes, held as an immutable string.
func OfBytes(s string) Value { return Value{kind: Bytes, s: s} }

// OfTime returns a time given in nanoseconds since the Unix epoch.
func OfTime(ns int64) Value { return Value{kind: Time, n: ns} }

// OfDuration returns a duration.
func OfDuration(d time.Duration) Value { return Value{kind: Duration, n: int64(d)} }

// OfList returns a list, which takes the slice over.
func OfList(elems []Value) Value { return Value{kind: List, c: &composite{elems: elems}} }

// OfRecord returns a record with its fields in the order of its type; it takes the slice over.
func OfRecord(fields []Value) Value { return Value{kind: Record, c: &composite{elems: fields}} }

// OfMap returns a map with keys (without repeats) and their values in insertion order; it takes both slices over.
func OfMap(keys, elems []Value) Value {
	return Value{kind: Map, c: &composite{keys: keys, elems: elems}}
}

// Kind returns what v holds.
func (v Value) Kind() Kind { return v.kind }

// IsNone reports whether v is none.
func (v Value) IsNone() bool { return v.kind == None }

// Bool returns a bool's value.
func (v Value) Bool() bool { return v.n != 0 }

// Int returns the value of an int, or the nanoseconds of a time or duration.
func (v Value) Int() int64 { return v.n }

// Float returns a float's value.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.n)) }

// Str returns the bytes of a string, bytes or enum member.
func (v Value) Str() string { return v.s }

// Duration returns a duration's value.
func (v Value) Duration() time.Duration { return time.Duration(v.n) }

// Elems returns a list's elements, a record's fields or a map's values; the caller must not change them.
func (v Value) Elems() []Value {
	if v.c == nil {
		return nil
	}
	return v.c.elems
}

// Keys returns a map's keys in insertion order; the caller must not change them.
func (v Value) Keys() []Value {
	if v.c == nil {
		return nil
	}
	return v.c.keys
}
