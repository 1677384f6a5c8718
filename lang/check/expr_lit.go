package check

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// listFor checks a list literal where a list is wanted.
func (c *checker) listFor(sc *scope, e *ast.ListExpr, want *types.List, why expect) types.Type {
	why.t = want.Elem
	ok := true
	for _, el := range e.Elems {
		ok = c.exprFor(sc, el, why) != types.Invalid && ok
	}
	if !ok {
		c.setType(e, types.Invalid)
		return types.Invalid
	}
	c.setType(e, want)
	c.foldList(e)
	return want
}

// listLit infers the type of a list literal: what all its elements have in common.
func (c *checker) listLit(sc *scope, e *ast.ListExpr, hint types.Type) types.Type {
	list, _ := bareHint(hint).(*types.List)
	if len(e.Elems) == 0 {
		return c.emptyLit(e, list != nil, hint, "[]", "let xs: [string] = []")
	}
	var elemHint types.Type
	if list != nil {
		elemHint = list.Elem
	}
	ok := true
	var elem types.Type
	for i, el := range e.Elems {
		t := c.infer(sc, el, elemHint)
		switch {
		case !ok:
		case types.IsInvalid(t):
			ok = false
		case i == 0:
			elem, elemHint = t, t
		default:
			elem, ok = c.joinElem(e.Elems[0], el, elem, t)
		}
	}
	if !ok {
		return types.Invalid
	}
	elem = c.typed(e, elem)
	for _, el := range e.Elems {
		c.converted(el, elem)
	}
	t := &types.List{Elem: elem}
	c.setType(e, t)
	c.foldList(e)
	return t
}

// joinElem returns what the elements so far and one more have in common, or tells that there is nothing.
func (c *checker) joinElem(first, el ast.Expr, elem, t types.Type) (types.Type, bool) {
	joined, ok := c.join(elem, t, c.isConst(first), c.isConst(el))
	if !ok {
		c.errorf(diag.NoCommonType, el.Span(), "the elements of a list are of one type: this is %s", aType(t)).
			label("this is %s", aType(t)).related(first.Span(), "this is %s", aType(elem))
	}
	return joined, ok
}

// emptyLit is `[]` or `[:]`, whose type comes from its place alone.
func (c *checker) emptyLit(e ast.Expr, fits bool, hint types.Type, text, example string) types.Type {
	switch {
	case hint == types.Invalid:
		return types.Invalid
	case fits && !types.HasVars(hint):
		t := types.Bare(hint)
		c.setType(e, t)
		c.foldEmpty(e)
		return t
	case fits:
		c.foldEmpty(e)
		if text == "[]" {
			return &types.List{Elem: types.Never}
		}
		return &types.Map{Key: types.Never, Elem: types.Never}
	}
	c.errorf(diag.EmptyLiteral, e.Span(), "nothing says of what type `%s` is", text).
		note("Write its type where it is declared, as in `%s`.", example)
	return types.Invalid
}

func (c *checker) foldEmpty(e ast.Expr) {
	if _, list := e.(*ast.ListExpr); list {
		c.setConst(e, value.OfList(nil))
		return
	}
	c.setConst(e, value.OfMap(nil, nil))
}

func (c *checker) foldList(e *ast.ListExpr) {
	c.fold(e, e.Elems, func(v []value.Value) (value.Value, bool) { return value.OfList(v), true })
}

// mapFor checks a map literal where a map is wanted.
func (c *checker) mapFor(sc *scope, e *ast.MapExpr, want *types.Map, why expect) types.Type {
	ok := true
	for _, entry := range e.Entries {
		why.t = want.Key
		ok = c.exprFor(sc, entry.Key, why) != types.Invalid && ok
		why.t = want.Elem
		ok = c.exprFor(sc, entry.Value, why) != types.Invalid && ok
	}
	if !ok {
		c.setType(e, types.Invalid)
		return types.Invalid
	}
	c.setType(e, want)
	c.foldMap(e)
	return want
}

// mapLit infers the type of a map literal.
func (c *checker) mapLit(sc *scope, e *ast.MapExpr, hint types.Type) types.Type {
	m, _ := bareHint(hint).(*types.Map)
	if len(e.Entries) == 0 {
		return c.emptyLit(e, m != nil, hint, "[:]", "let m: [string: int] = [:]")
	}
	var keyHint, elemHint, key, elem types.Type
	if m != nil {
		keyHint, elemHint = m.Key, m.Elem
	}
	ok := true
	for i, entry := range e.Entries {
		k, v := c.infer(sc, entry.Key, keyHint), c.infer(sc, entry.Value, elemHint)
		switch {
		case !ok:
		case types.IsInvalid(k) || types.IsInvalid(v):
			ok = false
		case i == 0:
			key, elem, elemHint = k, v, v
			if !types.IsKey(k) {
				c.errorf(diag.BadKeyType, entry.Key.Span(), "%s cannot be the key of a map", aType(k)).
					note("Keys are bool, int, string, bytes, time, duration or an enum.")
				ok = false
			}
		default:
			first := e.Entries[0]
			if key, ok = c.joinElem(first.Key, entry.Key, key, k); ok {
				elem, ok = c.joinElem(first.Value, entry.Value, elem, v)
			}
		}
	}
	if !ok {
		return types.Invalid
	}
	elem = c.typed(e, elem)
	for _, entry := range e.Entries {
		c.converted(entry.Key, key)
		c.converted(entry.Value, elem)
	}
	t := &types.Map{Key: key, Elem: elem}
	c.setType(e, t)
	c.foldMap(e)
	return t
}

