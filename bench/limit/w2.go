package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
)

// keepList are the countries that W2 keeps.
var keepList = []string{"US", "DE", "FR", "GB", "JP"}

// keepTable is keepList as a table that is indexed by the two letters.
func keepTable() *[1 << 16]bool {
	var t [1 << 16]bool
	for _, c := range keepList {
		t[uint16(c[0])|uint16(c[1])<<8] = true
	}
	return &t
}

// appendW2 adds one line of W2's output.
func appendW2(b []byte, cents, id, units int64, user []byte) []byte {
	b = append(b, `{"cents":`...)
	b = strconv.AppendInt(b, cents, 10)
	b = append(b, `,"id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"units":`...)
	b = strconv.AppendInt(b, units, 10)
	b = append(b, `,"user":"`...)
	b = append(b, user...) // still escaped as it was read
	return append(b, "\"}\n"...)
}

// w2hand scans each record for the fields it needs; lazy stops as soon as a record is decided.
func w2hand(lazy bool) func(in, out string, t int) {
	return func(in, out string, t int) {
		keep := keepTable()
		o := newOrdered(out)
		bufs := make([][]byte, t)
		eachChunk(in, t, func(w, seq int, d []byte) {
			b := bufs[w][:0]
			var r order
			for i := 0; i < len(d); {
				var ok bool
				i, ok = r.parse(d, i, wantW2, lazy, keep)
				if ok && r.cents > 5000 && len(r.country) == 2 && keep[uint16(r.country[0])|uint16(r.country[1])<<8] {
					b = appendW2(b, r.cents, r.id, r.units, r.user)
				}
			}
			bufs[w] = b
			o.write(seq, b)
		})
		must(o.f.Close())
	}
}

// orderDoc and orderOut are a record and its result as a JSON library sees them.
type orderDoc struct {
	ID      int64   `json:"id"`
	TSms    int64   `json:"ts_ms"`
	User    string  `json:"user"`
	Country string  `json:"country"`
	Amount  float64 `json:"amount"`
	Items   []struct {
		Qty int64 `json:"qty"`
	} `json:"items"`
}

type orderOut struct {
	Cents int64  `json:"cents"`
	ID    int64  `json:"id"`
	Units int64  `json:"units"`
	User  string `json:"user"`
}

// w2json decodes each record into a struct with encoding/json and encodes the result with it.
func w2json(in, out string, t int) {
	set := map[string]bool{}
	for _, c := range keepList {
		set[c] = true
	}
	o := newOrdered(out)
	bufs := make([][]byte, t)
	eachChunk(in, t, func(w, seq int, d []byte) {
		b := bufs[w][:0]
		var r orderDoc
		for len(d) > 0 {
			line := d
			if i := bytes.IndexByte(d, '\n'); i >= 0 {
				line, d = d[:i], d[i+1:]
			} else {
				d = nil
			}
			r.Items = r.Items[:0]
			must(json.Unmarshal(line, &r))
			if r.Amount > 50 && set[r.Country] {
				x := orderOut{ID: r.ID, User: r.User, Cents: int64(math.Round(r.Amount * 100))}
				for _, it := range r.Items {
					x.Units += it.Qty
				}
				j, err := json.Marshal(&x)
				must(err)
				b = append(append(b, j...), '\n')
			}
		}
		bufs[w] = b
		o.write(seq, b)
	})
	must(o.f.Close())
}

// w2map is the schemaless way a declarative engine without field analysis works: any-typed maps.
func w2map(in, out string, _ int) {
	f, err := os.Open(in)
	must(err)
	g, err := os.Create(out)
	must(err)
	w := bufio.NewWriterSize(g, 256<<10)
	set := map[string]bool{}
	for _, c := range keepList {
		set[c] = true
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(make([]byte, 256<<10), 1<<20)
	for sc.Scan() {
		var m map[string]any
		must(json.Unmarshal(sc.Bytes(), &m))
		amt := m["amount"].(float64)
		if amt > 50 && set[m["country"].(string)] {
			units := 0.0
			for _, it := range m["items"].([]any) {
				units += it.(map[string]any)["qty"].(float64)
			}
			j, err := json.Marshal(map[string]any{"id": m["id"], "user": m["user"], "cents": math.Round(amt * 100), "units": units})
			must(err)
			w.Write(j)
			w.WriteByte('\n')
		}
	}
	must(sc.Err())
	must(w.Flush())
	must(g.Close())
}
