// Package check resolves names and checks types of a parsed program, and builds the checked graph of its pipelines.
//
// The tree is never changed: what is found out stands in the side tables of an Info, keyed by node. A faulty expression
// has type types.Invalid, and whatever touches it stays silent, so that one mistake is told once.
package check

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Program is a checked program: a main file with all that it imports.
type Program struct {
	Files     []*ast.File // the main file first
	Catalog   *catalog.Catalog
	Info      *Info
	Params    []*Object // the main file's parameters, in order
	Pipelines []*Pipeline
}

// Info is what the checker found out, keyed by node.
type Info struct {
	// Types has the type of every expression, before an implicit conversion to what its place wants.
	Types map[ast.Expr]types.Type
	// Wants has the type that an expression is implicitly converted to, where that differs from Types: int to float,
	// enum to string, T to T?, a wider record to a narrower, a narrowed T? to T.
	Wants map[ast.Expr]types.Type
	// Written has the type that a written type stands for.
	Written map[ast.TypeExpr]types.Type
	// Objects has what a name refers to or declares.
	Objects map[*ast.Ident]*Object
	// Consts has the value of expressions that are constant without parameters of the command line.
	Consts map[ast.Expr]value.Value
	// Calls has what a call calls.
	Calls map[*ast.CallExpr]*Call
	// Fallible has the expressions that can fail and are not settled in the text: the bolt's `errors` clause, or the
	// function's `!`, takes them.
	Fallible map[ast.Expr]bool
	// Bolts has what each bolt declaration was checked to be.
	Bolts map[*ast.BoltDecl]*Bolt
	// Fns has what each function was checked to be.
	Fns map[*ast.FnDecl]*Fn
	// Errors has the local slot of the record `error` for each `else` whose right side reads it.
	Errors map[*ast.ElseExpr]int
	// Settles has what each `else` settles.
	Settles map[*ast.ElseExpr]Settles
}

// Settles says what an `else` settles: failures of something left of it, or that the value there is none.
type Settles struct{ Fails, None bool }

// Object is something with a name.
type Object struct {
	Kind  ObjectKind
	Name  string
	Type  types.Type  // of a value; of a function its result; of a type what it stands for
	Decl  ast.Node    // where it is declared, or nil for predeclared ones
	At    source.Span // of the declaring name
	Doc   ast.Doc
	Value ast.Expr // initial value of a file-level let, default of a parameter, or nil
	Index int      // of a field, key or state: its position; of a local: its slot in the body
	File  *ast.File
	Used  bool

	unit     *unit        // that declares it, of file-level ones
	module   *module      // of ObjModule
	state    resolveState // of file-level ones
	inAgg    bool         // declared inside an aggregate's arguments
	variable bool         // a `let` or `state` of a body, which may be assigned
}

// ObjectKind is the kind of an object.
type ObjectKind uint8

// The kinds of objects.
const (
	ObjModule    ObjectKind = iota + 1 // a `use`d module or file
	ObjType                            // type declaration
	ObjParam                           // file-level param
	ObjConst                           // file-level let
	ObjFn                              // function of the program
	ObjBolt                            // bolt declaration
	ObjTable                           // table
	ObjPipeline                        // pipeline
	ObjNode                            // node of a pipeline
	ObjField                           // field of the input
	ObjKey                             // key of the bolt
	ObjState                           // state variable
	ObjWith                            // parameter of `with`
	ObjLocal                           // let of a body, loop name, function parameter, comprehension name
	ObjTuple                           // tuple
	ObjWindow                          // window
	ObjMeta                            // meta
	ObjError                           // error, right of else
	ObjFunc                            // library function
	ObjAggregate                       // library aggregate
)

// Call is a resolved call. Exactly one of Func, Fn, Aggregate, Enum and Sig is set.
type Call struct {
	Func      *catalog.Func // library function
	Fn        *Object       // function of the program
	Aggregate *catalog.Sig
	Enum      *types.Enum  // conversion of a string to an enum: fallible
	Sig       *catalog.Sig // connector or codec
	// Args are the arguments in order of the parameters; nil where one was not given.
	Args   []ast.Expr
	Params []types.Type // parameter types with type variables put in
	Result types.Type
	// AggIndex numbers the aggregate calls of a body, from 0.
	AggIndex int
}

