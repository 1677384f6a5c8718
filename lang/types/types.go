// Package types holds the types of the pipe language as immutable values.
//
// Types are structural: two records with the same fields in the same order are the same type, whatever name they were
// declared under; a name is kept for messages only. Types that only the standard library can write (type variables,
// `record`, `number`, `codec`, `type`) are here too, because its signatures are read by the same checker.
package types

import "strings"

// Type is a closed sum: Basic, *List, *Map, *Optional, *Record, *Enum, *Var.
type Type interface {
	// String returns the type as a program would write it.
	String() string
	typ()
}

// Basic is a type without parts.
type Basic uint8

// The basic types. Invalid is the poison of an expression that already has a diagnostic: whatever touches it stays
// silent. None is the type of the literal `none` alone. Never is the element type of `[]` and `[:]` before context
// says more. AnyRecord, Number, Codec, TypeName and Regex occur in signatures of the standard library only.
const (
	Invalid Basic = iota
	Bool
	Int
	Float
	String
	Bytes
	Time
	Duration
	JSON
	Secret
	None
	Never
	AnyRecord
	Number
	Codec
	TypeName
	Regex
)

var basicNames = [...]string{
	"invalid", "bool", "int", "float", "string", "bytes", "time", "duration", "json", "secret", "none", "nothing",
	"record", "number", "codec", "type", "regex",
}

// String returns the type's name in the language.
func (b Basic) String() string { return basicNames[b] }

// List is `[Elem]`.
type List struct{ Elem Type }

// Map is `[Key: Elem]`; it keeps insertion order.
type Map struct{ Key, Elem Type }

// Optional is `Elem?`. Elem is never Optional or None.
type Optional struct{ Elem Type }

// Record is `(name: T, …)`. Name is the declared name, for messages, or "".
type Record struct {
	Name   string
	Fields []Field
}

// Field is a field of a record.
type Field struct {
	Name string
	Type Type
}

// Enum is a set of strings, in order of declaration. Name is the declared name, for messages, or "".
type Enum struct {
	Name    string
	Members []string
}

// Var is a type variable of a standard library signature, a single capital letter.
type Var struct{ Name string }

func (Basic) typ()     {}
func (*List) typ()     {}
func (*Map) typ()      {}
func (*Optional) typ() {}
func (*Record) typ()   {}
func (*Enum) typ()     {}
func (*Var) typ()      {}

func (t *List) String() string     { return "[" + t.Elem.String() + "]" }
func (t *Map) String() string      { return "[" + t.Key.String() + ": " + t.Elem.String() + "]" }
func (t *Optional) String() string { return t.Elem.String() + "?" }
func (t *Var) String() string      { return t.Name }

// String returns the declared name, or the fields as written.
func (t *Record) String() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Shape()
}

// Shape returns the record's fields as a program would write them, whatever its name.
func (t *Record) Shape() string {
	var b strings.Builder
	b.WriteByte('(')
	for i, f := range t.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Name + ": " + f.Type.String())
	}
	b.WriteByte(')')
	return b.String()
}

// Index returns the index of the field with that name, or -1.
func (t *Record) Index(name string) int {
	for i, f := range t.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// String returns the declared name, or the members as written.
func (t *Enum) String() string {
	if t.Name != "" {
		return t.Name
	}
	var b strings.Builder
	for i, m := range t.Members {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(`"` + m + `"`)
	}
	return b.String()
}
