package batch

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// ColBuilder makes a column row by row. It owns its memory until Take.
type ColBuilder struct {
	col      Col
	n        int
	typ      types.Type
	kind     Kind
	optional bool
	subs     []*ColBuilder
}

// NewColBuilder returns an empty builder of a column of type t.
func NewColBuilder(t types.Type) *ColBuilder {
	b := &ColBuilder{typ: Elem(t), kind: KindOf(t), optional: IsOptional(t)}
	for _, s := range subTypes(t) {
		b.subs = append(b.subs, NewColBuilder(s))
	}
	b.start()
	return b
}

func (b *ColBuilder) start() {
	b.col, b.n = Col{}, 0
	if b.kind == KindList || b.kind == KindMap {
		b.col.Offs = []uint32{0}
	}
}

// Len returns the number of rows.
func (b *ColBuilder) Len() int { return b.n }

// Grow makes room for n more rows of a column without parts.
func (b *ColBuilder) Grow(n int) {
	switch b.kind {
	case KindBool:
		b.col.Bool = grown(b.col.Bool, n)
	case KindInt:
		b.col.Int = grown(b.col.Int, n)
	case KindFloat:
		b.col.Float = grown(b.col.Float, n)
	case KindStr:
		b.col.Str = grown(b.col.Str, n)
	}
}

func grown[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	out := make([]T, len(s), len(s)+n)
	copy(out, s)
	return out
}

// valid notes whether the row that is being appended holds a value. Valid is made with the first row that does not.
func (b *ColBuilder) valid(has bool) {
	if b.col.Valid == nil {
		if has {
			return
		}
		if !b.optional {
			bug.Panicf("exec/batch: none in a column of type %s", b.typ)
		}
		b.col.Valid = make([]bool, b.n, max(2*b.n, 16))
		for i := range b.col.Valid {
			b.col.Valid[i] = true
		}
	}
	b.col.Valid = append(b.col.Valid, has)
}

// AppendNone appends an invalid row to a column of optional type.
func (b *ColBuilder) AppendNone() {
	b.valid(false)
	b.fill()
}

// Fill appends a row that nobody will look at, as valid as the column's type allows it to be.
func (b *ColBuilder) Fill() {
	b.valid(true)
	b.fill()
}

// Full reports whether a column of strings in it has come so near to MaxData that the next row might not fit.
func (b *ColBuilder) Full() bool { return b.dataLen() > MaxData-roomForRow }

// fill appends the slot of an invalid row.
func (b *ColBuilder) fill() {
	switch b.kind {
	case KindBool:
		b.col.Bool = append(b.col.Bool, false)
	case KindInt:
		b.col.Int = append(b.col.Int, 0)
	case KindFloat:
		b.col.Float = append(b.col.Float, 0)
	case KindStr:
		b.col.Str = append(b.col.Str, Str{})
	case KindList, KindMap:
		b.endList()
	case KindRecord:
		for _, s := range b.subs {
			s.Fill()
		}
	}
	b.n++
}

// endList ends a list or map behind the elements that its parts have by now.
func (b *ColBuilder) endList() { b.col.Offs = append(b.col.Offs, uint32(b.subs[0].n)) }

// AppendBool appends a row to a bool column; AppendInt, AppendFloat and AppendBytes likewise to theirs.
func (b *ColBuilder) AppendBool(v bool) {
	b.valid(true)
	b.col.Bool = append(b.col.Bool, v)
	b.n++
}

// AppendInt appends a row to a column of kind int.
func (b *ColBuilder) AppendInt(v int64) {
	b.valid(true)
	b.col.Int = append(b.col.Int, v)
	b.n++
}

// AppendFloat appends a row to a float column.
func (b *ColBuilder) AppendFloat(v float64) {
	b.valid(true)
	b.col.Float = append(b.col.Float, v)
	b.n++
}

