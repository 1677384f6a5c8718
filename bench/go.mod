module github.com/pipec/pipec/bench

go 1.26.0
