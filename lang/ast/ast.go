// Package ast declares the syntax tree of a .pipe file.
//
// The tree keeps what was written: every node has its span, literals keep their spelling, comments are kept beside
// the declarations (File.Comments, in order), and a part that could not be parsed is an explicit Bad node, so that
// formatter, checker and language server share one tree. It is immutable once the parser has built it, and knows
// nothing of types or names: what the checker finds out stands in side tables keyed by node.
//
// The sums Decl, TypeExpr, Stmt, Expr, PItem, Step and TStmt are closed. A test demands that Walk, formatter, checker
// and lowering handle every node type.
package ast

import "github.com/pipec/pipec/lang/source"

// Node is any part of the tree.
type Node interface {
	// Span returns the bytes from the node's first token to its last; comments around it are not part of it.
	Span() source.Span
	node()
}

// Base gives a node its span; the parser sets it.
type Base struct{ At source.Span }

// Span implements Node.
func (b *Base) Span() source.Span { return b.At }
func (b *Base) node()             {}

type (
	// Decl is a declaration of a file.
	Decl interface {
		Node
		decl()
	}
	// TypeExpr is a written type.
	TypeExpr interface {
		Node
		typeExpr()
	}
	// Stmt is a statement of a body.
	Stmt interface {
		Node
		stmt()
	}
	// Expr is an expression.
	Expr interface {
		Node
		expr()
	}
	// PItem is a line of a pipeline.
	PItem interface {
		Node
		pitem()
	}
	// Step is what stands behind an arrow of a flow.
	Step interface {
		Node
		step()
	}
	// TStmt is a statement of a test.
	TStmt interface {
		Node
		tstmt()
	}
)

// File is a whole text.
type File struct {
	Base
	Source   *source.File
	Decls    []Decl
	Comments []*Comment // all of them, in order
}

// Comment is one comment up to the end of its line. Text has the slashes, without the line end.
type Comment struct {
	Base
	Text    string
	Doc     bool // starts with exactly three slashes
	OwnLine bool // nothing but blanks stands before it on its line
}

// Ident is a name where it is declared or referred to. Name is without the backquotes of an escaped word.
// A missing name that the parser had to do without is "" and has been told.
type Ident struct {
	Base
	Name string
}

// Ref is a dotted name: a type, a node, an output of a node, a module's member.
type Ref struct {
	Base
	Parts []*Ident // at least one
}

// Doc is the doc comment above a declaration: its lines without slashes and without the blank after them.
type Doc []string

// Use is `use file, kafka` (Modules) or `use "./x.pipe" as name` (Path, Alias).
type Use struct {
	Base
	Modules []*Ident
	Path    *StrLit
	Alias   *Ident
}

// TypeDecl is `type Name = …`.
type TypeDecl struct {
	Base
	Doc  Doc
	Name *Ident
	Type TypeExpr
}

// LetDecl is `let name [: T] = value` at file level.
type LetDecl struct {
	Base
	Doc   Doc
	Name  *Ident
	Type  TypeExpr // or nil
	Value Expr
}

// ParamDecl is `param name: T [= default]` at file level.
type ParamDecl struct {
	Base
	Doc   Doc
	Param *Param
}

// Param is one parameter of a file, a function, a bolt or a signature.
type Param struct {
	Base
	Name    *Ident
	Each    bool // `each T`: takes an expression over the sink's input
	Type    TypeExpr
	Default Expr // or nil
}

// FnDecl is a function. Value or Body is set; neither in the standard library.
type FnDecl struct {
	Base
	Doc      Doc
	Name     *Ident
	Params   []*Param
	Result   TypeExpr
	Fallible bool // `-> T!`
	Value    Expr
	Body     *Block
}

// TableDecl is `table name: (…) by key = source [refresh 10m]`.
type TableDecl struct {
	Base
	Doc     Doc
	Name    *Ident
	Type    TypeExpr
	Key     *Ident
	Value   Expr
	Refresh Expr // or nil
}

