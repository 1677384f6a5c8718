package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var numbers = &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}}}

// counter is a source of the numbers 0, 1, 2 …, in partitions of their own, bounded or without end.
type counter struct {
	parts    int
	each     int64 // rows of a partition; 0: without end
	closed   atomic.Int32
	readers  atomic.Int32 // open ones
	reached  signal       // when a partition's position is at least reached.at
	closeErr error
	closing  chan struct{} // if not nil: closed when Close is called, which then waits for its context to end
}

// signal is closed when a count is reached.
type signal struct {
	at   int64
	once sync.Once
	ch   chan struct{}
}

func (s *signal) count(n int64) {
	if s.ch != nil && n >= s.at {
		s.once.Do(func() { close(s.ch) })
	}
}

func (c *counter) make(context.Context, connector.Config) (connector.Source, error) { return c, nil }
func (c *counter) Activate(context.Context) error                                   { return nil }

func (c *counter) Close(ctx context.Context) error {
	c.closed.Add(1)
	if c.closing != nil {
		close(c.closing)
		<-ctx.Done()
	}
	return c.closeErr
}

func (c *counter) Partitions() []connector.Partition {
	out := make([]connector.Partition, c.parts)
	for i := range out {
		out[i] = connector.Partition{ID: uint16(i), Name: fmt.Sprint("part ", i)}
	}
	return out
}

func (c *counter) Open(_ context.Context, part uint16, pos int64) (connector.Reader, error) {
	c.readers.Add(1)
	return &counterReader{c, int64(part), pos}, nil
}

type counterReader struct {
	c    *counter
	part int64
	next int64
}

func (r *counterReader) Close() error { r.c.readers.Add(-1); return nil }

