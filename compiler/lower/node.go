package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// node makes the plan's node of a checked one, with the input layout that its edges need.
func (l *lowerer) node(n *check.Node, in *types.Record) *plan.Node {
	node := &plan.Node{
		Name: n.Name, Origin: n.At, Level: plan.Level(n.Level), In: in, Errors: policy(n.Errors), Parallelism: l.times(n),
	}
	for _, o := range n.Outs {
		node.Outs = append(node.Outs, plan.Out{Name: o.Name, Layout: o.Type})
	}
	switch n.Kind {
	case check.SourceNode:
		node.Kind = plan.KindSource
		node.Connector = l.connector(n, nil)
	case check.ChannelNode:
		node.Kind = plan.KindChannel
		node.Outs[0].Layout = in
		node.Connector = l.connector(n, in)
	case check.SinkNode:
		l.sink(node, n)
	case check.BoltNode:
		l.bolt(node, n)
	case check.WhereNode, check.SelectNode, check.FlatNode, check.RouteNode:
		node.Kind = plan.KindBody
		l.step(node, n)
	case check.AggregateNode:
		l.aggregateStep(node, n)
	case check.TopNode:
		l.top(node, n)
	default:
		bug.Panicf("lower: unknown node kind %d of %s", n.Kind, n.Name)
	}
	l.add(node)
	l.nodes[n] = node
	return node
}

// times returns the written parallelism of a node, or the pipeline's for a node that can be shared out, or 0.
func (l *lowerer) times(n *check.Node) int {
	if n.TimesExpr != nil {
		v := l.constant(n.TimesExpr)
		if d, bad := check.BadTimes(v, n.TimesExpr); bad && !v.IsNone() {
			l.diags = append(l.diags, d)
		}
		return int(v.Int())
	}
	switch n.Kind {
	case check.SourceNode, check.SinkNode, check.ChannelNode, check.TopNode:
		return 0
	case check.BoltNode:
		if n.Bolt.Global || n.Bolt.Stateful && len(n.Keys) == 0 {
			return 0
		}
	case check.AggregateNode:
		if len(n.Keys) == 0 {
			return 0
		}
	}
	if s, ok := l.pipeline.Settings["parallelism"]; ok {
		return int(l.constant(s.Expr).Int())
	}
	return 0
}

func policy(word string) plan.Policy {
	switch word {
	case "":
		return plan.PolicyNone
	case "drop":
		return plan.PolicyDrop
	case "fail":
		return plan.PolicyFail
	case "emit":
		return plan.PolicyEmit
	}
	bug.Panicf("lower: unknown policy %q", word)
	return plan.PolicyNone
}

// connector makes the settings of a source, channel or sink; in is the layout of its rows, for what is computed for
// each.
func (l *lowerer) connector(n *check.Node, in *types.Record) *plan.Connector {
	c := &plan.Connector{Name: n.Sig.FullName(), Traits: n.Traits}
	c.Args, c.Each = l.args(n.Args, in)
	if n.Codec != nil {
		codec := &plan.Codec{Name: n.Codec.Sig.Name}
		codec.Args, codec.Each = l.args(n.Codec.Args, in)
		c.Codec = codec
	}
	c.Identity = identity(n, c)
	return c
}

// args returns constant arguments with their defaults, and those that are computed for each row. What is constant in
// the place of an `each` argument is a constant argument.
func (l *lowerer) args(args []check.Arg, in *types.Record) ([]plan.Arg, []plan.EachArg) {
	var constant []plan.Arg
	var each []plan.EachArg
	for i, a := range args {
		switch {
		case types.Bare(a.Param.Type) == types.Codec:
		case a.Value == nil:
			if !a.Param.Default.IsNone() {
				constant = append(constant, plan.Arg{Name: a.Name, Value: a.Param.Default})
			}
		case a.Each:
			x := optimize.Fold(l.expr(&env{in: in}, a.Value))
			if a.Param.Name == pathParam {
				x = guarded(x)
			}
			if c, ok := x.(*plan.Const); ok {
				constant = append(constant, plan.Arg{Name: a.Name, Value: c.Value})
			} else {
				each = append(each, plan.EachArg{Name: a.Name, Expr: x})
			}
		default:
			v := l.constant(a.Value)
			if d, bad := check.BadArg(&args[i], v); bad {
				l.diags = append(l.diags, d)
			}
			constant = append(constant, plan.Arg{Name: a.Name, Value: v})
		}
	}
	return constant, each
}

