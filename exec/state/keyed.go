// Package state keeps what stateful bolts remember: the state variables of each key.
//
// A Keyed runs a body with state row by row, because a row must see what the one before it did. The keys of a batch are
// computed by columns and looked up together; each key has a dense number in the order of its first appearance, and its
// variables lie side by side in one slice at that number. The body is atomic: expr puts a row's changes back when the
// row does not end well.
//
// A variable with `keep` is forgotten when its key was not changed for that long. That is looked at when the key comes
// again; keys that do not come again are swept out when the table has doubled since the last sweep.
package state

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/agg"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Keyed is the state of one task of a node, with the body that works on it. It belongs to one goroutine.
type Keyed struct {
	node  *plan.Node
	keys  *kernel.Exprs // nil: `global`, there is one key
	types []types.Type
	body  *expr.Body
	frame expr.Frame

	table   *agg.Table
	vars    []value.Value // len(node.Body.State) for each key
	made    []bool        // keys that have variables
	changed []int64       // time of each key's last change, where a variable has `keep`
	keep    int64         // longest `keep` if all variables have one, else 0
	anyKeep bool
	sweepAt int

	numbers []uint32
	input   []value.Value
	initial []value.Value
	outs    []output
	res     Result
}

// Result is what a run did; see kernel.Result.
type Result struct {
	Outs    []kernel.Out
	Dropped []kernel.Dropped
	Failed  []kernel.RowError
	Errored []kernel.RowError // rows for the output `.errors`
}

type output struct {
	builder *batch.Builder
	parents []int32
	out     int
	loose   bool
}

const firstSweep = 1 << 12

// NewKeyed returns the empty state of a keyed node. rows compiles its body, cols its keys.
func NewKeyed(n *plan.Node, rows *expr.Env, cols *kernel.Env) *Keyed {
	k := &Keyed{node: n, body: expr.CompileBody(rows, n.Body), sweepAt: firstSweep}
	var keys []plan.Expr
	for _, d := range n.Keys {
		keys = append(keys, d.Expr)
		k.types = append(k.types, d.Expr.Type())
	}
	if len(keys) > 0 {
		k.keys = kernel.CompileExprs(cols, keys, n.In)
	}
	k.table = agg.NewTable(k.types)
	k.keep = -1
	for _, v := range n.Body.State {
		k.anyKeep = k.anyKeep || v.Keep > 0
		if v.Keep == 0 {
			k.keep = 0
		} else if k.keep != 0 {
			k.keep = max(k.keep, v.Keep)
		}
	}
	for i, o := range n.Outs {
		for _, loose := range []bool{false, true} {
			k.outs = append(k.outs, output{builder: batch.NewBuilder(o.Layout), out: i, loose: loose})
		}
	}
	return k
}

// Len returns the number of keys.
func (k *Keyed) Len() int {
	if k.keys == nil {
		return min(len(k.vars), 1)
	}
	return k.table.Len()
}

// Run runs the body for each row of a batch, in order. The slices of the result are good until the next run.
func (k *Keyed) Run(now int64, in *batch.Batch, parents bool) Result {
	k.res = Result{
		Outs: k.res.Outs[:0], Dropped: k.res.Dropped[:0], Failed: k.res.Failed[:0], Errored: k.res.Errored[:0],
	}
	k.frame.Now = now
	var keys []batch.Col
	var bad []kernel.RowError
	if k.keys != nil {
		keys, bad = k.lookup(now, in)
		k.res.Failed = append(k.res.Failed, bad...)
	}
	for i := range in.N {
		number := 0
		if k.keys != nil {
			if len(bad) > 0 && bad[0].Row == i {
				bad = bad[1:]
				continue
			}
			number = int(k.numbers[i])
			k.frame.Keys = k.frame.Keys[:0]
			for c, t := range k.types {
				k.frame.Keys = append(k.frame.Keys, batch.ValueAt(&keys[c], t, i))
			}
		}
		k.row(now, in, i, number)
	}
	slices.SortFunc(k.res.Failed, func(a, b kernel.RowError) int { return a.Row - b.Row })
	for i := range k.outs {
		if o := &k.outs[i]; o.builder.Len() > 0 {
			k.take(o, parents)
		}
	}
	return k.res
}

// lookup computes the keys of a batch, and their numbers. A row whose key cannot be computed gets the number of whatever
// stands in its place.
func (k *Keyed) lookup(now int64, in *batch.Batch) ([]batch.Col, []kernel.RowError) {
	k.keys.Now = now
	keys, bad := k.keys.Eval(in)
	if len(bad) == in.N {
		return nil, bad
	}
	if len(bad) > 0 {
		keys = patch(keys, bad, in.N)
	}
	if k.keep > 0 && k.table.Len()+in.N > k.sweepAt {
		k.sweep(now)
	}
	k.numbers = k.table.Lookup(k.numbers[:0], keys, in.N)
	return keys, bad
}

