// Package connector is the contract between the engine and everything that touches the world outside: sources, sinks
// and codecs. The engine knows connectors only through it, and connectors know nothing of the engine.
//
// A connector is a declaration in stdlib/*.pipe and an implementation of one of the interfaces here, under the same
// name in the one list of stdlib. The checker has verified the settings against the declaration, so an implementation
// need not check their types, only what a type cannot say.
//
// Life of a connector. Prepare may do everything that can be shared with a running predecessor (parse, open for
// reading, dial, authenticate) and must take nothing exclusive (truncate a file, bind a port, join a group). Activate
// takes what is exclusive; it runs when a predecessor has let go. Close gives everything back; it is called exactly
// once, also after a failed Activate, and is bounded by its context. All calls on one instance come one after the
// other, from goroutines of the engine's choosing; a call may block until its context ends.
//
// Errors. A plain error is temporary: the engine retries the call with back-off and reports the connector unhealthy.
// An error wrapped by Fatal will not mend by itself (bad credentials, a folder that does not exist): the pipeline
// drains what can be drained and stops. io.EOF from Read is the end of a bounded input.
package connector

import (
	"context"
	"errors"
	"time"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Config is what a connector is made from.
type Config struct {
	Node string // name of the node in the program, for messages
	// Args are the constant arguments by parameter name, defaults filled in; a parameter that was not given and has
	// no default is absent.
	Args map[string]value.Value
	// Each lists the `each` parameters that were given, in the order in which their columns come with a write.
	Each []string
	// Row is the layout of the rows that a source makes or a sink takes. A source may be asked for fewer fields than
	// its declaration has (nobody reads the rest): it makes the columns of Row, in order.
	Row batch.Layout
	// Codec is the `encode:` or `decode:` argument, or nil.
	Codec *CodecConfig
	// Task and Tasks number the parallel copies of the node, from 0.
	Task, Tasks int
	// Splittable says that no node behind needs the order of the source as a whole: a source may offer several
	// partitions for one input.
	Splittable bool
	// Fresh says that this is a new run and not the continuation of an interrupted one.
	Fresh bool
}

// CodecConfig is a codec with its arguments.
type CodecConfig struct {
	Name string
	Args map[string]value.Value
	Each []string
}

// SourceFunc prepares a source.
type SourceFunc func(ctx context.Context, cfg Config) (Source, error)

// SinkFunc prepares a sink.
type SinkFunc func(ctx context.Context, cfg Config) (Sink, error)

// Partition is an independently read part of a source, with its own positions. Its rows come in order.
type Partition struct {
	ID    uint16
	Name  string // for messages: a file's range, a topic's partition
	Bytes int64  // size of a bounded partition, for progress; 0 if unknown
	Start int64  // position of the first row
}

// Source makes rows. Positions are opaque 64-bit tokens, each of them the place before a row of its partition; equal
// positions mean the same place, and they grow along the partition.
type Source interface {
	// Activate takes what is exclusive.
	Activate(ctx context.Context) error
	// Partitions returns the parts of the source, after Activate. The engine spreads them over the node's tasks.
	Partitions() []Partition
	// Open returns a reader of a partition that starts at a position: the partition's Start, one that a Read gave, or,
	// in a run that is continued, one of an earlier process.
	Open(ctx context.Context, part uint16, pos int64) (Reader, error)
	// Close closes the source after all of its readers.
	Close(ctx context.Context) error
}

// Reader reads one partition.
type Reader interface {
	// Read fills dst, whose layout is Config.Row, with at least one row, at most max rows, and about maxBytes at most
	// (one row may be larger). Rows in dst.Dead count like others: Batch may be empty if there are some. Opened again at
	// the same position, a replayable source gives the same rows and dead rows in the same order, however many a read.
	// It blocks until there is a row, and then does not wait for more. io.EOF (with no rows) is the end. dst is new and
	// empty; the reader sets N, Cols, and Pos (position of each row), and keeps no reference to it.
	Read(ctx context.Context, dst *Read, max, maxBytes int) error
	// Close closes the reader.
	Close() error
}

// Read is the result of one Reader.Read.
type Read struct {
	Batch batch.Batch // N, Cols and Pos
	// Next is the position behind the last row: where a reader would go on.
	Next int64
	// Bytes is how much input was consumed, for progress.
	Bytes int64
	// Dead are rows that could not be made (a line over the limit, a value that did not decode); they are not in
	// Batch. Each counts as one root, placed before row At of Batch.
	Dead []DeadRow
}

// DeadRow is an input that is no row.
type DeadRow struct {
	At      int // index in Batch before which it stood
	Pos     int64
	Code    string // diagnostic code
	Message string
	Raw     []byte // the input, cut to 4 KiB
}

// Write is what a sink is given: rows, and for each `each` parameter that was set a column with one value a row.
type Write struct {
	Batch *batch.Batch
	Each  []batch.Col
}

// Sink takes rows.
type Sink interface {
	// Activate takes what is exclusive.
	Activate(ctx context.Context) error
	// Write hands rows over in order. A nil result with a nil error means that every row was accepted; otherwise one
	// outcome a row. Accepted is not durable: see Sync. An error means that the outcome of every row is Unknown.
	// The engine retries rows with outcome Retry and Unknown in place, in order, before it writes later ones.
	// Nothing of w may be kept beyond the call: its memory is used again.
	Write(ctx context.Context, w Write) ([]Outcome, error)
	// Sync makes everything accepted so far durable, as far as the target can.
	Sync(ctx context.Context) error
	// Close flushes and closes.
	Close(ctx context.Context) error
}

// Outcome is what became of one row.
type Outcome struct {
	Kind   OutcomeKind
	Reason string        // of a Reject or Retry
	After  time.Duration // earliest time of a Retry
}

// OutcomeKind says what became of a row.
type OutcomeKind uint8

// The outcomes. Unknown: it may or may not have been taken (an answer was lost).
const (
	OK OutcomeKind = iota
	Retry
	Reject
	Unknown
)

// Encoder turns rows into bytes; codecs make them, and sinks that write bytes use them.
type Encoder interface {
	// Append appends the encoding of rows to dst, each as the codec ends it (a line end for text and json lines), and
	// to ends the offset in dst behind each row. A row that cannot be encoded leaves its end equal to the one before,
	// and is reported.
	Append(dst []byte, ends []int, w Write) ([]byte, []int, []RowError)
}

// RowError is the reason why a row was refused.
type RowError struct {
	Row    int
	Reason string
}

// EncoderFunc makes an encoder for rows of a layout; each are the codec's `each` columns, which come at the end of
// Write.Each.
type EncoderFunc func(cfg CodecConfig, row batch.Layout) (Encoder, error)

// Clock is the time that connectors go by, so that a simulation can give its own. It is safe for concurrent use.
type Clock interface {
	// Now returns nanoseconds since the Unix epoch.
	Now() int64
	// Wait returns after d, or with the context's error when that ends first.
	Wait(ctx context.Context, d time.Duration) error
}

// Wall is the clock on the wall.
type Wall struct{}

// Now implements Clock.
func (Wall) Now() int64 { return time.Now().UnixNano() }

// Wait implements Clock.
func (Wall) Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fatal marks an error as one that no retry can mend.
func Fatal(err error) error { return fatal{err} }

// IsFatal reports whether err, or one that it wraps, was marked by Fatal.
func IsFatal(err error) bool {
	var f fatal
	return errors.As(err, &f)
}

type fatal struct{ error }

// Unwrap returns the marked error.
func (f fatal) Unwrap() error { return f.error }

// Entry types of stdlib's list.
type (
	// Sources maps "module.name" to implementations.
	Sources map[string]SourceFunc
	// Sinks maps "module.name" to implementations.
	Sinks map[string]SinkFunc
	// Encoders maps a codec's name to implementations.
	Encoders map[string]EncoderFunc
)

// Type is a type of the language, for connectors that need one.
type Type = types.Type
