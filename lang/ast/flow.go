package ast

// SettingItem is `name value` in a pipeline.
type SettingItem struct {
	Base
	Name  *Ident
	Value Expr
}

// NodeItem is `source|channel|sink name = call …`.
type NodeItem struct {
	Base
	Doc    Doc
	Kind   *Keyword // source, channel or sink
	Name   *Ident
	Value  Expr
	Level  *Keyword // at_most_once or at_least_once of a source, or nil
	Errors *Policy  // or nil
}

// BoltItem is `bolt name = step`.
type BoltItem struct {
	Base
	Doc  Doc
	Name *Ident
	Step Step
}

// JoinItem is a join.
type JoinItem struct {
	Base
	Doc                 Doc
	Name                *Ident
	Left                *Ref
	LeftName            *Ident
	Outer               bool // `left`
	Right               *Ref
	RightName           *Ident
	On                  Expr
	Within              Expr
	LeftTime, RightTime *Ref // of `of a.at, b.at`, or nil
	Lag                 Expr // or nil
	LateDrop            *Policy
	Result              *RecordExpr
}

// FlowItem is `from -> step -> step`.
type FlowItem struct {
	Base
	From *Ref
	Hops []*Hop
}

// Hop is an arrow with what it leads to.
type Hop struct {
	Base
	Grouping *Grouping // or nil
	Step     Step
}

// Grouping is what stands in `-[…]->`.
type Grouping struct {
	Base
	Kind string // by, shuffle, all, global, local
	Keys []*Item
}

// BadItem is text that is no line of a pipeline.
type BadItem struct{ Base }

func (*SettingItem) pitem() {}
func (*NodeItem) pitem()    {}
func (*BoltItem) pitem()    {}
func (*JoinItem) pitem()    {}
func (*FlowItem) pitem()    {}
func (*BadItem) pitem()     {}

// CallStep is a node by name, an instance of a bolt, or an unnamed sink: `ref [(args)] [* n]`.
type CallStep struct {
	Base
	Ref   *Ref
	Call  bool // written with parentheses
	Args  []*Item
	Times Expr // or nil
}

// BranchStep is `{ a, optional b -> c }`.
type BranchStep struct {
	Base
	Branches []*Branch
}

// Branch is one branch of a BranchStep: a first step and hops behind it.
type Branch struct {
	Base
	Optional bool
	First    Step
	Hops     []*Hop
}

// RouteStep is `route { when c -> …, default -> … }`.
type RouteStep struct {
	Base
	Cases []*Case
}

// Case is one case of a route; When is nil for `default`.
type Case struct {
	Base
	When  Expr
	First Step
	Hops  []*Hop
}

// WhereStep is `where cond`.
type WhereStep struct {
	Base
	Cond Expr
}

// SelectStep is `select (…)`.
type SelectStep struct {
	Base
	Record *RecordExpr
}

// FlatStep is `flat list as name`.
type FlatStep struct {
	Base
	Value Expr
	Name  *Ident
}

// AggregateStep is `[by keys] window … [late drop] aggregate (…)`.
type AggregateStep struct {
	Base
	By       *By // or nil
	Window   *Window
	LateDrop *Policy // or nil
	Record   *RecordExpr
}

// DedupStep is `dedup by keys within d`.
type DedupStep struct {
	Base
	Keys   []*Item
	Within Expr
}

// LimitStep is `limit n every d [drop]`.
type LimitStep struct {
	Base
	Count, Every Expr
	Drop         bool
}

// SampleStep is `sample 0.05`.
type SampleStep struct {
	Base
	Rate Expr
}

// TopStep is `top [n] by expr [window]`.
type TopStep struct {
	Base
	Count  Expr // or nil
	By     Expr
	Window *Window // or nil
}

// BadStep is a missing or broken step.
type BadStep struct{ Base }

func (*CallStep) step()      {}
func (*BranchStep) step()    {}
func (*RouteStep) step()     {}
func (*WhereStep) step()     {}
func (*SelectStep) step()    {}
func (*FlatStep) step()      {}
func (*AggregateStep) step() {}
func (*DedupStep) step()     {}
func (*LimitStep) step()     {}
func (*SampleStep) step()    {}
func (*TopStep) step()       {}
func (*BadStep) step()       {}

// FeedStmt is `feed node (…), (…)`.
type FeedStmt struct {
	Base
	Node    *Ref
	Records []*RecordExpr
}

// AdvanceStmt is `advance 1m`.
type AdvanceStmt struct {
	Base
	By Expr
}

// EndStmt is `end source`.
type EndStmt struct {
	Base
	Node *Ref
}

// SetStmt is `set param = value`.
type SetStmt struct {
	Base
	Name  *Ident
	Type  TypeExpr // or nil
	Value Expr
}

// SwapStmt is `swap "new.pipe"`.
type SwapStmt struct {
	Base
	Path *StrLit
}

// ExpectStmt is `expect cond`.
type ExpectStmt struct {
	Base
	Cond Expr
}

// FaultStmt is `fault crash after n`, `fault fail node times n` or `fault stall node for d`.
type FaultStmt struct {
	Base
	Kind  string // crash, fail or stall
	Node  *Ref   // nil for crash
	Value Expr
}

// BadTStmt is text that is no statement of a test.
type BadTStmt struct{ Base }

func (*FeedStmt) tstmt()    {}
func (*AdvanceStmt) tstmt() {}
func (*EndStmt) tstmt()     {}
func (*SetStmt) tstmt()     {}
func (*SwapStmt) tstmt()    {}
func (*ExpectStmt) tstmt()  {}
func (*FaultStmt) tstmt()   {}
func (*BadTStmt) tstmt()    {}
