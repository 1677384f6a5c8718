package fn

import (
	stdmath "math"
	stdtime "time"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

func time() []expr.Func {
	return []expr.Func{
		fallible("time.parse", parseTime),
		faulting("time.truncate", truncate),
		faulting("time.add", addDate),
		pure("time.unix", func(args []value.Value) value.Value { return whole(args[0], stdtime.Second) }),
		pure("time.unix_ms", func(args []value.Value) value.Value { return whole(args[0], stdtime.Millisecond) }),
		faulting("time.from_unix", func(args []value.Value) (value.Value, error) {
			return fromUnix("time.from_unix", args[0], stdtime.Second)
		}),
		faulting("time.from_unix_ms", func(args []value.Value) (value.Value, error) {
			return fromUnix("time.from_unix_ms", args[0], stdtime.Millisecond)
		}),
		calendar("time.year", func(t stdtime.Time) int { return t.Year() }),
		calendar("time.month", func(t stdtime.Time) int { return int(t.Month()) }),
		calendar("time.day", func(t stdtime.Time) int { return t.Day() }),
		calendar("time.weekday", func(t stdtime.Time) int { return int(t.Weekday()+6)%7 + 1 }),
		calendar("time.hour", func(t stdtime.Time) int { return t.Hour() }),
		calendar("time.minute", func(t stdtime.Time) int { return t.Minute() }),
		calendar("time.second", func(t stdtime.Time) int { return t.Second() }),
		pure("time.seconds", func(args []value.Value) value.Value {
			return value.OfFloat(args[0].Duration().Seconds())
		}),
	}
}

func utc(v value.Value) stdtime.Time { return stdtime.Unix(0, v.Int()).UTC() }

// ofTime returns a time as a value, if it is one of those that nanoseconds in 64 bits can tell.
func ofTime(t stdtime.Time) (value.Value, bool) {
	if t.Before(stdtime.Unix(0, stdmath.MinInt64)) || t.After(stdtime.Unix(0, stdmath.MaxInt64)) {
		return value.Value{}, false
	}
	return value.OfTime(t.UnixNano()), true
}

func parseTime(args []value.Value) (value.Value, error) {
	text, layout := args[0].Str(), args[1].Str()
	t, err := stdtime.Parse(layout, text)
	if err != nil {
		return value.Value{}, expr.Failf(diag.UnreadableTime, "%s is no time like %s", expr.Quote(text), expr.Quote(layout))
	}
	v, ok := ofTime(t)
	if !ok {
		return value.Value{}, expr.Failf(diag.UnreadableTime, "%s is not between the years 1678 and 2261", expr.Quote(text))
	}
	return v, nil
}

func truncate(args []value.Value) (value.Value, error) {
	at, unit := args[0].Int(), args[1].Int()
	if unit <= 0 {
		return args[0], nil
	}
	over := at % unit
	if over < 0 { // a time before 1970 is cut towards the past too
		over += unit
	}
	cut, why := value.SubInt(at, over)
	if why != value.OK {
		return value.Value{}, overflow("time.truncate")
	}
	return value.OfTime(cut), nil
}

func addDate(args []value.Value) (value.Value, error) {
	for _, n := range args[1:4] {
		// No sum of larger numbers is a time, and smaller ones cannot overflow on the way.
		if n.Int() < -1e6 || n.Int() > 1e6 {
			return value.Value{}, overflow("time.add")
		}
	}
	t := utc(args[0]).AddDate(int(args[1].Int()), int(args[2].Int()), int(args[3].Int()))
	v, ok := ofTime(t)
	if !ok {
		return value.Value{}, overflow("time.add")
	}
	return v, nil
}

// whole returns the whole units since 1970, rounded down.
func whole(at value.Value, unit stdtime.Duration) value.Value {
	n := at.Int() / int64(unit)
	if at.Int()%int64(unit) < 0 {
		n--
	}
	return value.OfInt(n)
}

func fromUnix(name string, n value.Value, unit stdtime.Duration) (value.Value, error) {
	ns, why := value.MulInt(n.Int(), int64(unit))
	if why != value.OK {
		return value.Value{}, overflow(name)
	}
	return value.OfTime(ns), nil
}

// calendar makes a function that reads a time off the calendar.
func calendar(name string, of func(stdtime.Time) int) expr.Func {
	return pure(name, func(args []value.Value) value.Value { return value.OfInt(int64(of(utc(args[0])))) })
}
