package ast

import (
	"cmp"
	"slices"

	"github.com/pipec/pipec/internal/bug"
)

// Walk calls visit for n and then, where visit returns true, for the parts of n in source order, depth first. A nil
// node is not visited. Comments stand beside the tree (File.Comments) and are not visited.
func Walk(n Node, visit func(Node) bool) {
	if isNil(n) || !visit(n) {
		return
	}
	for _, c := range Children(n) {
		Walk(c, visit)
	}
}

// Children returns the direct parts of n in source order, without nils.
func Children(n Node) []Node {
	var k kids
	switch n := n.(type) {
	case *File:
		add(&k, n.Decls...)
	case *Comment, *Ident, *Keyword, *Policy:
	case *Ref:
		add(&k, n.Parts...)
	case Decl:
		k.decl(n)
	case TypeExpr:
		k.typeExpr(n)
	case Stmt:
		k.stmt(n)
	case Expr:
		k.expr(n)
	case PItem:
		k.item(n)
	case Step:
		k.step(n)
	case TStmt:
		k.tstmt(n)
	default:
		k.part(n)
	}
	return k
}

// kids collects parts and leaves out nils, also typed ones.
type kids []Node

func isNil(n Node) bool {
	if n == nil {
		return true
	}
	// The only typed nils that reach us are pointers of optional parts; the types that are optional somewhere:
	switch n := n.(type) {
	case *Ident:
		return n == nil
	case *Ref:
		return n == nil
	case *StrLit:
		return n == nil
	case *Block:
		return n == nil
	case *Keyword:
		return n == nil
	case *Policy:
		return n == nil
	case *By:
		return n == nil
	case *Window:
		return n == nil
	case *Grouping:
		return n == nil
	case *Param:
		return n == nil
	case *RecordExpr:
		return n == nil
	}
	return false
}

func add[N Node](k *kids, nodes ...N) {
	for _, n := range nodes {
		if !isNil(n) {
			*k = append(*k, n)
		}
	}
}

