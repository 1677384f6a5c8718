package check

import (
	"maps"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/types"
)

// Narrowing by flow. At each point of a body a set of facts is known: paths (`country`, `o.country`) of optional type
// that hold a value here. Conditions give facts to what they guard, assignments set or take them, and where flows meet
// only the facts of all of them stay.
//
// The set is one map with a trail of its changes. A branch starts with a mark and ends by take, which undoes what it
// did and returns its changes; so the cost of a branch is its own changes, however much is known around it.
// A loop's body may run again after its own assignments: what it assigns is forgotten before it starts. What is known
// then holds in front of each round, and so behind the loop too, whether it ran or not, and whatever left it.

// factKey is a variable, or a path of fields behind it ("" or ".a.b").
type factKey struct {
	obj  *Object
	path string
}

// change is a change of the set: what became of a fact, or what it was.
type change struct {
	key   factKey
	known bool
}

// facts is the set at the point in hand. Invariant: paths lists each key that known has ever had.
type facts struct {
	known map[factKey]bool
	paths map[*Object][]string
	trail []change // what the facts were before each change
}

func (f *facts) set(k factKey, known bool) {
	old, seen := f.known[k]
	if old == known {
		return
	}
	if f.known == nil {
		f.known, f.paths = map[factKey]bool{}, map[*Object][]string{}
	}
	if !seen {
		f.paths[k.obj] = append(f.paths[k.obj], k.path)
	}
	f.known[k] = known
	f.trail = append(f.trail, change{k, old})
}

// learn adds facts.
func (f *facts) learn(keys []factKey) {
	for _, k := range keys {
		f.set(k, true)
	}
}

// forget takes every fact about a variable, as an assignment does.
func (f *facts) forget(obj *Object) {
	for _, path := range f.paths[obj] {
		f.set(factKey{obj, path}, false)
	}
}

func (f *facts) mark() int { return len(f.trail) }

// take undoes all changes since the mark and returns what they came to.
func (f *facts) take(mark int) map[factKey]bool {
	changes := map[factKey]bool{}
	for i := len(f.trail) - 1; i >= mark; i-- {
		c := f.trail[i]
		if _, later := changes[c.key]; !later {
			changes[c.key] = f.known[c.key]
		}
		f.known[c.key] = c.known
	}
	f.trail = f.trail[:mark]
	return changes
}

// apply makes changes that take returned.
func (f *facts) apply(changes map[factKey]bool) {
	for k, known := range changes {
		f.set(k, known)
	}
}

// meet keeps what two branches, whose changes are given, both know.
func (f *facts) meet(a, b map[factKey]bool) {
	union := maps.Clone(a)
	maps.Copy(union, b)
	for k := range union {
		f.set(k, f.after(a, k) && f.after(b, k))
	}
}

func (f *facts) after(changes map[factKey]bool, k factKey) bool {
	if known, ok := changes[k]; ok {
		return known
	}
	return f.known[k]
}

// pathOf returns the key of an expression that is a variable or fields of one.
func (c *checker) pathOf(e ast.Expr) (factKey, bool) {
	path := ""
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.MemberExpr:
			path = "." + x.Name.Name + path
			e = x.X
		case *ast.NameExpr:
			obj := c.info.Objects[x.Name]
			return factKey{obj, path}, obj != nil && obj.Kind != ObjModule
		default:
			return factKey{}, false
		}
	}
}

// narrowed returns the type that an expression of type t has at this point: without its optionality, if it is known
// to hold a value.
func (c *checker) narrowed(sc *scope, e ast.Expr, t types.Type) types.Type {
	opt, ok := t.(*types.Optional)
	if !ok || len(sc.body.facts.known) == 0 {
		return t
	}
	if k, ok := c.pathOf(e); ok && sc.body.facts.known[k] {
		c.info.Wants[e] = opt.Elem
		return opt.Elem
	}
	return t
}

// holds reports whether the value of an expression that was just checked cannot be none.
func (c *checker) holds(sc *scope, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return c.holds(sc, x.X)
	case *ast.IfExpr:
		return c.holds(sc, x.Then) && c.holds(sc, x.Else)
	case *ast.ElseExpr:
		return x.Value == nil || c.holds(sc, x.Value)
	}
	t := c.info.Types[e]
	if t == nil || !types.IsOptional(t) {
		return true
	}
	k, ok := c.pathOf(e)
	return ok && sc.body.facts.known[k]
}

// condition checks a condition and returns the facts that hold where it is true, and where it is false. Only `&&`, `!`
// and comparisons with a value or none tell something; `||` does not.
func (c *checker) condition(sc *scope, e ast.Expr) (yes, no []factKey) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		yes, no = c.condition(sc, x.X)
		c.setType(e, c.info.Types[x.X])
		c.copyConst(e, x.X)
		return yes, no
	case *ast.UnaryExpr:
		if x.Op == "!" {
			no, yes = c.condition(sc, x.X)
			c.unaryType(sc, x, c.info.Types[x.X])
			return yes, no
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case "&&", "||":
			return c.logical(sc, x), nil
		case "==", "!=":
			c.exprFor(sc, e, expect{t: types.Bool})
			return c.comparisonFacts(x)
		}
	}
	c.exprFor(sc, e, expect{t: types.Bool, of: "a condition"})
	return nil, nil
}

// comparisonFacts returns what `==` or `!=` tells about a path on one side: that it holds a value, if the other side
// always does, or is none.
func (c *checker) comparisonFacts(x *ast.BinaryExpr) (yes, no []factKey) {
	side := func(e, other ast.Expr) {
		if k, ok := c.elseFact(e, other); ok {
			if x.Op == "==" {
				no = append(no, k)
			} else {
				yes = append(yes, k)
			}
			return
		}
		t := c.info.Types[e]
		o := c.info.Types[other]
		if t == nil || o == nil || !types.IsOptional(t) || t == types.None {
			return
		}
		k, ok := c.pathOf(e)
		switch {
		case !ok:
		case o == types.Invalid: // it was told; what the comparison was to say is not known
			yes, no = append(yes, k), append(no, k)
		case o == types.None && x.Op == "!=", !types.IsOptional(o) && o != types.Invalid && x.Op == "==":
			yes = append(yes, k)
		case o == types.None && x.Op == "==", !types.IsOptional(o) && o != types.Invalid && x.Op == "!=":
			no = append(no, k)
		}
	}
	side(x.X, x.Y)
	side(x.Y, x.X)
	return yes, no
}

// cond checks a condition whose facts guard nothing.
func (c *checker) cond(sc *scope, e ast.Expr) { c.condition(sc, e) }
