package exec

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/agg"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/task"
)

// Absorber implements task.Compiler.
func (c *programs) Absorber(n *plan.Node) task.Absorber {
	if n.Kind == plan.KindTop {
		return &topAbsorber{top: agg.NewTop(c.cols, n)}
	}
	return &groupAbsorber{groups: agg.NewGroups(c.cols, n)}
}

func (c *converted) absorbed(r agg.Result) task.Result {
	out := c.result(r.Outs, r.Dropped, r.Failed, nil)
	out.Rows = r.Rows
	return out
}

// groupAbsorber is a combiner or aggregate.
type groupAbsorber struct {
	groups *agg.Groups
	conv   converted
}

// Absorb implements task.Absorber.
func (a *groupAbsorber) Absorb(now int64, in *batch.Batch) task.Result {
	return a.conv.absorbed(a.groups.Absorb(now, in))
}

// Held implements task.Absorber.
func (a *groupAbsorber) Held() int { return a.groups.Len() }

// Full implements task.Absorber.
func (a *groupAbsorber) Full() bool { return a.groups.Full() }

// Fire implements task.Absorber.
func (a *groupAbsorber) Fire(now int64, most int) (task.Result, bool) {
	r, done := a.groups.Fire(now, most)
	return a.conv.absorbed(r), done
}

// topAbsorber is a top.
type topAbsorber struct {
	top  *agg.Top
	conv converted
}

// Absorb implements task.Absorber.
func (a *topAbsorber) Absorb(now int64, in *batch.Batch) task.Result {
	return a.conv.absorbed(a.top.Absorb(now, in))
}

// Held implements task.Absorber.
func (a *topAbsorber) Held() int { return a.top.Len() }

// Full implements task.Absorber.
func (a *topAbsorber) Full() bool { return false }

// Fire implements task.Absorber.
func (a *topAbsorber) Fire(_ int64, most int) (task.Result, bool) {
	r, done := a.top.Fire(most)
	return a.conv.absorbed(r), done
}
