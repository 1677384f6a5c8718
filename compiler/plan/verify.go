package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pipec/pipec/lang/types"
)

// Verify checks the invariants of a plan and returns all that are broken, joined, or nil. A logical plan has no tasks
// yet and may leave parallelism and groupings to be chosen; a plan with tasks must be complete. The compiler's tests
// verify after each pass; a broken invariant is a bug of pipec.
func Verify(p *Plan) error {
	v := &verifier{p: p}
	for i, n := range p.Nodes {
		v.node(i, n)
	}
	for i, e := range p.Edges {
		v.edge(i, e)
	}
	if d := p.Settings.DeadLetters; d < -1 || d >= len(p.Nodes) || d >= 0 && p.Nodes[d].Kind != KindSink {
		v.add("settings: dead letters go to %d, which is no sink", d)
	}
	if len(p.Tasks) > 0 {
		v.tasks()
	}
	for i := range p.Funcs {
		v.fn(&p.Funcs[i])
	}
	return errors.Join(v.faults...)
}

// verifier collects faults. where names what is being looked at; in, outs, locals, state, keys and aggs are what its
// expressions may refer to.
type verifier struct {
	p      *Plan
	faults []error

	where  string
	in     *types.Record
	outs   []Out
	locals []types.Type
	alone  bool // the expression belongs to no body: its slots are its own, as many as it names
	state  []StateVar
	keys   int
	aggs   int
}

func (v *verifier) add(format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf(format, args...))
}

func (v *verifier) node(i int, n *Node) {
	v.where = fmt.Sprintf("node %d (%s)", i, n.Name)
	if n.ID != i {
		v.add("%s has the id %d", v.where, n.ID)
	}
	for _, other := range v.p.Nodes[:i] {
		if other.Name == n.Name {
			v.add("%s has the name of node %d", v.where, other.ID)
		}
	}
	if (n.In == nil) != (n.Kind == KindSource) {
		v.add("%s: a source has no input, all else has one", v.where)
	}
	if n.Global && len(n.Keys) > 0 {
		v.add("%s is global and has keys", v.where)
	}
	if n.Global && n.Kind != KindCombine && n.Parallelism > 1 {
		v.add("%s is global and has %d copies", v.where, n.Parallelism)
	}
	v.parts(n)
	v.nodeExprs(n)
}

// parts checks that a node has what its kind needs, and nothing else.
func (v *verifier) parts(n *Node) {
	has := func(what string, is bool, kinds ...Kind) {
		if may := slices.Contains(kinds, n.Kind); is && !may {
			v.add("%s of kind %s has %s", v.where, n.Kind, what)
		}
	}
	must := func(what string, is bool, kinds ...Kind) {
		if slices.Contains(kinds, n.Kind) && !is {
			v.add("%s of kind %s has no %s", v.where, n.Kind, what)
		}
	}
	has("a connector", n.Connector != nil, KindSource, KindSink, KindChannel)
	must("connector", n.Connector != nil, KindSource, KindSink, KindChannel)
	has("a body", n.Body != nil, KindBody, KindKeyed, KindAggregate)
	must("body", n.Body != nil, KindBody, KindKeyed, KindAggregate)
	has("an aggregate", n.Agg != nil, KindCombine, KindAggregate)
	must("aggregate", n.Agg != nil, KindCombine, KindAggregate)
	has("a top", n.Top != nil, KindTop)
	must("top", n.Top != nil, KindTop)
	has("keys", len(n.Keys) > 0, KindKeyed, KindCombine, KindAggregate)
	must("keys", len(n.Keys) > 0 || n.Global, KindKeyed, KindCombine, KindAggregate)
	must("output", len(n.Outs) > 0, KindSource, KindCombine, KindTop, KindChannel)
	refusals := n.Kind == KindSink && len(n.Outs) == 1 && n.Outs[0].Name == "errors"
	has("outputs", len(n.Outs) > 0 && !refusals, KindSource, KindBody, KindKeyed, KindCombine, KindAggregate, KindTop, KindChannel)
	switch n.Kind {
	case KindTop, KindChannel:
		if n.In != nil && len(n.Outs) > 0 && !types.Equal(n.In, n.Outs[0].Layout) {
			v.add("%s passes rows on as %s, but takes %s", v.where, n.Outs[0].Layout.Shape(), n.In.Shape())
		}
	}
}