func (c *checker) foldMap(e *ast.MapExpr) {
	parts := make([]ast.Expr, 0, 2*len(e.Entries))
	for _, entry := range e.Entries {
		parts = append(parts, entry.Key, entry.Value)
	}
	c.fold(e, parts, func(v []value.Value) (value.Value, bool) {
		var keys, elems []value.Value
		for i := 0; i < len(v); i += 2 {
			keys, elems = append(keys, v[i]), append(elems, v[i+1])
		}
		return value.NewMap(keys, elems), true
	})
}

// comprehension checks `[value for name in list if cond]`; want is the list that the place wants, or nil.
func (c *checker) comprehension(sc *scope, e *ast.CompExpr, want *types.List, why expect) types.Type {
	if sc.body.kind == constBody {
		c.errorf(diag.NotConstant, e.Span(), "a list comprehension is not constant")
		c.setType(e, types.Invalid)
		return types.Invalid
	}
	elem := c.iterated(sc, e.In, false)
	inner := sc.inner()
	c.declareLocal(inner, e.Name, elem, nil)
	f := &sc.body.facts
	mark := f.mark()
	if e.Cond != nil {
		yes, _ := c.condition(inner, e.Cond)
		f.learn(yes)
	}
	var t types.Type
	if want != nil {
		why.t = want.Elem
		t = c.exprFor(inner, e.Value, why)
	} else {
		t = c.typed(e.Value, c.infer(inner, e.Value, nil))
	}
	f.take(mark)
	if types.IsInvalid(t) || types.IsInvalid(elem) {
		c.setType(e, types.Invalid)
		return types.Invalid
	}
	list := &types.List{Elem: t}
	c.setType(e, list)
	return list
}

// iterated checks what a loop goes over, and returns the type of its elements. A map has entries, which only a loop
// with two names takes.
func (c *checker) iterated(sc *scope, e ast.Expr, entries bool) types.Type {
	t := c.infer(sc, e, nil)
	switch x := t.(type) {
	case *types.List:
		return x.Elem
	case *types.Map:
		if entries {
			return x.Elem
		}
		c.errorf(diag.NotIterable, e.Span(), "this is a map, whose entries have a key and a value").
			label("this is %s", aType(t)).note("A statement takes both: `for key, value in %s { … }`.", shown(e))
		return types.Invalid
	}
	if types.IsInvalid(t) {
		return types.Invalid
	}
	if bare := types.Bare(t); elemOf(bare) != nil {
		c.errorf(diag.MayBeNone, e.Span(), "%s may be none, and a loop wants a list or a map", subject(e)).
			label("this is %s", aType(t)).note("Test it before: `if %s != none { … }`.", shown(e))
		return types.Invalid
	}
	r := c.errorf(diag.NotIterable, e.Span(), "a loop wants a list or a map, found %s", aType(t)).label("this is %s", aType(t))
	switch {
	case t == types.Int:
		r.note("`list.range(%s)` is the list of ints below it.", shown(e))
	case types.IsString(t):
		r.note("`split(%s, \"\")` makes a list of its characters, `words(%s)` of its words.", shown(e), shown(e))
	}
	return types.Invalid
}

// ifExpr checks `if c { a } else { b }`; want.t nil: nothing is wanted.
func (c *checker) ifExpr(sc *scope, e *ast.IfExpr, want expect) types.Type {
	yes, no := c.condition(sc, e.Cond)
	if want.t == types.Regex {
		want = expect{} // a pattern is compiled before the run and cannot be chosen in it: the first branch is told
	}
	branch := func(known []factKey, x ast.Expr, hint types.Type) types.Type {
		f := &sc.body.facts
		mark := f.mark()
		f.learn(known)
		defer f.take(mark)
		if want.t != nil {
			return c.exprFor(sc, x, want)
		}
		return c.infer(sc, x, hint)
	}
	var a, b types.Type
	if isEmpty(e.Then) { // its type is that of the other branch
		b = branch(no, e.Else, nil)
		a = branch(yes, e.Then, b)
	} else {
		a = branch(yes, e.Then, nil)
		b = branch(no, e.Else, a)
	}
	t := c.joinBranches(e.Then, a, e.Else, b)
	c.setType(e, t)
	c.fold(e, []ast.Expr{e.Cond, e.Then, e.Else}, func(v []value.Value) (value.Value, bool) {
		if v[0].Bool() {
			return v[1], true
		}
		return v[2], true
	})
	return t
}

// joinBranches gives two branches the type that they have in common, or tells that there is none.
func (c *checker) joinBranches(x ast.Expr, a types.Type, y ast.Expr, b types.Type) types.Type {
	if types.IsInvalid(a) || types.IsInvalid(b) {
		return types.Invalid
	}
	t, ok := c.joinOf(x, a, y, b)
	if !ok {
		c.errorf(diag.NoCommonType, y.Span(), "the branches are of different types: this is %s", aType(b)).
			label("this is %s", aType(b)).related(x.Span(), "this is %s", aType(a))
		return types.Invalid
	}
	c.converted(x, t)
	c.converted(y, t)
	return t
}

// joinOf returns the type that two expressions have in common. A constant int becomes a float beside one.
func (c *checker) joinOf(x ast.Expr, a types.Type, y ast.Expr, b types.Type) (types.Type, bool) {
	return c.join(a, b, c.isConst(x), c.isConst(y))
}

func (c *checker) join(a, b types.Type, constA, constB bool) (types.Type, bool) {
	if t, ok := types.Join(a, b); ok {
		return t, true
	}
	bareA, bareB := types.Bare(a), types.Bare(b)
	if bareA == types.Int && constA && bareB == types.Float || bareA == types.Float && bareB == types.Int && constB {
		if types.IsOptional(a) || types.IsOptional(b) {
			return types.Opt(types.Float), true
		}
		return types.Float, true
	}
	return nil, false
}
