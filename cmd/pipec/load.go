package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// loader reads programs, each file once, so that a module that several programs use is one file to them all. It is the
// only place that reads program texts.
type loader struct {
	files map[string]*source.File // by absolute path
}

func newLoader() *loader { return &loader{files: map[string]*source.File{}} }

// read reads the file at a path; messages show it under name.
func (l *loader) read(name string) (*source.File, error) {
	key, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	if f := l.files[key]; f != nil {
		return f, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, readError(name, err)
	}
	f := source.NewFile(name, string(text))
	l.files[key] = f
	return f, nil
}

// module reads what a `use` with a path names, relative to the file that it stands in.
func (l *loader) module(from *source.File, path string) (*source.File, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from.Name()), filepath.FromSlash(path))
	}
	return l.read(path)
}

// readError says in plain words why a file cannot be read, and what was meant instead if that can be seen.
func readError(name string, err error) error {
	if info, statErr := os.Stat(name); statErr == nil && info.IsDir() {
		programs, _ := filepath.Glob(filepath.Join(name, "*.pipe"))
		if len(programs) == 1 {
			return fmt.Errorf("`%s` is a folder, did you mean `%s`?", name, programs[0])
		}
		return fmt.Errorf("`%s` is a folder, and a program is wanted", name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file `%s`%s", name, nearFile(name))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("`%s` may not be read: permission denied", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("`%s` cannot be read: %w", name, err)
}

// nearFile suggests a file of the same folder.
func nearFile(name string) string {
	folder, base := filepath.Split(name)
	entries, err := os.ReadDir(filepath.Clean(folder + "."))
	if err != nil {
		return ""
	}
	var candidates []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".pipe" {
			candidates = append(candidates, e.Name())
		}
		if e.Name() == base+".pipe" {
			return fmt.Sprintf(", did you mean `%s`?", folder+e.Name())
		}
	}
	if near, ok := diag.Nearest(base, candidates); ok {
		return fmt.Sprintf(", did you mean `%s`?", folder+near)
	}
	return ""
}

// programs returns the files that arguments name: files as they are, and every .pipe file in and below folders, sorted.
// Without arguments it is the working folder. Folders that begin with a dot are left out.
func programs(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var all []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, usageError{readError(arg, err)}
		}
		if !info.IsDir() {
			all = append(all, arg)
			continue
		}
		below, err := programsBelow(arg)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			return nil, usagef("there is no .pipe file in `%s`", arg)
		}
		all = append(all, below...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func programsBelow(folder string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return readError(path, err)
		case d.IsDir() && path != folder && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".pipe":
			all = append(all, path)
		}
		return nil
	})
	return all, err
}
