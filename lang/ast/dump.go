package ast

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pipec/pipec/lang/source"
)

// Dump returns the tree under n as text, one node a line, indented by depth: what it says, without places and
// comments. Two trees with the same dump mean the same. It is for tests and debugging.
func Dump(n Node) string {
	var b strings.Builder
	dump(&b, reflect.ValueOf(n), "", 0)
	return b.String()
}

// dump writes the value of one field, or of the root, with the field's name before it.
func dump(b *strings.Builder, v reflect.Value, label string, depth int) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		if id, ok := v.Interface().(*Ident); ok {
			line(b, depth, label+fmt.Sprintf("`%s`", id.Name))
			return
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			dump(b, v.Index(i), label, depth)
		}
		return
	}
	if v.Kind() != reflect.Struct {
		line(b, depth, fmt.Sprintf("%s%#v", label, v.Interface()))
		return
	}
	line(b, depth, label+v.Type().Name()+scalars(v))
	parts(b, v, depth+1)
}

// scalars returns the fields of a node that are neither nodes nor zero.
func scalars(v reflect.Value) string {
	var b strings.Builder
	for i := range v.NumField() {
		f, t := v.Field(i), v.Type().Field(i)
		switch {
		case f.IsZero():
		case f.Kind() == reflect.Bool:
			b.WriteString(" " + t.Name)
		case f.Kind() == reflect.String:
			fmt.Fprintf(&b, " %q", f.String())
		case f.Kind() == reflect.Uint8:
			fmt.Fprintf(&b, " %d", f.Uint())
		}
	}
	return b.String()
}

func parts(b *strings.Builder, v reflect.Value, depth int) {
	for i := range v.NumField() {
		f, t := v.Field(i), v.Type().Field(i)
		switch f.Interface().(type) {
		case Base, source.Span, *source.File, []*Comment:
			continue
		}
		switch {
		case t.Anonymous:
			parts(b, f, depth)
		case f.Kind() == reflect.Bool, f.Kind() == reflect.String, f.Kind() == reflect.Uint8:
		default:
			dump(b, f, t.Name+": ", depth)
		}
	}
}

func line(b *strings.Builder, depth int, text string) {
	b.WriteString(strings.Repeat("  ", depth))
	b.WriteString(text)
	b.WriteByte('\n')
}
