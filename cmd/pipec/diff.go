package main

import (
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many lines a diff shows around a change.
const contextLines = 3

// diffText returns the differences of two texts in the unified form, or "" if there are none.
func diffText(oldName, newName, a, b string) string {
	if a == b {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
	ops := diffLines(splitLines(a), splitLines(b))
	for start := 0; start < len(ops); {
		// A hunk goes from the first change to the last one that is not too far from the one before.
		first := start
		for first < len(ops) && ops[first].sign == ' ' {
			first++
		}
		if first == len(ops) {
			break
		}
		last := first
		for i := first; i < len(ops) && i-last <= 2*contextLines; i++ {
			if ops[i].sign != ' ' {
				last = i
			}
		}
		from, to := max(first-contextLines, start), min(last+contextLines+1, len(ops))
		writeHunk(&out, ops[from:to])
		start = to
	}
	return out.String()
}

// op is a line of a diff: kept (' '), taken away ('-') or added ('+'), with its number in either text from 1.
type op struct {
	sign         byte
	line         string
	oldNo, newNo int
}

func writeHunk(out *strings.Builder, ops []op) {
	olds, news := 0, 0
	for _, o := range ops {
		if o.sign != '+' {
			olds++
		}
		if o.sign != '-' {
			news++
		}
	}
	at := func(no, n int) int {
		if n == 0 {
			return no - 1 // the line behind which it stands
		}
		return no
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", at(ops[0].oldNo, olds), olds, at(ops[0].newNo, news), news)
	for _, o := range ops {
		out.WriteString(string(o.sign) + o.line)
		if !strings.HasSuffix(o.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// diffLines compares two lists of lines: what they have in common at both ends is kept, and between them a longest
// common subsequence. Where that would cost too much, all in between counts as changed.
func diffLines(a, b []string) []op {
	const most = 4 << 20 // cells of the table
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	midA, midB := a[head:len(a)-tail], b[head:len(b)-tail]
	var ops []op
	i, j := 0, 0
	add := func(sign byte) {
		o := op{sign: sign, oldNo: i + 1, newNo: j + 1}
		if sign == '+' {
			o.line = b[j]
		} else {
			o.line = a[i]
		}
		if sign != '+' {
			i++
		}
		if sign != '-' {
			j++
		}
		ops = append(ops, o)
	}
	for range head {
		add(' ')
	}
	var table [][]int32
	if len(midA)*len(midB) <= most {
		table = common(midA, midB)
	}
	for x, y := 0, 0; x < len(midA) || y < len(midB); {
		switch {
		case table != nil && x < len(midA) && y < len(midB) && midA[x] == midB[y]:
			add(' ')
			x, y = x+1, y+1
		case x < len(midA) && (y == len(midB) || table == nil || table[x+1][y] >= table[x][y+1]):
			add('-')
			x++
		default:
			add('+')
			y++
		}
	}
	for range tail {
		add(' ')
	}
	return ops
}

// common returns, for all x and y, the length of the longest common subsequence of a[x:] and b[y:].
func common(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for x := range table {
		table[x] = make([]int32, len(b)+1)
	}
	for x := len(a) - 1; x >= 0; x-- {
		for y := len(b) - 1; y >= 0; y-- {
			if a[x] == b[y] {
				table[x][y] = table[x+1][y+1] + 1
			} else {
				table[x][y] = max(table[x+1][y], table[x][y+1])
			}
		}
	}
	return table
}
