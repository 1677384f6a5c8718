package optimize

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Folding replaces expressions by their values where those are known, bottom-up, with the same operations that run
// them. What fails or faults stays as it is, so that it does so at its place, and only if it is reached. An operand is
// thrown away only if evaluating it could not have been noticed (see inert).

// fold folds all expressions and statements of a plan, then takes out assignments that nobody reads.
func fold(p *plan.Plan, _ Options) {
	r := plan.Rewriter{Expr: foldExpr, Stmt: foldStmt}
	for i := range p.Funcs {
		r.RewriteFunc(&p.Funcs[i])
	}
	for _, n := range p.Nodes {
		r.RewriteNode(n)
		if n.Body != nil {
			n.Body.Stmts = dropUnread(n.Body.Stmts)
		}
	}
}

func foldStmt(s plan.Stmt) []plan.Stmt {
	branch, ok := s.(*plan.IfStmt)
	if !ok {
		return []plan.Stmt{s}
	}
	if c, ok := branch.Cond.(*plan.Const); ok {
		if c.Value.Bool() {
			return branch.Then
		}
		return branch.Else
	}
	return []plan.Stmt{s}
}

// dropUnread takes out assignments to locals that nothing reads, until there are none.
func dropUnread(list []plan.Stmt) []plan.Stmt {
	for {
		read := map[int]bool{}
		plan.Visitor{
			Expr: func(e plan.Expr) bool {
				if l, ok := e.(*plan.Local); ok {
					read[l.Slot] = true
				}
				return true
			},
			Stmt: func(s plan.Stmt) bool {
				if s, ok := s.(*plan.SetIndex); ok && !s.State {
					read[s.Slot] = true
				}
				return true
			},
		}.WalkStmts(list)
		dropped := false
		list = plan.Rewriter{Stmt: func(s plan.Stmt) []plan.Stmt {
			if set, ok := s.(*plan.SetLocal); ok && !read[set.Slot] && inert(set.Value) {
				dropped = true
				return nil
			}
			return []plan.Stmt{s}
		}}.RewriteStmts(list)
		if !dropped {
			return list
		}
	}
}

// inert reports whether nobody notices if an expression is not evaluated: it cannot fail, fault or end the body. The
// answer is no for what is not known, as calls of library functions.
func inert(e plan.Expr) bool {
	yes := true
	plan.Visitor{Expr: func(e plan.Expr) bool {
		switch e := e.(type) {
		case *plan.Const, *plan.Input, *plan.Local, *plan.State, *plan.Key, *plan.AggResult, *plan.Bound:
		case *plan.If, *plan.Coalesce, *plan.Member, *plan.MakeRecord, *plan.MakeList, *plan.MakeMap, *plan.Comp:
		case *plan.Unary:
			yes = yes && (e.Op == plan.Not || e.T == types.Float)
		case *plan.Binary:
			switch e.Op {
			case plan.Or, plan.And, plan.Eq, plan.Ne, plan.Lt, plan.Le, plan.Gt, plan.Ge, plan.In:
			default:
				yes = false
			}
		case *plan.Convert:
			yes = yes && inertConvert(types.Bare(e.Operand.Type()), types.Bare(e.T))
		case *plan.Index:
			_, isMap := types.Bare(e.Operand.Type()).(*types.Map)
			yes = yes && isMap
		default: // Try, OrExit, Interp, Call, CallFn
			yes = false
		}
		return yes
	}}.Walk(e)
	return yes
}

// inertConvert reports whether a conversion cannot fail: a text can be too large, a string no member of an enum.
func inertConvert(from, to types.Type) bool {
	if types.Equal(from, to) || from == types.Int && to == types.Float {
		return true
	}
	if _, isEnum := from.(*types.Enum); isEnum {
		return to == types.String
	}
	a, okA := from.(*types.Record)
	b, okB := to.(*types.Record)
	if !okA || !okB {
		return false
	}
	for _, f := range b.Fields {
		i := a.Index(f.Name)
		if i < 0 || !inertConvert(types.Bare(a.Fields[i].Type), types.Bare(f.Type)) {
			return false
		}
	}
	return true
}

