package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/value"
)

// The small model behind rule R1: a source, a bolt that fails and holds, a dedup that remembers what it has seen, a bolt
// that fails behind it, a sink that fails and holds. With dedup as state, its outputs are roots of their own, and a
// failure behind it gives the recorded output again: nothing is lost. With dedup as a body that merely remembers, as a
// tree through state would have it, the source's row comes again, is known already, and is swallowed: output is lost.
func TestF01TreesEndAtState(t *testing.T) {
	lost := 0
	for seed := uint64(1); seed <= 300; seed++ {
		if n := modelLosses(t, seed, plan.KindKeyed); n > 0 {
			t.Fatalf("seed %d: %d rows lost although the tree ends at the state", seed, n)
		}
		if modelLosses(t, seed, plan.KindBody) > 0 {
			lost++
		}
	}
	if lost < 100 {
		t.Errorf("trees through state lost output in %d of 300 runs only: the model does not test what it should", lost)
	}
}

const modelRows = 40

// modelLosses runs the model and returns how many rows the sink never got.
func modelLosses(t *testing.T, seed uint64, dedup plan.Kind) int {
	t.Helper()
	s := newScenarioOf(seed)
	src := &Source{Host: s.host, Flaky: 10}
	var rows [][]value.Value
	for i := range int64(modelRows) {
		rows = append(rows, row(i, i%5, 0))
	}
	src.Parts = [][][]value.Value{rows}
	sink := &Sink{Host: s.host, Faults: Faults{Fail: 20, Lose: 10, Again: 20}}
	nodes := []*plan.Node{
		s.addNode(plan.KindSource, "source", 1), s.addNode(plan.KindBody, "before", 2),
		s.addNode(dedup, "dedup", 2), s.addNode(plan.KindBody, "behind", 2), s.addNode(plan.KindSink, "sink", 1),
	}
	s.srcs[0], s.sinks[4] = src, sink
	s.plan.Settings.Retries = 100
	for i, n := range nodes {
		s.plan.Tasks = append(s.plan.Tasks, &plan.Task{ID: i, Nodes: []int{i}, Parallelism: n.Parallelism})
		if i > 0 {
			s.plan.Edges = append(s.plan.Edges, &plan.Edge{
				ID: i - 1, From: i - 1, To: i, Columns: []int{0, 1, 2}, Origins: true, Grouping: plan.ToKey,
				Keys: []plan.Expr{&plan.Input{Field: 1}},
			})
		}
	}
	c := &modelCompiler{s: s}
	s.opts.Compiler = c
	s.opts.Sources["source0"], s.opts.Sinks["sink4"] = src.New, sink.New
	run, err := exec.Start(context.Background(), s.plan, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.host.Drive(1_000_000); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	s.host.Finish()
	if _, err := run.Wait(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	got := map[int64]bool{}
	for _, r := range sink.Rows {
		got[r[0].Int()] = true
	}
	return modelRows - len(got)
}

// newScenarioOf returns a scenario without a graph.
func newScenarioOf(seed uint64) *scenario {
	s := &scenario{seed: seed, host: NewHost(seed), rand: rand.New(rand.NewPCG(seed, 7)), srcs: map[int]*Source{}, sinks: map[int]*Sink{}}
	s.plan = &plan.Plan{
		Pipeline: fmt.Sprint("model", seed), Level: plan.AtLeastOnce, Profile: plan.P2,
		Settings: plan.Settings{
			Timeout: int64(30 * time.Second), Pending: 1000, PendingBytes: 1 << 20, Uncommitted: 64_000, Retries: 3,
			DeadLetters: -1, Epoch: int64(time.Second),
		},
	}
	s.opts = exec.Options{
		Sources: connector.Sources{}, Sinks: connector.Sinks{}, Clock: s.host, Host: s.host, Seed: seed,
		Limits: task.Limits{BatchRows: 4, QueueRows: 16, SinkRows: 8},
	}
	return s
}

// modelCompiler makes the model's bodies by the names of the nodes.
type modelCompiler struct{ s *scenario }

func (c *modelCompiler) Body(n *plan.Node) task.Program {
	return &modelBody{host: c.s.host, dedup: n.Name == "dedup2", seen: map[int64]bool{}}
}
func (c *modelCompiler) Keyed(n *plan.Node) task.Program         { return c.Body(n) }
func (c *modelCompiler) Absorber(*plan.Node) task.Absorber       { return nil }
func (c *modelCompiler) Each(*plan.Node) task.Exprs              { return nil }
func (c *modelCompiler) Keys(*plan.Edge, batch.Layout) task.Keys { return keyHash{} }

// modelBody fails for one row in five, or passes what it has not seen.
type modelBody struct {
	host  *Host
	dedup bool
	seen  map[int64]bool
}

// Run implements task.Program.
func (p *modelBody) Run(_ int64, in *batch.Batch, _ bool) task.Result {
	var r task.Result
	var sel []int32
	known := 0
	for i, id := range in.Cols[0].Int[:in.N] {
		switch {
		case p.dedup && p.seen[id]:
			known++
		case !p.dedup && p.host.chance(20):
			r.Failed = append(r.Failed, task.Failure{Row: int32(i), Code: failCode, Message: "not now"})
		default:
			p.seen[id] = true
			sel = append(sel, int32(i))
		}
	}
	if known > 0 {
		r.Dropped = []task.Drop{{Name: "known", N: known}}
	}
	if len(sel) > 0 {
		b := in.Gather(sel)
		b.Spans, b.Origin, b.Pos = nil, nil, nil
		r.Outs = []task.Output{{Batch: b, Parents: sel}}
	}
	return r
}

// Reuse implements task.Program.
func (p *modelBody) Reuse() {}
