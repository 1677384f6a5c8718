package check

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// path is what is known of the ways that lead to a statement: whether there is one at all, and whether one of them has
// done nothing visible yet (no emit, drop or fail). A loop counts as run: one that emits is not silent.
type path struct {
	ended    bool        // the flow cannot come here
	guess    bool        // or perhaps it can: the parser told something
	silent   bool        // it can come here silently
	silentAt source.Span // the `if` that lets it, or no place
	emitted  source.Span // an emit that stands on every way here, or no place
}

// boltBody checks the body of a bolt.
func (c *checker) boltBody(d *ast.BoltDecl, bolt *Bolt) {
	if d.Value != nil {
		c.notYet(d.Value.Span(), "a bolt in another language")
		c.markUsed(d)
		return
	}
	if d.Body == nil || bolt.In == nil {
		c.markUsed(d)
		return
	}
	b := c.newBody(boltBody, "the bolt `"+d.Name.Name+"`")
	b.in, b.bolt, b.windowed, b.locals, b.canFail = bolt.In, bolt, d.Window != nil, bolt.Locals, bolt.CanFail
	sc := c.keyScope(&scope{body: b, fields: bolt.In}, bolt.Keys).inner()
	for _, w := range bolt.With {
		if sc.own(w.Name) == nil {
			sc.set(w)
		}
	}
	b.top = sc.inner()
	b.spoiled = c.spoils.inside(d.Body.Span())
	p := &path{silent: len(bolt.Outs) > 0}
	c.stmts(b.top, d.Body.Stmts, p)
	if !p.ended {
		c.silentEnd(b, d, p)
	}
	c.unsettledBolt(b, d)
	bolt.Aggs, bolt.Locals = b.aggs, b.locals
	bolt.Stateful = bolt.Stateful || len(bolt.State) > 0
	bolt.CanFail = b.canFail || len(b.failures.places) > 0
	b.failures.places = nil
	c.unusedLocals(b, bolt.With)
}

// silentEnd warns where a stateless body can fall off its end without having done anything visible.
func (c *checker) silentEnd(b *body, d *ast.BoltDecl, p *path) {
	if !p.silent || c.broken(b) || b.isStateful(d) {
		return
	}
	if !p.silentAt.IsValid() {
		c.warnf(diag.SilentPath, d.Name.Span(), "%s can end without emit, drop or fail", b.what).label("does nothing with the tuple").
			note("A tuple that is not wanted is dropped by name: `drop \"why\"`.")
		return
	}
	c.warnf(diag.SilentPath, p.silentAt, "where this is not true, %s ends without emit, drop or fail", b.what).
		note("Say what happens then: `else { drop \"why\" }`.")
}

// isStateful reports whether a body keeps state; then a tuple may well only change it.
func (b *body) isStateful(d *ast.BoltDecl) bool { return d.Window != nil || len(b.bolt.State) > 0 }

// unusedLocals warns about names of a body that nothing reads.
func (c *checker) unusedLocals(b *body, with []*Object) {
	if c.broken(b) {
		return
	}
	for _, obj := range append(with, b.declared...) {
		if obj.Used || isPrivate(obj.Name) || obj.Name == "" {
			continue
		}
		what := "value"
		switch obj.Kind {
		case ObjWith:
			what = "parameter"
		case ObjState:
			what = "state"
		}
		c.warnf(diag.UnusedLocal, obj.At, "the %s `%s` is never read", what, obj.Name).label("not used").
			note("A name that starts with `_` may go unused.")
	}
}

// stmts checks the statements of a block in sc.
func (c *checker) stmts(sc *scope, list []ast.Stmt, p *path) {
	told := false
	for _, s := range list {
		if p.ended && !told && !p.guess && !sc.body.spoiled {
			told = true
			c.warnf(diag.Unreachable, s.Span(), "this is never reached").label("the body has ended before")
		}
		c.stmt(sc, s, p)
	}
}

func (c *checker) stmt(sc *scope, s ast.Stmt, p *path) {
	switch s.(type) {
	case *ast.Block, *ast.IfStmt, *ast.ForStmt: // their parts are statements of their own
		c.stmtNew(sc, s, p)
	default:
		c.quietly(s.Span(), func() { c.stmtNew(sc, s, p) })
	}
}

