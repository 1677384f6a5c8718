package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/internal/bug"
)

// Parts is what a graph of tasks is built from.
type Parts struct {
	Shared      *Shared
	Compiler    Compiler
	Coordinator *Coordinator
	Sources     map[int]*SourceInstance // by node
	Sinks       map[int][]*SinkInstance // by node and task
}

// Graph is the tasks of a run.
type Graph struct {
	Tasks []*Task
	Nodes []NodeBooks // by plan node
	edges []edgeInputs
}

// NodeBooks are the counters of a node, one for each task.
type NodeBooks struct {
	Node     *plan.Node
	Counters []*Counters
}

type edgeInputs struct {
	to       int // node
	tasks    []*Task
	optional bool
	inputs   []*exchange.Input
}

// builder builds a graph.
//
// Tasks are those of the plan, but that the sink of dead letters, the first node of an optional branch and a channel
// always lead a task of their own: the first because every task sends to it, the others because they are their queues.
type builder struct {
	Parts
	graph    *Graph
	group    []int // by node: index into groups
	groups   [][]int
	optional []bool // by group
	tasks    [][]*Task
	nodes    [][]*node // by plan node and copy
}

// Build builds the tasks of a plan. It does not start them.
func Build(p Parts) *Graph {
	pl := p.Shared.Plan
	b := &builder{Parts: p, graph: &Graph{Nodes: make([]NodeBooks, len(pl.Nodes))}, group: make([]int, len(pl.Nodes))}
	b.split()
	b.nodes = make([][]*node, len(pl.Nodes))
	for g := range b.groups {
		b.addGroup(g)
	}
	for _, e := range pl.Edges {
		b.connect(e)
	}
	if d := pl.Settings.DeadLetters; d >= 0 {
		b.connectDead(d)
	}
	for _, ts := range b.tasks {
		for _, t := range ts {
			b.prepare(t)
		}
	}
	return b.graph
}

// split finds the groups of nodes that become tasks.
func (b *builder) split() {
	pl := b.Shared.Plan
	leads := func(node int) bool {
		if node == pl.Settings.DeadLetters || pl.Nodes[node].Kind == plan.KindChannel {
			return true
		}
		return slices.ContainsFunc(pl.Edges, func(e *plan.Edge) bool { return e.To == node && (e.Optional || !e.Fused) })
	}
	for _, t := range pl.Tasks {
		for k, node := range t.Nodes {
			from := slices.IndexFunc(pl.Edges, func(e *plan.Edge) bool { return e.To == node && e.Fused })
			if k == 0 || from < 0 || leads(node) {
				b.group[node] = len(b.groups)
				b.groups = append(b.groups, nil)
				b.optional = append(b.optional, false)
			} else {
				b.group[node] = b.group[pl.Edges[from].From]
			}
			g := b.group[node]
			b.groups[g] = append(b.groups[g], node)
		}
	}
	for _, e := range pl.Edges { // in topological order of their targets or not: repeat until nothing changes
		b.spreadOptional(e)
	}
}

// spreadOptional marks the group behind an optional edge, and all behind it.
func (b *builder) spreadOptional(e *plan.Edge) {
	to := b.group[e.To]
	if b.optional[to] || !(e.Optional || b.optional[b.group[e.From]]) {
		return
	}
	b.optional[to] = true
	for _, next := range b.Shared.Plan.Edges {
		b.spreadOptional(next)
	}
}

func (b *builder) addGroup(g int) {
	pl, s := b.Shared.Plan, b.Shared
	ids := b.groups[g]
	copies := max(1, pl.Nodes[ids[0]].Parallelism)
	ts := make([]*Task, copies)
	for i := range ts {
		t := &Task{
			name: fmt.Sprintf("%s/%d", pl.Nodes[ids[0]].Name, i), shared: s, waker: s.Host.NewWaker(), copy: i,
			ids: ledger.NewEdgeIDs(len(b.graph.Tasks) + 1), ending: -1, co: b.Coordinator, optional: b.optional[g],
		}
		t.inbox = exchange.NewInbox(t.waker)
		s.wakers = append(s.wakers, t.waker)
		for _, id := range ids {
			b.addNode(t, pl.Nodes[id])
		}
		ts[i] = t
		b.graph.Tasks = append(b.graph.Tasks, t)
	}
	b.tasks = append(b.tasks, ts)
}

