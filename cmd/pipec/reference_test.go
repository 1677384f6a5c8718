package main

import (
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/docs"
)

// TestReference keeps docs/library.md equal to the declarations.
func TestReference(t *testing.T) {
	golden.Check(t, "../../docs/library.md", docs.New(library()).Markdown())
}
