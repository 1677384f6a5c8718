package check

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// How the parts of the checker call each other. The files for names, declarations and bodies give the files for
// pipelines:
//
//	c.errorf, c.warnf, c.notef(code, span, format, …) *report   report; chain .label .related .note .fix to it
//	c.notYet(span, construct)                           one diagnostic for what is parsed but not run yet
//	r.suggest(at, name, candidates, "There are")        "did you mean" with its edit, or a list of few candidates
//	c.haze(names)                                       a name could not be resolved: nothing of the kind is called unused
//
//	c.constScope() *scope                               scope of constants: file-level let and param only
//	c.stepBody(what, in, keys) *scope                   scope of an inline step over rows of type in
//	c.edgeScope(in) *scope                              scope of keys: fields of in only
//	c.aggregateBody(what, in, keys) *scope              scope of an aggregate step: fields inside aggregates only
//	c.endBody(sc)                                       tells what is unsettled in such a body; always call it last
//	sc.body.locals, sc.body.aggs                        for Node.Locals, Node.Aggs
//	sc.body.canFail                                     a fault or failure can end the body
//
//	c.expr(sc, e, want) types.Type                      checks e; want nil: no expectation. Returns the type after the
//	                                                    conversion to want, or types.Invalid if it was told
//	c.exprFor(sc, e, expect{…}) types.Type              the same with a reason for messages
//	c.cond(sc, e)                                       checks a bool condition
//	c.keys(sc, items) []Key                             keys of by, dedup, edges: over the input, settled
//	c.record(sc, rec, want) *types.Record               a record literal (select, aggregate): its type; want may be nil
//	c.constArg(e, expect{…}) types.Type                 a constant that may read `param`s: only its type
//	c.typeExpr(t) types.Type                            a written type
//	c.matchArgs(call, what, items, params) ([]ast.Expr, bool)    arguments in order of parameters; names, arity told
//	c.args(sc, call, what, items, params) ([]ast.Expr, bool)     the same, and each checked against its parameter
//	c.lookupNode(id) *Object                            module alias (ObjModule) or bolt declaration (ObjBolt) by name
//	c.lookupIn(mod *Object, id) *Object                 bolt of an imported file; unknown names are told
//	c.boltOf(obj) *Bolt                                 what a bolt declaration was checked to be
//	c.libSig(fun, kinds…) *catalog.Sig                  a connector or codec by `module.name` or `name`; unknown: told
//
// They give in return:
//
//	c.pipeline(d *ast.PipelineDecl) *Pipeline           checks a pipeline of the main file; called when all bolts are

// Input is what Check works on.
type Input struct {
	Main    *ast.File
	Imports map[*ast.Use]*ast.File // the file of each `use "./x.pipe"`; missing where that could not be read, and was told
	Catalog *catalog.Catalog
	Broken  bool      // an error was told already, by the parser or for a file that could not be read
	Told    diag.List // what was told already, so that nothing is that follows from it
}

// Check resolves and checks a program. The result is whole also where there are errors, as far as it goes; it is fit
// for lowering only if no diagnostic, of the parser or from here, is an error.
func Check(in Input) (*Program, diag.List) {
	c := newChecker(in)
	c.run()
	return c.program, c.list()
}

// checker holds what is known so far. It is used by one goroutine, for one program.
type checker struct {
	cat     *catalog.Catalog
	imports map[*ast.Use]*ast.File
	info    *Info
	program *Program
	reports []*report
	errors  int // how many of the reports are errors
	units   map[*ast.File]*unit
	unit    *unit     // the file in hand
	open    []*Object // declarations that are being resolved
	fns     fnGraph
	// constExpr has the expressions that are constant but hang on parameters of the command line: not in Info.Consts.
	constExprs map[ast.Expr]bool
	needless   map[*ast.ElseExpr]*report // what was told of an `else`, see looseElse
	hazyNames  nameSpace                 // see haze
	told       diag.List                 // by the parser
	// nearestLeft is how many names may still be compared with mistyped ones.
	nearestLeft int
	spoils      spoils
	lostNames   map[toldName]*report  // unknown names, told once for each place where they are looked for
	adrift      map[*ast.LetDecl]bool // statements of a body that was lost
	looseUse    bool                  // a `use` is a guess
	wrongType   map[*Object]*report   // variables of a type that was wrong somewhere
	lostFields  map[string]*report    // fields that an output was given and does not have
	ored        map[factKey]*ored     // paths that an `||` compares with none
	misspelt    map[string]bool       // modules that a misspelt `use` most likely meant
}

func newChecker(in Input) *checker {
	info := &Info{
		Types:    map[ast.Expr]types.Type{},
		Wants:    map[ast.Expr]types.Type{},
		Written:  map[ast.TypeExpr]types.Type{},
		Objects:  map[*ast.Ident]*Object{},
		Consts:   map[ast.Expr]value.Value{},
		Calls:    map[*ast.CallExpr]*Call{},
		Fallible: map[ast.Expr]bool{},
		Bolts:    map[*ast.BoltDecl]*Bolt{},
		Fns:      map[*ast.FnDecl]*Fn{},
		Errors:   map[*ast.ElseExpr]int{},
		Settles:  map[*ast.ElseExpr]Settles{},
	}
	var hazy nameSpace
	if in.Broken {
		hazy = everyName
	}
	return &checker{
		hazyNames: hazy,
		told:      in.Told,

		cat:     in.Catalog,
		imports: in.Imports,
		info:    info,
		program: &Program{Files: []*ast.File{in.Main}, Catalog: in.Catalog, Info: info},
		units:   map[*ast.File]*unit{},

		constExprs:  map[ast.Expr]bool{},
		needless:    map[*ast.ElseExpr]*report{},
		nearestLeft: mostCompared,
		spoils:      newSpoils(in.Told),
		misspelt:    map[string]bool{},
		adrift:      map[*ast.LetDecl]bool{},
		lostNames:   map[toldName]*report{},
		wrongType:   map[*Object]*report{},
		lostFields:  map[string]*report{},
		ored:        map[factKey]*ored{},
	}
}