func (b *builder) addNode(t *Task, p *plan.Node) {
	n := &node{task: t, plan: p, counters: &Counters{}, outs: make([][]*edge, len(p.Outs))}
	books := &b.graph.Nodes[p.ID]
	books.Node = p
	books.Counters = append(books.Counters, n.counters)
	t.nodes = append(t.nodes, n)
	b.nodes[p.ID] = append(b.nodes[p.ID], n)
	body := bodyStage{node: n}
	switch p.Kind {
	case plan.KindSource:
		b.addSource(t, n)
	case plan.KindBody:
		body.prog = b.Compiler.Body(p)
		n.stage = &body
	case plan.KindKeyed:
		body.prog = b.Compiler.Keyed(p)
		n.stage = &keyedStage{body}
		b.addOwner(n, 0)
	case plan.KindCombine, plan.KindAggregate, plan.KindTop:
		s := &absorbStage{node: n, state: b.Compiler.Absorber(p)}
		n.stage = s
		t.absorbers = append(t.absorbers, s)
		b.addOwner(n, 0)
	case plan.KindChannel:
		n.stage = &passStage{body}
	case plan.KindSink:
		b.addSink(t, n)
	default:
		bug.Panicf("task: node %s of kind %d", p.Name, p.Kind)
	}
}

// addOwner gives a node the ledger of the roots that it makes.
func (b *builder) addOwner(n *node, uncommitted int) {
	s := b.Shared
	set := s.Plan.Settings
	id := uint32(len(s.owners))
	tracked := s.Plan.Profile != plan.P0 && n.plan.Level >= plan.AtLeastOnce
	var limits ledger.Limits
	if tracked {
		limits = ledger.Limits{Roots: set.Pending, Bytes: set.PendingBytes, Uncommitted: uncommitted}
	}
	o := &owner{
		ledger: ledger.New(id, limits, s.Seed+uint64(id)), inbox: ledger.NewInbox(n.task.waker), node: n, tracked: tracked,
	}
	if n.plan.Kind != plan.KindSource {
		o.ledger.AddPartition(0)
	}
	n.owner = o
	n.task.owners = append(n.task.owners, o)
	s.owners = append(s.owners, ownerRef{inbox: o.inbox, node: n.plan})
}

func (b *builder) addSource(t *Task, n *node) {
	inst := b.Sources[n.plan.ID]
	host, name, waker := b.Shared.Host, n.plan.Name, t.waker
	s := &sourceStage{
		node: n, inst: inst, newDoor: func() Door { return host.Door(name, waker) }, deadRow: deadRowLayout(),
	}
	s.again.src = s
	n.stage, t.source = s, s
	b.addOwner(n, b.Shared.Plan.Settings.Uncommitted)
	for _, p := range inst.parts {
		n.owner.ledger.AddPartition(p.Start)
	}
}

func (b *builder) addSink(t *Task, n *node) {
	s := &sinkStage{
		node: n, inst: b.Sinks[n.plan.ID][t.copy], door: b.Shared.Host.Door(n.plan.Name, t.waker),
		each: b.Compiler.Each(n.plan), isEnd: b.Shared.Plan.Settings.DeadLetters == n.plan.ID,
	}
	s.init()
	n.stage = s
	t.sinks = append(t.sinks, s)
}