// SigDecl is a body-less declaration of the standard library.
type SigDecl struct {
	Base
	Doc    Doc
	Kind   *Ident // source, sink, channel, codec or aggregate
	Name   *Ident
	Params []*Param
	Of     TypeExpr // what a sink or codec takes, or nil
	Result TypeExpr // or nil
	Meta   TypeExpr // or nil
	Traits []*Trait
}

// Trait is one reliability trait of a signature, `bounded when count`.
type Trait struct {
	Base
	Name *Ident
	When *Ident // or nil
}

// BoltDecl is a bolt. Input is a RecordType or a TypeRef. Body or Value is set.
type BoltDecl struct {
	Base
	Doc     Doc
	Name    *Ident
	Input   TypeExpr
	Params  []*Param // of `with`
	Outputs []*Output
	Clauses
	Body  *Block
	Value Expr // `= process([…])`
}

// Output is one output of a bolt; the main one has no name.
type Output struct {
	Base
	Name *Ident // or nil
	Type TypeExpr
}

// Clauses are those of a bolt, each at most once (a second one is an error that the parser tells). Their order in the
// text follows from their spans.
type Clauses struct {
	By      *By // or nil, as the others
	Global  *Keyword
	Window  *Window
	Errors  *Policy
	Late    *Policy
	Ordered *Keyword
}

// Keyword is a clause that is a single word.
type Keyword struct {
	Base
	Word string
}

// Policy is `errors drop|fail|emit` or `late drop|emit`; the span has both words.
type Policy struct {
	Base
	Word  string // errors or late
	Value string // drop, fail or emit
}

// By is the `by` clause with its keys.
type By struct {
	Base
	Keys []*Item
}

// Window is a window clause.
type Window struct {
	Base
	Kind  string // tumbling, sliding, session, count, whole
	Size  Expr   // or nil for whole; the gap of a session
	Every Expr   // sliding only
	On    *Ref   // or nil
	Lag   Expr   // or nil
	Idle  Expr   // or nil
}

// PipelineDecl is a pipeline.
type PipelineDecl struct {
	Base
	Doc   Doc
	Name  *Ident
	Items []PItem
}

// TestDecl is a test.
type TestDecl struct {
	Base
	Doc   Doc
	Name  *StrLit
	For   *Ident // or nil
	Stmts []TStmt
}

// BadDecl is text that is no declaration.
type BadDecl struct{ Base }

func (*Use) decl()          {}
func (*TypeDecl) decl()     {}
func (*LetDecl) decl()      {}
func (*ParamDecl) decl()    {}
func (*FnDecl) decl()       {}
func (*TableDecl) decl()    {}
func (*SigDecl) decl()      {}
func (*BoltDecl) decl()     {}
func (*PipelineDecl) decl() {}
func (*TestDecl) decl()     {}
func (*BadDecl) decl()      {}

// TypeRef is a named type.
type TypeRef struct {
	Base
	Ref *Ref
}

// RecordType is `(a: T, b: U)`.
type RecordType struct {
	Base
	Fields []*FieldDef
}

// FieldDef is one field of a written record type.
type FieldDef struct {
	Base
	Name *Ident
	Type TypeExpr
}

// ListType is `[T]`.
type ListType struct {
	Base
	Elem TypeExpr
}

// MapType is `[K: V]`.
type MapType struct {
	Base
	Key, Elem TypeExpr
}

// EnumType is `"a" | "b"`.
type EnumType struct {
	Base
	Leading bool // written with a `|` before the first member
	Members []*StrLit
}

// OptionalType is `T?`.
type OptionalType struct {
	Base
	Elem TypeExpr
}

// BadType is a missing or broken type.
type BadType struct{ Base }

func (*TypeRef) typeExpr()      {}
func (*RecordType) typeExpr()   {}
func (*ListType) typeExpr()     {}
func (*MapType) typeExpr()      {}
func (*EnumType) typeExpr()     {}
func (*OptionalType) typeExpr() {}
func (*BadType) typeExpr()      {}
