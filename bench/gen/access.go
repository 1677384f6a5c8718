package main

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// access returns the lines of access.log: a web server's log in the combined format, about 141 bytes a line.
func access(seed uint64) line {
	words, _ := vocabulary(seed)
	r := rand.New(rand.NewPCG(seed, 303))
	paths := make([]string, 4000)
	for i := range paths {
		paths[i] = "/" + words[500+r.IntN(5000)] + "/" + words[500+r.IntN(20000)]
		if r.IntN(3) == 0 {
			paths[i] += "?id=" + strconv.Itoa(r.IntN(1e6))
		}
	}
	path := newAlias(zipf(len(paths), 1.0))
	agents := []string{
		"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/124.0",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/123.0 Safari/537.36",
		"curl/8.5.0", "Go-http-client/1.1", "bench-probe/1.2 (+internal)",
	}
	methods := []string{"GET", "GET", "GET", "GET", "POST", "PUT", "HEAD"}
	codes := []string{"200", "200", "200", "200", "304", "301", "404", "500", "403"}
	clock := baseTime
	return func(b []byte) []byte {
		clock += int64(r.IntN(40))
		b = append(b, "10."...)
		b = strconv.AppendInt(b, int64(r.IntN(8)), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(r.IntN(256)), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(r.IntN(256)), 10)
		b = append(b, " - - ["...)
		b = time.UnixMilli(clock).UTC().AppendFormat(b, "02/Jan/2006:15:04:05 -0700")
		b = append(b, `] "`...)
		b = append(b, methods[r.IntN(len(methods))]...)
		b = append(b, ' ')
		b = append(b, paths[path.pick(r)]...)
		b = append(b, ` HTTP/1.1" `...)
		b = append(b, codes[r.IntN(len(codes))]...)
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(200+r.IntN(40000)), 10)
		b = append(b, ` "-" "`...)
		b = append(b, agents[r.IntN(len(agents))]...)
		return append(b, "\"\n"...)
	}
}
