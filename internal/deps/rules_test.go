package deps

// rule says what a package may import of ours, and what it keeps away from. Packages are named by their folder; "x/..." is x and
// everything below it. The first rule that fits a package counts.
type rule struct {
	pkg    string
	may    []string
	purity purity
}

// purity is what the code of a package keeps away from.
type purity int

const (
	worldly       purity = iota // does as it needs
	deterministic               // no clock, environment, goroutine, or randomness but from a seed: the simulator replays it
	pure                        // besides, no file, socket, process or unsafe memory: a function of its arguments
)

// Everything may import internal/bug, and tests internal/golden. A test in a package of its own (package x_test) may
// import anything of ours. A package x/…test is there for the tests of those who may import x, and may import what x may.
var rules = []rule{
	// The front end, text to checked program, from the bottom up.
	{"lang/source", nil, pure},
	{"lang/types", []string{"lang/source"}, pure},
	{"lang/value", []string{"lang/types"}, pure},
	{"lang/diag", []string{"lang/source"}, pure},
	{"lang/ast", []string{"lang/source"}, pure},
	{"lang/literal", []string{"lang/source", "lang/diag", "lang/ast", "lang/value"}, pure},
	{"lang/parser", []string{"lang/source", "lang/diag", "lang/ast", "lang/literal"}, pure},
	{"lang/format", []string{"lang/source", "lang/ast", "lang/literal"}, pure},
	{"lang/catalog", []string{"lang/source", "lang/diag", "lang/ast", "lang/literal", "lang/parser", "lang/types", "lang/value"}, pure},
	{"lang/check", []string{"lang/source", "lang/diag", "lang/ast", "lang/literal", "lang/types", "lang/value", "lang/catalog"}, pure},
	{"lang/docs", []string{"lang/ast", "lang/catalog"}, pure},
	{"lang", []string{"lang/..."}, pure},

	// The compiler, checked program to plan.
	{"compiler/plan", []string{"lang/source", "lang/types", "lang/value"}, pure},
	{"compiler/lower", []string{"compiler/plan", "compiler/optimize", "lang/source", "lang/diag", "lang/ast", "lang/literal", "lang/types", "lang/value", "lang/catalog", "lang/check"}, pure},
	{"compiler/guarantee", []string{"compiler/plan", "lang/source", "lang/diag", "lang/ast", "lang/types", "lang/value", "lang/catalog", "lang/check"}, pure},
	{"compiler/graph", []string{"compiler/plan", "lang/source", "lang/types", "lang/value"}, pure},
	{"compiler/optimize", []string{"compiler/plan", "lang/source", "lang/types", "lang/value"}, pure},
	{"compiler", []string{"compiler/...", "lang/source", "lang/diag", "lang/ast", "lang/literal", "lang/types", "lang/value", "lang/catalog", "lang/check"}, pure},

	// The engine, plan to running pipeline. It knows no syntax, and no connector by name.
	{"exec/batch", []string{"lang/types", "lang/value"}, deterministic},
	{"exec/connector", []string{"exec/batch", "lang/source", "lang/diag", "lang/types", "lang/value"}, worldly},
	{"exec/ledger", []string{"exec/batch"}, deterministic},
	{"exec/expr", []string{"exec/batch", "compiler/plan", "lang/source", "lang/diag", "lang/types", "lang/value"}, deterministic},
	{"exec/kernel", []string{"exec/batch", "exec/expr", "compiler/plan", "lang/source", "lang/diag", "lang/types", "lang/value"}, deterministic},
	{"exec/agg", []string{"exec/batch", "exec/expr", "exec/kernel", "compiler/plan", "lang/source", "lang/diag", "lang/types", "lang/value"}, deterministic},
	{"exec/exchange", []string{"exec/batch", "compiler/plan", "lang/types", "lang/value"}, deterministic},
	{"exec/task", []string{"exec/...", "compiler/plan", "lang/source", "lang/diag", "lang/types", "lang/value"}, deterministic},
	{"exec/sim", []string{"exec/...", "compiler/plan", "lang/source", "lang/diag", "lang/types", "lang/value"}, deterministic},
	{"exec/...", []string{"exec/...", "compiler/plan", "lang/source", "lang/diag", "lang/types", "lang/value"}, worldly},

	// The standard library: declarations, and the code behind them. It sees the contracts of connectors and functions
	// (the latter stands in exec/expr), not the engine.
	{"stdlib", []string{"stdlib/...", "exec/connector", "exec/batch", "exec/expr", "lang/source", "lang/types", "lang/value"}, worldly},
	{"stdlib/fn", []string{"exec/expr", "lang/source", "lang/diag", "lang/types", "lang/value"}, deterministic},
	{"stdlib/...", []string{"stdlib/codec", "exec/connector", "exec/batch", "lang/source", "lang/diag", "lang/types", "lang/value"}, worldly},

	// The faces. Only the command puts everything together.
	{"lsp/...", []string{"lsp/...", "compiler/...", "lang/..."}, worldly},
	{"cmd/pipec", []string{"..."}, worldly},

	// What stands beside the layers.
	{"internal/bug", nil, pure},
	{"internal/golden", nil, worldly},
	{"internal/deps", nil, worldly},
	{"examples", nil, worldly}, // tests that run the programs
	{"docs", nil, worldly},     // tests that run what the documentation shows
}

// thirdParty is where a module of others may be imported.
type thirdParty struct {
	module string
	code   []string // packages whose code and tests may import it
	tests  []string // packages whose tests may, besides
}

var thirdParties = []thirdParty{
	{"github.com/alecthomas/participle/v2", []string{"lang/parser"}, nil},
	{"github.com/rivo/uniseg", []string{"lang/diag"}, nil},
	{"github.com/alecthomas/kong", []string{"cmd/pipec"}, nil},
	{"github.com/fsnotify/fsnotify", []string{"stdlib/file", "cmd/pipec"}, nil},
	{"golang.org/x/sys", []string{"stdlib/...", "exec/...", "cmd/pipec"}, nil},
	{"golang.org/x/term", []string{"cmd/pipec"}, nil},
	{"github.com/rogpeppe/go-internal", nil, []string{"..."}},
	{"pgregory.net/rapid", nil, []string{"..."}},
	{"go.uber.org/goleak", nil, []string{"..."}},
}

// longFiles are the files that may have more than the most lines, with how many they may have. The list may only
// shrink: split a file instead of adding it.
var longFiles = map[string]int{}

// anyValues are the exported names that may have a parameter, result or field of type any. The list may only shrink.
var anyValues = map[string]bool{}
