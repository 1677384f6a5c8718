package parser

import plex "github.com/alecthomas/participle/v2/lexer"

// The grammar of statements, of the lines of pipelines and tests, and of steps.

type letStmt struct {
	Name  name     `parser:"'let' @@"`
	Type  typeExpr `parser:"(':' @@)?"`
	Value expr     `parser:"'=' @@"`
}

type stateStmt struct {
	Name name     `parser:"'state' @@"`
	Type typeExpr `parser:"':' @@"`
	Init expr     `parser:"'=' @@"`
	Keep constant `parser:"('keep' @@)?"`
}

type emitStmt struct {
	Unanchored bool    `parser:"'emit' ((?! 'unanchored' (NL | '}' | '.')) @'unanchored')?"`
	To         name    `parser:"((?! 'to' (NL | '}' | '.')) 'to' @@)?"`
	Value      payload `parser:"@@"`
}

type ifStmt struct {
	Cond condition `parser:"'if' @@"`
	Then block     `parser:"@@"`
	Else elseArm   `parser:"('else' @@)?"`
}

type forStmt struct {
	Name  name  `parser:"'for' @@"`
	Name2 name  `parser:"(',' @@)?"`
	In    expr  `parser:"'in' @@"`
	Body  block `parser:"@@"`
}

type dropStmt struct {
	Why plainStr `parser:"'drop' @@"`
}

type failStmt struct {
	Why str `parser:"'fail' @@"`
}

type assignStmt struct {
	Name  name `parser:"@@"`
	Index expr `parser:"('[' @@ ']')?"`
	Value expr `parser:"'=' @@"`
}

type nodeItem struct {
	Kind   plex.Token    `parser:"@('source' | 'channel' | 'sink')"`
	Name   nodeName      `parser:"@@"`
	Value  expr          `parser:"'=' @@"`
	Level  *plex.Token   `parser:"@('at_most_once' | 'at_least_once')?"`
	Errors *errorsPolicy `parser:"@@?"`
}

type boltItem struct {
	Name nodeName `parser:"'bolt' @@"`
	Step step     `parser:"'=' @@"`
}

type joinItem struct {
	Name      nodeName  `parser:"'join' @@"`
	Left      ref       `parser:"'=' @@"`
	LeftName  alias     `parser:"@@"`
	Outer     bool      `parser:"@'left'?"`
	Right     ref       `parser:"NL? 'with' @@"`
	RightName alias     `parser:"@@"`
	On        condition `parser:"NL? 'on' @@"`
	Within    constant  `parser:"NL? 'within' @@"`
	LeftTime  ref       `parser:"((?= NL? 'of') NL? 'of' @@"`
	RightTime ref       `parser:" ',' @@)?"`
	Lag       constant  `parser:"((?= NL? 'lag') NL? 'lag' @@)?"`
	Late      *lateDrop `parser:"((?= NL? 'late') NL? @@)?"`
	Result    record    `parser:"'->' @@"`
}

type lateDrop struct {
	Late plex.Token `parser:"@'late'"`
	Drop plex.Token `parser:"@'drop'"`
}

type settingItem struct {
	Name  name `parser:"@@"`
	Value expr `parser:"@@"`
}

type flowItem struct {
	From ref  `parser:"@@"`
	Hops hops `parser:"@@"`
}

type hop struct {
	Open  *plex.Token `parser:"( '->' | @'-['"`
	Keys  keys        `parser:"  ( 'by' @@"`
	Kind  string      `parser:"  | @('shuffle' | 'all' | 'global' | 'local') )"`
	Close *plex.Token `parser:"  @']' '->' )"`
	Step  step        `parser:"@@"`
}

type branch struct {
	Optional bool `parser:"@'optional'?"`
	First    step `parser:"@@"`
	Hops     hops `parser:"@@"`
}

type routeCase struct {
	When  condition `parser:"( 'when' @@ | 'default' )"`
	First step      `parser:"'->' @@"`
	Hops  hops      `parser:"@@"`
}

type whereStep struct {
	Cond condition `parser:"'where' @@"`
}

type selectStep struct {
	Record record `parser:"'select' @@"`
}

type flatStep struct {
	Value expr `parser:"'flat' @@"`
	Name  name `parser:"'as' @@"`
}

type aggregateStep struct {
	By     *byClause `parser:"@@?"`
	Window *window   `parser:"@@"`
	Late   *lateDrop `parser:"@@?"`
	Record record    `parser:"NL? 'aggregate' @@"`
}

type dedupStep struct {
	Keys   keys     `parser:"'dedup' 'by' @@"`
	Within constant `parser:"'within' @@"`
}

type limitStep struct {
	Count constant `parser:"'limit' @@"`
	Every constant `parser:"'every' @@"`
	Drop  bool     `parser:"@'drop'?"`
}

type sampleStep struct {
	Rate constant `parser:"'sample' @@"`
}

type topStep struct {
	Count  constant `parser:"'top' ((?! 'by') @@)?"`
	By     expr     `parser:"'by' @@"`
	Window *window  `parser:"@@?"`
}

type callStep struct {
	Ref   ref      `parser:"@@"`
	Call  args     `parser:"( (?= '(') @@ )?"`
	Times constant `parser:"('*' @@)?"`
}

type feedStmt struct {
	Node    ref     `parser:"'feed' @@"`
	Records records `parser:"@@"`
}

type advanceStmt struct {
	By constant `parser:"'advance' @@"`
}

type endStmt struct {
	Node ref `parser:"'end' @@"`
}

type setStmt struct {
	Name  name     `parser:"'set' @@"`
	Type  typeExpr `parser:"(':' @@)?"`
	Value expr     `parser:"'=' @@"`
}

type swapStmt struct {
	Path plainStr `parser:"'swap' @@"`
}

type expectStmt struct {
	Cond condition `parser:"'expect' @@"`
}

type faultStmt struct {
	Crash bool     `parser:"'fault' ( @'crash' 'after'"`
	Kind  string   `parser:"        | @('fail' | 'stall')"`
	Node  ref      `parser:"          @@"`
	Prep  string   `parser:"          @('times' | 'for') )"`
	Value constant `parser:"@@"`
}