// pathParam is the name of parameters that are the path of a file.
const pathParam = "path"

// guarded returns a path whose holes over the row are checked not to lead elsewhere.
func guarded(x plan.Expr) plan.Expr {
	guard := func(x plan.Expr) plan.Expr {
		if isPart(x) {
			return x
		}
		return &plan.Call{X: plan.X{T: types.String, At: x.Origin()}, Func: "file.part", Args: []plan.Expr{x}}
	}
	text, ok := x.(*plan.Interp)
	if !ok {
		return guard(x)
	}
	checked := *text
	checked.Parts = nil
	for _, p := range text.Parts {
		checked.Parts = append(checked.Parts, guard(p))
	}
	return &checked
}

// isPart reports whether a piece of a path is constant, or of a type whose text leads nowhere.
func isPart(x plan.Expr) bool {
	switch x := x.(type) {
	case *plan.Const:
		return true
	case *plan.Convert:
		switch t := x.Operand.Type().(type) {
		case types.Basic:
			return t == types.Bool || t == types.Int || t == types.Float || t == types.Time || t == types.Duration
		case *types.Enum:
			return !slices.ContainsFunc(t.Members, func(m string) bool { return m == "." || m == ".." || strings.ContainsAny(m, "/\\\x00") })
		}
	}
	return false
}

// identity names what stored positions belong to: the connector with what says where and what it reads. What only tunes
// it is left out: a number or a duration, which a changed pipeline may set otherwise and still go on.
func identity(n *check.Node, c *plan.Connector) string {
	id := c.Name
	for _, a := range c.Args {
		switch a.Value.Kind() {
		case value.Int, value.Float, value.Duration, value.Bool:
			if a.Name != "seed" {
				continue
			}
		}
		id += fmt.Sprintf(" %s=%s", a.Name, a.Value)
	}
	for _, a := range c.Each {
		id += fmt.Sprintf(" %s=%s", a.Name, plan.ExprString(a.Expr))
	}
	return id
}

// sink makes a sink; its input is what it encodes.
func (l *lowerer) sink(node *plan.Node, n *check.Node) {
	node.Kind = plan.KindSink
	node.Connector = l.connector(n, node.In)
	for i := range node.Outs {
		if node.Outs[i].Name == "errors" {
			node.Outs[i].Layout = &types.Record{Fields: []types.Field{
				{Name: "input", Type: node.In}, node.Outs[i].Layout.Fields[1],
			}}
		}
	}
	node.DeadRows = n.CanFail || refuses(n, node.Connector)
}

// refuses reports whether a sink can refuse a row: for a path that is computed for each row and may lead elsewhere. A
// template, which can be left out, says how a row is written and never stands against it.
func refuses(n *check.Node, c *plan.Connector) bool {
	return slices.ContainsFunc(c.Each, func(e plan.EachArg) bool {
		return slices.ContainsFunc(n.Args, func(a check.Arg) bool { return a.Name == e.Name && a.Param.Required })
	})
}

