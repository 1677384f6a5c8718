package check

import (
	"fmt"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// library returns whether a dotted name behind an arrow, or behind `bolt name =`, means something of the standard
// library: a member of a module of it, imported or not; where it is called, also of a module that does not exist.
func (g *graph) library(ref *ast.Ref, called bool) bool {
	first := ref.Parts[0]
	if len(ref.Parts) != 2 || first.Name == "" {
		return false
	}
	if obj := g.lookupFront(ref); obj != nil {
		return obj.Kind == ObjModule && obj.module != nil && obj.module.lib != nil
	}
	return g.named[first.Name] == nil && (called || g.cat.Modules[first.Name] != nil)
}

// connectorItem reads the value of a `source`, `channel` or `sink`.
func (g *graph) connectorItem(v *vertex) {
	item := v.item
	kind := item.Kind.Word
	if item.Errors != nil {
		v.Errors = item.Errors.Value
	}
	switch value := item.Value.(type) {
	case *ast.BadExpr:
		v.broken = true
	case *ast.CallExpr:
		if g.laterConnector(v, value.Fun, value.Args) {
			return
		}
		v.Sig = g.libSig(value.Fun, kind)
		g.connector(v, value.Fun.Span(), value.Args)
	case *ast.NameExpr, *ast.MemberExpr:
		if g.laterConnector(v, value, nil) {
			return
		}
		if v.Sig = g.libSig(value, kind); v.Sig == nil {
			v.broken = true
			return
		}
		g.notCalled(v.Sig, value.Span())
		v.Sig, v.broken = nil, true
	default:
		g.errorf(diag.NotAConnector, value.Span(), "a %s is the call of a connector, not %s", kind, exprKind(value)).
			label("not a call").
			note("Write `%s %s = %s`.", kind, v.Name, connectorExample(kind))
		v.broken = true
	}
}

func connectorExample(kind string) string {
	switch kind {
	case "source":
		return `file.lines("in.txt")`
	case "channel":
		return "memory()"
	}
	return `file.write("out.ndjson", encode: json)`
}

// notCalled tells that the parentheses are missing.
func (g *graph) notCalled(sig *catalog.Sig, at source.Span) {
	if g.toldIn(at) {
		return // of a parenthesis, most likely
	}
	g.errorf(diag.NotCalled, at, "`%s` is a connector and wants parentheses", sig.FullName()).
		label("not called").
		related(declaredAt(sig), "declared here").
		fix("call it", behind(at, "()"))
}

func declaredAt(sig *catalog.Sig) source.Span {
	if sig.Decl == nil || sig.Decl.Name == nil {
		return source.Span{}
	}
	return sig.Decl.Name.Span()
}

// laterConnector tells the kinds of nodes that cannot be run yet, and takes what they name for used.
func (g *graph) laterConnector(v *vertex, fun ast.Expr, args []*ast.Item) bool {
	name := fun.Span().Text()
	what := ""
	switch {
	case v.Kind == SinkNode && (name == "failover" || name == "balance"):
		what = "a sink group"
		for _, a := range args {
			if n, ok := a.Value.(*ast.NameExpr); ok {
				g.grouped = append(g.grouped, n.Name)
			}
		}
	case v.Kind == ChannelNode && (name == "file" || name == "spill"):
		if m := g.cat.Modules[""]; m != nil && m.Channels[name] != nil {
			return false
		}
		what = "a channel `" + name + "`"
	default:
		return false
	}
	g.notYet(fun.Span(), what)
	g.markUsed(v.item.Value)
	v.broken = true
	return true
}

// connectorStep reads a connector behind an arrow: an unnamed sink.
func (g *graph) connectorStep(v *vertex, call *ast.CallStep) {
	v.Kind = SinkNode
	at := call.Ref.Span()
	v.Sig = g.libSig(refExpr(call.Ref), "sink")
	if v.Sig != nil && !call.Call {
		g.notCalled(v.Sig, at)
		v.Sig, v.broken = nil, true
		return
	}
	g.connector(v, at, call.Args)
}

// refExpr returns a dotted name as an expression.
func refExpr(ref *ast.Ref) ast.Expr {
	var e ast.Expr
	for i, p := range ref.Parts {
		if i == 0 {
			e = &ast.NameExpr{Base: ast.Base{At: p.Span()}, Name: p}
			continue
		}
		e = &ast.MemberExpr{Base: ast.Base{At: ref.Parts[0].Span().To(p.Span())}, X: e, Name: p}
	}
	return e
}

// connector checks the arguments of v's connector, but for those that are computed for each row: what reaches v is not
// known yet.
func (g *graph) connector(v *vertex, at source.Span, items []*ast.Item) {
	if v.Sig == nil {
		g.haze(moduleNames)
		for _, item := range items {
			g.markUsed(item)
		}
		v.broken = true
		return
	}
	args, ok := g.sigArgs(v.Sig, at, items)
	v.Args = args
	if !ok {
		v.broken = true
	}
	for i := range v.Args {
		a := &v.Args[i]
		switch {
		case a.Value == nil:
		case isCodec(a.Param.Type):
			g.codec(v, a, items)
		case !a.Each:
			t := g.constArg(a.Value, argExpect(v.Sig, a.Param))
			if val, known := g.constValue(a.Value); known && !types.IsInvalid(t) {
				if d, bad := BadArg(a, val); bad {
					g.add(d)
				}
			}
		}
	}
	for _, t := range v.Sig.Traits {
		if v.Sig.Has(t.Name, v.isSet) {
			v.Traits = append(v.Traits, t.Name)
		}
	}
	if v.has("planned") {
		g.notYet(at, "`"+v.Sig.FullName()+"`")
	}
	g.connectorClauses(v)
}

// sigArgs puts the arguments of a connector or codec in the order of its parameters.
func (g *graph) sigArgs(sig *catalog.Sig, at source.Span, items []*ast.Item) ([]Arg, bool) {
	params := make([]param, 0, len(sig.Params))
	for i := range sig.Params {
		p := &sig.Params[i]
		params = append(params, param{name: p.Name, t: p.Type, required: p.Required, each: p.Each, at: p.At, lib: p})
	}
	values, ok := g.matchArgs(at, "`"+sig.FullName()+"`", items, params)
	args := make([]Arg, len(sig.Params))
	for i := range sig.Params {
		p := &sig.Params[i]
		args[i] = Arg{Param: p, Name: p.Name, Each: p.Each}
		if i < len(values) {
			args[i].Value = values[i]
		}
	}
	return args, ok
}

// argExpect is what a parameter wants of its argument: of an optional one the value itself, since leaving it out is how
// to say none.
func argExpect(sig *catalog.Sig, p *catalog.Param) expect {
	return expect{t: types.Bare(p.Type), of: fmt.Sprintf("the parameter `%s` of `%s`", p.Name, sig.FullName()), at: p.At}
}

func isCodec(t types.Type) bool { return types.Bare(t) == types.Codec }

// codec reads `encode: json` or `decode: json(Order)`.
func (g *graph) codec(v *vertex, a *Arg, written []*ast.Item) {
	if a.Name == "decode" {
		at := a.Value.Span()
		for _, it := range written {
			if it.Name != nil && it.Value == a.Value {
				at = it.Name.Span()
			}
		}
		g.notYet(at, "`decode`")
		g.markUsed(a.Value)
		v.broken, v.undecoded = true, true
		return
	}
	fun, items := a.Value, []*ast.Item(nil)
	if call, ok := a.Value.(*ast.CallExpr); ok {
		fun, items = call.Fun, call.Args
	}
	switch fun.(type) {
	case *ast.NameExpr, *ast.MemberExpr:
	case *ast.BadExpr:
		v.broken = true
		return
	default:
		g.errorf(diag.NotACodec, a.Value.Span(), "`%s` wants a codec, not %s", a.Name, exprKind(a.Value)).
			label("not a codec").
			related(a.Param.At, "the parameter is declared here").
			note("Write the codec's name: `%s: json`.", a.Name)
		v.broken = true
		return
	}
	sig := g.libSig(fun, "codec")
	if sig == nil {
		g.markUsed(a.Value)
		v.broken = true
		return
	}
	args, ok := g.sigArgs(sig, fun.Span(), items)
	if !ok {
		v.broken = true
	}
	v.Codec = &Codec{Sig: sig, Args: args}
	for i := range args {
		if args[i].Value != nil && !args[i].Each {
			g.constArg(args[i].Value, argExpect(sig, args[i].Param))
		}
	}
}

// isSet reports whether the argument of a parameter is written.
func (n *Node) isSet(param string) bool {
	a := n.arg(param)
	return a != nil && a.Value != nil
}

// arg returns the argument of a parameter, or nil if there is no such parameter.
func (n *Node) arg(param string) *Arg {
	for i := range n.Args {
		if n.Args[i].Name == param {
			return &n.Args[i]
		}
	}
	return nil
}

// has reports whether the connector of n promises a trait for this use.
func (n *Node) has(trait string) bool {
	for _, t := range n.Traits {
		if t == trait {
			return true
		}
	}
	return false
}

// connectorClauses checks the words behind the call: a level, `errors`.
func (g *graph) connectorClauses(v *vertex) {
	if v.item == nil {
		return
	}
	if l := v.item.Level; l != nil {
		if v.Kind == SourceNode {
			v.Own, _ = levelOf(l.Word)
		} else {
			g.errorf(diag.ClauseOfSource, l.Span(), "`%s` stands behind sources alone", l.Word).
				label("not behind a %s", v.item.Kind.Word).
				note("A %s keeps what the paths into it promise.", v.item.Kind.Word)
		}
	}
	if e := v.item.Errors; e != nil {
		refuses := v.Kind == SinkNode
		if v.Kind == SourceNode {
			refuses = v.arg("decode") != nil || v.arg("max_line") != nil
		}
		if !refuses {
			g.errorf(diag.NoErrors, e.Span(), "`%s` has no row that fails", v.Sig.FullName()).
				label("does nothing").
				fix("leave it out", replace(withBlank(e.Span()), ""))
			v.Errors = ""
		}
	}
}

// withBlank widens a span by the blanks before it.
func withBlank(at source.Span) source.Span {
	for at.Start > 0 && at.File.Text()[at.Start-1] == ' ' {
		at.Start--
	}
	return at
}

// takes checks that the rows of a link are what the connector and the codec of a sink take.
func (g *graph) takes(v *vertex, l *link) {
	g.fits(v, l, v.Sig, v.Args)
	if v.Codec != nil {
		g.fits(v, l, v.Codec.Sig, v.Codec.Args)
	}
}

// fits checks rows against the `of` of a signature. A parameter that says for each row what is written (a template)
// takes its place.
func (g *graph) fits(v *vertex, l *link, sig *catalog.Sig, args []Arg) {
	of, ok := sig.Of.(*types.Record)
	out := l.outType()
	if !ok || out == nil || out.Type == nil {
		return
	}
	template := ""
	for _, a := range args {
		if a.Each && !a.Param.Required && types.IsString(types.Bare(a.Param.Type)) {
			if a.Value != nil {
				return
			}
			template = a.Name
		}
	}
	if fitsOf(out.Type, of) {
		return
	}
	r := g.errorf(diag.SinkTakes, l.at, "`%s` takes %s, and `%s` gives `%s`", sig.FullName(), ofText(of), l.from.said(), out.Type.Shape()).
		label("gets `%s`", out.Type.Shape()).
		related(out.At, "its rows come from here")
	if len(out.Type.Fields) == 0 {
		return
	}
	if template != "" {
		r.note("Say what is written: `%s(%q)`.", sig.FullName(), templateFor(out.Type))
	}
	r.note("Or keep one field: `-> select (%s) ->`.", out.Type.Fields[0].Name)
}

// fitsOf reports whether rows of type rec are what `of` asks for: its fields of their types, or a single field for a
// single one, whatever its name. A type variable stands for any type.
func fitsOf(rec, of *types.Record) bool {
	fits := func(t, want types.Type) bool {
		_, any := want.(*types.Var)
		return any || types.Equal(t, want)
	}
	if len(rec.Fields) == 1 && len(of.Fields) == 1 {
		return fits(rec.Fields[0].Type, of.Fields[0].Type)
	}
	for _, f := range of.Fields {
		if i := rec.Index(f.Name); i < 0 || !fits(rec.Fields[i].Type, f.Type) {
			return false
		}
	}
	return true
}

func ofText(of *types.Record) string {
	if len(of.Fields) == 1 {
		if _, any := of.Fields[0].Type.(*types.Var); any {
			return fmt.Sprintf("a row of one field, or its field `%s`", of.Fields[0].Name)
		}
		return fmt.Sprintf("a row of one `%s`, or its field `%s`", of.Fields[0].Type, of.Fields[0].Name)
	}
	return "`" + of.Shape() + "`"
}

func templateFor(rec *types.Record) string {
	text := ""
	for i, f := range rec.Fields {
		if i > 0 {
			text += " "
		}
		text += "{" + f.Name + "}"
	}
	return text
}
