package main

import (
	"fmt"

	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/diag"
)

type checkCmd struct {
	Files  []string `arg:"" optional:"" help:"Programs, or folders for all .pipe files below. The working folder if left out."`
	Format string   `enum:"text,json" default:"text" help:"How to report: text for people on standard error, or json on standard output."`
	Strict bool     `help:"Make warnings errors."`
}

// Help implements kong.HelpProvider.
func (checkCmd) Help() string {
	return `Examples:

    pipec check
    pipec check --strict --format json examples

Warnings and notes do not count as errors, but for --strict. Every file is checked as a program of its own; what it uses is read relative to it.`
}

// Run checks programs.
func (c *checkCmd) Run(w *world) error {
	paths, err := programs(c.Files)
	if err != nil {
		return err
	}
	var list diag.List
	load, unread := newLoader(), false
	_, cat := library()
	for _, path := range paths {
		f, err := load.read(path)
		if err != nil {
			fmt.Fprintf(w.err, "pipec: %v\n", err)
			unread = true
			continue
		}
		_, found := lang.Check(f, cat, load.module)
		list = append(list, found...)
	}
	if c.Strict {
		for i := range list {
			if list[i].Severity == diag.Warning {
				list[i].Severity = diag.Error
			}
		}
	}
	if c.Format == "json" {
		err = diag.JSON(w.out, list)
	} else {
		err = w.report(list)
	}
	switch {
	case err != nil:
		return err
	case unread || list.HasErrors():
		return reported(exitError)
	}
	return nil
}