func (c *checker) stmtNew(sc *scope, s ast.Stmt, p *path) {
	sc.body.silent = p.silent
	switch s := s.(type) {
	case *ast.Block:
		c.stmts(sc.inner(), s.Stmts, p)
	case *ast.LetStmt:
		c.letStmt(sc, s)
	case *ast.StateStmt:
		c.stateStmt(sc, s)
	case *ast.AssignStmt:
		c.assignStmt(sc, s)
	case *ast.EmitStmt:
		c.emitStmt(sc, s)
		p.silent, p.emitted = false, s.Span()
	case *ast.IfStmt:
		c.ifStmt(sc, s, p)
	case *ast.ForStmt:
		c.forStmt(sc, s, p)
	case *ast.DropStmt:
		c.effect(sc, s, "drop")
		c.text(sc, s.Why)
		c.takesBack(sc, s, "drop", p)
		p.ended = true
	case *ast.FailStmt:
		c.effect(sc, s, "fail")
		c.text(sc, s.Why)
		sc.body.canFail = true
		c.takesBack(sc, s, "fail", p)
		p.ended = true
	case *ast.ReturnStmt:
		c.returnStmt(sc, s, p)
	case *ast.BreakStmt, *ast.ContinueStmt:
		if sc.body.loops == 0 {
			c.errorf(diag.OutsideLoop, s.Span(), "`%s` stands in loops only", s.Span().Text()).label("no loop around it")
		}
		p.ended = true
	case *ast.BadStmt:
		c.haze(everyName)
		c.assume(sc, s.Span())
		c.errors++                                     // the parser's; what seems unused here may be used there
		p.ended, p.silent, p.guess = true, false, true // it may have been anything
	default:
		bug.Panicf("check: statement %T", s)
	}
}

// takesBack warns where a drop or fail always undoes an emit: a body takes effect as a whole, or not at all.
func (c *checker) takesBack(sc *scope, s ast.Stmt, word string, p *path) {
	if sc.body.kind != boltBody || p.ended || p.guess || !p.emitted.IsValid() {
		return
	}
	c.warnf(diag.DiscardedEmit, s.Span(), "this takes back what was emitted before").
		label("`%s` undoes the whole body", word).
		related(p.emitted, "so this never leaves").
		note("A body takes effect as a whole: `drop` and `fail` discard all of it. Decide before the `emit`, or end the body with `return`, which keeps it.")
}

// text checks the reason of a drop or fail.
func (c *checker) text(sc *scope, s *ast.StrLit) {
	if s != nil {
		c.exprFor(sc, s, expect{t: types.String})
	}
}

// effect checks that a statement stands in the body of a bolt, and counts it.
func (c *checker) effect(sc *scope, s ast.Stmt, word string) bool {
	b := sc.body
	b.effects++
	if b.kind == boltBody {
		return true
	}
	if b.rowwise { // right of an else: see exits
		b.canFail = true
		return true
	}
	c.errorf(diag.EffectPlace, keyword(s.Span(), word), "`%s` stands in the body of a bolt only", word).
		note("A function computes a value from its parameters and does nothing else.")
	return false
}

// declareLocal declares a `let`, a loop's name or a comprehension's, in a new local slot. decl is nil for names that
// may go unused.
func (c *checker) declareLocal(sc *scope, id *ast.Ident, t types.Type, decl ast.Node) *Object {
	b := sc.body
	obj := &Object{
		Kind: ObjLocal, Name: id.Name, Type: t, Decl: decl, At: id.Span(), Index: len(b.locals), File: c.unit.file,
		inAgg: b.inAgg, variable: decl != nil,
	}
	b.locals = append(b.locals, t)
	c.enterLocal(sc, obj, id)
	return obj
}

// enterLocal makes a local or state known, or tells that it would hide another name of the body.
func (c *checker) enterLocal(sc *scope, obj *Object, id *ast.Ident) {
	c.info.Objects[id] = obj
	if id.Name == "" {
		sc.body.nameless = true
		return
	}
	if obj.variable {
		sc.body.declared = append(sc.body.declared, obj)
	}
	if other := sc.find(id.Name); other != nil && other.Kind != ObjWith && other.Kind != ObjError {
		what := map[ObjectKind]string{ObjField: "a field of the input", ObjKey: "a key", ObjState: "a state"}[other.Kind]
		if what == "" {
			what = "a value of this body"
		}
		c.errorf(diag.ShadowedName, id.Span(), "`%s` is the name of %s already", id.Name, what).
			label("would hide it").related(other.At, "declared here")
	}
	sc.set(obj)
}