// connect makes an edge: a call inside a task, else an outbox for each sending task.
func (b *builder) connect(e *plan.Edge) {
	from, to := b.nodes[e.From], b.nodes[e.To]
	layout := to[0].plan.In
	fused := b.group[e.From] == b.group[e.To]
	var all []*exchange.Input
	for i, n := range from {
		x := &edge{plan: e, layout: layout, same: sameColumns(e, n.plan), origins: e.Origins}
		n.outs[e.Out] = append(n.outs[e.Out], x)
		n.rootsOut = n.rootsOut || e.Origins
		if fused {
			x.to = to[i]
			x.to.origins = x.to.origins || e.Origins
			continue
		}
		targets, grouping := to, e.Grouping
		if grouping == plan.ToForward || grouping == plan.ToLocal {
			targets, grouping = to[i%len(to):i%len(to)+1], plan.ToGlobal
		} else if grouping == plan.ToGlobal {
			targets = to[:1]
		}
		if grouping == plan.ToKey && len(targets) > 1 {
			x.keys = b.Compiler.Keys(e, layout)
		}
		inputs := b.inputs(n, targets, len(from))
		x.out = exchange.NewOutbox(b.outboxConfig(n, to[0].plan, grouping, e.Optional, len(from)), inputs)
		n.task.outs = append(n.task.outs, x.out)
		all = append(all, inputs...)
	}
	b.graph.edges = append(b.graph.edges, edgeInputs{
		to: e.To, tasks: b.tasks[b.group[e.To]], optional: b.optional[b.group[e.To]], inputs: all,
	})
}

func (b *builder) outboxConfig(n *node, to *plan.Node, g plan.Grouping, optional bool, senders int) exchange.Config {
	l := b.Shared.Limits
	c := exchange.Config{
		Grouping: g, Optional: optional, Rows: l.BatchRows, Bytes: int64(l.BatchBytes), Linger: l.Linger,
	}
	if n.plan.Kind == plan.KindChannel {
		c.Rows, c.Strict = min(c.Rows, int(max(1, channelArg(n.plan, "batch")))), true
	}
	if to.Kind == plan.KindChannel {
		c.Rows, c.Strict = min(c.Rows, int(b.queueLimits(to, senders).Rows)), true
		c.Drop = channelFull(to) == "drop_newest"
	}
	return c
}

// channelArg returns a number among a channel's arguments, or the largest one if it is not there.
func channelArg(n *plan.Node, name string) int64 {
	for _, a := range n.Connector.Args {
		if a.Name == name && a.Value.Int() > 0 {
			return a.Value.Int()
		}
	}
	return math.MaxInt32
}

func channelFull(n *plan.Node) string {
	for _, a := range n.Connector.Args {
		if a.Name == "full" {
			return a.Value.Str()
		}
	}
	return ""
}

// inputs adds an input for a sender at each target.
func (b *builder) inputs(from *node, targets []*node, senders int) []*exchange.Input {
	out := make([]*exchange.Input, len(targets))
	for i, n := range targets {
		out[i] = n.task.inbox.Add(slices.Index(n.task.nodes, n), b.queueLimits(n.plan, senders), from.task.waker)
		n.eofs++
	}
	return out
}

// queueLimits returns a sender's share of a node's queue. A channel says how large its queue is.
func (b *builder) queueLimits(n *plan.Node, senders int) exchange.Limits {
	l := exchange.Limits{Rows: b.Shared.Limits.QueueRows, Bytes: b.Shared.Limits.QueueBytes}
	if n.Kind == plan.KindChannel {
		l = exchange.Limits{
			Rows: channelArg(n, "capacity"), Bytes: channelArg(n, "max_bytes"), Strict: true,
			Evict: channelFull(n) == "drop_oldest",
		}
	}
	l.Rows, l.Bytes = max(1, l.Rows/int64(senders)), max(1, l.Bytes/int64(senders))
	return l
}

func sameColumns(e *plan.Edge, from *plan.Node) bool {
	if len(e.Columns) != len(from.Outs[e.Out].Layout.Fields) {
		return false
	}
	for i, c := range e.Columns {
		if c != i {
			return false
		}
	}
	return true
}

// connectDead gives every task that a row can die in, but those of optional branches, a way to the sink of dead letters.
func (b *builder) connectDead(id int) {
	to := b.nodes[id]
	layout := to[0].plan.In
	columns := make([]int, len(layout.Fields))
	for i := range columns {
		columns[i] = i
	}
	e := &plan.Edge{ID: -1, To: id, Columns: columns, Grouping: plan.ToLocal}
	var all []*exchange.Input
	for g, ts := range b.tasks {
		if g == b.group[id] || b.optional[g] {
			continue
		}
		for i, t := range ts {
			n := t.nodes[0]
			inputs := b.inputs(n, to[i%len(to):i%len(to)+1], len(b.graph.Tasks))
			x := &edge{plan: e, layout: layout, same: true, origins: true}
			x.out = exchange.NewOutbox(b.outboxConfig(n, to[0].plan, plan.ToGlobal, false, 1), inputs)
			t.outs = append(t.outs, x.out)
			t.dead = &deadOut{edge: x, layout: layout}
			all = append(all, inputs...)
		}
	}
	b.graph.edges = append(b.graph.edges, edgeInputs{to: id, tasks: b.tasks[b.group[id]], inputs: all})
}

