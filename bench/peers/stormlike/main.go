// Command stormlike is a straightforward Storm-shaped engine in Go: one goroutine per executor, bounded channels
// between them, and an acker that XORs edge ids per spout tuple. It shows what the obvious design reaches, and what
// batching the channels and the ack tree each buy.
//
// usage: stormlike -w w1|w4 -in FILE -out FILE [-batch 1|256|1024] [-ack none|tuple|batch] [-p PARALLEL] [-pending N]
package main

import (
	"bufio"
	"flag"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"sync"
)

type tuple struct {
	root, edge uint64
	s          string
}

type batch struct {
	root, edge uint64 // with -ack batch the tree is per spout batch and these carry it
	t          []tuple
}

type ackMsg struct{ root, xor uint64 }

var (
	par     = flag.Int("p", 2, "executors per bolt")
	qsize   = flag.Int("q", 1024, "channel capacity in tuples")
	pending = flag.Int("pending", 5000, "max spout tuples pending")
	bsize   = flag.Int("batch", 1, "tuples per channel send")
	ackMode = flag.String("ack", "tuple", "none, tuple or batch")
	seed    = maphash.MakeSeed()
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func scan(in string, line func(b []byte)) {
	f, err := os.Open(in)
	check(err)
	sc := bufio.NewScanner(f)
	sc.Buffer(make([]byte, 256<<10), 1<<20)
	for sc.Scan() {
		line(sc.Bytes())
	}
	check(sc.Err())
}

// acker is the bookkeeping of all trees.
type acker struct {
	in  chan ackMsg
	inB chan []ackMsg
	n   int
}

func (a *acker) run(sem chan struct{}) {
	m := map[uint64]uint64{}
	one := func(x ackMsg) {
		v := m[x.root] ^ x.xor
		if v == 0 {
			delete(m, x.root)
			a.n++
			<-sem
			return
		}
		m[x.root] = v
	}
	if a.inB != nil {
		for b := range a.inB {
			for _, x := range b {
				one(x)
			}
		}
	} else {
		for x := range a.in {
			one(x)
		}
	}
	if len(m) != 0 {
		panic("trees left incomplete")
	}
}

func writeCounts(out string, ms []map[string]*int) {
	var keys []string
	all := map[string]int{}
	for _, m := range ms {
		for k, n := range m {
			all[k] += *n
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	f, err := os.Create(out)
	check(err)
	w := bufio.NewWriter(f)
	for _, k := range keys {
		fmt.Fprintf(w, "%s %d\n", k, all[k])
	}
	check(w.Flush())
	check(f.Close())
}

func inc(m map[string]*int, s string) {
	if p := m[s]; p != nil {
		*p++
	} else {
		one := 1
		m[strings.Clone(s)] = &one
	}
}

// naive sends every tuple and every ack through a channel on its own.
func naive(w, in, out string) {
	ack := *ackMode != "none"
	a := &acker{in: make(chan ackMsg, *qsize)}
	sem := make(chan struct{}, *pending)
	first := make(chan tuple, *qsize)
	second := make([]chan tuple, *par)
	for i := range second {
		second[i] = make(chan tuple, *qsize)
	}
	counts := make([]map[string]*int, *par)
	var g1, g2, ga sync.WaitGroup
	if ack {
		ga.Go(func() { a.run(sem) })
	}
	if w == "w1" {
		for range *par {
			g1.Go(func() {
				for t := range first {
					x := t.edge
					for word := range strings.FieldsSeq(strings.ToLower(t.s)) {
						o := tuple{s: word}
						if ack {
							o.root, o.edge = t.root, rand.Uint64()
							x ^= o.edge
						}
						second[maphash.String(seed, word)%uint64(*par)] <- o
					}
					if ack {
						a.in <- ackMsg{t.root, x}
					}
				}
			})
		}
		for i := range *par {
			counts[i] = map[string]*int{}
			g2.Go(func() {
				for t := range second[i] {
					inc(counts[i], t.s)
					if ack {
						a.in <- ackMsg{t.root, t.edge}
					}
				}
			})
		}
	} else {
		g1.Go(func() {
			for t := range first {
				o := tuple{s: t.s}
				if ack {
					o.root, o.edge = t.root, rand.Uint64()
				}
				second[0] <- o
				if ack {
					a.in <- ackMsg{t.root, t.edge ^ o.edge}
				}
			}
		})
		g2.Go(func() {
			f, err := os.Create(out)
			check(err)
			bw := bufio.NewWriterSize(f, 256<<10)
			for t := range second[0] {
				bw.WriteString(t.s)
				bw.WriteByte('\n')
				if ack {
					a.in <- ackMsg{t.root, t.edge}
				}
			}
			check(bw.Flush())
			check(f.Close())
		})
	}
	lines := 0
	scan(in, func(b []byte) {
		lines++
		t := tuple{s: string(b)}
		if ack {
			sem <- struct{}{}
			t.root, t.edge = rand.Uint64(), rand.Uint64()
			a.in <- ackMsg{t.root, t.edge}
		}
		first <- t
	})
	close(first)
	g1.Wait()
	for _, c := range second {
		close(c)
	}
	g2.Wait()
	close(a.in)
	ga.Wait()
	if ack && a.n != lines {
		panic("acked trees differ from lines")
	}
	if w == "w1" {
		writeCounts(out, counts)
	}
}

// batched moves slices of tuples; acks travel in slices too. With -ack batch one tree covers a whole spout batch.
func batched(w, in, out string) {
	perTuple, perBatch := *ackMode == "tuple", *ackMode == "batch"
	a := &acker{inB: make(chan []ackMsg, 64)}
	n := *pending
	if perBatch {
		n = max(2, n / *bsize)
	}
	n = max(n, 4**bsize)
	sem := make(chan struct{}, n)
	depth := max(2, *qsize / *bsize)
	first := make(chan *batch, depth)
	second := make([]chan *batch, *par)
	for i := range second {
		second[i] = make(chan *batch, depth)
	}
	free := make(chan *batch, 64)
	get := func() *batch {
		select {
		case b := <-free:
			b.t = b.t[:0]
			return b
		default:
			return &batch{t: make([]tuple, 0, *bsize)}
		}
	}
	put := func(b *batch) {
		select {
		case free <- b:
		default:
		}
	}
	counts := make([]map[string]*int, *par)
	var g1, g2, ga sync.WaitGroup
	if perTuple || perBatch {
		ga.Go(func() { a.run(sem) })
	}
	if w == "w1" {
		for range *par {
			g1.Go(func() {
				outs := make([]*batch, *par)
				for i := range outs {
					outs[i] = get()
				}
				rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
				for b := range first {
					x := b.edge
					var acks []ackMsg
					send := func(i int) {
						if perBatch {
							outs[i].root, outs[i].edge = b.root, rng.Uint64()
							x ^= outs[i].edge
						}
						second[i] <- outs[i]
						outs[i] = get()
					}
					if perTuple {
						acks = make([]ackMsg, 0, len(b.t))
					}
					for _, t := range b.t {
						tx := t.edge
						for word := range strings.FieldsSeq(t.s) {
							o := tuple{s: word}
							if perTuple {
								o.root, o.edge = t.root, rng.Uint64()
								tx ^= o.edge
							}
							i := maphash.String(seed, word) % uint64(*par)
							outs[i].t = append(outs[i].t, o)
							if len(outs[i].t) == *bsize {
								send(int(i))
							}
						}
						if perTuple {
							acks = append(acks, ackMsg{t.root, tx})
						}
					}
					for i := range outs {
						if len(outs[i].t) > 0 {
							send(i)
						}
					}
					if perTuple {
						a.inB <- acks
					} else if perBatch {
						a.inB <- []ackMsg{{b.root, x}}
					}
					put(b)
				}
			})
		}
		for i := range *par {
			counts[i] = map[string]*int{}
			g2.Go(func() {
				for b := range second[i] {
					for _, t := range b.t {
						inc(counts[i], t.s)
					}
					sendAcks(a, b, perTuple, perBatch)
					put(b)
				}
			})
		}
	} else {
		g1.Go(func() {
			rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
			for b := range first {
				o := get()
				var acks []ackMsg
				if perTuple {
					acks = make([]ackMsg, 0, len(b.t))
				}
				for _, t := range b.t {
					n := tuple{s: t.s}
					if perTuple {
						n.root, n.edge = t.root, rng.Uint64()
						acks = append(acks, ackMsg{t.root, t.edge ^ n.edge})
					}
					o.t = append(o.t, n)
				}
				if perBatch {
					o.root, o.edge = b.root, rng.Uint64()
					acks = []ackMsg{{b.root, b.edge ^ o.edge}}
				}
				second[0] <- o
				if acks != nil {
					a.inB <- acks
				}
				put(b)
			}
		})
		g2.Go(func() {
			f, err := os.Create(out)
			check(err)
			bw := bufio.NewWriterSize(f, 256<<10)
			for b := range second[0] {
				for _, t := range b.t {
					bw.WriteString(t.s)
					bw.WriteByte('\n')
				}
				sendAcks(a, b, perTuple, perBatch)
				put(b)
			}
			check(bw.Flush())
			check(f.Close())
		})
	}
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	cur := get()
	var arena []byte
	var ends []int
	flush := func() {
		if len(ends) == 0 {
			return
		}
		all := string(arena) // one allocation for all lines of the batch
		var acks []ackMsg
		s := 0
		for _, e := range ends {
			t := tuple{s: all[s:e]}
			if perTuple {
				sem <- struct{}{}
				t.root, t.edge = rng.Uint64(), rng.Uint64()
				acks = append(acks, ackMsg{t.root, t.edge})
			}
			cur.t = append(cur.t, t)
			s = e
		}
		cur.root, cur.edge = 0, 0
		if perBatch {
			sem <- struct{}{}
			cur.root, cur.edge = rng.Uint64(), rng.Uint64()
			acks = []ackMsg{{cur.root, cur.edge}}
		}
		if acks != nil {
			a.inB <- acks
		}
		first <- cur
		cur, arena, ends = get(), arena[:0], ends[:0]
	}
	scan(in, func(b []byte) {
		if w == "w1" {
			p := len(arena)
			arena = append(arena, b...)
			for i, c := range arena[p:] {
				if c-'A' < 26 {
					arena[p+i] = c + 32
				}
			}
		} else {
			arena = append(arena, b...)
		}
		ends = append(ends, len(arena))
		if len(ends) == *bsize {
			flush()
		}
	})
	flush()
	close(first)
	g1.Wait()
	for _, c := range second {
		close(c)
	}
	g2.Wait()
	close(a.inB)
	ga.Wait()
	if w == "w1" {
		writeCounts(out, counts)
	}
}

func sendAcks(a *acker, b *batch, perTuple, perBatch bool) {
	if perTuple {
		acks := make([]ackMsg, len(b.t))
		for i, t := range b.t {
			acks[i] = ackMsg{t.root, t.edge}
		}
		a.inB <- acks
	} else if perBatch {
		a.inB <- []ackMsg{{b.root, b.edge}}
	}
}

func main() {
	w := flag.String("w", "w1", "w1 or w4")
	in := flag.String("in", "", "input")
	out := flag.String("out", "/dev/null", "output")
	flag.Parse()
	if *bsize == 1 {
		naive(*w, *in, *out)
	} else {
		batched(*w, *in, *out)
	}
}
