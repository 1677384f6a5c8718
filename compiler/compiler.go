// Package compiler makes plans of checked programs. It puts the stages together and has no logic of its own:
//
//	lower        checked pipeline → logical plan             compiler/lower
//	fold … tasks logical plan → physical plan, pass by pass  compiler/optimize
//	fingerprint  what each node means, in a number           compiler/plan
//
// Like all below it, it is pure: the same program and options give the same plan.
package compiler

import (
	"github.com/pipec/pipec/compiler/lower"
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

// Options say what a plan is built with.
type Options struct {
	// Params are values of the main file's parameters, by name and of the parameter's type; those that are missing
	// have their defaults.
	Params map[string]value.Value
	Cores  int      // of the machine that the plan is for; less than 1 counts as 1
	Off    []string // optional passes of the optimiser to leave out
	// After, if not nil, is shown the plan after each stage; it must not keep or change it.
	After func(stage string, p *plan.Plan)
}

// Stages returns the names of all stages in order, and which of them can be left out.
func Stages() (names []string, optional map[string]bool) {
	names, optional = []string{"lower"}, map[string]bool{}
	for _, pass := range optimize.Passes() {
		names = append(names, pass.Name)
		optional[pass.Name] = pass.Optional
	}
	return append(names, "fingerprint"), optional
}

// Build makes the physical plan of one pipeline of a program that was checked without an error. The plan is nil if the
// list has an error: one that only the parameters bring about. A name in Options.Off that is no optional stage is a bug
// of the caller.
func Build(prog *check.Program, pipeline *check.Pipeline, o Options) (*plan.Plan, diag.List) {
	p, list := lower.Pipeline(prog, pipeline, lower.Options{Params: o.Params})
	if list.HasErrors() {
		return nil, list
	}
	after := o.After
	if after == nil {
		after = func(string, *plan.Plan) {}
	}
	after("lower", p)
	p, err := optimize.Run(p, optimize.Options{Cores: o.Cores, Off: o.Off}, after)
	if err != nil {
		bug.Panicf("compiler: %v", err)
	}
	plan.SetFingerprints(p)
	after("fingerprint", p)
	if err := plan.Verify(p); err != nil {
		bug.Panicf("compiler: %v", err)
	}
	return p, list
}

// Logical makes the logical plan of a pipeline, with parallelism and groupings chosen: the graph as the program says
// it. It fails as Build does.
func Logical(prog *check.Program, pipeline *check.Pipeline, o Options) (*plan.Plan, diag.List) {
	p, list := lower.Pipeline(prog, pipeline, lower.Options{Params: o.Params})
	if list.HasErrors() {
		return nil, list
	}
	optimize.Logical(p, optimize.Options{Cores: o.Cores})
	return p, list
}
