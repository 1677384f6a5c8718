package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

// What a scenario is expected to do is found by following each row through the graph, by the same ops, without batches,
// tasks or trees. A row that may or may not get somewhere (a flaky node made a dead letter of it in one attempt and let
// it pass in another) is followed as one that is not required.

type tuple struct{ id, key, cp int64 }

func wholeRow(n *plan.Node, key int64) []value.Value { return row(1_000_000*int64(n.ID+1)+key, key, 0) }

func tupleOf(r []value.Value) tuple { return tuple{r[0].Int(), r[1].Int(), r[2].Int()} }

// letter is a dead letter: the node and the row.
type letter struct {
	node string
	row  tuple
}

// origin is where a row's root comes from.
type origin struct {
	node string
	pos  int64
}

type followed struct {
	tuple
	from     origin
	required bool
}

// check compares what came out with what was expected.
func (s *scenario) check() error {
	for id, src := range s.srcs {
		if !src.Closed() {
			return fmt.Errorf("source %d was not closed", id)
		}
	}
	for id, k := range s.sinks {
		if !k.Closed() {
			return fmt.Errorf("sink %d was not closed", id)
		}
	}
	if err := s.checkBooks(); err != nil {
		return err
	}
	if s.res.Killed {
		return nil // what is committed was checked
	}
	letters, err := s.letters()
	if err != nil {
		return err
	}
	e := &expectation{s: s, letters: letters, at: map[int][]followed{}}
	e.followAll()
	if s.plan.Profile == plan.P0 {
		return e.atMostOnce()
	}
	if s.err != nil {
		return s.checkStopped(e)
	}
	if s.stopAt > 0 && s.stopAt <= s.host.Steps() {
		return e.compareStopped()
	}
	if e.stops {
		return errors.New("the run should have been stopped by a dead row and was not")
	}
	if s.res.Undelivered != 0 {
		return fmt.Errorf("%d roots undelivered", s.res.Undelivered)
	}
	return e.compare()
}

func (s *scenario) checkBooks() error {
	var te *task.Error
	for _, err := range unjoin(s.err) {
		if errors.As(err, &te) && te.Code == diag.Unbalanced {
			return fmt.Errorf("books: %v", te.Notes)
		}
	}
	return nil
}

