package types

import "slices"

// Bindings is what the type variables of one call stand for, by name.
type Bindings map[string]Type

// HasVars reports whether t has a type variable or `number` in it, which a call has to put types in for.
func HasVars(t Type) bool {
	return Has(t, func(t Type) bool {
		_, ok := t.(*Var)
		return ok || t == Number
	})
}

// Infer binds the type variables of param so that an argument of type arg fits, and reports whether it can. A variable
// that is bound already keeps its type if arg fits it, and is widened where arg is the wider one.
func (b Bindings) Infer(param, arg Type) bool {
	if IsInvalid(arg) || IsInvalid(param) || arg == Never {
		return true
	}
	switch param := param.(type) {
	case *Var:
		return b.bind(param.Name, arg)
	case Basic:
		if param == Number {
			return IsNumber(arg) && b.bind(Number.String(), arg)
		}
		return Assignable(arg, param)
	case *List:
		arg, ok := arg.(*List)
		return ok && b.Infer(param.Elem, arg.Elem)
	case *Map:
		arg, ok := arg.(*Map)
		return ok && b.Infer(param.Key, arg.Key) && b.Infer(param.Elem, arg.Elem)
	case *Optional:
		return arg == None || b.Infer(param.Elem, Bare(arg))
	case *Record:
		arg, ok := arg.(*Record)
		return ok && !slices.ContainsFunc(param.Fields, func(f Field) bool {
			i := arg.Index(f.Name)
			return i < 0 || !b.Infer(f.Type, arg.Fields[i].Type)
		})
	}
	return Assignable(arg, param)
}

func (b Bindings) bind(name string, t Type) bool {
	old, ok := b[name]
	switch {
	case !ok || IsInvalid(old) || Assignable(old, t):
		b[name] = t
		return true
	case IsNumber(old) && IsNumber(t):
		b[name] = Float
		return true
	}
	return Assignable(t, old)
}

// Put returns t with the variables replaced by what they are bound to; one that is not bound becomes Never.
func (b Bindings) Put(t Type) Type {
	switch t := t.(type) {
	case *Var:
		return b.get(t.Name)
	case Basic:
		if t == Number {
			return b.get(Number.String())
		}
		return t
	case *List:
		return &List{Elem: b.Put(t.Elem)}
	case *Map:
		return &Map{Key: b.Put(t.Key), Elem: b.Put(t.Elem)}
	case *Optional:
		return Opt(b.Put(t.Elem))
	case *Record:
		if !HasVars(t) {
			return t
		}
		r := &Record{Name: t.Name, Fields: slices.Clone(t.Fields)}
		for i := range r.Fields {
			r.Fields[i].Type = b.Put(r.Fields[i].Type)
		}
		return r
	}
	return t
}

func (b Bindings) get(name string) Type {
	if t, ok := b[name]; ok {
		return t
	}
	return Never
}
