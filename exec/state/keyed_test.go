package state

import (
	"fmt"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var (
	in  = &types.Record{Fields: []types.Field{{Name: "word", Type: types.String}, {Name: "x", Type: types.Int}}}
	out = &types.Record{Fields: []types.Field{{Name: "word", Type: types.String}, {Name: "n", Type: types.Int}}}
)

func xInt() plan.X { return plan.X{T: types.Int} }

func intConst(n int64) plan.Expr { return &plan.Const{X: xInt(), Value: value.OfInt(n)} }

func xField() plan.Expr { return &plan.Input{X: xInt(), Field: 1, Name: "x"} }

func count() plan.Expr { return &plan.State{X: xInt(), Name: "n"} }

// counting is `by word: key` with `state n: int = 0 keep …`, `n = n + 1; emit (word, n)`, and more statements between.
func counting(keep int64, key plan.Expr, more ...plan.Stmt) *plan.Node {
	stmts := []plan.Stmt{&plan.SetState{Value: &plan.Binary{X: xInt(), Op: plan.Add, Left: count(), Right: intConst(1)}}}
	stmts = append(stmts, more...)
	stmts = append(stmts, &plan.Emit{Fields: []plan.Expr{&plan.Input{X: plan.X{T: types.String}, Name: "word"}, count()}})
	n := &plan.Node{
		Name: "count", Kind: plan.KindKeyed, In: in, Outs: []plan.Out{{Layout: out}},
		Body: &plan.Body{State: []plan.StateVar{{Name: "n", Type: types.Int, Init: intConst(0), Keep: keep}}, Stmts: stmts},
	}
	if key != nil {
		n.Keys = []plan.KeyDef{{Name: "k", Expr: key}}
	} else {
		n.Global = true
	}
	return n
}

func word() plan.Expr { return &plan.Input{X: plan.X{T: types.String}, Name: "word"} }

func newKeyed(n *plan.Node) *Keyed {
	return NewKeyed(n, expr.NewEnv(nil, nil), kernel.NewEnv(nil, nil))
}

func rows(words ...string) *batch.Batch {
	b := batch.NewBuilder(in)
	for i, w := range words {
		b.Append([]value.Value{value.OfString(w), value.OfInt(int64(i))})
	}
	return b.Finish()
}

// text returns the rows of a result's first output.
func text(r Result) string {
	s := ""
	for _, o := range r.Outs {
		for i := range o.Batch.N {
			row := o.Batch.Row(i)
			s += fmt.Sprintf("%s%d ", row[0].Str(), row[1].Int())
		}
	}
	return s
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCountsByKeyOverBatches(t *testing.T) {
	k := newKeyed(counting(0, word()))
	want(t, text(k.Run(0, rows("a", "b", "a"), false)), "a1 b1 a2 ")
	want(t, text(k.Run(0, rows("b", "c", "a", "a"), false)), "b2 c1 a3 a4 ")
	if k.Len() != 3 {
		t.Errorf("%d keys", k.Len())
	}
}

func TestGlobalHasOneKey(t *testing.T) {
	k := newKeyed(counting(0, nil))
	want(t, text(k.Run(0, rows("a", "b"), false)), "a1 b2 ")
	want(t, text(k.Run(0, rows("c"), false)), "c3 ")
}

// A row that fails, or is dropped, leaves the state as it was.
func TestF06BodyIsAtomic(t *testing.T) {
	at := func(x int64, then plan.Stmt) plan.Stmt {
		cond := &plan.Binary{X: plan.X{T: types.Bool}, Op: plan.Eq, Left: xField(), Right: intConst(x)}
		return &plan.IfStmt{Cond: cond, Then: []plan.Stmt{then}}
	}
	fail := &plan.Fail{Message: &plan.Const{X: plan.X{T: types.String}, Value: value.OfString("no")}}
	k := newKeyed(counting(0, word(), at(1, fail), at(2, &plan.Drop{Name: "two"})))
	r := k.Run(0, rows("a", "a", "a", "a"), true)
	want(t, text(r), "a1 a2 ")
	if len(r.Failed) != 1 || r.Failed[0].Row != 1 || r.Failed[0].Err.Code != diag.FailStatement {
		t.Errorf("failed %+v", r.Failed)
	}
	if len(r.Dropped) != 1 || r.Dropped[0].Name != "two" || fmt.Sprint(r.Dropped[0].Rows) != "[2]" {
		t.Errorf("dropped %+v", r.Dropped)
	}
	want(t, fmt.Sprint(r.Outs[0].Parent), "[0 3]")
}

// `by word: 1 / x`: the row whose key has no value fails, and makes no key.
func TestKeyThatFails(t *testing.T) {
	key := &plan.Binary{X: xInt(), Op: plan.Div, Left: intConst(10), Right: xField()}
	k := newKeyed(counting(0, key))
	r := k.Run(0, rows("a", "b", "c"), false)
	want(t, text(r), "b1 c1 ")
	if len(r.Failed) != 1 || r.Failed[0].Row != 0 || r.Failed[0].Err.Code != diag.DivisionByZero {
		t.Errorf("failed %+v", r.Failed)
	}
	if k.Len() != 2 {
		t.Errorf("%d keys", k.Len())
	}
}

func TestKeepForgets(t *testing.T) {
	k := newKeyed(counting(100, word()))
	want(t, text(k.Run(1000, rows("a", "b"), false)), "a1 b1 ")
	want(t, text(k.Run(1100, rows("a"), false)), "a2 ")
	want(t, text(k.Run(1150, rows("a", "b"), false)), "a3 b1 ")
}

// Keys that do not come again are swept out.
func TestSweep(t *testing.T) {
	k := newKeyed(counting(100, word()))
	now := int64(0)
	for i := range 20 * firstSweep {
		now += 10
		k.Run(now, rows(fmt.Sprint("key", i)), false)
		if i%50 == 0 {
			k.Run(now, rows("stays"), false)
			k.Run(now, rows("stays"), false)
		}
	}
	if k.Len() > 2*firstSweep {
		t.Errorf("%d keys are held, though all but about ten are forgotten", k.Len())
	}
	want(t, text(k.Run(now+1, rows("key1"), false)), "key11 ")
}
