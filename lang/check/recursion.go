package check

import (
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
)

// fnGraph has the calls between functions of the program. A circle of them would let a body run for ever, so each is
// told, once.
type fnGraph struct {
	order []*ast.FnDecl
	calls map[*ast.FnDecl][]fnCall
}

type fnCall struct {
	to *ast.FnDecl
	at *ast.Ident
}

// call notes that the body of from, or of no function, calls another.
func (g *fnGraph) call(from, to *ast.FnDecl, at *ast.Ident) {
	if from == nil {
		return
	}
	if g.calls == nil {
		g.calls = map[*ast.FnDecl][]fnCall{}
	}
	if g.calls[from] == nil {
		g.order = append(g.order, from)
	}
	g.calls[from] = append(g.calls[from], fnCall{to, at})
}

// tellRecursion tells the circles among functions. It goes through the calls depth first; a call back to a function
// that is still open closes a circle. Functions that were told in one are not told again.
func (c *checker) tellRecursion() {
	const fresh, open, done = 0, 1, 2
	mark := map[*ast.FnDecl]int{}
	told := map[*ast.FnDecl]bool{}
	var way []fnCall // the calls that lead to the function in hand; the first one is to the root
	var visit func(call fnCall)
	visit = func(call fnCall) {
		mark[call.to] = open
		way = append(way, call)
		for _, next := range c.fns.calls[call.to] {
			switch {
			case mark[next.to] == fresh:
				visit(next)
			case mark[next.to] == open && !told[next.to]:
				from := len(way) - 1
				for way[from].to != next.to {
					from--
				}
				c.tellCircle(append(append([]fnCall{}, way[from+1:]...), next), told)
			}
		}
		way = way[:len(way)-1]
		mark[call.to] = done
	}
	for _, d := range c.fns.order {
		if mark[d] == fresh {
			visit(fnCall{to: d})
		}
	}
}

func (c *checker) tellCircle(circle []fnCall, told map[*ast.FnDecl]bool) {
	last := circle[len(circle)-1]
	names := []string{last.to.Name.Name}
	for _, call := range circle {
		told[call.to] = true
		names = append(names, call.to.Name.Name)
	}
	r := c.errorf(diag.RecursiveFunction, last.at.Span(), "`%s` calls itself: `%s`", last.to.Name.Name, strings.Join(names, " -> "))
	r.label("closes the circle")
	for _, call := range circle[:len(circle)-1] {
		r.related(call.at.Span(), "`%s` is called here", call.to.Name.Name)
	}
	r.note("A function always ends, so none may call itself. A loop over a list often does the same.")
}
