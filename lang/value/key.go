package value

import (
	"encoding/binary"
	"math"

	"github.com/pipec/pipec/internal/bug"
)

// Tags of the key encoding. They are part of what is stored on disk and of the key groups: never change one.
const (
	tagNone     = 0
	tagFalse    = 1
	tagTrue     = 2
	tagInt      = 3
	tagFloat    = 4
	tagString   = 5
	tagBytes    = 6
	tagTime     = 7
	tagDuration = 8
	tagList     = 9
	tagMap      = 10
	tagRecord   = 11
)

// AppendKey appends an encoding of v that is the same for equal values and different for different ones, also when
// several values are appended one after the other. It is stable: hashes of it may be stored.
//
// Each value is a tag byte and its content: int, time, duration and float (as IEEE bits, -0.0 as 0.0) 8 bytes,
// little-endian; string and bytes their length as uvarint and their bytes; list and record the number of elements as
// uvarint and the elements; map the number of entries and the entries ordered by key. No encoding is the beginning of
// another one, which is why they can be joined.
func AppendKey(dst []byte, v Value) []byte {
	switch v.kind {
	case None:
		return append(dst, tagNone)
	case Bool:
		if v.n != 0 {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case Int:
		return binary.LittleEndian.AppendUint64(append(dst, tagInt), uint64(v.n))
	case Float:
		return binary.LittleEndian.AppendUint64(append(dst, tagFloat), floatKey(v.Float()))
	case String:
		return AppendKeyString(dst, v.s)
	case Bytes:
		dst = binary.AppendUvarint(append(dst, tagBytes), uint64(len(v.s)))
		return append(dst, v.s...)
	case Time:
		return binary.LittleEndian.AppendUint64(append(dst, tagTime), uint64(v.n))
	case Duration:
		return binary.LittleEndian.AppendUint64(append(dst, tagDuration), uint64(v.n))
	case List:
		return appendKeys(append(dst, tagList), v.Elems())
	case Record:
		return appendKeys(append(dst, tagRecord), v.Elems())
	case Map:
		dst = binary.AppendUvarint(append(dst, tagMap), uint64(len(v.Keys())))
		for _, i := range sortedEntries(v) {
			dst = AppendKey(AppendKey(dst, v.Keys()[i]), v.Elems()[i])
		}
		return dst
	default:
		bug.Panicf("value: unknown kind %d", uint8(v.kind))
		return nil
	}
}

// AppendKeyString appends the key encoding of a string (or enum member), which may be given as bytes.
func AppendKeyString[T string | []byte](dst []byte, s T) []byte {
	dst = binary.AppendUvarint(append(dst, tagString), uint64(len(s)))
	return append(dst, s...)
}

func appendKeys(dst []byte, elems []Value) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(elems)))
	for _, e := range elems {
		dst = AppendKey(dst, e)
	}
	return dst
}

// floatKey returns the bits of a float, the same for floats that compare equal.
func floatKey(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}
