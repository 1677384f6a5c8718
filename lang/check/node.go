package check

import (
	"fmt"
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// A vertex is typed when all links into it are: what it takes, what it gives, and whether the one fits the other. A
// record that is not known, since its origin was told, is nil, and nothing is said about what it meets.

// typeVertex finds out what v takes and gives.
func (g *graph) typeVertex(v *vertex) {
	v.bounded = g.isBounded(v)
	switch v.Kind {
	case SourceNode:
		g.typeSource(v)
	case SinkNode:
		g.typeSink(v)
	case ChannelNode:
		v.In = g.common(v)
		v.Outs = []Out{{Type: v.In, At: v.At}}
	case BoltNode:
		g.typeBolt(v)
	case WhereNode, SelectNode, FlatNode, RouteNode, AggregateNode, TopNode:
		if v.In = g.common(v); v.In == nil {
			g.markUsed(v.step)
			v.unknownStep()
		} else {
			g.typeStep(v)
		}
	case DedupNode, LimitNode, SampleNode, JoinNode, 0: // told
	default:
		bug.Panicf("check: unknown node kind %d", v.Kind)
	}
	g.checkGroupings(v)
	g.keysShared(v)
	g.resolveOutputs(v)
	g.checkTimes(v)
}

// unknownStep gives an inline step outputs of which nothing is known.
func (v *vertex) unknownStep() {
	v.Outs = []Out{{At: v.At}}
	if s, ok := v.step.(*ast.RouteStep); ok {
		v.Outs = make([]Out, len(s.Cases))
	}
}

// isBounded reports whether what reaches v ends.
func (g *graph) isBounded(v *vertex) bool {
	if v.Kind == SourceNode {
		return v.has("bounded") || v.broken
	}
	for _, l := range v.in {
		if !l.from.bounded {
			return false
		}
	}
	return true
}

// resolveOutputs finds the output that each link out of v leaves from.
func (g *graph) resolveOutputs(v *vertex) {
	for _, l := range v.out {
		switch {
		case v.Kind == RouteNode:
			l.out = l.caseNo
		case l.output == nil:
			if len(v.Outs) > 0 && v.Outs[0].Name == "" {
				l.out = 0
			} else if !v.broken {
				g.noMainOutput(v, l)
			}
		default:
			for i := range v.Outs {
				if v.Outs[i].Name == l.output.Name {
					l.out = i
				}
			}
			if l.out < 0 && l.output.Name != "" && !v.unknownOuts() {
				g.noOutput(v, l)
			}
		}
	}
}

// unknownOuts reports whether a fault that was told hides which outputs v has.
func (v *vertex) unknownOuts() bool {
	return v.broken && (v.Kind != BoltNode || v.Bolt == nil || v.Bolt.In == nil || v.Bolt.lostOuts)
}

func (g *graph) noMainOutput(v *vertex, l *link) {
	if v.Kind == SinkNode {
		g.errorf(diag.SinkGoesOn, l.at, "nothing flows out of `%s`, which is a sink", v.said()).
			label("behind a sink").
			related(v.At, "`%s` ends the flow here", v.said()).
			note("To send rows to several places, fan out before it: `-> { %s, … }`.", v.said())
		return
	}
	r := g.errorf(diag.NoMainOutput, l.at, "`%s` has no main output for this arrow", v.said()).label("nothing arrives here")
	if v.Bolt != nil {
		r.related(v.Bolt.Decl.Name.Span(), "the bolt is declared without one")
	}
	if names := outNames(v); len(names) > 0 {
		r.note("It gives %s; begin a flow with one of them.", quoteAll(withPrefix(v.Name+".", names)))
	} else {
		r.note("Give the bolt an output: `-> (field: type)` behind its input.")
	}
}

func (g *graph) noOutput(v *vertex, l *link) {
	r := g.errorf(diag.UnknownOutput, l.output.Span(), "`%s` has no output `%s`", v.said(), l.output.Name).label("no such output")
	names := outNames(v)
	r.suggest(l.output.Span(), l.output.Name, names, "It has")
	if near, ok := diag.Nearest(l.output.Name, names); ok {
		for i := range v.Outs {
			if v.Outs[i].Name == near {
				l.out = i
			}
		}
		return
	}
	switch {
	case l.output.Name == "errors" && v.Kind == BoltNode:
		r.note("A bolt gives `.errors` when it says `errors emit` behind its outputs.")
	case l.output.Name == "errors" && v.item != nil:
		r.note("A %s gives `.errors` when it says `errors emit` behind its call.", v.item.Kind.Word)
	}
	v.supposed = v.supposed || len(names) > 0
}

func outNames(v *vertex) []string {
	var names []string
	for _, o := range v.Outs {
		if o.Name != "" {
			names = append(names, o.Name)
		}
	}
	return names
}

// errorRecord is what `.errors` says about a failure.
func errorRecord() *types.Record {
	return &types.Record{Fields: []types.Field{
		{Name: "code", Type: types.String}, {Name: "message", Type: types.String}, {Name: "place", Type: types.String},
	}}
}

// DeadLetter returns the record that the sink of `dead_letters` takes; `input` is JSON text.
func DeadLetter() *types.Record {
	return &types.Record{Fields: []types.Field{
		{Name: "input", Type: types.String}, {Name: "error", Type: errorRecord()}, {Name: "node", Type: types.String},
		{Name: "attempts", Type: types.Int}, {Name: "source", Type: types.String}, {Name: "position", Type: types.Int},
	}}
}

func (g *graph) typeSource(v *vertex) {
	var main *types.Record
	if v.Sig != nil && !v.undecoded {
		main, _ = v.Sig.Result.(*types.Record)
	}
	v.Outs = []Out{{Type: main, At: v.At}}
	if v.Errors == "emit" {
		v.Outs = append(v.Outs, Out{Name: "errors", At: v.item.Errors.Span(), Type: &types.Record{Fields: []types.Field{
			{Name: "raw", Type: types.Bytes}, {Name: "error", Type: errorRecord()},
		}}})
	}
}

// typeSink gives a sink all fields that reach it: each row is encoded as it is, and a field that not every row has is
// optional. What is computed for each row reads the fields that all have.
func (g *graph) typeSink(v *vertex) {
	if v.isDead {
		g.typeDead(v)
		return
	}
	whole := true
	var u union
	for _, l := range v.in {
		out := l.outType()
		if out == nil || out.Type == nil {
			whole = false
			continue
		}
		if v.Sig != nil {
			g.takes(v, l)
		}
		g.unite(&u, v, l, out)
	}
	if whole && u.inputs > 0 {
		v.In = u.record()
	}
	if v.Errors == "emit" {
		v.Outs = []Out{errorsOut(v)}
	}
	g.eachArgs(v, v.Sig != nil && whole && u.inputs > 0, u.shared())
}

// typeDead gives the sink of dead letters their record. It takes no other rows, which would not have these fields.
func (g *graph) typeDead(v *vertex) {
	for _, l := range v.in {
		g.errorf(diag.DeadLettersShared, l.at, "`%s` takes the dead letters, and no other rows", v.Name).
			label("other rows").
			related(g.deadName.Span(), "takes the dead letters").
			note("Give these rows a sink of their own.")
	}
	v.In = DeadLetter()
	dead := &link{from: &vertex{Node: &Node{Name: "dead_letters", Outs: []Out{{Type: v.In, At: g.deadName.Span()}}}}, at: g.deadName.Span()}
	if v.Sig != nil {
		g.takes(v, dead)
	}
	if v.Errors == "emit" {
		v.Outs = []Out{errorsOut(v)}
	}
	g.eachArgs(v, v.Sig != nil, v.In)
}

// errorsOut is the output of a sink that says `errors emit`.
func errorsOut(v *vertex) Out {
	out := Out{Name: "errors", At: v.item.Errors.Span()}
	if v.In != nil {
		out.Type = &types.Record{Fields: []types.Field{{Name: "input", Type: v.In}, {Name: "error", Type: errorRecord()}}}
	}
	return out
}

// eachArgs checks the arguments that are computed for each row; known says that the rows are.
func (g *graph) eachArgs(v *vertex, known bool, rows *types.Record) {
	args := v.Args
	sig := v.Sig
	for range 2 {
		for i := range args {
			switch a := &args[i]; {
			case !a.Each || a.Value == nil:
			case known:
				sc := g.edgeScope(rows)
				sc.body.what = "`" + sig.FullName() + "`"
				g.exprFor(sc, a.Value, argExpect(sig, a.Param))
				g.endBody(sc)
				v.CanFail = v.CanFail || sc.body.canFail
			default:
				g.markUsed(a.Value)
			}
		}
		if v.Codec == nil {
			return
		}
		args, sig = v.Codec.Args, v.Codec.Sig
	}
}

// union is the fields of all records that reach a sink, in order of appearance.
type union struct {
	inputs int
	fields []types.Field
	seen   []int // inputs that have the field
	first  []source.Span
	from   []string
	index  map[string]int
	name   string
}

func (g *graph) unite(u *union, v *vertex, l *link, out *Out) {
	u.inputs++
	if u.index == nil {
		u.index = map[string]int{}
		u.name = out.Type.Name
	}
	for _, f := range out.Type.Fields {
		i, ok := u.index[f.Name]
		if !ok {
			u.index[f.Name] = len(u.fields)
			u.fields = append(u.fields, f)
			u.seen = append(u.seen, 1)
			u.first = append(u.first, l.at)
			u.from = append(u.from, l.from.said())
			continue
		}
		u.seen[i]++
		have := u.fields[i].Type
		if types.Equal(have, f.Type) {
			continue
		}
		if types.Equal(types.Bare(have), types.Bare(f.Type)) {
			u.fields[i].Type = types.Opt(have)
			continue
		}
		if types.IsInvalid(have) || types.IsInvalid(f.Type) {
			continue
		}
		g.errorf(diag.MixedField, l.at, "the rows of `%s` differ in the type of `%s`: `%s` here and `%s` from `%s`",
			v.said(), f.Name, f.Type, have, u.from[i]).
			label("gives `%s: %s`", f.Name, f.Type).
			related(u.first[i], "gives `%s: %s`", f.Name, have).
			note("Give the rows a sink each, or make the field alike with a `select` before it.")
	}
}

// record returns the united record.
func (u *union) record() *types.Record {
	r := &types.Record{Fields: make([]types.Field, len(u.fields))}
	same := true
	for i, f := range u.fields {
		if u.seen[i] < u.inputs {
			f.Type, same = types.Opt(f.Type), false
		}
		r.Fields[i] = f
	}
	if same && u.inputs == 1 {
		r.Name = u.name
	}
	return r
}

// shared returns the fields that every record has.
func (u *union) shared() *types.Record {
	r := &types.Record{}
	for i, f := range u.fields {
		if u.seen[i] == u.inputs {
			r.Fields = append(r.Fields, f)
		}
	}
	return r
}

// common returns the fields of equal type that all links into v carry, or nil if that is not known.
func (g *graph) common(v *vertex) *types.Record {
	var common *types.Record
	for _, l := range v.in {
		out := l.outType()
		switch {
		case out == nil || out.Type == nil:
			return nil
		case common == nil:
			common = out.Type
		case common != out.Type:
			common = types.Common(common, out.Type)
		}
	}
	if common == nil || len(common.Fields) > 0 || len(v.in) < 2 {
		return common
	}
	r := g.errorf(diag.NothingShared, v.At, "the rows that reach `%s` have no field in common", v.said()).label("nothing to read")
	for _, l := range v.in[:min(len(v.in), 4)] {
		r.related(l.at, "`%s` gives `%s`", l.from.said(), l.outType().Type.Shape())
	}
	r.note("A field is shared if all have it with the same type.")
	return nil
}

// typeBolt checks that what reaches a bolt has what it declares.
func (g *graph) typeBolt(v *vertex) {
	if v.Bolt == nil || v.Bolt.In == nil {
		return
	}
	v.In, v.Outs, v.Keys, v.CanFail = v.Bolt.In, v.Bolt.Outs, v.Bolt.Keys, v.Bolt.CanFail
	for _, l := range v.in {
		if out := l.outType(); out != nil && out.Type != nil {
			g.narrow(v, l, out)
		}
	}
	if w := v.Bolt.Decl.Window; w != nil && w.Kind == "whole" {
		if r := g.needsEnd(v, v.At, "`window whole` of `"+v.said()+"`"); r != nil {
			r.related(w.Span(), "the window is declared here")
		}
	}
}

// narrow checks the rows of one link against a bolt's declared input.
func (g *graph) narrow(v *vertex, l *link, out *Out) {
	if out.Type == v.In || types.Assignable(out.Type, v.In) {
		return
	}
	var missing []types.Field
	for _, f := range v.In.Fields {
		i := out.Type.Index(f.Name)
		if i < 0 {
			missing = append(missing, f)
			continue
		}
		if got := out.Type.Fields[i].Type; !types.Equal(got, f.Type) && !types.IsInvalid(got) && !types.IsInvalid(f.Type) {
			g.errorf(diag.FieldMismatch, l.at, "`%s` wants `%s: %s`, and `%s` gives `%s: %s`",
				v.said(), f.Name, f.Type, outText(l), f.Name, got).
				label("`%s` is `%s` here", f.Name, got).
				related(inputField(v.Bolt.Decl, f.Name), "wanted as `%s`", f.Type).
				related(out.At, "what `%s` gives", outText(l)).
				note("%s", g.alike(v, f, got))
		}
	}
	if len(missing) == 0 {
		return
	}
	var names []string
	for _, f := range missing {
		if g.lostFields[f.Name] != nil {
			return // told where the bolt before was to give it
		}
		names = append(names, f.Name)
	}
	if v.lacks == quoteAll(names) {
		v.lacking.andHere(l.at)
		return
	}
	r := g.errorf(diag.FieldMissing, l.at, "`%s` wants %s, which `%s` does not give", v.said(), quoteAll(names), outText(l)).
		label("gets `%s`", out.Type.Shape()).
		related(inputField(v.Bolt.Decl, names[0]), "wanted as `%s`", missing[0].Type).
		related(out.At, "what `%s` gives", outText(l))
	v.lacks, v.lacking = quoteAll(names), r
	var given []string
	for _, f := range out.Type.Fields {
		if v.In.Index(f.Name) < 0 {
			given = append(given, f.Name)
		}
	}
	if near, ok := diag.Nearest(names[0], given); ok && len(names) == 1 {
		r.note("Is it `%s`? Rename it on the way: `-> select (..tuple, %s: %s) -> %s`.", near, names[0], near, v.said())
		return
	}
	r.note("Add it on the way: `-> select (..tuple, %s: …) -> %s`.", names[0], v.said())
}

// alike says how a field of another type becomes what a bolt wants.
func (g *graph) alike(v *vertex, f types.Field, got types.Type) string {
	want := f.Type
	convert := ""
	switch {
	case types.Equal(types.Bare(want), got):
		return fmt.Sprintf("It is never none here: declare it in `%s` as it comes, `%s: %s`.", v.said(), f.Name, got)
	case types.Equal(want, types.Bare(got)):
		convert = f.Name + " else …"
	case want == types.Float && got == types.Int:
		convert = "float(" + f.Name + ")"
	case want == types.String:
		convert = "string(" + f.Name + ")"
	case got == types.String && (want == types.Int || want == types.Float || want == types.Bool):
		convert = fmt.Sprintf("%s(%s) else …", want, f.Name)
	default:
		convert = "…"
	}
	return fmt.Sprintf("Convert it on the way: `-> select (..tuple, %s: %s) -> %s`.", f.Name, convert, v.said())
}

// outText returns an output as programs write it.
func outText(l *link) string {
	if l.output != nil {
		return l.from.said() + "." + l.output.Name
	}
	return l.from.said()
}

// inputField returns where a bolt's input declares a field; of an input that is a type's name, that name.
func inputField(d *ast.BoltDecl, name string) source.Span {
	if rec, ok := d.Input.(*ast.RecordType); ok {
		for _, f := range rec.Fields {
			if f.Name.Name == name {
				return f.Span()
			}
		}
	}
	return d.Input.Span()
}

// needsEnd tells a window over all rows where they never end.
func (g *graph) needsEnd(v *vertex, at source.Span, what string) *report {
	if v.bounded {
		return nil
	}
	src := g.endless(v)
	if src == nil {
		return nil
	}
	r := g.errorf(diag.EndlessInput, at, "%s waits for the end of its input, and `%s` has none", what, src.Name).
		label("would never give a row").
		related(src.At, "`%s` goes on for ever", src.Name)
	if src.Sig != nil {
		for _, t := range src.Sig.Traits {
			if t.Name == "bounded" && t.When != "" {
				r.note("With `%s` the source ends: `%s(%s: 1_000)`.", t.When, src.Sig.FullName(), t.When)
			}
		}
	}
	return r
}

// endless returns a source upstream of v that does not end.
func (g *graph) endless(v *vertex) *vertex {
	for v.Kind != SourceNode {
		var next *vertex
		for _, l := range v.in {
			if !l.from.bounded {
				next = l.from
				break
			}
		}
		if next == nil {
			return nil
		}
		v = next
	}
	if v.broken {
		return nil
	}
	return v
}

// checkTimes tells a written parallelism that v cannot have.
func (g *graph) checkTimes(v *vertex) {
	if v.TimesExpr == nil || v.Times == 1 || v.broken {
		return
	}
	why := ""
	switch {
	case v.Kind == BoltNode && v.Bolt.Global:
		why = "`global` keeps all rows in one place"
	case v.Kind == BoltNode && v.Bolt.Decl.Window != nil && len(v.Keys) == 0:
		why = "a window without `by` keeps all rows in one place"
	case v.Kind == SinkNode && !v.has("partitioned"):
		why = fmt.Sprintf("`%s` has one writer", v.Sig.FullName())
	default:
		return
	}
	at := v.TimesExpr.Span()
	g.errorf(diag.OneTask, at, "`%s` runs in one task: %s", v.said(), why).
		label("cannot be shared out").
		fix("leave the number out", replace(timesWithStar(at), ""))
}

// timesWithStar widens the span of a number of tasks by the star before it.
func timesWithStar(at source.Span) source.Span {
	text := at.File.Text()[:at.Start]
	cut := strings.TrimRight(text, " \t")
	if strings.HasSuffix(cut, "*") {
		at.Start = len(strings.TrimRight(cut[:len(cut)-1], " \t"))
	}
	return at
}
