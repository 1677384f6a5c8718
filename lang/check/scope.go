package check

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/types"
)

// A body sees its names in a chain of scopes, the innermost first: loop names and `let`s, state, parameters of `with`,
// keys, fields of the input, and behind the last scope the file's parameters and constants. A scope makes its map when
// the first name is declared, and the fields of an input become objects when they are first read, so that a scope
// costs nothing by itself.

// scope is one level of names of values.
type scope struct {
	parent *scope
	body   *body
	names  map[string]*Object
	fields *types.Record // of the level of the input's fields
}

// bodyKind says what kind of text a body is.
type bodyKind uint8

const (
	constBody bodyKind = iota + 1 // a constant: no input
	boltBody                      // of a bolt
	stepBody                      // of an inline step, a key, or an `each` argument: an expression over the input
	fnBody                        // of a function
)

// body is what is known of the text in hand while it is checked.
type body struct {
	kind     bodyKind
	what     string        // as messages call it: "the bolt `split`"
	in       *types.Record // or nil
	tuple    *Object       // when it is first read
	windowed bool          // fields are in reach inside aggregates only
	inAgg    bool          // inside the arguments of an aggregate
	inInit   bool          // inside the first value of a state
	rowwise  bool          // of a step that looks at rows one by one, and may give one up
	bolt     *Bolt         // of a bolt
	result   types.Type    // of a function
	fn       *ast.FnDecl   // of a function
	top      *scope        // the outermost block
	errors   int           // how many errors were told before it
	spoiled  bool          // the parser told something in it
	poisoned bool          // something in it has a type that is not known, which was told elsewhere
	locals   []types.Type  // types of the local slots
	declared []*Object     // locals and state in order, to tell which are unused
	aggs     []*ast.CallExpr
	nameless bool            // a declaration in it has lost its name
	unknown  map[string]bool // names that were assigned without being declared, which was told
	noWindow *report         // an aggregate that wants a window was told in it
	loops    int
	effects  int  // emits, drops and fails so far
	silent   bool // a way to the statement in hand has done nothing visible
	canFail  bool // it has a fault, a `fail` or an unsettled failure
	facts    facts
	failures *failures // what nothing has settled yet
}

// broken reports whether an error was told in a body: what seems needless or unused there may follow from it.
func (c *checker) broken(b *body) bool { return c.errors > b.errors || b.poisoned || b.spoiled }

// newBody starts a body.
func (c *checker) newBody(kind bodyKind, what string) *body {
	return &body{kind: kind, what: what, failures: &failures{}, errors: c.errors}
}

// inner returns a new scope inside of s.
func (s *scope) inner() *scope { return &scope{parent: s, body: s.body} }

// find returns the object of a name in this scope or one around it, or nil.
func (s *scope) find(name string) *Object {
	for ; s != nil; s = s.parent {
		if obj := s.own(name); obj != nil {
			return obj
		}
	}
	return nil
}

// own returns the object of a name in this scope alone, or nil.
func (s *scope) own(name string) *Object {
	if obj := s.names[name]; obj != nil {
		return obj
	}
	if s.fields == nil {
		return nil
	}
	i := s.fields.Index(name)
	if i < 0 {
		return nil
	}
	obj := &Object{Kind: ObjField, Name: name, Type: s.fields.Fields[i].Type, Index: i}
	s.set(obj)
	return obj
}

func (s *scope) set(obj *Object) {
	if s.names == nil {
		s.names = map[string]*Object{}
	}
	s.names[obj.Name] = obj
}

// unit is a file with the names that it declares, by name space.
type unit struct {
	file      *ast.File
	main      bool
	modules   map[string]*Object // of `use`
	types     map[string]*Object
	funcs     map[string]*Object
	values    map[string]*Object // param, let, table
	bolts     map[string]*Object
	pipelines map[string]*Object
	order     []*Object // all of them, in order of the text
}

// module is what a module's name stands for: of the standard library or a file.
type module struct {
	lib  *catalog.Module
	file *unit
}
