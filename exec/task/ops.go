package task

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// Program is the body of a node, compiled: a stateless one, or one with state by key.
type Program interface {
	// Run runs the body for each row. With parents, each output tells for each of its rows from which input row it
	// comes. Spans, Origin and Pos of the outputs are not set. now is the time, in ns since the Unix epoch. The slices
	// are good until the next run; the batches are immutable.
	Run(now int64, in *batch.Batch, parents bool) Result
	// Reuse says that nobody looks at the batches of the last result any more.
	Reuse()
}

// Exprs is a number of expressions, compiled.
type Exprs interface {
	// Eval returns a column for each expression, and the rows for which one has no value, ascending, whose slots hold
	// anything.
	Eval(now int64, in *batch.Batch) ([]batch.Col, []Failure)
}

// Result is what a body did with a batch.
type Result struct {
	Outs    []Output
	Dropped []Drop
	Failed  []Failure // rows whose trees fail, in the order of rows
	Errored []Failure // rows that go to the output `.errors`
	// Rows is what the rows of Failed and Errored are of, if that is not the batch that came in: the results that an
	// Absorber fires and whose body failed.
	Rows *batch.Batch
}

// Output is what a body emitted to one output of its node.
type Output struct {
	Out     int
	Batch   *batch.Batch
	Parents []int32 // nil: row i comes from row i
	// Unanchored rows leave the tree.
	Unanchored bool
}

// Drop is a number of rows that were dropped under one name.
type Drop struct {
	Name string
	N    int
}

// Failure is a row that could not be processed.
type Failure struct {
	Row     int32
	Code    diag.Code
	Message string
	Place   source.Span
	// Fault says that no second try can help: the row is a dead letter at once.
	Fault bool
}

// Absorber is a node that keeps what it is given and gives results later: a combiner, an aggregate, a top.
type Absorber interface {
	// Absorb takes rows into the state. Rows that failed are not in it.
	Absorb(now int64, in *batch.Batch) Result
	// Held returns the number of results that are kept: groups, or rows of a top.
	Held() int
	// Full reports whether the state is large enough to be flushed before it takes more, which only a combiner is.
	Full() bool
	// Fire gives about max rows of results, and whether those were all. After the last the state is empty. The results
	// leave the state with the call.
	Fire(now int64, max int) (Result, bool)
}

// Compiler makes what nodes run. What it returns belongs to one task.
type Compiler interface {
	// Body compiles a stateless body.
	Body(n *plan.Node) Program
	// Keyed makes a body with its state.
	Keyed(n *plan.Node) Program
	// Absorber makes the state of a combiner, aggregate or top.
	Absorber(n *plan.Node) Absorber
	// Each compiles the `each` arguments of a sink: the connector's, then the codec's; nil if there are none.
	Each(n *plan.Node) Exprs
	// Keys compiles the keys of an edge.
	Keys(e *plan.Edge, in batch.Layout) Keys
}
