package sim_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/sim"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib"
	"github.com/pipec/pipec/stdlib/fn"
)

// TestSameOutputHoweverItRuns runs small random programs over random lines: by goroutines and in the simulator, with
// one, two and four tasks, with passes of the optimiser left out, and with the input in one part and in several. What
// comes out is the same each time, as a multiset of rows for each sink.
//
// Programs may have poison words: the lines with such a word are read again, as often each time, and end as dead
// letters. Sinks ask for some rows again.
func TestSameOutputHoweverItRuns(t *testing.T) {
	cat := catalogue(t)
	programs := 12
	if testing.Short() {
		programs = 4
	}
	for seed := range uint64(programs) {
		t.Run(fmt.Sprint("program ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			same(t, cat, program(r), randomLines(r), seed)
		})
	}
}

func same(t *testing.T, cat *catalog.Catalog, write func(tasks int) string, lines []string, seed uint64) {
	want := ""
	for _, tasks := range []int{1, 2, 4} {
		text := write(tasks)
		for _, off := range [][]string{nil, {"combine"}, {"fuse"}, {"fold", "prune", "split", "combine", "fuse"}} {
			p := build(t, cat, text, off)
			for _, simulated := range []bool{true, false} {
				got := outputs(t, p, lines, tasks, simulated, seed)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%d tasks, without %v, simulated %v:\n%s\ngives\n%s\nand gave\n%s",
						tasks, off, simulated, text, got, want)
				}
			}
		}
	}
	if want == "" {
		t.Fatalf("no output:\n%s", write(1))
	}
}

func catalogue(t *testing.T) *catalog.Catalog {
	t.Helper()
	texts, err := stdlib.Texts()
	if err != nil {
		t.Fatal(err)
	}
	cat, list := lang.Catalog(texts)
	if list.HasErrors() {
		t.Fatal(list)
	}
	return cat
}

func build(t *testing.T, cat *catalog.Catalog, text string, off []string) *plan.Plan {
	t.Helper()
	prog, list := lang.Check(source.NewFile("main.pipe", text), cat, nil)
	if !list.HasErrors() {
		var p *plan.Plan
		if p, list = compiler.Build(prog, prog.Pipelines[0], compiler.Options{Cores: 2, Off: off}); !list.HasErrors() {
			return p
		}
	}
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
	t.Fatalf("%s: %s\n%s", list[i].Code, list[i].Message, text)
	return nil
}

// program chooses a program; the function that it returns writes it for a number of tasks.
func program(r *rand.Rand) func(tasks int) string {
	poison := r.IntN(3) == 0
	steps := []string{"split * T"}
	if poison {
		steps = append(steps, "check * T")
	}
	for _, i := range r.Perm(5)[:r.IntN(4)] { // a bolt can stand in a flow once
		steps = append(steps, []string{
			"where len(word) > 1", "select (word: upper(word))", "pass * T", "twice", `where word != "b"`,
		}[i])
	}
	ends := []string{
		"stdout.json()",
		"count * T -> stdout.json()",
		"running * T -> stdout.json()",
		"running * T -> where n % 2 == 0 -> pass2 * T -> stdout.json()",
		"by word window whole aggregate (n: count(), longest: max(len(word))) -> stdout.json()",
		"by word window whole aggregate (n: count()) -> top 3 by n -> stdout.table()",
		"window whole aggregate (n: count(), all: sum(len(word))) -> stdout.json()",
		"by size: len(word) window whole aggregate (n: distinct(word)) -> stdout.json()",
	}
	flow := strings.Join(steps, " -> ") + " -> "
	if two := r.Perm(len(ends)); r.IntN(2) == 0 {
		flow += "{\n        " + ends[two[0]] + "\n        " + ends[two[1]] + "\n    }"
	} else {
		flow += ends[two[0]]
	}
	level := "at_least_once"
	if !poison && r.IntN(4) == 0 {
		level = "at_most_once"
	}
	settings := "reliability " + level
	if poison {
		settings += "\n    retries 1\n    dead_letters dead\n    sink dead = file.write(\"dead\", encode: json)"
	}
	if level == "at_least_once" && r.IntN(2) == 0 {
		settings += fmt.Sprintf("\n    pending %d", 1+r.IntN(100))
	}
	text := bolts + "\npipeline p {\n    " + settings + "\n    source lines = file.lines(\"in\")\n    lines -> " + flow + "\n}\n"
	return func(tasks int) string { return strings.ReplaceAll(text, "* T", fmt.Sprint("* ", tasks)) }
}

const bolts = `use file, stdout

bolt split(line: string) -> (word: string) {
    for word in words(line) { emit (word) }
}
bolt check(word: string) -> (word: string) {
    if word == "poison" { fail "poison" }
    emit (word)
}
bolt pass(word: string) -> (word: string) { emit (word) }
bolt pass2(word: string, n: int) -> (word: string, n: int) { emit (word, n) }
bolt twice(word: string) -> (word: string) {
    emit (word)
    if len(word) > 2 { emit (word: "{word}x") }
}
bolt count(word: string) -> (word: string, n: int) by word window whole {
    let n = count()
    if n > 1 { emit (word, n) } else { drop "rare" }
}
bolt running(word: string) -> (word: string, n: int) by word {
    state n: int = 0
    n = n + 1
    emit (word, n)
}
`

