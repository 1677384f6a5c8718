package diag

import "testing"

func TestSorted(t *testing.T) {
	f := file("one two")
	one, two := find(f, "one"), find(f, "two")
	d := func(code Code, message string) Diagnostic {
		return Diagnostic{Code: code, Severity: Error, Span: one, Message: message}
	}
	later := Diagnostic{Code: "A", Severity: Warning, Span: two, Message: "m"}
	list := List{later, d("T2", "m"), d("T1", "n"), d("T1", "m"), d("T1", "n")}
	var got string
	for _, x := range list.Sorted() {
		got += string(x.Code) + x.Message + " "
	}
	if want := "T1m T1n T2m Am "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if list[0].Code != "A" {
		t.Error("the list itself was sorted")
	}
	if !list.HasErrors() || (List{later}).HasErrors() {
		t.Error("HasErrors does not tell errors from warnings")
	}
}
