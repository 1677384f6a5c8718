// Package codec turns rows into bytes and bytes into rows.
package codec

import (
	"encoding/base64"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Encoders returns the codecs that encode, by name.
func Encoders() connector.Encoders {
	return connector.Encoders{"json": NewJSON, "text": NewText}
}

// NewJSON makes the encoder of `json`: one object a line, fields in the order of the row's layout, none left out.
// Strings are made well-formed: an ill-formed byte becomes U+FFFD.
func NewJSON(_ connector.CodecConfig, row batch.Layout) (connector.Encoder, error) {
	return &jsonLines{row: row, keys: jsonKeys(row)}, nil
}

type jsonLines struct {
	row  batch.Layout
	keys []string
}

// jsonKeys returns each field's `,"name":`.
func jsonKeys(row batch.Layout) []string {
	keys := make([]string, len(row.Fields))
	for i, f := range row.Fields {
		key, _ := value.AppendJSONString([]byte{','}, f.Name)
		keys[i] = string(append(key, ':'))
	}
	return keys
}

// Append implements connector.Encoder.
func (j *jsonLines) Append(dst []byte, ends []int, w connector.Write) ([]byte, []int, []connector.RowError) {
	for i := range w.Batch.N {
		dst = appendObject(dst, w.Batch.Cols, j.row, j.keys, i)
		dst = append(dst, '\n')
		ends = append(ends, len(dst))
	}
	return dst, ends, nil
}

func appendObject(dst []byte, cols []batch.Col, row *types.Record, keys []string, i int) []byte {
	open := len(dst)
	dst = append(dst, '{')
	for f := range row.Fields {
		c := &cols[f]
		if c.Valid != nil && !c.Valid[i] {
			continue
		}
		key := keys[f]
		if len(dst) == open+1 {
			key = key[1:]
		}
		dst = append(dst, key...)
		dst = appendJSON(dst, c, row.Fields[f].Type, i)
	}
	return append(dst, '}')
}

// appendJSON appends row i of a column as JSON, as value.AppendJSON would append the value.
func appendJSON(dst []byte, c *batch.Col, t types.Type, i int) []byte {
	if o, ok := t.(*types.Optional); ok {
		t = o.Elem
	}
	if c.Valid != nil && !c.Valid[i] {
		return append(dst, "null"...)
	}
	switch t := t.(type) {
	case types.Basic:
		return appendJSONScalar(dst, c, t, i)
	case *types.Enum:
		dst, _ = value.AppendJSONString(dst, text(c, i))
		return dst
	case *types.List:
		dst = append(dst, '[')
		for k := c.Offs[i]; k < c.Offs[i+1]; k++ {
			if k > c.Offs[i] {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, &c.Sub[0], t.Elem, int(k))
		}
		return append(dst, ']')
	case *types.Map:
		dst = append(dst, '{')
		for k := c.Offs[i]; k < c.Offs[i+1]; k++ {
			if k > c.Offs[i] {
				dst = append(dst, ',')
			}
			dst, _ = value.AppendJSONString(dst, AppendText(nil, &c.Sub[0], t.Key, int(k)))
			dst = appendJSON(append(dst, ':'), &c.Sub[1], t.Elem, int(k))
		}
		return append(dst, '}')
	case *types.Record:
		return appendObject(dst, c.Sub, t, jsonKeys(t), i)
	default:
		bug.Panicf("codec: cannot encode %s", t)
		return nil
	}
}

func appendJSONScalar(dst []byte, c *batch.Col, t types.Basic, i int) []byte {
	switch t {
	case types.String:
		dst, _ = value.AppendJSONString(dst, text(c, i))
		return dst
	case types.Bytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, text(c, i))
		return append(dst, '"')
	case types.Time, types.Duration:
		dst = append(dst, '"')
		dst = AppendText(dst, c, t, i)
		return append(dst, '"')
	case types.None:
		return append(dst, "null"...)
	default:
		return AppendText(dst, c, t, i)
	}
}

func text(c *batch.Col, i int) []byte {
	s := c.Str[i]
	return c.Data[s.Off : s.Off+s.Len]
}
