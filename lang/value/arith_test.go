package value_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/lang/value"
)

// anyInt draws ints, the ones near the limits often.
func anyInt() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.Int64(),
		rapid.Int64Range(-3, 3),
		rapid.Map(rapid.Int64Range(0, 3), func(d int64) int64 { return math.MaxInt64 - d }),
		rapid.Map(rapid.Int64Range(0, 3), func(d int64) int64 { return math.MinInt64 + d }),
		rapid.Map(rapid.IntRange(0, 62), func(s int) int64 { return 1 << s }),
	)
}

func TestIntArithmeticAgreesWithBig(t *testing.T) {
	ops := []struct {
		name  string
		op    func(a, b int64) (int64, value.Err)
		exact func(a, b *big.Int) *big.Int
		div   bool
	}{
		{"add", value.AddInt, func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }, false},
		{"sub", value.SubInt, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }, false},
		{"mul", value.MulInt, func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }, false},
		{"div", value.DivInt, func(a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) }, true},
		{"mod", value.ModInt, func(a, b *big.Int) *big.Int { return new(big.Int).Rem(a, b) }, true},
	}
	for _, o := range ops {
		t.Run(o.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := anyInt().Draw(t, "a"), anyInt().Draw(t, "b")
				got, e := o.op(a, b)
				if o.div && b == 0 {
					if e != value.DivByZero {
						t.Fatalf("%d by zero: %v", a, e)
					}
					return
				}
				want := o.exact(big.NewInt(a), big.NewInt(b))
				if want.IsInt64() != (e == value.OK) {
					t.Fatalf("%d, %d: %v, the result is %s", a, b, e, want)
				}
				if e == value.OK && got != want.Int64() {
					t.Fatalf("%d, %d: %d, want %s", a, b, got, want)
				}
				if e != value.OK && e != value.Overflow {
					t.Fatalf("%d, %d: %v", a, b, e)
				}
			})
		})
	}
}

func TestValueArithmetic(t *testing.T) {
	type V = value.Value
	i, f, at := value.OfInt, value.OfFloat, value.OfTime
	d := func(n int64) V { return value.OfDuration(time.Duration(n)) }
	neg := func(a, _ V) (V, value.Err) { return value.Neg(a) }
	tests := []struct {
		name string
		op   func(a, b V) (V, value.Err)
		a, b V
		want V
		err  value.Err
	}{
		{"int sum", value.Add, i(1), i(2), i(3), value.OK},
		{"int sum over", value.Add, i(math.MaxInt64), i(1), V{}, value.Overflow},
		{"float sum", value.Add, f(0.5), f(2), f(2.5), value.OK},
		{"float sum over", value.Add, f(math.MaxFloat64), f(math.MaxFloat64), V{}, value.NotFinite},
		{"time and duration", value.Add, at(5), d(2), at(7), value.OK},
		{"duration and time", value.Add, d(2), at(5), at(7), value.OK},
		{"durations", value.Add, d(2), d(5), d(7), value.OK},
		{"time past the last", value.Add, at(math.MaxInt64), d(1), V{}, value.Overflow},
		{"times apart", value.Sub, at(5), at(7), d(-2), value.OK},
		{"time before", value.Sub, at(5), d(7), at(-2), value.OK},
		{"durations apart", value.Sub, d(5), d(7), d(-2), value.OK},
		{"ints apart", value.Sub, i(math.MinInt64), i(1), V{}, value.Overflow},
		{"floats apart", value.Sub, f(1), f(0.5), f(0.5), value.OK},
		{"int product over", value.Mul, i(math.MinInt64), i(-1), V{}, value.Overflow},
		{"float product", value.Mul, f(3), f(0.5), f(1.5), value.OK},
		{"duration times int", value.Mul, d(3), i(4), d(12), value.OK},
		{"int times duration", value.Mul, i(4), d(3), d(12), value.OK},
		{"duration times float", value.Mul, d(3), f(1.5), d(4), value.OK},
		{"duration times float over", value.Mul, d(math.MaxInt64), f(1.5), V{}, value.Overflow},
		{"int division cuts towards zero", value.Div, i(-7), i(2), i(-3), value.OK},
		{"int division by zero", value.Div, i(-7), i(0), V{}, value.DivByZero},
		{"least int by -1", value.Div, i(math.MinInt64), i(-1), V{}, value.Overflow},
		{"float division by zero", value.Div, f(1), f(0), V{}, value.NotFinite},
		{"duration by int", value.Div, d(7), i(2), d(3), value.OK},
		{"duration by float", value.Div, d(7), f(0.5), d(14), value.OK},
		{"duration by zero", value.Div, d(7), i(0), V{}, value.DivByZero},
		{"duration by float zero", value.Div, d(7), f(0), V{}, value.Overflow},
		{"duration by duration", value.Div, d(7), d(2), f(3.5), value.OK},
		{"duration by no duration", value.Div, d(7), d(0), V{}, value.DivByZero},
		{"rest has the sign of the dividend", value.Mod, i(-7), i(3), i(-1), value.OK},
		{"rest of least int by -1", value.Mod, i(math.MinInt64), i(-1), i(0), value.OK},
		{"rest by zero", value.Mod, i(1), i(0), V{}, value.DivByZero},
		{"float rest", value.Mod, f(7.5), f(2), f(1.5), value.OK},
		{"float rest by zero", value.Mod, f(7.5), f(0), V{}, value.NotFinite},
		{"duration rest", value.Mod, d(7), d(2), d(1), value.OK},
		{"minus", neg, i(7), V{}, i(-7), value.OK},
		{"minus float", neg, f(7), V{}, f(-7), value.OK},
		{"minus duration", neg, d(7), V{}, d(-7), value.OK},
		{"minus least int", neg, i(math.MinInt64), V{}, V{}, value.Overflow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, e := tt.op(tt.a, tt.b)
			if e != tt.err || e == value.OK && (got.Kind() != tt.want.Kind() || !value.Equal(got, tt.want)) {
				t.Errorf("got %v (%v), want %v (%v)", got, e, tt.want, tt.err)
			}
		})
	}
}

func TestFloatToInt(t *testing.T) {
	tests := []struct {
		in   float64
		want int64
		err  value.Err
	}{
		{2.9, 2, value.OK}, {-2.9, -2, value.OK}, {-0x1p63, math.MinInt64, value.OK},
		{0x1p63, 0, value.Overflow}, {math.Inf(-1), 0, value.Overflow}, {math.NaN(), 0, value.Overflow},
	}
	for _, tt := range tests {
		if got, e := value.FloatToInt(tt.in); got != tt.want || e != tt.err {
			t.Errorf("%g: %d (%v), want %d (%v)", tt.in, got, e, tt.want, tt.err)
		}
	}
}

func TestReasonsAreFaultsOrFailures(t *testing.T) {
	if value.DivByZero.Fault() || value.OK.Fault() || !value.Overflow.Fault() || !value.NotFinite.Fault() {
		t.Error("overflow and what is not finite are faults, the others are none")
	}
}
