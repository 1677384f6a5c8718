// Command gen writes the corpus of the benchmark. It is the same on every machine: all randomness comes from the seed.
//
// usage: gen -out DIR [-mb 256] [-seed 1] [-files words.txt,orders.ndjson,access.log]
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// line appends the next line of a file, with its line end.
type line func(b []byte) []byte

// files are what can be made. Each has its own random numbers, so one can be made without the others.
var files = []struct {
	name  string
	lines func(seed uint64) line
}{
	{"words.txt", words},
	{"orders.ndjson", orders},
	{"access.log", access},
}

func main() {
	out := flag.String("out", "data", "folder to write to")
	mb := flag.Int("mb", 256, "size of each file in MB (1e6 bytes); the last line may reach over it")
	seed := flag.Uint64("seed", 1, "seed")
	only := flag.String("files", "words.txt,orders.ndjson,access.log", "which files to make")
	flag.Parse()
	if err := os.MkdirAll(*out, 0o755); err != nil {
		fail(err)
	}
	for _, f := range files {
		if !strings.Contains(","+*only+",", ","+f.name+",") {
			continue
		}
		size, err := write(filepath.Join(*out, f.name), f.lines(*seed), *mb*1_000_000)
		if err != nil {
			fail(err)
		}
		fmt.Printf("%s\t%d bytes\n", f.name, size)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gen:", err)
	os.Exit(1)
}

// write makes a file of at least size bytes, in whole lines, and returns its length.
func write(path string, next line, size int) (n int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	for n < size {
		b = next(b[:0])
		n += len(b)
		if _, err := w.Write(b); err != nil {
			f.Close()
			return n, err
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return n, err
	}
	return n, f.Close()
}
