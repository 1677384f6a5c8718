package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// windowType is the type of the predeclared `window`, errorType that of `error`.
func windowType() *types.Record {
	return &types.Record{Name: "window", Fields: []types.Field{{Name: "start", Type: types.Time}, {Name: "end", Type: types.Time}}}
}

func errorType() *types.Record {
	return &types.Record{Fields: []types.Field{
		{Name: "code", Type: types.String}, {Name: "message", Type: types.String}, {Name: "place", Type: types.String},
	}}
}

// name checks a name that stands for a value.
func (c *checker) name(sc *scope, e *ast.NameExpr, hint types.Type) types.Type {
	if e.Name.Name == "" {
		c.haze(everyName)
		return types.Invalid
	}
	obj := c.value(sc, e.Name.Name)
	if obj == nil {
		c.unknownName(sc, e.Name)
		return types.Invalid
	}
	obj.Used = true
	c.info.Objects[e.Name] = obj
	if obj.unit != nil {
		return c.constName(e, e.Name, obj, hint)
	}
	if !c.inReach(sc, e.Name, obj) {
		return types.Invalid
	}
	c.errorSlot(sc, obj)
	c.setType(e, obj.Type)
	return c.narrowed(sc, e, obj.Type)
}

// value returns what a name stands for where values are wanted, or nil.
func (c *checker) value(sc *scope, name string) *Object {
	if obj := sc.find(name); obj != nil {
		return obj
	}
	if obj := c.predeclared(sc.body, name); obj != nil {
		return obj
	}
	return c.unit.values[name]
}

func (c *checker) predeclared(b *body, name string) *Object {
	switch {
	case name == "tuple" && b.in != nil:
		if b.tuple == nil {
			b.tuple = &Object{Kind: ObjTuple, Name: name, Type: b.in}
		}
		return b.tuple
	case name == "window" && b.windowed:
		return &Object{Kind: ObjWindow, Name: name, Type: windowType()}
	}
	return nil
}

// constName is a constant or parameter of a file.
func (c *checker) constName(e ast.Expr, id *ast.Ident, obj *Object, hint types.Type) types.Type {
	c.resolve(obj, id)
	if obj.Type == types.Regex && hint != types.Regex && hint != types.Invalid {
		c.errorf(diag.RegexPlace, e.Span(), "a regular expression stands only as an argument of a function, or in a `let` of the file")
		return types.Invalid
	}
	if obj.Kind == ObjConst && obj.Value != nil {
		c.copyConst(e, obj.Value)
	} else if obj.Kind == ObjParam {
		c.constExprs[e] = true
	}
	return obj.Type
}

// inReach tells where a name cannot be read although it is one of the body: a field behind a window, a `let` inside an
// aggregate's arguments, whatever comes with the row in the first value of a state.
func (c *checker) inReach(sc *scope, id *ast.Ident, obj *Object) bool {
	b := sc.body
	row := obj.Kind == ObjField || obj.Kind == ObjTuple
	switch {
	case b.inInit && (row || obj.Kind == ObjLocal || obj.Kind == ObjState || obj.Kind == ObjWindow):
		c.errorf(diag.FieldOutOfReach, id.Span(), "the first value of a state cannot read `%s`", id.Name).
			note("It is made when a key is seen first, of constants, parameters and keys.")
		return false
	case b.windowed && !b.inAgg && row:
		r := c.errorf(diag.FieldOutOfReach, id.Span(), "behind a window there is no single `%s`", id.Name).
			label("a field of each row").
			note("The body runs once for each key and window. Outside of aggregates it sees keys, `window`, state, `let` and parameters.")
		if row && obj.Kind == ObjField {
			r.note("An aggregate makes one value of all rows, as in `last(%s)`; `by %s` makes it a key.", id.Name, id.Name)
		}
		return false
	case b.inAgg && !obj.inAgg && (obj.Kind == ObjLocal || obj.Kind == ObjState || obj.Kind == ObjWindow):
		c.errorf(diag.FieldOutOfReach, id.Span(), "an aggregate cannot read `%s`", id.Name).
			label("belongs to the body, which runs when the window is full").
			note("Its argument is computed for each row: of fields, keys, parameters and constants.")
		return false
	}
	return true
}

