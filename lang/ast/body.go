package ast

import "github.com/pipec/pipec/lang/source"

// Block is `{ … }`.
type Block struct {
	Base
	Stmts []Stmt
}

// LetStmt is `let name [: T] = value` in a body.
type LetStmt struct {
	Base
	Name  *Ident
	Type  TypeExpr // or nil
	Value Expr
}

// StateStmt is `state name: T = init [keep d]`.
type StateStmt struct {
	Base
	Name *Ident
	Type TypeExpr
	Init Expr
	Keep Expr // or nil
}

// EmitStmt is `emit [unanchored] [to name] value`; a parenthesised value is always a RecordExpr.
type EmitStmt struct {
	Base
	Unanchored bool
	To         *Ident // or nil
	Value      Expr
}

// IfStmt is `if cond { } else …`; Else is nil, an *IfStmt or a *Block.
type IfStmt struct {
	Base
	Cond Expr
	Then *Block
	Else Stmt
}

// ForStmt is `for x in list { }` or `for k, v in map { }`.
type ForStmt struct {
	Base
	Name, Name2 *Ident // Name2 may be nil
	In          Expr
	Body        *Block
}

// DropStmt is `drop "why"`.
type DropStmt struct {
	Base
	Why *StrLit
}

// FailStmt is `fail "why"`.
type FailStmt struct {
	Base
	Why *StrLit
}

// ReturnStmt is `return [value]`.
type ReturnStmt struct {
	Base
	Value Expr // or nil
}

// BreakStmt is `break`.
type BreakStmt struct{ Base }

// ContinueStmt is `continue`.
type ContinueStmt struct{ Base }

// AssignStmt is `name = value` or `name[index] = value`.
type AssignStmt struct {
	Base
	Name  *Ident
	Index Expr // or nil
	Value Expr
}

// BadStmt is text that is no statement.
type BadStmt struct{ Base }

func (*Block) stmt()        {}
func (*LetStmt) stmt()      {}
func (*StateStmt) stmt()    {}
func (*EmitStmt) stmt()     {}
func (*IfStmt) stmt()       {}
func (*ForStmt) stmt()      {}
func (*DropStmt) stmt()     {}
func (*FailStmt) stmt()     {}
func (*ReturnStmt) stmt()   {}
func (*BreakStmt) stmt()    {}
func (*ContinueStmt) stmt() {}
func (*AssignStmt) stmt()   {}
func (*BadStmt) stmt()      {}

// BasicLit is a number, duration, size, time, raw string, regular expression or word literal, in its own spelling.
type BasicLit struct {
	Base
	Kind LitKind
	Text string // as written, with quotes and prefixes
}

// LitKind is the kind of a BasicLit.
type LitKind uint8

// The kinds of literals.
const (
	IntLit      LitKind = iota + 1
	FloatLit            // 1.5e3
	DurationLit         // 1h30m
	SizeLit             // 2GiB
	TimeLit             // t"2026-01-01T10:00:05Z"
	RawLit              // r"…", r#"…"#
	RegexLit            // re"…"
	BoolLit             // true, false
	NoneLit             // none
)

// StrLit is `"text {expr}"`. Parts alternate as written: *StrText and expressions.
type StrLit struct {
	Base
	Parts []Expr
}

// StrText is literal text of a string, still escaped in Text, decoded in Value.
type StrText struct {
	Base
	Text, Value string
}

// NameExpr is a name by itself.
type NameExpr struct {
	Base
	Name *Ident
}

// MemberExpr is `x.name` or `x?.name`. Name is "" where it is missing (and told).
type MemberExpr struct {
	Base
	X        Expr
	Optional bool
	Name     *Ident
}

// IndexExpr is `x[i]`.
type IndexExpr struct {
	Base
	X, Index Expr
}

// CallExpr is `f(…)` or `module.f(…)`; Fun is a *NameExpr or a *MemberExpr of one.
type CallExpr struct {
	Base
	Fun  Expr
	Args []*Item
}

// Item is an argument, a record item or a key: `value`, `name: value` or `..value`.
type Item struct {
	Base
	Spread bool
	Name   *Ident // or nil
	Value  Expr
}

// ParenExpr is a single unnamed expression in parentheses.
type ParenExpr struct {
	Base
	X Expr
}

// RecordExpr is a record literal.
type RecordExpr struct {
	Base
	Items []*Item
}

// ListExpr is `[a, b]`.
type ListExpr struct {
	Base
	Elems []Expr
}

// MapExpr is `["k": v]`, or `[:]` without entries.
type MapExpr struct {
	Base
	Entries []*MapEntry
}

// MapEntry is one `key: value` of a MapExpr.
type MapEntry struct {
	Base
	Key, Value Expr
}

// CompExpr is `[value for name in list if cond]`.
type CompExpr struct {
	Base
	Value Expr
	Name  *Ident
	In    Expr
	Cond  Expr // or nil
}

// IfExpr is `if c { a } else { b }`; Else may be another *IfExpr.
type IfExpr struct {
	Base
	Cond, Then, Else Expr
}

// UnaryExpr is `-x` or `!x`.
type UnaryExpr struct {
	Base
	Op string
	X  Expr
}

// BinaryExpr is `x op y`.
type BinaryExpr struct {
	Base
	Op   string // || && == != < <= > >= in + - * / %
	OpAt source.Span
	X, Y Expr
}

// ElseExpr is `x else arm`: either Value or Exit is set. Exit is a DropStmt, FailStmt, EmitStmt, ReturnStmt (without
// value), ContinueStmt or BreakStmt.
type ElseExpr struct {
	Base
	X     Expr
	Value Expr
	Exit  Stmt
}

// BadExpr is a missing or broken expression.
type BadExpr struct{ Base }

func (*BasicLit) expr()   {}
func (*StrLit) expr()     {}
func (*StrText) expr()    {}
func (*NameExpr) expr()   {}
func (*MemberExpr) expr() {}
func (*IndexExpr) expr()  {}
func (*CallExpr) expr()   {}
func (*ParenExpr) expr()  {}
func (*RecordExpr) expr() {}
func (*ListExpr) expr()   {}
func (*MapExpr) expr()    {}
func (*CompExpr) expr()   {}
func (*IfExpr) expr()     {}
func (*UnaryExpr) expr()  {}
func (*BinaryExpr) expr() {}
func (*ElseExpr) expr()   {}
func (*BadExpr) expr()    {}
