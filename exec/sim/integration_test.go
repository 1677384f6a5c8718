//go:build integration

package sim

import "testing"

// TestTenThousandSeeds is the acceptance run of the random graphs.
func TestTenThousandSeeds(t *testing.T) {
	for seed := uint64(1_000_001); seed <= 1_010_000; seed++ {
		s := newScenario(seed)
		if err := s.runSafely(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s)
		}
	}
}
