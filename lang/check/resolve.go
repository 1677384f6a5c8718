package check

import (
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// Declarations may stand in any order, so each is resolved when it is first mentioned, or at the latest in its turn.
// A declaration that is reached again while it is being resolved is part of a circle, which is told once, with its
// path, and ends in poison.

// resolveState says how far a declaration is.
type resolveState uint8

const (
	unresolved resolveState = iota
	resolving
	resolved
)

// resolve finds out an object's type; id is where it is mentioned, or nil.
func (c *checker) resolve(obj *Object, id *ast.Ident) {
	switch obj.state {
	case resolved:
		return
	case resolving:
		c.circle(obj, id)
		return
	}
	obj.state = resolving
	c.open = append(c.open, obj)
	outer := c.unit
	c.unit = obj.unit
	c.resolveDecl(obj)
	c.unit = outer
	c.open = c.open[:len(c.open)-1]
	obj.state = resolved
	if obj.Type == nil {
		obj.Type = types.Invalid
	}
}

func (c *checker) resolveDecl(obj *Object) {
	switch d := obj.Decl.(type) {
	case *ast.TypeDecl:
		c.resolveType(obj, d)
	case *ast.LetDecl:
		c.resolveLet(obj, d)
	case *ast.ParamDecl:
		c.resolveParam(obj, d)
	case *ast.FnDecl:
		c.resolveFn(obj, d)
	case *ast.BoltDecl:
		c.resolveBolt(obj, d)
	case *ast.TableDecl:
		c.notYet(keyword(d.Span(), "table"), "a table")
		c.markUsed(d)
	case *ast.PipelineDecl, *ast.Use:
	default:
		bug.Panicf("check: declaration %T", d)
	}
}

// circle tells that a declaration needs itself, with the path of names, once.
func (c *checker) circle(obj *Object, id *ast.Ident) {
	obj.Type = types.Invalid
	if id == nil {
		return
	}
	from := 0
	for i, o := range c.open {
		if o == obj {
			from = i
		}
	}
	code, what := diag.RecursiveConstant, "the value of `%s` needs itself: `%s`"
	if obj.Kind == ObjType {
		code, what = diag.RecursiveType, "the type `%s` contains itself: `%s`"
	}
	var path []string
	for _, o := range c.open[from:] {
		path = append(path, o.Name)
	}
	r := c.errorf(code, id.Span(), what, obj.Name, strings.Join(append(path, obj.Name), " -> "))
	for _, o := range c.open[from:] {
		r.related(o.At, "`%s` is declared here", o.Name)
	}
}

// resolveLet finds out the type of a constant of the file.
func (c *checker) resolveLet(obj *Object, d *ast.LetDecl) {
	if c.spoiledHead(d) || c.adrift[d] {
		c.markUsed(d)
		obj.Used = true
		return
	}
	if d.Type != nil {
		if obj.Type = c.typeExpr(d.Type); types.IsInvalid(obj.Type) {
			c.markUsed(d.Value)
			return
		}
		c.constArg(d.Value, expect{t: obj.Type, of: "`" + obj.Name + "`", at: d.Type.Span()})
		return
	}
	sc := c.constScope()
	obj.Type = c.typed(d.Value, c.infer(sc, d.Value, types.Regex))
	c.endBody(sc)
}

// resolveParam finds out the type of a parameter of the command line.
func (c *checker) resolveParam(obj *Object, d *ast.ParamDecl) {
	if c.spoiledHead(d) {
		c.markUsed(d)
		return
	}
	obj.Type = c.typeExpr(d.Param.Type)
	if d.Param.Each {
		c.errorf(diag.LibraryOnly, d.Param.Span(), "only the standard library declares `each` parameters")
	}
	if !obj.unit.main && d.Param.Default == nil {
		c.errorf(diag.MissingArgument, d.Param.Name.Span(), "the parameter `%s` of a file that others use needs a default", obj.Name).
			note("Only parameters of the main file are set on the command line.")
	}
	switch {
	case d.Param.Default == nil:
	case types.IsInvalid(obj.Type):
		c.markUsed(d.Param.Default)
	default:
		c.constArg(d.Param.Default, expect{t: obj.Type, of: "the parameter `" + obj.Name + "`", at: d.Param.Type.Span()})
	}
}

// resolveFn finds out a function's parameters and result; its body comes later, when all signatures are known.
func (c *checker) resolveFn(obj *Object, d *ast.FnDecl) {
	if c.spoiledHead(d) {
		return
	}
	fn := &Fn{Decl: d, Fallible: d.Fallible}
	c.info.Fns[d] = fn
	fn.Params = c.paramObjects(d.Params, ObjLocal)
	for i, p := range fn.Params {
		p.Index = i
		fn.Locals = append(fn.Locals, p.Type)
	}
	fn.Result = c.typeExpr(d.Result)
	obj.Type = fn.Result
	if d.Body == nil && d.Value == nil && !c.spoiledNear(d.Span()) {
		c.errorf(diag.LibraryOnly, d.Name.Span(), "only the standard library declares functions without a body")
	}
}

// paramObjects makes objects of the parameters of a function or of a bolt's `with`. Their defaults are constants.
func (c *checker) paramObjects(params []*ast.Param, kind ObjectKind) []*Object {
	var objs []*Object
	first := map[string]*Object{}
	for i, p := range params {
		obj := &Object{
			Kind: kind, Name: p.Name.Name, Type: c.typeExpr(p.Type), Decl: p, At: p.Name.Span(), Value: p.Default,
			Index: i, File: c.unit.file, Used: kind == ObjLocal,
		}
		c.info.Objects[p.Name] = obj
		objs = append(objs, obj)
		if p.Each {
			c.errorf(diag.LibraryOnly, p.Span(), "only the standard library declares `each` parameters")
		}
		if p.Default != nil {
			c.constArg(p.Default, expect{t: obj.Type, of: "the parameter `" + obj.Name + "`", at: p.Type.Span()})
		}
		if other := first[obj.Name]; other != nil && obj.Name != "" {
			c.errorf(diag.DuplicateName, obj.At, "the parameter `%s` is declared twice", obj.Name).
				label("again here").related(other.At, "first here")
			obj.Used = true
			continue
		}
		first[obj.Name] = obj
	}
	return objs
}

// paramsOf returns the parameters of a function or bolt for matching arguments.
func paramsOf(objs []*Object) []param {
	params := make([]param, len(objs))
	for i, o := range objs {
		params[i] = param{name: o.Name, t: o.Type, required: o.Value == nil && !types.IsOptional(o.Type), at: o.At}
	}
	return params
}