func (c *checker) letStmt(sc *scope, s *ast.LetStmt) {
	var t types.Type
	if s.Type != nil {
		t = c.typeExpr(s.Type)
		c.exprFor(sc, s.Value, expect{t: t, of: "`" + s.Name.Name + "`", at: s.Type.Span()})
	} else {
		t = c.typed(s.Value, c.infer(sc, s.Value, nil))
	}
	obj := c.declareLocal(sc, s.Name, c.guess(s.Span(), t), s)
	c.assigned(sc, obj, s.Value)
}

// assigned notes what is known of a variable behind an assignment.
func (c *checker) assigned(sc *scope, obj *Object, v ast.Expr) {
	f := &sc.body.facts
	holds := types.IsOptional(obj.Type) && !types.IsInvalid(c.effective(v)) && c.holds(sc, v)
	f.forget(obj)
	if holds {
		f.set(factKey{obj, ""}, true)
	}
}

func (c *checker) stateStmt(sc *scope, s *ast.StateStmt) {
	b := sc.body
	t := c.guess(s.Span(), c.typeExpr(s.Type))
	outer := b.failures
	b.failures, b.inInit = &failures{}, true
	c.exprFor(sc, s.Init, expect{t: t, of: "`" + s.Name.Name + "`", at: s.Type.Span()})
	b.inInit = false
	c.settleHere(b, outer, "the first value of a state")
	if s.Keep != nil {
		c.constArg(s.Keep, expect{t: types.Duration, of: "`keep`"})
	}
	obj := &Object{Kind: ObjState, Name: s.Name.Name, Type: t, Decl: s, At: s.Name.Span(), Value: s.Init, File: c.unit.file, variable: true}
	head := keyword(s.Span(), "state")
	switch {
	case b.kind != boltBody:
		c.effect(sc, s, "state")
	case sc != b.top:
		c.errorf(diag.StatePlace, head, "a state is declared at the top of the body, not inside of a block")
	case len(b.bolt.Keys) == 0 && !b.bolt.Global && b.bolt.Decl.By == nil:
		c.errorf(diag.KeyNeeded, head, "a state needs `by` or `global`").
			note("`by key` keeps one value for each key, `global` one for all tuples.")
	default:
		obj.Index = len(b.bolt.State)
		b.bolt.State = append(b.bolt.State, obj)
	}
	c.enterLocal(sc, obj, s.Name)
}

func (c *checker) assignStmt(sc *scope, s *ast.AssignStmt) {
	obj := c.target(sc, s.Name)
	if obj == nil {
		if s.Index != nil {
			c.infer(sc, s.Index, types.Invalid)
		}
		c.infer(sc, s.Value, types.Invalid)
		return
	}
	if s.Index == nil {
		c.exprFor(sc, s.Value, expect{t: obj.Type, of: "`" + obj.Name + "`", at: obj.At})
		c.assigned(sc, obj, s.Value)
		return
	}
	switch t := c.targetType(sc, obj).(type) {
	case *types.Map:
		c.exprFor(sc, s.Index, expect{t: t.Key, of: "the key of the map"})
		c.exprFor(sc, s.Value, expect{t: t.Elem, of: "`" + obj.Name + "`", at: obj.At})
	case *types.List:
		c.exprFor(sc, s.Index, expect{t: types.Int, of: "the index of a list"})
		c.exprFor(sc, s.Value, expect{t: t.Elem, of: "`" + obj.Name + "`", at: obj.At})
		places := &sc.body.failures.places
		*places = append(*places, place{node: s.Index, why: "the index may be outside of the list", clauseOnly: true})
	default:
		c.infer(sc, s.Index, types.Invalid)
		c.infer(sc, s.Value, types.Invalid)
		if types.IsInvalid(t) {
			return
		}
		r := c.errorf(diag.NotIndexable, s.Name.Span(), "`%s` is %s, and only lists and maps have an index", obj.Name, aType(t))
		if types.IsOptional(t) {
			r.note("Test it before: `if %s != none { … }`.", obj.Name)
		}
	}
	c.fault(sc)
}

// targetType returns the type that a variable has at this point.
func (c *checker) targetType(sc *scope, obj *Object) types.Type {
	if sc.body.facts.known[factKey{obj, ""}] {
		return types.Bare(obj.Type)
	}
	return obj.Type
}

