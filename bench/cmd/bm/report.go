package main

import (
	"fmt"
	"io"
	"slices"
)

// quantile returns the value below which a part q of the figures lies, interpolated between neighbours.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	at := q * float64(len(s)-1)
	i := min(int(at), len(s)-1)
	j := min(i+1, len(s)-1)
	return s[i] + (at-float64(i))*(s[j]-s[i])
}

func median(x []float64) float64 { return quantile(x, 0.5) }

// ratios returns a's figures as multiples of b's, round by round, each per byte of its input.
func ratios(a []float64, aSize int64, b []float64, bSize int64) []float64 {
	var r []float64
	for i := range min(len(a), len(b)) {
		r = append(r, a[i]/float64(max(aSize, 1))/(b[i]/float64(max(bSize, 1))))
	}
	return r
}

func reportTable(w io.Writer, rows []*row, wallBase *row) {
	base := rows[0]
	fmt.Fprintf(w, "| implementation | MB | wall s (min..max) | MB/s | krec/s | CPU s | CPU s/GB | peak MB | wall vs %q | CPU vs %q |\n", wallBase.name, base.name)
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		if len(r.wall) == 0 || r.fault != "" {
			fmt.Fprintf(w, "| %s | %.0f | %s |\n", r.name, float64(r.size)/1e6, r.fault)
			continue
		}
		mb, wall, cpu := float64(r.size)/1e6, median(r.wall), median(r.cpu)
		fmt.Fprintf(w, "| %s | %.0f | %.2f (%.2f..%.2f) | %.0f | %.0f | %.2f | %.2f | %.0f | %.2fx | %.2fx |\n",
			r.name, mb, wall, slices.Min(r.wall), slices.Max(r.wall), mb/wall, float64(r.lines)/1e3/wall, cpu, cpu/mb*1e3, slices.Max(r.rss),
			median(ratios(r.wall, r.size, wallBase.wall, wallBase.size)), median(ratios(r.cpu, r.size, base.cpu, base.size)))
	}
}

func reportPairs(w io.Writer, a, b *row) {
	if a.fault != "" || b.fault != "" {
		return
	}
	fmt.Fprintf(w, "%q as a multiple of %q, %d pairs:\n\n", a.name, b.name, len(a.cpu))
	fmt.Fprintln(w, "| | median | quartiles | min..max |\n|---|--:|--:|--:|")
	for _, x := range []struct {
		name string
		r    []float64
	}{{"CPU", ratios(a.cpu, a.size, b.cpu, b.size)}, {"wall", ratios(a.wall, a.size, b.wall, b.size)}} {
		fmt.Fprintf(w, "| %s | %.3fx | %.3f..%.3f | %.3f..%.3f |\n", x.name, median(x.r), quantile(x.r, 0.25), quantile(x.r, 0.75), slices.Min(x.r), slices.Max(x.r))
	}
}

func reportMemory(w io.Writer, rows []*row) {
	fmt.Fprintln(w, "| implementation | small MB | peak MB | big MB | peak MB | big vs small |\n|---|--:|--:|--:|--:|--:|")
	for i := 0; i < len(rows); i += 2 {
		small, big := rows[i], rows[i+1]
		if small.fault != "" || big.fault != "" {
			fmt.Fprintf(w, "| %s | %s %s |\n", small.name, small.fault, big.fault)
			continue
		}
		fmt.Fprintf(w, "| %s | %.0f | %.1f | %.0f | %.1f | %.3fx |\n", small.name, float64(small.size)/1e6, median(small.rss),
			float64(big.size)/1e6, median(big.rss), median(big.rss)/median(small.rss))
	}
}
