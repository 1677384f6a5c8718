package lower

import (
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Expressions. Each one becomes the expression of its own type (Info.Types), and then, where its place wants another
// (Info.Wants), an explicit conversion of it. So whatever the checker decided is visible in the plan, and nothing is
// decided here.

// expr returns the value of e, converted to what its place wants.
func (l *lowerer) expr(e *env, x ast.Expr) plan.Expr {
	lowered := l.bare(e, x)
	if want := l.info.Wants[x]; want != nil {
		return convert(lowered, want)
	}
	return lowered
}

// convert makes a conversion explicit; that of a constant is made now.
func convert(x plan.Expr, to types.Type) plan.Expr {
	if types.Equal(x.Type(), to) {
		return x
	}
	c := &plan.Convert{X: plan.X{T: to, At: x.Origin()}, Operand: x}
	if _, ok := x.(*plan.Const); ok {
		return optimize.Fold(c)
	}
	return c
}

// typeOf returns the type that the checker gave an expression by itself.
func (l *lowerer) typeOf(x ast.Expr) types.Type {
	t := l.info.Types[x]
	if t == nil || types.IsInvalid(t) {
		bug.Panicf("lower: %s: an expression of type %v in a program without errors", x.Span(), t)
	}
	return t
}

// effective returns the type of an expression after the conversion to what its place wants.
func (l *lowerer) effective(x ast.Expr) types.Type {
	if want := l.info.Wants[x]; want != nil {
		return want
	}
	return l.typeOf(x)
}

// bare lowers an expression without the conversion of its place.
func (l *lowerer) bare(e *env, x ast.Expr) plan.Expr {
	px := plan.X{T: l.typeOf(x), At: x.Span()}
	switch x := x.(type) {
	case *ast.BasicLit:
		return l.literal(x, px)
	case *ast.StrLit:
		return l.str(e, x, px)
	case *ast.NameExpr:
		return l.name(e, x.Name, px)
	case *ast.MemberExpr:
		return l.member(e, x, px)
	case *ast.IndexExpr:
		return &plan.Index{X: px, Operand: l.expr(e, x.X), Key: l.expr(e, x.Index)}
	case *ast.CallExpr:
		return l.call(e, x, px)
	case *ast.ParenExpr:
		return l.expr(e, x.X)
	case *ast.RecordExpr:
		return l.record(e, x, px)
	case *ast.ListExpr:
		return &plan.MakeList{X: px, Elems: l.exprs(e, x.Elems)}
	case *ast.MapExpr:
		m := &plan.MakeMap{X: px}
		for _, entry := range x.Entries {
			m.Keys, m.Elems = append(m.Keys, l.expr(e, entry.Key)), append(m.Elems, l.expr(e, entry.Value))
		}
		return m
	case *ast.CompExpr:
		c := &plan.Comp{X: px, Slot: l.slot(x.Name), In: l.expr(e, x.In), Value: l.expr(e, x.Value)}
		if x.Cond != nil {
			c.Cond = l.expr(e, x.Cond)
		}
		return c
	case *ast.IfExpr:
		return &plan.If{X: px, Cond: l.expr(e, x.Cond), Then: l.expr(e, x.Then), Else: l.expr(e, x.Else)}
	case *ast.UnaryExpr:
		return l.unary(e, x, px)
	case *ast.BinaryExpr:
		return &plan.Binary{X: px, Op: binaryOp(x.Op), Left: l.expr(e, x.X), Right: l.expr(e, x.Y)}
	case *ast.ElseExpr:
		return l.orElse(e, x, px)
	case *ast.StrText, *ast.BadExpr:
	}
	bug.Panicf("lower: expression %T", x)
	return nil
}

func (l *lowerer) exprs(e *env, list []ast.Expr) []plan.Expr {
	out := make([]plan.Expr, len(list))
	for i, x := range list {
		out[i] = l.expr(e, x)
	}
	return out
}

func (l *lowerer) literal(x *ast.BasicLit, px plan.X) plan.Expr {
	v, _, ok := catalog.BasicLit(x)
	if !ok {
		bug.Panicf("lower: the literal %q", x.Text)
	}
	return &plan.Const{X: px, Value: v}
}

// str is a string: its texts and holes, each made a string.
func (l *lowerer) str(e *env, x *ast.StrLit, px plan.X) plan.Expr {
	join := &plan.Interp{X: px}
	text := true
	for _, p := range x.Parts {
		if t, ok := p.(*ast.StrText); ok {
			join.Parts = append(join.Parts, &plan.Const{X: plan.X{T: types.String, At: t.Span()}, Value: value.OfString(t.Value)})
			continue
		}
		text = false
		join.Parts = append(join.Parts, convert(l.expr(e, p), types.String))
	}
	if text {
		return &plan.Const{X: px, Value: value.OfString(catalog.Text(x))}
	}
	return join
}

// name is what a name stands for. Parameters and constants are constants here.
func (l *lowerer) name(e *env, id *ast.Ident, px plan.X) plan.Expr {
	obj := l.object(id)
	switch obj.Kind {
	case check.ObjField:
		return l.input(e, obj.Name, px)
	case check.ObjTuple:
		return l.tuple(e, px)
	case check.ObjKey:
		return l.key(e, obj, px)
	case check.ObjState:
		return &plan.State{X: px, Slot: obj.Index, Name: obj.Name}
	case check.ObjLocal, check.ObjError:
		return &plan.Local{X: px, Slot: obj.Index, Name: obj.Name}
	case check.ObjWith:
		return &plan.Const{X: px, Value: e.with[obj.Index].Value}
	case check.ObjParam:
		return &plan.Const{X: px, Value: l.param(obj)}
	case check.ObjConst:
		return &plan.Const{X: px, Value: l.fileConst(obj)}
	case check.ObjWindow:
		return &plan.MakeRecord{X: px, Fields: []plan.Expr{
			&plan.Bound{X: plan.X{T: types.Time, At: px.At}}, &plan.Bound{X: plan.X{T: types.Time, At: px.At}, End: true},
		}}
	default:
		bug.Panicf("lower: `%s` of kind %d is no value", obj.Name, obj.Kind)
		return nil
	}
}

// object returns what a name was resolved to.
func (l *lowerer) object(id *ast.Ident) *check.Object {
	obj := l.info.Objects[id]
	if obj == nil {
		bug.Panicf("lower: %s: `%s` was not resolved", id.Span(), id.Name)
	}
	return obj
}

// fileConst returns the value of a `let` of a file, which is computed once.
func (l *lowerer) fileConst(obj *check.Object) value.Value {
	if v, ok := l.consts[obj]; ok {
		return v
	}
	v := l.constant(obj.Value)
	l.consts[obj] = v
	return v
}

// input reads a field of the row in hand.
func (l *lowerer) input(e *env, name string, px plan.X) plan.Expr {
	if e.in == nil || e.in.Index(name) < 0 {
		bug.Panicf("lower: %s: there is no field `%s` here", px.At, name)
	}
	return &plan.Input{X: px, Field: e.in.Index(name), Name: name}
}

// tuple is the whole input as the program declares it; the layout may have more.
func (l *lowerer) tuple(e *env, px plan.X) plan.Expr {
	rec, ok := px.T.(*types.Record)
	if !ok {
		bug.Panicf("lower: `tuple` is %s", px.T)
	}
	m := &plan.MakeRecord{X: px}
	for _, f := range rec.Fields {
		m.Fields = append(m.Fields, l.input(e, f.Name, plan.X{T: f.Type, At: px.At}))
	}
	return m
}

// key is a key of the node, or, in the arguments of an aggregate, what the key is of the row.
func (l *lowerer) key(e *env, obj *check.Object, px plan.X) plan.Expr {
	switch {
	case e.keys != nil:
		return &plan.Key{X: px, Index: obj.Index, Name: obj.Name}
	case obj.Index < len(e.rowKeys):
		return e.rowKeys[obj.Index].Expr
	}
	bug.Panicf("lower: %s: the key `%s` is not in reach", px.At, obj.Name)
	return nil
}

func (l *lowerer) member(e *env, x *ast.MemberExpr, px plan.X) plan.Expr {
	if obj := l.info.Objects[x.Name]; obj != nil && obj.Kind == check.ObjConst {
		return &plan.Const{X: px, Value: l.fileConst(obj)} // of a file that is used
	}
	if name, ok := x.X.(*ast.NameExpr); ok {
		switch l.object(name.Name).Kind {
		case check.ObjWindow:
			return &plan.Bound{X: px, End: x.Name.Name == "end"}
		case check.ObjTuple:
			return l.input(e, x.Name.Name, px)
		}
	}
	operand := l.expr(e, x.X)
	rec, ok := types.Bare(operand.Type()).(*types.Record)
	if !ok || rec.Index(x.Name.Name) < 0 {
		bug.Panicf("lower: %s: no field `%s` in %s", px.At, x.Name.Name, operand.Type())
	}
	return &plan.Member{
		X: px, Operand: operand, Field: rec.Index(x.Name.Name), Name: x.Name.Name, Optional: types.IsOptional(operand.Type()),
	}
}

// record builds a record literal: each field from its item, from a spread, or none.
func (l *lowerer) record(e *env, x *ast.RecordExpr, px plan.X) plan.Expr {
	rec, ok := px.T.(*types.Record)
	if !ok {
		bug.Panicf("lower: a record literal of type %s", px.T)
	}
	spreads := map[ast.Expr]plan.Expr{}
	spreadType := func(s ast.Expr) *types.Record {
		t, ok := l.effective(s).(*types.Record)
		if !ok {
			bug.Panicf("lower: `..` of %s", l.effective(s))
		}
		return t
	}
	m := &plan.MakeRecord{X: px}
	for i, src := range check.Sources(x, rec, spreadType) {
		f := rec.Fields[i]
		switch {
		case src.Item == nil:
			m.Fields = append(m.Fields, &plan.Const{X: plan.X{T: f.Type, At: px.At}})
		case src.Item.Spread:
			s := src.Item.Value
			if spreads[s] == nil {
				spreads[s] = l.expr(e, s)
			}
			m.Fields = append(m.Fields, convert(field(spreads[s], src.Field), f.Type))
		default:
			m.Fields = append(m.Fields, l.expr(e, src.Item.Value))
		}
	}
	return m
}

// field reads a field of a record; that of a record that is being built is what is put into it.
func field(x plan.Expr, i int) plan.Expr {
	rec, ok := x.Type().(*types.Record)
	if !ok {
		bug.Panicf("lower: a field of %s", x.Type())
	}
	if m, ok := x.(*plan.MakeRecord); ok {
		return m.Fields[i]
	}
	f := rec.Fields[i]
	return &plan.Member{X: plan.X{T: f.Type, At: x.Origin()}, Operand: x, Field: i, Name: f.Name}
}

func (l *lowerer) unary(e *env, x *ast.UnaryExpr, px plan.X) plan.Expr {
	if v, ok := l.info.Consts[x]; ok { // the digits of the least int alone are no int
		return &plan.Const{X: px, Value: v}
	}
	op := plan.Neg
	if x.Op == "!" {
		op = plan.Not
	}
	return &plan.Unary{X: px, Op: op, Operand: l.expr(e, x.X)}
}

func binaryOp(op string) plan.Op {
	ops := map[string]plan.Op{
		"||": plan.Or, "&&": plan.And, "==": plan.Eq, "!=": plan.Ne, "<": plan.Lt, "<=": plan.Le, ">": plan.Gt, ">=": plan.Ge,
		"in": plan.In, "+": plan.Add, "-": plan.Sub, "*": plan.Mul, "/": plan.Div, "%": plan.Mod,
	}
	if ops[op] == 0 {
		bug.Panicf("lower: operator %q", op)
	}
	return ops[op]
}

// orElse settles a failure, an absence, or both: then the failure becomes an absence first, so that the arm stands once.
func (l *lowerer) orElse(e *env, x *ast.ElseExpr, px plan.X) plan.Expr {
	operand := l.expr(e, x.X)
	how := l.info.Settles[x]
	slot := -1
	if s, ok := l.info.Errors[x]; ok {
		slot = s
	}
	if x.Exit != nil {
		if !how.Fails && !how.None {
			return operand
		}
		return &plan.OrExit{X: px, Operand: operand, Optional: how.None, Exit: l.exit(e, x.Exit), Slot: slot}
	}
	other := l.expr(e, x.Value)
	switch {
	case how.Fails && how.None:
		absent := &plan.Const{X: plan.X{T: operand.Type(), At: px.At}}
		tried := &plan.Try{X: plan.X{T: operand.Type(), At: px.At}, Operand: operand, Else: absent, Slot: slot}
		return &plan.Coalesce{X: px, Operand: tried, Else: other}
	case how.Fails:
		return &plan.Try{X: px, Operand: operand, Else: other, Slot: slot}
	case how.None:
		return &plan.Coalesce{X: px, Operand: operand, Else: other}
	}
	return operand
}

func (l *lowerer) call(e *env, x *ast.CallExpr, px plan.X) plan.Expr {
	call := l.info.Calls[x]
	switch {
	case call == nil:
		bug.Panicf("lower: %s: a call that was not resolved", px.At)
	case call.Aggregate != nil:
		return &plan.AggResult{X: px, Index: call.AggIndex}
	case call.Enum != nil:
		return &plan.Convert{X: px, Operand: l.expr(e, call.Args[0])}
	case call.Fn != nil:
		return l.callFn(e, call, px)
	case call.Func != nil:
		out := &plan.Call{X: px, Func: call.Func.FullName()}
		for i, a := range call.Args {
			out.Args = append(out.Args, l.arg(e, a, call.Func.Params[i].Default, call.Params[i], px))
		}
		return out
	}
	bug.Panicf("lower: %s: a call of nothing", px.At)
	return nil
}

// arg is an argument, or the default of a parameter of the library that is not given.
func (l *lowerer) arg(e *env, a ast.Expr, byDefault value.Value, t types.Type, px plan.X) plan.Expr {
	if a == nil {
		return &plan.Const{X: plan.X{T: t, At: px.At}, Value: byDefault}
	}
	return l.expr(e, a)
}

func (l *lowerer) callFn(e *env, call *check.Call, px plan.X) plan.Expr {
	d, ok := call.Fn.Decl.(*ast.FnDecl)
	if !ok {
		bug.Panicf("lower: a function declared by %T", call.Fn.Decl)
	}
	out := &plan.CallFn{X: px, Index: l.fn(d), Name: call.Fn.Name}
	for i, a := range call.Args {
		param := l.info.Fns[d].Params[i]
		switch {
		case a != nil:
			out.Args = append(out.Args, l.expr(e, a))
		case param.Value != nil:
			out.Args = append(out.Args, &plan.Const{X: plan.X{T: param.Type, At: px.At}, Value: l.constant(param.Value)})
		default:
			out.Args = append(out.Args, &plan.Const{X: plan.X{T: param.Type, At: px.At}}) // none
		}
	}
	return out
}

// aggCall is a call of an aggregate, whose arguments are computed over the row; constants come last.
func (l *lowerer) aggCall(e *env, x *ast.CallExpr) plan.AggCall {
	call := l.info.Calls[x]
	out := plan.AggCall{Func: call.Aggregate.FullName(), Type: call.Result, At: x.Span()}
	var constant []plan.Expr
	for i, p := range call.Aggregate.Params {
		px := plan.X{T: call.Params[i], At: x.Span()}
		if p.Each {
			out.Args = append(out.Args, l.arg(e, call.Args[i], p.Default, call.Params[i], px))
			continue
		}
		c := &plan.Const{X: px, Value: p.Default}
		if call.Args[i] != nil {
			c.Value = l.constant(call.Args[i])
		}
		constant = append(constant, c)
	}
	out.Args = append(out.Args, constant...)
	return out
}
