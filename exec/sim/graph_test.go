package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// A scenario is a random plan with its connectors. Rows are (id, key, copy): id is the number of the root, key what
// state is kept by, and copy tells apart what one root became. Each node is described by an op, which both the engine
// (through the test's compiler) and the expectation (by following each row through the graph) go by.
type scenario struct {
	seed  uint64
	size  size
	rand  *rand.Rand
	host  *Host
	plan  *plan.Plan
	ops   map[int]*op
	srcs  map[int]*Source
	sinks map[int]*Sink
	dead  *Sink
	opts  exec.Options
	res   exec.Result
	err   error

	absorbed   map[int]map[int64]int64 // rows that stateful nodes took in, by node and key
	expected   map[absorbedKey]bounds
	optional   *Sink // of an optional branch, or nil
	optionalID int
	killAt     int // step at which the run is ended at once; 0: never
	stopAt     int // step at which the run is stopped; 0: never
	commits    uint64
	wrong      []error // commits of positions that are not settled
}

type opKind uint8

const (
	opFlat opKind = iota // copies rows
	opFilter
	opPoison // fails for some rows, always
	opFlaky  // fails for some rows, sometimes
	opState  // counts the rows of each key
	opWhole  // counts the rows of each key at the end
	opPass
	opChannel
	opCombine // counts the rows of each key and hands the counts on
	opOnly    // passes the rows that the others pass over
)

var opNames = []string{"flat", "filter", "poison", "flaky", "state", "whole", "pass", "channel", "combine", "only"}

type op struct {
	kind  opKind
	mod   int64
	rest  int64
	fault bool
}

var rowLayout = &types.Record{Fields: []types.Field{
	{Name: "id", Type: types.Int}, {Name: "key", Type: types.Int}, {Name: "copy", Type: types.Int},
}}

var deadLayout = &types.Record{Fields: []types.Field{
	{Name: "input", Type: types.JSON},
	{Name: "error", Type: &types.Record{Fields: []types.Field{
		{Name: "code", Type: types.String}, {Name: "message", Type: types.String}, {Name: "place", Type: types.String},
	}}},
	{Name: "node", Type: types.String}, {Name: "attempts", Type: types.Int},
	{Name: "source", Type: types.String}, {Name: "position", Type: types.Int},
}}

// size bounds a scenario.
type size struct {
	rows  int // of a partition
	chain int // nodes between sources and a fan-out, and behind it
}

var fullSize = size{30, 3}

func newScenario(seed uint64) *scenario { return newSized(seed, fullSize) }

func newSized(seed uint64, z size) *scenario {
	s := &scenario{
		seed: seed, size: z, rand: rand.New(rand.NewPCG(seed, 7)), host: NewHost(seed), ops: map[int]*op{},
		srcs: map[int]*Source{}, sinks: map[int]*Sink{}, absorbed: map[int]map[int64]int64{},
		expected: map[absorbedKey]bounds{},
	}
	s.plan = &plan.Plan{
		Pipeline: fmt.Sprintf("seed%d", seed), Level: plan.AtLeastOnce, Profile: plan.P2,
		Settings: plan.Settings{
			Timeout: int64(30 * time.Second), Pending: 1 + s.rand.IntN(200), PendingBytes: 1 << 20,
			Uncommitted: 20 + s.rand.IntN(1000), Retries: 1 + s.rand.IntN(3), DeadLetters: -1,
			Epoch: int64(50+s.rand.IntN(1000)) * int64(time.Millisecond),
		},
	}
	if s.rand.IntN(4) == 0 {
		s.plan.Settings.Uncommitted = 1 + s.rand.IntN(20)
	}
	if s.rand.IntN(6) == 0 {
		s.plan.Level, s.plan.Profile = plan.AtMostOnce, plan.P0
	}
	s.host.Nested = s.rand.IntN(3) * 20
	s.build()
	s.opts = exec.Options{
		Sources: connector.Sources{}, Sinks: connector.Sinks{}, Clock: s.host, Host: s.host, Seed: seed, Compiler: s,
		Limits: task.Limits{
			BatchRows: 1 + s.rand.IntN(8), QueueRows: int64(1 + s.rand.IntN(20)), SinkRows: 1 + s.rand.IntN(10),
		},
	}
	for id, src := range s.srcs {
		s.opts.Sources[s.plan.Nodes[id].Connector.Name] = src.New
	}
	for id, sink := range s.sinks {
		s.opts.Sinks[s.plan.Nodes[id].Connector.Name] = sink.New
	}
	if s.rand.IntN(6) == 0 {
		s.stopAt = 1 + s.rand.IntN(1500)
	}
	if s.rand.IntN(12) == 0 {
		s.killAt = 1 + s.rand.IntN(1500)
	}
	latency := s.rand.IntN(3)
	s.host.Latency = func(string) int64 {
		switch latency {
		case 0:
			return 0
		case 1:
			return s.host.rand.Int64N(int64(time.Millisecond))
		}
		return s.host.rand.Int64N(int64(3 * time.Second))
	}
	return s
}