// bolt makes an instance of a bolt.
func (l *lowerer) bolt(node *plan.Node, n *check.Node) {
	b := n.Bolt
	e := &env{in: node.In, with: l.with(n), outs: node.Outs}
	for _, k := range b.Keys {
		node.Keys = append(node.Keys, plan.KeyDef{Name: k.Name, Expr: l.expr(e, k.Value)})
	}
	e.rowKeys = node.Keys
	node.Global = b.Global
	window := b.Decl.Window
	switch {
	case window != nil:
		node.Kind = plan.KindAggregate
		node.Global = len(node.Keys) == 0
		node.Agg = &plan.Aggregate{Window: plan.Window{Kind: window.Kind}}
		for _, call := range b.Aggs {
			node.Agg.Calls = append(node.Agg.Calls, l.aggCall(e, call))
		}
	case len(node.Keys) > 0 || b.Global:
		node.Kind = plan.KindKeyed
	default:
		node.Kind = plan.KindBody
	}
	inner := *e
	inner.keys = node.Keys
	node.Body = l.body(&inner, b)
	node.DeadRows = n.CanFail
}

// with returns the values of a bolt's parameters in this instance.
func (l *lowerer) with(n *check.Node) []*plan.Const {
	var list []*plan.Const
	for i, obj := range n.Bolt.With {
		var e ast.Expr
		if i < len(n.Args) {
			e = n.Args[i].Value
		}
		if e == nil {
			e = obj.Value
		}
		if e == nil {
			bug.Panicf("lower: the parameter `%s` of %s has no value", obj.Name, n.Name)
		}
		list = append(list, &plan.Const{X: plan.X{T: obj.Type, At: e.Span()}, Value: l.constant(e)})
	}
	return list
}

// step makes the body of an inline step.
func (l *lowerer) step(node *plan.Node, n *check.Node) {
	e := &env{in: node.In, outs: node.Outs}
	body := &plan.Body{Locals: slices.Clone(n.Locals)}
	s := plan.S{At: n.At}
	switch step := l.stepOf(n).(type) {
	case *ast.WhereStep:
		body.Stmts = []plan.Stmt{&plan.IfStmt{S: s, Cond: l.expr(e, step.Cond), Then: []plan.Stmt{passOn(node, 0, s)}}}
	case *ast.SelectStep:
		body.Stmts = []plan.Stmt{l.emitRecord(e, step.Record, s)}
	case *ast.FlatStep:
		l.flat(node, body, step, e, s)
	case *ast.RouteStep:
		body.Stmts = l.cases(node, step.Cases, e)
	default:
		bug.Panicf("lower: %s is no step but %T", n.Name, step)
	}
	node.Body = body
	body.CanFail, node.DeadRows = n.CanFail, n.CanFail
}

// stepOf returns the step that made a node: behind an arrow, or of an item that names it.
func (l *lowerer) stepOf(n *check.Node) ast.Step {
	switch d := n.Decl.(type) {
	case *ast.BoltItem:
		return d.Step
	case ast.Step:
		return d
	}
	bug.Panicf("lower: %s is made by %T", n.Name, n.Decl)
	return nil
}

// passOn emits the fields of the output as they came.
func passOn(node *plan.Node, out int, s plan.S) *plan.Emit {
	emit := &plan.Emit{S: s, Output: out}
	for _, f := range node.Outs[out].Layout.Fields {
		emit.Fields = append(emit.Fields, input(node, f, s))
	}
	return emit
}

func input(node *plan.Node, f types.Field, s plan.S) plan.Expr {
	return &plan.Input{X: plan.X{T: f.Type, At: s.At}, Field: node.In.Index(f.Name), Name: f.Name}
}

// emitRecord emits a record literal to the main output.
func (l *lowerer) emitRecord(e *env, rec *ast.RecordExpr, s plan.S) *plan.Emit {
	emit := &plan.Emit{S: s}
	switch x := l.expr(e, rec).(type) {
	case *plan.MakeRecord:
		emit.Fields = x.Fields
	default:
		bug.Panicf("lower: a record literal became %T", x)
	}
	return emit
}

