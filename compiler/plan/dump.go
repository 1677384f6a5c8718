package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Dump returns the plan as text for people and golden tests. Equal plans give equal texts; the text is not read back
// and may change between versions. Places are line:col, in the file that is named first unless another one is given.
//
// In expressions a bare name is a field of the node's input, name$0 the local slot 0, @name a state variable, #name a
// key, and agg[0] the result of an aggregate call. `??` replaces none and `else` a failure.
func Dump(p *Plan) string {
	d := &dumper{}
	d.line("pipeline %s %s %s", p.Pipeline, p.Level, p.Profile)
	d.settings(p)
	for i := range p.Funcs {
		d.fn(i, &p.Funcs[i])
	}
	for _, n := range p.Nodes {
		d.node(n)
	}
	for _, e := range p.Edges {
		d.edge(p, e)
	}
	for _, t := range p.Tasks {
		var names []string
		for _, id := range t.Nodes {
			names = append(names, p.Nodes[id].Name)
		}
		d.line("task %d * %d: %s", t.ID, t.Parallelism, strings.Join(names, ", "))
	}
	return d.text.String()
}

// String returns the level as a program writes it.
func (l Level) String() string {
	switch l {
	case AtMostOnce:
		return "at_most_once"
	case AtLeastOnce:
		return "at_least_once"
	case ExactlyOnce:
		return "exactly_once"
	default:
		return fmt.Sprintf("level(%d)", uint8(l))
	}
}

// String returns P0 to P3.
func (p Profile) String() string { return fmt.Sprintf("P%d", uint8(p)) }

var kindNames = [...]string{"", "source", "body", "keyed", "combine", "aggregate", "top", "channel", "sink"}

// String returns the kind in one word.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

var groupingNames = [...]string{"default", "forward", "shuffle", "key", "all", "global", "local"}

// String returns the grouping in one word; the zero Grouping is "default": the compiler has not chosen yet.
func (g Grouping) String() string {
	if int(g) >= len(groupingNames) {
		return fmt.Sprintf("grouping(%d)", uint8(g))
	}
	return groupingNames[g]
}

var policyNames = [...]string{"none", "drop", "fail", "emit"}

// String returns the policy in one word.
func (p Policy) String() string {
	if int(p) >= len(policyNames) {
		return fmt.Sprintf("policy(%d)", uint8(p))
	}
	return policyNames[p]
}

// dumper collects the text. file is the file that places are in unless they say another.
type dumper struct {
	text strings.Builder
	file *source.File
}

func (d *dumper) line(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n", args...)
}

// place returns " @line:col", with the file's name where it is another than the one before; nothing for no place.
func (d *dumper) place(s source.Span) string {
	if !s.IsValid() {
		return ""
	}
	line, col := s.File.OffsetLineCol(s.Start)
	at := fmt.Sprintf("%d:%d", line, col)
	if s.File != d.file {
		d.file = s.File
		at = s.File.Name() + ":" + at
	}
	return " @" + at
}

func (d *dumper) settings(p *Plan) {
	s := p.Settings
	dead := "none"
	if s.DeadLetters >= 0 && s.DeadLetters < len(p.Nodes) {
		dead = p.Nodes[s.DeadLetters].Name
	}
	d.line("  id %q, timeout %s, pending %d (%d bytes), uncommitted %d, retries %d, dead letters %s, epoch %s, store %q",
		s.ID, duration(s.Timeout), s.Pending, s.PendingBytes, s.Uncommitted, s.Retries, dead, duration(s.Epoch), s.Store)
}

func duration(ns int64) string { return value.OfDuration(time.Duration(ns)).String() }