func (s *scenario) addNode(kind plan.Kind, name string, parallel int) *plan.Node {
	n := &plan.Node{ID: len(s.plan.Nodes), Kind: kind, Level: s.plan.Level, In: rowLayout, Parallelism: parallel, DeadRows: true}
	n.Name = fmt.Sprintf("%s%d", name, n.ID)
	if kind != plan.KindSink {
		n.Outs = []plan.Out{{Layout: rowLayout}}
	}
	if kind == plan.KindSource {
		n.In = nil
	}
	if kind == plan.KindSource || kind == plan.KindSink {
		n.Connector = &plan.Connector{Name: n.Name}
	}
	if kind == plan.KindChannel {
		n.Connector = &plan.Connector{Name: "memory", Args: []plan.Arg{
			{Name: "capacity", Value: value.OfInt(1 + s.rand.Int64N(30))}, {Name: "batch", Value: value.OfInt(1 + s.rand.Int64N(10))},
			{Name: "full", Value: value.OfString([]string{"block", "drop_oldest", "drop_newest"}[s.rand.IntN(3)])},
		}}
	}
	s.plan.Nodes = append(s.plan.Nodes, n)
	return n
}

// link adds an edge, fused into the task of from when that is possible and the seed wants it.
func (s *scenario) link(from, to *plan.Node) {
	e := &plan.Edge{ID: len(s.plan.Edges), From: from.ID, To: to.ID, Columns: []int{0, 1, 2}, Origins: true}
	s.plan.Edges = append(s.plan.Edges, e)
	keyed := s.ops[to.ID] != nil && (s.ops[to.ID].kind == opState || s.ops[to.ID].kind == opWhole)
	switch {
	case keyed && to.Parallelism > 1:
		e.Grouping = plan.ToKey
		e.Keys = []plan.Expr{&plan.Input{X: plan.X{T: types.Int}, Field: 1, Name: "key"}}
	case to.Parallelism != from.Parallelism:
		e.Grouping = []plan.Grouping{plan.ToShuffle, plan.ToLocal, plan.ToKey}[s.rand.IntN(3)]
		e.Keys = []plan.Expr{&plan.Input{X: plan.X{T: types.Int}, Field: 1, Name: "key"}}
	case s.rand.IntN(3) == 0:
		e.Grouping = []plan.Grouping{plan.ToForward, plan.ToShuffle, plan.ToGlobal, plan.ToKey}[s.rand.IntN(4)]
		e.Keys = []plan.Expr{&plan.Input{X: plan.X{T: types.Int}, Field: 1, Name: "key"}}
	default:
		e.Grouping, e.Fused = plan.ToForward, true
	}
	if e.Fused {
		for _, t := range s.plan.Tasks {
			if slices.Contains(t.Nodes, from.ID) {
				t.Nodes = append(t.Nodes, to.ID)
			}
		}
		return
	}
	for _, t := range s.plan.Tasks {
		if slices.Contains(t.Nodes, to.ID) {
			return
		}
	}
	s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: len(s.plan.Tasks), Nodes: []int{to.ID}, Parallelism: to.Parallelism})
}