// target returns the variable that is assigned, or nil after telling why there is none.
func (c *checker) target(sc *scope, id *ast.Ident) *Object {
	if id.Name == "" {
		return nil
	}
	obj := c.value(sc, id.Name)
	switch {
	case obj == nil:
		c.unknownName(sc, id)
		if sc.body.unknown == nil {
			sc.body.unknown = map[string]bool{}
		}
		sc.body.unknown[id.Name] = true
		return nil
	case obj.variable:
		c.info.Objects[id] = obj
		if sc.body.inAgg {
			bug.Panicf("check: a statement inside of an aggregate")
		}
		return obj
	}
	obj.Used = true
	what := map[ObjectKind]string{
		ObjField: "a field of the input", ObjKey: "a key", ObjWith: "a parameter", ObjParam: "a parameter", ObjConst: "a constant",
		ObjLocal: "a loop's name or a parameter", ObjTuple: "the input", ObjWindow: "the window", ObjError: "the error", ObjTable: "a table",
	}[obj.Kind]
	c.errorf(diag.NotAssignable, id.Span(), "`%s` is %s, and only a `let` or `state` of the body is assigned", id.Name, what).
		label("cannot be assigned").related(obj.At, "declared here").
		note("Copy it first, under a name of its own: `let copy = %s`.", id.Name)
	return nil
}

func (c *checker) emitStmt(sc *scope, s *ast.EmitStmt) {
	if !c.effect(sc, s, "emit") {
		c.infer(sc, s.Value, types.Invalid)
		return
	}
	b := sc.body
	if s.Unanchored {
		b.bolt.Unanchored = true
	}
	out, ok := c.output(b.bolt, s)
	if !ok || out.Type == nil {
		c.infer(sc, s.Value, types.Invalid)
		return
	}
	of := "the output"
	if out.Name != "" {
		of = "the output `" + out.Name + "`"
	}
	want := expect{t: out.Type, of: of, at: out.At}
	if rec, ok := s.Value.(*ast.RecordExpr); ok {
		c.exprFor(sc, rec, want)
		return
	}
	t := c.infer(sc, s.Value, out.Type)
	if r := types.Bare(t); !types.IsInvalid(t) {
		if _, ok := isRecord(r); !ok {
			c.errorf(diag.NotARecord, s.Value.Span(), "`emit` wants a record, found %s", aType(t)).label("this is %s", aType(t)).
				note("A record is written `(name: value, …)`.")
			return
		}
	}
	c.convert(sc, s.Value, t, want)
}

// output returns the output that an emit goes to.
func (c *checker) output(bolt *Bolt, s *ast.EmitStmt) (Out, bool) {
	if s.To != nil && s.To.Name == "" {
		return Out{}, false
	}
	var names []string
	for _, o := range bolt.Outs {
		switch {
		case s.To == nil && o.Name == "" || s.To != nil && o.Name == s.To.Name && o.Name != "errors" && o.Name != "late":
			return o, true
		case o.Name != "" && o.Name != "errors" && o.Name != "late":
			names = append(names, o.Name)
		}
	}
	if bolt.lostOuts {
		return Out{}, false
	}
	if s.To == nil {
		r := c.errorf(diag.UnknownOutput, keyword(s.Span(), "emit"), "the bolt `%s` has no main output", bolt.Decl.Name.Name).
			related(bolt.Decl.Name.Span(), "declared here")
		if len(names) > 0 {
			r.note("It has %s: write `emit to %s …`.", quoteAll(names), names[0])
		} else {
			r.note("A bolt without `->` is an end. An output is declared behind its input: `-> (name: type)`.")
		}
		return Out{}, false
	}
	r := c.errorf(diag.UnknownOutput, s.To.Span(), "the bolt `%s` has no output `%s`", bolt.Decl.Name.Name, s.To.Name)
	if s.To.Name == "errors" || s.To.Name == "late" {
		r.note("`.errors` and `.late` take what fails or comes late, not what a body emits.")
		return Out{}, false
	}
	r.suggest(s.To.Span(), s.To.Name, names, "Its outputs are")
	return Out{}, false
}

// ifStmt checks both branches from what is known here, and keeps behind it what both know.
func (c *checker) ifStmt(sc *scope, s *ast.IfStmt, p *path) {
	yes, no := c.condition(sc, s.Cond)
	c.assume(sc, s.Span())
	f := &sc.body.facts
	mark := f.mark()
	ended := p.ended
	p.ended = false
	then, other := *p, *p
	f.learn(yes)
	c.stmts(sc.inner(), s.Then.Stmts, &then)
	afterThen := f.take(mark)
	f.learn(no)
	if s.Else != nil {
		c.stmt(sc, s.Else, &other)
	}
	afterElse := f.take(mark)
	switch {
	case then.ended && other.ended:
	case then.ended:
		f.apply(afterElse)
	case other.ended:
		f.apply(afterThen)
	default:
		f.meet(afterThen, afterElse)
	}
	if s.Else == nil && p.silent && (then.ended || !then.silent) {
		other.silentAt = source.Span{File: s.Span().File, Start: s.Span().Start, End: s.Cond.Span().End}
	}
	*p = joinPaths(then, other)
	p.ended = p.ended || ended
}

