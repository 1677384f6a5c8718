package main

import (
	"io"
	"strings"

	"github.com/pipec/pipec/compiler"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/diag"
)

type explainCmd struct {
	What     string   `arg:"" name:"code" help:"Code of a diagnostic, as T0104; with --plan, a program."`
	Pipeline string   `arg:"" optional:"" help:"With --plan: the pipeline, if the program has several."`
	Plan     bool     `help:"Print the plan that would run."`
	Stage    string   `help:"With --plan: the plan after this stage of the compiler instead." placeholder:"STAGE"`
	Params   []string `short:"p" name:"param" sep:"none" help:"With --plan: a parameter's value, as for run." placeholder:"NAME=VALUE"`
}

// Help implements kong.HelpProvider.
func (explainCmd) Help() string {
	return `Examples:

    pipec explain T0104
    pipec explain --plan examples/wordcount.pipe

What a code means, a program that has the mistake, and the same program mended. With --plan: what the compiler makes of a program. Its text is for reading and may change between versions.`
}

// Run prints the page of a code, or a plan.
func (c *explainCmd) Run(w *world) error {
	if c.Plan {
		return c.plan(w)
	}
	code := diag.Code(strings.ToUpper(c.What))
	page, ok := diag.Lookup(code)
	if !ok {
		if strings.HasSuffix(c.What, ".pipe") {
			return usagef("`%s` is a program, not a code; did you mean `pipec explain --plan %s`?", c.What, c.What)
		}
		var all []string
		for _, known := range diag.Codes() {
			all = append(all, string(known))
		}
		return usagef("there is no code `%s`%s", c.What, suggest(string(code), all))
	}
	_, err := io.WriteString(w.out, page.Text())
	return err
}

// plan prints the plan of a program after a stage of the compiler.
func (c *explainCmd) plan(w *world) error {
	stage := "fingerprint"
	if c.Stage != "" {
		stage = c.Stage
		if err := checkStage(stage); err != nil {
			return err
		}
	}
	text := ""
	_, err := target{c.What, c.Pipeline, c.Params}.build(w, compiler.Options{After: func(done string, p *plan.Plan) {
		if done == stage {
			text = plan.Dump(p)
		}
	}}, compiler.Build)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w.out, text)
	return err
}
