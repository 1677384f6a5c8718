package task

import (
	"sync"
	"sync/atomic"
)

// Counters are the book of one copy of a node. Its task adds to them once a batch; anybody may read them.
//
// The book: In = OK + Dropped + Dead + Failed + GivenUp + Held, at every moment between two batches. Rows of a source
// come in by being read.
type Counters struct {
	In      atomic.Int64 // rows that came in
	Out     atomic.Int64 // rows that went out, over all outputs
	OK      atomic.Int64 // rows processed, absorbed, or accepted by a sink
	Dropped atomic.Int64 // rows dropped, by any name
	Dead    atomic.Int64 // rows that became dead letters here
	Failed  atomic.Int64 // rows that failed and whose roots are emitted again
	GivenUp atomic.Int64 // rows that were in hand when an error ended the run
	Held    atomic.Int64 // rows that a sink has not settled
	Cut     atomic.Int64 // rows and results that it had when its optional branch was cut off
	Retried atomic.Int64 // rows that a sink was given again
	Bytes   atomic.Int64 // read by a source
	Total   atomic.Int64 // size of a source's bounded partitions
	Open    atomic.Int64 // roots that are not settled

	mu    sync.Mutex
	drops map[string]int64
}

func (c *Counters) drop(name string, n int) {
	if n == 0 {
		return
	}
	c.Dropped.Add(int64(n))
	c.mu.Lock()
	if c.drops == nil {
		c.drops = map[string]int64{}
	}
	c.drops[name] += int64(n)
	c.mu.Unlock()
}

// Drops adds the dropped rows by name to dst.
func (c *Counters) Drops(dst map[string]int64) {
	c.mu.Lock()
	for name, n := range c.drops {
		dst[name] += n
	}
	c.mu.Unlock()
}

// Balanced reports whether the book balances. OK is mostly what is left of In, so it is negative if more came out of a
// batch than was in it.
func (c *Counters) Balanced() bool {
	return c.OK.Load() >= 0 && c.In.Load() == c.OK.Load()+c.Dropped.Load()+c.Dead.Load()+c.Failed.Load()+c.GivenUp.Load()+c.Held.Load()
}
