package check_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pipec/pipec/lang/source"
)

func TestZZFollow(t *testing.T) {
	if os.Getenv("FOLLOW") == "" {
		t.Skip()
	}
	var text string
	for _, f := range corpus(t, "right") {
		if f.Name() == "language.pipe" {
			text = f.Text()
		}
	}
	at := tokens.FindAllStringIndex(text, -1)
	r := rand.New(rand.NewPCG(7, 8))
	shown := 0
	for n := 0; n < 3000 && shown < 60; n++ {
		i := at[r.IntN(len(at))]
		w := text[i[0]:i[1]]
		if w == "\n" {
			continue
		}
		by := ""
		switch r.IntN(3) {
		case 0:
			k := at[r.IntN(len(at))]
			by = text[k[0]:k[1]]
		case 1:
			if len(w) > 3 {
				by = w[:len(w)-1]
			}
		}
		m := text[:i[0]] + by + text[i[1]:]
		f := source.NewFile("m.pipe", m)
		_, list := checkText(f)
		syntax := false
		for _, d := range list {
			syntax = syntax || d.Code[0] == 'P'
		}
		if len(list) < 2 || syntax && len(list) < 2 {
			continue
		}
		shown++
		line, _ := f.OffsetLineCol(i[0])
		fmt.Printf("=== line %d: %q by %q: %s\n", line, w, by, f.LineSpan(line).Text())
		for _, d := range list {
			l, c := f.OffsetLineCol(d.Span.Start)
			fmt.Printf("   %d:%d %s %s %s\n", l, c, d.Severity, d.Code, d.Message)
		}
	}
}
