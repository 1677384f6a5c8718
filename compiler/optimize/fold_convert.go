package optimize

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// foldConvert converts constants.
func foldConvert(e *plan.Convert) plan.Expr {
	c, ok := e.Operand.(*plan.Const)
	if !ok {
		return e
	}
	v, ok := converted(c.Value, c.T, e.T)
	if !ok {
		return e
	}
	return sized(e, &plan.Const{X: e.X, Value: v})
}

// converted converts a value of one type to another as a Convert does, or returns false where that may not be known
// here: a string that is to be a member of an enum, what is none where it must not be.
func converted(v value.Value, from, to types.Type) (value.Value, bool) {
	if v.IsNone() {
		return v, types.IsOptional(to) || to == types.None
	}
	from, to = types.Bare(from), types.Bare(to)
	if types.Equal(from, to) {
		return v, true
	}
	switch to := to.(type) {
	case types.Basic:
		switch {
		case from == types.Int && to == types.Float:
			return value.OfFloat(float64(v.Int())), true
		case to == types.String:
			return value.OfString(string(value.AppendText(nil, v, from))), true
		}
	case *types.List:
		if from, ok := from.(*types.List); ok {
			elems, ok := convertedAll(v.Elems(), from.Elem, to.Elem)
			return value.OfList(elems), ok
		}
	case *types.Map:
		if from, ok := from.(*types.Map); ok {
			keys, ok := convertedAll(v.Keys(), from.Key, to.Key)
			elems, ok2 := convertedAll(v.Elems(), from.Elem, to.Elem)
			if ok && ok2 {
				return value.NewMap(keys, elems), true
			}
		}
	case *types.Record:
		if from, ok := from.(*types.Record); ok {
			return narrowed(v, from, to)
		}
	}
	return value.Value{}, false
}

func convertedAll(list []value.Value, from, to types.Type) ([]value.Value, bool) {
	out := make([]value.Value, len(list))
	for i, v := range list {
		var ok bool
		if out[i], ok = converted(v, from, to); !ok {
			return nil, false
		}
	}
	return out, true
}

// narrowed takes the fields that the narrower record has, by name.
func narrowed(v value.Value, from, to *types.Record) (value.Value, bool) {
	fields := make([]value.Value, len(to.Fields))
	for i, f := range to.Fields {
		j := from.Index(f.Name)
		if j < 0 {
			if !types.IsOptional(f.Type) {
				return value.Value{}, false
			}
			continue // none
		}
		var ok bool
		if fields[i], ok = converted(v.Elems()[j], from.Fields[j].Type, f.Type); !ok {
			return value.Value{}, false
		}
	}
	return value.OfRecord(fields), true
}
