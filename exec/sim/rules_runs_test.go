package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// liar is a compiler whose bodies say that they dropped more rows than they were given.
type liar struct{ *scenario }

type lie struct{ task.Program }

// Body implements task.Compiler.
func (l liar) Body(n *plan.Node) task.Program { return lie{l.scenario.Body(n)} }

// Run implements task.Program.
func (p lie) Run(now int64, in *batch.Batch, parents bool) task.Result {
	r := p.Program.Run(now, in, parents)
	r.Dropped = []task.Drop{{Name: "lie", N: in.N + 1}}
	return r
}

// F26: a run whose books do not balance says so, at the audits and at its end.
func TestF26BooksThatDoNotBalance(t *testing.T) {
	s := newScenarioOf(8)
	chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: manyRows(200), Pace: 100 * time.Millisecond}),
		s.addBody(plan.KindBody, &op{kind: opPass, mod: 2}), s.addSinkOf(&Sink{}))
	s.opts.Compiler = liar{s}
	_, err := s.start(t)
	for _, e := range unjoin(err) {
		var te *task.Error
		if errors.As(e, &te) && te.Code == diag.Unbalanced {
			if len(te.Notes) == 0 || !strings.Contains(te.Notes[0], "pass1") {
				t.Errorf("notes %q", te.Notes)
			}
			return
		}
	}
	t.Errorf("the run came to a good end: %v", err)
}

// F27: a target that is too slow for a whole write is given smaller ones, instead of the same one for ever.
func TestF27WriteThatCannotBeDoneInTime(t *testing.T) {
	s := newScenarioOf(9)
	s.opts.Limits = task.Limits{BatchRows: 64, SinkRows: 64}
	s.plan.Settings.Timeout = int64(2 * time.Second)
	src := &Source{Parts: manyRows(200)}
	sink := &Sink{Faults: Faults{Slow: time.Second}} // 16 s is the longest that a call gets
	chainOf(s, plan.ToForward, s.addSourceOf(src), s.addSinkOf(sink))
	res, err := s.start(t)
	if err != nil || len(sink.Rows) != 200 || res.Books.Reemitted != 0 {
		t.Errorf("%v: %d rows, %+v", err, len(sink.Rows), res.Books)
	}
}

// F37: a root that takes long holds neither the roots behind it nor the memory of their entries.
func TestF37SlowRootDoesNotStopTheSource(t *testing.T) {
	const rows = 20_000
	s := newScenarioOf(10)
	s.plan.Settings.Pending, s.opts.Limits.BatchRows = 100, 1
	src := s.addSourceOf(&Source{Parts: manyRows(rows)})
	slow, fast := &Sink{Faults: Faults{Slow: time.Hour}}, &Sink{}
	one := s.addBody(plan.KindBody, &op{kind: opOnly, mod: rows})
	s.plan.Settings.Timeout = int64(100 * time.Hour)
	chainOf(s, plan.ToForward, src, one, s.addSinkOf(slow))
	chainOf(s, plan.ToForward, s.addSinkOf(fast))
	join(s, src, s.plan.Nodes[3], plan.ToForward)
	behind, most := 0, int64(0)
	_, err := s.watch(t, func(run *exec.Run) {
		if len(slow.Rows) == 0 {
			behind, most = len(fast.Rows), max(most, run.OpenMemory().Bytes)
		}
	})
	if err != nil || behind != rows || most > 64*1024*4 {
		t.Errorf("%v: %d rows were delivered while the first root was open; the ledgers took %d bytes", err, behind, most)
	}
}

// F37: a source that may not go further ahead of what is committed goes on with the next commit, and needs no second one.
func TestF37CommitsLetTheSourceGoOn(t *testing.T) {
	for seed := uint64(1); seed <= 50; seed++ {
		s := newScenarioOf(seed)
		s.host.Nested = 30
		s.plan.Settings.Uncommitted, s.opts.Limits.BatchRows = 4, 4
		chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: manyRows(40)}), s.addSinkOf(&Sink{}))
		if _, err := s.start(t); err != nil || s.host.Elapsed() > 11*time.Second {
			t.Fatalf("seed %d: %v: 40 rows, 4 or more with each commit a second, took %v", seed, err, s.host.Elapsed())
		}
	}
}

