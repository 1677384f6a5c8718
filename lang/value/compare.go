package value

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pipec/pipec/internal/bug"
)

// Equal reports whether a and b are the same value. 0.0 and -0.0 are the same, and two maps are if they have equal
// entries in whatever order. Equal(a, b) is Compare(a, b) == 0, found faster.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case None:
		return true
	case Bool, Int, Time, Duration:
		return a.n == b.n
	case Float:
		return a.n == b.n || compareFloat(a.Float(), b.Float()) == 0
	case String, Bytes:
		return a.s == b.s
	case List, Record:
		return a.c == b.c || slices.EqualFunc(a.Elems(), b.Elems(), Equal)
	case Map:
		return a.c == b.c || equalMaps(a, b)
	default:
		bug.Panicf("value: unknown kind %d", uint8(a.kind))
		return false
	}
}

func equalMaps(a, b Value) bool {
	if len(a.Keys()) != len(b.Keys()) {
		return false
	}
	for i, k := range a.Keys() {
		other, ok := b.Lookup(k)
		if !ok || !Equal(a.Elems()[i], other) {
			return false
		}
	}
	return true
}

// Compare orders two values: -1, 0 or +1. It is a total order: none comes first, false before true, strings and bytes
// go by their bytes, lists and records by their first difference, maps by their entries sorted by key. Values of
// different kinds, which no program compares, go by kind.
func Compare(a, b Value) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	switch a.kind {
	case None:
		return 0
	case Bool, Int, Time, Duration:
		return cmp.Compare(a.n, b.n)
	case Float:
		return compareFloat(a.Float(), b.Float())
	case String, Bytes:
		return strings.Compare(a.s, b.s)
	case List, Record:
		return slices.CompareFunc(a.Elems(), b.Elems(), Compare)
	case Map:
		return compareMaps(a, b)
	default:
		bug.Panicf("value: unknown kind %d", uint8(a.kind))
		return 0
	}
}

// compareFloat orders floats with what is no number first, as cmp.Compare does.
func compareFloat(a, b float64) int { return cmp.Compare(a, b) }

func compareMaps(a, b Value) int {
	x, y := sortedEntries(a), sortedEntries(b)
	for i := range min(len(x), len(y)) {
		if c := Compare(a.Keys()[x[i]], b.Keys()[y[i]]); c != 0 {
			return c
		}
		if c := Compare(a.Elems()[x[i]], b.Elems()[y[i]]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// sortedEntries returns the indexes of a map's entries, ordered by key.
func sortedEntries(m Value) []int {
	order := make([]int, len(m.Keys()))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return Compare(m.Keys()[i], m.Keys()[j]) })
	return order
}
