package catalog

import (
	"math"

	"github.com/pipec/pipec/lang/value"
)

// Range bounds the constant arguments of a parameter that is a number. The type says nothing of it: a file is not read
// in lines of -1 bytes.
type Range struct {
	Param       string // as module.connector.parameter; of the prelude without the module
	Least, Most int64  // both allowed
}

// Ranges returns the parameters of connectors and aggregates that do not take every number. A parameter that is not listed takes all.
func Ranges() []Range {
	const rows, bytes = math.MaxInt32, 1 << 40 // more is a slip of the pen
	return []Range{
		{"collect.limit", 1, rows},
		{"file.lines.max_line", 1, value.MaxSize},
		{"gen.sequence.count", 0, math.MaxInt64},
		{"gen.sequence.rate", 1, 1_000_000_000},
		{"memory.batch", 1, rows},
		{"memory.capacity", 1, rows},
		{"memory.max_bytes", 1, bytes},
		{"percentile.p", 0, 1},
		{"stdin.lines.max_line", 1, value.MaxSize},
	}
}

// rangeOf returns the range of a parameter by its full name, or nil.
func rangeOf(param string) *Range {
	for _, r := range Ranges() {
		if r.Param == param {
			return &r
		}
	}
	return nil
}