// F39: of many rows those are emitted again whose roots failed, and no others: several of one span, with inputs among
// them that made no row, over several partitions. Positions in dead letters are those of the rows.
func TestF39OnlyFailedRootsAreEmittedAgain(t *testing.T) {
	for seed := uint64(1); seed <= 50; seed++ {
		s := newScenarioOf(seed)
		s.opts.Limits = task.Limits{BatchRows: 64, QueueRows: 256, SinkRows: 64}
		s.plan.Settings.Retries = 2
		var parts [][][]value.Value
		poison, dead := 0, map[string]bool{}
		for p := range 3 {
			var rows [][]value.Value
			for pos := range 90 {
				id := int64(p*1000 + pos)
				switch {
				case s.rand.IntN(10) == 0:
					rows = append(rows, nil)
					dead[fmt.Sprint("source0 ", pos, " 1 {-}")] = true
				default:
					rows = append(rows, row(id, id%5, 0))
					if id%7 == 3 {
						poison++
						dead[fmt.Sprint("poison1 ", pos, " 3 ", id)] = true
					}
				}
			}
			parts = append(parts, rows)
		}
		sink := &Sink{}
		chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: parts, Flaky: int(seed % 3 * 10)}),
			s.addBody(plan.KindBody, &op{kind: opPoison, mod: 7, rest: 3}), s.addSinkOf(sink))
		s.addDead(&Sink{})
		res, err := s.start(t)
		if err != nil || res.Books.Reemitted != int64(2*poison) {
			t.Fatalf("seed %d: %v: %d roots were emitted again, want %d", seed, err, res.Books.Reemitted, 2*poison)
		}
		once := map[int64]bool{}
		for _, r := range sink.Rows {
			if once[r[0].Int()] {
				t.Fatalf("seed %d: row %d was delivered twice", seed, r[0].Int())
			}
			once[r[0].Int()] = true
		}
		for _, r := range s.dead.Rows {
			who := fmt.Sprint(tupleOfJSON(r[0].Str()).id)
			if strings.Contains(r[0].Str(), "raw") {
				who = "{-}"
			}
			if key := fmt.Sprint(r[2].Str(), " ", r[5].Int(), " ", r[3].Int(), " ", who); !dead[key] {
				t.Fatalf("seed %d: a dead letter %s", seed, key)
			}
		}
	}
}

// F40: accepted is not durable. Positions are committed when every sink has synced what it had accepted, and not while
// a Sync fails.
func TestF40NothingIsCommittedBeforeASync(t *testing.T) {
	s := newScenarioOf(11)
	sink := &Sink{Faults: Faults{SyncFail: 100}}
	chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: manyRows(300), Pace: 100 * time.Millisecond}), s.addSinkOf(sink))
	taken, commits := 0, uint64(0)
	res, err := s.watch(t, func(run *exec.Run) {
		m := run.Committed()
		if s.host.Elapsed() < 10*time.Second {
			if taken = len(sink.Rows); m.N > 0 {
				t.Fatalf("commit %d, and no sync has been good", m.N)
			}
			return
		}
		sink.Faults.SyncFail = 0
		for _, mark := range m.Marks {
			if mark.Mark.Upto > int64(sink.Synced) {
				t.Fatalf("position %d was committed, %d rows are durable", mark.Mark.Upto, sink.Synced)
			}
		}
		commits = m.N
	})
	if err != nil || commits < 10 || taken == 0 || res.Committed.Marks[0].Mark.Upto != 300 {
		t.Errorf("%v: %d commits, %d rows taken before, %+v", err, commits, taken, res.Committed)
	}
	inOrder(t, sink, 300)
}

