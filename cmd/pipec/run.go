package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/pipec/pipec/compiler"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/stdlib"
	"github.com/pipec/pipec/stdlib/fn"
)

type runCmd struct {
	File     string   `arg:"" help:"Program to run."`
	Pipeline string   `arg:"" optional:"" help:"Pipeline to run, if the program has several."`
	Params   []string `short:"p" name:"param" sep:"none" help:"Value of a parameter of the program: as it is for a string, else as in a program." placeholder:"NAME=VALUE"`
	Without  []string `hidden:"" help:"Leave an optional stage of the compiler out." placeholder:"STAGE"`
}

// Help implements kong.HelpProvider.
func (runCmd) Help() string {
	return `Examples:

    pipec run examples/wordcount.pipe
    pipec run examples/wordcount.pipe -p path=README.md

A run over bounded input ends when everything is done. SIGINT (Ctrl-C) or SIGTERM stops the sources and finishes what is in flight; a second one stops at once. The exit code is 0, or 1 if the run failed or rows were left undelivered.

Standard output carries the program's data alone. Progress goes to standard error, and only if that is a terminal.`
}

// Run runs a pipeline to its end.
func (c *runCmd) Run(w *world) error {
	if err := optionalStages(c.Without); err != nil {
		return usageError{err}
	}
	p, err := target{c.File, c.Pipeline, c.Params}.build(w, compiler.Options{Off: c.Without}, compiler.Build)
	if err != nil {
		return err
	}
	tuneMemory(w)
	out := newConsole(w, p)
	defer out.close()

	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	begin := time.Now()
	faults := make(chan fault, 1)
	running, err := start(p, w, out, signals, faults)
	if err != nil {
		out.close()
		return w.failed(err)
	}
	result, err := watch(running, out, signals, faults)
	out.close()
	if told := reported(0); errors.As(err, &told) {
		return told
	}
	return c.finish(w, p, result, err, time.Since(begin))
}

// start starts the plan. A signal while connectors are being opened gives that up.
func start(p *plan.Plan, w *world, out *console, signals <-chan os.Signal, faults chan<- fault) (*exec.Run, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := make(chan struct{})
	defer close(started)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-started:
		}
	}()
	sources, sinks, _ := stdlib.Connectors(stdlib.Env{Stdin: w.in, Stdout: w.out, Clock: connector.Wall{}})
	return exec.Start(ctx, p, exec.Options{
		Sources: sources, Sinks: sinks, Funcs: fn.Table(), Seed: uint64(time.Now().UnixNano()), Observer: out,
		Panicked: func(r any) {
			select {
			case faults <- fault{r, debug.Stack()}:
			default: // one is enough
			}
		},
	})
}

// watch shows progress and passes signals on until the run has ended.
func watch(running *exec.Run, out *console, signals <-chan os.Signal, faults <-chan fault) (exec.Result, error) {
	type end struct {
		result exec.Result
		err    error
	}
	ended := make(chan end, 1)
	go func() {
		result, err := running.Wait()
		ended <- end{result, err}
	}()
	ticks, stop := out.ticks()
	defer stop()
	var last signalled
	for asked := 0; ; {
		select {
		case e := <-ended:
			return e.result, e.err
		case f := <-faults:
			out.close()
			panic(f) // the boundary reports it
		case <-ticks:
			out.show(running.Stats())
		case sig := <-signals:
			if last.repeats(sig, time.Now()) {
				continue
			}
			switch asked++; asked {
			case 1:
				out.say("stopping: what is in flight is finished; once more to stop at once")
				running.Stop()
			case 2:
				out.say("stopping at once")
				running.Kill()
			default: // a call that cannot be cancelled keeps the run
				out.say("ended while rows were in flight")
				return exec.Result{}, reported(exitError)
			}
		}
	}
}

// signalled is the last signal that counted.
type signalled struct {
	sig os.Signal
	at  time.Time
}

// repeats reports whether a signal is the last one over again: who signals a process and its group (as the command
// `timeout` does) asks once. Otherwise it is the last one from now on.
func (s *signalled) repeats(sig os.Signal, now time.Time) bool {
	if s.sig == sig && now.Sub(s.at) < 100*time.Millisecond {
		return true
	}
	s.sig, s.at = sig, now
	return false
}

// finish reports what a run came to.
func (c *runCmd) finish(w *world, p *plan.Plan, r exec.Result, err error, took time.Duration) error {
	_, tty := terminal(w.err)
	if tty || r.Dead > 0 || len(dropped(r.Stats)) > 0 {
		fmt.Fprintln(w.err, summary(p, r, took))
	}
	switch {
	case err != nil:
		err = w.failed(err)
	case r.Undelivered > 0 || r.Thrown > 0 || r.Killed:
		err = reported(exitError)
	}
	if r.Undelivered > 0 {
		atLeast := ""
		if r.Killed {
			atLeast = "at least "
		}
		fmt.Fprintf(w.err, "pipec: %s%s left undelivered\n", atLeast, count(r.Undelivered, "row was", "rows were"))
	}
	if r.Thrown > 0 {
		if reportErr := w.report(diag.List{thrownAway(r.Thrown)}); reportErr != nil {
			return reportErr
		}
	}
	return err
}

func thrownAway(results int64) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.ThrownAway, Severity: diag.Error,
		Message: "the stop threw away " + count(results, "result", "results") + " of open windows",
		Notes:   []string{"Windows are not fired by a stop, and this version does not keep them for the next start."},
	}
}

// failed reports what ended a run, or kept it from starting.
func (w *world) failed(err error) error {
	var list diag.List
	var others []string
	for _, e := range flatten(err) {
		var known *task.Error
		switch {
		case errors.As(e, &known):
			list = append(list, known.Diagnostic())
		case errors.Is(e, context.Canceled):
			others = append(others, "stopped before the run had begun")
		default:
			others = append(others, e.Error())
		}
	}
	if err := w.report(list); err != nil {
		return err
	}
	if len(others) > 0 {
		return errors.New(strings.Join(others, "; "))
	}
	return reported(exitError)
}

// flatten returns the errors that were joined.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}
