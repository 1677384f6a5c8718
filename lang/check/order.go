package check

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// `ordered` asks for a proof that a bolt gets the tuples of each key in the order of their source. The proof follows
// the rows from the sources on and keeps, for each node, in which sense its rows are in order:
//
//   - total: one task after the other has had them, so all are in order;
//   - by a key: several tasks share them, each key's in one task, so those of a key are in order;
//   - lost, and at which arrow.
//
// Several tasks stand only where the text says so: the compiler gives nodes before an `ordered` bolt one task unless
// told otherwise. Order by a key is only believed as long as nothing but steps that keep all fields lie between, since
// a bolt may put another value into the field.

// rowOrder says in which sense the rows of a node are in order. The zero value is total order.
type rowOrder struct {
	key  string // order by this key alone
	lost *link  // where it was lost
	why  string
}

// checkOrdered proves or refuses each `ordered`.
func (g *graph) checkOrdered(order []*vertex) {
	some := false
	for _, v := range order {
		some = some || v.Kind == BoltNode && !v.broken && v.Bolt.Ordered
	}
	if !some {
		return
	}
	origins := g.origins(order)
	for _, v := range order {
		v.tasks = g.tasksOf(v)
	}
	for _, v := range order {
		in := g.orderOf(v, origins)
		v.order = in
		if v.Kind != BoltNode || v.broken || !v.Bolt.Ordered {
			v.order = behindNode(v, in)
			continue
		}
		keys := keyNames(v.Keys)
		if in.lost == nil && (in.key == "" || in.key == keys) {
			if v.Level > AtMostOnce && g.sentAgain() {
				g.notYet(v.Bolt.Decl.Ordered.Span(), "`ordered` where a row can fail and is sent again, behind later ones,")
			}
			continue
		}
		at, why := v.At, "its rows are in order by `"+in.key+"` alone"
		if in.lost != nil {
			at, why = in.lost.at, in.why
		}
		r := g.errorf(diag.OrderLost, at, "`%s` asks for the rows of each key in order, and %s", v.said(), why).label("order is lost here")
		r.related(v.Bolt.Decl.Ordered.Span(), "asked for here")
		if keys != "" {
			r.note("Spread the rows by its key from here on, `-[by %s]->`, or let the node run in one task.", keys)
		} else {
			r.note("Let the nodes before it run in one task.")
		}
	}
}

// sentAgain reports whether a row can fail on the way, and so come again behind rows that were behind it. A fault does
// not: such a row is a dead letter at once.
func (g *graph) sentAgain() bool {
	for _, v := range g.vertices {
		if v.Kind == BoltNode && !v.broken && v.Level > AtMostOnce && fails(v.Bolt) {
			return true
		}
	}
	return false
}

// fails reports whether a bolt says `fail`, in its body or for all that is not settled.
func fails(b *Bolt) bool {
	found := b.Errors == "fail"
	if b.Decl.Body != nil {
		ast.Walk(b.Decl.Body, func(n ast.Node) bool {
			_, fail := n.(*ast.FailStmt)
			found = found || fail
			return !found
		})
	}
	return found
}

// origins returns the sources that each vertex gets rows from.
func (g *graph) origins(order []*vertex) map[*vertex]map[*vertex]bool {
	from := make(map[*vertex]map[*vertex]bool, len(order))
	for _, v := range order {
		set := map[*vertex]bool{}
		if v.Kind == SourceNode {
			set[v] = true
		}
		for _, l := range v.in {
			for s := range from[l.from] {
				set[s] = true
			}
		}
		from[v] = set
	}
	return from
}

// orderOf returns the order in which rows reach v.
func (g *graph) orderOf(v *vertex, origins map[*vertex]map[*vertex]bool) rowOrder {
	var in rowOrder
	seen := map[*vertex]bool{}
	for i, l := range v.in {
		o := overLink(l)
		for s := range origins[l.from] {
			if seen[s] && o.lost == nil {
				o = rowOrder{lost: l, why: "rows of `" + s.Name + "` arrive on two ways, one of which may be faster"}
			}
			seen[s] = true
		}
		switch {
		case in.lost != nil:
		case i == 0 || o.lost != nil:
			in = o
		case in.key == "":
			in.key = o.key
		case o.key != "" && o.key != in.key:
			in = rowOrder{lost: l, why: "two arrows spread its rows by different keys"}
		}
	}
	return in
}

// overLink returns the order that is left of a node's rows behind an arrow.
func overLink(l *link) rowOrder {
	o := l.from.order
	if o.lost != nil {
		return o
	}
	kind, keys := "", keyNames(l.to.Keys)
	if l.grouping != nil {
		kind = l.grouping.Kind
	}
	if kind == "by" {
		keys = keyNames(l.keys)
	}
	to := l.to.tasks
	switch {
	case to == 1 || kind == "global":
		return o
	case kind == "shuffle" || kind == "all":
		return rowOrder{lost: l, why: "`-[" + kind + "]->` spreads them over tasks that do not wait for each other"}
	case keys != "" && (o.key == "" || o.key == keys):
		return rowOrder{key: keys}
	case keys != "":
		return rowOrder{lost: l, why: "this arrow spreads them anew by another key"}
	case kind == "local" || l.from.tasks == to:
		return o
	}
	return rowOrder{lost: l, why: "`" + l.to.said() + "` shares them out among several tasks"}
}

// behindNode returns the order of what v gives.
func behindNode(v *vertex, in rowOrder) rowOrder {
	if in.lost != nil || in.key == "" {
		return in
	}
	switch v.Kind {
	case WhereNode, FlatNode, RouteNode, ChannelNode:
		return in
	}
	if len(v.in) == 0 {
		return in
	}
	return rowOrder{lost: v.in[0], why: "`" + v.said() + "` runs in several tasks and may change the key"}
}

// tasksOf returns how many tasks v has as far as the text says it; 2 stands for a number that the command line gives.
func (g *graph) tasksOf(v *vertex) int {
	switch {
	case v.Times > 0:
		return v.Times
	case v.TimesExpr != nil:
		return 2
	case v.Kind == SourceNode || v.Kind == SinkNode || v.Kind == TopNode || v.Kind == ChannelNode:
		return 1
	case v.Kind == BoltNode && !v.broken && (v.Bolt.Global || v.Bolt.Stateful && len(v.Keys) == 0):
		return 1
	}
	s, written := g.p.Settings["parallelism"]
	switch {
	case !written:
		return 1
	case s.Value.IsNone():
		return 2
	}
	return int(s.Value.Int())
}