func (c *checker) unknownName(sc *scope, id *ast.Ident) {
	name := id.Name
	c.haze(valueNames)
	switch {
	case sc.body.kind == stepBody && c.lostFields[name] != nil:
		return // the bolt before was to give it
	case c.spoils.meant(name) || sc.body.unknown[name] || sc.body.nameless:
		return
	case name == "meta":
		c.notYet(id.Span(), "`meta`")
		return
	case c.again(toldName{c.unit, sc.body, valueNames, name}, id):
		return
	case foreignValue(name) != "":
		want := foreignValue(name)
		c.lostNames[toldName{c.unit, sc.body, valueNames, name}] = c.errorf(diag.UnknownName, id.Span(),
			"no value `%s`: it is written `%s` here", name, want).fix("write `"+want+"`", replace(id.Span(), want))
		return
	case !c.nearLocal(sc, name) && c.otherSpace(id):
		return
	case name == "tuple", name == "window", name == "error":
		where := map[string]string{
			"tuple": "in a bolt and its steps", "window": "in a bolt with a window", "error": "right of an `else` that settles a failure",
		}[name]
		c.errorf(diag.UnknownName, id.Span(), "there is no `%s` here", name).note("`%s` is known %s.", name, where)
		return
	}
	r := c.errorf(diag.UnknownName, id.Span(), "no value `%s`", name)
	c.lostNames[toldName{c.unit, sc.body, valueNames, name}] = r
	if c.compares() {
		candidates := c.inScope(sc)
		available := "In reach are"
		if len(candidates) == 1 {
			available = "In reach is"
		}
		r.suggest(id.Span(), name, candidates, available)
	}
	if sc.body.kind == constBody {
		r.note("A constant is made of literals, `let` and `param` of the file.")
	}
}

// foreignValue returns what a constant of other languages is called here, or "".
func foreignValue(name string) string {
	switch name {
	case "null", "nil", "None", "NULL", "undefined":
		return "none"
	case "True", "TRUE":
		return "true"
	case "False", "FALSE":
		return "false"
	}
	return ""
}

// inScope returns the names of values in reach, in order.
func (c *checker) inScope(sc *scope) []string {
	var names []string
	for s := sc; s != nil; s = s.parent {
		names = append(names, slices.Collect(maps.Keys(s.names))...)
		if s.fields != nil {
			for _, f := range s.fields.Fields {
				names = append(names, f.Name)
			}
		}
	}
	names = slices.AppendSeq(names, maps.Keys(c.unit.values))
	slices.Sort(names)
	return slices.Compact(names)
}

// toldName is an unknown name, where it was looked for: in a body, or (nil) in a file.
type toldName struct {
	unit  *unit
	body  *body
	space nameSpace
	name  string
}

// mostAgain is how many further places of an unknown name are shown.
const mostAgain = 5

// again adds a further place to what was told of an unknown name, and to its mend; false if nothing was told yet.
func (c *checker) again(name toldName, id *ast.Ident) bool {
	r := c.lostNames[name]
	if r == nil {
		return false
	}
	r.andHere(id.Span())
	if len(r.Fixes) > 0 && r.Span.File == id.Span().File {
		fix := &r.Fixes[0]
		fix.Edits = append(fix.Edits, replace(id.Span(), fix.Edits[0].Text))
	}
	return true
}

// andHere adds a further place of the same mistake.
func (r *report) andHere(at source.Span) {
	if len(r.Related) < mostAgain {
		r.related(at, "and here")
	}
	r.c.errors++
}

// nearLocal reports whether a name is most likely a misspelt one of the body.
func (c *checker) nearLocal(sc *scope, name string) bool {
	for s := sc; s != nil; s = s.parent {
		if _, near := diag.Nearest(name, slices.Collect(maps.Keys(s.names))); near {
			return true
		}
	}
	return false
}

// otherSpace tells that a name is known, but not as a value.
func (c *checker) otherSpace(id *ast.Ident) bool {
	name := id.Name
	prelude := c.cat.Modules[""]
	switch {
	case c.unit.funcs[name] != nil, prelude.Funcs[name] != nil, prelude.Aggregates[name] != nil:
		if obj := c.unit.funcs[name]; obj != nil {
			obj.Used = true
		}
		c.errorf(diag.NotAValue, id.Span(), "`%s` is a function", name).note("A call has parentheses: `%s(…)`.", name)
	case c.unit.types[name] != nil:
		c.unit.types[name].Used = true
		c.errorf(diag.NotAValue, id.Span(), "`%s` is a type, and a value is wanted", name)
	case c.unit.modules[name] != nil:
		c.unit.modules[name].Used = true
		c.errorf(diag.NotAValue, id.Span(), "`%s` is a module, and a value is wanted", name)
	case c.unit.bolts[name] != nil:
		c.unit.bolts[name].Used = true
		c.errorf(diag.NotAValue, id.Span(), "`%s` is a bolt, and a value is wanted", name).
			note("Bolts stand in the flows of a pipeline; to compute a value write a `fn`.")
	default:
		return false
	}
	return true
}

