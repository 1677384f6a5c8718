package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		q    float64
		want float64
	}{
		{nil, 0.5, 0},
		{[]float64{3}, 0.25, 3},
		{[]float64{4, 1}, 0.5, 2.5},
		{[]float64{5, 1, 3}, 0.5, 3},
		{[]float64{5, 1, 3}, 0.25, 2},
		{[]float64{5, 1, 3}, 1, 5},
	} {
		if got := quantile(c.x, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.x, c.q, got, c.want)
		}
	}
}

func TestRatios(t *testing.T) {
	got := ratios([]float64{2, 6, 9}, 1, []float64{2, 2}, 2)
	if len(got) != 2 || got[0] != 2 || got[1] != 6 {
		t.Errorf("got %v", got)
	}
}

// bench runs bm over commands that read a small file, and returns its report.
func bench(t *testing.T, mode string, commands ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte("b\na\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var spec strings.Builder
	for i, c := range commands {
		check, command, _ := strings.Cut(c, " ")
		spec.WriteString(strings.Join([]string{string(rune('A' + i)), in, filepath.Join(dir, "out"), check, command}, "\t") + "\n")
	}
	path := filepath.Join(dir, "spec")
	if err := os.WriteFile(path, []byte(spec.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err := run(&b, path, mode, 3, 1, 30*time.Second)
	return b.String(), err
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		commands   []string
		fault      string // part of the error; "" for none
		report     string // part of the report
	}{
		{"equal", "table", []string{"exact cat <$IN >$OUT", "exact cp $IN $OUT"}, "", "| B |"},
		{"sorted", "table", []string{"exact cat <$IN >$OUT", "sorted sort $IN >$OUT"}, "", "| B |"},
		{"not sorted", "table", []string{"exact cat <$IN >$OUT", "exact sort $IN >$OUT"}, "B: wrong output", "| B | 0 | wrong output |"},
		{"different", "table", []string{"exact cat <$IN >$OUT", "sorted echo a >$OUT"}, "B: wrong output", "wrong output"},
		{"not compared", "table", []string{"exact cat <$IN >$OUT", "none true"}, "", "| B |"},
		{"no output", "table", []string{"exact cat <$IN >$OUT", "exact true"}, "B: no output", "no output"},
		{"fails", "table", []string{"exact cat <$IN >$OUT", "exact echo first >&2; echo why >&2; exit 3"}, "B: exit status 3: why", "why"},
		{"pairs", "pairs", []string{"exact cat <$IN >$OUT", "exact cp $IN $OUT"}, "", `"A" as a multiple of "B", 3 pairs`},
		{"pairs of three", "pairs", []string{"none true", "none true", "none true"}, "does not fit 3 rows", ""},
		{"memory", "memory", []string{"exact cat <$IN >$OUT", "exact cat <$IN >$OUT"}, "", "| A | 0 |"},
		{"unknown mode", "graph", []string{"none true"}, "unknown mode", ""},
		{"unknown check", "table", []string{"same true"}, "unknown check", ""},
		{"nothing", "table", nil, "no rows", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := bench(t, c.mode, c.commands...)
			if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
			if !strings.Contains(report, c.report) {
				t.Errorf("the report lacks %q:\n%s", c.report, report)
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	r := &row{command: "sleep 60 & wait"}
	if err := r.runOnce(20 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}
