package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
)

// The grammar of declarations. A production is a flat row of words and parts; participle parses the row, and each part
// that repeats, nests or has to survive faults is a hook: an interface type below, parsed by hand (hooks.go). No hook
// fails, and none is tried where it may be given up again, so a fault is told once and what was parsed stays.
//
// A production is chosen by its first word, never by trying; an alternative always begins with a word or a token.

// The hooks. What they stand for in EBNF is in [hookGrammar].
type (
	name      interface{ ast.Node } // *ast.Ident, a word that is not reserved
	word      interface{ ast.Node } // *ast.Ident, any word
	nodeName  interface{ ast.Node } // *ast.Ident, a word that is no step
	alias     interface{ ast.Node } // *ast.Ident, no word of a join
	ref       interface{ ast.Node } // *ast.Ref
	str       interface{ ast.Node } // *ast.StrLit
	plainStr  interface{ ast.Node } // *ast.StrLit without holes
	expr      interface{ ast.Expr }
	condition interface{ ast.Expr }
	record    interface{ ast.Node } // *ast.RecordExpr
	payload   interface{ ast.Expr } // an expression whose lone parentheses are a record
	constant  interface{ ast.Expr }
	typeExpr  interface{ ast.TypeExpr }
	block     interface{ ast.Node } // *ast.Block
	elseArm   interface{ ast.Stmt } // behind the else of a statement
	params    interface{ isParams() }
	input     interface{ ast.TypeExpr }
	outputs   interface{ isOutputs() }
	clauses   interface{ isClauses() }
	keys      interface{ isItems() }
	args      interface{ isItems() }
	pitems    interface{ isPItems() }
	tlines    interface{ isTLines() }
	records   interface{ isRecords() }
	step      interface{ ast.Step }
	hops      interface{ isHops() }
)

// The lists that hooks return.
type (
	paramList  []*ast.Param
	outputList []*ast.Output
	itemList   []*ast.Item
	pitemList  []ast.PItem
	tlineList  []ast.TStmt
	recordList []*ast.RecordExpr
	hopList    []*ast.Hop
	clauseSet  struct {
		ast.Clauses
		outputs []*ast.Output // found without an arrow before them
	}
)

func (paramList) isParams()   {}
func (outputList) isOutputs() {}
func (itemList) isItems()     {}
func (pitemList) isPItems()   {}
func (tlineList) isTLines()   {}
func (recordList) isRecords() {}
func (hopList) isHops()       {}
func (*clauseSet) isClauses() {}

type useDecl struct {
	Path    plainStr `parser:"'use' (  (?= SBEG) @@"`
	Alias   name     `parser:"         'as' @@"`
	Modules []name   `parser:"       | (?= IDENT) @@ (',' @@)* )"`
}

type typeDecl struct {
	Name  name     `parser:"'type' @@ '='"`
	First bool     `parser:"@'|'?"`
	Type  typeExpr `parser:"@@"`
}

type letDecl struct {
	Name  name     `parser:"'let' @@"`
	Type  typeExpr `parser:"(':' @@)?"`
	Value expr     `parser:"'=' @@"`
}

type paramDecl struct {
	Param *param `parser:"'param' @@"`
}

type param struct {
	Name    word     `parser:"@@"`
	Each    bool     `parser:"':' @'each'?"`
	Type    typeExpr `parser:"@@"`
	Default expr     `parser:"('=' @@)?"`
}

type fnDecl struct {
	Name     name     `parser:"'fn' @@"`
	Params   params   `parser:"@@"`
	Result   typeExpr `parser:"'->' @@"`
	Fallible bool     `parser:"@'!'?"`
	Value    expr     `parser:"( '=' @@"`
	Body     block    `parser:"| @@ )?"`
}

type tableDecl struct {
	Name    name     `parser:"'table' @@"`
	Type    typeExpr `parser:"':' @@"`
	Key     name     `parser:"'by' @@"`
	Value   expr     `parser:"'=' @@"`
	Refresh constant `parser:"('refresh' @@)?"`
}

type sigDecl struct {
	Kind   plex.Token `parser:"@('source' | 'sink' | 'channel' | 'codec' | 'aggregate')"`
	Name   name       `parser:"@@"`
	Params params     `parser:"@@"`
	Of     typeExpr   `parser:"('of' @@)?"`
	Result typeExpr   `parser:"('->' @@)?"`
	Meta   typeExpr   `parser:"('meta' @@)?"`
	Traits []*trait   `parser:"@@*"`
}

type trait struct {
	Name plex.Token `parser:"@IDENT"`
	When name       `parser:"('when' @@)?"`
}

type boltDecl struct {
	Name    nodeName `parser:"'bolt' @@"`
	Input   input    `parser:"@@"`
	Params  params   `parser:"('with' @@)?"`
	Outputs outputs  `parser:"('->' @@)?"`
	Clauses clauses  `parser:"@@"`
	Value   expr     `parser:"( '=' @@"`
	Body    block    `parser:"| @@ )"`
}

type byClause struct {
	Word plex.Token `parser:"@'by'"`
	Keys keys       `parser:"@@"`
}

type window struct {
	Word  plex.Token `parser:"@'window'"`
	Kind  plex.Token `parser:"( @'tumbling'"`
	Size  constant   `parser:"    @@"`
	Slide plex.Token `parser:"  | @'sliding'"`
	Width constant   `parser:"    @@"`
	Every constant   `parser:"    'every' @@"`
	Sess  plex.Token `parser:"  | @'session'"`
	Gap   constant   `parser:"    'gap' @@"`
	Count plex.Token `parser:"  | @'count'"`
	Rows  constant   `parser:"    @@"`
	Whole plex.Token `parser:"  | @'whole' )"`
	On    ref        `parser:"('on' @@)?"`
	Lag   constant   `parser:"('lag' @@)?"`
	Idle  constant   `parser:"('idle' @@)?"`
}

type errorsPolicy struct {
	Word  plex.Token `parser:"@'errors'"`
	Value plex.Token `parser:"@('drop' | 'fail' | 'emit')"`
}

type latePolicy struct {
	Word  plex.Token `parser:"@'late'"`
	Value plex.Token `parser:"@('drop' | 'emit')"`
}

type pipelineDecl struct {
	Name  name   `parser:"'pipeline' @@"`
	Items pitems `parser:"@@"`
}

type testDecl struct {
	Name  plainStr `parser:"'test' @@"`
	For   name     `parser:"('for' @@)?"`
	Lines tlines   `parser:"@@"`
}
