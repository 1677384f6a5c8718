package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// newUnit enters the names of a file and of the files that it uses. A file that is used twice is one unit.
func (c *checker) newUnit(f *ast.File, main bool) *unit {
	if u := c.units[f]; u != nil {
		return u
	}
	u := &unit{
		file: f, main: main, modules: map[string]*Object{}, types: map[string]*Object{}, funcs: map[string]*Object{},
		values: map[string]*Object{}, bolts: map[string]*Object{}, pipelines: map[string]*Object{},
	}
	c.units[f] = u
	if !main {
		c.program.Files = append(c.program.Files, f)
	}
	open := false // the declaration before has lost its body
	for _, d := range f.Decls {
		if let, ok := d.(*ast.LetDecl); ok && open && c.isIndented(d.Span()) {
			c.adrift[let] = true
		} else {
			open = c.lostBody(d)
		}
		c.enter(u, d)
	}
	return u
}

// enter gives the name of a declaration to its name space. Tests have no names, and broken text has none that counts.
func (c *checker) enter(u *unit, d ast.Decl) {
	switch d := d.(type) {
	case *ast.Use:
		c.enterUse(u, d)
	case *ast.TypeDecl:
		if _, basic := catalog.Basic(d.Name.Name); basic {
			c.errorf(diag.DuplicateName, d.Name.Span(), "`%s` is a type of the language", d.Name.Name)
			return
		}
		c.declare(u, u.types, &Object{Kind: ObjType, Doc: d.Doc}, d.Name, d)
	case *ast.LetDecl:
		c.declare(u, u.values, &Object{Kind: ObjConst, Doc: d.Doc, Value: d.Value}, d.Name, d)
	case *ast.ParamDecl:
		obj := c.declare(u, u.values, &Object{Kind: ObjParam, Doc: d.Doc, Value: d.Param.Default}, d.Param.Name, d)
		if u.main && obj != nil {
			c.program.Params = append(c.program.Params, obj)
		}
	case *ast.FnDecl:
		c.declare(u, u.funcs, &Object{Kind: ObjFn, Doc: d.Doc}, d.Name, d)
	case *ast.TableDecl:
		c.declare(u, u.values, &Object{Kind: ObjTable, Doc: d.Doc}, d.Name, d)
	case *ast.BoltDecl:
		c.declare(u, u.bolts, &Object{Kind: ObjBolt, Doc: d.Doc}, d.Name, d)
	case *ast.PipelineDecl:
		c.declare(u, u.pipelines, &Object{Kind: ObjPipeline, Doc: d.Doc}, d.Name, d)
	case *ast.SigDecl:
		c.errorf(diag.LibraryOnly, d.Kind.Span(), "only the standard library declares a %s", d.Kind.Name)
	case *ast.TestDecl:
	case *ast.BadDecl:
		c.haze(everyName)
		c.spoils.addWords(d.Span().Text())
	default:
		bug.Panicf("check: declaration %T", d)
	}
}

// declare enters one name, or tells that the name space has it already; each later one points at the first.
func (c *checker) declare(u *unit, names map[string]*Object, obj *Object, id *ast.Ident, d ast.Decl) *Object {
	if id.Name == "" {
		c.haze(everyName)
		c.spoils.nameless = true
		return nil
	}
	obj.Name, obj.At, obj.Decl, obj.File, obj.unit = id.Name, id.Span(), d, u.file, u
	c.info.Objects[id] = obj
	if first := names[id.Name]; first != nil {
		c.errorf(diag.DuplicateName, id.Span(), "`%s` is declared twice", id.Name).
			label("again here").related(first.At, "first here")
		obj.Used = true
		return nil
	}
	if mod := u.modules[id.Name]; obj.Kind == ObjBolt && mod != nil {
		c.errorf(diag.DuplicateName, id.Span(), "`%s` is the name of a module already", id.Name).
			label("a bolt").related(mod.At, "used here").note("A flow that names it could mean either.")
	}
	names[id.Name] = obj
	u.order = append(u.order, obj)
	return obj
}

func (c *checker) enterUse(u *unit, d *ast.Use) {
	c.looseUse = c.looseUse || c.spoils.inside(d.Span())
	for _, id := range d.Modules {
		m := c.cat.Modules[id.Name]
		switch {
		case id.Name == "":
			c.haze(everyName)
		case m == nil:
			c.haze(everyName)
			c.unknownModule(id)
			c.declareModule(u, id, d, nil)
		default:
			c.declareModule(u, id, d, &module{lib: m})
		}
	}
	if d.Path == nil || d.Alias == nil {
		return
	}
	f := c.imports[d]
	if f == nil {
		c.haze(everyName) // it could not be read, which was told
		c.declareModule(u, d.Alias, d, nil)
		return
	}
	outer := c.unit
	m := &module{file: c.newUnit(f, false)}
	c.unit = outer
	c.declareModule(u, d.Alias, d, m)
}

