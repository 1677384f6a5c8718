package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/diag"
)

// What authors who come from elsewhere may have meant, and the nearest word for a mistyped one.

var (
	declWords   = [...]string{"use", "type", "let", "param", "fn", "bolt", "table", "pipeline", "test", "source", "sink", "channel"}
	stmtWords   = [...]string{"let", "state", "emit", "if", "for", "drop", "fail", "return", "break", "continue"}
	itemWords   = [...]string{"source", "channel", "sink", "bolt", "join"}
	clauseWords = [...]string{"by", "global", "window", "errors", "late", "ordered"}
	testWords   = [...]string{"feed", "advance", "end", "set", "swap", "expect", "fault"}
)

// advise adds to d what the word t was probably meant to be.
func (p *parse) advise(d finding, t *plex.Token, advice func(string) string, words []string) {
	if t.Type != tokIdent && t.Type != tokKw {
		return
	}
	if note := advice(t.Value); note != "" {
		d.note(note)
		return
	}
	p.suggest(d, t, words)
}

func (p *parse) suggest(d finding, t *plex.Token, words []string) {
	if near, ok := diag.Nearest(t.Value, words); ok {
		d.label("did you mean `"+near+"`?").fix("Write `"+near+"`", t.Pos.Offset, t.Pos.Column, near)
	}
}

func adviceInFile(word string) string {
	switch word {
	case "import", "include", "require", "from", "package", "module":
		return "Modules are named by `use`, as in `use file, kafka`."
	case "func", "function", "def", "fun", "proc":
		return "A function is declared by `fn name(x: int) -> int = x + 1`."
	case "var", "const", "val", "def_const":
		return "A constant is declared by `let name = value`."
	case "struct", "record", "class", "interface", "enum", "data":
		return "A type is declared by `type Name = (field: type)` or `type Name = \"a\" | \"b\"`."
	case "topology", "flow", "stream", "job":
		return "A pipeline is declared by `pipeline name { … }`."
	case "spout":
		return "What Storm calls a spout is a `source` in a pipeline."
	case "emit", "if", "for", "state", "drop", "fail", "return", "break", "continue", "else":
		return "Statements stand in the body of a bolt or a function."
	case "join":
		return "A join stands in a pipeline."
	}
	return ""
}

func adviceInBody(word string) string {
	switch word {
	case "while", "loop", "do", "until", "repeat":
		return "Bodies always end: a loop goes over a list or a map, `for x in list { … }`."
	case "var", "const", "val", "auto":
		return "A name is given a value by `let name = value`, and another by `name = value`."
	case "switch", "match", "case", "when":
		return "Cases are told apart by `if … { … } else if … { … }`."
	case "elif", "elseif", "elsif", "else":
		return "An `else` stands on the line of the brace before it: `} else if condition { … }`."
	case "try", "catch", "throw", "raise":
		return "A value that may fail is settled where it stands, `int(s) else 0` or `int(s) else drop \"why\"`."
	case "print", "println", "printf", "log":
		return "A bolt has no side effects: emit to an output, `emit to log (…)`, that leads to a sink."
	case "yield":
		return "A bolt gives out records by `emit (…)`."
	case "ack":
		return "A tuple is acknowledged when its body has taken effect; `fail \"why\"` fails it."
	case "use", "type", "fn", "bolt", "pipeline", "table", "param", "test":
		return "Declarations stand outside of bodies, at the start of a line."
	}
	return ""
}

func adviceInPipeline(word string) string {
	switch word {
	case "spout":
		return "What Storm calls a spout is a source: `source name = connector(…)`."
	case "let", "param", "type", "fn", "use", "table", "test", "pipeline":
		return "Declarations stand outside of pipelines, at the start of a line."
	case "if", "for", "emit", "drop", "fail", "state", "return":
		return "Statements stand in the body of a bolt; a pipeline tells records apart by `where` and `route`."
	}
	return ""
}

func adviceInTest(word string) string {
	switch word {
	case "assert", "check", "require", "should", "verify":
		return "What must hold is written `expect condition`."
	case "send", "input", "given", "emit":
		return "Records are fed by `feed node (field: value)`."
	case "wait", "sleep", "tick":
		return "The test's clock is moved on by `advance 1m`."
	case "let", "state":
		return "A test has no names of its own; a parameter is given a value by `set name = value`."
	}
	return ""
}
