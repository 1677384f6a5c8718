package check

import (
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Record literals. An item is `name: value`, a name or path whose last word is the field's name, or `..record`. A field
// that an item names is that item's, wherever spreads stand; else the last spread that has it gives it.

// ItemName returns the field that an item of a record literal makes, or "" for a spread or an item without a name.
func ItemName(it *ast.Item) string {
	switch {
	case it.Spread:
		return ""
	case it.Name != nil:
		return it.Name.Name
	}
	switch x := it.Value.(type) {
	case *ast.NameExpr:
		return x.Name.Name
	case *ast.MemberExpr:
		return x.Name.Name
	}
	return ""
}

// record checks the record of a select or aggregate; want may be nil. It returns nil after telling what is wrong.
func (c *checker) record(sc *scope, e *ast.RecordExpr, want *types.Record) *types.Record {
	var t types.Type
	if want != nil {
		t = c.exprFor(sc, e, expect{t: want})
	} else {
		t = c.infer(sc, e, nil)
	}
	r, _ := isRecord(t)
	if r == nil || types.IsInvalid(r) {
		return nil
	}
	return r
}

// recordItems names the items of a literal, and tells repeated names.
func (c *checker) recordItems(e *ast.RecordExpr) (names []string, ok bool) {
	first := map[string]*ast.Item{}
	ok = true
	for _, it := range e.Items {
		name := ItemName(it)
		names = append(names, name)
		switch {
		case it.Spread:
		case name == "":
			ok = false
		case first[name] != nil:
			c.errorf(diag.DuplicateField, it.Span(), "the field `%s` stands twice", name).
				label("again here").related(first[name].Span(), "first here")
			ok = false
		default:
			first[name] = it
		}
	}
	return names, ok
}

// unlabelled tells an item without a name whose value is of type t.
func (c *checker) unlabelled(it *ast.Item, t types.Type) {
	if it.Name != nil || types.IsInvalid(t) {
		return
	}
	if _, bad := it.Value.(*ast.BadExpr); bad {
		c.haze(everyName)
		return
	}
	if m, member := it.Value.(*ast.MemberExpr); member && m.Name.Name == "" {
		return
	}
	c.errorf(diag.Unlabelled, it.Span(), "this field has no name").label("needs one").
		note("Only a name or a path names its field by itself; all else is written `name: %s`.", shown(it.Value))
}

// spread checks `..x` and returns its record, or nil.
func (c *checker) spread(sc *scope, it *ast.Item) *types.Record {
	t := c.infer(sc, it.Value, nil)
	r, ok := isRecord(t)
	switch {
	case types.IsInvalid(t):
		return nil
	case ok:
		return r
	}
	if _, opt := isRecord(types.Bare(t)); opt {
		c.errorf(diag.MayBeNone, it.Value.Span(), "%s may be none, which has no fields", subject(it.Value)).
			label("this is %s", aType(t)).note("Test it before: `if %s != none { … }`.", shown(it.Value))
		return nil
	}
	c.errorf(diag.NotARecord, it.Value.Span(), "`..` spreads a record, found %s", aType(t)).label("this is %s", aType(t))
	return nil
}

// recordLit infers the type of a record literal: its fields in order of the text, those of a spread at its place.
func (c *checker) recordLit(sc *scope, e *ast.RecordExpr) types.Type {
	names, ok := c.recordItems(e)
	r := &types.Record{}
	at := map[string]int{}
	explicit := map[string]bool{}
	for i, name := range names {
		explicit[name] = !e.Items[i].Spread
	}
	add := func(name string, t types.Type) {
		if i, there := at[name]; there {
			r.Fields[i].Type = t
			return
		}
		at[name] = len(r.Fields)
		r.Fields = append(r.Fields, types.Field{Name: name, Type: t})
	}
	for i, it := range e.Items {
		if it.Spread {
			rec := c.spread(sc, it)
			if ok = ok && rec != nil; rec == nil {
				continue
			}
			for _, f := range rec.Fields {
				if !explicit[f.Name] {
					add(f.Name, f.Type)
				} else if _, there := at[f.Name]; !there {
					add(f.Name, types.Invalid) // its place; the item gives the type
				}
			}
			continue
		}
		t := c.typed(it.Value, c.infer(sc, it.Value, nil))
		if names[i] == "" {
			c.unlabelled(it, t)
		}
		if ok = ok && !types.IsInvalid(t); ok {
			add(names[i], t)
		}
	}
	if !ok {
		return types.Invalid
	}
	c.setType(e, r)
	c.foldRecord(e, r)
	return r
}

// recordFor checks a record literal where a record is wanted: exactly its fields, but that optional ones may be left
// out and a spread may have more.
func (c *checker) recordFor(sc *scope, e *ast.RecordExpr, want *types.Record, why expect) types.Type {
	names, ok := c.recordItems(e)
	given := map[string]bool{} // by an item of their own
	for i, it := range e.Items {
		if !it.Spread && names[i] != "" {
			given[names[i]] = true
		}
	}
	spread := map[string]bool{}
	of := aType(want)
	if strings.HasPrefix(why.of, "the output") {
		of = why.of
	}
	for i, it := range e.Items {
		switch {
		case it.Spread:
			ok = c.spreadFor(sc, it, want, given, spread, why) && ok
		case names[i] == "":
			c.unlabelled(it, c.infer(sc, it.Value, nil))
		default:
			ok = c.fieldFor(sc, it, names[i], want, of, why) && ok
		}
	}
	if ok {
		ok = c.missing(e, want, given, spread, of, why)
	}
	if !ok {
		c.setType(e, types.Invalid)
		return types.Invalid
	}
	c.setType(e, want)
	c.foldRecord(e, want)
	return want
}

func (c *checker) fieldFor(sc *scope, it *ast.Item, name string, want *types.Record, of string, why expect) bool {
	i := want.Index(name)
	if i < 0 {
		c.infer(sc, it.Value, types.Invalid)
		at := it.Span()
		if it.Name != nil {
			at = it.Name.Span()
		}
		var names []string
		for _, f := range want.Fields {
			names = append(names, f.Name)
		}
		if first := c.lostFields[name]; first != nil && len(first.Related) > 0 && first.Related[0].Span == why.at {
			first.andHere(at)
			return false
		}
		r := c.errorf(diag.ExtraField, at, "%s has no field `%s`", of, name).label("no such field").related(why.at, "declared here")
		if r.suggestName(at, it, name, names); strings.HasPrefix(of, "the output") {
			c.lostFields[name] = r
		}
		return false
	}
	t := c.exprFor(sc, it.Value, expect{t: want.Fields[i].Type, of: "the field `" + name + "` of " + of, at: why.at})
	return t != types.Invalid
}

// suggestName is suggest for an item that takes its field's name from its value: the mend puts a name before it.
func (r *report) suggestName(at source.Span, it *ast.Item, name string, names []string) {
	fixes := len(r.Fixes)
	r.suggest(at, name, names, "Its fields are")
	if it.Name == nil && len(r.Fixes) > fixes {
		near := r.Fixes[fixes].Edits[0].Text
		r.Fixes[fixes] = diag.Fix{Title: "name the field `" + near + "`", Edits: []diag.Edit{before(at, near+": ")}}
	}
}

// spreadFor checks `..x` in a literal where a record is wanted, and adds the fields that it gives.
func (c *checker) spreadFor(sc *scope, it *ast.Item, want *types.Record, given, spread map[string]bool, why expect) bool {
	rec := c.spread(sc, it)
	if rec == nil {
		return false
	}
	ok := true
	for _, f := range rec.Fields {
		i := want.Index(f.Name)
		if i < 0 || given[f.Name] {
			continue
		}
		spread[f.Name] = true
		if t := want.Fields[i].Type; !types.Assignable(f.Type, t) {
			c.errorf(diag.Mismatch, it.Span(), "the field `%s` of %s is %s, wanted %s", f.Name, subject(it.Value), aType(f.Type), aType(t)).
				related(why.at, "wanted by this").
				note("Give the field a value of its own: `(..%s, %s: …)`.", shown(it.Value), f.Name)
			ok = false
		}
	}
	return ok
}

// missing tells which fields a literal leaves out that are not optional.
func (c *checker) missing(e *ast.RecordExpr, want *types.Record, given, spread map[string]bool, of string, why expect) bool {
	var missing []string
	for _, f := range want.Fields {
		if !given[f.Name] && !spread[f.Name] && !types.IsOptional(f.Type) && !types.IsInvalid(f.Type) {
			missing = append(missing, "`"+f.Name+": "+f.Type.String()+"`")
		}
	}
	if len(missing) == 0 {
		return true
	}
	s := ""
	if len(missing) > 1 {
		s = "s"
	}
	at := e.Span()
	if at.End > at.Start && strings.HasSuffix(at.Text(), ")") {
		at.Start = at.End - 1
	}
	c.errorf(diag.MissingField, at, "%s wants the field%s %s", of, s, strings.Join(missing, ", ")).
		label("missing").related(why.at, "declared here")
	return false
}

// FieldSource says where a field of a record literal comes from: from an item, or from field Field of a spread item.
// The zero value is a field that is left out, none.
type FieldSource struct {
	Item  *ast.Item
	Field int
}

// Sources returns where each field of a checked record literal comes from. spreadType gives the record that a spread
// item was checked to be.
func Sources(e *ast.RecordExpr, t *types.Record, spreadType func(ast.Expr) *types.Record) []FieldSource {
	sources := make([]FieldSource, len(t.Fields))
	index := make(map[string]int, len(t.Fields))
	for i, f := range t.Fields {
		index[f.Name] = i
	}
	for _, it := range e.Items {
		if !it.Spread {
			continue
		}
		for j, f := range spreadType(it.Value).Fields {
			if i, ok := index[f.Name]; ok {
				sources[i] = FieldSource{it, j}
			}
		}
	}
	for _, it := range e.Items {
		if i, ok := index[ItemName(it)]; ok && !it.Spread {
			sources[i] = FieldSource{Item: it}
		}
	}
	return sources
}

func (c *checker) foldRecord(e *ast.RecordExpr, t *types.Record) {
	parts := make([]ast.Expr, len(e.Items))
	at := map[*ast.Item]int{}
	for i, it := range e.Items {
		parts[i], at[it] = it.Value, i
	}
	c.fold(e, parts, func(v []value.Value) (value.Value, bool) {
		spreadType := func(x ast.Expr) *types.Record { return c.effective(x).(*types.Record) }
		fields := make([]value.Value, len(t.Fields))
		for i, s := range Sources(e, t, spreadType) {
			switch {
			case s.Item == nil:
			case s.Item.Spread:
				f := spreadType(s.Item.Value).Fields[s.Field]
				fields[i] = convertConst(v[at[s.Item]].Elems()[s.Field], f.Type, t.Fields[i].Type)
			default:
				fields[i] = v[at[s.Item]]
			}
		}
		return value.OfRecord(fields), true
	})
}