// build makes a random graph: sources, a chain, perhaps a fan-out into two chains, each with a sink at its end.
func (s *scenario) build() {
	r := s.rand
	var heads []*plan.Node
	id := int64(0)
	for range 1 + r.IntN(2) {
		n := s.addNode(plan.KindSource, "source", 1+r.IntN(2))
		if r.IntN(2) == 0 {
			n.Connector.Traits = []string{"bounded"}
		}
		if r.IntN(8) == 0 {
			n.Level = plan.AtMostOnce
		}
		src := &Source{Host: s.host, Flaky: r.IntN(3) * r.IntN(10)}
		if r.IntN(4) == 0 {
			src.Pace = time.Duration(r.IntN(int(50 * time.Millisecond)))
		}
		for range 1 + r.IntN(3) {
			var rows [][]value.Value
			for range r.IntN(s.size.rows) {
				if r.IntN(40) == 0 {
					rows = append(rows, nil)
					continue
				}
				rows = append(rows, row(id, int64(r.IntN(5)), 0))
				id++
			}
			src.Parts = append(src.Parts, rows)
		}
		s.srcs[n.ID] = src
		s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: len(s.plan.Tasks), Nodes: []int{n.ID}, Parallelism: n.Parallelism})
		heads = append(heads, n)
	}
	ends := s.chain(heads, r.IntN(s.size.chain))
	branches := 1 + r.IntN(2)
	for range branches {
		end := s.chain(ends, r.IntN(s.size.chain))
		s.addSink(end)
	}
	if r.IntN(5) == 0 {
		s.addOptional(ends[0])
	}
	if r.IntN(8) != 0 {
		n := s.addNode(plan.KindSink, "dead", 1)
		n.In = deadLayout
		s.plan.Settings.DeadLetters = n.ID
		s.dead = &Sink{Host: s.host, Faults: Faults{Fail: r.IntN(30), Lose: r.IntN(10), Again: r.IntN(20)}}
		s.sinks[n.ID] = s.dead
		s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: len(s.plan.Tasks), Nodes: []int{n.ID}, Parallelism: 1})
	}
}

// chain puts n random nodes behind others and returns the last ones.
func (s *scenario) chain(from []*plan.Node, n int) []*plan.Node {
	for range n {
		o := &op{kind: opKind(s.rand.IntN(8)), mod: int64(2 + s.rand.IntN(10)), fault: s.rand.IntN(3) == 0}
		o.rest = s.rand.Int64N(o.mod)
		kind := plan.KindBody
		switch o.kind {
		case opState:
			kind = plan.KindKeyed
		case opWhole:
			kind = plan.KindAggregate
		case opChannel:
			kind = plan.KindChannel
		}
		if o.kind == opWhole && len(from) == 1 && s.rand.IntN(2) == 0 {
			c := s.addNode(plan.KindCombine, "combine", from[0].Parallelism)
			s.ops[c.ID] = &op{kind: opCombine, mod: 1 + s.rand.Int64N(5)}
			s.link(from[0], c)
			from = []*plan.Node{c}
		}
		to := s.addNode(kind, opNames[o.kind], 1+s.rand.IntN(3))
		if len(from) == 1 && s.rand.IntN(2) == 0 {
			to.Parallelism = from[0].Parallelism
		}
		s.ops[to.ID] = o
		s.linkAll(from, to)
		from = []*plan.Node{to}
	}
	return from
}

// linkAll links several nodes to one; a node with several inputs leads a task.
func (s *scenario) linkAll(from []*plan.Node, to *plan.Node) {
	for _, f := range from {
		if len(from) > 1 {
			s.linkApart(f, to)
		} else {
			s.link(f, to)
		}
	}
}

func (s *scenario) linkApart(from, to *plan.Node) {
	k := len(s.plan.Edges)
	s.link(from, to)
	e := s.plan.Edges[k]
	if !e.Fused {
		return
	}
	e.Fused = false
	for _, t := range s.plan.Tasks {
		t.Nodes = slices.DeleteFunc(t.Nodes, func(id int) bool { return id == to.ID && t.Nodes[0] != id })
	}
	if !slices.ContainsFunc(s.plan.Tasks, func(t *plan.Task) bool { return slices.Contains(t.Nodes, to.ID) }) {
		s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: len(s.plan.Tasks), Nodes: []int{to.ID}, Parallelism: to.Parallelism})
	}
}

