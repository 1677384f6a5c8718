package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // errors in a program, unformatted files, a run that failed or left something undone
	exitUsage = 2 // the command line is wrong
)

// cli is the command line. The commands' methods are Help, an example and what else there is to know, and Run.
type cli struct {
	Run     runCmd     `cmd:"" help:"Run a pipeline."`
	Check   checkCmd   `cmd:"" help:"Report what is wrong with programs."`
	Fmt     fmtCmd     `cmd:"" help:"Format programs in place."`
	Graph   graphCmd   `cmd:"" help:"Draw the graph of a pipeline."`
	Doc     docCmd     `cmd:"" help:"Show what the standard library has."`
	Explain explainCmd `cmd:"" help:"Explain the code of a diagnostic, or the plan of a program."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// isLater reports whether a word is a command that no version has yet.
func isLater(word string) bool {
	switch word {
	case "test", "plan", "new", "import", "build", "tap", "top", "dlq", "channel", "lsp", "completion":
		return true
	}
	return false
}

const description = `Compiles and runs stream pipelines.

Exit codes: 0 no errors; 1 errors in a program, unformatted files, or a run that failed or left rows undelivered; 2 the command line is wrong.`

// world is what the commands touch.
type world struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// reported ends a command whose errors have been written, with an exit code.
type reported int

// Error implements error.
func (r reported) Error() string { return "reported" }

// helped is what kong's way out after --help panics with, to come back here.
type helped int

// run runs the command line and returns the exit code.
func run(args []string, w *world) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case helped:
			code = int(r)
		default:
			code = reportBug(w, r)
		}
	}()
	err := dispatch(args, w)
	var usage usageError
	var told reported
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &told):
		return int(told)
	case errors.As(err, &usage):
		fmt.Fprintf(w.err, "pipec: %v\n", usage)
		return exitUsage
	}
	fmt.Fprintf(w.err, "pipec: %v\n", err)
	return exitError
}

// dispatch parses the command line and runs its command.
func dispatch(args []string, w *world) error {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("pipec"), kong.Description(description), kong.Writers(w.out, w.err),
		kong.Exit(func(code int) { panic(helped(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, WrapUpperBound: 100}),
	)
	if err != nil {
		bug.Panicf("the command line's description: %v", err)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
		w = &world{in: w.in, out: w.err, err: w.err, getenv: w.getenv}
		parser.Stdout, parser.Exit = w.err, func(int) { panic(helped(exitUsage)) }
	case args[0] == "help":
		args = append(args[1:len(args):len(args)], "--help")
	case args[0] == "--version":
		args = []string{"version"}
	}
	if isLater(args[0]) {
		return usagef("`pipec %s` is not built yet\ntry `pipec --help`", args[0])
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return usageError{withHint(err)}
	}
	return ctx.Run(w)
}

// withHint adds where to find help to an error of the command line.
func withHint(err error) error {
	help := "pipec --help"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if cmd := parse.Context.Selected(); cmd != nil {
			help = "pipec " + cmd.Name + " --help"
		}
	}
	return fmt.Errorf("%w\ntry `%s`", err, help)
}

// fault is a panic of another goroutine, with its stack.
type fault struct {
	panicked any
	stack    []byte
}

// reportBug tells of a fault of pipec's own. The stack is for whoever mends it, and asked for.
func reportBug(w *world, r any) int {
	stack := debug.Stack()
	if f, ok := r.(fault); ok {
		r, stack = f.panicked, f.stack
	}
	fmt.Fprintf(w.err, "pipec: internal error: %s\n", strings.TrimPrefix(fmt.Sprint(r), "internal error: "))
	fmt.Fprintf(w.err, "This is a fault of pipec, not of your program. Please report it, with the program and this version: %s\n", version())
	if w.getenv("PIPEC_DEBUG") == "1" {
		fmt.Fprintf(w.err, "%s", stack)
	} else {
		fmt.Fprintln(w.err, "(PIPEC_DEBUG=1 shows where it happened.)")
	}
	return exitError
}

// terminal returns the width of the terminal that f is, or false if it is none.
func terminal(f io.Writer) (width int, ok bool) {
	file, isFile := f.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return width, true
}

// report writes diagnostics for people to standard error.
func (w *world) report(list diag.List) error {
	width, tty := terminal(w.err)
	return diag.Render(w.err, list, diag.Options{
		Width: width, Colour: tty && w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb",
	})
}

// suggest returns ", did you mean `x`?" for a name that is near to another one, or nothing.
func suggest(name string, candidates []string) string {
	if near, ok := diag.Nearest(name, candidates); ok {
		return ", did you mean `" + near + "`?"
	}
	return ""
}

// names returns names in backquotes, separated by commas.
func names(list []string) string { return "`" + strings.Join(list, "`, `") + "`" }
