package check

import (
	"slices"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/source"
)

// stepWord returns the word that names of unnamed steps are made of.
func stepWord(step ast.Step) string {
	switch step.(type) {
	case *ast.CallStep:
		return "bolt"
	case *ast.BranchStep:
		return "fanout"
	case *ast.RouteStep:
		return "route"
	case *ast.WhereStep:
		return "where"
	case *ast.SelectStep:
		return "select"
	case *ast.FlatStep:
		return "flat"
	case *ast.AggregateStep:
		return "aggregate"
	case *ast.DedupStep:
		return "dedup"
	case *ast.LimitStep:
		return "limit"
	case *ast.SampleStep:
		return "sample"
	case *ast.TopStep:
		return "top"
	case *ast.BadStep:
		return "step"
	default:
		bug.Panicf("check: unknown step %T", step)
		return ""
	}
}

// stepName says what a step is, for messages.
func stepName(step ast.Step) string {
	switch step.(type) {
	case *ast.BranchStep:
		return "a fan-out"
	case *ast.CallStep:
		return "a bolt"
	}
	return "a `" + stepWord(step) + "`"
}

// stepHead returns the part of a step that stands for it in messages: its name, or the words that say its kind.
func stepHead(step ast.Step) source.Span {
	at := step.Span()
	switch s := step.(type) {
	case *ast.CallStep:
		return s.Ref.Span()
	case *ast.BranchStep:
		return keyword(at, "{")
	case *ast.AggregateStep:
		record := s.Record.Span()
		word := source.Span{File: at.File, Start: at.Start, End: record.Start}
		if i := len(word.Text()); i > 0 {
			word.End = word.Start + len(trimRight(word.Text()))
		}
		return word
	case *ast.BadStep:
		return at
	}
	return keyword(at, stepWord(step))
}

func trimRight(s string) string {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t' || s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// sortedNames returns the keys of a map in order.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
