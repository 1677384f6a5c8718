package check

import (
	"fmt"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/literal"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// ParamValue reads the value of a parameter from the command line, `-p name=text`: as it is written for a string or an
// enum, else a literal of the parameter's type. parse makes an expression of a text, for lists, maps and records; it may be nil
// where there is no parser at hand. Places in the diagnostics are in a file of their own, called "-p name".
func ParamValue(prog *Program, name, text string, parse func(*source.File) (ast.Expr, diag.List)) (value.Value, diag.List) {
	f := source.NewFile("-p "+name, text)
	r := &paramReader{at: source.Span{File: f, End: len(text)}, name: name, text: text}
	i := -1
	names := make([]string, 0, len(prog.Params))
	for k, p := range prog.Params {
		names = append(names, p.Name)
		if p.Name == name {
			i = k
		}
	}
	if i < 0 {
		return value.Value{}, diag.List{unknownParam(r.at, name, names)}
	}
	r.param = prog.Params[i]
	t := types.Bare(r.param.Type)
	if text == "none" && types.IsOptional(r.param.Type) && !types.IsString(t) {
		return value.Value{}, nil
	}
	v, ok := r.read(t, parse)
	if !ok && len(r.list) == 0 {
		r.wrong("")
	}
	return v, r.list
}

func unknownParam(at source.Span, name string, names []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.UnknownParam, Severity: diag.Error, Span: at,
		Message: fmt.Sprintf("the program has no parameter `%s`", name),
	}
	switch near, ok := diag.Nearest(name, names); {
	case ok:
		d.Message += fmt.Sprintf(", did you mean `%s`?", near)
	case len(names) == 0:
		d.Notes = []string{fmt.Sprintf("A program declares its parameters: `param %s: string = \"…\"`.", name)}
	case len(names) <= mostListed:
		d.Notes = []string{"It has " + quoteAll(names) + "."}
	}
	return d
}

// paramReader reads one value.
type paramReader struct {
	param      *Object
	name, text string
	at         source.Span
	list       diag.List
}

// read returns the value, or false if the text is none of the type.
func (r *paramReader) read(t types.Type, parse func(*source.File) (ast.Expr, diag.List)) (value.Value, bool) {
	switch t {
	case types.Invalid:
		return value.Value{}, true
	case types.String:
		return value.OfString(r.text), true
	case types.Bool:
		return value.OfBool(r.text == "true"), r.text == "true" || r.text == "false"
	case types.Int:
		return r.int()
	case types.Float:
		return r.float()
	case types.Duration:
		text, minus := strings.CutPrefix(r.text, "-")
		d, err := literal.Duration(text)
		if minus {
			d = -d
		}
		return value.OfDuration(d), r.ok(err)
	case types.Time:
		text := r.text
		if !strings.HasPrefix(text, `t"`) {
			text = `t"` + text + `"`
		}
		at, err := literal.Time(text)
		if err == nil && (at.Year() < 1678 || at.Year() > 2261) {
			r.wrong("times are counted from the year 1678 to 2261")
			return value.Value{}, false
		}
		return value.OfTime(at.UnixNano()), r.ok(err)
	}
	if enum, ok := t.(*types.Enum); ok {
		return r.member(enum)
	}
	return r.parsed(t, parse)
}

func (r *paramReader) int() (value.Value, bool) {
	text, minus := strings.CutPrefix(r.text, "-")
	read := literal.Int
	if minus {
		read = literal.NegInt
	}
	n, err := read(text)
	if err != nil && !minus {
		if size, sizeErr := literal.Size(text); sizeErr == nil {
			return value.OfInt(size), true
		}
	}
	return value.OfInt(n), r.ok(err)
}

func (r *paramReader) float() (value.Value, bool) {
	text, minus := strings.CutPrefix(r.text, "-")
	x, err := literal.Float(text)
	if minus {
		x = -x
	}
	return value.OfFloat(x), r.ok(err)
}

// ok reports whether there is no error, and tells the one that there is.
func (r *paramReader) ok(err error) bool {
	if err != nil {
		r.wrong(err.Error())
	}
	return err == nil
}