// prepare finishes a task once all edges are known.
func (b *builder) prepare(t *Task) {
	b.Coordinator.add(t)
	for _, n := range t.nodes {
		if s, ok := n.stage.(*bodyStage); ok {
			s.reuse = n.absorbed()
		}
	}
	for _, n := range t.nodes {
		if n.eofs > 0 {
			return
		}
	}
	if t.source == nil {
		t.ending = 0 // nobody sends to it
	}
}

// Start hands the machines to the host.
func (g *Graph) Start(s *Shared, co *Coordinator) {
	for _, t := range g.Tasks {
		s.Host.Go(t.name, t, t.waker)
	}
	s.Host.Go("commit", co, co.waker)
}

// CloseReaders closes the readers that a run which was ended at once has left open. Everything has ended by then.
func (g *Graph) CloseReaders() {
	for _, t := range g.Tasks {
		if t.source == nil {
			continue
		}
		for _, p := range t.source.parts {
			if p.reader != nil {
				_ = p.reader.Close() // nothing of it was lost: its rows are read again
				p.reader = nil
			}
		}
	}
}

// Check compares the books of edges after the run. Those of optional branches that were cut off do not balance: what
// was not received then is counted by Overflow.
func (g *Graph) Check(s *Shared) {
	for _, e := range g.edges {
		for _, in := range e.inputs {
			if sent, _, received := in.Counts(); sent != received && !e.optional {
				s.Unbalanced(edgeBook(s.Plan.Nodes[e.to].Name, sent, received))
			}
		}
	}
}

// Overflow returns how many rows were dropped in front of a node, or in it, because it is a full channel, or in an
// optional branch that could not keep up. It may be called at any time.
func (g *Graph) Overflow(node int) int64 {
	total := int64(0)
	for _, e := range g.edges {
		if e.to != node {
			continue
		}
		for _, in := range e.inputs {
			sent, dropped, left := in.Counts()
			total += dropped
			if e.tasks[0].cut.Load() {
				total += sent - left
			}
		}
	}
	for _, c := range g.Nodes[node].Counters {
		total += c.Cut.Load()
	}
	return total
}

// Repeats returns how many rows of repeated roots were kept from a node because it leads an optional branch.
func (g *Graph) Repeats(node int) int64 {
	total := int64(0)
	for _, e := range g.edges {
		if e.to == node {
			for _, in := range e.inputs {
				total += in.Repeats()
			}
		}
	}
	return total
}

// Undelivered returns how many roots were given up or are open.
func (g *Graph) Undelivered() int64 {
	total := int64(0)
	for _, t := range g.Tasks {
		for _, o := range t.owners {
			b := o.ledger.Books()
			total += b.Undelivered + b.Open
		}
	}
	return total
}

// Roots returns the sum of the owners' books; it may be called when the run has ended.
func (g *Graph) Roots() ledger.Books {
	var sum ledger.Books
	for _, t := range g.Tasks {
		for _, o := range t.owners {
			b := o.ledger.Books()
			sum.Roots += b.Roots
			sum.Done += b.Done
			sum.Undelivered += b.Undelivered
			sum.Open += b.Open
			sum.Reemitted += b.Reemitted
			sum.Late += b.Late
		}
	}
	return sum
}

// OpenMemory returns how many spans are open and how many bytes the ledgers' entries take.
func (g *Graph) OpenMemory() (spans, bytes int64) {
	for _, t := range g.Tasks {
		for _, o := range t.owners {
			spans += o.ledger.Spans()
			bytes += o.ledger.Bytes()
		}
	}
	return spans, bytes
}
