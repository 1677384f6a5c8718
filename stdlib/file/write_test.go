package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib/codec"
)

func writeConfig(path string, keep bool) connector.Config {
	c := connector.Config{Node: "out", Row: lineRow, Fresh: true, Codec: &connector.CodecConfig{Name: "text"},
		Args: map[string]value.Value{"append": value.OfBool(keep)}}
	if path == "" {
		c.Each = []string{"path"}
	} else {
		c.Args["path"] = value.OfString(path)
	}
	return c
}

func column(s ...string) batch.Col {
	var c batch.Col
	for _, x := range s {
		c.Str = append(c.Str, batch.Str{Off: uint32(len(c.Data)), Len: uint32(len(x))})
		c.Data = append(c.Data, x...)
	}
	return c
}

func rows(s ...string) connector.Write {
	return connector.Write{Batch: &batch.Batch{N: len(s), Layout: lineRow, Cols: []batch.Col{column(s...)}}}
}

func start(t *testing.T, s *Set, cfg connector.Config) connector.Sink {
	t.Helper()
	sink, err := s.NewWrite(codec.Encoders())(t.Context(), cfg)
	if err == nil {
		err = sink.Activate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return sink
}

func write(t *testing.T, sink connector.Sink, w connector.Write) {
	t.Helper()
	out, err := sink.Write(t.Context(), w)
	if err != nil || out != nil {
		t.Fatalf("Write: %v, %v", out, err)
	}
}

func finish(t *testing.T, sink connector.Sink) {
	t.Helper()
	if err := errors.Join(sink.Sync(t.Context()), sink.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", filepath.Base(path), got, err, want)
	}
}

func TestWriteNeverEmptiesWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "in.txt"), filepath.Join(dir, "link.txt")
	if err := errors.Join(os.WriteFile(path, []byte("one\n"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	set := NewSet()
	src, err := set.NewLines(t.Context(), config(path, "any", 100))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close(t.Context()) }()
	for _, to := range []string{path, link} {
		sink, err := set.NewWrite(codec.Encoders())(t.Context(), writeConfig(to, false))
		if err != nil {
			t.Fatal(err)
		}
		if err := sink.Activate(t.Context()); !connector.IsFatal(err) || !strings.Contains(err.Error(), "is read by this pipeline") {
			t.Errorf("writing to %s: %v", filepath.Base(to), err)
		}
		content(t, path, "one\n")
	}
	// Rows that are appended lie behind the end that the source has fixed.
	sink := start(t, set, writeConfig(path, true))
	write(t, sink, rows("two"))
	finish(t, sink)
	content(t, path, "one\ntwo\n")
}

func TestWriteCutsOncePerRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "out.txt")
	set := NewSet()
	one, two := start(t, set, writeConfig(path, false)), start(t, set, writeConfig(path, false))
	write(t, one, rows("1", "2"))
	write(t, two, rows("3"))
	write(t, one, rows("4"))
	finish(t, one)
	finish(t, two)
	content(t, path, "1\n2\n3\n4\n")

	again := start(t, NewSet(), writeConfig(path, true))
	write(t, again, rows("5"))
	finish(t, again)
	content(t, path, "1\n2\n3\n4\n5\n")

	finish(t, start(t, NewSet(), writeConfig(path, false)))
	content(t, path, "")
}

func TestWriteEachPath(t *testing.T) {
	dir := t.TempDir()
	sink := start(t, NewSet(), writeConfig("", false))
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	w := rows("1", "2", "3")
	w.Each = []batch.Col{column(a, b, a)}
	write(t, sink, w)
	finish(t, sink)
	content(t, a, "1\n3\n")
	content(t, b, "2\n")
}

func TestWriteManyPaths(t *testing.T) {
	dir := t.TempDir()
	sink := start(t, NewSet(), writeConfig("", false))
	for range 2 { // the second round opens again what was closed, and must not cut it
		for i := range MaxOpen + 50 {
			w := rows(fmt.Sprint(i))
			w.Each = []batch.Col{column(filepath.Join(dir, fmt.Sprint(i)))}
			write(t, sink, w)
		}
	}
	if n := len(sink.(*writer).open); n > MaxOpen {
		t.Errorf("%d files open, at most %d are allowed", n, MaxOpen)
	}
	finish(t, sink)
	for i := range MaxOpen + 50 {
		content(t, filepath.Join(dir, fmt.Sprint(i)), fmt.Sprintf("%d\n%d\n", i, i))
	}
}

// TestWriteFull holds what a full disk does against what is promised: the batch is refused as a whole, no half row
// stays, and the same batch goes in when there is room again. A limit on the file's size stands for the disk.
func TestWriteFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	sink := start(t, NewSet(), writeConfig(path, false))
	write(t, sink, rows("kept"))
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Skipf("no limits here: %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: old.Max}); err != nil {
		t.Skipf("no limits here: %v", err)
	}
	long := strings.Repeat("x", 200)
	_, err := sink.Write(t.Context(), rows(long))
	if rerr := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); rerr != nil {
		t.Fatal(rerr)
	}
	if err == nil || connector.IsFatal(err) {
		t.Fatalf("writing over the limit: %v, want an error that can be retried", err)
	}
	content(t, path, "kept\n")
	write(t, sink, rows(long))
	finish(t, sink)
	content(t, path, "kept\n"+long+"\n")
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                        "is a folder",
		filepath.Join(file, "out"): "no folder",
	} {
		sink, err := NewSet().NewWrite(codec.Encoders())(t.Context(), writeConfig(path, false))
		if err == nil {
			err = sink.Activate(t.Context())
		}
		if err == nil || !connector.IsFatal(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a fatal error with %q", path, err, want)
		}
	}
}
