package format

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
)

func (p *printer) block(b *ast.Block) {
	p.braces(b, len(b.Stmts), func() {}, func(i int) { p.stmt(b.Stmts[i]) })
}

func (p *printer) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Block:
		p.block(s)
	case *ast.LetStmt:
		p.let(s.Name, s.Type, s.Value)
	case *ast.StateStmt:
		p.word("state")
		p.binding(s.Name, s.Type, s.Init)
		p.clause("keep", s.Keep)
	case *ast.EmitStmt:
		p.emit(s)
	case *ast.IfStmt:
		p.ifStmt(s)
	case *ast.ForStmt:
		p.forStmt(s)
	case *ast.DropStmt:
		p.word("drop")
		p.str(s.Why)
	case *ast.FailStmt:
		p.word("fail")
		p.str(s.Why)
	case *ast.ReturnStmt:
		p.tok("return")
		if s.Value != nil {
			p.blank()
			p.expr(s.Value)
		}
	case *ast.BreakStmt:
		p.tok("break")
	case *ast.ContinueStmt:
		p.tok("continue")
	case *ast.AssignStmt:
		p.assignment(s)
	case *ast.BadStmt:
		unprintable(s)
	default:
		bug.Panicf("format: %T", s)
	}
}

func (p *printer) emit(s *ast.EmitStmt) {
	p.word("emit")
	if s.Unanchored {
		p.word("unanchored")
	}
	if s.To != nil {
		p.word("to")
		p.as(s.To)
		p.blank()
	}
	if r, ok := s.Value.(*ast.RecordExpr); ok {
		p.record(r)
		return
	}
	p.expr(s.Value)
}

func (p *printer) ifStmt(s *ast.IfStmt) {
	p.word("if")
	p.expr(s.Cond)
	p.blank()
	p.block(s.Then)
	if s.Else != nil {
		p.sep = separator{kind: sepBlank, indent: p.indent, comments: p.indent}
		p.word("else")
		p.stmt(s.Else)
	}
}

func (p *printer) forStmt(s *ast.ForStmt) {
	p.word("for")
	p.as(s.Name)
	if s.Name2 != nil {
		p.comma()
		p.blank()
		p.as(s.Name2)
	}
	p.blank()
	p.tok("in")
	p.soft()
	p.expr(s.In)
	p.blank()
	p.block(s.Body)
}

func (p *printer) assignment(s *ast.AssignStmt) {
	p.as(s.Name)
	if s.Index != nil {
		p.list("[", "]", 1, false, false, func(int) { p.expr(s.Index) })
	}
	p.assign(s.Value)
}

func (p *printer) test(d *ast.TestDecl) {
	p.word("test")
	p.str(d.Name)
	if d.For != nil {
		p.blank()
		p.word("for")
		p.as(d.For)
	}
	p.blank()
	p.braces(d, len(d.Stmts), func() {}, func(i int) { p.testLine(d.Stmts[i]) })
}

func (p *printer) testLine(s ast.TStmt) {
	switch s := s.(type) {
	case *ast.FeedStmt:
		p.word("feed")
		p.ref(s.Node)
		p.blank()
		for i, r := range s.Records {
			if i > 0 {
				p.comma()
				p.soft()
			}
			p.record(r)
		}
	case *ast.AdvanceStmt:
		p.word("advance")
		p.expr(s.By)
	case *ast.EndStmt:
		p.word("end")
		p.ref(s.Node)
	case *ast.SetStmt:
		p.word("set")
		p.binding(s.Name, s.Type, s.Value)
	case *ast.SwapStmt:
		p.word("swap")
		p.str(s.Path)
	case *ast.ExpectStmt:
		p.word("expect")
		p.expr(s.Cond)
	case *ast.FaultStmt:
		p.fault(s)
	case *ast.BadTStmt:
		unprintable(s)
	default:
		bug.Panicf("format: %T", s)
	}
}

func (p *printer) fault(s *ast.FaultStmt) {
	p.word("fault")
	p.tok(s.Kind)
	if s.Node != nil {
		p.blank()
		p.ref(s.Node)
	}
	switch s.Kind {
	case "crash":
		p.clause("after", s.Value)
	case "fail":
		p.clause("times", s.Value)
	default:
		p.clause("for", s.Value)
	}
}
