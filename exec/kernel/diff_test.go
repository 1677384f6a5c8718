package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib/fn"
)

// story is what became of the rows of a batch, in a form that is easy to compare.
type story struct {
	outs   [][]string // by output: row, anchoring and parent of each emit
	ended  []string   // rows that were dropped or failed
	parent bool
}

func (s *story) emit(output int, unanchored bool, row []value.Value, parent int) {
	at := ""
	if s.parent {
		at = fmt.Sprint(" of ", parent)
	}
	s.outs[output] = append(s.outs[output], fmt.Sprint(row, unanchored, at))
}

func (s *story) drop(row int, name string) {
	s.ended = append(s.ended, fmt.Sprintf("%04d dropped as %s", row, name))
}

func (s *story) fail(row int, e *expr.Error) {
	s.ended = append(s.ended, fmt.Sprintf("%04d failed: %s %s %d %t", row, e.Code, e.Message, e.Place.Start, e.Fault))
}

func (s *story) String() string {
	var b strings.Builder
	for i, o := range s.outs {
		fmt.Fprintf(&b, "output %d:\n  %s\n", i, strings.Join(o, "\n  "))
	}
	slices.Sort(s.ended)
	fmt.Fprintf(&b, "ended:\n  %s\n", strings.Join(s.ended, "\n  "))
	return b.String()
}

const now = 1_700_000_000_000_000_000

// byRow runs a body as exec/expr does, and nothing of this package.
func byRow(env *expr.Env, b *plan.Body, outs []plan.Out, in *batch.Batch, parents bool) *story {
	s := &story{outs: make([][]string, len(outs)), parent: parents}
	body, f := expr.CompileBody(env, b), &expr.Frame{Now: now}
	for i := range in.N {
		f.Input = in.Row(i)
		switch end := body.Run(f); end.Kind {
		case expr.OK:
			for _, e := range f.Emits {
				s.emit(e.Output, e.Unanchored, e.Fields, i)
			}
		case expr.Dropped:
			s.drop(i, end.Name)
		case expr.Failed, expr.Faulted:
			s.fail(i, end.Err)
		case expr.Errored:
			s.emit(len(outs)-1, false, []value.Value{value.OfRecord(in.Row(i)), end.Err.Record()}, i)
		}
	}
	return s
}

// byColumn runs a program of this package, and checks that its result is sound.
func byColumn(t *rapid.T, p *kernel.Program, outs []plan.Out, in *batch.Batch, parents bool) (*story, []*batch.Batch) {
	s := &story{outs: make([][]string, len(outs)), parent: parents}
	res := p.Run(in, parents)
	var made []*batch.Batch
	for _, o := range res.Outs {
		if err := o.Batch.Check(); err != nil {
			t.Fatalf("output %d: %v", o.Output, err)
		}
		if o.Batch.N == 0 || o.Parent != nil && (len(o.Parent) != o.Batch.N || !slices.IsSorted(o.Parent)) {
			t.Fatalf("output %d: %d rows, parents %v", o.Output, o.Batch.N, o.Parent)
		}
		made = append(made, o.Batch)
		for i := range o.Batch.N {
			at := i
			if o.Parent != nil {
				at = int(o.Parent[i])
			}
			s.emit(o.Output, o.Unanchored, o.Batch.Row(i), at)
		}
	}
	for _, d := range res.Dropped {
		if !slices.IsSorted(d.Rows) {
			t.Fatalf("dropped rows %v", d.Rows)
		}
		for _, i := range d.Rows {
			s.drop(int(i), d.Name)
		}
	}
	for k, f := range res.Failed {
		if k > 0 && res.Failed[k-1].Row >= f.Row {
			t.Fatalf("failed rows are out of order: %v", res.Failed)
		}
		s.fail(f.Row, f.Err)
	}
	return s, made
}

// often checks a property some times more often than usual: programs have many forms.
func often(t *testing.T, property func(t *rapid.T)) {
	for range 15 {
		if rapid.Check(t, property); t.Failed() {
			return
		}
	}
}