func (s *scenario) addSink(from []*plan.Node) {
	r := s.rand
	n := s.addNode(plan.KindSink, "sink", 1+r.IntN(2))
	s.linkAll(from, n)
	sink := &Sink{Host: s.host}
	if r.IntN(3) > 0 {
		sink.Faults = Faults{Fail: r.IntN(30), Lose: r.IntN(20), LosePart: r.IntN(20), Again: r.IntN(40), SyncFail: r.IntN(10)}
	}
	if r.IntN(3) == 0 {
		mod := int64(3 + r.IntN(15))
		rest := r.Int64N(mod)
		sink.Faults.Reject = func(row []value.Value) bool { return row[0].Int()%mod == rest }
	}
	if r.IntN(4) == 0 {
		sink.Faults.Slow = time.Duration(r.IntN(int(20 * time.Second)))
	}
	if r.IntN(30) == 0 {
		sink.Faults.FatalAt = 1 + r.IntN(5)
	}
	s.sinks[n.ID] = sink
}

// addOptional adds a sink in an optional branch.
func (s *scenario) addOptional(from *plan.Node) {
	s.addSink([]*plan.Node{from})
	n := s.plan.Nodes[len(s.plan.Nodes)-1]
	n.Level = plan.AtMostOnce
	e := s.plan.Edges[len(s.plan.Edges)-1]
	e.Optional = true
	s.sinks[n.ID].Faults.FatalAt = 0
	s.optional = s.sinks[n.ID]
	s.optionalID = n.ID
}

func row(id, key, cp int64) []value.Value {
	return []value.Value{value.OfInt(id), value.OfInt(key), value.OfInt(cp)}
}

// String shows the plan and its parts.
func (s *scenario) String() string {
	var b strings.Builder
	set := s.plan.Settings
	if s.stopAt > 0 {
		fmt.Fprintf(&b, "stopped at step %d; ", s.stopAt)
	}
	if s.killAt > 0 {
		fmt.Fprintf(&b, "killed at step %d; ", s.killAt)
	}
	fmt.Fprintf(&b, "level %d pending %d uncommitted %d retries %d dead letters %d; batch %d queue %d sink %d\n", s.plan.Level, set.Pending,
		set.Uncommitted, set.Retries, set.DeadLetters, s.opts.Limits.BatchRows, s.opts.Limits.QueueRows, s.opts.Limits.SinkRows)
	for _, n := range s.plan.Nodes {
		fmt.Fprintf(&b, "  %d %s * %d", n.ID, n.Name, n.Parallelism)
		if o := s.ops[n.ID]; o != nil {
			fmt.Fprintf(&b, " mod %d rest %d fault %v", o.mod, o.rest, o.fault)
		}
		if src := s.srcs[n.ID]; src != nil {
			fmt.Fprintf(&b, " level %d flaky %d%% pace %v traits %v:", n.Level, src.Flaky, src.Pace, n.Connector.Traits)
			for _, p := range src.Parts {
				fmt.Fprintf(&b, " %d rows", len(p))
			}
		}
		if k := s.sinks[n.ID]; k != nil {
			fmt.Fprintf(&b, " %+v", k.Faults)
		}
		b.WriteByte('\n')
	}
	for _, e := range s.plan.Edges {
		fmt.Fprintf(&b, "  %d -> %d grouping %d fused %v\n", e.From, e.To, e.Grouping, e.Fused)
	}
	return b.String()
}

// run runs the scenario and checks what came out.
func (s *scenario) run() error {
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		return err
	}
	s.host.OnStep = func(step int) {
		switch step {
		case s.stopAt:
			run.Stop()
		case s.killAt:
			run.Kill()
		}
		if m := run.Committed(); m.N != s.commits {
			s.commits = m.N
			s.wrong = append(s.wrong, s.checkCommit(m)...)
		}
	}
	if err := s.host.Drive(2_000_000); err != nil {
		return err
	}
	s.host.Finish()
	s.res, s.err = run.Wait()
	s.wrong = append(s.wrong, s.checkCommit(s.res.Committed)...)
	if len(s.wrong) > 0 {
		return errors.Join(s.wrong[:min(len(s.wrong), 8)]...)
	}
	return s.check()
}

// outcome is everything that came out, for comparisons.
func (s *scenario) outcome() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d steps, %v, %+v %v\n", s.host.Steps(), s.host.Elapsed(), s.res, s.err)
	for _, n := range s.plan.Nodes {
		if k := s.sinks[n.ID]; k != nil {
			fmt.Fprintf(&b, "%s: %v\n", n.Name, k.Rows)
		}
	}
	return b.String()
}
