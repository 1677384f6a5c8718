package diag

// The codes. One code is one rule of the language; its page stands in catalogue/<letter>.md under the same code and
// name. Numbers are never used again: a retired one stays as a comment.

// Syntax.
const (
	StrayByte      Code = "P0101"
	UnclosedString Code = "P0102"
)

// Names and modules.
const ()

// Types and fallibility.
const ()

// Graph.
const ()

// Reliability.
const ()

// Connectors and settings.
const ()

// Run time.
const ()
