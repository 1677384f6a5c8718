package plan

import "github.com/pipec/pipec/internal/bug"

// Visitor is called for expressions and statements, parents first, in the order in which they run. Either function may
// be nil; one that returns false keeps the visit out of what it was given.
type Visitor struct {
	Expr func(Expr) bool
	Stmt func(Stmt) bool
}

// Walk visits an expression, which may be nil, and all in it.
func (v Visitor) Walk(e Expr) {
	if e == nil || v.Expr != nil && !v.Expr(e) {
		return
	}
	switch e := e.(type) {
	case *Const, *Input, *Local, *State, *Key, *AggResult, *Bound:
	case *Unary:
		v.Walk(e.Operand)
	case *Binary:
		v.Walk(e.Left)
		v.Walk(e.Right)
	case *If:
		v.Walk(e.Cond)
		v.Walk(e.Then)
		v.Walk(e.Else)
	case *Coalesce:
		v.Walk(e.Operand)
		v.Walk(e.Else)
	case *Try:
		v.Walk(e.Operand)
		v.Walk(e.Else)
	case *OrExit:
		v.Walk(e.Operand)
		v.WalkStmts(e.Exit)
	case *Member:
		v.Walk(e.Operand)
	case *Index:
		v.Walk(e.Operand)
		v.Walk(e.Key)
	case *MakeRecord:
		v.WalkAll(e.Fields)
	case *MakeList:
		v.WalkAll(e.Elems)
	case *MakeMap:
		for i := range e.Keys {
			v.Walk(e.Keys[i])
			v.Walk(e.Elems[i])
		}
	case *Comp:
		v.Walk(e.In)
		v.Walk(e.Cond)
		v.Walk(e.Value)
	case *Interp:
		v.WalkAll(e.Parts)
	case *Convert:
		v.Walk(e.Operand)
	case *Call:
		v.WalkAll(e.Args)
	case *CallFn:
		v.WalkAll(e.Args)
	default:
		bug.Panicf("plan: walk of unhandled expression %T", e)
	}
}

// WalkAll visits several expressions.
func (v Visitor) WalkAll(list []Expr) {
	for _, e := range list {
		v.Walk(e)
	}
}

// WalkStmts visits statements and all in them.
func (v Visitor) WalkStmts(list []Stmt) {
	for _, s := range list {
		if v.Stmt != nil && !v.Stmt(s) {
			continue
		}
		switch s := s.(type) {
		case *SetLocal:
			v.Walk(s.Value)
		case *SetState:
			v.Walk(s.Value)
		case *SetIndex:
			v.Walk(s.Key)
			v.Walk(s.Value)
		case *Emit:
			v.WalkAll(s.Fields)
		case *IfStmt:
			v.Walk(s.Cond)
			v.WalkStmts(s.Then)
			v.WalkStmts(s.Else)
		case *For:
			v.Walk(s.In)
			v.WalkStmts(s.Body)
		case *Fail:
			v.Walk(s.Message)
		case *Return:
			v.Walk(s.Value)
		case *Drop, *Break, *Continue:
		default:
			bug.Panicf("plan: walk of unhandled statement %T", s)
		}
	}
}

// WalkNode visits all expressions and statements of a node. The arguments of aggregate calls over partial results are
// left out: they are of the combiner's rows, and nobody evaluates them here.
func (v Visitor) WalkNode(n *Node) {
	for _, k := range n.Keys {
		v.Walk(k.Expr)
	}
	if n.Connector != nil {
		for _, a := range n.Connector.Each {
			v.Walk(a.Expr)
		}
		if n.Connector.Codec != nil {
			for _, a := range n.Connector.Codec.Each {
				v.Walk(a.Expr)
			}
		}
	}
	if n.Agg != nil && !n.Agg.Partials {
		for _, c := range n.Agg.Calls {
			v.WalkAll(c.Args)
		}
	}
	if n.Top != nil {
		v.Walk(n.Top.By)
	}
	if n.Body != nil {
		for _, s := range n.Body.State {
			v.Walk(s.Init)
		}
		v.WalkStmts(n.Body.Stmts)
	}
}

// Rewriter makes changed copies of expressions and statements, children first: a function is given a node whose
// children are rewritten already, and returns what stands in its place. Either may be nil. What does not change is
// shared with the original, which stays as it was.
type Rewriter struct {
	Expr func(Expr) Expr
	Stmt func(Stmt) []Stmt
}

// Rewrite returns the expression rewritten; nil stays nil.
func (r Rewriter) Rewrite(e Expr) Expr {
	if e == nil {
		return nil
	}
	e = r.inside(e)
	if r.Expr != nil {
		return r.Expr(e)
	}
	return e
}