// Fn is a checked function.
type Fn struct {
	Decl     *ast.FnDecl
	Params   []*Object // the first local slots
	Result   types.Type
	Fallible bool
	Locals   []types.Type
}

// Bolt is a checked bolt declaration.
type Bolt struct {
	Decl    *ast.BoltDecl
	In      *types.Record
	Outs    []Out // the main one first if there is one, then the named, `late`, `errors`
	Keys    []Key
	Global  bool
	State   []*Object
	With    []*Object
	Aggs    []*ast.CallExpr // aggregate calls in order of AggIndex
	Locals  []types.Type    // of the body's local slots
	Errors  string          // "", drop, fail, emit
	Late    string          // "", drop, emit
	Ordered bool
	// Stateful reports state, a window, or an inline step that keeps state.
	Stateful bool
	// CanFail reports a fail statement, a fault or an unsettled failure; Unanchored an `emit unanchored`.
	CanFail, Unanchored bool

	lostOuts bool // an output was told to be wrong and left out
}

// Out is an output. The main one has no name.
type Out struct {
	Name string
	Type *types.Record
	At   source.Span
}

// Key is a key of a bolt or step.
type Key struct {
	Name  string
	Type  types.Type
	Value ast.Expr // over the input; for a bare field the name itself
}

// Pipeline is a checked pipeline: a graph.
type Pipeline struct {
	Decl     *ast.PipelineDecl
	Name     string
	Level    Level              // stated, or the strongest that its parts keep
	Stated   bool               // the level is written
	Settings map[string]Setting // those that are written
	Nodes    []*Node            // in topological order, ties in order of the text
	Edges    []*Edge
	Dead     *Node // dead_letters, or nil
}

// Level is a reliability level; the values are those of compiler/plan.
type Level uint8

// The levels, weakest first.
const (
	AtMostOnce Level = iota + 1
	AtLeastOnce
	ExactlyOnce
)

// Setting is a written setting.
type Setting struct {
	Value value.Value
	Expr  ast.Expr
	At    source.Span
}

// NodeKind is the kind of a node of a graph.
type NodeKind uint8

// The kinds of nodes.
const (
	SourceNode NodeKind = iota + 1
	ChannelNode
	SinkNode
	BoltNode // instance of a bolt declaration
	WhereNode
	SelectNode
	FlatNode
	RouteNode
	AggregateNode
	TopNode
	DedupNode
	LimitNode
	SampleNode
	JoinNode
)

// Node is a node of a pipeline's graph.
type Node struct {
	Kind  NodeKind
	Name  string   // as written; of an unnamed one made of its place: "lines.where1"
	Named bool     // written by name
	Decl  ast.Node // the item or step that makes it
	At    source.Span
	In    *types.Record // what it takes, as declared (an inline step: the common fields of what reaches it)
	Outs  []Out
	Bolt  *Bolt        // of a bolt node
	Sig   *catalog.Sig // of a source, sink or channel
	Args  []Arg        // of a connector in order of its parameters, of a bolt in order of `with`
	Codec *Codec
	Times int // written parallelism, 0 if none or if only the parameters say it
	// TimesExpr is the written parallelism, or nil.
	TimesExpr ast.Expr
	Level     Level    // of the strongest rows that reach it
	Own       Level    // a source's own level, 0 if none
	Errors    string   // of a source or sink
	Traits    []string // what the connector promises for this use
	// Of steps: the body's side tables are shared; keys of an aggregate, top and so on.
	Keys     []Key
	Aggs     []*ast.CallExpr
	Locals   []types.Type
	Optional bool // inside an optional branch
	// CanFail reports that a row can end here as a dead letter: by `fail`, a fault, or a failure that is not settled.
	CanFail bool
}

// Arg is an argument of a node: a constant, or an expression over the sink's input for an `each` parameter.
type Arg struct {
	Param *catalog.Param // nil for a bolt's `with`
	Name  string
	Value ast.Expr // nil: the default holds
	Each  bool
}

// Codec is a codec with its arguments.
type Codec struct {
	Sig  *catalog.Sig
	Args []Arg
	Type types.Type // of json(T)
}

// Edge leads from an output of a node to a node.
type Edge struct {
	From     *Node
	Out      int // index into From.Outs
	To       *Node
	Grouping string // "", by, shuffle, all, global, local
	Keys     []Key  // of an edge with by
	Optional bool
	Case     int // of a route: index of the case, else -1
	At       source.Span
}
