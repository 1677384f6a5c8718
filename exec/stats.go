package exec

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/exec/task"
)

// Stats is what a run has done so far. The counts of different nodes are not of one moment.
type Stats struct {
	Nodes []NodeStats // in the order of the plan
}

// NodeStats are the counts of a node, over all of its tasks, in rows.
type NodeStats struct {
	Name    string
	In      int64 // of a source: rows read
	Out     int64
	Dropped map[string]int64 // by name
	Dead    int64
	Failed  int64 // rows that failed and were emitted again by their source
	Retried int64 // rows that a sink was given again
	Open    int64 // roots that are not settled, of a source or a node with state
	Bytes   int64 // read by a source
	Total   int64 // bytes of a bounded source's partitions so far opened; 0 if unknown
}

// Names under which rows are dropped: those that an optional branch cannot keep up with, those of roots that were emitted
// again and that it takes once only, and those for which a channel has no room.
const (
	full     = "channel_full"
	overflow = "optional_overflow"
	repeats  = "optional_repeat"
)

// Stats returns what the run has done so far. Tasks are not stopped for it.
func (r *Run) Stats() Stats {
	var s Stats
	for i := range r.graph.Nodes {
		n := &r.graph.Nodes[i]
		x := NodeStats{Name: n.Node.Name, Dropped: map[string]int64{}}
		for _, c := range n.Counters {
			x.In += c.In.Load()
			x.Out += c.Out.Load()
			x.Dead += c.Dead.Load()
			x.Failed += c.Failed.Load()
			x.Retried += c.Retried.Load()
			x.Open += c.Open.Load()
			x.Bytes += c.Bytes.Load()
			c.Drops(x.Dropped)
		}
		if lost := r.graph.Overflow(i); lost > 0 {
			name := overflow
			if n.Node.Kind == plan.KindChannel {
				name = full
			}
			x.Dropped[name] += lost
		}
		if again := r.graph.Repeats(i); again > 0 {
			x.Dropped[repeats] += again
		}
		if inst := r.insts.sources[n.Node.ID]; inst != nil {
			for _, p := range inst.Partitions() {
				x.Total += p.Bytes
			}
		}
		s.Nodes = append(s.Nodes, x)
	}
	return s
}

// Committed returns the positions that were committed last.
func (r *Run) Committed() task.Manifest { return r.co.Committed() }

// OpenMemory is what open spans cost: their number, and the bytes of the ledgers' entries.
type OpenMemory struct{ Spans, Bytes int64 }

// OpenMemory returns what the open spans cost. It looks into the ledgers, and is for tests on a host of one thread.
func (r *Run) OpenMemory() OpenMemory {
	spans, bytes := r.graph.OpenMemory()
	return OpenMemory{spans, bytes}
}

// Result is what a run came to.
type Result struct {
	Stats
	Read        int64 // rows that sources read
	Delivered   int64 // rows that sinks accepted, those of dead letters included
	Dead        int64 // rows that became dead letters
	Undelivered int64 // roots that were not settled
	Thrown      int64 // results of open windows that a stop threw away
	Books       ledger.Books
	Committed   task.Manifest // the last positions
	Killed      bool          // it was ended at once; counts may be short of what happened
}

func (r *Run) makeResult() Result {
	res := Result{
		Stats: r.Stats(), Undelivered: r.graph.Undelivered(), Thrown: r.shared.Thrown(), Books: r.graph.Roots(),
		Committed: r.co.Committed(), Killed: r.shared.Killed(),
	}
	for i := range r.graph.Nodes {
		n := &r.graph.Nodes[i]
		for _, c := range n.Counters {
			res.Dead += c.Dead.Load()
			switch {
			case n.Node.Kind == plan.KindSource:
				res.Read += c.In.Load()
			case n.Node.Kind == plan.KindSink:
				res.Delivered += c.OK.Load()
			}
		}
	}
	return res
}