// isLaterModule reports whether a module of the library is one that is not built yet.
func isLaterModule(name string) bool {
	return slices.Contains([]string{"exec", "http", "json", "kafka", "sql", "tcp", "udp", "zookeeper"}, name)
}

func (c *checker) unknownModule(id *ast.Ident) {
	if isLaterModule(id.Name) {
		c.notYet(id.Span(), "the module `"+id.Name+"`")
		return
	}
	names := slices.Collect(maps.Keys(c.cat.Modules))
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	slices.Sort(names)
	c.errorf(diag.UnknownModule, id.Span(), "no module `%s`", id.Name).suggest(id.Span(), id.Name, names,
		"The modules are")
	if near, ok := diag.Nearest(id.Name, names); ok {
		c.misspelt[near] = true
	}
}

// declareModule enters a module's name; m is nil where what stands behind it could not be read.
func (c *checker) declareModule(u *unit, id *ast.Ident, d *ast.Use, m *module) {
	obj := &Object{Kind: ObjModule, Name: id.Name, At: id.Span(), Decl: d, File: u.file, unit: u, module: m}
	c.info.Objects[id] = obj
	if m == nil {
		obj.Used = true
	}
	if id.Name == "" {
		return
	}
	if first := u.modules[id.Name]; first != nil {
		c.errorf(diag.DuplicateName, id.Span(), "`%s` is used twice", id.Name).
			label("again here").related(first.At, "first here")
		return
	}
	if bolt := u.bolts[id.Name]; bolt != nil {
		c.errorf(diag.DuplicateName, id.Span(), "`%s` is the name of a bolt already", id.Name).
			label("a module").related(bolt.At, "declared here").note("A flow that names it could mean either.")
	}
	u.modules[id.Name] = obj
	u.order = append(u.order, obj)
}

// nameSpace is a set of name spaces.
type nameSpace uint8

const (
	typeNames nameSpace = 1 << iota
	funcNames
	valueNames
	boltNames
	moduleNames
	everyName = typeNames | funcNames | valueNames | boltNames | moduleNames
)

// haze notes that a name of these name spaces could not be resolved, or that text could not be read: whatever seems
// unused there may be what was meant.
func (c *checker) haze(s nameSpace) { c.hazyNames |= s }

// isPrivate reports whether a file that is used keeps a name to itself.
func isPrivate(name string) bool { return strings.HasPrefix(name, "_") }

// moduleNamed returns the module that a name before a dot means, or nil after telling why there is none.
func (c *checker) moduleNamed(id *ast.Ident) *Object {
	if obj := c.unit.modules[id.Name]; obj != nil {
		obj.Used = true
		c.info.Objects[id] = obj
		return obj
	}
	c.haze(everyName)
	if c.spoils.meant(id.Name) || c.misspelt[id.Name] || c.looseUse && c.unit.modules[id.Name] == nil {
		return nil
	}
	told := toldName{c.unit, nil, moduleNames, id.Name}
	if c.cat.Modules[id.Name] != nil && id.Name != "" {
		if r := c.lostNames[told]; r != nil { // one `use` mends all of them
			if len(r.Related) < mostAgain {
				r.related(id.Span(), "and here")
			}
			c.errors++
			return nil
		}
		r := c.errorf(diag.NotImported, id.Span(), "the module `%s` is not used by this file", id.Name).label("needs a `use`")
		r.fix("add `use "+id.Name+"`", c.useEdit(id.Name))
		c.lostNames[told] = r
		return nil
	}
	if c.again(told, id) {
		return nil
	}
	if isLaterModule(id.Name) {
		c.lostNames[told] = c.notYet(id.Span(), "the module `"+id.Name+"`")
		return nil
	}
	names := slices.Sorted(maps.Keys(c.unit.modules))
	for name := range c.cat.Modules {
		if name != "" && c.unit.modules[name] == nil {
			names = append(names, name)
		}
	}
	c.lostNames[told] = c.errorf(diag.UnknownModule, id.Span(), "no module `%s`", id.Name).
		suggest(id.Span(), id.Name, names, "The modules are")
	return nil
}

