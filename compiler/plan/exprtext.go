package plan

import (
	"fmt"
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var opNames = [...]string{"", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%", "-", "!"}

// String returns the operator as a program writes it.
func (o Op) String() string {
	if o == 0 || int(o) >= len(opNames) {
		return fmt.Sprintf("op(%d)", uint8(o))
	}
	return opNames[o]
}

// Precedences, loosest first; an operand that binds looser than its operator is put in parentheses.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precSum
	precProduct
	precUnary
	precElse
	precPostfix
)

func (o Op) precedence() int {
	switch o {
	case Or:
		return precOr
	case And:
		return precAnd
	case Eq, Ne, Lt, Le, Gt, Ge, In:
		return precCompare
	case Add, Sub:
		return precSum
	case Mul, Div, Mod:
		return precProduct
	default:
		return precUnary
	}
}

// ExprString returns an expression in the notation of [Dump].
func ExprString(e Expr) string { return exprText(e, 0) }

func exprList(list []Expr) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, ExprString(e))
	}
	return strings.Join(parts, ", ")
}

// exprText returns e, in parentheses if it binds looser than around.
func exprText(e Expr, around int) string {
	text, prec := exprParts(e)
	if prec < around {
		return "(" + text + ")"
	}
	return text
}

func exprParts(e Expr) (text string, prec int) {
	switch e := e.(type) {
	case *Const:
		if e.T == types.Regex {
			return `re"` + e.Value.Str() + `"`, precPostfix
		}
		return e.Value.String(), precPostfix
	case *Input:
		return e.Name, precPostfix
	case *Local:
		return fmt.Sprintf("%s$%d", e.Name, e.Slot), precPostfix
	case *State:
		return "@" + e.Name, precPostfix
	case *Key:
		return "#" + e.Name, precPostfix
	case *AggResult:
		return fmt.Sprintf("agg[%d]", e.Index), precPostfix
	case *Bound:
		if e.End {
			return "window.end", precPostfix
		}
		return "window.start", precPostfix
	case *Unary:
		return e.Op.String() + exprText(e.Operand, precUnary), precUnary
	case *Binary:
		p := e.Op.precedence()
		left := p
		if p == precCompare {
			left++ // comparisons do not chain
		}
		return exprText(e.Left, left) + " " + e.Op.String() + " " + exprText(e.Right, p+1), p
	case *If:
		return "if " + ExprString(e.Cond) + " {" + ExprString(e.Then) + "} else {" + ExprString(e.Else) + "}", precElse
	case *Coalesce:
		return exprText(e.Operand, precPostfix) + " ?? " + exprText(e.Else, precElse), precElse
	case *Try:
		arm := exprText(e.Else, precElse)
		if e.Slot >= 0 {
			arm = fmt.Sprintf("$%d: %s", e.Slot, arm)
		}
		return exprText(e.Operand, precPostfix) + " else " + arm, precElse
	case *OrExit:
		word := " else {"
		if e.Optional {
			word = " ?? {"
		}
		if e.Slot >= 0 {
			word += fmt.Sprintf("$%d: ", e.Slot)
		}
		return exprText(e.Operand, precPostfix) + word + stmtList(e.Exit) + "}", precElse
	case *Member:
		dot := "."
		if e.Optional {
			dot = "?."
		}
		return exprText(e.Operand, precPostfix) + dot + e.Name, precPostfix
	case *Index:
		return exprText(e.Operand, precPostfix) + "[" + ExprString(e.Key) + "]", precPostfix
	case *MakeRecord:
		return recordText(e), precPostfix
	case *MakeList:
		return "[" + exprList(e.Elems) + "]", precPostfix
	case *MakeMap:
		return mapText(e), precPostfix
	case *Comp:
		cond := ""
		if e.Cond != nil {
			cond = " if " + ExprString(e.Cond)
		}
		return fmt.Sprintf("[%s for $%d in %s%s]", ExprString(e.Value), e.Slot, ExprString(e.In), cond), precPostfix
	case *Interp:
		return interpText(e), precPostfix
	case *Convert:
		return "as(" + typeString(e.T) + ", " + ExprString(e.Operand) + ")", precPostfix
	case *Call:
		return e.Func + "(" + exprList(e.Args) + ")", precPostfix
	case *CallFn:
		return fmt.Sprintf("%s#%d(%s)", e.Name, e.Index, exprList(e.Args)), precPostfix
	case nil:
		return "<nil>", precPostfix
	default:
		bug.Panicf("plan: dump of unhandled expression %T", e)
		return "", 0
	}
}

func recordText(e *MakeRecord) string {
	r, _ := e.T.(*types.Record)
	var parts []string
	for i, f := range e.Fields {
		name := ""
		if r != nil && i < len(r.Fields) {
			name = r.Fields[i].Name + ": "
		}
		parts = append(parts, name+ExprString(f))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func mapText(e *MakeMap) string {
	if len(e.Keys) == 0 {
		return "[:]"
	}
	var parts []string
	for i := range e.Keys {
		parts = append(parts, ExprString(e.Keys[i])+": "+ExprString(e.Elems[i]))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// interpText shows constant parts as text and the others as holes; a part that only makes a string of a value is shown
// as that value.
func interpText(e *Interp) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, part := range e.Parts {
		switch part := part.(type) {
		case *Const:
			quoted := value.OfString(part.Value.Str()).String()
			b.WriteString(quoted[1 : len(quoted)-1])
		case *Convert:
			b.WriteString("{" + ExprString(part.Operand) + "}")
		default:
			b.WriteString("{" + ExprString(part) + "}")
		}
	}
	b.WriteByte('"')
	return b.String()
}
