package check

import (
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// run checks the program: first the names of all files, then what declarations are, then bodies, then pipelines.
func (c *checker) run() {
	main := c.newUnit(c.program.Files[0], true)
	for _, f := range c.program.Files { // grows no more
		u := c.units[f]
		c.unit = u
		for _, obj := range u.order {
			c.resolve(obj, nil)
		}
	}
	for _, f := range c.program.Files {
		c.unit = c.units[f]
		c.bodies(f)
	}
	c.tellRecursion()
	c.unit = main
	for _, d := range main.file.Decls {
		switch d := d.(type) {
		case *ast.PipelineDecl:
			if p := c.pipeline(d); p != nil {
				c.program.Pipelines = append(c.program.Pipelines, p)
			}
		case *ast.TestDecl:
			c.markUsed(d)
		}
	}
	for _, f := range c.program.Files {
		c.unit = c.units[f]
		c.unused(c.unit)
	}
}

// bodies checks the bodies of a file's functions and bolts.
func (c *checker) bodies(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FnDecl:
			if c.info.Fns[d] == nil { // declared twice, or a guess: its names are still used
				c.markUsed(d)
				continue
			}
			c.fnBody(d, c.info.Fns[d])
		case *ast.BoltDecl:
			if c.info.Bolts[d] == nil {
				c.markUsed(d)
				continue
			}
			c.boltBody(d, c.info.Bolts[d])
		}
	}
}

// boltOf returns what a bolt declaration was checked to be. Its In, or the Type of an output, is nil where that was
// told to be no record.
func (c *checker) boltOf(obj *Object) *Bolt {
	c.resolve(obj, nil)
	d, ok := obj.Decl.(*ast.BoltDecl)
	if !ok {
		return nil
	}
	return c.info.Bolts[d]
}

// resolveBolt finds out what a bolt takes and gives; its body comes later.
func (c *checker) resolveBolt(obj *Object, d *ast.BoltDecl) {
	b := &Bolt{Decl: d, Global: d.Global != nil, Ordered: d.Ordered != nil, Stateful: d.Window != nil}
	c.info.Bolts[d] = b
	obj.Type = types.Invalid
	if c.spoiledHead(d) {
		b.lostOuts = true
		return
	}
	b.In = c.recordOf(d.Input, "a bolt takes")
	b.With = c.paramObjects(d.Params, ObjWith)
	c.outputs(b, d)
	c.clauses(b, d)
	c.ownOutputs(b, d)
}

// recordOf returns a written type that has to be a record, or nil after telling.
func (c *checker) recordOf(t ast.TypeExpr, what string) *types.Record {
	if t == nil {
		return nil
	}
	written := c.typeExpr(t)
	if r, ok := isRecord(written); ok {
		return r
	}
	if !types.IsInvalid(written) {
		c.errorf(diag.NotARecord, t.Span(), "%s a record, found %s", what, aType(written)).label("no record").
			note("A record is written `(name: type, …)`.")
	}
	return nil
}

func (c *checker) outputs(b *Bolt, d *ast.BoltDecl) {
	first := map[string]source.Span{}
	for _, o := range d.Outputs {
		out := Out{Type: c.recordOf(o.Type, "an output is"), At: o.Span()}
		what := "the main output"
		if o.Name != nil {
			out.Name, out.At = o.Name.Name, o.Name.Span()
			what = "the output `" + out.Name + "`"
		}
		switch at, twice := first[out.Name]; {
		case twice:
			c.errorf(diag.DuplicateName, out.At, "%s is declared twice", what).label("again here").related(at, "first here")
			continue
		case out.Name == "late" || out.Name == "errors":
			c.errorf(diag.ReservedOutput, out.At, "the output `%s` is made by a clause", out.Name).
				label("reserved").
				note("`errors emit` makes `.errors`, a window by event time `.late`; give this one another name.")
			b.lostOuts = true
			continue
		}
		first[out.Name] = out.At
		b.Outs = append(b.Outs, out)
	}
	slices.SortStableFunc(b.Outs, func(x, y Out) int { // the main one first
		switch {
		case x.Name == "" && y.Name != "":
			return -1
		case x.Name != "" && y.Name == "":
			return 1
		}
		return 0
	})
}

// clauses checks what stands between a bolt's header and its body.
func (c *checker) clauses(b *Bolt, d *ast.BoltDecl) {
	if d.By != nil && b.In != nil {
		sc := c.edgeScope(b.In)
		b.Keys = c.keys(sc, d.By.Keys)
		b.CanFail = sc.body.canFail
		b.Locals = sc.body.locals // an aggregate's argument may hold a key's value, so the body has slots of its own
	}
	if d.By != nil && d.Global != nil {
		c.errorf(diag.ClauseConflict, d.Global.Span(), "`global` is for bolts without keys").
			related(d.By.Span(), "this gives it keys")
	}
	if d.Window != nil {
		c.window(d.Window)
		if d.By == nil && d.Global == nil {
			c.errorf(diag.KeyNeeded, d.Window.Span(), "a window needs `by` or `global`").
				note("`by key` makes a window for each key, `global` one for all tuples.").
				fix("write `global`", before(d.Window.Span(), "global "))
		}
	}
	if d.Errors != nil {
		b.Errors = d.Errors.Value
		if d.Window != nil && d.Errors.Value == "emit" {
			c.errorf(diag.WindowErrors, d.Errors.Span(), "a window that is full has no single row for `.errors`").
				label("no row to emit").
				related(d.Window.Span(), "the body runs once for all rows of this").
				note("Settle what can fail where it stands, with `else`, or say `errors drop` or `errors fail`.").
				fix("let it fail", replace(d.Errors.Span(), "errors fail"))
		}
	}
	if d.Late != nil {
		b.Late = d.Late.Value
		c.needsEventTime(d.Late, d.Window)
	}
}

