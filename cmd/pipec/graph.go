package main

import (
	"io"

	"github.com/pipec/pipec/compiler"
	"github.com/pipec/pipec/compiler/graph"
)

type graphCmd struct {
	File     string   `arg:"" help:"Program."`
	Pipeline string   `arg:"" optional:"" help:"Pipeline, if the program has several."`
	Format   string   `enum:"dot,mermaid" default:"dot" help:"dot for Graphviz, or mermaid."`
	Params   []string `short:"p" name:"param" sep:"none" help:"A parameter's value, as for run." placeholder:"NAME=VALUE"`
}

// Help implements kong.HelpProvider.
func (graphCmd) Help() string {
	return `Examples:

    pipec graph examples/wordcount.pipe | dot -Tsvg > wordcount.svg
    pipec graph --format mermaid examples/wordcount.pipe

The graph is that of the program, with the reliability level, how rows are spread, and the parallelism on this machine.`
}

// Run draws.
func (c *graphCmd) Run(w *world) error {
	p, err := target{c.File, c.Pipeline, c.Params}.build(w, compiler.Options{}, compiler.Logical)
	if err != nil {
		return err
	}
	text := graph.DOT(p)
	if c.Format == "mermaid" {
		text = graph.Mermaid(p)
	}
	_, err = io.WriteString(w.out, text)
	return err
}