// memberExpr checks `x.name` and `x?.name`: a field, or a constant of a file that is used.
func (c *checker) memberExpr(sc *scope, e *ast.MemberExpr) types.Type {
	if x, ok := e.X.(*ast.NameExpr); ok && c.value(sc, x.Name.Name) == nil && c.unit.modules[x.Name.Name] != nil {
		return c.moduleConst(e, x)
	}
	t := c.infer(sc, e.X, nil)
	if e.Name.Name == "" || types.IsInvalid(t) && t == types.Invalid {
		return types.Invalid
	}
	rec, ok := isRecord(types.Bare(t))
	switch {
	case !ok:
		c.noMember(e, t)
		return types.Invalid
	case types.IsOptional(t) && !e.Optional:
		r := c.errorf(diag.MayBeNone, e.X.Span(), "%s may be none, which has no fields", subject(e.X)).label("this is %s", aType(t))
		r.note("Test it before, or write `?.`: the field is none then too.")
		if at, ok := dotSpan(e); ok {
			r.fix("write `?.`", replace(at, "?."))
		}
		return types.Invalid
	case e.Optional && !types.IsOptional(t):
		r := c.warnf(diag.NeedlessHandling, e.X.Span(), "%s is never none here, `.` will do", subject(e.X))
		if at, ok := dotSpan(e); ok {
			r.fix("write `.`", replace(at, "."))
		}
	}
	i := rec.Index(e.Name.Name)
	if i < 0 {
		c.unknownField(e.Name, rec)
		return types.Invalid
	}
	ft := rec.Fields[i].Type
	if types.IsOptional(t) {
		ft = types.Opt(ft)
	}
	c.foldMember(e, rec, i)
	c.setType(e, ft)
	return c.narrowed(sc, e, ft)
}

// dotSpan returns the place of the `.` or `?.` of a member.
func dotSpan(e *ast.MemberExpr) (source.Span, bool) {
	at := source.Span{File: e.X.Span().File, Start: e.X.Span().End, End: e.Name.Span().Start}
	text := at.Text()
	dot := strings.TrimSpace(text)
	if dot != "." && dot != "?." {
		return at, false
	}
	at.Start += strings.Index(text, dot)
	at.End = at.Start + len(dot)
	return at, true
}

func (c *checker) noMember(e *ast.MemberExpr, t types.Type) {
	r := c.errorf(diag.NotARecord, e.X.Span(), "%s is %s, which has no fields", subject(e.X), aType(t)).
		label("no record")
	if c.cat.Modules[""].Funcs[e.Name.Name] != nil {
		r.note("Functions are called by name: `%s(%s)`.", e.Name.Name, shown(e.X))
	}
	c.haze(valueNames)
}

func (c *checker) unknownField(id *ast.Ident, rec *types.Record) {
	var names []string
	for _, f := range rec.Fields {
		names = append(names, f.Name)
	}
	c.errorf(diag.UnknownField, id.Span(), "%s has no field `%s`", aType(rec), id.Name).
		suggest(id.Span(), id.Name, names, "Its fields are")
}

// moduleConst is a constant of a file that is used, `clean.limit`.
func (c *checker) moduleConst(e *ast.MemberExpr, x *ast.NameExpr) types.Type {
	mod := c.moduleNamed(x.Name)
	c.setType(e.X, types.Invalid)
	obj := c.member(mod, e.Name, "constant", constsOf)
	if obj == nil {
		return types.Invalid
	}
	return c.constName(e, e.Name, obj, nil)
}

// index checks `list[i]`, which can fail, and `map[key]`, which may be none.
func (c *checker) index(sc *scope, e *ast.IndexExpr) types.Type {
	errors := c.errors
	t := c.infer(sc, e.X, nil)
	if _, text := e.X.(*ast.StrLit); types.IsInvalid(t) || text && c.errors > errors {
		c.infer(sc, e.Index, types.Invalid)
		return types.Invalid
	}
	switch x := t.(type) {
	case *types.List:
		i := c.exprFor(sc, e.Index, expect{t: types.Int, of: "the index of a list"})
		if types.IsInvalid(i) {
			return types.Invalid
		}
		c.fails(sc, e, "the index may be outside of the list")
		return x.Elem
	case *types.Map:
		if k := c.exprFor(sc, e.Index, expect{t: x.Key, of: "the key of the map"}); types.IsInvalid(k) {
			return types.Invalid
		}
		return types.Opt(x.Elem)
	}
	c.infer(sc, e.Index, types.Invalid)
	switch bare := types.Bare(t).(type) {
	case *types.List, *types.Map:
		c.errorf(diag.MayBeNone, e.X.Span(), "%s may be none, which has no elements", subject(e.X)).
			label("this is %s", aType(t)).
			note("Test it before: `if %s != none { … }`, or give a default: `(%s else …)[…]`.", shown(e.X), shown(e.X))
	default:
		r := c.errorf(diag.NotIndexable, e.X.Span(), "%s is %s, and only lists and maps have an index", subject(e.X), aType(t)).
			label("no list and no map")
		if types.IsString(bare) {
			r.note("`text.slice(%s, start, end)` cuts a part out of a string.", shown(e.X))
		}
	}
	return types.Invalid
}
