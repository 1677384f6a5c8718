package check

import (
	"maps"
	"slices"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// typeExpr returns the type that is written, or types.Invalid after telling why it is none.
func (c *checker) typeExpr(t ast.TypeExpr) types.Type {
	if done := c.info.Written[t]; done != nil {
		return done
	}
	result := c.newType(t)
	c.info.Written[t] = result
	return result
}

func (c *checker) newType(t ast.TypeExpr) types.Type {
	switch t := t.(type) {
	case *ast.TypeRef:
		return c.typeRef(t)
	case *ast.RecordType:
		return c.recordType(t)
	case *ast.ListType:
		return &types.List{Elem: c.typeExpr(t.Elem)}
	case *ast.MapType:
		key := c.typeExpr(t.Key)
		if !types.IsKey(key) {
			c.errorf(diag.BadKeyType, t.Key.Span(), "%s cannot be the key of a map", aType(key)).
				note("Keys are bool, int, string, bytes, time, duration or an enum.")
			key = types.Invalid
		}
		return &types.Map{Key: key, Elem: c.typeExpr(t.Elem)}
	case *ast.EnumType:
		e := &types.Enum{}
		for _, m := range t.Members {
			text := catalog.Text(m)
			if slices.Contains(e.Members, text) {
				c.errorf(diag.DuplicateField, m.Span(), "the member %q stands twice", text)
				continue
			}
			e.Members = append(e.Members, text)
		}
		return e
	case *ast.OptionalType:
		return types.Opt(c.typeExpr(t.Elem))
	case *ast.BadType:
		c.haze(typeNames)
		return types.Invalid
	default:
		bug.Panicf("check: type %T", t)
		return nil
	}
}

func (c *checker) recordType(t *ast.RecordType) types.Type {
	r := &types.Record{}
	first := map[string]*ast.Ident{}
	for _, f := range t.Fields {
		ft := c.typeExpr(f.Type)
		if f.Name.Name == "" {
			continue
		}
		if other := first[f.Name.Name]; other != nil {
			c.errorf(diag.DuplicateField, f.Name.Span(), "the field `%s` stands twice", f.Name.Name).
				label("again here").related(other.Span(), "first here")
			continue
		}
		first[f.Name.Name] = f.Name
		r.Fields = append(r.Fields, types.Field{Name: f.Name.Name, Type: ft})
	}
	return r
}

func (c *checker) typeRef(t *ast.TypeRef) types.Type {
	id := t.Ref.Parts[0]
	switch {
	case id.Name == "":
		c.haze(typeNames)
		return types.Invalid
	case len(t.Ref.Parts) == 2:
		mod := c.moduleNamed(id)
		if mod == nil {
			return types.Invalid
		}
		obj := c.member(mod, t.Ref.Parts[1], "type", typesOf)
		if obj == nil {
			return types.Invalid
		}
		return c.typeOf(obj, t.Ref.Parts[1])
	case len(t.Ref.Parts) > 2:
		c.haze(typeNames)
		c.errorf(diag.UnknownType, t.Span(), "`%s` is not the name of a type", t.Span().Text())
		return types.Invalid
	}
	if b, ok := catalog.Basic(id.Name); ok {
		if b == types.JSON || b == types.Secret {
			c.notYet(id.Span(), "the type `"+id.Name+"`")
			return types.Invalid
		}
		return b
	}
	if obj := c.unit.types[id.Name]; obj != nil {
		obj.Used = true
		c.info.Objects[id] = obj
		return c.typeOf(obj, id)
	}
	c.unknownType(id)
	return types.Invalid
}

func (c *checker) unknownType(id *ast.Ident) {
	c.haze(typeNames)
	if c.spoils.meant(id.Name) || c.again(toldName{c.unit, nil, typeNames, id.Name}, id) {
		return
	}
	if _, ok := catalog.LibraryType(id.Name); ok {
		c.errorf(diag.LibraryOnly, id.Span(), "only signatures of the standard library can say `%s`", id.Name)
		return
	}
	r := c.errorf(diag.UnknownType, id.Span(), "no type `%s`", id.Name)
	c.lostNames[toldName{c.unit, nil, typeNames, id.Name}] = r
	if c.compares() {
		names := slices.Sorted(maps.Keys(c.unit.types))
		names = append(names, "bool", "int", "float", "string", "bytes", "time", "duration")
		r.suggest(id.Span(), id.Name, names, "The types are")
	}
	if id.Name == "decimal" {
		r.note("`decimal` is kept for later.")
	}
}

// typeOf returns what a type declaration stands for; id is where it is named.
func (c *checker) typeOf(obj *Object, id *ast.Ident) types.Type {
	c.resolve(obj, id)
	return obj.Type
}

// resolveType resolves a type declaration.
func (c *checker) resolveType(obj *Object, d *ast.TypeDecl) {
	if c.spoiledHead(d) {
		c.markUsed(d.Type)
		return
	}
	obj.Type = catalog.Named(c.typeExpr(d.Type), obj.Name)
}

// aType returns a type for messages, with an article where it is a word.
func aType(t types.Type) string {
	switch t := t.(type) {
	case types.Basic:
		switch t {
		case types.Int:
			return "an int"
		case types.Bytes:
			return "bytes"
		case types.None:
			return "`none`"
		case types.AnyRecord:
			return "a record"
		case types.Number:
			return "a number"
		case types.Regex:
			return "a regular expression"
		case types.TypeName:
			return "a type"
		default:
			return "a " + t.String()
		}
	case *types.List:
		if t.Elem == types.Never {
			return "an empty list"
		}
		return "a list `" + t.String() + "`"
	case *types.Map:
		if t.Key == types.Never {
			return "an empty map"
		}
		return "a map `" + t.String() + "`"
	case *types.Record:
		if t.Name != "" {
			return "the record `" + t.Name + "`"
		}
		return "a record `" + t.String() + "`"
	case *types.Enum:
		if t.Name != "" {
			return "the enum `" + t.Name + "`"
		}
		return "one of `" + t.String() + "`"
	case *types.Optional:
		return "an optional `" + t.String() + "`"
	case *types.Var:
		return "any value"
	default:
		bug.Panicf("check: type %T", t)
		return ""
	}
}
