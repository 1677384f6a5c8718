package codec

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// NewText makes the encoder of `text`: one line a row, ended by LF. The line is the template, or without one the only
// field of the row or else its field `line`, as a hole of a string shows it. Bytes pass as they are.
func NewText(cfg connector.CodecConfig, row batch.Layout) (connector.Encoder, error) {
	if len(cfg.Each) > 0 {
		return &textLines{each: true}, nil
	}
	if t, ok := cfg.Args["template"]; ok && !t.IsNone() {
		return &textLines{fixed: t.Str(), isFixed: true}, nil
	}
	field := 0
	if len(row.Fields) != 1 {
		field = row.Index("line")
	}
	if field < 0 {
		return nil, fmt.Errorf("text writes the only field of a row, or its field `line`, and this one has %d: %s; "+
			"say what a line is, as text(\"{…} {…}\")", len(row.Fields), row.Shape())
	}
	t := row.Fields[field].Type
	if !printable(t) {
		return nil, errors.New("text cannot write a field of type " + t.String())
	}
	return &textLines{field: field, t: t}, nil
}

func printable(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return t >= types.Bool && t <= types.Duration
	case *types.Enum, *types.List, *types.Map, *types.Record:
		return true
	case *types.Optional:
		return printable(t.Elem)
	}
	return false
}

type textLines struct {
	each    bool // the line is the last `each` column
	isFixed bool
	fixed   string
	field   int // the line is this column, of type t
	t       types.Type
}

// Append implements connector.Encoder.
func (x *textLines) Append(dst []byte, ends []int, w connector.Write) ([]byte, []int, []connector.RowError) {
	var col *batch.Col
	switch {
	case x.each:
		col = &w.Each[len(w.Each)-1]
	case !x.isFixed:
		col = &w.Batch.Cols[x.field]
		if x.t != types.String {
			return x.appendValues(dst, ends, col, w.Batch.N)
		}
	}
	for i := range w.Batch.N {
		if x.isFixed {
			dst = append(dst, x.fixed...)
		} else {
			dst = append(dst, text(col, i)...)
		}
		dst = append(dst, '\n')
		ends = append(ends, len(dst))
	}
	return dst, ends, nil
}

func (x *textLines) appendValues(dst []byte, ends []int, col *batch.Col, n int) ([]byte, []int, []connector.RowError) {
	for i := range n {
		dst = append(AppendText(dst, col, x.t, i), '\n')
		ends = append(ends, len(dst))
	}
	return dst, ends, nil
}

// AppendText appends row i of a column as value.AppendText would append the value; none is nothing.
func AppendText(dst []byte, c *batch.Col, t types.Type, i int) []byte {
	if o, ok := t.(*types.Optional); ok {
		t = o.Elem
	}
	if c.Valid != nil && !c.Valid[i] {
		return dst
	}
	switch t := t.(type) {
	case *types.Enum:
		return append(dst, text(c, i)...)
	case *types.List, *types.Map, *types.Record:
		return appendJSON(dst, c, t, i)
	case types.Basic:
		switch t {
		case types.Bool:
			return strconv.AppendBool(dst, c.Bool[i])
		case types.Int:
			return strconv.AppendInt(dst, c.Int[i], 10)
		case types.Float:
			return value.AppendFloat(dst, c.Float[i])
		case types.String, types.Bytes:
			return append(dst, text(c, i)...)
		case types.Time:
			return value.AppendTime(dst, c.Int[i])
		case types.Duration:
			return value.AppendDuration(dst, c.Int[i])
		}
	}
	bug.Panicf("codec: cannot write %s as text", t)
	return nil
}
