// Package parser turns the text of a .pipe file into its tree.
//
// Parsing never fails: [Parse] always returns a tree, in which a part that could not be read is an explicit Bad node
// and its neighbours are whole, and one diagnostic for each mistake. It is a pure function of the text.
//
// The way of a text through the package:
//
//   - scanner (scan.go, brackets.go, strings.go, numbers.go) cuts it into chunks of well-nested tokens, one for each
//     declaration;
//   - a loop over each chunk (decl.go) looks at the first word and runs the production of that declaration. The
//     productions (grammar.go, grammar_body.go) are participle's; they are flat rows of words and parts;
//   - the parts that nest, repeat or must survive faults are hooks (hooks.go): lists that re-synchronise at their
//     separators (lists.go, body.go, flow.go), expressions by precedence (expr.go, primary.go), types (types.go).
//     Hooks run productions again for what they contain;
//   - what a production has matched becomes nodes of lang/ast at once (the build methods beside each list).
//
// Faults: a production that cannot go on says where; the loop that ran it tells that (expect.go) and skips to the end
// of the line, of the list item or of the declaration. A part that is missing is told by its hook, which then takes
// nothing, so the rest of the row is still read. Nothing is told twice at one token, nothing inside a part that the
// scanner has told of, and nothing at a token that was told to be none; what scanner and parser both tell of one
// mistake is told once (echo.go). Lines that are indented more than a broken one before them go with it.
package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// Parse returns the tree of a whole file and what is wrong with it, ordered by place. It never fails and never
// panics; the tree of a text with errors has Bad nodes where parts are missing.
func Parse(f *source.File) (*ast.File, diag.List) {
	s := newScanner(f)
	p := &parse{f: f, scanner: s}
	file := &ast.File{Base: ast.Base{At: source.Span{File: f, Start: 0, End: len(f.Text())}}, Source: f}
	if s.tellEncoding() {
		return file, s.diags
	}
	p.within(func() {
		for from := 0; p.nextChunk(); from = len(s.diags) {
			scanned := len(s.diags)
			file.Decls = p.decls(file.Decls)
			s.diags = s.diags[:from+withoutEchoes(s.diags[from:], scanned-from)]
		}
	})
	file.Comments = s.comments
	return file, s.diags.Sorted()
}

// ParseExpr returns the expression that the whole text of f is, as for the value of `-p name=value`.
func ParseExpr(f *source.File) (ast.Expr, diag.List) {
	s := newScanner(f)
	s.whole = true
	p := &parse{f: f, scanner: s}
	var x ast.Expr
	p.within(func() {
		if !p.nextChunk() {
			x = p.missingValue()
			return
		}
		x = p.expr()
		p.newlines()
		if t := p.peek(); t.Type != plex.EOF {
			p.tell(diag.ExpectedEnd, t.Pos.Offset, t.Pos.Column, "expected nothing behind the value, found %s", describe(t))
		}
	})
	return x, s.diags.Sorted()
}

// parse is the state of one call.
type parse struct {
	f       *source.File
	scanner *scanner
	m       *machine
	lx      *plex.PeekingLexer // the cursor of the production that is being parsed
	toks    []plex.Token       // the chunk; lx counts in it

	depth  int // else chains and prefixes that the parser is inside of
	height int // of the expression that was parsed last
	told   int // the cursor where something was told last, -1 for nowhere in the chunk

	tooDeep bool            // told in this declaration that something nests too deeply
	indent  int             // of the line of the statement that is being parsed
	sound   int             // number of diagnostics before the line that is being parsed
	test    bool            // a test is parsed
	cond    bool            // a condition is parsed
	steps   map[string]bool // names of steps that were told to be no names of nodes
	assign  bool            // `=` may stand behind an expression here
}

// within runs f with a machine of its own.
func (p *parse) within(f func()) {
	m := machines.Get().(*machine)
	p.m, m.p = m, p
	f()
	p.m, m.p = nil, nil
	machines.Put(m) // not reached when f panics: a machine in an unknown state is not used again
}

// nextChunk puts the cursor at the start of the next chunk, and reports whether there is one.
func (p *parse) nextChunk() bool {
	p.toks = p.scanner.chunk()
	left := tokens(p.toks)
	lx, err := plex.Upgrade(&left)
	if err != nil {
		return false // tokens.Next returns none
	}
	p.lx, p.told, p.depth = lx, -1, 0
	return len(p.toks) > 1
}

// machine holds participle's parsers. Their hooks are given a token stream and nothing else, so each machine's hooks
// are closures over it, and it serves one parse at a time.
type machine struct {
	p        *parse
	trailing participle.ParseOption
	root     *participle.Parser[grammar]

	useDecl       *participle.Parser[useDecl]
	typeDecl      *participle.Parser[typeDecl]
	letDecl       *participle.Parser[letDecl]
	paramDecl     *participle.Parser[paramDecl]
	param         *participle.Parser[param]
	fnDecl        *participle.Parser[fnDecl]
	tableDecl     *participle.Parser[tableDecl]
	sigDecl       *participle.Parser[sigDecl]
	boltDecl      *participle.Parser[boltDecl]
	byClause      *participle.Parser[byClause]
	window        *participle.Parser[window]
	errorsPolicy  *participle.Parser[errorsPolicy]
	latePolicy    *participle.Parser[latePolicy]
	pipelineDecl  *participle.Parser[pipelineDecl]
	testDecl      *participle.Parser[testDecl]
	letStmt       *participle.Parser[letStmt]
	stateStmt     *participle.Parser[stateStmt]
	emitStmt      *participle.Parser[emitStmt]
	ifStmt        *participle.Parser[ifStmt]
	forStmt       *participle.Parser[forStmt]
	dropStmt      *participle.Parser[dropStmt]
	failStmt      *participle.Parser[failStmt]
	assignStmt    *participle.Parser[assignStmt]
	nodeItem      *participle.Parser[nodeItem]
	boltItem      *participle.Parser[boltItem]
	joinItem      *participle.Parser[joinItem]
	settingItem   *participle.Parser[settingItem]
	flowItem      *participle.Parser[flowItem]
	hop           *participle.Parser[hop]
	branch        *participle.Parser[branch]
	routeCase     *participle.Parser[routeCase]
	whereStep     *participle.Parser[whereStep]
	selectStep    *participle.Parser[selectStep]
	flatStep      *participle.Parser[flatStep]
	aggregateStep *participle.Parser[aggregateStep]
	dedupStep     *participle.Parser[dedupStep]
	limitStep     *participle.Parser[limitStep]
	sampleStep    *participle.Parser[sampleStep]
	topStep       *participle.Parser[topStep]
	callStep      *participle.Parser[callStep]
	feedStmt      *participle.Parser[feedStmt]
	advanceStmt   *participle.Parser[advanceStmt]
	endStmt       *participle.Parser[endStmt]
	setStmt       *participle.Parser[setStmt]
	swapStmt      *participle.Parser[swapStmt]
	expectStmt    *participle.Parser[expectStmt]
	faultStmt     *participle.Parser[faultStmt]
}

// machines keeps idle machines: one takes about a millisecond to build and is never changed.
var machines = sync.Pool{New: func() any { return newMachine() }}
