// Command pipec compiles and runs stream pipelines written in the pipe language.
//
// This package puts catalogue, compiler, engine and standard library together, and does the reading and writing that
// they leave to their caller. There is one file for each command; cli.go has what they share: the command line, exit
// codes and the boundary at which faults of pipec itself are caught.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], &world{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}))
}
