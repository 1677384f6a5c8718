package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/pipec/pipec/compiler"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/value"
)

// target is what several commands work on: a pipeline of a program, with values for its parameters.
type target struct {
	file     string
	pipeline string   // "" where the program has one
	params   []string // as name=value
}

// build checks the program and makes something of its pipeline by one of the compiler's functions. Errors are reported.
func (t target) build(w *world, o compiler.Options,
	with func(*check.Program, *check.Pipeline, compiler.Options) (*plan.Plan, diag.List)) (*plan.Plan, error) {
	prog, err := t.check(w)
	if err != nil {
		return nil, err
	}
	pipeline, err := t.choose(prog)
	if err != nil {
		return nil, err
	}
	if o.Params, err = t.values(w, prog); err != nil {
		return nil, err
	}
	o.Cores = runtime.GOMAXPROCS(0)
	p, list := with(prog, pipeline, o)
	if list.HasErrors() {
		code := exitUsage
		for _, d := range list {
			if d.Severity == diag.Error && d.Code != diag.MissingParam {
				code = exitError
			}
		}
		return nil, w.refuse(list, code)
	}
	return p, nil
}

// check loads and checks the program. Warnings and notes are for `pipec check`.
func (t target) check(w *world) (*check.Program, error) {
	load := newLoader()
	f, err := load.read(t.file)
	if err != nil {
		return nil, usageError{err}
	}
	_, cat := library()
	prog, list := lang.Check(f, cat, load.module)
	if list.HasErrors() {
		return nil, w.refuse(list, exitError)
	}
	return prog, nil
}

// refuse reports the errors of a list and returns what ends the command.
func (w *world) refuse(list diag.List, code int) error {
	if err := w.report(list); err != nil {
		return err
	}
	return reported(code)
}

// choose returns the pipeline that is meant.
func (t target) choose(prog *check.Program) (*check.Pipeline, error) {
	var all []string
	for _, p := range prog.Pipelines {
		if p.Name == t.pipeline || t.pipeline == "" && len(prog.Pipelines) == 1 {
			return p, nil
		}
		all = append(all, p.Name)
	}
	switch {
	case len(all) == 0:
		return nil, usagef("`%s` has no pipeline", t.file)
	case t.pipeline == "":
		return nil, usagef("`%s` has several pipelines, name one: %s", t.file, names(all))
	}
	if near := suggest(t.pipeline, all); near != "" {
		return nil, usagef("`%s` has no pipeline `%s`%s", t.file, t.pipeline, near)
	}
	return nil, usagef("`%s` has no pipeline `%s`; it has %s", t.file, t.pipeline, names(all))
}

// values reads the values of parameters. All mistakes are reported at once.
func (t target) values(w *world, prog *check.Program) (map[string]value.Value, error) {
	values := map[string]value.Value{}
	var list diag.List
	for _, p := range t.params {
		name, text, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, usagef("`-p %s` is not of the form -p name=value", p)
		}
		if _, twice := values[name]; twice {
			return nil, usagef("-p %s is given twice", name)
		}
		v, wrong := check.ParamValue(prog, name, text, func(f *source.File) (ast.Expr, diag.List) { return parser.ParseExpr(f) })
		values[name] = v
		list = append(list, wrong...)
	}
	if list.HasErrors() {
		return nil, w.refuse(list, exitUsage)
	}
	return values, nil
}

// stageNames checks the name of a stage of the compiler.
func checkStage(name string) error {
	all, _ := compiler.Stages()
	for _, s := range all {
		if s == name {
			return nil
		}
	}
	return usagef("there is no stage `%s`%s; the stages are %s", name, suggest(name, all), names(all))
}

// optionalStages checks names of stages that are to be left out.
func optionalStages(off []string) error {
	all, optional := compiler.Stages()
	var may []string
	for _, s := range all {
		if optional[s] {
			may = append(may, s)
		}
	}
	for _, s := range off {
		if !optional[s] {
			return fmt.Errorf("the stage `%s` cannot be left out%s; those that can are %s", s, suggest(s, may), names(may))
		}
	}
	return nil
}