// needsEventTime tells a clause `late` where no tuple can be late.
func (c *checker) needsEventTime(late *ast.Policy, w *ast.Window) {
	if late == nil || w != nil && w.On != nil {
		return
	}
	r := c.errorf(diag.ClauseConflict, late.Span(), "`%s` is for windows by event time", late.Span().Text())
	if w == nil {
		r.label("no window here")
		return
	}
	r.label("no tuple is late here").
		related(w.Span(), "this window does not say `on` a time").
		fix("leave it out", replace(withBlanksBefore(late.Span()), ""))
}

// window tells windows that are not run yet: all but `whole`.
func (c *checker) window(w *ast.Window) {
	if runsWhole(w) {
		return
	}
	at := w.Span()
	what := "a " + w.Kind + " window"
	if w.Kind == "whole" {
		what = "event time"
	}
	if line, _, more := strings.Cut(at.Text(), "\n"); more {
		at.End = at.Start + len(line)
	}
	c.notYet(at, what)
	for _, e := range []ast.Expr{w.Size, w.Every, w.Lag, w.Idle} {
		if e != nil {
			c.markUsed(e)
		}
	}
}

// ownOutputs adds the outputs that clauses make: `late` of a window by event time, `errors` of `errors emit`.
func (c *checker) ownOutputs(b *Bolt, d *ast.BoltDecl) {
	if d.Window != nil && (d.Window.On != nil && b.Late != "drop" || b.Late == "emit") {
		b.Outs = append(b.Outs, Out{Name: "late", Type: b.In, At: d.Window.Span()})
	}
	if b.Errors == "emit" {
		b.Outs = append(b.Outs, Out{Name: "errors", Type: errorsRecord(b.In), At: d.Errors.Span()})
	}
}

// errorsRecord is the type of the output `.errors` of what takes in.
func errorsRecord(in *types.Record) *types.Record {
	if in == nil {
		return nil
	}
	return &types.Record{Fields: []types.Field{{Name: "input", Type: in}, {Name: "error", Type: errorType()}}}
}

// keys checks the keys of `by`, of dedup and of edges: computed over the input, and settled where they stand.
func (c *checker) keys(sc *scope, items []*ast.Item) []Key {
	var keys []Key
	first := map[string]*ast.Item{}
	for _, it := range items {
		outer := sc.body.failures
		sc.body.failures = &failures{}
		t := c.typed(it.Value, c.infer(sc, it.Value, nil))
		c.settleHere(sc.body, outer, "a key")
		name := ItemName(it)
		switch {
		case it.Spread:
			c.errorf(diag.Unlabelled, it.Span(), "a key is one value, not all fields of a record")
			continue
		case name == "":
			c.unlabelled(it, t)
			continue
		case first[name] != nil:
			c.errorf(diag.DuplicateField, it.Span(), "the key `%s` stands twice", name).
				label("again here").related(first[name].Span(), "first here")
			continue
		}
		first[name] = it
		keys = append(keys, Key{Name: name, Type: t, Value: it.Value})
	}
	return keys
}

// edgeScope returns the scope of keys and of `each` arguments: the fields of in, parameters and constants. The caller
// ends its body.
func (c *checker) edgeScope(in *types.Record) *scope {
	b := c.newBody(stepBody, "a key")
	b.in = in
	return &scope{body: b, fields: in}
}

// stepBody returns the scope of an inline step over rows of type in; what names the step for messages. A key hides the
// field that it is named after.
func (c *checker) stepBody(what string, in *types.Record, keys []Key) *scope {
	b := c.newBody(stepBody, what)
	b.in = in
	b.rowwise = true
	b.top = c.keyScope(&scope{body: b, fields: in}, keys)
	return b.top
}

// aggregateBody returns the scope of an aggregate step: as stepBody, with the fields in reach inside of aggregates only.
func (c *checker) aggregateBody(what string, in *types.Record, keys []Key) *scope {
	sc := c.stepBody(what, in, keys)
	sc.body.windowed, sc.body.rowwise = true, false
	return sc
}

// keyScope returns a scope with keys.
func (c *checker) keyScope(outer *scope, keys []Key) *scope {
	sc := outer.inner()
	for i, k := range keys {
		at := k.Value.Span()
		sc.set(&Object{Kind: ObjKey, Name: k.Name, Type: k.Type, At: at, Index: i})
	}
	return sc
}
