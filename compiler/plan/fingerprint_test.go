package plan

import (
	"reflect"
	"testing"

	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// meaningless are the fields that a fingerprint must not see: names for messages, and what others derive.
var meaningless = map[string]bool{
	"X.At": true, "S.At": true, "Input.Name": true, "Local.Name": true, "State.Name": true, "Key.Name": true,
	"Member.Name": true, "CallFn.Name": true,
	"Node.ID": true, "Node.Name": true, "Node.Origin": true, "Node.Level": true, "Node.Parallelism": true,
	"Node.Ordered": true, "Out.Name": true, "Node.DeadRows": true, "Node.Fingerprint": true,
	"Connector.Traits": true, "Connector.Splittable": true,
	"KeyDef.Name": true, "AggCall.At": true, "StateVar.Name": true, "Body.CanFail": true, "Record.Name": true,
	"Enum.Name": true,
}

// change sets a field to a value that it has not had.
func change(t *testing.T, f reflect.Value) {
	if f.Type() == reflect.TypeFor[value.Value]() {
		f.Set(reflect.ValueOf(value.OfInt(f.Interface().(value.Value).Int() + 7)))
		return
	}
	switch f.Kind() {
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int, reflect.Int64:
		f.SetInt(f.Int() + 1)
	case reflect.Uint8, reflect.Uint64:
		f.SetUint(f.Uint() + 1)
	case reflect.String:
		f.SetString(f.String() + "x")
	case reflect.Slice:
		f.Set(reflect.Append(f, newElem(f.Type().Elem())))
	case reflect.Interface:
		if f.Type() == reflect.TypeFor[types.Type]() {
			f.Set(reflect.ValueOf(&types.List{Elem: types.Int}))
		} else {
			f.Set(newElem(f.Type()))
		}
	case reflect.Pointer:
		f.Set(reflect.Zero(f.Type()))
	case reflect.Struct:
		if f.Type() == reflect.TypeFor[source.Span]() {
			f.Set(reflect.ValueOf(source.Span{Start: 3, End: 4}))
		} else {
			change(t, f.Field(0))
		}
	default:
		t.Fatalf("the test does not know how to change a %s", f.Type())
	}
}

func newElem(t reflect.Type) reflect.Value {
	switch t {
	case reflect.TypeFor[Expr]():
		return reflect.ValueOf(&Local{Slot: 77})
	case reflect.TypeFor[Stmt]():
		return reflect.ValueOf(&Drop{Name: "seventy-seven"})
	case reflect.TypeFor[types.Type]():
		return reflect.ValueOf(types.Duration)
	}
	return reflect.New(t).Elem()
}

// eachField calls f for each field of the struct at v, which it may change and must change back.
func eachField(v reflect.Value, f func(name string, field reflect.Value)) {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		if name == "X" || name == "S" {
			eachField(field, f)
			continue
		}
		f(v.Type().Name()+"."+name, field)
	}
}

// checkFields changes each field of the struct that x points to and looks at what becomes of a fingerprint.
func checkFields(t *testing.T, x any, sum func() uint64) {
	t.Helper()
	before := sum()
	eachField(reflect.ValueOf(x).Elem(), func(name string, field reflect.Value) {
		old := reflect.New(field.Type()).Elem()
		old.Set(field)
		change(t, field)
		if changed := sum() != before; changed == meaningless[name] {
			t.Errorf("a change of %s changes the fingerprint: %t", name, changed)
		}
		field.Set(old)
	})
	if sum() != before {
		t.Fatal("the test does not change fields back")
	}
}

func TestFingerprintSeesMeaningOnly(t *testing.T) {
	for _, k := range allKinds {
		markers(k)
		if m, ok := k.(*MakeMap); ok { // keys and values grow together
			m.Keys, m.Elems = nil, nil
		}
		checkFields(t, k, func() uint64 {
			e := &encoder{fns: make([]uint64, 3)}
			for i := range e.fns {
				e.fns[i] = uint64(100 + i)
			}
			if x, ok := k.(Expr); ok {
				e.expr(x)
			} else {
				e.stmt(k.(Stmt))
			}
			return e.sum()
		})
	}
}

func TestFingerprintOfNodeSeesMeaningOnly(t *testing.T) {
	n := &Node{
		In: &types.Record{}, Outs: []Out{{Layout: &types.Record{}}}, Keys: []KeyDef{{}},
		Connector: &Connector{Args: []Arg{{}}, Each: []EachArg{{}}, Codec: &Codec{}},
		Body:      &Body{State: []StateVar{{}}},
		Agg:       &Aggregate{Calls: []AggCall{{}}},
		Top:       &Top{},
	}
	sum := func() uint64 { return NodeFingerprint(&Plan{}, n) }
	for _, part := range []any{
		n, n.In, &n.Outs[0], &n.Keys[0], n.Connector, &n.Connector.Args[0], &n.Connector.Each[0], n.Connector.Codec,
		n.Body, &n.Body.State[0], n.Agg, &n.Agg.Window, &n.Agg.Calls[0], n.Top,
	} {
		checkFields(t, part, sum)
	}
}

func TestFingerprintTellsTypesApart(t *testing.T) {
	kinds := []types.Type{
		nil, types.Int, types.String, &types.List{Elem: types.Int}, &types.Optional{Elem: types.Int},
		&types.Map{Key: types.String, Elem: types.Int}, &types.Record{}, &types.Enum{}, &types.Var{},
		&types.Record{Fields: []types.Field{{Name: "a", Type: types.Int}}}, &types.Enum{Members: []string{"a"}},
	}
	seen := map[string]types.Type{}
	for _, k := range kinds {
		e := &encoder{}
		e.typ(k)
		if other, found := seen[string(e.buf)]; found {
			t.Errorf("%v and %v have one encoding", k, other)
		}
		seen[string(e.buf)] = k
	}
}

// TestFingerprintFollowsCalls changes the body of a function that is called by a function that a node calls.
func TestFingerprintFollowsCalls(t *testing.T) {
	inner := &Const{Value: value.OfInt(1)}
	p := &Plan{Funcs: []Func{{Name: "outer", Value: &CallFn{Index: 1}}, {Name: "inner", Value: inner}}}
	n := &Node{Body: &Body{Stmts: []Stmt{&Emit{Fields: []Expr{&CallFn{Index: 0}}}}}}
	before := NodeFingerprint(p, n)
	p.Funcs[0].Name = "renamed"
	if NodeFingerprint(p, n) != before {
		t.Error("the name of a function counts")
	}
	inner.Value = value.OfInt(2)
	if NodeFingerprint(p, n) == before {
		t.Error("the body of a function that is called by a called one does not count")
	}
}

// TestFingerprintSeesErrorOutputs: what the engine writes to depends on these names.
func TestFingerprintSeesErrorOutputs(t *testing.T) {
	sums := map[uint64]string{}
	for _, name := range []string{"rest", "errors", "late"} {
		sum := NodeFingerprint(&Plan{}, &Node{Outs: []Out{{Name: name, Layout: &types.Record{}}}})
		if other, found := sums[sum]; found {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		sums[sum] = name
	}
}
