package batch

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// This file defines the hash of keys. It decides which task and which key group a key belongs to, and key groups are
// part of what is stored: the definition never changes, and is the same on every machine. It has no seed and is no
// protection against keys that were chosen to collide.
//
// Let mum(a, b) be the upper half of the 128-bit product of a and b, XORed with its lower half. The hash starts as
// h = K0, and each key value changes it in turn:
//
//	bool, int, time, duration, float   h = mum(h ^ w, K1), where w is 0 or 1, the number in two's complement, the
//	                                   nanoseconds, or the IEEE bits (of 0.0 for -0.0)
//	string, bytes, enum of n bytes     for each block of 16 bytes, the last one padded with zeros, read as two
//	                                   little-endian words a and b: h = mum(h ^ a, b ^ K1 ^ n * K2); an empty string is
//	                                   one block of zeros
//	optional                           as a bool, whether there is a value, and then the value
//	list                               its length as an int, then its elements
//	record                             its fields
//	map                                as the bytes of its key encoding (value.AppendKey)
//
// The test vectors are in hash_test.go. Short strings, which most keys are, cost one multiplication.
const (
	hashK0 = 0x9e3779b97f4a7c15
	hashK1 = 0xd6e8feb86659fd93
	hashK2 = 0xa0761d6478bd642f
)

// KeyGroups is the number of key groups.
const KeyGroups = 256

// KeyGroup returns the key group of a key's hash, its top 8 bits.
func KeyGroup(h uint64) uint8 { return uint8(h >> 56) }

func mum(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func hashWord(h, w uint64) uint64 { return mum(h^w, hashK1) }

// HashShort returns the hash of a single string of n ≤ 16 bytes that is given as its two words. See Short.
func HashShort(a, b uint64, n int) uint64 { return mum(hashK0^a, b^hashK1^uint64(n)*hashK2) }

// HashInt returns the hash of a single int.
func HashInt(x int64) uint64 { return hashWord(hashK0, uint64(x)) }

// Short returns the first 16 bytes of the n bytes of data at off as two little-endian words, padded with zeros behind
// the string's end.
func Short(data []byte, off, n uint32) (a, b uint64) {
	if p := data[off:]; len(p) >= 16 {
		// A shift by 64 gives 0 in Go, which makes the masks right at 8 and 16 too. There is no branch on n: the lengths
		// of words cannot be foretold.
		n = min(n, 16)
		a = binary.LittleEndian.Uint64(p) & (1<<(8*min(n, 8)) - 1)
		b = binary.LittleEndian.Uint64(p[8:]) & (1<<(8*(max(n, 8)-8)) - 1)
		return a, b
	}
	return shortEnd(data, off, n)
}

// shortEnd is Short where fewer than 16 bytes are left.
func shortEnd(data []byte, off, n uint32) (a, b uint64) {
	var pad [16]byte
	copy(pad[:], data[off:off+min(n, 16)])
	return binary.LittleEndian.Uint64(pad[:]), binary.LittleEndian.Uint64(pad[8:])
}

func hashBytes(h uint64, s []byte) uint64 {
	k := hashK1 ^ uint64(len(s))*hashK2
	for len(s) > 16 {
		h = mum(h^binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])^k)
		s = s[16:]
	}
	a, b := Short(s, 0, uint32(len(s)))
	return mum(h^a, b^k)
}

// HashBytes returns the hash of a single string.
func HashBytes(s []byte) uint64 { return hashBytes(hashK0, s) }

// Hash appends the hashes of n rows of key columns of the given types to dst.
func Hash(dst []uint64, cols []Col, ts []types.Type, n int) []uint64 {
	from := len(dst)
	for range n {
		dst = append(dst, hashK0)
	}
	for i := range cols {
		hashCol(dst[from:], &cols[i], ts[i])
	}
	return dst
}

// hashCol folds a column into the hashes of its rows.
func hashCol(h []uint64, c *Col, t types.Type) {
	if IsOptional(t) {
		for i := range h {
			h[i] = hashAt(h[i], c, t, i)
		}
		return
	}
	switch KindOf(t) {
	case KindInt:
		for i, x := range c.Int[:len(h)] {
			h[i] = hashWord(h[i], uint64(x))
		}
	case KindStr:
		for i, s := range c.Str[:len(h)] {
			if s.Len <= 16 {
				a, b := Short(c.Data, s.Off, s.Len)
				h[i] = mum(h[i]^a, b^hashK1^uint64(s.Len)*hashK2)
			} else {
				h[i] = hashBytes(h[i], c.Data[s.Off:s.Off+s.Len])
			}
		}
	default:
		for i := range h {
			h[i] = hashAt(h[i], c, t, i)
		}
	}
}

// hashAt folds row i of a column into h.
func hashAt(h uint64, c *Col, t types.Type, i int) uint64 {
	if IsOptional(t) {
		if !c.Has(i) || t == types.None {
			return hashWord(h, 0)
		}
		h = hashWord(h, 1)
		t = Elem(t)
	}
	switch KindOf(t) {
	case KindBool:
		return hashWord(h, boolWord(c.Bool[i]))
	case KindInt:
		return hashWord(h, uint64(c.Int[i]))
	case KindFloat:
		return hashWord(h, FloatWord(c.Float[i]))
	case KindStr:
		return hashBytes(h, c.Bytes(i))
	case KindList:
		lo, hi := c.Offs[i], c.Offs[i+1]
		h = hashWord(h, uint64(hi-lo))
		for e := lo; e < hi; e++ {
			h = hashAt(h, &c.Sub[0], t.(*types.List).Elem, int(e))
		}
	case KindMap:
		return hashBytes(h, value.AppendKey(nil, ValueAt(c, t, i)))
	case KindRecord:
		for k, f := range t.(*types.Record).Fields {
			h = hashAt(h, &c.Sub[k], f.Type, i)
		}
	}
	return h
}

func boolWord(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// FloatWord returns the bits of a float, the same for 0.0 and -0.0.
func FloatWord(f float64) uint64 {
	if f == 0 {
		return 0
	}
	return math.Float64bits(f)
}

// AppendKey appends the key encoding of row i of a column of type t: the bytes of value.AppendKey, which are equal for
// equal values alone.
func AppendKey(dst []byte, c *Col, t types.Type, i int) []byte {
	if KindOf(t) == KindStr && Elem(t) != types.Bytes && c.Has(i) {
		return value.AppendKeyString(dst, c.Bytes(i))
	}
	return value.AppendKey(dst, ValueAt(c, t, i))
}
