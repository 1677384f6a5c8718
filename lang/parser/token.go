package parser

import (
	"errors"
	"io"

	plex "github.com/alecthomas/participle/v2/lexer"
)

// The types of tokens. Reserved words have one of their own (KW), so that a name (IDENT) is never one; all other words
// of the grammar are contextual and come as IDENT.
const (
	tokNL     plex.TokenType = iota + 1 // the end of a line that ends a statement
	tokIdent                            // also a word in backquotes
	tokKw                               // a reserved word
	tokInt                              //
	tokFloat                            //
	tokDur                              // 1h30m
	tokSize                             // 2GiB
	tokTime                             // t"…"
	tokRaw                              // r"…"
	tokRegex                            // re"…"
	tokBegin                            // the quote that opens a string
	tokText                             // text between quotes and holes
	tokEnd                              // the quote that closes a string
	tokOp                               // operators and punctuation
	tokBad                              // bytes that are no token; told
	tokBadLit                           // an operand that could not be read; told
)

// A token's Pos holds offsets alone: Offset is its first byte and Column, against participle's habit, the byte behind
// its last; a token that was put in (a newline, a missing bracket) is empty. Line holds flags and, above them, the
// indentation of the token's line in bytes. Nothing of this leaves the package.
const (
	flagFirst = 1 << iota // the token is the first of its line
	flagTold              // the scanner told something of the token, which has been taken for another
	flagBits  = iota
)

func lineIndent(t *plex.Token) int { return t.Pos.Line >> flagBits }

func isFirst(t *plex.Token) bool { return t.Pos.Line&flagFirst != 0 }

// definition tells participle the names of the token types; texts are scanned by [scanner], never by participle.
type definition struct{}

// Symbols implements lexer.Definition.
func (definition) Symbols() map[string]plex.TokenType {
	return map[string]plex.TokenType{
		"EOF": plex.EOF, "NL": tokNL, "IDENT": tokIdent, "KW": tokKw, "INT": tokInt, "FLOAT": tokFloat, "DUR": tokDur,
		"SIZE": tokSize, "TIME": tokTime, "RAW": tokRaw, "REGEX": tokRegex, "SBEG": tokBegin, "STEXT": tokText,
		"SEND": tokEnd, "OP": tokOp, "BAD": tokBad, "BADLIT": tokBadLit,
	}
}

// Lex implements lexer.Definition.
func (definition) Lex(string, io.Reader) (plex.Lexer, error) {
	return nil, errors.New("texts are scanned by the parser itself")
}

// tokens hands a slice of tokens to participle.
type tokens []plex.Token

// Next implements lexer.Lexer. The last token of the slice is EOF.
func (t *tokens) Next() (plex.Token, error) {
	tok := (*t)[0]
	*t = (*t)[1:]
	return tok, nil
}

// isReserved reports whether a word stands in bodies and can be a name only in backquotes, after a dot or before a
// colon.
func isReserved(word string) bool {
	switch word {
	case "let", "state", "if", "else", "for", "in", "emit", "drop", "fail", "return", "break", "continue", "true",
		"false", "none":
		return true
	}
	return false
}

// isDeclWord reports whether a word can begin a declaration.
func isDeclWord(word string) bool {
	switch word {
	case "use", "type", "let", "param", "fn", "bolt", "table", "source", "sink", "channel", "codec", "aggregate",
		"pipeline", "test":
		return true
	}
	return false
}

// canEnd reports whether a statement can end with the token, and canBegin whether one can begin with it: a newline
// behind a token that cannot end one, or before one that cannot begin one, is none.
func canEnd(t *plex.Token) bool {
	switch t.Type {
	case tokOp:
		switch t.Value {
		case ")", "]", "}", "?", "!":
			return true
		}
		return false
	case tokKw:
		return t.Value != "in" && t.Value != "else" && t.Value != "let"
	case tokNL:
		return false
	}
	return true
}

func canBegin(kind plex.TokenType, text string) bool {
	switch kind {
	case tokOp:
		return text == "}" || text == "("
	case tokKw:
		return text != "else"
	}
	return true
}
