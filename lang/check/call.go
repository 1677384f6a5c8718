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

// param is a parameter to match an argument with: of a function, a connector, or a bolt's `with`.
type param struct {
	name     string
	t        types.Type
	required bool
	each     bool
	at       source.Span
	lib      *catalog.Param // of the library, or nil
}

// libParams returns the parameters of a declaration of the library.
func libParams(params []catalog.Param) []param {
	out := make([]param, len(params))
	for i := range params {
		p := &params[i]
		out[i] = param{name: p.Name, t: p.Type, required: p.Required, each: p.Each, at: p.At, lib: p}
	}
	return out
}

// call checks a call of a function or aggregate, or the conversion of a string to an enum.
func (c *checker) call(sc *scope, e *ast.CallExpr) types.Type {
	c.setType(e.Fun, types.Invalid) // a function is no value
	if name, ok := e.Fun.(*ast.NameExpr); ok && isLater(name.Name.Name) && c.unit.funcs[name.Name.Name] == nil {
		c.notYet(e.Fun.Span(), "`"+name.Name.Name+"`")
		c.skipArgs(sc, e)
		return types.Invalid
	}
	if sc.body.kind == constBody {
		c.errorf(diag.NotConstant, e.Span(), "a call is not constant").label("computed for each tuple").
			note("A constant is made of literals, `let` and `param` of the file, and operators.")
		c.skipArgs(sc, e)
		return types.Invalid
	}
	switch fun := e.Fun.(type) {
	case *ast.NameExpr:
		return c.callName(sc, e, fun.Name)
	case *ast.MemberExpr:
		return c.callMember(sc, e, fun)
	case *ast.BadExpr:
		c.haze(everyName)
	default:
		c.errorf(diag.UnknownFunction, e.Fun.Span(), "only a name can be called")
	}
	c.skipArgs(sc, e)
	return types.Invalid
}

// isLater reports whether a name is a function of the language that cannot be called yet.
func isLater(name string) bool {
	switch name {
	case "env", "env_secret", "file_secret", "process":
		return true
	}
	return false
}

// skipArgs checks arguments of a call that means nothing, for their own mistakes and so that their names count as used.
func (c *checker) skipArgs(sc *scope, e *ast.CallExpr) {
	outer := sc.body.failures
	sc.body.failures = &failures{} // what is unsettled there would follow from the call
	for _, it := range e.Args {
		if sc.body.kind == constBody {
			c.markUsed(it.Value)
		} else {
			c.infer(sc, it.Value, types.Invalid)
		}
	}
	sc.body.failures = outer
}

func (c *checker) callName(sc *scope, e *ast.CallExpr, id *ast.Ident) types.Type {
	prelude := c.cat.Modules[""]
	switch {
	case id.Name == "":
		c.haze(everyName)
	case c.unit.funcs[id.Name] != nil:
		return c.callFn(sc, e, id, c.unit.funcs[id.Name])
	case c.unit.types[id.Name] != nil:
		return c.callType(sc, e, id, c.unit.types[id.Name])
	case prelude.Funcs[id.Name] != nil:
		return c.callLib(sc, e, prelude.Funcs[id.Name])
	case prelude.Aggregates[id.Name] != nil:
		return c.callAggregate(sc, e, prelude.Aggregates[id.Name])
	default:
		c.unknownFunc(sc, e, id)
	}
	c.skipArgs(sc, e)
	return types.Invalid
}

func (c *checker) unknownFunc(sc *scope, e *ast.CallExpr, id *ast.Ident) {
	c.haze(everyName)
	prelude := c.cat.Modules[""]
	switch {
	case c.spoils.meant(id.Name), c.again(toldName{c.unit, nil, funcNames, id.Name}, id):
		return
	case sc.find(id.Name) != nil || c.unit.values[id.Name] != nil:
		if obj := sc.find(id.Name); obj != nil {
			obj.Used = true
		}
		c.errorf(diag.UnknownFunction, id.Span(), "`%s` is a value, and only functions are called", id.Name)
		return
	case c.unit.bolts[id.Name] != nil:
		c.unit.bolts[id.Name].Used = true
		c.errorf(diag.UnknownFunction, id.Span(), "`%s` is a bolt, and only functions are called here", id.Name).
			note("Bolts stand in the flows of a pipeline; to compute a value write a `fn`.")
		return
	}
	r := c.errorf(diag.UnknownFunction, id.Span(), "no function `%s`", id.Name)
	c.lostNames[toldName{c.unit, nil, funcNames, id.Name}] = r
	for _, name := range slices.Sorted(maps.Keys(c.cat.Modules)) {
		if name != "" && c.cat.Modules[name].Funcs[id.Name] != nil {
			r.note("The module `%s` has one: `%s.%s`.", name, name, id.Name)
			return
		}
	}
	if !c.compares() {
		return
	}
	names := slices.Collect(maps.Keys(c.unit.funcs))
	names = slices.AppendSeq(names, maps.Keys(prelude.Funcs))
	names = slices.AppendSeq(names, maps.Keys(prelude.Aggregates))
	slices.Sort(names)
	r.suggest(id.Span(), id.Name, names, "")
}