// TestBodiesAreAsRowByRow compares random bodies over random batches. Several batches go through one program, so that
// memory which is used again where it must not be shows; the results of earlier batches are looked at again at the end.
func TestBodiesAreAsRowByRow(t *testing.T) {
	kernels, total, emitted := 0, 0, 0
	often(t, func(t *rapid.T) {
		g := newGen(t)
		b := g.body()
		env := kernel.NewEnv(g.funcs, fn.Table())
		rows := expr.NewEnv(g.funcs, fn.Table())
		p := kernel.Compile(env, b, g.in, g.outs)
		p.Now = now
		if g.n(0, 4) == 0 {
			p.SetLimit(g.n(0, 100))
		}
		total++
		if p.Kernel() {
			kernels++
		}
		var kept []*batch.Batch
		var copies []*batch.Batch
		for range g.n(1, 3) {
			in := batchtest.Batch(t, g.in, 6)
			parents := rapid.Bool().Draw(t, "parents")
			before := in.Compact(nil)
			want := byRow(rows, b, g.outs, in, parents).String()
			got, made := byColumn(t, p, g.outs, in, parents)
			emitted += len(made)
			if got := got.String(); got != want {
				t.Fatalf("kernel: %v\nby columns:\n%s\nrow by row:\n%s\n%s", p.Kernel(), got, want, g.dump(b))
			}
			if !batch.Equal(in, before) {
				t.Fatal("the input has changed")
			}
			if g.n(0, 3) == 0 {
				p.Reuse()
				continue
			}
			for _, b := range made {
				kept, copies = append(kept, b), append(copies, b.Compact(nil))
			}
		}
		for i, b := range kept {
			if !batch.Equal(b, copies[i]) {
				t.Fatal("an earlier result has changed")
			}
		}
	})
	t.Logf("%d of %d bodies were kernels; they made %d batches", kernels, total, emitted)
	if kernels*4 < total || emitted*4 < total {
		t.Error("too few bodies are kernels, or make rows, for the test to mean much")
	}
}

// TestExprsAreAsRowByRow compares random expressions.
func TestExprsAreAsRowByRow(t *testing.T) {
	often(t, func(t *rapid.T) {
		g := newGen(t)
		g.in = batchtest.Record(t, 1)
		g.in.Fields = append(g.in.Fields, types.Field{Name: "i", Type: types.Int}, types.Field{Name: "s", Type: types.String})
		var es []plan.Expr
		for range g.n(1, 3) {
			es = append(es, g.expr(g.typ(), 3))
		}
		env, rows := kernel.NewEnv(g.funcs, fn.Table()), expr.NewEnv(g.funcs, fn.Table())
		x := kernel.CompileExprs(env, es, g.in)
		x.Now = now
		for range g.n(1, 3) {
			b := batchtest.Batch(t, g.in, 8)
			cols, errs := x.Eval(b)
			f := &expr.Frame{Now: now}
			for i := range b.N {
				f.Input = b.Row(i)
				var first *expr.Error
				for k, e := range es {
					want, err := expr.CompileExpr(rows, e).Eval(f)
					if err != nil {
						first = err
						break
					}
					if len(errs) > 0 && errs[0].Row == i {
						continue
					}
					if got := batch.ValueAt(&cols[k], e.Type(), i); got.String() != want.String() {
						t.Fatalf("row %d: %s is %s, want %s", i, plan.ExprString(e), got, want)
					}
				}
				if (first != nil) != (len(errs) > 0 && errs[0].Row == i) {
					t.Fatalf("row %d: error %v, and these are left: %v", i, first, errs)
				}
				if first != nil {
					if got := errs[0].Err; got.Error() != first.Error() || got.Fault != first.Fault {
						t.Fatalf("row %d: error %v, want %v", i, got, first)
					}
					errs = errs[1:]
				}
			}
		}
	})
}
