package lower

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/types"
)

// slot returns the local slot of a `let`, loop name or comprehension name.
func (l *lowerer) slot(id *ast.Ident) int { return l.object(id).Index }

// body returns the body of a bolt; its locals are the bolt's, and behind them those that lowering needs.
func (l *lowerer) body(e *env, b *check.Bolt) *plan.Body {
	inner := *e
	locals := slices.Clone(b.Locals)
	inner.locals = &locals
	body := &plan.Body{Errors: policy(b.Errors)}
	for _, s := range b.State {
		body.State = append(body.State, l.state(&inner, s))
	}
	body.Stmts = l.stmts(&inner, b.Decl.Body.Stmts)
	body.Locals = locals
	body.CanFail = b.CanFail || drops(body.Stmts)
	return body
}

// drops reports whether statements can drop the row.
func drops(stmts []plan.Stmt) bool {
	found := false
	plan.Visitor{Stmt: func(s plan.Stmt) bool {
		_, drop := s.(*plan.Drop)
		found = found || drop
		return !found
	}, Expr: func(plan.Expr) bool { return !found }}.WalkStmts(stmts)
	return found
}

func (l *lowerer) state(e *env, obj *check.Object) plan.StateVar {
	s, ok := obj.Decl.(*ast.StateStmt)
	if !ok {
		bug.Panicf("lower: state declared by %T", obj.Decl)
	}
	v := plan.StateVar{Name: obj.Name, Type: obj.Type, Init: l.expr(e, s.Init)}
	if s.Keep != nil {
		v.Keep = l.constant(s.Keep).Int()
	}
	return v
}

// fn returns the index of a function of the program in the plan, which has those that are called.
func (l *lowerer) fn(d *ast.FnDecl) int {
	if i, ok := l.fns[d]; ok {
		return i
	}
	i := len(l.plan.Funcs)
	l.fns[d] = i
	fn := l.info.Fns[d]
	f := plan.Func{Name: d.Name.Name, Result: fn.Result, Fallible: fn.Fallible, Origin: d.Span()}
	for _, p := range fn.Params {
		f.Params = append(f.Params, p.Type)
	}
	l.plan.Funcs = append(l.plan.Funcs, f)
	locals := slices.Clone(fn.Locals)
	e := &env{locals: &locals}
	if d.Value != nil {
		f.Value = l.expr(e, d.Value)
	} else {
		f.Body = l.stmts(e, d.Body.Stmts)
	}
	f.Locals = len(locals)
	l.plan.Funcs[i] = f
	return i
}

func (l *lowerer) stmts(e *env, list []ast.Stmt) []plan.Stmt {
	var out []plan.Stmt
	for _, s := range list {
		out = append(out, l.stmt(e, s)...)
	}
	return out
}

func (l *lowerer) stmt(e *env, s ast.Stmt) []plan.Stmt {
	at := plan.S{At: s.Span()}
	switch s := s.(type) {
	case *ast.Block:
		return l.stmts(e, s.Stmts)
	case *ast.LetStmt:
		return []plan.Stmt{&plan.SetLocal{S: at, Slot: l.slot(s.Name), Value: l.expr(e, s.Value)}}
	case *ast.StateStmt:
		return nil // it is part of the body's head
	case *ast.AssignStmt:
		return []plan.Stmt{l.assign(e, s, at)}
	case *ast.EmitStmt:
		return l.emit(e, s, at)
	case *ast.IfStmt:
		out := &plan.IfStmt{S: at, Cond: l.expr(e, s.Cond), Then: l.stmts(e, s.Then.Stmts)}
		if s.Else != nil {
			out.Else = l.stmt(e, s.Else)
		}
		return []plan.Stmt{out}
	case *ast.ForStmt:
		out := &plan.For{S: at, Slot: l.slot(s.Name), Slot2: -1, In: l.expr(e, s.In)}
		if s.Name2 != nil {
			out.Slot2 = l.slot(s.Name2)
		}
		out.Body = l.stmts(e, s.Body.Stmts)
		return []plan.Stmt{out}
	case *ast.DropStmt:
		return []plan.Stmt{&plan.Drop{S: at, Name: l.dropName(e, s.Why)}}
	case *ast.FailStmt:
		return []plan.Stmt{&plan.Fail{S: at, Message: l.expr(e, s.Why)}}
	case *ast.ReturnStmt:
		out := &plan.Return{S: at}
		if s.Value != nil {
			out.Value = l.expr(e, s.Value)
		}
		return []plan.Stmt{out}
	case *ast.BreakStmt:
		return []plan.Stmt{&plan.Break{S: at}}
	case *ast.ContinueStmt:
		return []plan.Stmt{&plan.Continue{S: at}}
	default:
		bug.Panicf("lower: statement %T", s)
		return nil
	}
}

