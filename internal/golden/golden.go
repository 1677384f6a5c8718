// Package golden compares test output with files, and rewrites them under the one -update flag.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// Update says whether golden files are to be rewritten; tests with formats of their own read it.
var Update = flag.Bool("update", false, "rewrite golden files")

// Check compares got with the file at path (relative to the test's folder), or writes it under -update.
func Check(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if string(want) != got {
		t.Errorf("%s differs (run the test with -update to accept)\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}
