package types

import (
	"slices"

	"github.com/pipec/pipec/internal/bug"
)

// Equal reports whether a and b are the same type: records with the same fields in the same order, enums with the same
// members in whatever order, whatever their names.
func Equal(a, b Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case Basic:
		return false // equal ones were the same value
	case *List:
		b, ok := b.(*List)
		return ok && Equal(a.Elem, b.Elem)
	case *Map:
		b, ok := b.(*Map)
		return ok && Equal(a.Key, b.Key) && Equal(a.Elem, b.Elem)
	case *Optional:
		b, ok := b.(*Optional)
		return ok && Equal(a.Elem, b.Elem)
	case *Record:
		b, ok := b.(*Record)
		return ok && slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool {
			return x.Name == y.Name && Equal(x.Type, y.Type)
		})
	case *Enum:
		b, ok := b.(*Enum)
		return ok && len(a.Members) == len(b.Members) && !slices.ContainsFunc(a.Members, func(m string) bool {
			return !slices.Contains(b.Members, m)
		})
	case *Var:
		b, ok := b.(*Var)
		return ok && a.Name == b.Name
	default:
		bug.Panicf("types: unknown type %T", a)
		return false
	}
}

// Has reports whether a type found fits t, or a part of it, for which ok is true.
func Has(t Type, ok func(Type) bool) bool {
	if ok(t) {
		return true
	}
	switch t := t.(type) {
	case *List:
		return Has(t.Elem, ok)
	case *Map:
		return Has(t.Key, ok) || Has(t.Elem, ok)
	case *Optional:
		return Has(t.Elem, ok)
	case *Record:
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return Has(f.Type, ok) })
	}
	return false
}

// IsInvalid reports whether t is the poison of what already has a diagnostic, or has it in it.
func IsInvalid(t Type) bool { return Has(t, func(t Type) bool { return t == Invalid }) }

// IsOptional reports whether a value of t can be none.
func IsOptional(t Type) bool {
	_, ok := t.(*Optional)
	return ok || t == None
}

// IsNumber reports whether t is int or float.
func IsNumber(t Type) bool { return t == Int || t == Float }

// IsString reports whether t is a string or an enum, which is one.
func IsString(t Type) bool {
	_, ok := t.(*Enum)
	return ok || t == String
}

// IsOrdered reports whether `<` can order two values of t.
func IsOrdered(t Type) bool {
	switch t {
	case Int, Float, String, Bytes, Time, Duration:
		return true
	}
	return false
}

// IsKey reports whether t can be the key of a map: what has one spelling for each value.
func IsKey(t Type) bool {
	switch t {
	case Bool, Int, String, Bytes, Time, Duration, Invalid:
		return true
	}
	_, ok := t.(*Enum)
	return ok
}

// Bare returns t without its optionality.
func Bare(t Type) Type {
	if o, ok := t.(*Optional); ok {
		return o.Elem
	}
	return t
}

// Opt returns T? for T, and T? for T?.
func Opt(t Type) Type {
	switch t {
	case Invalid, None:
		return t
	}
	if _, ok := t.(*Optional); ok {
		return t
	}
	return &Optional{Elem: t}
}

// Assignable reports whether a value of type from may stand where to is wanted: the same type, or one of the implicit
// conversions enum → string, T → T?, none → T?, a wider record → a narrower one. Conversions of constants (int →
// float, string literal → enum) are the checker's. Poison fits everywhere, so that nothing is told twice.
func Assignable(from, to Type) bool {
	if from == Never || IsInvalid(from) || IsInvalid(to) || Equal(from, to) {
		return true
	}
	switch to := to.(type) {
	case *Optional:
		return from == None || Assignable(Bare(from), to.Elem)
	case Basic:
		switch to {
		case String:
			return IsString(from)
		case Number:
			return IsNumber(from)
		case AnyRecord:
			_, ok := from.(*Record)
			return ok
		}
	case *Record:
		from, ok := from.(*Record)
		return ok && narrows(from, to)
	case *List: // only the elements of an empty literal fit
		from, ok := from.(*List)
		return ok && from.Elem == Never
	case *Map:
		from, ok := from.(*Map)
		return ok && from.Key == Never
	}
	return false
}

// narrows reports whether to has only fields of from, of the same types.
func narrows(from, to *Record) bool {
	for _, f := range to.Fields {
		i := from.Index(f.Name)
		if i < 0 || !Equal(from.Fields[i].Type, f.Type) {
			return false
		}
	}
	return true
}

// Join returns the type that values of a and of b have in common, for branches and elements, or false if there is
// none: the one that the other can stand for, made optional if either is.
func Join(a, b Type) (Type, bool) {
	if IsInvalid(a) || IsInvalid(b) {
		return Invalid, true
	}
	switch {
	case a == None && b == None:
		return None, true
	case a == None:
		return Opt(b), true
	case b == None:
		return Opt(a), true
	}
	bareA, bareB := Bare(a), Bare(b)
	var t Type
	switch {
	case Assignable(bareA, bareB):
		t = bareB
	case Assignable(bareB, bareA):
		t = bareA
	case IsString(bareA) && IsString(bareB):
		t = String
	default:
		return nil, false
	}
	if IsOptional(a) || IsOptional(b) {
		t = Opt(t)
	}
	return t, true
}

// Common returns the fields that a and b share by name and type, in the order of a: what an inline step takes at a
// fan-in.
func Common(a, b *Record) *Record {
	if Equal(a, b) {
		return a
	}
	common := &Record{}
	for _, f := range a.Fields {
		if i := b.Index(f.Name); i >= 0 && Equal(b.Fields[i].Type, f.Type) {
			common.Fields = append(common.Fields, f)
		}
	}
	return common
}
