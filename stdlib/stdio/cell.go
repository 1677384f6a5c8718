package stdio

import (
	"strings"
	"unicode"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/stdlib/codec"
)

// cellText is the value as a hole of a string shows it, with what would break the line or the alignment made visible.
func cellText(c *batch.Col, t types.Type, i int) string {
	s := string(codec.AppendText(nil, c, t, i))
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

func unprintable(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) }
