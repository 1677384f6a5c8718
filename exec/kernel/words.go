package kernel

import (
	"encoding/binary"
	"math/bits"

	"github.com/pipec/pipec/exec/batch"
)

// This file finds words and makes ASCII letters small or capital, 8 bytes at a time.
//
// A word of memory holds 8 bytes of text, the first one lowest. Adding to the low 7 bits of each byte sets its high bit
// when a bound is passed, and never carries into the next byte: 0x7f + 0x5f < 0x100. So all comparisons below work on
// 8 bytes at once and are exact for every byte; bytes from 0x80 on are told apart by their own high bit.
//
// A byte above 0x20 belongs to a word. The high bits of 8 words of memory make a mask of 64 bytes, and the words' first
// bytes are where the mask has a 1 behind a 0, their ends where it has a 0 behind a 1. Walking over these bits needs no
// look at the bytes again, and no branch that depends on the lengths of words.

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// between returns the high bits of the bytes of x from lo to before hi; both are ASCII.
func between(x uint64, lo, hi uint64) uint64 {
	low := x &^ high
	return (low + (0x80-lo)*ones) &^ (low + (0x80-hi)*ones) &^ x & high
}

// inWord returns the high bits of the bytes of x above 0x20.
func inWord(x uint64) uint64 { return (x&^high + 0x5f*ones | x) & high }

// highBits gathers the 8 high bits of m, which has no others. The factor moves bit 8i+7 to bit 56+i and everything else
// to where nothing else is, so that there are no carries.
func highBits(m uint64) uint64 { return m >> 7 * 0x0102040810204080 >> 56 }

// lower8 and upper8 change the case of the ASCII letters of 8 bytes.
func lower8(x uint64) uint64 { return x | between(x, 'A', 'Z'+1)>>2 }
func upper8(x uint64) uint64 { return x &^ (between(x, 'a', 'z'+1) >> 2) }

// load8 reads 8 bytes at i; behind the end of b it reads zeros.
func load8(b []byte, i int) uint64 {
	if i+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[i:])
	}
	var pad [8]byte
	copy(pad[:], b[min(i, len(b)):])
	return binary.LittleEndian.Uint64(pad[:])
}

// lowerInto writes src with small letters to dst, and upperInto with capital ones. dst is as long as src, at least.
func lowerInto(dst, src []byte) {
	i := 0
	for ; i+8 <= len(src); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], lower8(binary.LittleEndian.Uint64(src[i:])))
	}
	for ; i < len(src); i++ {
		dst[i] = byte(lower8(uint64(src[i])))
	}
}

func upperInto(dst, src []byte) {
	i := 0
	for ; i+8 <= len(src); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], upper8(binary.LittleEndian.Uint64(src[i:])))
	}
	for ; i < len(src); i++ {
		dst[i] = byte(upper8(uint64(src[i])))
	}
}

// appendWords appends the words of text[from:to] to dst.
func appendWords(dst []batch.Str, text []byte, from, to int) []batch.Str {
	open := uint64(0) // 1: the last word goes on
	for base := from; base < to; base += 64 {
		n := min(64, to-base)
		mask := uint64(0)
		for k := 0; k < n; k += 8 {
			mask |= highBits(inWord(load8(text, base+k))) << k
		}
		if n < 64 {
			mask &= 1<<n - 1
		}
		before := mask<<1 | open
		starts, ends := mask&^before, before&^mask
		if open != 0 {
			if ends == 0 {
				continue // All 64 bytes are of one word.
			}
			w := &dst[len(dst)-1]
			w.Len = uint32(base+bits.TrailingZeros64(ends)) - w.Off
			ends &= ends - 1
		}
		for ends != 0 {
			a, b := bits.TrailingZeros64(starts), bits.TrailingZeros64(ends)
			starts, ends = starts&(starts-1), ends&(ends-1)
			dst = append(dst, batch.Str{Off: uint32(base + a), Len: uint32(b - a)})
		}
		if open = mask >> 63; starts != 0 {
			dst = append(dst, batch.Str{Off: uint32(base + bits.TrailingZeros64(starts))})
		}
	}
	if open != 0 {
		w := &dst[len(dst)-1]
		w.Len = uint32(to) - w.Off
	}
	return dst
}
