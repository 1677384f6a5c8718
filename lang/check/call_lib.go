package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// A library function may have several forms, and type variables. With one form, the types of its parameters guide the
// arguments; with several, the arguments are inferred by themselves, and the call means the first form that they fit.

// callLib checks a call of a library function.
func (c *checker) callLib(sc *scope, e *ast.CallExpr, f *catalog.Func) types.Type {
	var args []ast.Expr
	var bindings types.Bindings
	var ok bool
	if f.Next == nil {
		args, bindings, ok = c.singleForm(sc, e, f)
	} else {
		f, args, bindings, ok = c.chooseForm(sc, e, f)
	}
	if !ok {
		return types.Invalid
	}
	call := &Call{Func: f, Args: args, Result: bindings.Put(f.Result)}
	for _, p := range f.Params {
		call.Params = append(call.Params, bindings.Put(p.Type))
	}
	if !c.convertArgs(args, f.Params, call.Params, f.Name) {
		return types.Invalid
	}
	c.info.Calls[e] = call
	if mayFault(f) {
		c.fault(sc)
	}
	if f.Fallible {
		c.fails(sc, e, "`"+f.FullName()+"` can fail")
	}
	return call.Result
}

// singleForm checks the arguments of a function that has one form. Parameters without type variables are wanted as
// they are; the others bind their variables in order.
func (c *checker) singleForm(sc *scope, e *ast.CallExpr, f *catalog.Func) ([]ast.Expr, types.Bindings, bool) {
	params := libParams(f.Params)
	args, ok := c.matchArgs(e.Span(), "`"+f.FullName()+"`", e.Args, params)
	if !ok {
		c.skipArgs(sc, e)
		return nil, nil, false
	}
	bindings := types.Bindings{}
	for i, a := range args {
		if a == nil {
			continue
		}
		p := params[i]
		if !types.HasVars(p.t) {
			t := c.exprFor(sc, a, expect{t: p.t, of: "the parameter `" + p.name + "` of `" + f.Name + "`", at: p.at})
			ok = ok && !types.IsInvalid(t)
			continue
		}
		ok = c.bindArg(sc, a, p, f, bindings) && ok
	}
	finish(bindings, f)
	return args, bindings, ok
}

// bindArg infers an argument, whose type the variables of its parameter then stand for.
func (c *checker) bindArg(sc *scope, a ast.Expr, p param, f *catalog.Func, bindings types.Bindings) bool {
	t := c.infer(sc, a, c.hintOf(p.t, bindings))
	t = c.typed(a, t)
	if types.IsInvalid(t) {
		return false
	}
	if bindings.Infer(p.t, t) {
		return true
	}
	want := p.t
	if put := bindings.Put(p.t); !types.Has(put, func(t types.Type) bool { return t == types.Never }) {
		want = put
		if types.Bare(want) == types.Float && t == types.Int && c.isConst(a) {
			return true // converted with the others
		}
	}
	c.argMismatch(a, t, want, p.name, f.Name, p.at)
	return false
}

// hintOf returns a parameter's type with what its variables are bound to so far.
func (c *checker) hintOf(t types.Type, bindings types.Bindings) types.Type {
	put := bindings.Put(t)
	if types.Has(put, func(t types.Type) bool { return t == types.Never }) {
		return t
	}
	return put
}

// finish gives a type to variables that no argument binds (the list `[]` alone): any would do.
func finish(bindings types.Bindings, f *catalog.Func) {
	fill := func(t types.Type) {
		types.Has(t, func(t types.Type) bool {
			switch t := t.(type) {
			case *types.Var:
				if bound, ok := bindings[t.Name]; !ok || bound == types.Never {
					bindings[t.Name] = types.Int
				}
			case types.Basic:
				if _, ok := bindings[t.String()]; t == types.Number && !ok {
					bindings[t.String()] = types.Int
				}
			}
			return false
		})
	}
	for _, p := range f.Params {
		fill(p.Type)
	}
	fill(f.Result)
}

// chooseForm infers the arguments, and returns the first form that they fit.
func (c *checker) chooseForm(sc *scope, e *ast.CallExpr, f *catalog.Func) (*catalog.Func, []ast.Expr, types.Bindings, bool) {
	ok := true
	at := map[ast.Expr]types.Type{}
	for _, it := range e.Args {
		if it.Spread {
			c.errorf(diag.UnknownArgument, it.Span(), "`..` spreads a record inside of a record literal, not into arguments")
			ok = false
		}
		t := c.typed(it.Value, c.infer(sc, it.Value, formHint(f)))
		at[it.Value] = t
		ok = ok && !types.IsInvalid(t)
	}
	if !ok {
		return nil, nil, nil, false
	}
	for form := f; form != nil; form = form.Next {
		if args, bindings, fits := c.formFits(e, form, at); fits {
			finish(bindings, form)
			return form, args, bindings, true
		}
	}
	c.noForm(e, f, at)
	return nil, nil, nil, false
}

