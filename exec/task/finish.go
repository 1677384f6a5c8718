package task

import (
	"fmt"

	"github.com/pipec/pipec/exec/exchange"
	"github.com/pipec/pipec/exec/ledger"
)

// How a task ends. When its source has been read to the end, or all its inputs have ended, its nodes are finished one
// after the other, in the order of the flow: a source or stateful node is finished when it has given out everything and
// all of its roots are settled (retries included), so that what is behind it has seen every row before it hears of the
// end; a sink when it has written, synced and closed. Then the end goes out to all targets, and the task is done when
// it has been sent.
//
// A stop is the same, but for windows: they are state, and are not fired.

// end1 does one piece of work of the end.
func (t *Task) end1() (did bool, why Status) {
	for t.ending < len(t.nodes) {
		n := t.nodes[t.ending]
		done, progress := n.stage.finish()
		if !done {
			return progress, Idle
		}
		t.ending++
		if t.ending < len(t.nodes) {
			next := t.nodes[t.ending]
			next.stopped = next.stopped || n.stopped
		}
	}
	if !t.eofSent {
		t.eofSent = true
		stopped := t.nodes[len(t.nodes)-1].stopped
		t.control(exchange.Item{Kind: exchange.EOF, Stopped: stopped})
		return true, 0
	}
	for _, o := range t.outs {
		if o.Waiting() > 0 {
			return false, Blocked
		}
	}
	t.close()
	return false, Done
}

// close ends the task's doors and checks its books.
func (t *Task) close() {
	for _, s := range t.sinks {
		s.door.Close()
	}
	t.auditNodes()
	for _, o := range t.owners {
		b := o.ledger.Books()
		o.node.counters.Open.Store(b.Open)
		if b.Open != 0 {
			t.shared.Unbalanced(rootBook(o, b))
		}
	}
}

// abandon ends the task at once: whatever it has is left where it is.
func (t *Task) abandon() {
	if t.cut.Load() {
		t.nameTheRest()
	}
	for _, s := range t.sinks {
		s.door.Cancel()
		s.door.Close()
	}
	if t.source != nil {
		t.source.abandon()
	}
}

// nameTheRest counts what a task of an optional branch still has when that is cut off.
func (t *Task) nameTheRest() {
	for _, o := range t.outs {
		o.Discard()
	}
	for _, s := range t.sinks {
		s.node.counters.Cut.Add(int64(s.held()))
	}
	for _, s := range t.absorbers {
		s.node.counters.Cut.Add(int64(s.state.Held()))
	}
}

func (s *sourceStage) abandon() {
	for _, p := range s.parts {
		if !p.ended {
			p.door.Cancel()
			p.door.Close()
		}
	}
	s.again.close()
	if s.closing == 1 {
		s.closeDoor.Cancel()
		s.closeDoor.Close()
	}
}

// retry emits failed roots again that are due.
func (t *Task) retry() bool {
	for _, o := range t.owners {
		if t.source != nil && o.node == t.source.node {
			if t.source.again.next() {
				return true
			}
			continue
		}
		if r, ok := o.ledger.NextRetry(t.now); ok {
			o.node.deriveAgain(r)
			return true
		}
	}
	return false
}

func rootBook(o *owner, b ledger.Books) string {
	return fmt.Sprintf("roots of `%s`: %d made, %d done, %d given up, %d open",
		o.node.plan.Name, b.Roots, b.Done, b.Undelivered, b.Open)
}

func edgeBook(node string, sent, received int64) string {
	return fmt.Sprintf("edge into `%s`: %d rows sent, %d received", node, sent, received)
}

func nodeBook(n *node) string {
	c := n.counters
	return fmt.Sprintf("node `%s`: %d rows in; %d done, %d dropped, %d dead, %d failed, %d given up, %d held",
		n.plan.Name, c.In.Load(), c.OK.Load(), c.Dropped.Load(), c.Dead.Load(), c.Failed.Load(), c.GivenUp.Load(),
		c.Held.Load())
}
