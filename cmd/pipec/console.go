package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/task"
)

// console is what a run writes to standard error: on a terminal a line of progress that is drawn anew a few times a
// second, and messages. It is safe for concurrent use.
type console struct {
	mu       sync.Mutex
	w        *world
	progress *progress // nil: no line
	width    int
	drawn    bool
	closed   bool
}

const redraw = 250 * time.Millisecond

// newConsole shows progress if standard error is a terminal, unless the pipeline's own output goes to one: a line
// between its rows would spoil both.
func newConsole(w *world, p *plan.Plan) *console {
	c := &console{w: w}
	width, tty := terminal(w.err)
	_, outTTY := terminal(w.out)
	if tty && !(outTTY && writesOutput(p)) {
		c.progress, c.width = newProgress(p), width
	}
	return c
}

func writesOutput(p *plan.Plan) bool {
	for _, n := range p.Nodes {
		if n.Kind == plan.KindSink && strings.HasPrefix(n.Connector.Name, "stdout.") {
			return true
		}
	}
	return false
}

// ticks returns when to show progress; never without a terminal.
func (c *console) ticks() (<-chan time.Time, func()) {
	if c.progress == nil {
		return nil, func() {}
	}
	t := time.NewTicker(redraw)
	return t.C, t.Stop
}

// show draws the line of progress.
func (c *console) show(s exec.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	line := []rune(c.progress.line(s, time.Now()))
	if len(line) >= c.width {
		line = line[:c.width-1]
	}
	fmt.Fprintf(c.w.err, "\r\x1b[K%s", string(line))
	c.drawn = true
}

// say writes a message in a line of its own.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprintf(c.w.err, "pipec: "+format+"\n", args...)
}

// erase takes the line of progress away.
func (c *console) erase() {
	if c.drawn {
		fmt.Fprint(c.w.err, "\r\x1b[K")
		c.drawn = false
	}
}

// close takes the line of progress away for good.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	c.closed = true
}

// Observe implements task.Observer: it says what keeps a run from going on.
func (c *console) Observe(e task.Event) {
	switch e.Kind {
	case task.Unhealthy:
		c.say("`%s` does not work and is tried again: %s", e.Node, e.Message)
	case task.Healthy:
		c.say("`%s` works again", e.Node)
	case task.Stalled:
		c.say("`%s` %s", e.Node, e.Message)
	case task.Moving:
		c.say("`%s` goes on", e.Node)
	case task.Committed:
	}
}