// foldExpr folds an expression whose children are folded, never to one of another type.
func foldExpr(e plan.Expr) plan.Expr {
	if folded := folded(e); types.Equal(folded.Type(), e.Type()) {
		return folded
	}
	return e
}

func folded(e plan.Expr) plan.Expr {
	switch e := e.(type) {
	case *plan.Unary:
		return foldUnary(e)
	case *plan.Binary:
		return foldBinary(e)
	case *plan.If:
		if c, ok := e.Cond.(*plan.Const); ok {
			if c.Value.Bool() {
				return e.Then
			}
			return e.Else
		}
	case *plan.Coalesce:
		if c, ok := e.Operand.(*plan.Const); ok && c.Value.IsNone() {
			return e.Else
		}
		if v, ok := present(e.Operand, e.T); ok {
			return v
		}
	case *plan.Try:
		if inert(e.Operand) {
			return e.Operand
		}
	case *plan.OrExit:
		if !e.Optional && inert(e.Operand) {
			return e.Operand
		}
		if v, ok := present(e.Operand, e.T); ok && e.Optional && inert(e.Operand) {
			return v
		}
	case *plan.Member:
		return foldMember(e)
	case *plan.Index:
		return foldIndex(e)
	case *plan.MakeRecord:
		if vs, ok := constants(e.Fields); ok {
			return sized(e, &plan.Const{X: e.X, Value: value.OfRecord(vs)})
		}
	case *plan.MakeList:
		if vs, ok := constants(e.Elems); ok {
			return sized(e, &plan.Const{X: e.X, Value: value.OfList(vs)})
		}
	case *plan.MakeMap:
		keys, ok := constants(e.Keys)
		elems, ok2 := constants(e.Elems)
		if ok && ok2 {
			return sized(e, &plan.Const{X: e.X, Value: value.NewMap(keys, elems)})
		}
	case *plan.Interp:
		return foldInterp(e)
	case *plan.Convert:
		return foldConvert(e)
	}
	return e
}

// sized returns the constant, or e where it would be larger than a value may be: that is a fault of its own.
func sized(e plan.Expr, c *plan.Const) plan.Expr {
	if value.TooLarge(c.Value) {
		return e
	}
	return c
}

func constants(list []plan.Expr) ([]value.Value, bool) {
	vs := make([]value.Value, len(list))
	for i, e := range list {
		c, ok := e.(*plan.Const)
		if !ok {
			return nil, false
		}
		vs[i] = c.Value
	}
	return vs, true
}

// present returns an optional expression that is known to hold a value as one of type t.
func present(e plan.Expr, t types.Type) (plan.Expr, bool) {
	switch e := e.(type) {
	case *plan.Const:
		if !e.Value.IsNone() {
			return &plan.Const{X: plan.X{T: t, At: e.At}, Value: e.Value}, true
		}
	case *plan.Convert:
		if types.IsOptional(e.T) && types.Equal(e.Operand.Type(), t) {
			return e.Operand, true
		}
	}
	return nil, false
}

func foldUnary(e *plan.Unary) plan.Expr {
	c, ok := e.Operand.(*plan.Const)
	if !ok {
		return e
	}
	if e.Op == plan.Not {
		return boolean(e.X, !c.Value.Bool())
	}
	v, err := value.Neg(c.Value)
	if err != value.OK {
		return e
	}
	return &plan.Const{X: e.X, Value: v}
}

func boolean(x plan.X, b bool) plan.Expr { return &plan.Const{X: x, Value: value.OfBool(b)} }