func (k *kids) decl(n Decl) {
	switch n := n.(type) {
	case *Use:
		add(k, n.Modules...)
		add[Node](k, n.Path, n.Alias)
	case *TypeDecl:
		add[Node](k, n.Name, n.Type)
	case *LetDecl:
		add[Node](k, n.Name, n.Type, n.Value)
	case *ParamDecl:
		add(k, n.Param)
	case *FnDecl:
		add(k, n.Name)
		add(k, n.Params...)
		add[Node](k, n.Result, n.Value, n.Body)
	case *TableDecl:
		add[Node](k, n.Name, n.Type, n.Key, n.Value, n.Refresh)
	case *SigDecl:
		add(k, n.Kind, n.Name)
		add(k, n.Params...)
		add[Node](k, n.Of, n.Result, n.Meta)
		add(k, n.Traits...)
	case *BoltDecl:
		add[Node](k, n.Name, n.Input)
		add(k, n.Params...)
		add(k, n.Outputs...)
		k.clauses(&n.Clauses)
		add[Node](k, n.Body, n.Value)
	case *PipelineDecl:
		add(k, n.Name)
		add(k, n.Items...)
	case *TestDecl:
		add[Node](k, n.Name, n.For)
		add(k, n.Stmts...)
	case *BadDecl:
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

// InOrder returns the clauses that are there in the order of the text.
func (c *Clauses) InOrder() []Node {
	var k kids
	add[Node](&k, c.By, c.Global, c.Window, c.Errors, c.Late, c.Ordered)
	slices.SortFunc(k, func(a, b Node) int { return cmp.Compare(a.Span().Start, b.Span().Start) })
	return k
}

func (k *kids) clauses(c *Clauses) { add(k, c.InOrder()...) }

func (k *kids) typeExpr(n TypeExpr) {
	switch n := n.(type) {
	case *TypeRef:
		add(k, n.Ref)
	case *RecordType:
		add(k, n.Fields...)
	case *ListType:
		add(k, n.Elem)
	case *MapType:
		add(k, n.Key, n.Elem)
	case *EnumType:
		add(k, n.Members...)
	case *OptionalType:
		add(k, n.Elem)
	case *BadType:
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

func (k *kids) stmt(n Stmt) {
	switch n := n.(type) {
	case *Block:
		add(k, n.Stmts...)
	case *LetStmt:
		add[Node](k, n.Name, n.Type, n.Value)
	case *StateStmt:
		add[Node](k, n.Name, n.Type, n.Init, n.Keep)
	case *EmitStmt:
		add[Node](k, n.To, n.Value)
	case *IfStmt:
		add[Node](k, n.Cond, n.Then, n.Else)
	case *ForStmt:
		add[Node](k, n.Name, n.Name2, n.In, n.Body)
	case *DropStmt:
		add(k, n.Why)
	case *FailStmt:
		add(k, n.Why)
	case *ReturnStmt:
		add(k, n.Value)
	case *AssignStmt:
		add[Node](k, n.Name, n.Index, n.Value)
	case *BreakStmt, *ContinueStmt, *BadStmt:
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

func (k *kids) expr(n Expr) {
	switch n := n.(type) {
	case *BasicLit, *StrText, *BadExpr:
	case *StrLit:
		add(k, n.Parts...)
	case *NameExpr:
		add(k, n.Name)
	case *MemberExpr:
		add[Node](k, n.X, n.Name)
	case *IndexExpr:
		add(k, n.X, n.Index)
	case *CallExpr:
		add(k, n.Fun)
		add(k, n.Args...)
	case *ParenExpr:
		add(k, n.X)
	case *RecordExpr:
		add(k, n.Items...)
	case *ListExpr:
		add(k, n.Elems...)
	case *MapExpr:
		add(k, n.Entries...)
	case *CompExpr:
		add[Node](k, n.Value, n.Name, n.In, n.Cond)
	case *IfExpr:
		add(k, n.Cond, n.Then, n.Else)
	case *UnaryExpr:
		add(k, n.X)
	case *BinaryExpr:
		add(k, n.X, n.Y)
	case *ElseExpr:
		add[Node](k, n.X, n.Value, n.Exit)
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

func (k *kids) item(n PItem) {
	switch n := n.(type) {
	case *SettingItem:
		add[Node](k, n.Name, n.Value)
	case *NodeItem:
		add[Node](k, n.Kind, n.Name, n.Value, n.Level, n.Errors)
	case *BoltItem:
		add[Node](k, n.Name, n.Step)
	case *JoinItem:
		add[Node](k, n.Name, n.Left, n.LeftName, n.Right, n.RightName, n.On, n.Within)
		add[Node](k, n.LeftTime, n.RightTime, n.Lag, n.LateDrop, n.Result)
	case *FlowItem:
		add(k, n.From)
		add(k, n.Hops...)
	case *BadItem:
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

func (k *kids) step(n Step) {
	switch n := n.(type) {
	case *CallStep:
		add(k, n.Ref)
		add(k, n.Args...)
		add(k, n.Times)
	case *BranchStep:
		add(k, n.Branches...)
	case *RouteStep:
		add(k, n.Cases...)
	case *WhereStep:
		add(k, n.Cond)
	case *SelectStep:
		add(k, n.Record)
	case *FlatStep:
		add[Node](k, n.Value, n.Name)
	case *AggregateStep:
		add[Node](k, n.By, n.Window, n.LateDrop, n.Record)
	case *DedupStep:
		add(k, n.Keys...)
		add(k, n.Within)
	case *LimitStep:
		add(k, n.Count, n.Every)
	case *SampleStep:
		add(k, n.Rate)
	case *TopStep:
		add[Node](k, n.Count, n.By, n.Window)
	case *BadStep:
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

func (k *kids) tstmt(n TStmt) {
	switch n := n.(type) {
	case *FeedStmt:
		add(k, n.Node)
		add(k, n.Records...)
	case *AdvanceStmt:
		add(k, n.By)
	case *EndStmt:
		add(k, n.Node)
	case *SetStmt:
		add[Node](k, n.Name, n.Type, n.Value)
	case *SwapStmt:
		add(k, n.Path)
	case *ExpectStmt:
		add(k, n.Cond)
	case *FaultStmt:
		add[Node](k, n.Node, n.Value)
	case *BadTStmt:
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}

// part adds the parts of the nodes that belong to no sum.
func (k *kids) part(n Node) {
	switch n := n.(type) {
	case *Param:
		add[Node](k, n.Name, n.Type, n.Default)
	case *Trait:
		add(k, n.Name, n.When)
	case *Output:
		add[Node](k, n.Name, n.Type)
	case *By:
		add(k, n.Keys...)
	case *Window:
		add[Node](k, n.Size, n.Every, n.On, n.Lag, n.Idle)
	case *FieldDef:
		add[Node](k, n.Name, n.Type)
	case *Item:
		add[Node](k, n.Name, n.Value)
	case *MapEntry:
		add(k, n.Key, n.Value)
	case *Hop:
		add[Node](k, n.Grouping, n.Step)
	case *Grouping:
		add(k, n.Keys...)
	case *Branch:
		add(k, n.First)
		add(k, n.Hops...)
	case *Case:
		add[Node](k, n.When, n.First)
		add(k, n.Hops...)
	default:
		bug.Panicf("ast.Children: %T", n)
	}
}
