package batch

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
)

// MaxData is the most bytes that the Data of one column may have, so that offsets stay far below 2^32. Who builds a
// column that would exceed it makes two batches instead (see Builder.Full).
const MaxData = 1 << 30

// Kind says which slices of a Col a type uses. Types of one kind are stored alike.
type Kind uint8

// The kinds. KindNone is the type of `none` alone (only Valid) and the element of `[]` (nothing).
const (
	KindNone Kind = iota
	KindBool
	KindInt
	KindFloat
	KindStr
	KindList
	KindMap
	KindRecord
)

// KindOf returns the kind of a type, and of T for an optional T.
func KindOf(t types.Type) Kind {
	switch t := t.(type) {
	case *types.Optional:
		return KindOf(t.Elem)
	case *types.List:
		return KindList
	case *types.Map:
		return KindMap
	case *types.Record:
		return KindRecord
	case *types.Enum:
		return KindStr
	case types.Basic:
		return basicKind(t)
	default:
		bug.Panicf("exec/batch: no column holds a %s", t)
		return 0
	}
}

func basicKind(t types.Basic) Kind {
	switch t {
	case types.Bool:
		return KindBool
	case types.Int, types.Time, types.Duration:
		return KindInt
	case types.Float:
		return KindFloat
	case types.String, types.Bytes, types.JSON, types.Secret:
		return KindStr
	case types.None, types.Never:
		return KindNone
	default:
		bug.Panicf("exec/batch: no column holds a %s", t)
		return 0
	}
}

// Elem returns T of an optional T, and any other type as it is.
func Elem(t types.Type) types.Type {
	if o, ok := t.(*types.Optional); ok {
		return o.Elem
	}
	return t
}

// IsOptional reports whether columns of the type may have Valid.
func IsOptional(t types.Type) bool {
	_, ok := t.(*types.Optional)
	return ok || t == types.None
}

// subTypes returns the types of the Sub columns of a type.
func subTypes(t types.Type) []types.Type {
	switch t := Elem(t).(type) {
	case *types.List:
		return []types.Type{t.Elem}
	case *types.Map:
		return []types.Type{t.Key, t.Elem}
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		for i, f := range t.Fields {
			ts[i] = f.Type
		}
		return ts
	}
	return nil
}
