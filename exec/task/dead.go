package task

import (
	"fmt"
	"unicode/utf8"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/ledger"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// What becomes of a row that cannot be processed. The node's `errors` clause decides first: the row is dropped by name,
// or goes to the node's output `.errors`. Otherwise its tree fails and the root is emitted again, until the attempts are
// used up or another try cannot help: then the row is a dead letter, a row like any other on the way to the sink that
// takes dead letters, so that its root is settled when that has accepted it. Without such a sink the root is given up
// and the run ends: the position is not passed.

// droppedErrors is the name under which `errors drop` counts.
const droppedErrors = "errors"

// fail settles failed rows of a batch.
func (n *node) fail(b *batch.Batch, rows []Failure, policy plan.Policy, f *flow) {
	switch policy {
	case plan.PolicyDrop:
		n.counters.drop(droppedErrors, len(rows))
	case plan.PolicyEmit:
		n.counters.OK.Add(int64(len(rows)))
		n.emitErrors(b, rows, f)
	default:
		n.failTrees(b, rows, f)
	}
}

// connectorError is what a run says whose connector failed for good.
func (n *node) connectorError(doing string, err error) error {
	return &Error{
		Code: diag.ConnectorFailed, Node: n.plan.Name, Place: n.plan.Origin, Cause: err,
		Message: fmt.Sprintf("%s `%s` failed: %v", doing, n.plan.Name, err),
	}
}

// failTrees fails the trees of rows, or makes dead letters of the rows.
func (n *node) failTrees(b *batch.Batch, rows []Failure, f *flow) {
	retries := min(n.task.shared.Plan.Settings.Retries, ledger.MostAttempts)
	var dead []Failure
	for _, x := range rows {
		if f.tracked && !x.Fault {
			o := root(b, x.Row)
			if int(f.attempt(o.Span)) < retries {
				n.counters.Failed.Add(1)
				f.fail(o, false)
				continue
			}
		}
		dead = append(dead, x)
	}
	if len(dead) > 0 {
		n.bury(b, dead, f)
	}
}

// attempt returns the attempt that a span of the flow is in.
func (f *flow) attempt(span uint16) uint8 {
	if f.owner != nil && !f.open {
		return 0
	}
	return f.spans[span].Attempt
}

// bury makes dead letters of rows.
func (n *node) bury(b *batch.Batch, rows []Failure, f *flow) {
	t := n.task
	n.counters.Dead.Add(int64(len(rows)))
	if t.dead == nil {
		if !f.tracked {
			return // at_most_once: counted, and that is all
		}
		for _, x := range rows {
			f.fail(root(b, x.Row), true)
		}
		t.shared.Fail(n.firstDead(b, rows[0], f))
		return
	}
	sel := make([]int32, len(rows))
	for i, x := range rows {
		sel[i] = x.Row
	}
	letters := t.dead.letters(n, b, rows, f)
	if b.Origin != nil {
		letters.Origin = pick(b.Origin, sel)
	}
	if b.Pos != nil {
		letters.Pos = pick(b.Pos, sel)
	}
	t.dead.send(letters, f)
}

func (n *node) firstDead(b *batch.Batch, x Failure, f *flow) error {
	where := ""
	if src, pos := n.rowSource(b, x.Row, f); src != "" {
		where = fmt.Sprintf(" (from `%s` at position %d)", src, pos)
	}
	return &Error{
		Code: diag.DeadRow, Node: n.plan.Name, Place: x.Place,
		Message: fmt.Sprintf("a row failed for good in `%s`: %s: %s%s", n.plan.Name, x.Code, shorten(x.Message), where),
		Notes: []string{
			"The row is " + shorten(string(rowJSON(nil, b, int(x.Row)))) + ".",
			"Without `dead_letters` the first dead row stops the pipeline; its position is not passed.",
		},
	}
}

// maxShown is the most bytes of a row or of its message that an error shows to a person. The dead letter has all of it.
const maxShown = 200

// shorten cuts a text that is too long to be read, at a code point, and says how long it is.
func shorten(text string) string {
	if len(text) <= maxShown {
		return text
	}
	end := maxShown
	for end > maxShown-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:end], len(text))
}

// rowSource returns the source of a row and its position there, as far as they are known.
func (n *node) rowSource(b *batch.Batch, row int32, f *flow) (string, int64) {
	pos := int64(0)
	if b.Pos != nil {
		pos = b.Pos[row]
	}
	switch {
	case f.owner != nil:
		return f.owner.node.plan.Name, pos
	case f.tracked && b.Origin != nil:
		return n.task.shared.owners[f.spans[b.Origin[row].Span].Owner].node.Name, pos
	}
	return "", pos
}

