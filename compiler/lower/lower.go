// Package lower makes a logical plan of a checked pipeline: nodes and edges, with everything that is only syntax gone.
//
// What the checker accepted cannot fail here for a reason of types; such a failure is a bug of pipec. What can fail is
// what only the parameters of the command line decide: a constant that overflows, a number of tasks out of range.
//
// A node of the checked graph becomes one node of the plan under the same name, so that state and positions can be
// found again:
//
//	source, channel, sink        the connector with its constants; what is computed for each row as expressions
//	bolt without state           KindBody
//	bolt by key or global        KindKeyed
//	bolt with a window           KindAggregate: what the body says runs when a window fires
//	where E                      KindBody: if E { emit all fields }
//	select (…)                   KindBody: emit (…)
//	flat E as x                  KindBody: for x in E { emit all fields and x }
//	route                        KindBody: if … else if …, one output for each case
//	aggregate (…)                KindAggregate whose body emits the record
//	top N by E                   KindTop
//
// Parallelism and groupings that the program does not say are left open for the optimiser, fields are not pruned and
// nothing is fused. A sink takes the union of the fields that reach it; where an arrow brings fewer, a KindBody node
// before the sink fills them up with none.
package lower

import (
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// How the files call each other. lower.go, graph.go and node.go give to expr.go and body.go:
//
//	l.info, l.prog          what the checker found out
//	l.param(obj) value.Value    value of a parameter of a file: of the command line, else its default
//	l.plan.Funcs            the functions of the plan, to append to
//	env                     what names stand for, see below
//
// They give in return:
//
//	l.expr(env, e) plan.Expr            the value of e, converted to what its place wants (Info.Wants)
//	l.body(env, b *check.Bolt) *plan.Body   the body of a bolt; its locals are the bolt's
//	l.aggCall(env, call) plan.AggCall   a call of an aggregate, its arguments over env.in

// Options say what a program is compiled with.
type Options struct {
	// Params are values of the command line by the parameter's name, of the parameter's type (check.ParamValue). A
	// parameter that is missing has its default.
	Params map[string]value.Value
}

// Pipeline lowers one pipeline of a program that was checked without an error. The plan is logical: see
// compiler/optimize for what follows. It is nil if the list has an error.
func Pipeline(prog *check.Program, p *check.Pipeline, opts Options) (*plan.Plan, diag.List) {
	l := &lowerer{
		prog: prog, info: prog.Info, params: opts.Params, pipeline: p,
		plan:  &plan.Plan{Pipeline: p.Name, Level: plan.Level(p.Level)},
		nodes: map[*check.Node]*plan.Node{}, fns: map[*ast.FnDecl]int{},
		consts: map[*check.Object]value.Value{}, fills: map[string]int{},
	}
	l.missingParams()
	l.graph()
	l.settings()
	l.profile()
	if l.diags.HasErrors() {
		return nil, l.diags.Sorted()
	}
	if err := plan.Verify(l.plan); err != nil {
		bug.Panicf("lower: %v", err)
	}
	return l.plan, l.diags.Sorted()
}

// lowerer holds what is made so far.
type lowerer struct {
	prog     *check.Program
	info     *check.Info
	params   map[string]value.Value
	pipeline *check.Pipeline
	plan     *plan.Plan
	nodes    map[*check.Node]*plan.Node
	fns      map[*ast.FnDecl]int // index into plan.Funcs
	consts   map[*check.Object]value.Value
	fills    map[string]int // nodes that fill up fields, by name
	diags    diag.List
}

// env is what the names of a piece of text stand for.
type env struct {
	// in is the layout of the row in hand: fields are found by name, since a layout can have more fields than the
	// record that the text was checked against. nil where there is no row.
	in *types.Record
	// with has the values of the bolt's parameters, by their position.
	with []*plan.Const
	// outs are the outputs, for `emit`.
	outs []plan.Out
	// keys says that ObjKey stands for a key of the node in hand and is in reach; where it is not (the keys
	// themselves), a name is a field.
	keys []plan.KeyDef
	// rowKeys are the keys for text that runs for each row in front of a window, where ObjKey stands for what they are
	// computed from.
	rowKeys []plan.KeyDef
	// locals are the types of the local slots, to append to.
	locals *[]types.Type
}

// missingParams tells parameters without a value. Those of files that are used have their defaults, or none.
func (l *lowerer) missingParams() {
	for _, p := range l.prog.Params {
		if _, given := l.params[p.Name]; !given && p.Value == nil {
			l.diags = append(l.diags, check.MissingParam(p, true))
		}
	}
	for _, f := range l.prog.Files[1:] {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.ParamDecl); ok {
				if p := l.info.Objects[d.Param.Name]; p != nil && p.Used && p.Value == nil {
					l.diags = append(l.diags, check.MissingParam(p, false))
				}
			}
		}
	}
}

