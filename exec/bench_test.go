package exec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec"
	"github.com/pipec/pipec/exec/connector"
)

// nowhere is a sink that takes everything at once.
type nowhere struct{}

func (nowhere) make(context.Context, connector.Config) (connector.Sink, error) { return nowhere{}, nil }
func (nowhere) Activate(context.Context) error                                 { return nil }
func (nowhere) Sync(context.Context) error                                     { return nil }
func (nowhere) Close(context.Context) error                                    { return nil }
func (nowhere) Write(context.Context, connector.Write) ([]connector.Outcome, error) {
	return nil, nil
}

// BenchmarkHops measures what the engine itself costs a row: a source of ints, bodies that pass them on, a sink that
// does nothing; fused, or with exchanges between them, with and without trees.
func BenchmarkHops(b *testing.B) {
	const rows = 4_000_000
	for _, c := range []struct {
		name     string
		grouping plan.Grouping
		tasks    int
	}{{"fused", 0, 1}, {"forward", plan.ToForward, 1}, {"shuffle", plan.ToShuffle, 2}, {"key", plan.ToKey, 2}} {
		for _, profile := range []plan.Profile{plan.P0, plan.P1} {
			for _, origins := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/P%d/origins=%v", c.name, profile, origins), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						g := newGraph(profile)
						src := g.source(&counter{parts: 2, each: rows / 2}, 1)
						src.Connector.Traits = []string{"bounded"}
						one, two := g.body("one", c.tasks, emit()), g.body("two", c.tasks, emit())
						g.edge(src, one, c.grouping)
						g.edge(one, two, c.grouping)
						g.edge(two, g.sink("sink", &taker{}, c.tasks), c.grouping)
						g.opts.Sinks["sink"] = nowhere{}.make
						for _, e := range g.p.Edges {
							e.Origins = origins
						}
						run, err := exec.Start(context.Background(), g.p, g.opts)
						if err != nil {
							b.Fatal(err)
						}
						if _, err := run.Wait(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
				})
			}
		}
	}
}