// inside returns a copy of e with its children rewritten; an expression without children is returned itself.
func (r Rewriter) inside(e Expr) Expr {
	switch e := e.(type) {
	case *Const, *Input, *Local, *State, *Key, *AggResult, *Bound:
		return e
	case *Unary:
		c := *e
		c.Operand = r.Rewrite(e.Operand)
		return &c
	case *Binary:
		c := *e
		c.Left, c.Right = r.Rewrite(e.Left), r.Rewrite(e.Right)
		return &c
	case *If:
		c := *e
		c.Cond, c.Then, c.Else = r.Rewrite(e.Cond), r.Rewrite(e.Then), r.Rewrite(e.Else)
		return &c
	case *Coalesce:
		c := *e
		c.Operand, c.Else = r.Rewrite(e.Operand), r.Rewrite(e.Else)
		return &c
	case *Try:
		c := *e
		c.Operand, c.Else = r.Rewrite(e.Operand), r.Rewrite(e.Else)
		return &c
	case *OrExit:
		c := *e
		c.Operand, c.Exit = r.Rewrite(e.Operand), r.RewriteStmts(e.Exit)
		return &c
	case *Member:
		c := *e
		c.Operand = r.Rewrite(e.Operand)
		return &c
	case *Index:
		c := *e
		c.Operand, c.Key = r.Rewrite(e.Operand), r.Rewrite(e.Key)
		return &c
	case *MakeRecord:
		c := *e
		c.Fields = r.RewriteAll(e.Fields)
		return &c
	case *MakeList:
		c := *e
		c.Elems = r.RewriteAll(e.Elems)
		return &c
	case *MakeMap:
		c := *e
		c.Keys, c.Elems = r.RewriteAll(e.Keys), r.RewriteAll(e.Elems)
		return &c
	case *Comp:
		c := *e
		c.In, c.Cond, c.Value = r.Rewrite(e.In), r.Rewrite(e.Cond), r.Rewrite(e.Value)
		return &c
	case *Interp:
		c := *e
		c.Parts = r.RewriteAll(e.Parts)
		return &c
	case *Convert:
		c := *e
		c.Operand = r.Rewrite(e.Operand)
		return &c
	case *Call:
		c := *e
		c.Args = r.RewriteAll(e.Args)
		return &c
	case *CallFn:
		c := *e
		c.Args = r.RewriteAll(e.Args)
		return &c
	default:
		bug.Panicf("plan: rewrite of unhandled expression %T", e)
		return nil
	}
}

// RewriteAll rewrites several expressions.
func (r Rewriter) RewriteAll(list []Expr) []Expr {
	if list == nil {
		return nil
	}
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = r.Rewrite(e)
	}
	return out
}

// RewriteStmts rewrites statements.
func (r Rewriter) RewriteStmts(list []Stmt) []Stmt {
	if list == nil {
		return nil
	}
	out := make([]Stmt, 0, len(list))
	for _, s := range list {
		s = r.insideStmt(s)
		if r.Stmt == nil {
			out = append(out, s)
		} else {
			out = append(out, r.Stmt(s)...)
		}
	}
	return out
}

func (r Rewriter) insideStmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *SetLocal:
		c := *s
		c.Value = r.Rewrite(s.Value)
		return &c
	case *SetState:
		c := *s
		c.Value = r.Rewrite(s.Value)
		return &c
	case *SetIndex:
		c := *s
		c.Key, c.Value = r.Rewrite(s.Key), r.Rewrite(s.Value)
		return &c
	case *Emit:
		c := *s
		c.Fields = r.RewriteAll(s.Fields)
		return &c
	case *IfStmt:
		c := *s
		c.Cond, c.Then, c.Else = r.Rewrite(s.Cond), r.RewriteStmts(s.Then), r.RewriteStmts(s.Else)
		return &c
	case *For:
		c := *s
		c.In, c.Body = r.Rewrite(s.In), r.RewriteStmts(s.Body)
		return &c
	case *Fail:
		c := *s
		c.Message = r.Rewrite(s.Message)
		return &c
	case *Return:
		c := *s
		c.Value = r.Rewrite(s.Value)
		return &c
	case *Drop, *Break, *Continue:
		return s
	default:
		bug.Panicf("plan: rewrite of unhandled statement %T", s)
		return nil
	}
}

// RewriteNode rewrites all expressions and statements of a node in place, those that WalkNode visits.
func (r Rewriter) RewriteNode(n *Node) {
	for i := range n.Keys {
		n.Keys[i].Expr = r.Rewrite(n.Keys[i].Expr)
	}
	if n.Connector != nil {
		for i := range n.Connector.Each {
			n.Connector.Each[i].Expr = r.Rewrite(n.Connector.Each[i].Expr)
		}
		if n.Connector.Codec != nil {
			for i := range n.Connector.Codec.Each {
				n.Connector.Codec.Each[i].Expr = r.Rewrite(n.Connector.Codec.Each[i].Expr)
			}
		}
	}
	if n.Agg != nil && !n.Agg.Partials {
		for i := range n.Agg.Calls {
			n.Agg.Calls[i].Args = r.RewriteAll(n.Agg.Calls[i].Args)
		}
	}
	if n.Top != nil {
		n.Top.By = r.Rewrite(n.Top.By)
	}
	if n.Body != nil {
		for i := range n.Body.State {
			n.Body.State[i].Init = r.Rewrite(n.Body.State[i].Init)
		}
		n.Body.Stmts = r.RewriteStmts(n.Body.Stmts)
	}
}

// RewriteFunc rewrites a function's body in place.
func (r Rewriter) RewriteFunc(f *Func) {
	f.Value = r.Rewrite(f.Value)
	f.Body = r.RewriteStmts(f.Body)
}
