package check

import (
	"container/heap"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// graph is a pipeline in the making. It is built in four steps, each of which looks at every node and link once, so
// that the whole is linear in the size of the text (the order in the text is kept by a heap: times its logarithm):
//
//  1. Names: the items become vertices, settings are read (pipeline.go, settings.go).
//  2. Shape: flows become links between vertices; steps without a name become vertices too (flow.go). Then the vertices
//     are put in topological order, and what lies on a cycle or behind one stays without types (here).
//  3. Types: in that order, each vertex learns from its links what reaches it, checks it, and says what it gives
//     (node.go, connector.go).
//  4. Judgement: what is unused, unreached or untaken (here), and which level each node keeps (rules.go).
//
// Invariant: a fault that was told makes its vertex broken, or hazy the whole graph, and a later step is silent about
// what may follow from it.
type graph struct {
	*checker
	p        *Pipeline
	decl     *ast.PipelineDecl
	vertices []*vertex
	named    map[string]*vertex // by full name: "count", "clean.normal"
	links    []*link
	ordinals map[string]int // unnamed nodes so far, by the place and kind of their names
	// unnamedTaken has the names that unnamed nodes were given.
	unnamedTaken map[string]bool
	// hazy: something was told whose mend may take, reach or use any node, so nothing is called unused or untaken.
	hazy bool
	// laterLevel: the level is one that cannot be run yet, which was told; no rule of reliability is checked.
	laterLevel bool
	deadName   *ast.Ident         // of dead_letters, if written
	grouped    []*ast.Ident       // members of sink groups
	unknown    map[string]*report // unknown names that were told
	// doubtful has the words of lines in which the parser has told something: a name among them may be declared there.
	doubtful map[string]bool
	toldAt   []source.Span // what the parser has told inside of the pipeline
}

// vertex is a node with what is only needed while the graph is made.
type vertex struct {
	*Node
	lacks     string  // fields that were told to be missing in what reaches it
	lacking   *report // where that was told
	index     int
	ident     *ast.Ident    // declaring name, or nil
	item      *ast.NodeItem // of a source, channel or sink by name
	step      ast.Step      // of the others
	in, out   []*link
	mentioned bool    // a flow names it
	supposed  bool    // it may be meant where something was told, so it is not called unused
	broken    bool    // a fault of it was told: what follows from it is not
	undecoded bool    // a source whose rows are not known
	isDead    bool    // takes the dead letters
	bounded   bool    // its input ends
	weak      *vertex // the source of rows that reach it at a lower level than the pipeline's
	order     rowOrder
	tasks     int // written tasks, for the proof of order
}

// link is an edge in the making. Its output is found when the types of from are known.
type link struct {
	from     *vertex
	output   *ast.Ident // as written, nil: the main one
	caseNo   int        // of a route, else -1
	to       *vertex
	grouping *ast.Grouping
	optional bool // written at this link
	at       source.Span
	out      int // index into from.Outs, -1 where there is none
	keys     []Key
}

// outType returns the record that l carries, or nil if it is not known.
func (l *link) outType() *Out {
	if l.out < 0 || l.out >= len(l.from.Outs) {
		return nil
	}
	return &l.from.Outs[l.out]
}

// connect adds a link.
func (g *graph) connect(l *link) *link {
	l.out = -1
	l.from.out = append(l.from.out, l)
	l.to.in = append(l.to.in, l)
	g.links = append(g.links, l)
	return l
}

// readyHeap holds the vertices whose input is done; the first one in the text comes first.
type readyHeap []*vertex

func (h readyHeap) Len() int           { return len(h) }
func (h readyHeap) Less(i, j int) bool { return textOrder(h[i], h[j]) < 0 }
func (h readyHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *readyHeap) Push(x any)        { *h = append(*h, x.(*vertex)) }
func (h *readyHeap) Pop() any {
	old := *h
	v := old[len(old)-1]
	*h = old[:len(old)-1]
	return v
}

func textOrder(a, b *vertex) int {
	if a.At.Start != b.At.Start {
		return a.At.Start - b.At.Start
	}
	return a.index - b.index
}

// sorted returns the vertices in topological order, ties in order of the text, without those on a cycle or behind one.
func (g *graph) sorted() []*vertex {
	open := make([]int, len(g.vertices))
	ready := &readyHeap{}
	for _, v := range g.vertices {
		if open[v.index] = len(v.in); len(v.in) == 0 {
			heap.Push(ready, v)
		}
	}
	var order []*vertex
	for ready.Len() > 0 {
		v := heap.Pop(ready).(*vertex)
		order = append(order, v)
		for _, l := range v.out {
			if open[l.to.index]--; open[l.to.index] == 0 {
				heap.Push(ready, l.to)
			}
		}
	}
	return order
}

// tellCycles reports one cycle for each strongly connected part: the shortest through its first vertex in the text.
func (g *graph) tellCycles(order []*vertex) {
	left := make([]bool, len(g.vertices))
	for i := range left {
		left[i] = true
	}
	for _, v := range order {
		left[v.index] = false
	}
	for _, part := range g.components(left) {
		slices.SortFunc(part, textOrder)
		cycle := shortestCycle(part)
		if cycle != nil && !slices.ContainsFunc(cycle, func(l *link) bool { return l.to.broken }) {
			g.tellCycle(cycle)
		}
	}
}

func (g *graph) tellCycle(cycle []*link) {
	var path strings.Builder
	for i, l := range cycle {
		switch {
		case i < mostListed || i == len(cycle)-1:
			path.WriteString(l.from.said() + " -> ")
		case i == mostListed:
			path.WriteString("… -> ") // the whole of a long one would tell less
		}
	}
	path.WriteString(cycle[0].from.said())
	last := cycle[len(cycle)-1]
	r := g.errorf(diag.Cycle, last.at, "the flow runs in a circle: `%s`", path.String())
	r.label("leads back to `%s`", last.to.said())
	for _, l := range cycle[:min(len(cycle)-1, mostListed)] {
		r.related(l.at, "`%s` leads to `%s`", l.from.said(), l.to.said())
	}
	r.note("Rows flow one way, from sources to sinks. Take one of these arrows out, or write to a sink that another pipeline reads.")
}

// components returns the strongly connected parts among the vertices that are left (Tarjan's algorithm, with a stack
// of its own, because a chain may be long).
func (g *graph) components(left []bool) [][]*vertex {
	number := make([]int, len(g.vertices)) // order of discovery from 1; 0: not seen
	low := make([]int, len(g.vertices))
	onStack := make([]bool, len(g.vertices))
	var stack []*vertex
	var parts [][]*vertex
	count := 0
	type frame struct {
		v    *vertex
		next int
	}
	for _, root := range g.vertices {
		if !left[root.index] || number[root.index] != 0 {
			continue
		}
		frames := []frame{{v: root}}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			v := f.v
			if f.next == 0 {
				count++
				number[v.index], low[v.index] = count, count
				stack, onStack[v.index] = append(stack, v), true
			}
			if f.next < len(v.out) {
				w := v.out[f.next].to
				f.next++
				switch {
				case !left[w.index]:
				case number[w.index] == 0:
					frames = append(frames, frame{v: w})
				case onStack[w.index]:
					low[v.index] = min(low[v.index], number[w.index])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].v
				low[up.index] = min(low[up.index], low[v.index])
			}
			if low[v.index] != number[v.index] {
				continue
			}
			var part []*vertex
			for onStack[v.index] {
				w := stack[len(stack)-1]
				stack, onStack[w.index] = stack[:len(stack)-1], false
				part = append(part, w)
			}
			parts = append(parts, part)
		}
	}
	return parts
}

// shortestCycle returns the links of the shortest way from the first vertex of a strongly connected part back to
// itself, or nil where there is none (a part of one vertex).
func shortestCycle(part []*vertex) []*link {
	inside := make(map[*vertex]bool, len(part))
	for _, v := range part {
		inside[v] = true
	}
	start := part[0]
	came := map[*vertex]*link{}
	for queue := []*vertex{start}; len(queue) > 0; queue = queue[1:] {
		for _, l := range queue[0].out {
			if !inside[l.to] {
				continue
			}
			if l.to == start {
				cycle := []*link{l}
				for v := l.from; v != start; v = came[v].from {
					cycle = append(cycle, came[v])
				}
				slices.Reverse(cycle)
				return cycle
			}
			if came[l.to] == nil {
				came[l.to] = l
				queue = append(queue, l.to)
			}
		}
	}
	return nil
}