// F51: the end of a bounded input fires its windows, and the last commit has everything.
func TestF51EndOfInput(t *testing.T) {
	s := newScenarioOf(12)
	s.plan.Settings.Epoch = int64(time.Hour)
	sink := &Sink{Faults: Faults{Again: 30}}
	parts := append(manyRows(100), manyRows(30)...)
	chainOf(s, plan.ToForward, s.addSourceOf(&Source{Parts: parts}),
		s.addBody(plan.KindAggregate, &op{kind: opWhole, mod: 2}), s.addSinkOf(sink))
	res, err := s.start(t)
	if err != nil || len(sink.Rows) != 5 || sink.Synced != 5 || res.Thrown != 0 {
		t.Fatalf("%v: %d results, %d durable, %+v", err, len(sink.Rows), sink.Synced, res)
	}
	for i, m := range res.Committed.Marks {
		if m.Mark.Upto != int64(len(parts[i])) || len(m.Mark.Holes) > 0 {
			t.Errorf("partition %d is committed up to %+v of %d", i, m.Mark, len(parts[i]))
		}
	}
}

// F62: an exchange by key does not crumble batches, however many follow each other: while there is input, a batch goes
// out when it is full.
func TestF62ShufflesDoNotCrumble(t *testing.T) {
	const rows, full = 20_000, 64
	s := newScenarioOf(13)
	s.plan.Settings.Pending = rows
	s.opts.Limits = task.Limits{BatchRows: full, QueueRows: 4 * full, SinkRows: full}
	parts := manyRows(rows)
	for i, r := range parts[0] {
		r[1] = value.OfInt(int64(i))
	}
	sink := &Sink{Faults: Faults{Slow: time.Millisecond}}
	nodes := []*plan.Node{s.addSourceOf(&Source{Parts: parts})}
	for range 3 {
		n := s.addBody(plan.KindBody, &op{kind: opPass, mod: 2})
		n.Parallelism = 4
		nodes = append(nodes, n)
	}
	out := s.addSinkOf(sink)
	out.Parallelism = 4
	c := &counting{scenario: s, node: nodes[3]}
	s.opts.Compiler = c
	chainOf(s, plan.ToKey, append(nodes, out)...)
	if _, err := s.start(t); err != nil || len(sink.Rows) != rows {
		t.Fatalf("%v: %d rows", err, len(sink.Rows))
	}
	if mean := rows / c.batches; mean < full/2 {
		t.Errorf("%d rows in a batch behind three exchanges, of %d at first", mean, full)
	}
}

// F66: a source that is read in parts, by any number of tasks, gives what it gives when it is read as one.
func TestF66SplitIsUnsplit(t *testing.T) {
	run := func(seed uint64, parts [][][]value.Value, tasks int) string {
		s := newScenarioOf(seed)
		sink := &Sink{Faults: Faults{Again: 20}}
		src := s.addSourceOf(&Source{Parts: parts})
		src.Connector.Traits = []string{"bounded"}
		flat := s.addBody(plan.KindBody, &op{kind: opFlat, mod: 3, rest: -1})
		whole := s.addBody(plan.KindAggregate, &op{kind: opWhole, mod: 2})
		src.Parallelism, flat.Parallelism, whole.Parallelism = tasks, tasks, tasks
		chainOf(s, plan.ToKey, src, flat, whole, s.addSinkOf(&Sink{}))
		chainOf(s, plan.ToKey, s.addSinkOf(sink))
		join(s, flat, s.plan.Nodes[4], plan.ToKey)
		if _, err := s.start(t); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, r := range sink.Rows {
			all = append(all, fmt.Sprint(tupleOf(r)))
		}
		slices.Sort(all)
		return fmt.Sprint(all, s.absorbed[whole.ID])
	}
	whole := manyRows(200)
	want := run(1, whole, 1)
	for seed := uint64(1); seed <= 20; seed++ {
		for _, tasks := range []int{1, 2, 4} {
			var parts [][][]value.Value
			for rest := whole[0]; len(rest) > 0; {
				n := min(len(rest), int(seed)*7%60+3)
				parts, rest = append(parts, rest[:n]), rest[n:]
			}
			if got := run(seed, parts, tasks); got != want {
				t.Fatalf("%d parts, %d tasks:\n%s\nwant\n%s", len(parts), tasks, got, want)
			}
		}
	}
}

