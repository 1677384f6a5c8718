package task

import (
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/ledger"
)

type noWaker struct{}

func (noWaker) Wake() {}

// bare returns a task with one owner, and nothing else.
func bare() (*Task, *owner) {
	s := &Shared{Plan: &plan.Plan{}}
	t := &Task{shared: s, ids: ledger.NewEdgeIDs(1)}
	o := &owner{ledger: ledger.New(0, ledger.Limits{}, 1), inbox: ledger.NewInbox(noWaker{}), tracked: true}
	o.ledger.AddPartition(0)
	s.owners = []ownerRef{{inbox: o.inbox}}
	return t, o
}

func TestTreeThatEndsInItsFirstTaskAllotsNothing(t *testing.T) {
	task, o := bare()
	allocs := testing.AllocsPerRun(1000, func() {
		f := task.rooted(o, ledger.NewSpan{N: 256, Next: 1})
		task.end(f)
	})
	if allocs != 0 || o.ledger.Bytes() != 0 {
		t.Errorf("%v allocations for each batch, %d bytes of entries", allocs, o.ledger.Bytes())
	}
	if b := o.ledger.Books(); b.Roots != b.Done || b.Open != 0 {
		t.Errorf("%+v", b)
	}
}

// A task that hands a batch on as it is takes part in its tree without a message.
func TestPassingOnSendsNoMessage(t *testing.T) {
	task, o := bare()
	in := []batch.Span{{Owner: 0, Entry: 5, Gen: 1, Edge: 77}}
	f := task.received(in)
	if out := f.Pass(); &out[0] != &in[0] {
		t.Error("the edges were not handed on")
	}
	task.end(f)
	if len(task.acks.pending) != 0 || o.inbox.Any() {
		t.Error("a message was sent")
	}
	f = task.received(in)
	f.Pass()
	second := f.Fork()[0].Edge
	task.end(f)
	if !o.inbox.Any() {
		t.Error("the owner does not hear of a second edge before the batch can come to its end")
	}
	f = task.received(in)
	third := f.Fork()[0].Edge
	task.end(f)
	if len(task.acks.pending) != 1 || task.acks.byOwner[0].acks[0].Xor != 77^third || second == third || second == 0 {
		t.Errorf("%+v", task.acks)
	}
}

func TestFailureOpensTheEntry(t *testing.T) {
	task, o := bare()
	f := task.rooted(o, ledger.NewSpan{N: 4, Next: 4})
	f.fail(batch.Origin{Row: 3}, false)
	task.end(f)
	if _, ok := o.ledger.NextDue(); !ok || o.ledger.Books().Open != 1 {
		t.Errorf("a failed root does not wait for its retry: %+v", o.ledger.Books())
	}
}
