package catalog

import (
	"slices"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// Basic returns the basic type that programs write as name.
func Basic(name string) (types.Type, bool) {
	for _, b := range [...]types.Basic{
		types.Bool, types.Int, types.Float, types.String, types.Bytes, types.Time, types.Duration, types.JSON, types.Secret,
	} {
		if b.String() == name {
			return b, true
		}
	}
	return nil, false
}

// LibraryType returns the type that only signatures of the standard library write as name: `record`, `number`,
// `codec`, `type`, `regex`, or a type variable, which is a single capital letter.
func LibraryType(name string) (types.Type, bool) {
	for _, b := range [...]types.Basic{types.AnyRecord, types.Number, types.Codec, types.TypeName, types.Regex} {
		if b.String() == name {
			return b, true
		}
	}
	if len(name) == 1 && 'A' <= name[0] && name[0] <= 'Z' {
		return &types.Var{Name: name}, true
	}
	return nil, false
}

func (l *loader) typeExpr(t ast.TypeExpr) types.Type {
	switch t := t.(type) {
	case *ast.TypeRef:
		return l.typeRef(t)
	case *ast.RecordType:
		r := &types.Record{}
		for _, f := range t.Fields {
			r.Fields = append(r.Fields, types.Field{Name: f.Name.Name, Type: l.typeExpr(f.Type)})
		}
		return r
	case *ast.ListType:
		return &types.List{Elem: l.typeExpr(t.Elem)}
	case *ast.MapType:
		return &types.Map{Key: l.typeExpr(t.Key), Elem: l.typeExpr(t.Elem)}
	case *ast.EnumType:
		e := &types.Enum{}
		for _, m := range t.Members {
			e.Members = append(e.Members, Text(m))
		}
		return e
	case *ast.OptionalType:
		return types.Opt(l.typeExpr(t.Elem))
	case *ast.BadType:
		l.bad = true
		return types.Invalid
	default:
		bug.Panicf("catalog: type %T", t)
		return nil
	}
}

func (l *loader) typeRef(t *ast.TypeRef) types.Type {
	id := t.Ref.Parts[0]
	if len(t.Ref.Parts) == 1 {
		if b, ok := Basic(id.Name); ok {
			return b
		}
		if d := l.types[id.Name]; d != nil && !slices.Contains(l.open, id.Name) {
			l.open = append(l.open, id.Name)
			defer func() { l.open = l.open[:len(l.open)-1] }()
			return Named(l.typeExpr(d.Type), id.Name)
		}
		if b, ok := LibraryType(id.Name); ok {
			return b
		}
	}
	l.errorf(diag.UnknownType, t.Span(), "no type `%s`", t.Span().Text())
	return types.Invalid
}

// Named returns a record or enum under the name of its declaration, and any other type as it is.
func Named(t types.Type, name string) types.Type {
	switch t := t.(type) {
	case *types.Record:
		return &types.Record{Name: name, Fields: t.Fields}
	case *types.Enum:
		return &types.Enum{Name: name, Members: t.Members}
	}
	return t
}

// Text returns the value of a string literal without holes.
func Text(s *ast.StrLit) string {
	var text string
	for _, p := range s.Parts {
		if t, ok := p.(*ast.StrText); ok {
			text += t.Value
		}
	}
	return text
}