func (r *paramReader) member(enum *types.Enum) (value.Value, bool) {
	text := r.text
	if len(text) >= 2 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		text = text[1 : len(text)-1]
	}
	for _, m := range enum.Members {
		if m == text {
			return value.OfString(m), true
		}
	}
	why := "it is one of " + quoteAll(enum.Members)
	if near, ok := diag.Nearest(text, enum.Members); ok {
		why = fmt.Sprintf("did you mean `%s`?", near)
	}
	r.wrong(why)
	return value.Value{}, false
}

// parsed reads a literal with parts.
func (r *paramReader) parsed(t types.Type, parse func(*source.File) (ast.Expr, diag.List)) (value.Value, bool) {
	if parse == nil {
		return value.Value{}, false
	}
	e, list := parse(r.at.File)
	if list.HasErrors() || e == nil {
		return value.Value{}, false
	}
	v, got, ok := catalog.Literal(e, t)
	return v, ok && types.Assignable(got, t)
}

// wrong tells that the text is no value of the parameter's type.
func (r *paramReader) wrong(why string) {
	message := fmt.Sprintf("`%s` is not %s, which the parameter `%s` wants", r.text, aType(r.param.Type), r.name)
	if rest, repeats := strings.CutPrefix(why, "`"+r.text+"` "); repeats {
		why = "it " + rest
	}
	if why != "" {
		message += ": " + why
	}
	r.list = append(r.list, diag.Diagnostic{
		Code: diag.ParamValue, Severity: diag.Error, Span: r.at, Message: message,
		Related: []diag.Related{{Span: r.param.At, Text: fmt.Sprintf("`%s` is declared here", r.name)}},
	})
}

// MissingParam tells that a parameter has neither a default nor a value on the command line, which gives values to
// those of the main file alone.
func MissingParam(p *Object, main bool) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.MissingParam, Severity: diag.Error, Span: p.At,
		Message: fmt.Sprintf("the parameter `%s` has no value", p.Name),
		Label:   "no default, and none was given",
		Notes:   []string{fmt.Sprintf("Give it on the command line, `-p %s=…`, or write a default behind its type.", p.Name)},
	}
	if !main {
		d.Label = "no default"
		d.Notes = []string{"The command line gives values to the parameters of the main file alone; write a default behind its type."}
	}
	return d
}

// BadTimes tells a number of tasks that a node cannot run in; e is where it is written.
func BadTimes(n value.Value, e ast.Expr) (diag.Diagnostic, bool) {
	return diag.Diagnostic{
		Code: diag.BadParallelism, Severity: diag.Error, Span: e.Span(), Label: "out of range",
		Message: fmt.Sprintf("a node runs in 1 to %d tasks, not in %d", mostTasks, n.Int()),
	}, n.Int() < 1 || n.Int() > mostTasks
}

// BadArg tells an argument of a connector or aggregate that its parameter does not take.
func BadArg(a *Arg, v value.Value) (diag.Diagnostic, bool) {
	r := a.Param.Range
	if r == nil {
		return diag.Diagnostic{}, false
	}
	var low, high bool
	switch v.Kind() {
	case value.Int:
		low, high = v.Int() < r.Least, v.Int() > r.Most
	case value.Float:
		low, high = v.Float() < float64(r.Least), v.Float() > float64(r.Most)
	}
	if !low && !high {
		return diag.Diagnostic{}, false
	}
	bound := fmt.Sprintf("at least %d", r.Least)
	if high {
		bound = fmt.Sprintf("at most %d", r.Most)
	}
	return diag.Diagnostic{
		Code: diag.ArgumentRange, Severity: diag.Error, Span: a.Value.Span(), Label: "out of range",
		Message: fmt.Sprintf("`%s` is %s, not %s", a.Name, bound, v),
		Related: []diag.Related{{Span: a.Param.At, Text: "the parameter is declared here"}},
	}, true
}

// BadTopCount tells that `top` is to keep less than a row; e is where that is written.
func BadTopCount(n value.Value, e ast.Expr) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.TopCount, Severity: diag.Error, Span: e.Span(), Label: "out of range",
		Message: fmt.Sprintf("`top` keeps at least 1 row, not %d", n.Int()),
		Notes:   []string{"Without a number it keeps all rows, the best first."},
	}
}

// add reports a diagnostic that was made elsewhere.
func (c *checker) add(d diag.Diagnostic) {
	c.report(d.Severity, d.Code, d.Span, d.Message).Diagnostic = d
}