// useEdit adds a module to the file's first `use` of the library, or makes one.
func (c *checker) useEdit(name string) diag.Edit {
	for _, d := range c.unit.file.Decls {
		if u, ok := d.(*ast.Use); ok && len(u.Modules) > 0 {
			return behind(u.Modules[len(u.Modules)-1].Span(), ", "+name)
		}
	}
	at := source.Span{File: c.unit.file.Source}
	if len(c.unit.file.Decls) > 0 {
		at.Start = c.unit.file.Decls[0].Span().Start
	}
	at.End = at.Start
	return replace(at, "use "+name+"\n\n")
}

// member returns what a file that is used declares under a name in one of its name spaces, or nil after telling why
// there is nothing; kind is what the place wants, for messages.
func (c *checker) member(mod *Object, id *ast.Ident, kind string, space func(*unit) map[string]*Object) *Object {
	if mod.module == nil || id.Name == "" {
		return nil
	}
	u := mod.module.file
	if u == nil {
		c.errorf(diag.UnknownMember, id.Span(), "the module `%s` has no %s `%s`", mod.Name, kind, id.Name)
		return nil
	}
	obj := space(u)[id.Name]
	switch {
	case obj == nil && c.spoils.meant(id.Name):
		c.haze(everyName)
		return nil
	case obj == nil:
		c.haze(everyName)
		names := slices.Sorted(maps.Keys(space(u)))
		names = slices.DeleteFunc(names, isPrivate)
		c.errorf(diag.UnknownMember, id.Span(), "`%s` has no %s `%s`", mod.Name, kind, id.Name).suggest(id.Span(), id.Name, names, "It has")
		return nil
	case isPrivate(id.Name):
		c.errorf(diag.PrivateName, id.Span(), "`%s` is private to its file", id.Name).
			label("starts with `_`").related(obj.At, "declared here")
		obj.Used = true
		return nil
	}
	obj.Used = true
	c.info.Objects[id] = obj
	return obj
}

func typesOf(u *unit) map[string]*Object { return u.types }
func funcsOf(u *unit) map[string]*Object { return u.funcs }
func boltsOf(u *unit) map[string]*Object { return u.bolts }
func constsOf(u *unit) map[string]*Object {
	return u.values
}

// lookupNode returns the bolt declaration or module of a name, or nil where there is neither, which it does not tell.
// It counts as a use.
func (c *checker) lookupNode(id *ast.Ident) *Object {
	obj := c.unit.bolts[id.Name]
	if obj == nil {
		obj = c.unit.modules[id.Name]
	}
	if obj != nil {
		obj.Used = true
		c.info.Objects[id] = obj
	}
	return obj
}

// lookupFront returns what the first word of a dotted name in a flow means. Where a bolt has the name of a module, which
// is told at the bolt, a word behind the dot says that the module is meant.
func (c *checker) lookupFront(ref *ast.Ref) *Object {
	id := ref.Parts[0]
	if mod := c.unit.modules[id.Name]; mod != nil && len(ref.Parts) > 1 && c.unit.bolts[id.Name] != nil {
		mod.Used, c.info.Objects[id] = true, mod
		return mod
	}
	return c.lookupNode(id)
}

// lookupIn returns the bolt of a file that is used, or nil after telling why there is none.
func (c *checker) lookupIn(mod *Object, id *ast.Ident) *Object {
	return c.member(mod, id, "bolt", boltsOf)
}

// libSig returns the connector or codec that fun (a name or module.name) means, of the kinds given ("source", "sink",
// "channel", "codec"), or nil after telling why there is none. It counts as a use of the module.
func (c *checker) libSig(fun ast.Expr, kinds ...string) *catalog.Sig {
	var m *catalog.Module
	var id *ast.Ident
	switch fun := fun.(type) {
	case *ast.NameExpr:
		m, id = c.cat.Modules[""], fun.Name
	case *ast.MemberExpr:
		x, ok := fun.X.(*ast.NameExpr)
		if !ok {
			break
		}
		mod := c.moduleNamed(x.Name)
		if mod == nil || mod.module == nil {
			return nil
		}
		m, id = mod.module.lib, fun.Name
		if m == nil {
			c.errorf(diag.UnknownMember, id.Span(), "`%s` is a file, and has no %s `%s`", mod.Name, orList(kinds), id.Name)
			return nil
		}
	}
	if id == nil {
		c.errorf(diag.UnknownMember, fun.Span(), "this is not the name of a %s", orList(kinds))
		return nil
	}
	if id.Name == "" {
		return nil
	}
	for _, k := range kinds {
		if s := m.Sigs(k)[id.Name]; s != nil {
			return s
		}
	}
	c.unknownSig(m, id, kinds)
	return nil
}

