// Package graph draws the logical graph of a pipeline as text for Graphviz (DOT) or Mermaid.
//
// A drawing has one node for each node of the plan, with its name, what it is, its parallelism, and its reliability
// level where that is not the pipeline's; and one arrow for each edge, with the output it leaves from and how rows are
// spread. Equal plans give equal texts.
package graph

import (
	"fmt"
	"strings"

	"github.com/pipec/pipec/compiler/plan"
)

// DOT returns the graph in the language of Graphviz.
func DOT(p *plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quoteDOT(p.Pipeline))
	fmt.Fprintf(&b, "  label=%s; labelloc=t; rankdir=LR;\n", quoteDOT(title(p)))
	b.WriteString("  node [shape=box, fontname=\"sans-serif\"]; edge [fontname=\"sans-serif\", fontsize=10];\n")
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", n.ID, quoteDOT(strings.Join(caption(p, n), "\n")), dotShape(n))
	}
	for _, e := range p.Edges {
		var attrs []string
		if l := label(p, e); l != "" {
			attrs = append(attrs, "label="+quoteDOT(l))
		}
		if e.Optional {
			attrs = append(attrs, "style=dashed")
		}
		list := ""
		if len(attrs) > 0 {
			list = " [" + strings.Join(attrs, ", ") + "]"
		}
		fmt.Fprintf(&b, "  n%d -> n%d%s;\n", e.From, e.To, list)
	}
	b.WriteString("}\n")
	return b.String()
}

// Mermaid returns the graph as a Mermaid flowchart.
func Mermaid(p *plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\n---\nflowchart LR\n", quoteMermaid(title(p)))
	for _, n := range p.Nodes {
		open, shut := mermaidShape(n)
		fmt.Fprintf(&b, "  n%d%s%s%s\n", n.ID, open, quoteMermaid(strings.Join(caption(p, n), "<br/>")), shut)
	}
	for _, e := range p.Edges {
		arrow := "-->"
		if e.Optional {
			arrow = "-.->"
		}
		if l := label(p, e); l != "" {
			arrow += "|" + quoteMermaid(l) + "|"
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", e.From, arrow, e.To)
	}
	return b.String()
}

func title(p *plan.Plan) string { return p.Pipeline + ": " + p.Level.String() }

// caption returns the lines that a node shows.
func caption(p *plan.Plan, n *plan.Node) []string {
	name := n.Name
	if n.Parallelism > 1 {
		name += fmt.Sprintf(" * %d", n.Parallelism)
	}
	lines := []string{name}
	if k := kind(n); k != "" {
		lines = append(lines, k)
	}
	if n.Level != p.Level {
		lines = append(lines, n.Level.String())
	}
	if n.ID == p.Settings.DeadLetters {
		lines = append(lines, "dead letters")
	}
	return lines
}

// kind says what a node is, as a program would write it.
func kind(n *plan.Node) string {
	keys := "global"
	if len(n.Keys) > 0 {
		keys = "by " + keyNames(n)
	}
	switch n.Kind {
	case plan.KindSource, plan.KindSink, plan.KindChannel:
		return n.Connector.Name
	case plan.KindKeyed:
		return "state " + keys
	case plan.KindAggregate, plan.KindCombine:
		return "window " + n.Agg.Window.Kind + " " + keys
	case plan.KindTop:
		if n.Top.N < 0 {
			return "top by " + plan.ExprString(n.Top.By)
		}
		return fmt.Sprintf("top %d by %s", n.Top.N, plan.ExprString(n.Top.By))
	}
	return ""
}

func keyNames(n *plan.Node) string {
	var names []string
	for _, k := range n.Keys {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// label says which output an edge leaves from and how it spreads rows; nothing for what is usual.
func label(p *plan.Plan, e *plan.Edge) string {
	var parts []string
	if name := p.Nodes[e.From].Outs[e.Out].Name; name != "" {
		parts = append(parts, "."+name)
	}
	switch e.Grouping {
	case plan.ToForward, 0:
	case plan.ToKey:
		var keys []string
		for _, k := range e.Keys {
			keys = append(keys, plan.ExprString(k))
		}
		parts = append(parts, "by "+strings.Join(keys, ", "))
	default:
		parts = append(parts, e.Grouping.String())
	}
	if e.Optional {
		parts = append(parts, "optional")
	}
	return strings.Join(parts, " ")
}

func dotShape(n *plan.Node) string {
	switch n.Kind {
	case plan.KindSource:
		return ", shape=invhouse"
	case plan.KindSink:
		return ", shape=house"
	case plan.KindChannel:
		return ", shape=cylinder"
	case plan.KindKeyed, plan.KindAggregate, plan.KindCombine, plan.KindTop:
		return ", shape=box3d"
	}
	return ""
}

func mermaidShape(n *plan.Node) (open, shut string) {
	switch n.Kind {
	case plan.KindSource:
		return "([", "])"
	case plan.KindSink:
		return "[[", "]]"
	case plan.KindChannel:
		return "[(", ")]"
	case plan.KindKeyed, plan.KindAggregate, plan.KindCombine, plan.KindTop:
		return "{{", "}}"
	}
	return "[", "]"
}

func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func quoteMermaid(s string) string {
	return `"` + strings.NewReplacer(`"`, "#quot;", "\n", " ").Replace(s) + `"`
}
