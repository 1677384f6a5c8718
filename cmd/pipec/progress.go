package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
)

// progress makes the line that shows how far a run is. Rates are those of the last seconds.
type progress struct {
	name    string
	sources map[string]bool
	past    []sample // the last ones, oldest first
}

type sample struct {
	at          time.Time
	bytes, rows int64
}

// rateSamples are how many samples back rates are taken over.
const rateSamples = 8

func newProgress(p *plan.Plan) *progress {
	g := &progress{name: p.Pipeline, sources: map[string]bool{}}
	for _, n := range p.Nodes {
		if n.Kind == plan.KindSource {
			g.sources[n.Name] = true
		}
	}
	return g
}

// line returns the line for what a run has done so far.
func (g *progress) line(s exec.Stats, now time.Time) string {
	var read, total, rows, open int64
	bounded := true
	for _, n := range s.Nodes {
		open += n.Open
		if g.sources[n.Name] {
			read, total, rows = read+n.Bytes, total+n.Total, rows+n.In
			bounded = bounded && n.Total > 0
		}
	}
	g.past = append(g.past, sample{now, read, rows})
	if len(g.past) > rateSamples {
		g.past = g.past[1:]
	}
	parts := []string{g.name}
	switch {
	case bounded && total > 0:
		parts = append(parts, fmt.Sprintf("%d%% of %s", min(100, read*100/total), size(total)))
	case read > 0:
		parts = append(parts, size(read)+" read")
	default:
		parts = append(parts, count(rows, "row read", "rows read"))
	}
	if first := g.past[0]; now.After(first.at) {
		seconds := now.Sub(first.at).Seconds()
		if read > 0 {
			parts = append(parts, size(int64(float64(read-first.bytes)/seconds))+"/s")
		}
		parts = append(parts, short(int64(float64(rows-first.rows)/seconds))+" tuples/s")
	}
	return strings.Join(append(parts, short(open)+" open roots"), "  ")
}

// summary returns what a run came to, in a line.
func summary(p *plan.Plan, r exec.Result, took time.Duration) string {
	read := count(r.Read, "row", "rows")
	if n := sourceBytes(p, r.Stats); n > 0 {
		read += " (" + size(n) + ")"
	}
	parts := []string{"read " + read, fmt.Sprintf("delivered %s", digits(r.Delivered-buried(p, r.Stats)))}
	for _, d := range dropped(r.Stats) {
		parts = append(parts, fmt.Sprintf("dropped %s as %q", digits(d.rows), d.name))
	}
	switch {
	case r.Dead == 0:
	case p.Settings.DeadLetters < 0:
		parts = append(parts, count(r.Dead, "row", "rows")+" failed for good")
	default:
		parts = append(parts, count(r.Dead, "dead letter", "dead letters"))
	}
	return p.Pipeline + ": " + strings.Join(parts, ", ") + " in " + took.Round(time.Millisecond).String()
}

// buried returns how many dead letters their sink has taken.
func buried(p *plan.Plan, s exec.Stats) int64 {
	if d := p.Settings.DeadLetters; d >= 0 && d < len(s.Nodes) {
		return s.Nodes[d].In
	}
	return 0
}

func sourceBytes(p *plan.Plan, s exec.Stats) int64 {
	n, sources := int64(0), newProgress(p).sources
	for _, x := range s.Nodes {
		if sources[x.Name] {
			n += x.Bytes
		}
	}
	return n
}

type drop struct {
	name string
	rows int64
}

// dropped returns how many rows were dropped, by the names they were dropped under, in order of the names.
func dropped(s exec.Stats) []drop {
	sum := map[string]int64{}
	for _, n := range s.Nodes {
		for name, rows := range n.Dropped {
			sum[name] += rows
		}
	}
	var list []drop
	for _, name := range slices.Sorted(maps.Keys(sum)) {
		if sum[name] > 0 {
			list = append(list, drop{name, sum[name]})
		}
	}
	return list
}

// count returns a number with the right form of a word.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return digits(n) + " " + many
}

// digits returns a number with a comma between thousands.
func digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short returns a number in at most four characters and a letter.
func short(n int64) string { return scaled(n, "", " k", " M", " G") }

// size returns a number of bytes.
func size(n int64) string { return scaled(n, " B", " kB", " MB", " GB", " TB") }

// scaled returns n in the largest unit of which there is one, units being a thousand of those before.
func scaled(n int64, units ...string) string {
	x, i := float64(n), 0
	for ; x >= 999.5 && i < len(units)-1; i++ {
		x /= 1000
	}
	if i == 0 {
		return strconv.FormatInt(n, 10) + units[0]
	}
	if x < 9.95 {
		return fmt.Sprintf("%.1f%s", x, units[i])
	}
	return fmt.Sprintf("%.0f%s", x, units[i])
}