func (v *verifier) nodeExprs(n *Node) {
	v.in, v.outs, v.locals, v.state, v.keys, v.aggs = n.In, n.Outs, nil, nil, 0, 0
	v.alone = true
	defer func() { v.alone = false }()
	if n.Body == nil {
		v.exprs().WalkNode(n)
		return
	}
	// Keys and arguments of aggregates are over the input; the body of an aggregate is not.
	whole := *n
	whole.Body = nil
	v.exprs().WalkNode(&whole)
	v.alone = false
	v.locals, v.state, v.keys = n.Body.Locals, n.Body.State, len(n.Keys)
	if n.Agg != nil {
		v.in, v.aggs = nil, len(n.Agg.Calls)
	}
	v.exprs().WalkNode(&Node{Body: n.Body})
}

// exprs returns a visitor that checks references.
func (v *verifier) exprs() Visitor {
	local := func(slot int, what string) {
		if slot < 0 || slot >= len(v.locals) && !v.alone {
			v.add("%s: %s uses the local slot %d of %d", v.where, what, slot, len(v.locals))
		}
	}
	return Visitor{
		Expr: func(e Expr) bool {
			if e.Type() == nil {
				v.add("%s: %s has no type", v.where, ExprString(e))
			}
			switch e := e.(type) {
			case *Input:
				if v.in == nil || e.Field < 0 || e.Field >= len(v.in.Fields) {
					v.add("%s: %s is field %d, which the input has not", v.where, e.Name, e.Field)
				} else if f := v.in.Fields[e.Field]; f.Name != e.Name || !types.Equal(f.Type, e.T) {
					v.add("%s: %s: %s is read as field %d, which is %s: %s", v.where, e.Name, e.T, e.Field, f.Name, f.Type)
				}
			case *Local:
				local(e.Slot, "a name")
			case *Comp:
				local(e.Slot, "a comprehension")
			case *Try:
				if e.Slot != -1 {
					local(e.Slot, "an else")
				}
			case *OrExit:
				if e.Slot != -1 {
					local(e.Slot, "an else")
				}
				if len(e.Exit) == 0 {
					v.add("%s: an else exits by nothing", v.where)
				}
			case *State:
				if e.Slot < 0 || e.Slot >= len(v.state) {
					v.add("%s: state slot %d of %d", v.where, e.Slot, len(v.state))
				}
			case *Key:
				if e.Index < 0 || e.Index >= v.keys {
					v.add("%s: key %d of %d", v.where, e.Index, v.keys)
				}
			case *AggResult:
				if e.Index < 0 || e.Index >= v.aggs {
					v.add("%s: aggregate %d of %d", v.where, e.Index, v.aggs)
				}
			case *CallFn:
				if e.Index < 0 || e.Index >= len(v.p.Funcs) {
					v.add("%s: function %d of %d", v.where, e.Index, len(v.p.Funcs))
				} else if want := len(v.p.Funcs[e.Index].Params); len(e.Args) != want {
					v.add("%s: %s takes %d arguments, %d are given", v.where, e.Name, want, len(e.Args))
				}
			case *MakeRecord:
				if r, ok := e.T.(*types.Record); !ok || len(r.Fields) != len(e.Fields) {
					v.add("%s: a record of %d fields has the type %s", v.where, len(e.Fields), e.T)
				}
			}
			return true
		},
		Stmt: func(s Stmt) bool {
			switch s := s.(type) {
			case *SetLocal:
				local(s.Slot, "an assignment")
			case *For:
				local(s.Slot, "a loop")
				if s.Slot2 != -1 {
					local(s.Slot2, "a loop")
				}
			case *SetState:
				if s.Slot < 0 || s.Slot >= len(v.state) {
					v.add("%s: state slot %d of %d", v.where, s.Slot, len(v.state))
				}
			case *Emit:
				v.emit(s)
			}
			return true
		},
	}
}

func (v *verifier) emit(s *Emit) {
	if s.Output < 0 || s.Output >= len(v.outs) {
		v.add("%s emits to output %d of %d", v.where, s.Output, len(v.outs))
		return
	}
	layout := v.outs[s.Output].Layout
	if len(s.Fields) != len(layout.Fields) {
		v.add("%s emits %d fields as %s", v.where, len(s.Fields), layout.Shape())
		return
	}
	for i, f := range s.Fields {
		if f.Type() != nil && !types.Equal(f.Type(), layout.Fields[i].Type) {
			v.add("%s emits %s, of type %s, as %s: %s", v.where, ExprString(f), f.Type(), layout.Fields[i].Name, layout.Fields[i].Type)
		}
	}
}

