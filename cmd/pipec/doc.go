package main

import (
	"io"

	"github.com/pipec/pipec/lang/docs"
)

type docCmd struct {
	Name string `arg:"" optional:"" help:"A module, a connector, codec, function or aggregate, or a setting; all of them if left out."`
}

// Help implements kong.HelpProvider.
func (docCmd) Help() string {
	return `Examples:

    pipec doc
    pipec doc file.lines`
}

// Run prints documentation of the standard library.
func (c *docCmd) Run(w *world) error {
	files, cat := library()
	lib := docs.New(files, cat)
	if c.Name == "" {
		_, err := io.WriteString(w.out, lib.Index())
		return err
	}
	page, ok := lib.Lookup(c.Name)
	if !ok {
		if several := lib.EndingIn(c.Name); len(several) > 0 {
			return usagef("several modules have `%s`: %s", c.Name, names(several))
		}
		return usagef("the standard library has no `%s`%s\n`pipec doc` lists all", c.Name, suggest(c.Name, lib.Names()))
	}
	_, err := io.WriteString(w.out, page)
	return err
}