// isLaterSig reports whether a connector or codec of the library is one that is not built yet.
func isLaterSig(module, name string, kinds []string) bool {
	var later []string
	switch {
	case module == "" && slices.Contains(kinds, "codec"):
		later = []string{"avro", "bytes", "csv"}
	case module == "file" && slices.Contains(kinds, "source"):
		later = []string{"tail"}
	case module == "file" && slices.Contains(kinds, "sink"):
		later = []string{"roll"}
	}
	return slices.Contains(later, name)
}

func (c *checker) unknownSig(m *catalog.Module, id *ast.Ident, kinds []string) {
	if isLaterSig(m.Name, id.Name, kinds) {
		what := "`" + id.Name + "`"
		if m.Name != "" {
			what = "`" + m.Name + "." + id.Name + "`"
		}
		c.notYet(id.Span(), what)
		return
	}
	where := "the language"
	if m.Name != "" {
		where = "the module `" + m.Name + "`"
	}
	r := c.errorf(diag.UnknownMember, id.Span(), "%s has no %s `%s`", where, orList(kinds), id.Name)
	for _, k := range []string{"source", "sink", "channel", "codec"} {
		if s := m.Sigs(k)[id.Name]; s != nil {
			r.note("`%s` is a %s.", s.FullName(), k)
			return
		}
	}
	var names []string
	for _, k := range kinds {
		names = append(names, slices.Collect(maps.Keys(m.Sigs(k)))...)
	}
	slices.Sort(names)
	r.suggest(id.Span(), id.Name, names, "It has")
}

// orList returns "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// unused warns about declarations that nothing mentions. A file that others use keeps only its private names to
// itself, and so does a file without a pipeline or test, which is there to be used.
func (c *checker) unused(u *unit) {
	closed := u.main && slices.ContainsFunc(u.file.Decls, func(d ast.Decl) bool {
		switch d.(type) {
		case *ast.PipelineDecl, *ast.TestDecl:
			return true
		}
		return false
	})
	for _, obj := range u.order {
		space, what := declared(obj)
		switch {
		case obj.Used || space == 0 || c.hazyNames&space != 0:
		case obj.Kind == ObjModule:
			if u.main {
				c.unusedUse(obj)
			}
		case closed || isPrivate(obj.Name):
			c.warnf(diag.UnusedDeclaration, obj.At, "the %s `%s` is never used", what, obj.Name).label("not used")
		}
	}
}

func declared(obj *Object) (nameSpace, string) {
	switch obj.Kind {
	case ObjModule:
		return moduleNames, "module"
	case ObjType:
		return typeNames, "type"
	case ObjParam:
		return valueNames, "parameter"
	case ObjConst:
		return valueNames, "constant"
	case ObjTable:
		return valueNames, "table"
	case ObjFn:
		return funcNames, "function"
	case ObjBolt:
		return boltNames, "bolt"
	}
	return 0, ""
}

func (c *checker) unusedUse(obj *Object) {
	r := c.warnf(diag.UnusedImport, obj.At, "`%s` is used, but nothing of it", obj.Name).label("not needed")
	d, ok := obj.Decl.(*ast.Use)
	if !ok {
		return
	}
	at := d.Span()
	used := slices.IndexFunc(d.Modules, func(m *ast.Ident) bool { return c.info.Objects[m] == nil || c.info.Objects[m].Used })
	if used >= 0 {
		// With a module goes the comma towards the first one that stays, so that the fixes of two do not meet.
		i := slices.IndexFunc(d.Modules, func(m *ast.Ident) bool { return c.info.Objects[m] == obj })
		at = d.Modules[i].Span()
		if i > used {
			at.Start = d.Modules[i-1].Span().End
		} else {
			at.End = d.Modules[i+1].Span().Start
		}
	} else if len(d.Modules) > 1 && c.info.Objects[d.Modules[0]] != obj {
		return // the fix of the first one takes all of them out
	} else if text := at.File.Text(); at.End < len(text) && text[at.End] == '\n' {
		at.End++
	}
	if used < 0 && len(d.Modules) > 1 {
		r.fix("take all of them out", replace(at, ""))
		return
	}
	r.fix("take it out", replace(at, ""))
}

// markUsed counts every name in a part that is not checked as a use of whatever is called so.
func (c *checker) markUsed(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		for _, names := range []map[string]*Object{
			c.unit.modules, c.unit.types, c.unit.funcs, c.unit.values, c.unit.bolts,
		} {
			if obj := names[id.Name]; obj != nil {
				obj.Used = true
			}
		}
		return true
	})
}

// isRecord returns t as a record type.
func isRecord(t types.Type) (*types.Record, bool) {
	r, ok := t.(*types.Record)
	return r, ok
}