// param returns the value of a file-level parameter. Those of imported files have their defaults.
func (l *lowerer) param(obj *check.Object) value.Value {
	if obj.File == l.prog.Files[0] {
		if v, ok := l.params[obj.Name]; ok {
			return v
		}
	}
	if obj.Value == nil {
		return value.Value{} // told by missingParams
	}
	return l.constant(obj.Value)
}

// constant returns the value of a constant expression, converted to what its place wants. One that has no value for
// the parameters at hand is told.
func (l *lowerer) constant(e ast.Expr) value.Value {
	x := optimize.Fold(l.expr(&env{}, e))
	c, ok := x.(*plan.Const)
	if !ok {
		l.diags = append(l.diags, diag.Diagnostic{
			Code: diag.ConstantFault, Severity: diag.Error, Span: e.Span(),
			Message: "this constant has no value with the parameters that were given",
			Label:   "overflows, divides by zero or is too large",
		})
		return value.Value{}
	}
	return c.Value
}

// settings fills in what the program does not set.
func (l *lowerer) settings() {
	s := &l.plan.Settings
	*s = plan.Settings{
		ID: l.pipeline.Name, Timeout: 30e9, Pending: 1_000_000, PendingBytes: 64 << 20, Retries: 5, DeadLetters: -1, Epoch: 1e9,
	}
	if f := l.prog.Files[0].Source; f != nil {
		s.ID += " " + f.Name()
	}
	get := func(name string, set func(value.Value)) {
		if w, ok := l.pipeline.Settings[name]; ok {
			v := l.constant(w.Expr)
			if d, bad := check.BadSetting(name, v, w.Expr); bad && !v.IsNone() {
				l.diags = append(l.diags, d)
			}
			set(v)
		}
	}
	get("id", func(v value.Value) { s.ID = v.Str() })
	get("timeout", func(v value.Value) { s.Timeout = v.Int() })
	get("pending", func(v value.Value) { s.Pending = int(v.Int()) })
	get("retries", func(v value.Value) { s.Retries = int(v.Int()) })
	get("parallelism", func(value.Value) {})
	get("epoch", func(v value.Value) { s.Epoch = v.Int() })
	s.Uncommitted = 64 * s.Pending
	get("uncommitted", func(v value.Value) { s.Uncommitted = int(v.Int()) })
	if l.pipeline.Dead != nil {
		s.DeadLetters = l.nodes[l.pipeline.Dead].ID
	}
}

// profile chooses how the engine keeps the level: with a ledger if rows are tracked, with barriers if there is state.
func (l *lowerer) profile() {
	l.plan.Profile = plan.P0
	for _, n := range l.plan.Nodes {
		if n.Level < plan.AtLeastOnce {
			continue
		}
		switch n.Kind {
		case plan.KindKeyed, plan.KindAggregate, plan.KindTop:
			l.plan.Profile = plan.P2
		default:
			l.plan.Profile = max(l.plan.Profile, plan.P1)
		}
	}
}