// callMember checks `module.f(…)`.
func (c *checker) callMember(sc *scope, e *ast.CallExpr, fun *ast.MemberExpr) types.Type {
	x, ok := fun.X.(*ast.NameExpr)
	if !ok || c.unit.modules[x.Name.Name] == nil && c.value(sc, x.Name.Name) != nil {
		// A method, as other languages have: tell how it is called here.
		c.haze(funcNames)
		if fun.Name.Name != "" {
			r := c.errorf(diag.UnknownFunction, fun.Name.Span(), "values have no functions of their own")
			r.label("not a module's")
			if c.cat.Modules[""].Funcs[fun.Name.Name] != nil {
				r.note("Write `%s(%s)`.", fun.Name.Name, shown(fun.X))
			}
		}
		c.infer(sc, fun.X, nil)
		c.skipArgs(sc, e)
		return types.Invalid
	}
	c.setType(fun.X, types.Invalid)
	mod := c.moduleNamed(x.Name)
	id := fun.Name
	switch {
	case mod == nil || mod.module == nil || id.Name == "":
	case mod.module.file != nil:
		if t := mod.module.file.types[id.Name]; t != nil {
			if c.member(mod, id, "type", typesOf) != nil {
				return c.callType(sc, e, id, t)
			}
			break
		}
		if obj := c.member(mod, id, "function", funcsOf); obj != nil {
			return c.callFn(sc, e, id, obj)
		}
	case mod.module.lib.Funcs[id.Name] != nil:
		return c.callLib(sc, e, mod.module.lib.Funcs[id.Name])
	case mod.module.lib.Aggregates[id.Name] != nil:
		return c.callAggregate(sc, e, mod.module.lib.Aggregates[id.Name])
	default:
		c.unknownLib(mod.module.lib, id)
	}
	c.skipArgs(sc, e)
	return types.Invalid
}

func (c *checker) unknownLib(m *catalog.Module, id *ast.Ident) {
	r := c.errorf(diag.UnknownMember, id.Span(), "the module `%s` has no function `%s`", m.Name, id.Name)
	for _, kind := range []string{"source", "sink", "channel", "codec"} {
		if m.Sigs(kind)[id.Name] != nil {
			r.note("`%s.%s` is a %s, and stands in a pipeline.", m.Name, id.Name, kind)
			return
		}
	}
	r.suggest(id.Span(), id.Name, slices.Sorted(maps.Keys(m.Funcs)), "It has")
}

// callType checks `Level(s)`: whether a string is a member of an enum.
func (c *checker) callType(sc *scope, e *ast.CallExpr, id *ast.Ident, obj *Object) types.Type {
	obj.Used = true
	c.info.Objects[id] = obj
	t := c.typeOf(obj, id)
	enum, ok := t.(*types.Enum)
	if !ok {
		if !types.IsInvalid(t) {
			c.errorf(diag.UnknownFunction, id.Span(), "`%s` is a type, and only enums convert a string", obj.Name).
				label("this is %s", aType(t))
		}
		c.skipArgs(sc, e)
		return types.Invalid
	}
	args, ok := c.args(sc, e.Span(), "`"+obj.Name+"`", e.Args, []param{{name: "text", t: types.String, required: true}})
	if !ok {
		return types.Invalid
	}
	c.info.Calls[e] = &Call{Enum: enum, Args: args, Params: []types.Type{types.String}, Result: enum}
	c.fails(sc, e, "the string may be no member of `"+obj.Name+"`")
	return enum
}

