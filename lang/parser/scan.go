package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"

	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// scanner cuts a text into tokens, one chunk at a time. A chunk is what stands from one declaration word in column 1
// to the next, so that a fault spoils no more than its declaration, and only one chunk's tokens exist at a time.
//
// The scanner never fails, and what it hands out is always well nested: every bracket, hole and string that is opened
// in a chunk is closed in it. A missing closer is told and put in, one that closes nothing is told and left out, a
// byte that begins no token is told and becomes a BAD token. The parser relies on it: it skips a broken part by
// counting brackets and never has to tell a bracket's fault itself.
//
// A chunk whose brackets match is scanned once. Where they do not, it is scanned a second time from its start, with an
// eye on indentation (see brackets.go); so the time stays linear.
type scanner struct {
	f         *source.File
	text      string
	pos       int
	lineStart int  // offset of the line that holds pos
	indent    int  // bytes before the first token of the line
	newline   bool // a newline stands between the last token and pos
	told      int  // flags for the next token
	line      measured
	noEnds    bool // no `*/` comes any more
	noHashes  int  // no raw string's end with so many hashes comes any more; 0 is not known
	notUTF8   bool // told that the text is not UTF-8
	whole     bool // the text is one chunk (an expression alone)

	diags    diag.List
	comments []*ast.Comment
	spoiled  []extent // parts of which a fault has been told; in order of their ends

	// Of the chunk:
	toks       []plex.Token
	stack      []bracket
	depth      int  // brackets and holes of the stack
	careful    bool // the second scan
	unbalanced bool // the first scan met brackets that do not match
	surplus    bool // it ended at a closer with nothing open
	tooDeep    bool // told that brackets nest too deeply
	strayLine  int  // start of the last line with a closer that was told to close nothing, -1 for none
	brokenLine int  // start of the last line with a string that is not closed, -1 for none
	spoilRest  int  // nothing is told behind this offset, -1 for none
}

// extent is a range of bytes, both ends included.
type extent struct{ start, end int }

const byteOrderMark = "\ufeff"

func newScanner(f *source.File) *scanner {
	s := &scanner{f: f, text: f.Text()}
	if strings.HasPrefix(s.text, byteOrderMark) {
		s.pos = len(byteOrderMark)
	}
	s.lineStart = s.pos
	s.newline = true
	return s
}

// chunk scans the next chunk. The slice ends with an EOF token and is valid until the next call; a slice of EOF alone
// says that the text is finished.
func (s *scanner) chunk() []plex.Token {
	start, diags, comments, spoiled := *s, len(s.diags), len(s.comments), len(s.spoiled)
	s.scanChunk()
	if s.unbalanced {
		again := start
		again.toks, again.stack = s.toks, s.stack
		again.diags, again.comments, again.spoiled = s.diags[:diags], s.comments[:comments], s.spoiled[:spoiled]
		again.surplus = s.surplus
		*s = again
		s.careful = true
		s.scanChunk()
		s.careful, s.surplus = false, false
	}
	return s.toks
}

func (s *scanner) scanChunk() {
	s.toks, s.stack = s.toks[:0], s.stack[:0]
	s.depth, s.tooDeep, s.unbalanced, s.spoilRest, s.brokenLine, s.strayLine = 0, false, false, -1, -1, -1
	for !s.unbalanced {
		if s.inString() {
			s.stringPart()
			continue
		}
		s.blanks()
		if s.pos >= len(s.text) || s.newline && s.lineBegins() {
			break
		}
		s.token()
	}
	if len(s.stack) > 0 && !s.careful {
		s.unbalanced = true
	}
	if s.unbalanced {
		return
	}
	s.closeTo(0)
	end := s.lastEnd()
	if s.spoilRest >= 0 {
		s.spoiled = append(s.spoiled, extent{s.spoilRest, max(end, s.spoilRest)})
	}
	if n := len(s.toks); n > 0 && s.toks[n-1].Type != tokNL {
		s.toks = append(s.toks, plex.Token{Type: tokNL, Value: "\n", Pos: plex.Position{Offset: end, Column: end}})
	}
	s.toks = append(s.toks, plex.Token{Type: plex.EOF, Pos: plex.Position{Offset: end, Column: end}})
}

