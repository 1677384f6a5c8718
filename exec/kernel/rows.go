package kernel

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// rowRunner runs a body row by row, by exec/expr.
type rowRunner struct {
	src    *source
	outs   []plan.Out
	body   *expr.Body
	frame  expr.Frame
	row    []value.Value
	builds []rowOut // by output
	errOut int      // output `errors`, or -1
	errRow func(row []value.Value, e *expr.Error) []value.Value
}

// rowOut is rows for an output in the making.
type rowOut struct {
	b          *batch.Builder
	unanchored bool
	parents    []int32
}

func newRowRunner(env *Env, b *plan.Body, src *source, outs []plan.Out) *rowRunner {
	w := &rowRunner{src: src, outs: outs, body: expr.CompileBody(env.rows, b), errOut: -1}
	for i, o := range outs {
		w.builds = append(w.builds, rowOut{b: batch.NewBuilder(o.Layout)})
		if o.Name == "errors" && !src.pane {
			w.errOut = i
			w.errRow = errorRows(o.Layout, src.in)
		}
	}
	return w
}

// errorRows returns how a row and its error become a row of an output `errors`: the field `input` is the row as far as
// the output has its fields, `error` the error.
func errorRows(out, in batch.Layout) func([]value.Value, *expr.Error) []value.Value {
	return func(row []value.Value, e *expr.Error) []value.Value {
		fields := make([]value.Value, len(out.Fields))
		for i, f := range out.Fields {
			rec, ok := f.Type.(*types.Record)
			if !ok {
				bug.Panicf("exec/kernel: field %s of an output errors is a %s", f.Name, f.Type)
			}
			from, values := in, row
			if f.Name == "error" {
				from, values = expr.ErrorType(), e.Record().Elems()
			}
			parts := make([]value.Value, len(rec.Fields))
			for k, p := range rec.Fields {
				parts[k] = values[from.Index(p.Name)]
			}
			fields[i] = value.OfRecord(parts)
		}
		return fields
	}
}

// one runs row i of a batch, which is row base+i of the whole. Emits go to the builders; how it ended, to res.
func (w *rowRunner) one(in *batch.Batch, i, base int, needParents bool, res *Result) {
	w.row = in.AppendRow(w.row[:0], i)
	w.src.set(&w.frame, w.row)
	end := w.body.Run(&w.frame)
	at := int32(base + i)
	switch end.Kind {
	case expr.OK:
		for _, e := range w.frame.Emits {
			w.emit(e.Output, e.Unanchored, e.Fields, at, needParents, res)
		}
	case expr.Dropped:
		res.drop(end.Name, at)
	case expr.Failed, expr.Faulted:
		res.Failed = append(res.Failed, RowError{Row: int(at), Err: end.Err})
	case expr.Errored:
		if w.src.pane {
			// An output `errors` has the tuple that went in, and many went into a pane.
			res.Failed = append(res.Failed, RowError{Row: int(at), Err: end.Err})
			return
		}
		if w.errOut < 0 {
			bug.Panicf("exec/kernel: no output takes the errors of a body with `errors emit`")
		}
		w.emit(w.errOut, false, w.errRow(w.row, end.Err), at, needParents, res)
	default:
		bug.Panicf("exec/kernel: unknown outcome %d", end.Kind)
	}
}

func (w *rowRunner) emit(output int, unanchored bool, row []value.Value, at int32, needParents bool, res *Result) {
	o := &w.builds[output]
	if o.b.Len() > 0 && (o.unanchored != unanchored || o.b.Full()) {
		w.cut(output, res)
	}
	o.unanchored = unanchored
	o.b.Append(row)
	if needParents {
		o.parents = append(o.parents, at)
	}
}

// cut moves what an output's builder holds to the result.
func (w *rowRunner) cut(output int, res *Result) {
	o := &w.builds[output]
	if o.b.Len() == 0 {
		return
	}
	res.Outs = append(res.Outs, Out{Output: output, Unanchored: o.unanchored, Batch: o.b.Finish(), Parent: o.parents})
	o.parents = nil
}

// all runs all rows of a batch.
func (w *rowRunner) all(in *batch.Batch, base int, needParents bool, res *Result) {
	for i := range in.N {
		w.one(in, i, base, needParents, res)
	}
	for o := range w.builds {
		w.cut(o, res)
	}
}

// drop notes a dropped row. Names are few.
func (res *Result) drop(name string, rows ...int32) {
	if len(rows) == 0 {
		return
	}
	for i := range res.Dropped {
		if d := &res.Dropped[i]; d.Name == name {
			d.Rows = append(d.Rows, rows...)
			return
		}
	}
	res.Dropped = append(res.Dropped, Dropped{Name: name, Rows: append([]int32(nil), rows...)})
}
