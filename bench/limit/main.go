// Command limit holds the hand-written programs that the benchmark measures against: what a workload costs at least.
//
// usage: limit -w w1|w2|w3|w4 -impl NAME -in FILE -out FILE [-t THREADS]   (no -impl: lists the names)
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// impls are the implementations by workload and name.
var impls = map[string]func(in, out string, t int){
	"w1/hand":  w1hand,
	"w1/good":  w1good,
	"w1/plain": w1plain,
	"w2/hand":  w2hand(false),
	"w2/lazy":  w2hand(true),
	"w2/json":  w2json,
	"w2/map":   w2map,
	"w3/hand":  w3hand(false),
	"w3/lazy":  w3hand(true),
	"w3/json":  w3json,
	"w4/copy":  w4copy,
	"w4/lines": w4lines,
	"w4/track": w4track,
	"w4/good":  w4good,
}

func main() {
	w := flag.String("w", "", "workload")
	impl := flag.String("impl", "", "implementation")
	in := flag.String("in", "", "input file")
	out := flag.String("out", "/dev/null", "output file")
	t := flag.Int("t", 1, "threads")
	flag.Parse()
	f := impls[*w+"/"+*impl]
	if f == nil {
		fmt.Fprintln(os.Stderr, "known:", slices.Sorted(maps.Keys(impls)))
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*t)
	debug.SetGCPercent(400)
	f(*in, *out, *t)
}