func foldBinary(e *plan.Binary) plan.Expr {
	l, okL := e.Left.(*plan.Const)
	r, okR := e.Right.(*plan.Const)
	if e.Op == plan.And || e.Op == plan.Or {
		decides := e.Op == plan.Or // the value of an operand that decides alone
		switch {
		case okL && l.Value.Bool() == decides:
			return e.Left
		case okL:
			return e.Right
		case okR && r.Value.Bool() != decides:
			return e.Left
		case okR && inert(e.Left):
			return e.Right
		}
		return e
	}
	if !okL || !okR {
		return e
	}
	a, b := l.Value, r.Value
	switch e.Op {
	case plan.Eq:
		return boolean(e.X, value.Equal(a, b))
	case plan.Ne:
		return boolean(e.X, !value.Equal(a, b))
	case plan.Lt:
		return boolean(e.X, value.Compare(a, b) < 0)
	case plan.Le:
		return boolean(e.X, value.Compare(a, b) <= 0)
	case plan.Gt:
		return boolean(e.X, value.Compare(a, b) > 0)
	case plan.Ge:
		return boolean(e.X, value.Compare(a, b) >= 0)
	case plan.In:
		return foldIn(e, a, b)
	}
	return foldArithmetic(e, a, b)
}

func foldIn(e *plan.Binary, a, b value.Value) plan.Expr {
	members := b.Elems()
	if b.Kind() == value.Map {
		members = b.Keys()
	}
	for _, m := range members {
		if value.Equal(a, m) {
			return boolean(e.X, true)
		}
	}
	return boolean(e.X, false)
}

func foldArithmetic(e *plan.Binary, a, b value.Value) plan.Expr {
	var op func(a, b value.Value) (value.Value, value.Err)
	switch e.Op {
	case plan.Add:
		op = value.Add
	case plan.Sub:
		op = value.Sub
	case plan.Mul:
		op = value.Mul
	case plan.Div:
		op = value.Div
	case plan.Mod:
		op = value.Mod
	default:
		return e
	}
	v, err := op(a, b)
	if err != value.OK {
		return e
	}
	return &plan.Const{X: e.X, Value: v}
}

// foldMember takes a field out of a record that is built or known right there.
func foldMember(e *plan.Member) plan.Expr {
	if e.Optional {
		return e
	}
	switch made := e.Operand.(type) {
	case *plan.Const:
		return &plan.Const{X: e.X, Value: made.Value.Elems()[e.Field]}
	case *plan.MakeRecord:
		for i, f := range made.Fields {
			if i != e.Field && !inert(f) {
				return e
			}
		}
		return made.Fields[e.Field]
	}
	return e
}

// foldInterp joins constant parts that are neighbours.
func foldInterp(e *plan.Interp) plan.Expr {
	var parts []plan.Expr
	for _, part := range e.Parts {
		c, ok := part.(*plan.Const)
		if !ok {
			parts = append(parts, part)
			continue
		}
		if len(parts) > 0 {
			if last, ok := parts[len(parts)-1].(*plan.Const); ok {
				joined := value.OfString(last.Value.Str() + c.Value.Str())
				parts[len(parts)-1] = &plan.Const{X: last.X, Value: joined}
				continue
			}
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) == 0:
		return &plan.Const{X: e.X, Value: value.OfString("")}
	case len(parts) == 1:
		if c, ok := parts[0].(*plan.Const); ok {
			return sized(e, &plan.Const{X: e.X, Value: c.Value})
		}
	}
	folded := *e
	folded.Parts = parts
	return &folded
}

// foldIndex looks up what is known; an index out of range fails where it stands.
func foldIndex(e *plan.Index) plan.Expr {
	held, ok := e.Operand.(*plan.Const)
	key, ok2 := e.Key.(*plan.Const)
	if !ok || !ok2 {
		return e
	}
	if held.Value.Kind() == value.Map {
		v, _ := held.Value.Lookup(key.Value) // none where missing
		return &plan.Const{X: e.X, Value: v}
	}
	if i := key.Value.Int(); held.Value.Kind() == value.List && i >= 0 && i < int64(len(held.Value.Elems())) {
		return &plan.Const{X: e.X, Value: held.Value.Elems()[i]}
	}
	return e
}

// Fold returns an expression folded: a *plan.Const if it is made of constants and none of its operations fails or
// faults.
func Fold(e plan.Expr) plan.Expr { return plan.Rewriter{Expr: foldExpr}.Rewrite(e) }
