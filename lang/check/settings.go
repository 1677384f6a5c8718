package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// setting reads one setting of the pipeline by the catalogue's table.
func (g *graph) setting(item *ast.SettingItem) {
	name := item.Name.Name
	if name == "" {
		return // told by the parser
	}
	i := -1
	names := make([]string, 0, len(g.cat.Settings))
	for k, s := range g.cat.Settings {
		names = append(names, s.Name)
		if s.Name == name {
			i = k
		}
	}
	if i < 0 {
		g.unknownSetting(item, names)
		return
	}
	if first, twice := g.p.Settings[name]; twice {
		g.errorf(diag.DuplicateSetting, item.Name.Span(), "`%s` is set twice", name).
			label("set again").
			related(first.At, "first set here").
			note("Leave one of them out; a pipeline has one value for each setting.")
		return
	}
	v, ok := g.settingValue(&g.cat.Settings[i], item)
	g.p.Settings[name] = Setting{Value: v, Expr: item.Value, At: item.Name.Span()}
	if d, bad := BadSetting(name, v, item.Value); ok && bad {
		g.add(d)
	}
}

// unknownSetting tells a line that begins like a setting. Where it is the name of a node, an arrow is missing.
func (g *graph) unknownSetting(item *ast.SettingItem, names []string) {
	g.markUsed(item)
	g.hazy = true
	name := item.Name.Name
	if g.toldIn(item.Span()) {
		return
	}
	r := g.errorf(diag.UnknownSetting, item.Name.Span(), "there is no setting `%s`", name).label("not a setting")
	_, near := diag.Nearest(name, names)
	switch {
	case g.named[name] != nil || g.unit.bolts[name] != nil:
		r.note("`%s` is a node, and a flow has arrows.", name).fix("write an arrow", before(item.Value.Span(), "-> "))
	case near:
		r.suggest(item.Name.Span(), name, names, "")
	default:
		r.note("The settings of a pipeline are %s.", quoteAll(names))
	}
}

// settingValue checks the value of a setting and returns it; not ok if it was told, or is known only when it runs.
func (g *graph) settingValue(s *catalog.Setting, item *ast.SettingItem) (value.Value, bool) {
	if _, bad := item.Value.(*ast.BadExpr); bad {
		return value.Value{}, false
	}
	name, isName := item.Value.(*ast.NameExpr)
	switch t := s.Type.(type) {
	case *types.Enum:
		return g.levelSetting(t, item, name)
	case types.Basic:
		if t == types.AnyRecord {
			if !isName {
				g.errorf(diag.DeadLettersSink, item.Value.Span(), "`%s` wants the name of a sink, not %s", s.Name, exprKind(item.Value)).
					label("not a name").
					note("Declare the sink by its name, `sink dead = …`, and write `%s dead`.", s.Name)
				return value.Value{}, false
			}
			g.deadName = name.Name
			return value.Value{}, false
		}
	}
	if s.Name == "store" {
		return g.storeSetting(item)
	}
	t := g.constArg(item.Value, expect{t: s.Type, of: "the setting `" + s.Name + "`"})
	v, known := g.info.Consts[item.Value]
	return v, known && t != types.Invalid
}

// levelSetting reads `reliability at_least_once`, whose value is a word and not an expression.
func (g *graph) levelSetting(t *types.Enum, item *ast.SettingItem, name *ast.NameExpr) (value.Value, bool) {
	word := ""
	if name != nil {
		word = name.Name.Name
	} else if s, ok := item.Value.(*ast.StrLit); ok {
		word = strings.Trim(s.Span().Text(), `"`)
	}
	level, known := levelOf(word)
	if !known || name == nil {
		r := g.errorf(diag.UnknownLevel, item.Value.Span(), "`%s` is no level of reliability", item.Value.Span().Text()).label("not a level")
		if known {
			r.note("A level is a word, not a string.").fix("leave the quotes off", replace(item.Value.Span(), word))
		} else {
			r.suggest(item.Value.Span(), word, t.Members, "The levels are")
		}
		g.laterLevel = true
		return value.Value{}, false
	}
	if level == ExactlyOnce {
		g.notYet(item.Value.Span(), "`exactly_once`")
		g.laterLevel = true
	}
	g.p.Stated, g.p.Level = true, level
	return value.OfString(word), true
}

func levelOf(word string) (Level, bool) {
	switch word {
	case "at_most_once":
		return AtMostOnce, true
	case "at_least_once":
		return AtLeastOnce, true
	case "exactly_once":
		return ExactlyOnce, true
	}
	return 0, false
}

// String returns the level as programs write it.
func (l Level) String() string {
	switch l {
	case AtMostOnce:
		return "at_most_once"
	case AtLeastOnce:
		return "at_least_once"
	case ExactlyOnce:
		return "exactly_once"
	}
	return "unknown"
}

// storeSetting reads `store "folder"` or `store none`.
func (g *graph) storeSetting(item *ast.SettingItem) (value.Value, bool) {
	if lit, ok := item.Value.(*ast.BasicLit); ok && lit.Kind == ast.NoneLit {
		return value.Value{}, true
	}
	if g.constArg(item.Value, expect{t: types.String, of: "the setting `store`"}) != types.Invalid {
		g.notYet(item.Name.Span(), "`store` with a folder")
	}
	return value.Value{}, false
}

// mostRetries bounds the setting: with pauses of up to ten seconds that is a quarter of an hour for one row, and the
// engine counts attempts in seven bits.
const mostRetries = 100

// BadSetting tells a value that a setting cannot have; e is where it is written.
func BadSetting(name string, v value.Value, e ast.Expr) (diag.Diagnostic, bool) {
	d := diag.Diagnostic{Code: diag.SettingRange, Severity: diag.Error, Span: e.Span(), Label: "out of range"}
	least, most, what := int64(0), int64(math.MaxInt64), ""
	switch name {
	case "pending", "uncommitted":
		least, what = 1, "at least 1"
	case "retries":
		most, what = mostRetries, fmt.Sprintf("0 to %d", mostRetries)
	case "parallelism":
		least, most, what = 1, mostTasks, fmt.Sprintf("1 to %d", mostTasks)
	case "timeout", "epoch":
		least, what = 1, "longer than 0s"
	case "id":
		d.Label = "empty"
		d.Message = "`id` cannot be empty"
		d.Notes = []string{"Stored positions belong to it; leave it out for the pipeline's name and its file's path."}
		return d, v.Str() == ""
	default:
		return d, false
	}
	text := strconv.FormatInt(v.Int(), 10)
	if v.Kind() == value.Duration {
		text = v.Duration().String()
	}
	d.Message = fmt.Sprintf("`%s` is %s, not %s", name, what, text)
	return d, v.Int() < least || v.Int() > most
}

// exprKind says what kind of expression e is, for messages.
func exprKind(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StrLit:
		return "a string"
	case *ast.BasicLit:
		switch e.Kind {
		case ast.IntLit, ast.FloatLit, ast.SizeLit:
			return "a number"
		case ast.DurationLit:
			return "a duration"
		case ast.RawLit:
			return "a string"
		case ast.NoneLit:
			return "`none`"
		}
		return "a literal"
	case *ast.CallExpr:
		return "a call"
	case *ast.NameExpr, *ast.MemberExpr:
		return "`" + e.Span().Text() + "`"
	}
	return "an expression"
}

// settingAt returns where a setting was written, or no place.
func (g *graph) settingAt(name string) source.Span { return g.p.Settings[name].At }
