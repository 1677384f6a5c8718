package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
)

func sourcePlan() *plan.Plan {
	return &plan.Plan{Pipeline: "orders", Nodes: []*plan.Node{
		{Name: "raw", Kind: plan.KindSource}, {Name: "out", Kind: plan.KindSink},
	}}
}

func TestProgressLine(t *testing.T) {
	at := time.Unix(1000, 0)
	stats := func(in, bytes, total, open int64) exec.Stats {
		return exec.Stats{Nodes: []exec.NodeStats{
			{Name: "raw", In: in, Bytes: bytes, Total: total, Open: open}, {Name: "out", In: 77, Bytes: 99, Open: 1},
		}}
	}
	tests := []struct {
		name string
		rows []exec.Stats // one each quarter of a second
		want string
	}{
		{"bounded", []exec.Stats{stats(0, 0, 4_000_000, 0), stats(1000, 1_000_000, 4_000_000, 1_499)}, "orders  25% of 4.0 MB  4.0 MB/s  4.0 k tuples/s  1.5 k open roots"},
		{"unbounded", []exec.Stats{stats(0, 0, 0, 0), stats(250, 500, 0, 9)}, "orders  500 B read  2.0 kB/s  1.0 k tuples/s  10 open roots"},
		{"without bytes", []exec.Stats{stats(1, 0, 0, 0), stats(2, 0, 0, 0)}, "orders  2 rows read  4 tuples/s  1 open roots"},
		{"at first", []exec.Stats{stats(1, 0, 0, 0)}, "orders  1 row read  1 open roots"},
		{"more than its size", []exec.Stats{stats(1, 30, 20, 0)}, "orders  100% of 20 B  1 open roots"},
	}
	for _, tt := range tests {
		g := newProgress(sourcePlan())
		got := ""
		for i, s := range tt.rows {
			got = g.line(s, at.Add(time.Duration(i)*redraw))
		}
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

// TestProgressForgets: the rate is that of the last seconds, not of the whole run.
func TestProgressForgets(t *testing.T) {
	g := newProgress(sourcePlan())
	at, rows := time.Unix(1000, 0), int64(0)
	got := ""
	for i := range 40 {
		if i < 20 {
			rows += 1_000_000
		} else {
			rows++
		}
		got = g.line(exec.Stats{Nodes: []exec.NodeStats{{Name: "raw", In: rows}}}, at.Add(time.Duration(i)*redraw))
	}
	if want := "orders  20,000,020 rows read  4 tuples/s  0 open roots"; got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestSummary(t *testing.T) {
	r := exec.Result{Read: 12_345, Delivered: 12_000, Dead: 1, Stats: exec.Stats{Nodes: []exec.NodeStats{
		{Name: "raw", Bytes: 1_500_000, Dropped: map[string]int64{"late": 2, "none": 0}},
		{Name: "out", Dropped: map[string]int64{"early": 1, "late": 3}},
	}}}
	want := `orders: read 12,345 rows (1.5 MB), delivered 12,000, dropped 1 as "early", dropped 5 as "late", 1 dead letter in 1.235s`
	p := sourcePlan()
	p.Settings.DeadLetters = 1
	r.Nodes[1].In = 1
	r.Delivered++ // the dead letter
	if got := summary(p, r, 1234567*time.Microsecond); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	p.Settings.DeadLetters = -1
	want = strings.NewReplacer("12,000", "12,001", "1 dead letter", "1 row failed for good").Replace(want)
	if got := summary(p, r, 1234567*time.Microsecond); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := digits(n); got != want {
			t.Errorf("digits of %d: %s", n, got)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9951: "10 kB", 999_600: "1.0 MB", 5e15: "5000 TB"} {
		if got := size(n); got != want {
			t.Errorf("size of %d: %s", n, got)
		}
	}
}