func joinPaths(a, b path) path {
	guess := a.guess || b.guess
	emitted := a.emitted
	if a.ended || !b.ended && !b.emitted.IsValid() {
		emitted = b.emitted
	}
	if a.ended || !b.ended && !a.silent {
		a = b
	}
	a.guess, a.emitted = guess, emitted
	return a
}

func (c *checker) forStmt(sc *scope, s *ast.ForStmt, p *path) {
	elem := c.iterated(sc, s.In, s.Name2 != nil)
	inner := sc.inner()
	if s.Name2 != nil {
		var first types.Type = types.Int
		switch m := c.effective(s.In).(type) {
		case *types.Map:
			first = m.Key
		case types.Basic:
			first = types.Invalid
		}
		c.declareLocal(inner, s.Name, first, nil)
		c.declareLocal(inner, s.Name2, elem, nil)
	} else {
		c.declareLocal(inner, s.Name, elem, nil)
	}
	b := sc.body
	c.forgetAssigned(sc, s.Body)
	mark, effects := b.facts.mark(), b.effects
	b.loops++
	round := path{silent: p.silent, ended: p.ended, guess: p.guess, emitted: p.emitted}
	c.stmts(inner.inner(), s.Body.Stmts, &round)
	b.loops--
	b.facts.take(mark)
	if b.effects > effects {
		p.silent = false
	}
}

// forgetAssigned forgets what is known of the variables that a loop's body assigns.
func (c *checker) forgetAssigned(sc *scope, loop *ast.Block) {
	if len(sc.body.facts.known) == 0 {
		return
	}
	ast.Walk(loop, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			if obj := sc.find(a.Name.Name); obj != nil {
				sc.body.facts.forget(obj)
			}
		}
		return true
	})
}

func (c *checker) returnStmt(sc *scope, s *ast.ReturnStmt, p *path) {
	b := sc.body
	switch {
	case b.kind == fnBody && s.Value == nil:
		c.errorf(diag.ReturnValue, s.Span(), "%s returns %s", b.what, aType(b.result)).label("no value")
	case b.kind == fnBody:
		c.exprFor(sc, s.Value, expect{t: b.result, of: "the result of `" + b.fn.Name.Name + "`", at: b.fn.Result.Span()})
	case s.Value != nil:
		c.infer(sc, s.Value, types.Invalid)
		c.errorf(diag.ReturnValue, s.Value.Span(), "a bolt emits, and returns no value").
			note("`emit (…)` gives a tuple, `return` ends the body.")
	case p.silent && !p.ended && !c.broken(b) && !b.isStateful(b.bolt.Decl):
		c.warnf(diag.SilentPath, s.Span(), "%s can end here without emit, drop or fail", b.what).
			note("A tuple that is not wanted is dropped by name: `drop \"why\"`.")
	}
	p.ended = true
}

// fnBody checks the body of a function.
func (c *checker) fnBody(d *ast.FnDecl, fn *Fn) {
	if d.Body == nil && d.Value == nil {
		return
	}
	b := c.newBody(fnBody, "the function `"+d.Name.Name+"`")
	b.fn, b.result = d, fn.Result
	b.locals = append(b.locals, fn.Locals...)
	sc := &scope{body: b}
	for _, p := range fn.Params {
		if sc.own(p.Name) == nil {
			sc.set(p)
		}
	}
	b.top = sc.inner()
	if d.Value != nil {
		c.quietly(d.Value.Span(), func() {
			c.exprFor(b.top, d.Value, expect{t: fn.Result, of: "the result of `" + d.Name.Name + "`", at: d.Result.Span()})
		})
		if c.spoils.inside(d.Value.Span()) {
			return
		}
	} else {
		p := &path{}
		b.spoiled = c.spoils.inside(d.Body.Span())
		c.stmts(b.top, d.Body.Stmts, p)
		if !p.ended && !c.broken(b) {
			end := d.Body.Span()
			end.Start = max(end.Start, end.End-1)
			c.errorf(diag.MissingReturn, end, "%s can end without a `return`", b.what).
				label("comes here").related(d.Result.Span(), "it returns %s", aType(fn.Result))
		}
	}
	c.unsettledFn(b, d)
	fn.Locals = b.locals
	c.unusedLocals(b, nil)
}
