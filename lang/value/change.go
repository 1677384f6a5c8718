package value

// This file is about maps and lists that grow and change. A value is immutable once somebody else can see it, so With
// copies. Who has just made a copy and shown it to nobody may go on in place with Set.
//
// A map is two slices, which are searched from front to back while it is small. From indexFrom entries on, the first
// search makes an index of the keys' encodings; several goroutines may do so at once, the last one's stays.

// indexFrom is the number of entries from which an index is faster than the search.
const indexFrom = 12

// Lookup returns the value of a map's entry.
func (v Value) Lookup(key Value) (Value, bool) {
	if i := v.find(key); i >= 0 {
		return v.c.elems[i], true
	}
	return Value{}, false
}

// find returns the index of a map's entry, or -1.
func (v Value) find(key Value) int {
	keys := v.Keys()
	if len(keys) < indexFrom {
		for i, k := range keys {
			if Equal(k, key) {
				return i
			}
		}
		return -1
	}
	index := v.c.index.Load()
	if index == nil {
		made := make(map[string]int, len(keys))
		var buf []byte
		for i, k := range keys {
			buf = AppendKey(buf[:0], k)
			made[string(buf)] = i
		}
		index = &made
		v.c.index.Store(index)
	}
	var room [64]byte
	if i, ok := (*index)[string(AppendKey(room[:0], key))]; ok {
		return i
	}
	return -1
}

// Copy returns a copy of a list or map that shares nothing changeable with v but its elements.
func (v Value) Copy() Value {
	c := &composite{elems: append(make([]Value, 0, len(v.Elems())+1), v.Elems()...)}
	if v.kind == Map {
		c.keys = append(make([]Value, 0, len(v.Keys())+1), v.Keys()...)
	}
	return Value{kind: v.kind, c: c}
}

// SetElem changes an element of a list, or a field of a record, in place. The caller must have made v and must not
// have shown it to anybody.
func (v Value) SetElem(i int, elem Value) { v.c.elems[i] = elem }

// SetEntry changes or adds an entry of a map in place, under the same condition as SetElem. A changed entry keeps its
// place.
func (v Value) SetEntry(key, elem Value) {
	if i := v.find(key); i >= 0 {
		v.c.elems[i] = elem
		return
	}
	if index := v.c.index.Load(); index != nil {
		(*index)[string(AppendKey(nil, key))] = len(v.c.keys)
	}
	v.c.keys = append(v.c.keys, key)
	v.c.elems = append(v.c.elems, elem)
}

// NewMap makes a map of keys, which may repeat, and their values: a later one replaces the value and keeps the place.
// It keeps neither slice.
func NewMap(keys, elems []Value) Value {
	m := Value{kind: Map, c: &composite{keys: make([]Value, 0, len(keys)), elems: make([]Value, 0, len(keys))}}
	for i, k := range keys {
		m.SetEntry(k, elems[i])
	}
	return m
}

// MaxSize is the largest size of one value in bytes; a larger one is a fault.
const MaxSize = 16 << 20

// What elements count besides their own bytes, so that a list of nothing has a limit too. A list's element counts as
// little as a separator: the words of a text that is a value are a value.
const (
	ElemSize  = 1
	entrySize = 16
)

// MaxEntries is the largest number of entries of one map.
const MaxEntries = MaxSize / entrySize

// TooLarge reports whether v is larger than MaxSize: the bytes of all strings in it, one for each element of a list and
// field of a record, 16 for each entry of a map. Parts that v holds several times count each time, as they will when v
// is written. The time it takes is bounded by the limit.
func TooLarge(v Value) bool { return SizeLeft(v, MaxSize) < 0 }

// SizeLeft returns what is left of a number of bytes after v, which counts as for TooLarge; negative when it is not
// enough, and then no measure of how much is wanting.
func SizeLeft(v Value, left int) int {
	left -= len(v.s)
	if v.c == nil {
		return left
	}
	if v.kind == Map {
		left -= entrySize * len(v.c.keys)
	} else {
		left -= ElemSize * len(v.c.elems)
	}
	for i := 0; i < len(v.c.keys) && left >= 0; i++ {
		left = SizeLeft(v.c.keys[i], left)
	}
	for i := 0; i < len(v.c.elems) && left >= 0; i++ {
		left = SizeLeft(v.c.elems[i], left)
	}
	return left
}
