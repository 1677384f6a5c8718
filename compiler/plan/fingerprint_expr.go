package plan

import "github.com/pipec/pipec/internal/bug"

func (e *encoder) exprs(list []Expr) {
	e.ints(int64(len(list)))
	for _, x := range list {
		e.expr(x)
	}
}

// expr writes an expression: its tag, its type and its parts.
func (e *encoder) expr(x Expr) {
	if x == nil {
		e.tag(0)
		return
	}
	head := func(tag byte) {
		e.tag(tag)
		e.typ(x.Type())
	}
	switch x := x.(type) {
	case *Const:
		head(1)
		e.value(x.Value)
	case *Input:
		head(2)
		e.ints(int64(x.Field))
	case *Local:
		head(3)
		e.ints(int64(x.Slot))
	case *State:
		head(4)
		e.ints(int64(x.Slot))
	case *Key:
		head(5)
		e.ints(int64(x.Index))
	case *AggResult:
		head(6)
		e.ints(int64(x.Index))
	case *Bound:
		head(7)
		e.bool(x.End)
	case *Unary:
		head(8)
		e.tag(byte(x.Op))
		e.expr(x.Operand)
	case *Binary:
		head(9)
		e.tag(byte(x.Op))
		e.expr(x.Left)
		e.expr(x.Right)
	case *If:
		head(10)
		e.expr(x.Cond)
		e.expr(x.Then)
		e.expr(x.Else)
	case *Coalesce:
		head(11)
		e.expr(x.Operand)
		e.expr(x.Else)
	case *Try:
		head(12)
		e.ints(int64(x.Slot))
		e.expr(x.Operand)
		e.expr(x.Else)
	case *OrExit:
		head(13)
		e.ints(int64(x.Slot))
		e.bool(x.Optional)
		e.expr(x.Operand)
		e.stmts(x.Exit)
	case *Member:
		head(14)
		e.ints(int64(x.Field))
		e.bool(x.Optional)
		e.expr(x.Operand)
	case *Index:
		head(15)
		e.expr(x.Operand)
		e.expr(x.Key)
	case *MakeRecord:
		head(16)
		e.exprs(x.Fields)
	case *MakeList:
		head(17)
		e.exprs(x.Elems)
	case *MakeMap:
		head(18)
		e.exprs(x.Keys)
		e.exprs(x.Elems)
	case *Comp:
		head(19)
		e.ints(int64(x.Slot))
		e.expr(x.In)
		e.expr(x.Cond)
		e.expr(x.Value)
	case *Interp:
		head(20)
		e.exprs(x.Parts)
	case *Convert:
		head(21)
		e.expr(x.Operand)
	case *Call:
		head(22)
		e.str(x.Func)
		e.exprs(x.Args)
	case *CallFn:
		head(23)
		e.ints(int64(e.fns[x.Index]))
		e.exprs(x.Args)
	default:
		bug.Panicf("plan: fingerprint of unhandled expression %T", x)
	}
}

func (e *encoder) stmts(list []Stmt) {
	e.ints(int64(len(list)))
	for _, s := range list {
		e.stmt(s)
	}
}

func (e *encoder) stmt(s Stmt) {
	switch s := s.(type) {
	case *SetLocal:
		e.tag(101)
		e.ints(int64(s.Slot))
		e.expr(s.Value)
	case *SetState:
		e.tag(102)
		e.ints(int64(s.Slot))
		e.expr(s.Value)
	case *SetIndex:
		e.tag(103)
		e.bool(s.State)
		e.ints(int64(s.Slot))
		e.expr(s.Key)
		e.expr(s.Value)
	case *Emit:
		e.tag(104)
		e.ints(int64(s.Output))
		e.bool(s.Unanchored)
		e.exprs(s.Fields)
	case *IfStmt:
		e.tag(105)
		e.expr(s.Cond)
		e.stmts(s.Then)
		e.stmts(s.Else)
	case *For:
		e.tag(106)
		e.ints(int64(s.Slot), int64(s.Slot2))
		e.expr(s.In)
		e.stmts(s.Body)
	case *Drop:
		e.tag(107)
		e.str(s.Name)
	case *Fail:
		e.tag(108)
		e.expr(s.Message)
	case *Return:
		e.tag(109)
		e.expr(s.Value)
	case *Break:
		e.tag(110)
	case *Continue:
		e.tag(111)
	default:
		bug.Panicf("plan: fingerprint of unhandled statement %T", s)
	}
}