// counting is a compiler that counts the batches of a node.
type counting struct {
	*scenario
	node    *plan.Node
	batches int
}

type counted struct {
	task.Program
	c *counting
}

// Body implements task.Compiler.
func (c *counting) Body(n *plan.Node) task.Program {
	if n == c.node {
		return counted{c.scenario.Body(n), c}
	}
	return c.scenario.Body(n)
}

// Run implements task.Program.
func (p counted) Run(now int64, in *batch.Batch, parents bool) task.Result {
	p.c.batches++
	return p.Program.Run(now, in, parents)
}

// F68: with one task for each node the output is in the order of the source, row by row, however the edges are called.
func TestF68OneTaskKeepsOrder(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		for _, g := range []plan.Grouping{plan.ToForward, plan.ToShuffle, plan.ToKey, plan.ToGlobal, plan.ToLocal} {
			s := newScenarioOf(seed)
			sink := &Sink{Faults: Faults{Fail: 20}}
			s.host.Latency = func(string) int64 { return s.host.rand.Int64N(int64(50 * time.Millisecond)) }
			chainOf(s, g, s.addSourceOf(&Source{Parts: manyRows(200), Flaky: 10}),
				s.addBody(plan.KindBody, &op{kind: opPass, mod: 2}), s.addBody(plan.KindKeyed, &op{kind: opState, mod: 2}),
				s.addSinkOf(sink))
			if _, err := s.start(t); err != nil {
				t.Fatal(err)
			}
			inOrder(t, sink, 200)
		}
	}
}

// A fan-out whose branches come together again does not lock up, whatever is full: one way has a memory channel of one
// row, the other makes more of its rows than went in and fails some.
func TestDiamond(t *testing.T) {
	for seed := uint64(1); seed <= 200; seed++ {
		s := newScenarioOf(seed)
		s.plan.Settings.Pending, s.plan.Settings.Uncommitted = 1+s.rand.IntN(20), 1+s.rand.IntN(50)
		s.plan.Settings.Retries = 100
		s.opts.Limits = task.Limits{BatchRows: 1 + s.rand.IntN(4), QueueRows: int64(1 + s.rand.IntN(3)), SinkRows: 1}
		s.host.Nested = s.rand.IntN(50)
		rows := manyRows(50)
		src := s.addSourceOf(&Source{Parts: rows})
		channel := s.addBody(plan.KindChannel, &op{kind: opChannel, mod: 2})
		channel.Connector.Args = []plan.Arg{{Name: "capacity", Value: value.OfInt(1)}, {Name: "batch", Value: value.OfInt(1)}}
		flat := s.addBody(plan.KindBody, &op{kind: opFlat, mod: 7, rest: -1})
		flaky := s.addBody(plan.KindBody, &op{kind: opFlaky, mod: 5})
		join2 := s.addBody(plan.KindBody, &op{kind: opPass, mod: 2})
		sink := &Sink{Faults: Faults{Again: 30, Slow: 10 * time.Millisecond}}
		flat.Parallelism, join2.Parallelism = 1+s.rand.IntN(3), 1+s.rand.IntN(3)
		chainOf(s, plan.ToShuffle, src, channel, join2, s.addSinkOf(sink))
		chainOf(s, plan.ToKey, flat, flaky)
		join(s, src, flat, plan.ToShuffle)
		join(s, flaky, join2, plan.ToShuffle)
		s.addDead(&Sink{Faults: Faults{Slow: time.Second}})
		res, err := s.start(t)
		if err != nil || res.Undelivered != 0 {
			t.Fatalf("seed %d: %v %+v", seed, err, res)
		}
		got := map[tuple]bool{}
		for _, r := range sink.Rows {
			got[tupleOf(r)] = true
		}
		for _, r := range rows[0] {
			x := tupleOf(r)
			for _, cp := range []int64{0, 1, 2} {
				if x.cp = cp; !got[x] {
					t.Fatalf("seed %d: %v is lost", seed, x)
				}
			}
		}
	}
}

