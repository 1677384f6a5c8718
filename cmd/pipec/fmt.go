package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pipec/pipec/lang/format"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

type fmtCmd struct {
	Files []string `arg:"" optional:"" help:"Files, or folders for all .pipe files below; - for standard input. The working folder if left out."`
	Check bool     `help:"Write nothing: list the files that are not formatted, and exit with 1 if there are any."`
	Diff  bool     `help:"Write nothing: print what would change."`
}

// Help implements kong.HelpProvider.
func (fmtCmd) Help() string {
	return `Examples:

    pipec fmt examples
    pipec fmt --check --diff .
    pipec fmt - < wordcount.pipe

Files are rewritten in place. A program that does not parse is reported and left as it is.`
}

// Run formats.
func (c *fmtCmd) Run(w *world) error {
	if len(c.Files) == 1 && c.Files[0] == "-" {
		return c.stdin(w)
	}
	for _, f := range c.Files {
		if f == "-" {
			return usagef("`-` stands alone, not beside other files")
		}
	}
	paths, err := programs(c.Files)
	if err != nil {
		return err
	}
	load, failed := newLoader(), false
	for _, path := range paths {
		f, err := load.read(path)
		if err != nil {
			fmt.Fprintf(w.err, "pipec: %v\n", err)
			failed = true
			continue
		}
		ok, err := c.file(w, f)
		if err != nil {
			return err
		}
		failed = failed || !ok
	}
	if failed {
		return reported(exitError)
	}
	return nil
}

// file formats one file. It reports false if the file does not parse, or is not formatted and only that was asked.
func (c *fmtCmd) file(w *world, f *source.File) (bool, error) {
	formatted, ok, err := c.formatted(w, f)
	if err != nil || !ok {
		return false, err
	}
	if formatted == f.Text() {
		return true, nil
	}
	if c.Check {
		if _, err := fmt.Fprintln(w.out, f.Name()); err != nil {
			return false, err
		}
	}
	if c.Diff {
		if _, err := io.WriteString(w.out, diffText(f.Name(), f.Name()+" (formatted)", f.Text(), formatted)); err != nil {
			return false, err
		}
	}
	if c.Check || c.Diff {
		return !c.Check, nil
	}
	return true, replaceFile(f.Name(), formatted)
}

// formatted returns the formatted text, or false if the file does not parse, which is reported.
func (c *fmtCmd) formatted(w *world, f *source.File) (string, bool, error) {
	tree, list := parser.Parse(f)
	if list.HasErrors() {
		return "", false, w.report(list)
	}
	return format.File(tree), true, nil
}

func (c *fmtCmd) stdin(w *world) error {
	var text bytes.Buffer
	if _, err := text.ReadFrom(w.in); err != nil {
		return fmt.Errorf("standard input cannot be read: %w", err)
	}
	f := source.NewFile("<standard input>", text.String())
	if c.Check || c.Diff {
		ok, err := c.file(w, f)
		if err == nil && !ok {
			err = reported(exitError)
		}
		return err
	}
	formatted, ok, err := c.formatted(w, f)
	if err != nil {
		return err
	}
	if !ok {
		return reported(exitError)
	}
	_, err = io.WriteString(w.out, formatted)
	return err
}

// replaceFile puts a new text in the place of a file's, all or nothing: a crash leaves one of the two. A link stays a
// link, and the permissions stay.
func replaceFile(name, text string) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(target), ".pipec-fmt-*")
	if err != nil {
		return fmt.Errorf("`%s` cannot be written: %w", name, err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // fails once it is renamed, and is meant to
	_, err = temp.WriteString(text)
	if err == nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("`%s` cannot be written: %w", name, err)
	}
	return nil
}