func (d *dumper) fn(i int, f *Func) {
	var params []string
	for slot, t := range f.Params {
		params = append(params, fmt.Sprintf("$%d: %s", slot, t))
	}
	mark := ""
	if f.Fallible {
		mark = "!"
	}
	head := fmt.Sprintf("fn %d %s(%s) -> %s%s", i, f.Name, strings.Join(params, ", "), f.Result, mark)
	if f.Value != nil {
		d.line("%s = %s%s", head, ExprString(f.Value), d.place(f.Origin))
		return
	}
	d.line("%s%s", head, d.place(f.Origin))
	d.stmts("  ", f.Body)
}

func (d *dumper) node(n *Node) {
	head := fmt.Sprintf("node %d %s: %s", n.ID, n.Name, n.Kind)
	if n.Connector != nil {
		head += " " + n.Connector.Name
	}
	if n.Parallelism > 0 {
		head += fmt.Sprintf(" * %d", n.Parallelism)
	}
	d.line("%s %s%s%s", head, n.Level, flags(
		flag{n.Global, "global"}, flag{n.Ordered, "ordered"}, flag{n.DeadRows, "dead rows"},
		flag{n.Errors != PolicyNone, "errors " + n.Errors.String()}), d.place(n.Origin))
	if n.In != nil {
		d.line("  in %s", n.In.Shape())
	}
	if n.Connector != nil {
		d.connector(n.Connector)
	}
	for i, k := range n.Keys {
		d.line("  key %d %s = %s", i, k.Name, ExprString(k.Expr))
	}
	if n.Agg != nil {
		d.aggregate(n.Agg)
	}
	if n.Top != nil {
		d.line("  top %d by %s", n.Top.N, ExprString(n.Top.By))
	}
	if n.Body != nil {
		d.body(n.Body)
	}
	for _, o := range n.Outs {
		d.line("  out%s %s", strings.TrimRight(" "+o.Name, " "), o.Layout.Shape())
	}
}

type flag struct {
	set  bool
	name string
}

func flags(list ...flag) string {
	text := ""
	for _, f := range list {
		if f.set {
			text += ", " + f.name
		}
	}
	return text
}

func (d *dumper) connector(c *Connector) {
	args := func(list []Arg, each []EachArg) {
		for _, a := range list {
			d.line("  arg %s = %s", a.Name, a.Value)
		}
		for _, a := range each {
			d.line("  each %s = %s", a.Name, ExprString(a.Expr))
		}
	}
	args(c.Args, c.Each)
	if c.Codec != nil {
		d.line("  codec %s", c.Codec.Name)
		args(c.Codec.Args, c.Codec.Each)
	}
	if len(c.Traits) > 0 {
		d.line("  traits %s", strings.Join(c.Traits, " "))
	}
	if c.Identity != "" {
		d.line("  identity %s", c.Identity)
	}
	if c.Splittable {
		d.line("  split freely")
	}
}

func (d *dumper) aggregate(a *Aggregate) {
	w := a.Window
	text := "  window " + w.Kind
	if w.Size != 0 {
		text += " " + duration(w.Size)
	}
	if w.Every != 0 {
		text += " every " + duration(w.Every)
	}
	if a.Partials {
		text += ", of partial results"
	}
	d.line("%s", text)
	for i, c := range a.Calls {
		args := ""
		if !a.Partials {
			args = exprList(c.Args)
		}
		d.line("  agg[%d] = %s(%s): %s%s", i, c.Func, args, c.Type, d.place(c.At))
	}
}

func (d *dumper) body(b *Body) {
	for i, s := range b.State {
		keep := ""
		if s.Keep != 0 {
			keep = " keep " + duration(s.Keep)
		}
		d.line("  state %d @%s: %s = %s%s", i, s.Name, s.Type, ExprString(s.Init), keep)
	}
	if len(b.Locals) > 0 {
		var locals []string
		for i, t := range b.Locals {
			locals = append(locals, fmt.Sprintf("$%d: %s", i, t))
		}
		d.line("  locals %s", strings.Join(locals, ", "))
	}
	d.line("  body%s", flags(flag{b.Errors != PolicyNone, "errors " + b.Errors.String()}, flag{b.CanFail, "can fail"}))
	d.stmts("    ", b.Stmts)
}