func (r *counterReader) Read(ctx context.Context, dst *connector.Read, most, _ int) error {
	n := int64(most)
	if r.c.each > 0 {
		n = min(n, r.c.each-r.next)
	}
	if n == 0 {
		return io.EOF
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ints, pos := make([]int64, n), make([]int64, n)
	for i := range ints {
		pos[i] = r.next + int64(i)
		ints[i] = (r.next+int64(i))*int64(r.c.parts) + r.part
	}
	r.next += n
	r.c.reached.count(r.next)
	dst.Batch.N, dst.Batch.Cols, dst.Batch.Pos = int(n), []batch.Col{{Int: ints}}, pos
	dst.Next, dst.Bytes = r.next, 8*n
	return nil
}

// taker is a sink that remembers what it took.
type taker struct {
	mu     sync.Mutex
	seen   map[int64]int
	rows   int64
	took   signal                                               // when rows is at least took.at
	called signal                                               // when the first write begins
	hook   func(w connector.Write) ([]connector.Outcome, error) // before rows are taken, or nil
	block  chan struct{}                                        // writes wait until it is closed; nil: they do not
	syncs  int
	closed int
	letter []string
}

func (k *taker) make(context.Context, connector.Config) (connector.Sink, error) { return k, nil }
func (k *taker) Activate(context.Context) error                                 { return nil }

func (k *taker) Write(ctx context.Context, w connector.Write) ([]connector.Outcome, error) {
	k.called.count(0)
	if k.block != nil {
		select {
		case <-k.block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []connector.Outcome
	if k.hook != nil {
		var err error
		if out, err = k.hook(w); err != nil {
			return out, err
		}
	}
	if w.Batch.Layout != numbers {
		for i := range w.Batch.N {
			k.letter = append(k.letter, fmt.Sprint(w.Batch.Row(i)[0].Str(), " ", w.Batch.Row(i)[3].Int()))
		}
		return out, nil
	}
	if k.seen == nil {
		k.seen = map[int64]int{}
	}
	for i, x := range w.Batch.Cols[0].Int[:w.Batch.N] {
		if out == nil || out[i].Kind == connector.OK {
			k.seen[x]++
			k.rows++
		}
	}
	k.took.count(k.rows)
	return out, nil
}

func (k *taker) Sync(context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.syncs++
	return nil
}

func (k *taker) Close(context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed++
	return nil
}

// graph builds plans by hand.
type graph struct {
	p    *plan.Plan
	opts exec.Options
}

func newGraph(profile plan.Profile) *graph {
	level := plan.AtLeastOnce
	if profile == plan.P0 {
		level = plan.AtMostOnce
	}
	return &graph{
		p: &plan.Plan{Pipeline: "test", Level: level, Profile: profile, Settings: plan.Settings{
			Timeout: int64(30 * time.Second), Pending: 1_000_000, PendingBytes: 64 << 20, Uncommitted: 64_000_000, Retries: 2,
			DeadLetters: -1, Epoch: int64(20 * time.Millisecond),
		}},
		opts: exec.Options{Sources: connector.Sources{}, Sinks: connector.Sinks{}},
	}
}

func (g *graph) node(kind plan.Kind, name string, parallel int) *plan.Node {
	n := &plan.Node{
		ID: len(g.p.Nodes), Name: name, Kind: kind, Level: g.p.Level, Parallelism: parallel, In: numbers,
		Connector: &plan.Connector{Name: name},
	}
	if kind != plan.KindSink {
		n.Outs = []plan.Out{{Layout: numbers}}
	}
	g.p.Nodes = append(g.p.Nodes, n)
	return n
}

func (g *graph) source(c *counter, parallel int) *plan.Node {
	n := g.node(plan.KindSource, "source", parallel)
	n.In = nil
	g.opts.Sources[n.Name] = c.make
	g.task(n)
	return n
}

func (g *graph) sink(name string, k *taker, parallel int) *plan.Node {
	n := g.node(plan.KindSink, name, parallel)
	g.opts.Sinks[n.Name] = k.make
	return n
}

// deadLetters adds a sink of dead letters.
func (g *graph) deadLetters(k *taker) {
	n := g.sink("dead", k, 1)
	n.In = &types.Record{Fields: []types.Field{
		{Name: "input", Type: types.JSON}, {Name: "node", Type: types.String}, {Name: "source", Type: types.String},
		{Name: "position", Type: types.Int}, {Name: "attempts", Type: types.Int},
	}}
	g.p.Settings.DeadLetters = n.ID
	g.task(n)
}

// body adds a body that emits e.
func (g *graph) body(name string, parallel int, stmts ...plan.Stmt) *plan.Node {
	n := g.node(plan.KindBody, name, parallel)
	n.DeadRows = true
	n.Body = &plan.Body{Stmts: stmts}
	return n
}

func (g *graph) task(n *plan.Node) {
	g.p.Tasks = append(g.p.Tasks, &plan.Task{ID: len(g.p.Tasks), Nodes: []int{n.ID}, Parallelism: n.Parallelism})
}

// edge adds an edge; grouping 0 is a fused one.
func (g *graph) edge(from, to *plan.Node, grouping plan.Grouping) *plan.Edge {
	e := &plan.Edge{ID: len(g.p.Edges), From: from.ID, To: to.ID, Columns: []int{0}, Origins: true, Grouping: grouping}
	if grouping == plan.ToKey {
		e.Keys = []plan.Expr{input()}
	}
	g.p.Edges = append(g.p.Edges, e)
	if grouping != 0 {
		for _, t := range g.p.Tasks {
			if t.Nodes[0] == to.ID {
				return e
			}
		}
		g.task(to)
		return e
	}
	e.Grouping, e.Fused = plan.ToForward, true
	for _, t := range g.p.Tasks {
		for _, id := range t.Nodes {
			if id == from.ID {
				t.Nodes = append(t.Nodes, to.ID)
				return e
			}
		}
	}
	return e
}

func input() plan.Expr { return &plan.Input{X: plan.X{T: types.Int}, Field: 0, Name: "n"} }

func emit() plan.Stmt { return &plan.Emit{Fields: []plan.Expr{input()}} }

// failAt fails the row with the number n.
func failAt(n int64) plan.Stmt {
	return &plan.IfStmt{
		Cond: &plan.Binary{X: plan.X{T: types.Bool}, Op: plan.Eq, Left: input(), Right: constant(n)},
		Then: []plan.Stmt{&plan.Fail{Message: &plan.Const{X: plan.X{T: types.String}, Value: value.OfString("poison")}}},
	}
}

func constant(n int64) plan.Expr {
	return &plan.Const{X: plan.X{T: types.Int}, Value: value.OfInt(n)}
}

var errLost = errors.New("the answer was lost")
