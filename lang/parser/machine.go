package parser

import (
	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"

	"github.com/pipec/pipec/internal/bug"
)

// grammar lists all productions, so that one build makes them all. Nothing is parsed as a grammar.
type grammar struct {
	Use       *useDecl       `parser:"  @@"`
	Type      *typeDecl      `parser:"| @@"`
	Let       *letDecl       `parser:"| @@"`
	Param     *paramDecl     `parser:"| @@"`
	Fn        *fnDecl        `parser:"| @@"`
	Table     *tableDecl     `parser:"| @@"`
	Signature *sigDecl       `parser:"| @@"`
	Bolt      *boltDecl      `parser:"| @@"`
	By        *byClause      `parser:"| @@"`
	Window    *window        `parser:"| @@"`
	Errors    *errorsPolicy  `parser:"| @@"`
	Late      *latePolicy    `parser:"| @@"`
	Pipeline  *pipelineDecl  `parser:"| @@"`
	Test      *testDecl      `parser:"| @@"`
	LetStmt   *letStmt       `parser:"| @@"`
	State     *stateStmt     `parser:"| @@"`
	Emit      *emitStmt      `parser:"| @@"`
	If        *ifStmt        `parser:"| @@"`
	For       *forStmt       `parser:"| @@"`
	Drop      *dropStmt      `parser:"| @@"`
	Fail      *failStmt      `parser:"| @@"`
	Assign    *assignStmt    `parser:"| @@"`
	Node      *nodeItem      `parser:"| @@"`
	Instance  *boltItem      `parser:"| @@"`
	Join      *joinItem      `parser:"| @@"`
	Setting   *settingItem   `parser:"| @@"`
	Flow      *flowItem      `parser:"| @@"`
	Hop       *hop           `parser:"| @@"`
	Branch    *branch        `parser:"| @@"`
	Case      *routeCase     `parser:"| @@"`
	Where     *whereStep     `parser:"| @@"`
	Select    *selectStep    `parser:"| @@"`
	Flat      *flatStep      `parser:"| @@"`
	Aggregate *aggregateStep `parser:"| @@"`
	Dedup     *dedupStep     `parser:"| @@"`
	Limit     *limitStep     `parser:"| @@"`
	Sample    *sampleStep    `parser:"| @@"`
	Top       *topStep       `parser:"| @@"`
	Call      *callStep      `parser:"| @@"`
	Feed      *feedStmt      `parser:"| @@"`
	Advance   *advanceStmt   `parser:"| @@"`
	End       *endStmt       `parser:"| @@"`
	Set       *setStmt       `parser:"| @@"`
	Swap      *swapStmt      `parser:"| @@"`
	Expect    *expectStmt    `parser:"| @@"`
	Fault     *faultStmt     `parser:"| @@"`
}

// hook makes f what participle calls for the interface type T. While it runs, the parse's cursor is the one that
// participle hands in.
func hook[T any](m *machine, f func(*parse) T) participle.Option {
	return participle.ParseTypeWith(func(lx *plex.PeekingLexer) (T, error) {
		outer := m.p.lx
		m.p.lx = lx
		v := f(m.p)
		m.p.lx = outer
		return v, nil
	})
}

func newMachine() *machine {
	m := &machine{trailing: participle.AllowTrailing(true)}
	m.root = participle.MustBuild[grammar](
		participle.Lexer(definition{}),
		participle.UseLookahead(0), // a row that has begun is never given up for another
		hook(m, func(p *parse) name { return p.name() }),
		hook(m, func(p *parse) word { return p.word() }),
		hook(m, func(p *parse) nodeName { return p.nodeName() }),
		hook(m, func(p *parse) alias { return p.alias() }),
		hook(m, func(p *parse) ref { return p.ref() }),
		hook(m, func(p *parse) str { return p.str() }),
		hook(m, func(p *parse) plainStr { return p.plainStr() }),
		hook(m, func(p *parse) expr { return p.expr() }),
		hook(m, func(p *parse) condition { return p.condition() }),
		hook(m, func(p *parse) record { return p.record() }),
		hook(m, func(p *parse) payload { return p.payload() }),
		hook(m, func(p *parse) constant { return p.constant() }),
		hook(m, func(p *parse) typeExpr { return p.typeExpr() }),
		blockHook(m),
		hook(m, func(p *parse) elseArm { return p.elseArm() }),
		hook(m, func(p *parse) params { return paramList(p.params()) }),
		hook(m, func(p *parse) input { return p.input() }),
		hook(m, func(p *parse) outputs { return outputList(p.outputs()) }),
		hook(m, func(p *parse) clauses { return p.clauses() }),
		hook(m, func(p *parse) keys { return itemList(p.keys()) }),
		hook(m, func(p *parse) args { return itemList(p.args()) }),
		hook(m, func(p *parse) pitems { return pitemList(p.pitems()) }),
		hook(m, func(p *parse) tlines { return tlineList(p.tlines()) }),
		hook(m, func(p *parse) records { return recordList(p.records()) }),
		hook(m, func(p *parse) step { return p.step() }),
		hook(m, func(p *parse) hops { return hopList(p.hops()) }),
	)
	m.declProductions()
	m.lineProductions()
	return m
}

