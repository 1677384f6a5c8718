// Package plan is the compiled form of a pipeline: plain values that say what runs, free of syntax.
//
// A plan is what the compiler makes and the engine runs, and nothing in it needs either: it can be printed (Dump),
// compared node by node (Fingerprint), and built by a test by hand. It holds no pointer into a syntax tree, only places
// for messages.
//
// Nodes are operators, each with one input layout (columns it reads, after pruning) and outputs with layouts. Edges
// connect an output to a node and say how rows are spread over the node's tasks. Tasks are chains of nodes fused
// because no exchange is needed between them; a task has a queue in front of its first node (or is led by a source)
// and runs in Parallelism copies.
//
// Invariants. Nodes are in topological order and Node.ID is the index. The first node of a task is a source or the
// target of exchange edges; every other node of a task has exactly one input edge, which is fused and comes from a
// node of the same task. State and resources belong to nodes by name, never to tasks, so that a later plan with other
// fusions can take them over. Nothing in a plan is meaningful to one process only.
package plan

import (
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Plan is one pipeline.
type Plan struct {
	Pipeline string
	Level    Level
	Profile  Profile
	Settings Settings
	Funcs    []Func
	Nodes    []*Node
	Edges    []*Edge
	Tasks    []*Task
}

// Level is a reliability level.
type Level uint8

// The levels, weakest first.
const (
	AtMostOnce Level = iota + 1
	AtLeastOnce
	ExactlyOnce
)

// Profile is the engine's way to keep a level (see engine.md): P0 no tracking, P1 ledger without barriers, P2 ledger
// with state, P3 epochs.
type Profile uint8

// The profiles.
const (
	P0 Profile = iota
	P1
	P2
	P3
)

// Settings are the pipeline's settings with their defaults filled in. Durations are in nanoseconds.
type Settings struct {
	ID           string
	Timeout      int64 // of hands outside: external calls and process bolts
	Pending      int   // most open roots of a source task
	PendingBytes int64 // most bytes of open roots of a source task
	Uncommitted  int   // most roots between the committed position and the head
	Retries      int   // re-emissions of a root before a failing row is a dead letter
	DeadLetters  int   // node that takes dead letters, or -1: the first one stops the pipeline
	Epoch        int64
	Store        string
}

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes.
const (
	KindSource    Kind = iota + 1
	KindBody           // stateless bolt, where, select, flat, route
	KindKeyed          // bolt with state variables: row by row, by key
	KindCombine        // partial aggregation before an exchange
	KindAggregate      // windowed bolt: absorbs rows (or partials of a combiner), fires panes
	KindTop            // top N of the whole input
	KindChannel        // memory channel
	KindSink
)

// Node is one operator.
type Node struct {
	ID          int
	Name        string // unique in the plan; what messages, metrics and state know it by
	Kind        Kind
	Origin      source.Span
	Level       Level         // of the rows that reach it
	In          *types.Record // columns it reads; nil for a source
	Outs        []Out
	Parallelism int      // parallel copies; 0 in a logical plan where the program does not say: optimize chooses
	Keys        []KeyDef // of keyed, combine and aggregate nodes: over In
	Global      bool     // keyed without keys: one task, one value
	Errors      Policy   // of a source or sink: what becomes of undecodable or refused rows

	Connector *Connector // source, sink, channel
	Body      *Body      // body, keyed; of an aggregate what runs when a pane fires
	Agg       *Aggregate // combine, aggregate
	Top       *Top       // top

	// Ordered reports that the rows of each source reach the node in the source's order (of each partition of a source
	// that is split), a re-emission aside. It is what makes the output of one sink task that of a sequential program.
	Ordered bool
	// DeadRows reports that rows can die here: its input edges carry origin and position then, and In keeps every
	// declared field, because a dead letter shows the tuple as it was.
	DeadRows bool
	// Fingerprint identifies the node's meaning, whatever its name, place and formatting.
	Fingerprint uint64
}

// Out is an output of a node. Output 0 is the main one and has no name. `errors` and `late` are outputs of that name.
type Out struct {
	Name   string
	Layout *types.Record
}

// KeyDef is one key: its name in body and output, and its value over the input.
type KeyDef struct {
	Name string
	Expr Expr
}

// Connector is a source, sink or channel with its settings.
type Connector struct {
	Name  string // "file.lines"
	Args  []Arg  // constant arguments in order of declaration, defaults filled in
	Each  []EachArg
	Codec *Codec
	// What the declaration promises, for this use.
	Traits []string
	// Identity names what stored positions belong to: connector and place, without what only tunes it.
	Identity string
	// Splittable: no node behind the source needs its order as a whole.
	Splittable bool
}

// Arg is a constant argument.
type Arg struct {
	Name  string
	Value value.Value
}

// EachArg is an argument that is computed for each row of a sink's input.
type EachArg struct {
	Name string
	Expr Expr // over In
}

// Codec is the codec of a source or sink.
type Codec struct {
	Name string
	Args []Arg
	Each []EachArg
}

// Aggregate is what a windowed node computes for each key and pane.
type Aggregate struct {
	Window Window
	Calls  []AggCall
	// Partials reports that the input rows are partial results of a combiner: the keys, then the partial columns of
	// each call in order. Calls[i].Args are not used then.
	Partials bool
}

// AggCall is one call of an aggregate function.
type AggCall struct {
	Func string     // count, sum, min, max, avg, distinct, first, last, collect, percentile
	Args []Expr     // over the input row; constants of the call (limit, p) come last
	Type types.Type // of the result
	At   source.Span
}

// Window is a window clause. Durations are in nanoseconds.
type Window struct {
	Kind  string // whole; more kinds come with the event-time windows
	Size  int64
	Every int64
}

// Top keeps the best N rows of the whole input by a value, best (greatest) first; ties by the fields of In ascending
// in order. N is -1 for all rows, sorted.
type Top struct {
	N  int64
	By Expr
}

// Grouping says which task of the target takes a row.
type Grouping uint8

// The groupings. ToForward keeps the task number and needs equal parallelism; it is how order is kept.
const (
	ToForward Grouping = iota + 1
	ToShuffle
	ToKey
	ToAll
	ToGlobal
	ToLocal // the task of the same number, modulo the target's parallelism
)

// Edge leads from an output to a node.
type Edge struct {
	ID       int
	From     int // node
	Out      int // index into From's Outs
	To       int // node
	Grouping Grouping
	Keys     []Expr // of ToKey: over To.In
	// Columns gives for each column of To.In the column of the output that it is taken from.
	Columns []int
	// Fused: From and To are in one task, and rows pass as a call.
	Fused bool
	// Optional: an edge into an `optional` branch.
	Optional bool
	// Origins: rows carry origin and position, since a node behind can fail one.
	Origins bool
	Origin  source.Span
}

// Task is a chain (or tree) of fused nodes, in topological order.
type Task struct {
	ID          int
	Nodes       []int
	Parallelism int
}
