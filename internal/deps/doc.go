// Package deps has no code, only tests that keep the house in order: who may import whom (rules_test.go is the table),
// what the pure layers must not touch, and the habits that a reader can rely on everywhere. They read the sources and
// build nothing, so they are fast and need no network.
package deps