// blockHook is the one hook that may find nothing: it stands last among alternatives.
func blockHook(m *machine) participle.Option {
	return participle.ParseTypeWith(func(lx *plex.PeekingLexer) (block, error) {
		if lx.Peek().Value != "{" {
			return nil, participle.NextMatch
		}
		outer := m.p.lx
		m.p.lx = lx
		b := m.p.block()
		m.p.lx = outer
		return b, nil
	})
}

func production[T any](m *machine) *participle.Parser[T] {
	p, err := participle.ParserForProduction[T](m.root)
	if err != nil {
		bug.Panicf("parser: %v", err)
	}
	return p
}

func (m *machine) declProductions() {
	m.useDecl = production[useDecl](m)
	m.typeDecl = production[typeDecl](m)
	m.letDecl = production[letDecl](m)
	m.paramDecl = production[paramDecl](m)
	m.param = production[param](m)
	m.fnDecl = production[fnDecl](m)
	m.tableDecl = production[tableDecl](m)
	m.sigDecl = production[sigDecl](m)
	m.boltDecl = production[boltDecl](m)
	m.byClause = production[byClause](m)
	m.window = production[window](m)
	m.errorsPolicy = production[errorsPolicy](m)
	m.latePolicy = production[latePolicy](m)
	m.pipelineDecl = production[pipelineDecl](m)
	m.testDecl = production[testDecl](m)
	m.letStmt = production[letStmt](m)
	m.stateStmt = production[stateStmt](m)
	m.emitStmt = production[emitStmt](m)
	m.ifStmt = production[ifStmt](m)
	m.forStmt = production[forStmt](m)
	m.dropStmt = production[dropStmt](m)
	m.failStmt = production[failStmt](m)
	m.assignStmt = production[assignStmt](m)
}

func (m *machine) lineProductions() {
	m.nodeItem = production[nodeItem](m)
	m.boltItem = production[boltItem](m)
	m.joinItem = production[joinItem](m)
	m.settingItem = production[settingItem](m)
	m.flowItem = production[flowItem](m)
	m.hop = production[hop](m)
	m.branch = production[branch](m)
	m.routeCase = production[routeCase](m)
	m.whereStep = production[whereStep](m)
	m.selectStep = production[selectStep](m)
	m.flatStep = production[flatStep](m)
	m.aggregateStep = production[aggregateStep](m)
	m.dedupStep = production[dedupStep](m)
	m.limitStep = production[limitStep](m)
	m.sampleStep = production[sampleStep](m)
	m.topStep = production[topStep](m)
	m.callStep = production[callStep](m)
	m.feedStmt = production[feedStmt](m)
	m.advanceStmt = production[advanceStmt](m)
	m.endStmt = production[endStmt](m)
	m.setStmt = production[setStmt](m)
	m.swapStmt = production[swapStmt](m)
	m.expectStmt = production[expectStmt](m)
	m.faultStmt = production[faultStmt](m)
}

// run parses a production at the cursor and reports whether it was whole. form shows how what is parsed is written,
// for the note of a fault. A production that stopped in the middle leaves the cursor where it stopped and the parts
// behind it nil.
func run[T any](p *parse, prod *participle.Parser[T], form string) (*T, bool) {
	v, err := prod.ParseFromLexer(p.lx, p.m.trailing)
	if err != nil {
		p.unexpected(err, form)
	}
	return v, err == nil
}

// ident returns the node of a name hook, nil where the production did not reach it.
func ident(n ast.Node) *ast.Ident {
	id, _ := n.(*ast.Ident)
	return id
}
