package parser

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/diag"

	"github.com/pipec/pipec/internal/bug"
)

// What was found and what was wanted, in words.

// unexpected tells where a production stopped. participle says which token it met; what it wanted is read off the
// EBNF of the rest of the production, which is all that it gives away.
func (p *parse) unexpected(err error, form string) {
	var u *participle.UnexpectedTokenError
	if !errors.As(err, &u) {
		bug.Panicf("parser: %v", err)
	}
	_, rest, _ := strings.Cut(u.Message(), "(expected ")
	p.expected(&u.Unexpected, wanted(rest), form)
}

// expected tells that one of wants was expected where t stands.
func (p *parse) expected(t *plex.Token, wants []string, form string) {
	list := alternatives(wants)
	var d finding
	if t.Pos.Offset == p.start() {
		d = p.expectHere(diag.ExpectedToken, list)
	} else {
		d = p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column, "expected %s, found %s", list, describe(t))
	}
	if len(wants) == 1 && t.Type == tokOp && swappable(t.Value, wants[0]) {
		d.fix("Write "+list, t.Pos.Offset, t.Pos.Column, strings.Trim(wants[0], `"`))
	}
	if t.Type == tokIdent {
		var words []string
		for _, w := range wants {
			words = append(words, strings.Trim(w, `"`))
		}
		p.suggest(d, t, words)
	}
	if form != "" {
		d.note("It is written `" + form + "`.")
	}
}

// swappable reports whether an operator was probably meant to be the wanted one.
func swappable(found, want string) bool {
	switch strings.Trim(want, `"`) {
	case "=", ":", "->", ",":
	default:
		return false
	}
	switch found {
	case "=", ":", "==", "->", "-", ">", ".":
		return true
	}
	return false
}

// wanted returns the symbols with which the EBNF can begin: quoted words and names of parts.
func wanted(ebnf string) []string {
	var out []string
	rest := ebnf
	for {
		first, tail, optional := element(rest)
		out = append(out, first...)
		if !optional || tail == "" {
			return out
		}
		rest = tail
	}
}

// element returns the symbols with which the first element of a row can begin, the row behind it, and whether it may
// be left out.
func element(s string) (first []string, rest string, optional bool) {
	s = strings.TrimLeft(s, " ")
	switch {
	case s == "" || s[0] == ')' || s[0] == '|':
		return nil, "", false
	case strings.HasPrefix(s, "(?"):
		return nil, s[closing(s)+1:], true
	case s[0] == '(':
		end := closing(s)
		for _, alt := range split(s[1:end]) {
			first = append(first, wanted(alt)...)
		}
		rest = s[end+1:]
	case s[0] == '"':
		end := 1 + strings.IndexByte(s[1:], '"')
		first, rest = []string{s[:end+1]}, s[end+1:]
	default:
		end := strings.IndexAny(s, " )?*+|")
		if end < 0 {
			end = len(s)
		}
		first, rest = []string{s[:end]}, s[end:]
	}
	if rest != "" && strings.IndexByte("?*", rest[0]) >= 0 {
		return first, rest[1:], true
	}
	return first, rest, false
}

// closing returns the index of the bracket that closes the one at the front of s.
func closing(s string) int {
	depth, quoted := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s) - 1
}

// split cuts alternatives at the bars that stand in no bracket.
func split(s string) []string {
	var out []string
	depth, quoted, from := 0, false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// alternatives joins symbols in words: "`=` or `{`".
func alternatives(symbols []string) string {
	var words []string
	for _, s := range symbols {
		words = append(words, inWords(s))
	}
	switch n := len(words); n {
	case 0:
		return "something else"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

func inWords(symbol string) string {
	switch symbol {
	case "Block", "Pitems", "Tlines":
		return "`{`"
	case "Params", "Input", "Record", "Args":
		return "`(`"
	case "Window":
		return "`window`"
	case "LateDrop":
		return "`late`"
	case "<nl>":
		return "the end of the line"
	case "<ident>", "Name", "Word", "NodeName", "Ref":
		return "a name"
	case "<sbeg>", "Str", "PlainStr":
		return "a string"
	}
	if strings.HasPrefix(symbol, `"`) {
		return "`" + strings.Trim(symbol, `"`) + "`"
	}
	return "a part of it"
}

// describe names a token in a message.
func describe(t *plex.Token) string {
	switch t.Type {
	case tokNL:
		return "the end of the line"
	case plex.EOF:
		return "the end of the file"
	case tokKw:
		return "the word `" + t.Value + "`"
	case tokBegin, tokText, tokEnd:
		return "a string"
	}
	if n := strings.IndexByte(t.Value, '\n'); n >= 0 {
		return "`" + t.Value[:n] + "…`"
	}
	return "`" + t.Value + "`"
}

// adviseEnd adds what probably was meant by a token behind a whole value.
func (p *parse) adviseEnd(d finding, t *plex.Token) {
	switch t.Value {
	case "?":
		d.note("A choice is written `if condition { a } else { b }`.")
	case "elif", "elseif", "elsif":
		if t.Type == tokIdent {
			d.fix("Write `else if`", t.Pos.Offset, t.Pos.Column, "else if")
		}
	case "is":
		d.note("Values are compared with `==`, `x == none`.")
	case "as":
		d.note("Values are converted by functions, as `int(x) else 0`.")
	}
}
