package ledger

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/pipec/pipec/exec/batch"
)

// model says what an owner has to do, with sets and maps and no cleverness: a span is settled when the set of its edges
// is empty.
type model struct {
	t     *testing.T
	o     *Owner
	parts []modelPart
	spans []*modelSpan // all that are not done
	old   []batch.Span // spans of attempts that have ended
	edge  uint64
	now   int64
	books Books
}

type modelPart struct {
	pos  int64
	slot uint64
}

type modelSpan struct {
	ref      batch.Span
	part     int
	slot     uint64
	pos      int64
	n        int
	members  map[uint16]bool
	failed   map[uint16]bool
	edges    map[uint64]bool
	givenUp  bool
	waiting  bool
	stuck    bool
	attempts int
	bytes    int64
}

func runModel(t *testing.T, data []byte) {
	m := &model{t: t, o: New(3, Limits{}, 1), parts: make([]modelPart, 2)}
	for i := range m.parts {
		m.parts[i].pos = int64(1000 * i)
		m.o.AddPartition(m.parts[i].pos)
	}
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	for len(data) > 0 && !t.Failed() {
		m.step(next(), next)
		m.compare()
	}
}

func (m *model) live() []*modelSpan {
	return slices.DeleteFunc(slices.Clone(m.spans), func(s *modelSpan) bool { return s.waiting || s.stuck })
}

func (m *model) step(op int, next func() int) {
	m.now += int64(next()) * 1e6
	live := m.live()
	switch op % 8 {
	case 0, 1:
		m.openSpan(next)
	case 2:
		part, n := next()%2, 1+next()
		p := &m.parts[part]
		p.pos += int64(n)
		p.slot += uint64(n)
		m.books.Roots += int64(n)
		m.books.Done += int64(n)
		m.o.Skip(uint16(part), n, p.pos)
	case 3, 4:
		if len(live) > 0 {
			m.ackOne(live[next()%len(live)], next)
		}
	case 5:
		if len(live) > 0 {
			s := live[next()%len(live)]
			rows := slices.Sorted(maps.Keys(s.members))
			row := rows[next()%len(rows)]
			giveUp, all := next()%16 == 0, next()%16 == 0
			if all {
				s.failed = maps.Clone(s.members)
			} else {
				s.failed[row] = true
			}
			s.givenUp = s.givenUp || giveUp
			m.o.Fail(Fail{Entry: s.ref.Entry, Gen: s.ref.Gen, Row: row, All: all, GiveUp: giveUp})
		}
	case 6:
		if len(m.old) > 0 {
			s := m.old[next()%len(m.old)]
			m.books.Late += 2
			m.o.Ack(Ack{s.Entry, s.Gen, 1 + uint64(next())}, m.now)
			m.o.Fail(Fail{Entry: s.Entry, Gen: s.Gen})
		}
	case 7:
		m.retry(next)
	}
}

func (m *model) openSpan(next func() int) {
	part, n := next()%2, 1+next()%100
	p := &m.parts[part]
	s := &modelSpan{
		part: part, slot: p.slot, pos: p.pos, n: n, bytes: int64(next()),
		members: map[uint16]bool{}, failed: map[uint16]bool{}, edges: map[uint64]bool{},
	}
	for i := range n {
		s.members[uint16(i)] = true
	}
	p.pos += int64(n)
	p.slot += uint64(n)
	s.ref = m.o.Open(NewSpan{Part: uint16(part), N: n, Pos: s.pos, Next: p.pos, Bytes: int(s.bytes)})
	m.spans = append(m.spans, s)
	m.books.Roots += int64(n)
	m.books.Open += int64(n)
	m.books.Bytes += s.bytes
	m.emit(s, next()%4)
}

func (m *model) emit(s *modelSpan, edges int) {
	for range edges {
		m.edge++
		id := mix(m.edge)
		s.edges[id] = true
		m.o.Add(s.ref, id)
	}
	m.o.Seal(s.ref, m.now)
	m.settle(s)
}