func (d *dumper) stmts(indent string, list []Stmt) {
	for _, s := range list {
		at := d.place(s.Origin())
		switch s := s.(type) {
		case *IfStmt:
			d.line("%sif %s {%s", indent, ExprString(s.Cond), at)
			d.stmts(indent+"  ", s.Then)
			if len(s.Else) > 0 {
				d.line("%s} else {", indent)
				d.stmts(indent+"  ", s.Else)
			}
			d.line("%s}", indent)
		case *For:
			names := fmt.Sprintf("$%d", s.Slot)
			if s.Slot2 >= 0 {
				names += fmt.Sprintf(", $%d", s.Slot2)
			}
			d.line("%sfor %s in %s {%s", indent, names, ExprString(s.In), at)
			d.stmts(indent+"  ", s.Body)
			d.line("%s}", indent)
		default:
			d.line("%s%s%s", indent, simpleStmt(s), at)
		}
	}
}

// simpleStmt returns a statement in one line; blocks are cut to their heads, for statements inside of an expression.
func simpleStmt(s Stmt) string {
	switch s := s.(type) {
	case *SetLocal:
		return fmt.Sprintf("$%d = %s", s.Slot, ExprString(s.Value))
	case *SetState:
		return fmt.Sprintf("@%d = %s", s.Slot, ExprString(s.Value))
	case *SetIndex:
		sigil := "$"
		if s.State {
			sigil = "@"
		}
		return fmt.Sprintf("%s%d[%s] = %s", sigil, s.Slot, ExprString(s.Key), ExprString(s.Value))
	case *Emit:
		text := "emit"
		if s.Unanchored {
			text += " unanchored"
		}
		if s.Output != 0 {
			text += " to " + strconv.Itoa(s.Output)
		}
		return text + " (" + exprList(s.Fields) + ")"
	case *Drop:
		return "drop " + value.OfString(s.Name).String()
	case *Fail:
		return "fail " + ExprString(s.Message)
	case *Return:
		if s.Value == nil {
			return "return"
		}
		return "return " + ExprString(s.Value)
	case *Break:
		return "break"
	case *Continue:
		return "continue"
	case *IfStmt:
		return "if " + ExprString(s.Cond) + " {" + stmtList(s.Then) + "} else {" + stmtList(s.Else) + "}"
	case *For:
		return fmt.Sprintf("for $%d in %s {%s}", s.Slot, ExprString(s.In), stmtList(s.Body))
	default:
		bug.Panicf("plan: dump of unhandled statement %T", s)
		return ""
	}
}

func stmtList(list []Stmt) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, simpleStmt(s))
	}
	return strings.Join(parts, "; ")
}

func (d *dumper) edge(p *Plan, e *Edge) {
	from, to := p.Nodes[e.From], p.Nodes[e.To]
	name := from.Name
	if e.Out < len(from.Outs) && from.Outs[e.Out].Name != "" {
		name += "." + from.Outs[e.Out].Name
	}
	how := e.Grouping.String()
	if len(e.Keys) > 0 {
		how += " (" + exprList(e.Keys) + ")"
	}
	var columns []string
	for i, c := range e.Columns {
		column := strconv.Itoa(c)
		if to.In != nil && i < len(to.In.Fields) {
			column = to.In.Fields[i].Name + "=" + column
		}
		columns = append(columns, column)
	}
	d.line("edge %d %s -> %s: %s [%s]%s%s", e.ID, name, to.Name, how, strings.Join(columns, " "), flags(
		flag{e.Fused, "fused"}, flag{e.Optional, "optional"}, flag{e.Origins, "origins"}), d.place(e.Origin))
}

func typeString(t types.Type) string {
	if t == nil {
		return "?"
	}
	return t.String()
}
