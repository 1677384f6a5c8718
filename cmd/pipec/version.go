package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Help implements kong.HelpProvider.
func (versionCmd) Help() string {
	return `Example:

    pipec version`
}

// Run prints the version.
func (versionCmd) Run(w *world) error {
	_, err := fmt.Fprintln(w.out, version())
	return err
}

// version returns the version that the build was made from, with what it runs on.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("pipec %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