// ackOne takes an edge in and puts up to two out.
func (m *model) ackOne(s *modelSpan, next func() int) {
	ids := slices.Sorted(maps.Keys(s.edges))
	in := ids[next()%len(ids)]
	delete(s.edges, in)
	xor := in
	for range next() % 3 {
		m.edge++
		id := mix(m.edge)
		s.edges[id] = true
		xor ^= id
	}
	m.o.Ack(Ack{s.ref.Entry, s.ref.Gen, xor}, m.now)
	m.settle(s)
}

func (m *model) settle(s *modelSpan) {
	if len(s.edges) > 0 {
		return
	}
	m.old = append(m.old, s.ref)
	done := int64(len(s.members) - len(s.failed))
	m.books.Open -= done
	m.books.Done += done
	switch {
	case len(s.failed) == 0:
		m.books.Bytes -= s.bytes
		m.spans = slices.DeleteFunc(m.spans, func(x *modelSpan) bool { return x == s })
	case s.givenUp:
		s.stuck = true
		m.books.Bytes -= s.bytes
		m.books.Open -= int64(len(s.failed))
		m.books.Undelivered += int64(len(s.failed))
	default:
		s.waiting = true
		s.members, s.failed = s.failed, map[uint16]bool{}
		s.attempts++
	}
}

func (m *model) retry(next func() int) {
	if next()%2 == 0 {
		if due, ok := m.o.NextDue(); ok {
			m.now = max(m.now, due)
		}
	}
	r, ok := m.o.NextRetry(m.now)
	if !ok {
		if m.waiting() > 0 && next()%4 == 0 {
			m.now = math.MaxInt64 / 2
		}
		return
	}
	i := slices.IndexFunc(m.spans, func(s *modelSpan) bool {
		return s.waiting && s.pos == r.Pos && s.part == int(r.Span.Part)
	})
	if i < 0 {
		m.t.Errorf("a retry of %+v, which does not wait", r)
		return
	}
	s := m.spans[i]
	if !slices.Equal(r.Rows, slices.Sorted(maps.Keys(s.members))) || int(r.Span.Attempt) != s.attempts&0x7f || r.N != s.n {
		m.t.Errorf("retry %+v of %+v", r, s)
	}
	s.ref, s.waiting = r.Span, false
	m.books.Reemitted += int64(len(s.members))
	m.emit(s, next()%3)
}

func (m *model) waiting() int {
	n := 0
	for _, s := range m.spans {
		if s.waiting {
			n++
		}
	}
	return n
}

func (m *model) compare() {
	if got := m.o.Books(); got != m.books {
		m.t.Errorf("books %+v, want %+v", got, m.books)
	}
	for part := range m.parts {
		var open []*modelSpan
		for _, s := range m.spans {
			if s.part == part {
				open = append(open, s)
			}
		}
		slices.SortFunc(open, func(a, b *modelSpan) int { return cmp.Compare(a.slot, b.slot) })
		low, upto, holes := m.parts[part].pos, m.parts[part].pos, 0
		if len(open) > 0 {
			low = open[0].pos
		}
		for _, s := range open {
			if !s.waiting && !s.stuck && s.attempts == 0 {
				upto = s.pos
				break
			}
			holes++
		}
		mark := m.o.Mark(uint16(part))
		if m.o.Low(uint16(part)) != low || mark.Upto != upto || len(mark.Holes) != holes {
			m.t.Errorf("part %d: low %d mark %+v, want low %d upto %d and %d holes", part, m.o.Low(uint16(part)), mark, low, upto, holes)
			return
		}
		for i, h := range mark.Holes {
			want := slices.Sorted(maps.Keys(open[i].members))
			if open[i].stuck {
				want = slices.Sorted(maps.Keys(open[i].failed))
			}
			if h.Pos != open[i].pos || !slices.Equal(h.Rows, want) {
				m.t.Errorf("hole %+v, want rows %v at %d", h, want, open[i].pos)
			}
		}
	}
}