// AppendBytes appends a row to a column of kind string and copies the bytes. Data must not exceed MaxData.
func (b *ColBuilder) AppendBytes(v []byte) {
	b.str(len(v))
	b.col.Data = append(b.col.Data, v...)
}

// AppendString is AppendBytes of a string.
func (b *ColBuilder) AppendString(v string) {
	b.str(len(v))
	b.col.Data = append(b.col.Data, v...)
}

func (b *ColBuilder) str(n int) {
	b.valid(true)
	if len(b.col.Data)+n > MaxData {
		bug.Panicf("exec/batch: a column of more than %d bytes", MaxData)
	}
	b.col.Str = append(b.col.Str, Str{uint32(len(b.col.Data)), uint32(n)})
	b.n++
}

// Append appends a value of the column's type.
func (b *ColBuilder) Append(v value.Value) {
	if v.IsNone() {
		b.AppendNone()
		return
	}
	switch b.kind {
	case KindBool:
		b.AppendBool(v.Bool())
	case KindInt:
		b.AppendInt(v.Int())
	case KindFloat:
		b.AppendFloat(v.Float())
	case KindStr:
		b.AppendString(v.Str())
	case KindList:
		b.parts(v.Elems(), nil)
	case KindMap:
		b.parts(v.Keys(), v.Elems())
	case KindRecord:
		b.valid(true)
		for i, e := range v.Elems() {
			b.subs[i].Append(e)
		}
		b.n++
	default:
		bug.Panicf("exec/batch: %s in a column of type %s", v, b.typ)
	}
}

func (b *ColBuilder) parts(first, second []value.Value) {
	b.valid(true)
	for _, e := range first {
		b.subs[0].Append(e)
	}
	for _, e := range second {
		b.subs[1].Append(e)
	}
	b.endList()
	b.n++
}

// AppendFrom appends row i of a column of the same type.
func (b *ColBuilder) AppendFrom(c *Col, i int) {
	if !c.Has(i) {
		b.AppendNone()
		return
	}
	switch b.kind {
	case KindBool:
		b.AppendBool(c.Bool[i])
	case KindInt:
		b.AppendInt(c.Int[i])
	case KindFloat:
		b.AppendFloat(c.Float[i])
	case KindStr:
		b.AppendBytes(c.Bytes(i))
	case KindList, KindMap:
		b.valid(true)
		for k, s := range b.subs {
			for e := c.Offs[i]; e < c.Offs[i+1]; e++ {
				s.AppendFrom(&c.Sub[k], int(e))
			}
		}
		b.endList()
		b.n++
	case KindRecord:
		b.valid(true)
		for k, s := range b.subs {
			s.AppendFrom(&c.Sub[k], i)
		}
		b.n++
	default:
		bug.Panicf("exec/batch: a value in a column of type %s", b.typ)
	}
}

// Truncate takes rows back until n are left, which is how a body that fails takes back what it emitted.
func (b *ColBuilder) Truncate(n int) {
	if n >= b.n {
		return
	}
	c := &b.col
	if c.Valid != nil {
		c.Valid = c.Valid[:n]
	}
	switch b.kind {
	case KindBool:
		c.Bool = c.Bool[:n]
	case KindInt:
		c.Int = c.Int[:n]
	case KindFloat:
		c.Float = c.Float[:n]
	case KindStr:
		b.truncateStr(n)
	case KindList, KindMap:
		c.Offs = c.Offs[:n+1]
		for _, s := range b.subs {
			s.Truncate(int(c.Offs[n]))
		}
	case KindRecord:
		for _, s := range b.subs {
			s.Truncate(n)
		}
	}
	b.n = n
}

// truncateStr cuts Data behind the last row that has bytes: rows are appended in the order of their bytes, and invalid
// rows have none.
func (b *ColBuilder) truncateStr(n int) {
	b.col.Str = b.col.Str[:n]
	end := uint32(0)
	for i := n - 1; i >= 0; i-- {
		if s := b.col.Str[i]; b.col.Has(i) {
			end = s.Off + s.Len
			break
		}
	}
	b.col.Data = b.col.Data[:end]
}