func rowJSON(dst []byte, b *batch.Batch, row int) []byte {
	dst, _ = value.AppendJSON(dst, value.OfRecord(b.Row(row)), b.Layout)
	return dst
}

// deadOut is a task's way to the sink that takes dead letters.
type deadOut struct {
	edge   *edge
	layout batch.Layout // the sink's In
}

// send takes dead letters to the sink.
func (d *deadOut) send(b *batch.Batch, f *flow) {
	d.edge.send(f.task, b, f, false)
}

// letters builds the dead letters of rows, with the columns that the sink has of them.
func (d *deadOut) letters(n *node, b *batch.Batch, rows []Failure, f *flow) *batch.Batch {
	bl := batch.NewBuilder(d.layout)
	for _, x := range rows {
		src, pos := n.rowSource(b, x.Row, f)
		attempts := 1
		if f.tracked && b.Origin != nil {
			attempts += int(f.attempt(b.Origin[x.Row].Span))
		}
		for k, field := range d.layout.Fields {
			col := bl.Col(k)
			switch field.Name {
			case "input":
				col.AppendBytes(rowJSON(nil, b, int(x.Row)))
			case "error":
				col.Append(errorValue(field.Type, x))
			case "node":
				col.AppendString(n.plan.Name)
			case "attempts":
				col.AppendInt(int64(attempts))
			case "source":
				col.AppendString(src)
			case "position":
				col.AppendInt(pos)
			default:
				bug.Panicf("task: a dead letter has no field %s", field.Name)
			}
		}
		bl.EndRow()
	}
	return bl.Finish()
}

// errorValue returns the record (code, message, place) of a failure.
func errorValue(t types.Type, x Failure) value.Value {
	r, ok := batch.Elem(t).(*types.Record)
	if !ok {
		bug.Panicf("task: an error of type %s", t)
	}
	fields := make([]value.Value, len(r.Fields))
	for i, f := range r.Fields {
		switch f.Name {
		case "code":
			fields[i] = value.OfString(string(x.Code))
		case "message":
			fields[i] = value.OfString(x.Message)
		case "place":
			fields[i] = value.OfString(x.Place.String())
		default:
			bug.Panicf("task: an error has no field %s", f.Name)
		}
	}
	return value.OfRecord(fields)
}

// emitErrors sends failed rows to the node's output `.errors`: the input (of a source: the raw bytes) and the error.
func (n *node) emitErrors(b *batch.Batch, rows []Failure, f *flow) {
	out := n.errorsOut()
	layout := n.plan.Outs[out].Layout
	bl := batch.NewBuilder(layout)
	sel := make([]int32, len(rows))
	for i, x := range rows {
		sel[i] = x.Row
		for k, field := range layout.Fields {
			switch {
			case field.Name == "error":
				bl.Col(k).Append(errorValue(field.Type, x))
			case field.Name == "input" && n.plan.In != nil:
				bl.Col(k).Append(narrow(b, int(x.Row), field.Type))
			default:
				bl.Col(k).Append(batch.ValueAt(&b.Cols[b.Layout.Index(field.Name)], field.Type, int(x.Row)))
			}
		}
		bl.EndRow()
	}
	c := bl.Finish()
	if n.stateful() {
		n.derive(out, c) // rule R1: a failure behind does not run the node again
		return
	}
	inherit(c, sel, b)
	n.emit(out, c, f)
}

// narrow returns a row as a value of a record type whose fields the batch has.
func narrow(b *batch.Batch, row int, t types.Type) value.Value {
	r := batch.Elem(t).(*types.Record)
	fields := make([]value.Value, len(r.Fields))
	for i, f := range r.Fields {
		k := b.Layout.Index(f.Name)
		if k < 0 {
			bug.Panicf("task: the input has no field %s", f.Name)
		}
		fields[i] = batch.ValueAt(&b.Cols[k], f.Type, row)
	}
	return value.OfRecord(fields)
}

func (n *node) errorsOut() int {
	for i, o := range n.plan.Outs {
		if o.Name == "errors" {
			return i
		}
	}
	bug.Panicf("task: node %s sends failed rows to `.errors` and has no such output", n.plan.Name)
	return 0
}
