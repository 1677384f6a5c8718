package expr

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// conversion changes a value's representation. A nil conversion changes nothing.
type conversion func(f *Frame, v value.Value) (value.Value, *Error)

func (c *compiler) convert(e *plan.Convert) eval {
	operand := c.expr(e.Operand)
	conv := converter(e.Operand.Type(), e.T, e.At)
	if conv == nil {
		return operand
	}
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		if err != nil {
			return value.Value{}, err
		}
		return conv(f, v)
	}
}

// converter returns how a value of type from becomes one of type to. Only a string that becomes the member of an enum
// can fail, and only a text that becomes too large can fault.
func converter(from, to types.Type, at source.Span) conversion {
	if types.Equal(from, to) {
		return nil
	}
	if types.IsOptional(from) || types.IsOptional(to) {
		return optionalConverter(from, to, at)
	}
	switch to := to.(type) {
	case types.Basic:
		return basicConverter(from, to, at)
	case *types.Enum:
		return enumConverter(from, to, at)
	case *types.Record:
		return recordConverter(from, to, at)
	case *types.List:
		return listConverter(from, to, at)
	case *types.Map:
		return mapConverter(from, to, at)
	}
	bug.Panicf("expr: no conversion of %s to %s", from, to)
	return nil
}

// optionalConverter converts what there is and leaves none as it is. `T?` becomes `T` only where the checker has seen
// that there is a value.
func optionalConverter(from, to types.Type, at source.Span) conversion {
	if from == types.None || from == types.Never {
		return nil
	}
	if to == types.String && types.IsOptional(from) && !types.IsString(types.Bare(from)) {
		return textConverter(from, at)
	}
	conv := converter(types.Bare(from), types.Bare(to), at)
	if conv == nil {
		return nil
	}
	return func(f *Frame, v value.Value) (value.Value, *Error) {
		if v.IsNone() {
			return v, nil
		}
		return conv(f, v)
	}
}

func basicConverter(from types.Type, to types.Basic, at source.Span) conversion {
	switch {
	case from == types.Never:
		return nil
	case to == types.Float && from == types.Int:
		return func(_ *Frame, v value.Value) (value.Value, *Error) { return value.OfFloat(float64(v.Int())), nil }
	case to == types.String && (types.IsString(from) || from == types.Secret), to == types.Secret && types.IsString(from):
		return nil
	case to == types.String:
		return textConverter(from, at)
	}
	bug.Panicf("expr: no conversion of %s to %s", from, to)
	return nil
}

// textConverter writes a value as a hole of a string does.
func textConverter(from types.Type, at source.Span) conversion {
	big := grows(from)
	return func(f *Frame, v value.Value) (value.Value, *Error) {
		if big && value.TooLarge(v) {
			return value.Value{}, tooLarge(at)
		}
		base := len(f.buf)
		f.buf = value.AppendText(f.buf, v, from)
		text := string(f.buf[base:])
		f.buf = f.buf[:base]
		if len(text) > value.MaxSize {
			return value.Value{}, tooLarge(at)
		}
		return value.OfString(text), nil
	}
}

// enumConverter checks that a string is a member, unless every member of its type is.
func enumConverter(from types.Type, to *types.Enum, at source.Span) conversion {
	if from == types.Never {
		return nil
	}
	if enum, ok := from.(*types.Enum); ok && !slices.ContainsFunc(enum.Members, func(m string) bool {
		return !slices.Contains(to.Members, m)
	}) {
		return nil
	}
	if !types.IsString(from) {
		bug.Panicf("expr: no conversion of %s to %s", from, to)
	}
	return func(_ *Frame, v value.Value) (value.Value, *Error) {
		if slices.Contains(to.Members, v.Str()) {
			return v, nil
		}
		return value.Value{}, &Error{
			Code: diag.NotInEnum, Message: Quote(v.Str()) + " is no member of " + to.String(), Place: at,
		}
	}
}

// recordConverter takes the fields that the narrower record has, by name.
func recordConverter(from types.Type, to *types.Record, at source.Span) conversion {
	wide, ok := from.(*types.Record)
	if !ok {
		if from == types.Never {
			return nil
		}
		bug.Panicf("expr: no conversion of %s to %s", from, to)
	}
	type field struct {
		from int
		conv conversion
	}
	fields := make([]field, len(to.Fields))
	same := len(wide.Fields) == len(to.Fields)
	for i, f := range to.Fields {
		at2 := wide.Index(f.Name)
		if at2 < 0 {
			bug.Panicf("expr: %s has no field `%s` for %s", wide.Shape(), f.Name, to.Shape())
		}
		fields[i] = field{at2, converter(wide.Fields[at2].Type, f.Type, at)}
		same = same && at2 == i && fields[i].conv == nil
	}
	if same {
		return nil
	}
	return func(f *Frame, v value.Value) (value.Value, *Error) {
		out := make([]value.Value, len(fields))
		for i, field := range fields {
			x := v.Elems()[field.from]
			if field.conv != nil {
				var err *Error
				if x, err = field.conv(f, x); err != nil {
					return value.Value{}, err
				}
			}
			out[i] = x
		}
		return value.OfRecord(out), nil
	}
}

func listConverter(from types.Type, to *types.List, at source.Span) conversion {
	list, ok := from.(*types.List)
	if !ok {
		if from == types.Never {
			return nil
		}
		bug.Panicf("expr: no conversion of %s to %s", from, to)
	}
	conv := converter(list.Elem, to.Elem, at)
	if conv == nil {
		return nil
	}
	return func(f *Frame, v value.Value) (value.Value, *Error) {
		elems, err := convertAll(f, v.Elems(), conv)
		return value.OfList(elems), err
	}
}

func mapConverter(from types.Type, to *types.Map, at source.Span) conversion {
	m, ok := from.(*types.Map)
	if !ok {
		if from == types.Never {
			return nil
		}
		bug.Panicf("expr: no conversion of %s to %s", from, to)
	}
	key, elem := converter(m.Key, to.Key, at), converter(m.Elem, to.Elem, at)
	if key == nil && elem == nil {
		return nil
	}
	return func(f *Frame, v value.Value) (value.Value, *Error) {
		keys, err := convertAll(f, v.Keys(), key)
		if err != nil {
			return value.Value{}, err
		}
		elems, err := convertAll(f, v.Elems(), elem)
		return value.OfMap(keys, elems), err
	}
}

func convertAll(f *Frame, vs []value.Value, conv conversion) ([]value.Value, *Error) {
	if conv == nil {
		return vs, nil
	}
	out := make([]value.Value, len(vs))
	for i, v := range vs {
		x, err := conv(f, v)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}