// F17: an optional branch that is cut off at the end has a name for each row that it did not deliver, wherever that was.
func TestF17RowsOfABranchThatIsCutOff(t *testing.T) {
	const rows = 300
	s := newScenarioOf(14)
	src := s.addSourceOf(&Source{Parts: manyRows(rows), Pace: 10 * time.Millisecond})
	main, slow := &Sink{}, &Sink{Faults: Faults{Slow: time.Second}}
	body := s.addBody(plan.KindBody, &op{kind: opPass, mod: 2})
	end := s.addSinkOf(slow)
	chainOf(s, plan.ToForward, src, s.addSinkOf(main))
	chainOf(s, plan.ToForward, body, end)
	join(s, src, body, plan.ToForward).Optional = true
	body.Level, end.Level = plan.AtMostOnce, plan.AtMostOnce
	res, err := s.start(t)
	if err != nil || res.Undelivered != 0 {
		t.Fatalf("%v %+v", err, res)
	}
	inOrder(t, main, rows)
	named := int64(len(slow.Rows))
	for _, n := range res.Nodes {
		for _, dropped := range n.Dropped {
			named += dropped
		}
	}
	if named != rows || len(slow.Rows) == 0 {
		t.Errorf("%d rows were delivered, %d have a name, of %d: %+v", len(slow.Rows), named, rows, res.Nodes)
	}
}

// sulky is a body that fails for half of the rows, whatever their layout, and drops the others.
type sulky struct{ host *Host }

// Run implements task.Program.
func (p sulky) Run(_ int64, in *batch.Batch, _ bool) task.Result {
	var r task.Result
	for i := range in.N {
		if p.host.chance(50) {
			r.Failed = append(r.Failed, task.Failure{Row: int32(i), Code: failCode})
		}
	}
	if n := in.N - len(r.Failed); n > 0 {
		r.Dropped = []task.Drop{{Name: "seen", N: n}}
	}
	return r
}

// Reuse implements task.Program.
func (sulky) Reuse() {}

type sulkyCompiler struct{ *scenario }

// Body implements task.Compiler.
func (c sulkyCompiler) Body(*plan.Node) task.Program { return sulky{c.host} }

// F26: inputs that made no row and go to `.errors` can fail behind, and are read again: the source's book balances, and
// counts each once.
func TestF26InputsOfErrorsAreReadAgain(t *testing.T) {
	raw := &types.Record{Fields: []types.Field{{Name: "raw", Type: types.Bytes}}}
	for seed := uint64(1); seed <= 20; seed++ {
		s := newScenarioOf(seed)
		s.plan.Settings.Retries = 100
		parts := manyRows(60)
		for i := 0; i < 60; i += 3 {
			parts[0][i] = nil
		}
		src := s.addSourceOf(&Source{Parts: parts})
		src.Errors, src.Outs = plan.PolicyEmit, append(src.Outs, plan.Out{Name: "errors", Layout: raw})
		body := s.addBody(plan.KindBody, &op{kind: opPass, mod: 1})
		body.In = raw
		sink := &Sink{}
		chainOf(s, plan.ToForward, src, s.addSinkOf(sink))
		chainOf(s, plan.ToForward, body)
		e := join(s, src, body, plan.ToForward)
		e.Out, e.Columns = 1, []int{0}
		s.opts.Compiler = sulkyCompiler{s}
		res, err := s.start(t)
		if err != nil || len(sink.Rows) != 40 || res.Read != 60 || res.Books.Reemitted == 0 || res.Nodes[body.ID].Dropped["seen"] != 20 {
			t.Fatalf("seed %d: %v: %d rows, %+v", seed, err, len(sink.Rows), res)
		}
	}
}
