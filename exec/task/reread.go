package task

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
)

// reread emits failed roots of a source again, one span at a time.
type reread struct {
	src    *sourceStage
	door   Door
	busy   bool // a span is in hand
	flying bool // its call is under way
	ready  bool // its rows are read
	r      ledger.Retry
	part   connector.Partition
	got    []picked
	err    error
	tries  int
	nextAt int64
	job    func(context.Context)
}

// picked are rows of one read that are emitted again.
type picked struct {
	b       *batch.Batch // with Origin
	dead    []connector.DeadRow
	origins []batch.Origin // of dead
}

// errChanged says that a source did not give again what it gave before.
var errChanged = errors.New("it does not give the same rows again")

// next emits the span in hand if it has been read, or begins with the next one that is due. It reports whether it did.
func (a *reread) next() bool {
	s := a.src
	if a.busy {
		if a.ready {
			a.emit()
			return true
		}
		return false
	}
	r, ok := s.node.owner.ledger.NextRetry(s.node.task.now)
	if !ok {
		return false
	}
	if a.door == nil {
		a.door = s.newDoor()
		a.job = func(ctx context.Context) { a.got, a.err = a.read(ctx) }
	}
	a.r, a.busy, a.tries, a.nextAt = r, true, 0, 0
	a.part = s.inst.parts[r.Span.Part]
	a.submit()
	return true
}

func (a *reread) submit() {
	a.flying = true
	a.door.Submit(a.src.node.task.shared.timeout(a.tries), a.job)
}

// read runs outside of the machine: it opens a reader at the span's start, and picks the failed roots by their number.
func (a *reread) read(ctx context.Context) ([]picked, error) {
	reader, err := a.src.inst.open(ctx, a.part.ID, a.r.Pos)
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	var out []picked
	seen, want := 0, a.r.Rows
	for len(want) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		read := &connector.Read{}
		read.Batch.Layout = a.src.node.plan.Outs[0].Layout
		last := int(want[len(want)-1])
		err := reader.Read(ctx, read, last+1-seen, a.src.node.task.shared.Limits.BatchBytes)
		if errors.Is(err, io.EOF) {
			return nil, connector.Fatal(errChanged)
		}
		if err != nil {
			return nil, err
		}
		roots := read.Batch.N + len(read.Dead)
		k := 0
		for k < len(want) && int(want[k]) < seen+roots {
			k++
		}
		if k > 0 {
			out = append(out, pickRoots(read, seen, want[:k]))
			want = want[k:]
		}
		seen += roots
	}
	return out, nil
}

// pickRoots picks the roots want, numbered over the span, from a read whose first root has the number first.
func pickRoots(read *connector.Read, first int, want []uint16) picked {
	var p picked
	var sel []int32
	var origins []batch.Origin
	dead, k := 0, 0
	for root := first; k < len(want); root++ {
		isDead := dead < len(read.Dead) && read.Dead[dead].At+dead == root-first
		if int(want[k]) == root {
			o := batch.Origin{Row: uint16(root)}
			if isDead {
				p.dead = append(p.dead, read.Dead[dead])
				p.origins = append(p.origins, o)
			} else {
				sel = append(sel, int32(root-first-dead))
				origins = append(origins, o)
			}
			k++
		}
		if isDead {
			dead++
		}
	}
	if len(sel) > 0 {
		p.b = read.Batch.Gather(sel)
		p.b.Origin = origins
	}
	return p
}

// poll looks after the call under way.
func (a *reread) poll() bool {
	t := a.src.node.task
	switch {
	case !a.busy, a.ready:
		return false
	case !a.flying:
		if a.nextAt > t.now {
			return false
		}
		a.submit()
		return true
	case a.door.Busy():
		return false
	}
	a.flying = false
	switch {
	case a.err == nil:
		a.ready = true
		if a.tries > 0 {
			t.shared.observe(Healthy, a.src.node.plan.Name, "", t.now)
		}
	case connector.IsFatal(a.err):
		a.giveUp()
	default:
		if a.tries++; a.tries == 1 {
			t.shared.observe(Unhealthy, a.src.node.plan.Name, a.err.Error(), t.now)
		}
		a.nextAt = t.now + backoff(a.tries, t.ids.Next())
	}
	return true
}

// emit emits the picked roots in a new attempt.
func (a *reread) emit() {
	n := a.src.node
	a.busy, a.ready = false, false
	f := n.task.again(n.owner, a.r.Span)
	for _, p := range a.got {
		if len(p.dead) > 0 {
			// Only what was sent to `.errors` comes here: a dead letter's root is settled when it is accepted. The row
			// is in the source's book already.
			b, rows := a.src.rejected(p.dead, p.origins)
			n.emitErrors(b, rows, f)
		}
		if p.b != nil {
			if !n.rootsOut {
				bug.Panicf("task: a root of `%s` failed, and no edge carries origins", n.plan.Name)
			}
			n.emit(0, p.b, f)
		}
	}
	n.task.end(f)
	a.got = nil
}

// giveUp ends a span that cannot be read again.
func (a *reread) giveUp() {
	n := a.src.node
	a.busy = false
	f := n.task.again(n.owner, a.r.Span)
	f.giveUpAll()
	n.task.end(f)
	n.task.shared.Fail(&Error{
		Code: diag.SourceChanged, Node: n.plan.Name, Place: n.plan.Origin, Cause: a.err,
		Message: fmt.Sprintf("`%s` could not be read again at position %d of %s: %v", n.plan.Name, a.r.Pos, a.part.Name, a.err),
	})
}

// close ends the door, and a call under way.
func (a *reread) close() {
	if a.door != nil {
		a.door.Cancel()
		a.door.Close()
		a.door = nil
	}
}

func (a *reread) due() (int64, bool) { return a.nextAt, a.busy && !a.flying && !a.ready }