// lastEnd returns the byte behind the last token.
func (s *scanner) lastEnd() int {
	if n := len(s.toks); n > 0 {
		return s.toks[n-1].Pos.Column
	}
	return s.pos
}

// blanks skips blanks, newlines and comments, and keeps the comments.
func (s *scanner) blanks() {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == ' ' || c == '\t':
			s.pos++
		case c == '\n':
			s.pos++
			s.lineStart, s.newline = s.pos, true
		case c == '\r' && s.pos+1 < len(s.text) && s.text[s.pos+1] == '\n':
			s.pos++
		case c == '/' && strings.HasPrefix(s.text[s.pos:], "//"):
			s.comment()
		default:
			return
		}
	}
}

func (s *scanner) comment() {
	start := s.pos
	s.pos = s.lineEnd()
	text := strings.TrimRight(s.text[start:s.pos], " \t\r")
	s.comments = append(s.comments, &ast.Comment{
		Base:    ast.Base{At: s.span(start, start+len(text))},
		Text:    text,
		Doc:     strings.HasPrefix(text, "///") && !strings.HasPrefix(text, "////"),
		OwnLine: strings.TrimLeft(s.text[s.lineStart:start], " \t") == "",
	})
}

// lineEnd returns the offset of the end of the line that holds pos, without a CR before the LF.
func (s *scanner) lineEnd() int {
	s.measureLine()
	return s.line.end
}

// measured is what is remembered of one line, so that looking ahead in it costs its length once.
type measured struct {
	known     bool
	start     int
	end       int // without a CR
	lastBrace int // offset of the last `}` of the line, -1 for none
}

func (s *scanner) measureLine() {
	if s.line.known && s.line.start == s.lineStart {
		return
	}
	end := len(s.text)
	if n := strings.IndexByte(s.text[s.lineStart:], '\n'); n >= 0 {
		end = s.lineStart + n
	}
	m := measured{known: true, start: s.lineStart, end: end, lastBrace: -1}
	if n := strings.LastIndexByte(s.text[s.lineStart:end], '}'); n >= 0 {
		m.lastBrace = s.lineStart + n
	}
	if end > s.lineStart && end < len(s.text) && s.text[end-1] == '\r' {
		m.end--
	}
	s.line = m
}

// emit adds a token, and before it a newline where one ends a statement.
func (s *scanner) emit(kind plex.TokenType, start, end int) {
	s.emitAs(kind, s.text[start:end], start, end)
}

func (s *scanner) emitAs(kind plex.TokenType, text string, start, end int) {
	flags := s.told | s.indent<<flagBits
	s.told = 0
	if s.newline {
		flags |= flagFirst
		s.newline = false
		if n := len(s.toks); n > 0 && !s.inBrackets() && canEnd(&s.toks[n-1]) && canBegin(kind, text) && !s.muted() {
			at := s.toks[n-1].Pos.Column
			s.toks = append(s.toks, plex.Token{Type: tokNL, Value: "\n", Pos: plex.Position{Offset: at, Column: at}})
		}
	}
	if !s.muted() {
		pos := plex.Position{Offset: start, Column: end, Line: flags}
		s.toks = append(s.toks, plex.Token{Type: kind, Value: text, Pos: pos})
	}
	s.pos = end
}