// patch puts the key of a good row in the place of bad ones, so that no key comes into being from what lies there.
func patch(keys []batch.Col, bad []kernel.RowError, n int) []batch.Col {
	sel := make([]int32, n)
	for i := range sel {
		sel[i] = int32(i)
	}
	for _, b := range bad {
		sel[b.Row] = -1
	}
	good := int32(slices.IndexFunc(sel, func(i int32) bool { return i >= 0 }))
	for _, b := range bad {
		sel[b.Row] = good
	}
	out := make([]batch.Col, len(keys))
	for i, c := range keys {
		out[i] = batch.Gather(c, sel)
	}
	return out
}

// row runs the body for one row.
func (k *Keyed) row(now int64, in *batch.Batch, i, number int) {
	f := &k.frame
	k.input = in.AppendRow(k.input[:0], i)
	f.Input = k.input
	if err := k.load(now, number); err != nil {
		k.res.Failed = append(k.res.Failed, kernel.RowError{Row: i, Err: err})
		return
	}
	out := k.body.Run(f)
	switch out.Kind {
	case expr.OK:
		if f.Changed && k.anyKeep {
			k.changed[number] = now
		}
		for _, e := range f.Emits {
			k.emit(e, i)
		}
	case expr.Dropped:
		k.drop(out.Name, i)
	case expr.Errored:
		k.res.Errored = append(k.res.Errored, kernel.RowError{Row: i, Err: out.Err})
	default:
		k.res.Failed = append(k.res.Failed, kernel.RowError{Row: i, Err: out.Err})
	}
}

// load points the frame at a key's variables, made or forgotten as need be.
func (k *Keyed) load(now int64, number int) *expr.Error {
	n := len(k.node.Body.State)
	lo := number * n
	for len(k.vars) < lo+n {
		// Numbers are dense, but a row whose initial values fault leaves its key without variables.
		k.vars = append(k.vars, make([]value.Value, lo+n-len(k.vars))...)
	}
	for k.anyKeep && len(k.changed) <= number {
		k.changed = append(k.changed, unset)
	}
	if k.isNew(number) {
		vars, err := k.body.Init(&k.frame, k.initial[:0])
		if err != nil {
			return err
		}
		k.initial = vars
		copy(k.vars[lo:lo+n], vars)
		k.seen(number, now)
	} else if k.anyKeep {
		if err := k.forget(now, number, lo); err != nil {
			return err
		}
	}
	k.frame.State = k.vars[lo : lo+n : lo+n]
	return nil
}

const unset = int64(-1 << 63)

func (k *Keyed) isNew(number int) bool { return number >= len(k.made) || !k.made[number] }

func (k *Keyed) seen(number int, now int64) {
	for len(k.made) <= number {
		k.made = append(k.made, false)
	}
	k.made[number] = true
	if k.anyKeep {
		k.changed[number] = now
	}
}

// forget gives variables whose time is over their initial values again.
func (k *Keyed) forget(now int64, number, lo int) *expr.Error {
	age := now - k.changed[number]
	for v, s := range k.node.Body.State {
		if s.Keep > 0 && age > s.Keep {
			vars, err := k.body.Init(&k.frame, k.initial[:0])
			if err != nil {
				return err
			}
			k.initial = vars
			k.vars[lo+v] = vars[v]
		}
	}
	return nil
}

// sweep takes keys out of the table whose variables are all forgotten.
func (k *Keyed) sweep(now int64) {
	n := len(k.node.Body.State)
	var live []int32
	for i, at := range k.changed {
		if now-at <= k.keep {
			live = append(live, int32(i))
		}
	}
	old := k.table
	cols := old.Keys(0, old.Len())
	for i := range cols {
		cols[i] = batch.Compact(cols[i], old.Len(), live)
	}
	vars := make([]value.Value, 0, len(live)*n)
	changed := make([]int64, 0, len(live))
	for _, i := range live {
		vars = append(vars, k.vars[int(i)*n:int(i+1)*n]...)
		changed = append(changed, k.changed[i])
	}
	k.table = agg.NewTable(k.types)
	k.table.Lookup(nil, cols, len(live))
	k.vars, k.changed = vars, changed
	k.made = make([]bool, len(live))
	for i := range k.made {
		k.made[i] = true
	}
	k.sweepAt = max(firstSweep, 2*len(live))
}

func (k *Keyed) emit(e expr.EmitRow, row int) {
	i := 2 * e.Output
	if e.Unanchored {
		i++
	}
	o := &k.outs[i]
	o.builder.Append(e.Fields)
	o.parents = append(o.parents, int32(row))
	if o.builder.Full() {
		k.take(o, true)
	}
}

func (k *Keyed) take(o *output, parents bool) {
	out := kernel.Out{Output: o.out, Unanchored: o.loose, Batch: o.builder.Finish()}
	if parents {
		out.Parent = append([]int32(nil), o.parents...)
	}
	o.parents = o.parents[:0]
	k.res.Outs = append(k.res.Outs, out)
}

func (k *Keyed) drop(name string, row int) {
	for i := range k.res.Dropped {
		if d := &k.res.Dropped[i]; d.Name == name {
			d.Rows = append(d.Rows, int32(row))
			return
		}
	}
	k.res.Dropped = append(k.res.Dropped, kernel.Dropped{Name: name, Rows: []int32{int32(row)}})
}