// callFn checks a call of a function of the program.
func (c *checker) callFn(sc *scope, e *ast.CallExpr, id *ast.Ident, obj *Object) types.Type {
	obj.Used = true
	c.info.Objects[id] = obj
	c.resolve(obj, id)
	d, ok := obj.Decl.(*ast.FnDecl)
	if !ok {
		bug.Panicf("check: function declared by %T", obj.Decl)
	}
	c.fns.call(sc.body.fn, d, id)
	fn := c.info.Fns[d]
	if fn == nil { // its head is a guess
		c.skipArgs(sc, e)
		return types.Invalid
	}
	args, ok := c.args(sc, e.Span(), "`"+obj.Name+"`", e.Args, paramsOf(fn.Params))
	if !ok || types.IsInvalid(fn.Result) {
		return types.Invalid
	}
	call := &Call{Fn: obj, Args: args, Result: fn.Result}
	for _, p := range fn.Params {
		call.Params = append(call.Params, p.Type)
	}
	c.info.Calls[e] = call
	c.fault(sc)
	if fn.Fallible {
		c.fails(sc, e, "`"+obj.Name+"` is declared to fail")
	}
	return fn.Result
}

// callAggregate checks a call of an aggregate, which stands in the body of a windowed bolt and in `aggregate (…)`.
func (c *checker) callAggregate(sc *scope, e *ast.CallExpr, sig *catalog.Sig) types.Type {
	b := sc.body
	switch {
	case b.inAgg:
		c.errorf(diag.AggregatePlace, e.Span(), "an aggregate cannot stand in the argument of another")
		c.skipArgs(sc, e)
		return types.Invalid
	case b.noWindow != nil && !b.inInit:
		b.noWindow.andHere(e.Span())
		c.skipArgs(sc, e)
		return types.Invalid
	case b.inInit || !b.windowed:
		b.noWindow = c.errorf(diag.AggregatePlace, e.Span(), "`%s` is an aggregate, and there is no window here", sig.Name).
			label("needs a window").
			note("Aggregates stand in the body of a bolt with a `window` clause, and in an `aggregate (…)` step.")
		c.skipArgs(sc, e)
		return types.Invalid
	}
	args, ok := c.matchArgs(e.Span(), "`"+sig.FullName()+"`", e.Args, libParams(sig.Params))
	if !ok {
		b.inAgg = true
		c.skipArgs(sc, e)
		b.inAgg = false
		return types.Invalid
	}
	bindings := types.Bindings{}
	for i, a := range args {
		p := sig.Params[i]
		switch {
		case a == nil:
		case p.Each:
			ok = c.aggregated(sc, a, p, sig, bindings) && ok
		default:
			ok = c.constArg(a, expect{t: p.Type, of: "the parameter `" + p.Name + "` of `" + sig.Name + "`"}) != types.Invalid && ok
			if d, bad := BadArg(&Arg{Param: &p, Name: p.Name, Value: a}, c.info.Consts[a]); bad {
				c.add(d)
				ok = false
			}
		}
	}
	if !ok {
		return types.Invalid
	}
	call := &Call{Aggregate: sig, Args: args, Result: bindings.Put(sig.Result), AggIndex: len(b.aggs)}
	for _, p := range sig.Params {
		call.Params = append(call.Params, bindings.Put(p.Type))
	}
	if !c.convertArgs(args, sig.Params, call.Params, sig.Name) {
		return types.Invalid
	}
	c.info.Calls[e] = call
	b.aggs = append(b.aggs, e)
	switch sig.Name {
	case "sum", "avg", "collect":
		c.fault(sc)
	}
	return call.Result
}

// aggregated checks an argument that is computed for each row.
func (c *checker) aggregated(sc *scope, e ast.Expr, p catalog.Param, sig *catalog.Sig, bindings types.Bindings) bool {
	b := sc.body
	outer := b.failures
	b.failures, b.inAgg = &failures{}, true
	t := c.typed(e, c.infer(sc, e, nil))
	b.inAgg = false
	c.settleHere(b, outer, "an aggregate")
	if types.IsInvalid(t) {
		return false
	}
	if !bindings.Infer(p.Type, t) {
		c.argMismatch(e, t, p.Type, p.Name, sig.Name, p.At)
		return false
	}
	return true
}

func (c *checker) argMismatch(e ast.Expr, got, want types.Type, name, fun string, at source.Span) {
	x := expect{t: want, of: "the parameter `" + name + "` of `" + fun + "`", at: at}
	if types.IsOptional(got) && got != types.None && (types.Bindings{}).Infer(want, types.Bare(got)) {
		c.mayBeNone(e, got, x)
		return
	}
	c.mismatch(e, got, x)
}