// token scans one token at pos, which is no blank.
func (s *scanner) token() {
	c := s.text[s.pos]
	switch {
	case isDigit(c):
		s.number()
	case isLetter(c) || c >= utf8.RuneSelf && s.wordLen(s.pos) > 0:
		s.word()
	case c == '"':
		s.openString(s.pos)
	case c == '`':
		s.quotedName()
	default:
		s.operator()
	}
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// wordLen returns the length of the word at offset at: letters, digits and underscores, not a digit first.
func (s *scanner) wordLen(at int) int {
	i := at
	for i < len(s.text) {
		c := s.text[i]
		if c < utf8.RuneSelf {
			if !isLetter(c) && (!isDigit(c) || i == at) {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if !unicode.IsLetter(r) && (i == at || !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			break
		}
		i += n
	}
	return i - at
}

func (s *scanner) word() {
	start := s.pos
	end := start + s.wordLen(start)
	text := s.text[start:end]
	if end < len(s.text) && (s.text[end] == '"' || s.text[end] == '#') && s.prefixed(text, start, end) {
		return
	}
	if isReserved(text) {
		s.emit(tokKw, start, end)
		return
	}
	s.emit(tokIdent, start, end)
}

// quotedName scans a name in backquotes.
func (s *scanner) quotedName() {
	start := s.pos
	end := start + 1 + s.wordLen(start+1)
	if end > start+1 && end < len(s.text) && s.text[end] == '`' {
		s.emit(tokIdent, start, end+1)
		return
	}
	if n := strings.IndexByte(s.text[end:s.lineEnd()], '`'); n >= 0 {
		end += n + 1
	}
	s.tell(diag.BadQuotedName, start, end, "`%s` is not a name in backquotes", strings.Trim(s.text[start:end], "`")).
		note("Backquotes hold one word, as in `` `state` ``: they let a reserved word be a name.")
	s.emit(tokBad, start, end)
}

// foreign are spellings of other languages and what they are here; longer ones come first.
var foreign = [...]struct{ found, want, why string }{
	{"===", "==", ""}, {"!==", "!=", ""}, {"...", "..", ""},
	{"=>", "->", ""}, {":=", "=", ""}, {"<>", "!=", ""}, {"|>", "->", ""}, {"::", ".", ""},
	{"??", "else", "`a else b` is b where a fails or is none."},
	{"+=", "=", "Write the name again, as in `n = n + 1`."}, {"-=", "=", "Write the name again, as in `n = n - 1`."},
	{"*=", "=", "Write the name again, as in `n = n * 2`."}, {"/=", "=", "Write the name again, as in `n = n / 2`."},
}

// operator scans operators and punctuation, and tells whatever is no token at all.
func (s *scanner) operator() {
	rest := s.text[s.pos:]
	if s.increments(rest) {
		return
	}
	if len(rest) >= 2 && isOperatorPart(rest[1]) {
		for _, o := range foreign {
			if strings.HasPrefix(rest, o.found) && (o.found != "::" || s.joinsWords(2)) {
				s.foreignOperator(o.found, o.want, o.why)
				return
			}
		}
		switch rest[:2] {
		case "->", "==", "!=", "<=", ">=", "&&", "||", "?.", "..":
			s.emit(tokOp, s.pos, s.pos+2)
			return
		case "-[":
			s.open('[', 2)
			return
		case "/*":
			s.blockComment()
			return
		}
	}
	switch c := rest[0]; c {
	case '(', '[', '{':
		s.open(c, 1)
	case ')', ']', '}':
		s.close(c)
	case ',', ':', '.', '=', '<', '>', '+', '-', '*', '/', '%', '!', '?', '|':
		s.emit(tokOp, s.pos, s.pos+1)
	case '&':
		s.foreignOperator("&", "&&", "")
	case ';':
		s.semicolon()
	case '#':
		s.tell(diag.ForeignSpelling, s.pos, s.pos+1, "found `#`, but a comment begins with `//`").
			fix("Write `//`", s.pos, s.pos+1, "//")
		s.pos = s.lineEnd()
	case '\'':
		s.singleQuoted()
	default:
		s.stray()
	}
}

// joinsWords reports whether the operator of n bytes at pos touches words on both sides.
func (s *scanner) joinsWords(n int) bool {
	before, after := s.pos-1, s.pos+n
	return before >= 0 && after < len(s.text) && (isLetter(s.text[before]) || isDigit(s.text[before])) && isLetter(s.text[after])
}

func isOperatorPart(c byte) bool { return strings.IndexByte("=>&|.[*<:?", c) >= 0 }

func (s *scanner) foreignOperator(found, want, why string) {
	d := s.tell(diag.ForeignSpelling, s.pos, s.pos+len(found), "found `%s`, which is written `%s` here", found, want)
	d.note(why)
	kind := tokOp
	if want == "else" {
		kind = tokKw
	}
	if why == "" {
		d.fix("Write `"+want+"`", s.pos, s.pos+len(found), want)
	}
	s.told = flagTold
	s.emitAs(kind, want, s.pos, s.pos+len(found))
}

// increments tells a `++`, or a `--` behind which no value follows, and reports whether there is one.
func (s *scanner) increments(rest string) bool {
	switch {
	case strings.HasPrefix(rest, "++"):
	case strings.HasPrefix(rest, "--") && s.pos > 0 && s.text[s.pos-1] != '-':
		if next := strings.TrimLeft(rest[2:], " \t"); next != "" && !strings.ContainsRune("\r\n;,)]}", rune(next[0])) &&
			!strings.HasPrefix(next, "//") {
			return false // two signs
		}
	default:
		return false
	}
	start, end, op := s.pos, s.pos+2, rest[:1]
	d := s.tell(diag.ForeignSpelling, start, end, "found `%s`, which the language does not have", rest[:2])
	n := len(s.toks)
	if n > 0 && s.toks[n-1].Type == tokIdent && isFirst(&s.toks[n-1]) && !s.newline {
		name := s.toks[n-1]
		d.fix("Write it as an assignment", name.Pos.Offset, end, name.Value+" = "+name.Value+" "+op+" 1")
	} else {
		d.note("A variable is changed by a statement of its own, `n = n " + op + " 1`.")
	}
	s.emit(tokBad, start, end)
	return true
}

// semicolon takes a `;` for the end of a line, or for a comma in brackets.
func (s *scanner) semicolon() {
	at := s.pos
	if s.inBrackets() {
		s.tell(diag.ForeignSpelling, at, at+1, "found `;`, but a comma stands between the items of a list").
			fix("Write a comma", at, at+1, ",")
		s.emitAs(tokOp, ",", at, at+1)
		return
	}
	d := s.tell(diag.ForeignSpelling, at, at+1, "found `;`, but a statement ends with its line")
	s.pos++
	if rest := strings.TrimLeft(s.text[s.pos:s.lineEnd()], " \t"); rest == "" || strings.HasPrefix(rest, "//") {
		d.fix("Leave out `;`", at, at+1, "")
	} else {
		d.fix("Begin a new line", at, at+1, "\n")
	}
	s.newline = true
}

func (s *scanner) blockComment() {
	start := s.pos
	end := s.lineEnd()
	if !s.noEnds {
		n := strings.Index(s.text[start+2:], "*/")
		if s.noEnds = n < 0; n >= 0 {
			end = start + 2 + n + 2
		}
	}
	s.tell(diag.ForeignSpelling, start, start+2, "found `/*`, but a comment begins with `//` and ends with its line")
	if n := strings.LastIndexByte(s.text[start:end], '\n'); n >= 0 {
		s.lineStart, s.newline = start+n+1, true
	}
	s.pos = end
}

// stray tells a run of bytes that begin no token, as one.
func (s *scanner) stray() {
	start := s.pos
	end := start
	for end < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[end:])
		if end > start && !isStray(r) || strings.HasPrefix(s.text[end:], "\r\n") {
			break
		}
		end += n
	}
	text := s.text[start:end]
	switch {
	case s.notUTF8 && !utf8.ValidString(text):
	case !utf8.ValidString(text):
		s.tell(diag.StrayByte, start, end, "found bytes that are not UTF-8")
	case text == byteOrderMark:
		s.tell(diag.StrayByte, start, end, "found a byte order mark, which may stand only at the start of the file")
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }):
		s.tell(diag.StrayByte, start, end, "found %+q, which is no part of the language", text)
	default:
		s.tell(diag.StrayByte, start, end, "found `%s`, which is no part of the language", text)
	}
	s.emit(tokBad, start, end)
}

// isStray reports whether no token begins with r and no blank is r. A CR counts as one: those before a LF are blanks
// and never come here first.
func isStray(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\t' && r != '\n' || r == 0x7f || strings.ContainsRune("@$\\^~", r)
	}
	return !unicode.IsLetter(r)
}