func unjoin(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

// checkStopped checks a run that ended by an error.
func (s *scenario) checkStopped(e *expectation) error {
	var te *task.Error
	if !errors.As(s.err, &te) {
		return s.err
	}
	switch te.Code {
	case diag.DeadRow:
		if s.dead != nil {
			return fmt.Errorf("stopped although there are dead letters: %w", s.err)
		}
		if s.res.Undelivered == 0 {
			return errors.New("stopped by a dead row, and nothing is undelivered")
		}
	case diag.ConnectorFailed:
		if !slices.ContainsFunc(s.plan.Nodes, func(n *plan.Node) bool {
			return s.sinks[n.ID] != nil && s.sinks[n.ID].Faults.FatalAt > 0
		}) {
			return s.err
		}
	default:
		return s.err
	}
	return nil
}

// letters reads the dead letters, and checks their fields that do not depend on the graph.
func (s *scenario) letters() (map[letter][]deadLetter, error) {
	out := map[letter][]deadLetter{}
	if s.dead == nil {
		return out, nil
	}
	for _, r := range s.dead.Rows {
		d := deadLetter{
			code: r[1].Elems()[0].Str(), node: r[2].Str(), attempts: r[3].Int(), from: origin{r[4].Str(), r[5].Int()},
		}
		var in struct {
			ID, Key, Copy int64
			Raw           []byte
		}
		if err := json.Unmarshal([]byte(r[0].Str()), &in); err != nil {
			return nil, fmt.Errorf("dead letter %q: %w", r[0].Str(), err)
		}
		l := letter{d.node, tuple{in.ID, in.Key, in.Copy}}
		if in.Raw != nil {
			l.row = tuple{id: -1 - d.from.pos}
		}
		out[l] = append(out[l], d)
	}
	return out, nil
}

type deadLetter struct {
	code, node string
	attempts   int64
	from       origin
}

type expectation struct {
	s       *scenario
	letters map[letter][]deadLetter
	at      map[int][]followed // by sink
	stops   bool
	errs    []error
}

func (e *expectation) followAll() {
	for _, n := range e.s.plan.Nodes {
		src := e.s.srcs[n.ID]
		if src == nil {
			continue
		}
		for _, rows := range src.Parts {
			for pos, r := range rows {
				f := followed{from: origin{n.Name, int64(pos)}, required: n.Level >= plan.AtLeastOnce}
				if r == nil {
					f.id = -1 - int64(pos)
					e.dead(n, f, 1, 1)
					continue
				}
				f.tuple = tupleOf(r)
				e.arrive(n, f)
			}
		}
	}
	// Windows fire when everything has arrived, in the order of the graph.
	for _, n := range e.s.plan.Nodes {
		if o := e.s.ops[n.ID]; o != nil && o.kind == opWhole {
			e.fire(n)
		}
	}
}

// arrive sends a row over the edges of a node that it comes out of.
func (e *expectation) arrive(n *plan.Node, f followed) {
	for _, edge := range e.s.plan.Edges {
		if edge.From == n.ID {
			e.enter(e.s.plan.Nodes[edge.To], f)
		}
	}
}

func (e *expectation) enter(n *plan.Node, f followed) {
	retries := int64(e.s.plan.Settings.Retries)
	if k := e.s.sinks[n.ID]; k != nil {
		if k.Faults.Reject != nil && k.Faults.Reject(row(f.id, f.key, f.cp)) {
			e.dead(n, f, 1, retries+1)
			return
		}
		e.at[n.ID] = append(e.at[n.ID], f)
		return
	}
	o := e.s.ops[n.ID]
	hit := f.id%o.mod == o.rest
	switch {
	case o.kind == opFlat:
		cp := f.cp
		for k := range o.copies() {
			f.cp = cp*4 + k
			e.arrive(n, f)
		}
	case o.kind == opFilter && hit:
	case o.kind == opPoison && hit:
		if o.fault {
			e.dead(n, f, 1, retries+1)
		} else {
			e.dead(n, f, retries+1, retries+1)
		}
	case o.kind == opFlaky && hit:
		if e.letters[letter{n.Name, f.tuple}] != nil || e.s.dead == nil {
			f.required = false
		}
		e.arrive(n, f)
	case o.kind == opState:
		e.absorb(n, f)
		f.from = origin{node: n.Name, pos: -1}
		e.arrive(n, f)
	case o.kind == opWhole:
		e.absorb(n, f)
	case o.kind == opCombine:
		e.absorb(n, f)
		e.arrive(n, f) // an aggregate, which counts it as one row of its key
	default:
		e.arrive(n, f)
	}
}

// dead expects a dead letter with a number of attempts between least and most.
func (e *expectation) dead(n *plan.Node, f followed, least, most int64) {
	if n.Level == plan.AtMostOnce {
		return
	}
	if e.s.dead == nil {
		e.stops = e.stops || f.required
		return
	}
	got := e.letters[letter{n.Name, f.tuple}]
	if len(got) == 0 && f.required {
		e.errs = append(e.errs, fmt.Errorf("no dead letter of %s for row %v", n.Name, f.tuple))
	}
	for _, d := range got {
		if !f.required {
			break
		}
		if d.attempts < least || d.attempts > most || d.from.node != f.from.node || f.from.pos >= 0 && d.from.pos != f.from.pos || d.code == "" {
			e.errs = append(e.errs, fmt.Errorf("dead letter of %s for row %v: %+v, want %d to %d attempts from %v",
				n.Name, f.tuple, d, least, most, f.from))
		}
	}
}

type absorbedKey struct {
	node int
	key  int64
}

// bounds are the least and most rows that a state takes in if no root is emitted again.
type bounds struct{ least, most int64 }

func (e *expectation) absorb(n *plan.Node, f followed) {
	k := absorbedKey{n.ID, f.key}
	b := e.s.expected[k]
	b.most++
	if f.required {
		b.least++
	}
	e.s.expected[k] = b
}

// fire follows the results of a window: one for each key.
func (e *expectation) fire(n *plan.Node) {
	for key := range int64(5) {
		c, ok := e.s.expected[absorbedKey{n.ID, key}]
		if !ok {
			continue
		}
		e.arrive(n, followed{tuple: tupleOf(wholeRow(n, key)), from: origin{node: n.Name, pos: -1}, required: c.least > 0})
	}
}

// atMostOnce checks a run that follows no trees: no row comes twice, and none that nothing makes.
func (e *expectation) atMostOnce() error {
	for id := range e.s.sinks {
		if id == e.s.plan.Settings.DeadLetters {
			continue
		}
		may := map[tuple]int{}
		for _, f := range e.at[id] {
			may[f.tuple]++
		}
		for _, r := range e.s.sinks[id].Rows {
			t := tupleOf(r)
			if may[t]--; may[t] < 0 {
				return fmt.Errorf("%s got %v twice, or nothing makes it", e.s.plan.Nodes[id].Name, t)
			}
		}
	}
	return nil
}

// compare compares what sinks took with what was followed.
func (e *expectation) compare() error {
	for id, rows := range e.at {
		if id == e.s.optionalID && e.s.optional != nil {
			if err := e.optional(rows); err != nil {
				e.errs = append(e.errs, err)
			}
			continue
		}
		got := map[tuple]int{}
		for _, r := range e.s.sinks[id].Rows {
			got[tupleOf(r)]++
		}
		for _, f := range rows {
			if got[f.tuple] > 1 && e.level(f.from.node) == plan.AtMostOnce {
				e.errs = append(e.errs, fmt.Errorf("%s got %v of %s twice", e.s.plan.Nodes[id].Name, f.tuple, f.from.node))
			}
			if got[f.tuple] == 0 && f.required {
				e.errs = append(e.errs, fmt.Errorf("%s never got %v", e.s.plan.Nodes[id].Name, f.tuple))
			}
			delete(got, f.tuple)
		}
		for r := range got {
			e.errs = append(e.errs, fmt.Errorf("%s got %v, which nothing makes", e.s.plan.Nodes[id].Name, r))
		}
	}
	for k, want := range e.s.expected {
		got := e.s.absorbed[k.node][k.key]
		if got < want.least || got > want.most && e.s.res.Books.Reemitted == 0 {
			e.errs = append(e.errs, fmt.Errorf("state of node %d for key %d: %d rows, want %+v", k.node, k.key, got, want))
		}
	}
	e.order()
	if len(e.errs) > 8 {
		e.errs = e.errs[:8]
	}
	return errors.Join(e.errs...)
}

// level returns the level of the rows that a node makes roots of.
func (e *expectation) level(node string) plan.Level {
	i := slices.IndexFunc(e.s.plan.Nodes, func(n *plan.Node) bool { return n.Name == node })
	return e.s.plan.Nodes[i].Level
}

// optional checks that an optional branch took no row twice, and that what it did not take was dropped by name.
func (e *expectation) optional(rows []followed) error {
	got := map[tuple]int{}
	for _, r := range e.s.optional.Rows {
		if got[tupleOf(r)]++; got[tupleOf(r)] > 1 {
			return fmt.Errorf("the optional branch got %v twice", tupleOf(r))
		}
	}
	missing := int64(0)
	for _, f := range rows {
		if f.required && got[f.tuple] == 0 {
			missing++
		}
		delete(got, f.tuple)
	}
	if len(got) > 0 {
		return fmt.Errorf("the optional branch got %v, which nothing makes", got)
	}
	x := e.s.res.Nodes[e.s.optionalID]
	named := x.Dead
	for _, n := range x.Dropped {
		named += n
	}
	if missing > named {
		return fmt.Errorf("%d rows are missing in the optional branch, and %d are accounted for: %+v", missing, named, x)
	}
	return nil
}

// order checks, where no root was emitted again and no shuffle lies on the way, that each sink first got the rows of a
// key and partition in the order of the source.
func (e *expectation) order() {
	if e.s.res.Books.Reemitted > 0 {
		return
	}
	for id, k := range e.s.sinks {
		if !e.ordered(id) || k == e.s.optional {
			continue
		}
		last := map[[2]int64]tuple{} // by key and partition
		seen := map[tuple]bool{}
		for _, r := range k.Rows {
			t := tupleOf(r)
			if seen[t] {
				continue
			}
			seen[t] = true
			at := [2]int64{t.key, e.s.partOf(t.id)}
			if l, ok := last[at]; ok && (l.id > t.id || l.id == t.id && l.cp > t.cp) {
				e.errs = append(e.errs, fmt.Errorf("%s got %v behind %v of the same key", e.s.plan.Nodes[id].Name, t, l))
			}
			last[at] = t
		}
	}
}

// partOf numbers the partition of a row over all sources.
func (s *scenario) partOf(id int64) int64 {
	n := int64(0)
	for _, node := range s.plan.Nodes {
		if src := s.srcs[node.ID]; src != nil {
			for _, rows := range src.Parts {
				n++
				for _, r := range rows {
					if r != nil && r[0].Int() == id {
						return n
					}
				}
			}
		}
	}
	return 0
}

// ordered reports whether all edges on the way to a node keep the order of a key.
func (e *expectation) ordered(node int) bool {
	for _, edge := range e.s.plan.Edges {
		if edge.To != node {
			continue
		}
		if edge.Grouping == plan.ToShuffle && e.s.plan.Nodes[node].Parallelism > 1 || !e.ordered(edge.From) {
			return false
		}
	}
	return node != e.s.plan.Settings.DeadLetters
}

// compareStopped checks a run that was stopped: what was read is settled, and nothing came out that nothing makes.
func (e *expectation) compareStopped() error {
	if e.s.res.Undelivered != 0 {
		return fmt.Errorf("%d roots undelivered after a stop", e.s.res.Undelivered)
	}
	e.errs = nil
	for id, rows := range e.at {
		may := map[tuple]bool{}
		for _, f := range rows {
			may[f.tuple] = true
		}
		for _, r := range e.s.sinks[id].Rows {
			if !may[tupleOf(r)] {
				e.errs = append(e.errs, fmt.Errorf("%s got %v, which nothing makes", e.s.plan.Nodes[id].Name, tupleOf(r)))
			}
		}
	}
	e.order()
	return errors.Join(e.errs...)
}

// checkCommit checks that every root at or below a committed position, but for the holes, is settled: taken by each sink
// that it reaches without passing state, and synced there, or a synced dead letter.
func (s *scenario) checkCommit(m task.Manifest) []error {
	if s.plan.Profile == plan.P0 {
		return nil
	}
	var errs []error
	buried := map[letter]bool{}
	if s.dead != nil {
		for _, r := range s.dead.Rows[:s.dead.Synced] {
			buried[letter{r[2].Str(), tupleOfJSON(r[0].Str())}] = true
		}
	}
	taken := map[int]map[tuple]bool{}
	for id, k := range s.sinks {
		if k == s.dead {
			continue
		}
		taken[id] = map[tuple]bool{}
		for _, r := range k.Rows[:k.Synced] {
			taken[id][tupleOf(r)] = true
		}
	}
	var settled func(n *plan.Node, t tuple) error
	settled = func(from *plan.Node, t tuple) error {
		for _, edge := range s.plan.Edges {
			if edge.From != from.ID || edge.Optional {
				continue
			}
			n := s.plan.Nodes[edge.To]
			if buried[letter{n.Name, t}] {
				continue
			}
			if s.sinks[n.ID] != nil {
				if !taken[n.ID][t] {
					return fmt.Errorf("%s has not got it", n.Name)
				}
				continue
			}
			o := s.ops[n.ID]
			switch {
			case o.kind == opState || o.kind == opWhole || o.kind == opCombine:
			case o.kind == opFilter && t.id%o.mod == o.rest:
			case o.kind == opPoison && t.id%o.mod == o.rest:
				return fmt.Errorf("%s made no dead letter of it", n.Name)
			case o.kind == opFlat:
				for k := range o.copies() {
					if err := settled(n, tuple{t.id, t.key, t.cp*4 + k}); err != nil {
						return err
					}
				}
			default:
				if err := settled(n, t); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, mark := range m.Marks {
		i := slices.IndexFunc(s.plan.Nodes, func(n *plan.Node) bool { return n.Name == mark.Source })
		if s.plan.Nodes[i].Level == plan.AtMostOnce {
			continue
		}
		hole := map[int64]bool{}
		for _, h := range mark.Mark.Holes {
			for _, r := range h.Rows {
				hole[h.Pos+int64(r)] = true
			}
		}
		for pos, r := range s.srcs[i].Parts[mark.Part][:mark.Mark.Upto] {
			if hole[int64(pos)] || r == nil {
				continue
			}
			if err := settled(s.plan.Nodes[i], tupleOf(r)); err != nil {
				errs = append(errs, fmt.Errorf("commit %d passed row %v of %s: %w", m.N, tupleOf(r), mark.Source, err))
			}
		}
	}
	return errs
}

func tupleOfJSON(text string) tuple {
	var in struct{ ID, Key, Copy int64 }
	_ = json.Unmarshal([]byte(text), &in) // dead letters of raw input have none of the fields
	return tuple{in.ID, in.Key, in.Copy}
}
