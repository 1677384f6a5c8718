package types_test

import (
	"testing"

	"github.com/pipec/pipec/lang/types"
)

func rec(name string, fields ...types.Field) *types.Record {
	return &types.Record{Name: name, Fields: fields}
}

func f(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

var (
	wide   = rec("Wide", f("a", types.Int), f("b", types.String))
	narrow = rec("", f("b", types.String))
	other  = rec("", f("b", types.Int))
	level  = &types.Enum{Name: "Level", Members: []string{"info", "warn"}}
	ints   = &types.List{Elem: types.Int}
	counts = &types.Map{Key: types.String, Elem: types.Int}
)

func opt(t types.Type) types.Type { return types.Opt(t) }

func TestEqual(t *testing.T) {
	same := [][2]types.Type{
		{types.Int, types.Int},
		{ints, &types.List{Elem: types.Int}},
		{counts, &types.Map{Key: types.String, Elem: types.Int}},
		{wide, rec("", f("a", types.Int), f("b", types.String))},
		{level, &types.Enum{Members: []string{"warn", "info"}}},
		{opt(types.Int), opt(types.Int)},
		{&types.Var{Name: "T"}, &types.Var{Name: "T"}},
	}
	for _, p := range same {
		if !types.Equal(p[0], p[1]) {
			t.Errorf("%s and %s are not equal", p[0], p[1])
		}
	}
	for i, p := range same {
		for j, q := range same {
			if i != j && types.Equal(p[0], q[1]) {
				t.Errorf("%s and %s are equal", p[0], q[1])
			}
		}
	}
	if types.Equal(wide, rec("", f("b", types.String), f("a", types.Int))) {
		t.Error("records whose fields are in another order are equal")
	}
}

func TestAssignable(t *testing.T) {
	for _, c := range []struct {
		from, to types.Type
		want     bool
	}{
		{types.Int, types.Int, true},
		{types.Int, types.Float, false}, // of constants only, which is the checker's
		{types.Int, opt(types.Int), true},
		{opt(types.Int), types.Int, false},
		{types.None, opt(types.Int), true},
		{types.None, types.Int, false},
		{level, types.String, true},
		{level, opt(types.String), true},
		{types.String, level, false},
		{wide, narrow, true},
		{narrow, wide, false},
		{wide, other, false},
		{wide, opt(narrow), true},
		{opt(wide), opt(narrow), true},
		{rec("", f("a", level)), rec("", f("a", types.String)), false}, // records are narrowed, not converted
		{&types.List{Elem: level}, &types.List{Elem: types.String}, false},
		{&types.List{Elem: types.Never}, ints, true},
		{&types.Map{Key: types.Never, Elem: types.Never}, counts, true},
		{types.Int, types.Number, true},
		{types.String, types.Number, false},
		{wide, types.AnyRecord, true},
		{ints, types.AnyRecord, false},
		{types.Invalid, types.Int, true},
		{types.String, types.Invalid, true},
		{rec("", f("a", types.Invalid)), ints, true},
	} {
		if got := types.Assignable(c.from, c.to); got != c.want {
			t.Errorf("Assignable(%s, %s) = %v", c.from, c.to, got)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct{ a, b, want types.Type }{
		{types.Int, types.Int, types.Int},
		{types.Int, types.None, opt(types.Int)},
		{types.Int, opt(types.Int), opt(types.Int)},
		{types.None, types.None, types.None},
		{level, types.String, types.String},
		{level, &types.Enum{Members: []string{"x"}}, types.String},
		{opt(level), types.String, opt(types.String)},
		{wide, narrow, narrow},
		{ints, &types.List{Elem: types.Never}, ints},
		{types.Int, types.String, nil},
		{types.Int, types.Float, nil},
		{types.Invalid, types.Int, types.Invalid},
	} {
		for range 2 {
			got, ok := types.Join(c.a, c.b)
			if ok != (c.want != nil) || ok && !types.Equal(got, c.want) {
				t.Errorf("Join(%s, %s) = %v, %v", c.a, c.b, got, ok)
			}
			c.a, c.b = c.b, c.a // it has no sides
		}
	}
}

func TestInfer(t *testing.T) {
	v := &types.Var{Name: "T"}
	list := &types.List{Elem: v}
	for _, c := range []struct {
		name   string
		params []types.Type
		args   []types.Type
		result types.Type
		want   types.Type // nil: does not fit
	}{
		{"element", []types.Type{list}, []types.Type{ints}, opt(v), opt(types.Int)},
		{"list and item", []types.Type{list, v}, []types.Type{ints, types.Int}, list, ints},
		{"list and other item", []types.Type{list, v}, []types.Type{ints, types.String}, list, nil},
		{"empty list and item", []types.Type{list, v}, []types.Type{&types.List{Elem: types.Never}, types.String}, list, &types.List{Elem: types.String}},
		{"enum among strings", []types.Type{v, v}, []types.Type{level, types.String}, v, types.String},
		{"int and float", []types.Type{types.Number, types.Number}, []types.Type{types.Int, types.Float}, types.Number, types.Float},
		{"number", []types.Type{types.Number}, []types.Type{types.String}, types.Number, nil},
		{"map", []types.Type{&types.Map{Key: &types.Var{Name: "K"}, Elem: v}}, []types.Type{counts}, v, types.Int},
		{"no list", []types.Type{list}, []types.Type{types.Int}, v, nil},
		{"optional", []types.Type{opt(v)}, []types.Type{types.Int}, v, types.Int},
	} {
		b := types.Bindings{}
		ok := true
		for i, p := range c.params {
			ok = ok && b.Infer(p, c.args[i])
		}
		if ok != (c.want != nil) {
			t.Errorf("%s: fits is %v", c.name, ok)
		} else if ok && !types.Equal(b.Put(c.result), c.want) {
			t.Errorf("%s: the result is %s, wanted %s", c.name, b.Put(c.result), c.want)
		}
	}
}

func TestCommon(t *testing.T) {
	if got := types.Common(wide, narrow); !types.Equal(got, narrow) {
		t.Errorf("Common is %s", got)
	}
	if got := types.Common(wide, other); len(got.Fields) != 0 {
		t.Errorf("Common is %s", got)
	}
}