// Bytes returns about how many bytes the rows take.
func (b *ColBuilder) Bytes() int {
	c := &b.col
	n := len(c.Bool) + 8*len(c.Int) + 8*len(c.Float) + 8*len(c.Str) + len(c.Data) + 4*len(c.Offs) + len(c.Valid)
	for _, s := range b.subs {
		n += s.Bytes()
	}
	return n
}

// dataLen returns the length of the largest Data.
func (b *ColBuilder) dataLen() int {
	n := len(b.col.Data)
	for _, s := range b.subs {
		n = max(n, s.dataLen())
	}
	return n
}

// View returns the column as it is; it is good until the next call of another method.
func (b *ColBuilder) View() Col {
	c := b.col
	if len(b.subs) > 0 {
		c.Sub = make([]Col, len(b.subs))
		for i, s := range b.subs {
			c.Sub[i] = s.View()
		}
	}
	return c
}

// Take returns the column and leaves the builder empty.
func (b *ColBuilder) Take() Col {
	c := b.View()
	b.Reset()
	return c
}

// Reset empties the builder and lets its memory go.
func (b *ColBuilder) Reset() {
	b.start()
	for _, s := range b.subs {
		s.Reset()
	}
}

// Builder makes a batch row by row.
type Builder struct {
	layout Layout
	cols   []*ColBuilder
	n      int
}

// NewBuilder returns an empty builder of batches of a layout.
func NewBuilder(l Layout) *Builder {
	b := &Builder{layout: l, cols: make([]*ColBuilder, len(l.Fields))}
	for i, f := range l.Fields {
		b.cols[i] = NewColBuilder(f.Type)
	}
	return b
}

// Append appends a row: one value for each field.
func (b *Builder) Append(row []value.Value) {
	for i, c := range b.cols {
		c.Append(row[i])
	}
	b.n++
}

// AppendFrom appends row i of a batch of the same layout.
func (b *Builder) AppendFrom(src *Batch, i int) {
	for k, c := range b.cols {
		c.AppendFrom(&src.Cols[k], i)
	}
	b.n++
}

// Col returns the builder of a column, for code that appends column by column; EndRow counts the row then.
func (b *Builder) Col(i int) *ColBuilder { return b.cols[i] }

// EndRow ends a row whose columns were appended one by one.
func (b *Builder) EndRow() { b.n++ }

// Len returns the number of rows.
func (b *Builder) Len() int { return b.n }

// Bytes returns about how many bytes the rows take.
func (b *Builder) Bytes() int {
	n := 0
	for _, c := range b.cols {
		n += c.Bytes()
	}
	return n
}

// Full reports whether the batch has come so near to a column's limit of Data that it must be finished before the next
// row. A row of values of at most 16 MiB each always fits into a batch that is not full.
func (b *Builder) Full() bool {
	for _, c := range b.cols {
		if c.Full() {
			return true
		}
	}
	return false
}

// roomForRow is the largest value of one field, a list of strings included.
const roomForRow = 16 << 20

// Truncate takes rows back until n are left.
func (b *Builder) Truncate(n int) {
	for _, c := range b.cols {
		c.Truncate(n)
	}
	b.n = min(b.n, n)
}

// Finish returns the rows as a batch and leaves the builder empty.
func (b *Builder) Finish() *Batch {
	out := &Batch{N: b.n, Layout: b.layout, Cols: make([]Col, len(b.cols))}
	for i, c := range b.cols {
		out.Cols[i] = c.Take()
	}
	b.n = 0
	return out
}

// FromRows returns a batch of rows of values.
func FromRows(l Layout, rows [][]value.Value) *Batch {
	b := NewBuilder(l)
	for _, r := range rows {
		b.Append(r)
	}
	return b.Finish()
}