func randomLines(r *rand.Rand) []string {
	lines := make([]string, 30+r.IntN(60))
	words := []string{"a", "b", "ab", "abc", "b", "word", "Words", "ä", "poison", "of", "of", "of"}
	for i := range lines {
		var l []string
		for range r.IntN(8) {
			if w := words[r.IntN(len(words))]; w != "poison" || r.IntN(4) == 0 {
				l = append(l, w)
			}
		}
		lines[i] = strings.Join(l, " ")
	}
	return lines
}

// outputs runs a plan and returns what its sinks took, sorted.
func outputs(t *testing.T, p *plan.Plan, lines []string, parts int, simulated bool, seed uint64) string {
	t.Helper()
	all := &taken{rows: map[string][]string{}}
	opts := exec.Options{
		Sources: connector.Sources{"file.lines": text{lines, parts}.open},
		Sinks:   connector.Sinks{"file.write": all.open, "stdout.json": all.open, "stdout.table": all.open},
		Funcs:   fn.Table(), Seed: seed, Limits: task.Limits{BatchRows: 4 + int(seed%8), QueueRows: 20, SinkRows: 16},
	}
	var host *sim.Host
	if simulated {
		host = sim.NewHost(seed)
		opts.Host, opts.Clock = host, host
	}
	run, err := exec.Start(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	if simulated {
		if err := host.Drive(5_000_000); err != nil {
			t.Fatal(err)
		}
	}
	res, err := run.Wait()
	if err != nil || res.Undelivered != 0 {
		t.Fatalf("%v %+v", err, res)
	}
	var out []string
	for node, rows := range all.rows {
		slices.Sort(rows)
		out = append(out, fmt.Sprintf("%s: %d rows\n%s\n", node, len(rows), strings.Join(rows, "\n")))
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// text is a source of lines, in several parts if it may be read so.
type text struct {
	lines []string
	parts int
}

func (s text) open(_ context.Context, cfg connector.Config) (connector.Source, error) {
	if !cfg.Splittable {
		s.parts = 1
	}
	return s, nil
}

func (s text) Activate(context.Context) error { return nil }
func (s text) Close(context.Context) error    { return nil }

func (s text) Partitions() []connector.Partition {
	out := make([]connector.Partition, s.parts)
	for i := range out {
		out[i] = connector.Partition{ID: uint16(i), Start: int64(i * len(s.lines) / s.parts)}
	}
	return out
}

func (s text) Open(_ context.Context, part uint16, pos int64) (connector.Reader, error) {
	return &textReader{s.lines[pos : (int(part)+1)*len(s.lines)/s.parts], pos}, nil
}

type textReader struct {
	left []string
	pos  int64
}

func (r *textReader) Close() error { return nil }

// Read implements connector.Reader.
func (r *textReader) Read(_ context.Context, dst *connector.Read, most, _ int) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	n := min(len(r.left), most, 1+int(r.pos)%5)
	b := batch.NewBuilder(dst.Batch.Layout)
	for i, line := range r.left[:n] {
		b.Append([]value.Value{value.OfString(line)})
		dst.Batch.Pos = append(dst.Batch.Pos, r.pos+int64(i))
	}
	pos := dst.Batch.Pos
	dst.Batch = *b.Finish()
	dst.Batch.Pos = pos
	r.left, r.pos = r.left[n:], r.pos+int64(n)
	dst.Next, dst.Bytes = r.pos, int64(n)
	return nil
}

// taken is what sinks took, by node, as JSON.
type taken struct {
	mu   sync.Mutex
	rows map[string][]string
}

func (k *taken) open(_ context.Context, cfg connector.Config) (connector.Sink, error) {
	return &textSink{k, cfg.Node, 0}, nil
}

type textSink struct {
	to     *taken
	node   string
	writes int
}

func (k *textSink) Activate(context.Context) error { return nil }
func (k *textSink) Sync(context.Context) error     { return nil }
func (k *textSink) Close(context.Context) error    { return nil }

// Write implements connector.Sink. Now and then it asks for some of the rows again.
func (k *textSink) Write(_ context.Context, w connector.Write) ([]connector.Outcome, error) {
	k.to.mu.Lock()
	defer k.to.mu.Unlock()
	out := make([]connector.Outcome, w.Batch.N)
	k.writes++
	for i := range out {
		if k.writes == 2 && i%3 == 1 {
			out[i] = connector.Outcome{Kind: connector.Retry, After: time.Microsecond}
			continue
		}
		row, _ := value.AppendJSON(nil, value.OfRecord(w.Batch.Row(i)), w.Batch.Layout)
		k.to.rows[k.node] = append(k.to.rows[k.node], string(row))
	}
	return out, nil
}
