// Package optimize turns a logical plan into a physical one: fewer columns, chosen parallelism, and tasks.
//
// It is a table of passes, each of which takes a plan that keeps its invariants (plan.Verify) and leaves one that does.
// The passes that only make a plan cheaper can be switched off one by one; the outputs of a pipeline are the same then,
// which tests use. The others fill in what the engine needs.
package optimize

import (
	"fmt"
	"slices"

	"github.com/pipec/pipec/compiler/plan"
)

// Options say for which machine to optimise, and what to leave out.
type Options struct {
	Cores int      // of the machine; less than 1 counts as 1
	Off   []string // names of optional passes to leave out
}

// Pass is one step. An Optional one makes the plan cheaper and nothing else.
type Pass struct {
	Name     string
	Optional bool
	What     string // what it does, in a sentence
	run      func(*plan.Plan, Options)
}

// Passes returns the passes in the order in which they run.
func Passes() []Pass {
	return []Pass{
		{"fold", true, "compute what is constant, and take out branches that are never taken", fold},
		{"prune", true, "drop columns that nobody reads, back to the sources", prune},
		{"split", true, "let sources be read in parts where nothing behind needs their order as a whole", split},
		{"spread", false, "choose the parallelism and groupings that the program does not say", spread},
		{"combine", true, "aggregate before an exchange, and send partial results over it", combine},
		{"fuse", true, "join nodes without an exchange between them", fuse},
		{"tasks", false, "make tasks of nodes that are joined, and tell what is ordered and which edges carry origins", tasks},
	}
}

// Run runs the passes over a logical plan, which it takes over and changes, and returns it. after, if not nil, is
// called after each pass that ran. An unknown name in Options.Off is an error.
func Run(p *plan.Plan, o Options, after func(pass string, p *plan.Plan)) (*plan.Plan, error) {
	o.Cores = max(o.Cores, 1)
	passes := Passes()
	for _, off := range o.Off {
		if !slices.ContainsFunc(passes, func(p Pass) bool { return p.Name == off && p.Optional }) {
			return nil, fmt.Errorf("there is no optional pass `%s`", off)
		}
	}
	for _, pass := range passes {
		if slices.Contains(o.Off, pass.Name) {
			continue
		}
		pass.run(p, o)
		if after != nil {
			after(pass.Name, p)
		}
	}
	return p, nil
}

// Logical chooses parallelism and groupings of a logical plan as Run does, in place, and leaves all else as the program
// says it: what a drawing shows.
func Logical(p *plan.Plan, o Options) {
	o.Cores = max(o.Cores, 1)
	split(p, o)
	choose(p, o)
}

// stateful reports whether a node ends the trees of its input and starts new ones.
func stateful(n *plan.Node) bool {
	switch n.Kind {
	case plan.KindKeyed, plan.KindCombine, plan.KindAggregate, plan.KindTop:
		return true
	}
	return false
}

// edgesOf returns the edges into and out of each node, by node id.
func edgesOf(p *plan.Plan) (ins, outs [][]*plan.Edge) {
	ins, outs = make([][]*plan.Edge, len(p.Nodes)), make([][]*plan.Edge, len(p.Nodes))
	for _, e := range p.Edges {
		ins[e.To] = append(ins[e.To], e)
		outs[e.From] = append(outs[e.From], e)
	}
	return ins, outs
}
