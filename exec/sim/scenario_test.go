package sim

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pipec/pipec/compiler/plan"
)

var (
	seeds = flag.Int("seeds", 2000, "number of simulated runs of random graphs")
	first = flag.Uint64("seed", 1, "first seed; with -seeds 1 that one alone, told in full")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRandomGraphs runs small random pipelines whose parts fail, and checks what at_least_once promises: nothing is
// lost, poison is in the dead letters with node, reason, attempts, source and position, books balance, the order of a
// key is kept where the plan keeps it, and state counts a row once if nothing failed before it.
func TestRandomGraphs(t *testing.T) {
	n := *seeds
	if testing.Short() {
		n = min(n, 200)
	}
	for i := range n {
		seed := *first + uint64(i)
		s := newScenario(seed)
		if n == 1 {
			s.host.Trace = func(format string, args ...any) { t.Logf(format, args...) }
		}
		if err := s.runSafely(); err != nil {
			t.Errorf("seed %d: %v\n%s\nto repeat: go test ./exec/sim -run TestRandomGraphs -seeds 1 -seed %d",
				seed, err, s, seed)
			small, err := shrink(seed)
			t.Fatalf("the smallest graph of this seed that fails: %v\n%s\n%s", err, small, plan.Dump(small.plan))
		}
	}
}

// shrink looks for the smallest scenario of a seed that fails. Sizes are part of what the seed's choices are made from, so
// a smaller one is another graph; but what is wrong mostly shows in one of them.
func shrink(seed uint64) (*scenario, error) {
	for _, z := range []size{{3, 1}, {3, 2}, {8, 1}, {8, 2}, {30, 1}, {30, 2}} {
		for k := range uint64(200) {
			s := newSized(seed+k, z)
			if err := s.runSafely(); err != nil {
				return s, err
			}
		}
	}
	s := newScenario(seed)
	return s, s.runSafely()
}

// runSafely makes an error of a panic, so that the seed is told.
func (s *scenario) runSafely() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.run()
}

// F53: the same seed gives the same run: each step of each machine, at the same time, and all that comes out.
func TestF53SeedRepeats(t *testing.T) {
	for seed := uint64(1); seed <= 50; seed++ {
		var traces [2]strings.Builder
		for i := range traces {
			s := newScenario(seed)
			s.host.Trace = func(format string, args ...any) { fmt.Fprintf(&traces[i], format+"\n", args...) }
			err := s.run()
			fmt.Fprintln(&traces[i], err, s.outcome())
		}
		if a, b := traces[0].String(), traces[1].String(); a != b {
			t.Fatalf("seed %d: two runs differ\n%s\n%s", seed, a, b)
		}
	}
}
