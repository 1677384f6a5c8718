package value

import (
	"math"
	"math/bits"
	"time"

	"github.com/pipec/pipec/internal/bug"
)

// Err says why an operation has no result. The zero Err is none.
type Err uint8

// The reasons. Overflow and NotFinite are faults, which no program can settle; DivByZero is a failure, which a program
// must settle.
const (
	OK Err = iota
	Overflow
	NotFinite
	DivByZero
)

// Fault reports whether the reason is a fault and not a failure.
func (e Err) Fault() bool { return e == Overflow || e == NotFinite }

// String returns the reason as a clause for messages.
func (e Err) String() string {
	switch e {
	case OK:
		return "no error"
	case Overflow:
		return "the result does not fit into 64 bits"
	case NotFinite:
		return "the result is not a finite number"
	case DivByZero:
		return "division by zero"
	default:
		bug.Panicf("value: unknown reason %d", uint8(e))
		return ""
	}
}

// AddInt returns a + b, or Overflow.
func AddInt(a, b int64) (int64, Err) {
	c := a + b
	// The sum overflowed if both operands have the sign that the sum has not.
	if (a^c)&(b^c) < 0 {
		return 0, Overflow
	}
	return c, OK
}

// SubInt returns a - b, or Overflow.
func SubInt(a, b int64) (int64, Err) {
	c := a - b
	if (a^b)&(a^c) < 0 {
		return 0, Overflow
	}
	return c, OK
}

// MulInt returns a * b, or Overflow. The full product of two 64-bit numbers has 128 bits; it fits if its upper half is
// nothing but the sign of its lower half.
func MulInt(a, b int64) (int64, Err) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Mul64 takes its operands as unsigned: a negative one counts 2^64 too much, which shows in the upper half.
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	if int64(hi) != int64(lo)>>63 {
		return 0, Overflow
	}
	return int64(lo), OK
}

// DivInt returns a / b cut towards zero, DivByZero, or Overflow for the least int by -1.
func DivInt(a, b int64) (int64, Err) {
	switch {
	case b == 0:
		return 0, DivByZero
	case b == -1:
		return NegInt(a)
	}
	return a / b, OK
}

// ModInt returns the rest of DivInt, which has the sign of a, or DivByZero.
func ModInt(a, b int64) (int64, Err) {
	switch b {
	case 0:
		return 0, DivByZero
	case -1:
		return 0, OK
	}
	return a % b, OK
}

// NegInt returns -a, or Overflow for the least int.
func NegInt(a int64) (int64, Err) {
	if a == math.MinInt64 {
		return 0, Overflow
	}
	return -a, OK
}

// Finite returns f, or NotFinite where f is infinite or no number: what every float operation ends with.
func Finite(f float64) (float64, Err) {
	if f-f != 0 { // true for ±Inf and NaN alone
		return 0, NotFinite
	}
	return f, OK
}

// FloatToInt returns f cut towards zero, or Overflow where that is no int.
func FloatToInt(f float64) (int64, Err) {
	// Both bounds are powers of two and so exact; the upper one itself is no int any more.
	if f >= -0x1p63 && f < 0x1p63 {
		return int64(f), OK
	}
	return 0, Overflow
}

// Neg returns -v of an int, float or duration.
func Neg(v Value) (Value, Err) {
	if v.kind == Float {
		return OfFloat(-v.Float()), OK
	}
	n, e := NegInt(v.n)
	return Value{kind: v.kind, n: n}, e
}

// Add returns a + b of two ints, two floats, two durations, or a time and a duration in either order.
func Add(a, b Value) (Value, Err) {
	switch {
	case a.kind == Float:
		return finite(a.Float() + b.Float())
	case a.kind == b.kind || b.kind == Duration:
		n, e := AddInt(a.n, b.n)
		return Value{kind: a.kind, n: n}, e
	default: // a duration and a time
		n, e := AddInt(a.n, b.n)
		return Value{kind: b.kind, n: n}, e
	}
}

// Sub returns a - b of two ints, two floats, two durations, a time and a duration, or two times (a duration).
func Sub(a, b Value) (Value, Err) {
	if a.kind == Float {
		return finite(a.Float() - b.Float())
	}
	n, e := SubInt(a.n, b.n)
	kind := a.kind
	if a.kind == Time && b.kind == Time {
		kind = Duration
	}
	return Value{kind: kind, n: n}, e
}

// Mul returns a * b of two ints, two floats, or a duration and an int or float in either order.
func Mul(a, b Value) (Value, Err) {
	if b.kind == Duration {
		a, b = b, a
	}
	switch {
	case a.kind == Float:
		return finite(a.Float() * b.Float())
	case b.kind == Float: // a duration, scaled
		n, e := FloatToInt(float64(a.n) * b.Float())
		return OfDuration(time.Duration(n)), e
	default:
		n, e := MulInt(a.n, b.n)
		return Value{kind: a.kind, n: n}, e
	}
}

// Div returns a / b of two ints (cut towards zero), two floats, a duration and an int or float (a duration), or two
// durations (a float: how often b fits into a).
func Div(a, b Value) (Value, Err) {
	switch {
	case a.kind == Float:
		return finite(a.Float() / b.Float())
	case b.kind == Float:
		n, e := FloatToInt(float64(a.n) / b.Float())
		return OfDuration(time.Duration(n)), e
	case a.kind == Duration && b.kind == Duration:
		if b.n == 0 {
			return Value{}, DivByZero
		}
		return finite(float64(a.n) / float64(b.n))
	default:
		n, e := DivInt(a.n, b.n)
		return Value{kind: a.kind, n: n}, e
	}
}

// Mod returns the rest of a division of two ints, two floats or two durations; it has the sign of a.
func Mod(a, b Value) (Value, Err) {
	if a.kind == Float {
		return finite(math.Mod(a.Float(), b.Float()))
	}
	n, e := ModInt(a.n, b.n)
	return Value{kind: a.kind, n: n}, e
}

func finite(f float64) (Value, Err) {
	f, e := Finite(f)
	return OfFloat(f), e
}