func (v *verifier) fn(f *Func) {
	v.where = "function " + f.Name
	v.in, v.outs, v.state, v.keys, v.aggs = nil, nil, nil, 0, 0
	v.locals = make([]types.Type, f.Locals)
	if len(f.Params) > f.Locals {
		v.add("%s has %d locals for %d parameters", v.where, f.Locals, len(f.Params))
	}
	if (f.Value == nil) == (f.Body == nil) {
		v.add("%s has not exactly one of value and body", v.where)
	}
	v.exprs().Walk(f.Value)
	v.exprs().WalkStmts(f.Body)
}

func (v *verifier) edge(i int, e *Edge) {
	if e.ID != i {
		v.add("edge %d has the id %d", i, e.ID)
	}
	if e.From < 0 || e.To >= len(v.p.Nodes) || e.From >= e.To {
		v.add("edge %d leads from node %d to %d", i, e.From, e.To)
		return
	}
	from, to := v.p.Nodes[e.From], v.p.Nodes[e.To]
	v.where = fmt.Sprintf("edge %d (%s -> %s)", i, from.Name, to.Name)
	if to.In == nil || e.Out < 0 || e.Out >= len(from.Outs) {
		v.add("%s: output %d of %d", v.where, e.Out, len(from.Outs))
		return
	}
	layout := from.Outs[e.Out].Layout
	if len(e.Columns) != len(to.In.Fields) {
		v.add("%s gives %d columns for %s", v.where, len(e.Columns), to.In.Shape())
		return
	}
	for i, c := range e.Columns {
		want := to.In.Fields[i]
		if c < 0 || c >= len(layout.Fields) {
			v.add("%s takes %s from column %d of %s", v.where, want.Name, c, layout.Shape())
		} else if got := layout.Fields[c]; !types.Equal(got.Type, want.Type) {
			v.add("%s takes %s: %s from %s: %s", v.where, want.Name, want.Type, got.Name, got.Type)
		}
	}
	if (e.Grouping == ToKey) != (len(e.Keys) > 0) {
		v.add("%s is grouped by %s and has %d keys", v.where, e.Grouping, len(e.Keys))
	}
	if e.Grouping == ToForward && from.Parallelism != to.Parallelism && from.Parallelism != 0 && to.Parallelism != 0 {
		v.add("%s is forward from %d to %d copies", v.where, from.Parallelism, to.Parallelism)
	}
	if e.Fused && e.Grouping != ToForward {
		v.add("%s is fused and not forward", v.where)
	}
	v.in, v.outs, v.locals, v.state, v.keys, v.aggs = to.In, nil, nil, nil, 0, 0
	v.alone = true
	v.exprs().WalkAll(e.Keys)
	v.alone = false
}

// tasks checks the invariants of tasks that the package comment states.
func (v *verifier) tasks() {
	task := make([]int, len(v.p.Nodes)) // of each node, from 1
	for i, t := range v.p.Tasks {
		if t.ID != i {
			v.add("task %d has the id %d", i, t.ID)
		}
		if !slices.IsSorted(t.Nodes) || len(t.Nodes) == 0 {
			v.add("task %d: the nodes %v are not in order", i, t.Nodes)
		}
		for _, id := range t.Nodes {
			n := v.p.Nodes[id]
			if task[id] != 0 {
				v.add("node %d (%s) is in the tasks %d and %d", id, n.Name, task[id]-1, i)
			}
			task[id] = i + 1
			if t.Parallelism < 1 || n.Parallelism != t.Parallelism {
				v.add("node %d (%s) has %d copies in a task of %d", id, n.Name, n.Parallelism, t.Parallelism)
			}
		}
	}
	ins := make([][]*Edge, len(v.p.Nodes))
	for _, e := range v.p.Edges {
		ins[e.To] = append(ins[e.To], e)
		if e.Fused != (task[e.From] == task[e.To]) {
			v.add("edge %d: fused is %t, but it leads from task %d to %d", e.ID, e.Fused, task[e.From]-1, task[e.To]-1)
		}
		if e.Grouping == 0 {
			v.add("edge %d has no grouping", e.ID)
		}
	}
	for id, n := range v.p.Nodes {
		if task[id] == 0 {
			v.add("node %d (%s) is in no task", id, n.Name)
			continue
		}
		head := v.p.Tasks[task[id]-1].Nodes[0] == id
		fused := slices.ContainsFunc(ins[id], func(e *Edge) bool { return e.Fused })
		if head && fused || !head && (len(ins[id]) != 1 || !fused) {
			v.add("node %d (%s): head of its task is %t, it has %d inputs, fused is %t", id, n.Name, head, len(ins[id]), fused)
		}
	}
}