// convertArgs converts arguments that were inferred to the types that the call's variables stand for, or tells one that
// does not fit beside the others. An int beside floats becomes one.
func (c *checker) convertArgs(args []ast.Expr, params []catalog.Param, put []types.Type, fun string) bool {
	ok := true
	for i, a := range args {
		if a == nil || !types.HasVars(params[i].Type) && c.info.Wants[a] != nil {
			continue
		}
		t := c.effective(a)
		if types.Assignable(t, put[i]) || t == types.Int && types.Bare(put[i]) == types.Float && c.exactFloat(a) {
			c.converted(a, put[i])
			continue
		}
		ok = false
		c.argMismatch(a, t, put[i], params[i].Name, fun, params[i].At)
	}
	return ok
}

// matchArgs puts arguments in the order of the parameters (nil where one was not given) and tells what does not match:
// unknown or repeated names, too many, required ones that are missing. call is where a missing one is told, what the
// callee as messages call it: "`file.lines`".
func (c *checker) matchArgs(call source.Span, what string, items []*ast.Item, params []param) ([]ast.Expr, bool) {
	args := make([]ast.Expr, len(params))
	ok, named := true, false
	next := 0
	for _, it := range items {
		i := -1
		switch {
		case it.Spread:
			c.errorf(diag.UnknownArgument, it.Span(), "`..` spreads a record inside of a record literal, not into arguments")
		case it.Name != nil:
			named = true
			if i = slices.IndexFunc(params, func(p param) bool { return p.name == it.Name.Name }); i < 0 {
				c.unknownArgument(what, it.Name, params)
			}
		case named:
			c.errorf(diag.UnknownArgument, it.Span(), "arguments without a name stand before those with one")
		case next >= len(params):
			c.tooMany(call, what, items, it, params)
			return args, false
		default:
			i = next
			next++
		}
		switch {
		case i < 0:
			ok = false
		case args[i] != nil:
			c.errorf(diag.DuplicateArgument, it.Span(), "the parameter `%s` is given twice", params[i].name).
				label("again here").related(args[i].Span(), "first here")
			ok = false
		default:
			args[i] = it.Value
		}
	}
	if ok {
		ok = c.missingArgs(call, what, args, params)
	}
	return args, ok
}

func (c *checker) unknownArgument(what string, id *ast.Ident, params []param) {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	if id.Name == "" {
		return
	}
	c.errorf(diag.UnknownArgument, id.Span(), "%s has no parameter `%s`", what, id.Name).
		suggest(id.Span(), id.Name, names, "Its parameters are")
}

func (c *checker) tooMany(_ source.Span, what string, items []*ast.Item, it *ast.Item, params []param) {
	takes := "takes no arguments"
	switch n := len(params); {
	case n == 1:
		takes = "takes one argument"
	case n > 1:
		takes = "takes " + count(n) + " arguments"
	}
	at := it.Span().To(items[len(items)-1].Span())
	c.errorf(diag.TooManyArguments, at, "%s %s, found %s", what, takes, count(len(items))).label("too many")
}

func count(n int) string {
	words := [...]string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return "more"
}

func (c *checker) missingArgs(call source.Span, what string, args []ast.Expr, params []param) bool {
	var missing []string
	var at source.Span
	for i, p := range params {
		if p.required && args[i] == nil {
			missing = append(missing, "`"+p.name+": "+p.t.String()+"`")
			at = p.at
		}
	}
	if len(missing) == 0 {
		return true
	}
	s := ""
	if len(missing) > 1 {
		s = "s"
		at = source.Span{}
	}
	c.errorf(diag.MissingArgument, call, "%s wants the argument%s %s", what, s, strings.Join(missing, ", ")).
		related(at, "declared here")
	return false
}

// args is matchArgs, and checks each argument in sc against the type of its parameter.
func (c *checker) args(sc *scope, call source.Span, what string, items []*ast.Item, params []param) ([]ast.Expr, bool) {
	args, ok := c.matchArgs(call, what, items, params)
	if !ok {
		outer := sc.body.failures
		sc.body.failures = &failures{}
		for _, it := range items {
			c.infer(sc, it.Value, types.Invalid)
		}
		sc.body.failures = outer
		return args, false
	}
	// In order of the text, so that what is told and counted is.
	of := map[ast.Expr]param{}
	for i, a := range args {
		if a != nil {
			of[a] = params[i]
		}
	}
	for _, it := range items {
		p := of[it.Value]
		t := c.exprFor(sc, it.Value, expect{t: p.t, of: "the parameter `" + p.name + "` of " + what, at: p.at})
		ok = ok && !types.IsInvalid(t)
	}
	return args, ok
}
