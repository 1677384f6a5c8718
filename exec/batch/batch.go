// Package batch holds rows in typed columns: what moves along the edges of a running pipeline.
//
// A Batch is immutable once it has been handed on: columns may be shared between batches (a `where` that keeps a column
// shares it, a projection drops some), so nobody writes into a column that it did not make in the same call. Memory is
// the garbage collector's: no reference counts. Only what passes from a source to a sink untouched may go back by hand,
// see Lease.
//
// Strings are (offset, length) pairs into the column's Data, not Go strings: 8 bytes instead of 16, and nothing for the
// collector to scan. A column of optional type has Valid; all others have none.
package batch

import (
	"github.com/pipec/pipec/lang/types"
)

// Str is a string of a column: bytes Off to Off+Len of its Data.
type Str struct{ Off, Len uint32 }

// Col is one column. Which slices are in use follows from the column's type:
//
//	bool                Bool
//	int, time, duration Int (time: ns since the Unix epoch; duration: ns)
//	float               Float
//	string, bytes, enum Str into Data (also json, as its text)
//	list                Offs (N+1 entries; row i has elements Offs[i] to Offs[i+1]) and Sub[0]
//	map                 Offs as of a list, Sub[0] the keys, Sub[1] the values
//	record              Sub, one for each field
//	optional            as its element, with Valid; the slot of an invalid row holds any value
type Col struct {
	Bool  []bool
	Int   []int64
	Float []float64
	Str   []Str
	Data  []byte
	Offs  []uint32
	Sub   []Col
	Valid []bool // nil: every row holds a value
}

// Layout is the columns of a batch: names and types, in order.
type Layout = *types.Record

// Batch is a number of rows of one layout.
type Batch struct {
	N      int
	Layout Layout
	Cols   []Col
	// Spans are the groups of roots that the rows come from, with the edge under which each group's ledger entry
	// waits for this batch. Empty for untracked rows.
	Spans []Span
	// Origin, if not nil, tells for each row which root it comes from. It is carried only where a node behind can
	// fail a row.
	Origin []Origin
	// Pos, if not nil, is each row's position in its source partition. Carried like Origin.
	Pos []int64
	// Lease, if not nil, gives the memory behind the columns and Pos back to who made them.
	Lease Lease
}

// Lease is memory that can be used again. Release is called at most once, by somebody who knows that nobody else refers
// to the columns, and never will. Who does not know that calls nothing: the memory is the collector's then, as always.
// So a batch made from another one (gathered, sliced, projected) has no lease, whatever it shares.
type Lease interface{ Release() }

// Span is a reference from a batch to a ledger entry: up to 65,535 consecutive roots of one owner. See exec/ledger.
type Span struct {
	Owner   uint32 // index of the owning task
	Entry   uint32
	Gen     uint32 // generation of the entry, so that late messages of an earlier use are told apart
	Part    uint16 // source partition of the roots
	Attempt uint8  // 0 for the first emission
	Edge    uint64 // id of the edge, never 0
}

// Origin is the root of a row: index into the batch's Spans, and the root's number within its span.
type Origin struct{ Span, Row uint16 }