// formHint is the hint for `[]` and `[:]`: a form that takes any list.
func formHint(f *catalog.Func) types.Type {
	for form := f; form != nil; form = form.Next {
		for _, p := range form.Params {
			if l, ok := p.Type.(*types.List); ok {
				return l
			}
		}
	}
	return nil
}

// formFits reports whether the arguments of a call fit a form by number, name and type.
func (c *checker) formFits(e *ast.CallExpr, f *catalog.Func, at map[ast.Expr]types.Type) ([]ast.Expr, types.Bindings, bool) {
	args := make([]ast.Expr, len(f.Params))
	for i, it := range e.Args {
		if it.Name != nil {
			for i = 0; i < len(f.Params) && f.Params[i].Name != it.Name.Name; i++ {
			}
		}
		if i >= len(args) || args[i] != nil {
			return nil, nil, false
		}
		args[i] = it.Value
	}
	bindings := types.Bindings{}
	for i, p := range f.Params {
		switch {
		case args[i] == nil && p.Required:
			return nil, nil, false
		case args[i] != nil && !bindings.Infer(p.Type, at[args[i]]):
			return nil, nil, false
		}
	}
	return args, bindings, true
}

// noForm tells that no form fits: because an optional has no value, or by listing what there is.
func (c *checker) noForm(e *ast.CallExpr, f *catalog.Func, at map[ast.Expr]types.Type) {
	bare := map[ast.Expr]types.Type{}
	var optional ast.Expr
	for _, it := range e.Args {
		t := at[it.Value]
		if types.IsOptional(t) && optional == nil {
			optional = it.Value
			t = types.Bare(t)
		}
		bare[it.Value] = t
	}
	if optional != nil {
		for form := f; form != nil; form = form.Next {
			if args, _, fits := c.formFits(e, form, bare); fits {
				for i, a := range args {
					if a == optional {
						c.mayBeNone(a, at[a], expect{t: form.Params[i].Type, of: "the parameter `" + form.Params[i].Name + "` of `" + f.Name + "`", at: form.Params[i].At})
						return
					}
				}
			}
		}
	}
	var found []string
	blamed := e.Span()
	for _, it := range e.Args {
		if t := aType(at[it.Value]); !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	if len(e.Args) == 1 {
		blamed = e.Args[0].Value.Span()
	}
	what := "no arguments"
	if len(found) > 0 {
		what = strings.Join(found, ", ")
	}
	if len(e.Args) > 1 && len(found) == 1 {
		what = fmt.Sprintf("%s arguments, each %s", count(len(e.Args)), found[0])
	}
	r := c.errorf(diag.Mismatch, blamed, "`%s` does not take %s", f.FullName(), what)
	var forms []string
	for form := f; form != nil; form = form.Next {
		forms = append(forms, signature(form))
	}
	r.note("It is %s.", orList(forms))
	if len(e.Args) == 1 && types.Equal(at[e.Args[0].Value], f.Result) {
		r.note("%s is %s already.", subject(e.Args[0].Value), aType(f.Result))
		r.fix("take the call out", replace(e.Span(), e.Args[0].Value.Span().Text()))
	}
}

// signature returns a function as messages show it: "`len(text: string) -> int`".
func signature(f *catalog.Func) string {
	var b strings.Builder
	b.WriteString("`" + f.FullName() + "(")
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name + ": " + p.Type.String())
	}
	b.WriteString(") -> " + f.Result.String())
	if f.Fallible {
		b.WriteString("!")
	}
	b.WriteString("`")
	return b.String()
}

// mayFault reports whether a library function may have no value for some arguments although it is not declared to
// fail: a value over the size limit, an int that overflows. Functions that give a bool, a time or part of what they
// take never do, nor do those that keep the length of a string.
func mayFault(f *catalog.Func) bool {
	switch f.FullName() {
	case "len", "words", "lower", "upper", "trim", "float", "text.slice", "text.trim", "text.find", "list.min", "list.max", "list.first",
		"list.last", "list.sort", "list.reverse", "list.unique", "list.take", "list.skip":
		return false
	case "time.add", "time.from_unix", "time.from_unix_ms":
		return true
	}
	return f.Result != types.Bool && f.Result != types.Time && f.Module != "time"
}
