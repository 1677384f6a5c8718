package ledger

// Hole is a span below the mark with roots that wait for a retry, or are in one.
type Hole struct {
	Slot    uint64
	Pos     int64
	N       int
	Rows    []uint16
	Attempt uint8
}

// Mark is how far a partition is settled.
type Mark struct {
	Upto  int64  // every root before it is done or in Holes
	Slot  uint64 // the slot at Upto
	Holes []Hole
}

// Mark returns the partition's low-water mark: the position of the lowest open root that is not in a retry, or the
// head. Roots in a retry below it are its holes, which a restart would emit again; a number outside, which cannot have
// holes, is Low.
func (o *Owner) Mark(part uint16) Mark {
	p := &o.parts[part]
	m := Mark{Upto: p.next, Slot: p.slot}
	for i := p.first; i != none; {
		e := o.at(i)
		if e.state != waiting && e.state != stuck && e.attempt&^givenUp == 0 {
			m.Upto, m.Slot = e.pos, e.slot
			break
		}
		rows := o.failed[i].list(nil)
		if e.state != waiting && e.state != stuck {
			rows = listWords(nil, o.failed[i].members)
		}
		m.Holes = append(m.Holes, Hole{Slot: e.slot, Pos: e.pos, N: int(e.n), Rows: rows, Attempt: e.attempt &^ givenUp})
		i = e.next
	}
	return m
}

// Low returns the position of the partition's lowest root that is not done, or its head.
func (o *Owner) Low(part uint16) int64 {
	if p := &o.parts[part]; p.first == none {
		return p.next
	} else {
		return o.at(p.first).pos
	}
}

// Commit notes that a mark is in a manifest.
func (o *Owner) Commit(part uint16, m Mark) {
	o.parts[part].committed = max(o.parts[part].committed, m.Slot)
}

// HeldWatermark returns the watermark that a partition may report: the one before its lowest open span, or wm.
func (o *Owner) HeldWatermark(part uint16, wm int64) int64 {
	if p := &o.parts[part]; p.first != none {
		return min(wm, o.at(p.first).wm)
	}
	return wm
}

// Head returns a partition's position behind its last root, and the slot of its next one.
func (o *Owner) Head(part uint16) (pos int64, slot uint64) {
	return o.parts[part].next, o.parts[part].slot
}