// flat loops over the list, with the element in a new slot.
func (l *lowerer) flat(node *plan.Node, body *plan.Body, step *ast.FlatStep, e *env, s plan.S) {
	layout := node.Outs[0].Layout
	elem := layout.Fields[layout.Index(step.Name.Name)]
	slot := len(body.Locals)
	in := l.expr(e, step.Value)
	body.Locals = append(body.Locals, elem.Type)
	emit := &plan.Emit{S: s}
	for _, f := range layout.Fields {
		if f.Name == elem.Name {
			emit.Fields = append(emit.Fields, &plan.Local{X: plan.X{T: f.Type, At: step.Name.Span()}, Slot: slot, Name: f.Name})
			continue
		}
		emit.Fields = append(emit.Fields, input(node, f, s))
	}
	body.Stmts = []plan.Stmt{&plan.For{S: s, Slot: slot, Slot2: -1, In: in, Body: []plan.Stmt{emit}}}
}

// cases makes the chain of a route: the first case that holds takes the row.
func (l *lowerer) cases(node *plan.Node, cases []*ast.Case, e *env) []plan.Stmt {
	var chain []plan.Stmt
	for ; len(cases) > 0; cases = cases[:len(cases)-1] {
		k := len(cases) - 1
		c := cases[k]
		at := plan.S{At: c.Span()}
		emit := []plan.Stmt{passOn(node, k, at)}
		if c.When == nil {
			chain = emit
			continue
		}
		chain = []plan.Stmt{&plan.IfStmt{S: at, Cond: l.expr(e, c.When), Then: emit, Else: chain}}
	}
	return chain
}

// aggregateStep makes `by … window … aggregate (…)`: the body of the fired window emits keys and items.
func (l *lowerer) aggregateStep(node *plan.Node, n *check.Node) {
	step, ok := l.stepOf(n).(*ast.AggregateStep)
	if !ok {
		bug.Panicf("lower: %s is no aggregate", n.Name)
	}
	node.Kind = plan.KindAggregate
	e := &env{in: node.In, outs: node.Outs}
	for _, k := range n.Keys {
		node.Keys = append(node.Keys, plan.KeyDef{Name: k.Name, Expr: l.expr(e, k.Value)})
	}
	e.rowKeys = node.Keys
	e.rowKeys = node.Keys
	node.Global = len(node.Keys) == 0
	node.Agg = &plan.Aggregate{Window: plan.Window{Kind: step.Window.Kind}}
	for _, call := range n.Aggs {
		node.Agg.Calls = append(node.Agg.Calls, l.aggCall(e, call))
	}
	inner := &env{outs: node.Outs, keys: node.Keys}
	s := plan.S{At: n.At}
	emit := &plan.Emit{S: s}
	for i, k := range n.Keys {
		emit.Fields = append(emit.Fields, &plan.Key{X: plan.X{T: k.Type, At: n.At}, Index: i, Name: k.Name})
	}
	emit.Fields = append(emit.Fields, l.emitRecord(inner, step.Record, s).Fields...)
	node.Body = &plan.Body{Locals: slices.Clone(n.Locals), Stmts: []plan.Stmt{emit}}
	node.Body.CanFail, node.DeadRows = n.CanFail, n.CanFail
}

// top makes `top N by E`.
func (l *lowerer) top(node *plan.Node, n *check.Node) {
	step, ok := l.stepOf(n).(*ast.TopStep)
	if !ok {
		bug.Panicf("lower: %s is no top", n.Name)
	}
	node.Kind, node.Global = plan.KindTop, true
	node.Outs[0].Layout = node.In
	node.Top = &plan.Top{N: -1, By: l.expr(&env{in: node.In}, step.By)}
	if step.Count != nil {
		v := l.constant(step.Count)
		if v.Int() < 1 && !v.IsNone() {
			l.diags = append(l.diags, check.BadTopCount(v, step.Count))
		}
		node.Top.N = v.Int()
	}
	node.DeadRows = n.CanFail
}