// dropName is the name that drops are counted under, which has no holes.
func (l *lowerer) dropName(e *env, why *ast.StrLit) string {
	c, ok := l.expr(e, why).(*plan.Const)
	if !ok {
		bug.Panicf("lower: %s: the name of a drop has holes", why.Span())
	}
	return c.Value.Str()
}

func (l *lowerer) assign(e *env, s *ast.AssignStmt, at plan.S) plan.Stmt {
	obj := l.object(s.Name)
	v := l.expr(e, s.Value)
	state := obj.Kind == check.ObjState
	switch {
	case s.Index != nil:
		return &plan.SetIndex{S: at, State: state, Slot: obj.Index, Key: l.expr(e, s.Index), Value: v}
	case state:
		return &plan.SetState{S: at, Slot: obj.Index, Value: v}
	}
	return &plan.SetLocal{S: at, Slot: obj.Index, Value: v}
}

// emit takes the output's fields out of the record. One that takes work to compute is put into a local first, so that
// the work is done once.
func (l *lowerer) emit(e *env, s *ast.EmitStmt, at plan.S) []plan.Stmt {
	name := ""
	if s.To != nil {
		name = s.To.Name
	}
	i := slices.IndexFunc(e.outs, func(o plan.Out) bool { return o.Name == name })
	if i < 0 {
		bug.Panicf("lower: %s: no output %q", at.At, name)
	}
	x := l.expr(e, s.Value)
	if c, ok := x.(*plan.Convert); ok { // from a wider record
		x = c.Operand
	}
	rec, ok := x.Type().(*types.Record)
	if !ok {
		bug.Panicf("lower: %s: emit of %s", at.At, x.Type())
	}
	var before []plan.Stmt
	if !isCheap(x) {
		slot := len(*e.locals)
		*e.locals = append(*e.locals, rec)
		before = append(before, &plan.SetLocal{S: at, Slot: slot, Value: x})
		x = &plan.Local{X: plan.X{T: rec, At: x.Origin()}, Slot: slot}
	}
	out := &plan.Emit{S: at, Output: i, Unanchored: s.Unanchored}
	for _, f := range e.outs[i].Layout.Fields {
		j := rec.Index(f.Name)
		if j < 0 {
			bug.Panicf("lower: %s: the record has no `%s`", at.At, f.Name)
		}
		out.Fields = append(out.Fields, convert(field(x, j), f.Type))
	}
	return append(before, out)
}

// isCheap reports whether reading fields of a record one by one computes nothing twice.
func isCheap(x plan.Expr) bool {
	switch x := x.(type) {
	case *plan.MakeRecord, *plan.Local, *plan.State, *plan.Input, *plan.Key, *plan.Const:
		return true
	case *plan.Member:
		return isCheap(x.Operand)
	}
	return false
}

// exit is what ends the flow right of an `else`; an emit is followed by the end of the body.
func (l *lowerer) exit(e *env, s ast.Stmt) []plan.Stmt {
	out := l.stmt(e, s)
	if _, emits := s.(*ast.EmitStmt); emits {
		out = append(out, &plan.Return{S: plan.S{At: s.Span()}})
	}
	return out
}
