// Command bm runs a list of commands in turn, round after round, and compares what they cost. Machines differ and are
// seldom quiet, so only ratios taken within one round say anything, and their median is what to read.
//
// usage: bm [-n ROUNDS] [-mode table|pairs|memory] [-timeout 120s] [-wall-base ROW] SPEC
//
// Each line of SPEC is one row: name, input file, output file, check and shell command, separated by tabs. The command
// finds the files as $IN and $OUT. check is how its output is compared with what the first row's command makes of the
// same input: exact, sorted or none.
//
//	table   a line for each row; CPU time per input byte against the first row, wall time against row -wall-base
//	pairs   two rows, run AB BA AB ...: the first one's cost as a multiple of the second's, with its spread
//	memory  rows in twos, a small and a big input of one command: their peak memory, and the ratio
//
// It exits 1 if a command fails or its output is wrong.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 5, "rounds")
	mode := flag.String("mode", "table", "what to report: table, pairs or memory")
	timeout := flag.Duration("timeout", 120*time.Second, "how long one command may take")
	wallBase := flag.Int("wall-base", 1, "row that wall times are compared with")
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), *mode, *n, *wallBase, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "bm:", err)
		os.Exit(1)
	}
}

// run measures the rows of a spec and reports them.
func run(w io.Writer, path, mode string, rounds, wallBase int, timeout time.Duration) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rows, err := parseSpec(string(text))
	if err != nil {
		return err
	}
	if rounds < 1 || wallBase < 1 || wallBase > len(rows) {
		return fmt.Errorf("there are %d rows: %d rounds against row %d make no sense", len(rows), rounds, wallBase)
	}
	if mode == "pairs" && len(rows) != 2 || mode == "memory" && len(rows)%2 != 0 {
		return fmt.Errorf("mode %s does not fit %d rows", mode, len(rows))
	}
	dir, err := os.MkdirTemp("", "bm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	measure(rows, rounds, timeout, dir)
	switch mode {
	case "table":
		reportTable(w, rows, rows[wallBase-1])
	case "pairs":
		reportPairs(w, rows[0], rows[1])
	case "memory":
		reportMemory(w, rows)
	default:
		return fmt.Errorf("unknown mode %q", mode)
	}
	for _, r := range rows {
		if r.fault != "" {
			return fmt.Errorf("%s: %s", r.name, r.fault)
		}
	}
	return nil
}

// row is one command with what was measured of it: one figure a round.
type row struct {
	name, in, out, check, command string
	size                          int64 // of the input, in bytes
	lines                         int
	wall, cpu                     []float64 // seconds
	rss                           []float64 // peak memory, MB of 1e6 bytes
	fault                         string    // why the row is not measured any more
}

func parseSpec(text string) ([]*row, error) {
	var rows []*row
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "\t", 5)
		if len(f) != 5 {
			return nil, fmt.Errorf("a row has five fields, separated by tabs: %q", line)
		}
		r := &row{name: f[0], in: f[1], out: f[2], check: f[3], command: f[4]}
		if r.check != "exact" && r.check != "sorted" && r.check != "none" {
			return nil, fmt.Errorf("%s: unknown check %q", r.name, r.check)
		}
		var err error
		if r.lines, r.size, err = countLines(r.in); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no rows")
	}
	return rows, nil
}

// countLines also brings the file into the page cache.
func countLines(path string) (lines int, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := f.Read(b)
		lines += bytes.Count(b[:n], []byte("\n"))
		size += int64(n)
		if err == io.EOF {
			return lines, size, nil
		}
		if err != nil {
			return lines, size, err
		}
	}
}
