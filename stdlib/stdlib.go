// Package stdlib is the standard library: declarations in the language itself, one text for each module, and the Go
// code that runs them, in one explicit list.
//
// The checker sees the texts only, the engine the code only. A declaration without code is marked `planned`; a test
// holds the two lists against each other.
package stdlib

import (
	"embed"
	"io"
	"io/fs"

	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/stdlib/codec"
	"github.com/pipec/pipec/stdlib/file"
	"github.com/pipec/pipec/stdlib/gen"
	"github.com/pipec/pipec/stdlib/stdio"
)

//go:embed *.pipe
var texts embed.FS

// Texts returns the declarations, in order of the modules' names. A file's name is its module's with ".pipe".
func Texts() ([]*source.File, error) {
	names, err := fs.Glob(texts, "*.pipe") // sorted
	if err != nil {
		return nil, err
	}
	files := make([]*source.File, 0, len(names))
	for _, name := range names {
		text, err := texts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, source.NewFile("stdlib/"+name, string(text)))
	}
	return files, nil
}

// Env is the world that connectors touch. The caller owns its parts.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Clock  connector.Clock
}

// Connectors returns the code of all connectors and codecs, for one run: sinks share what a run has in common, such as
// which files it has begun.
func Connectors(env Env) (connector.Sources, connector.Sinks, connector.Encoders) {
	files, out, encoders := file.NewSet(), stdio.NewOut(env.Stdout), codec.Encoders()
	sources := connector.Sources{
		"file.lines":   files.NewLines,
		"gen.sequence": gen.NewSequence(env.Clock),
		"stdin.lines":  stdio.NewStdin(env.Stdin),
	}
	sinks := connector.Sinks{
		"file.write":   files.NewWrite(encoders),
		"null.discard": gen.NewDiscard,
		"stdout.json":  out.NewSink(codec.NewJSON),
		"stdout.table": out.NewTable,
		"stdout.text":  out.NewSink(codec.NewText),
	}
	return sources, sinks, encoders
}
