package fn

import (
	"strings"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

func file() []expr.Func {
	return []expr.Func{faulting("file.part", part)}
}

// part refuses what would lead a path elsewhere when it stands in the place of a name.
func part(args []value.Value) (value.Value, error) {
	text := args[0].Str()
	if text == "." || text == ".." || strings.ContainsAny(text, "/\\\x00") {
		return value.Value{}, expr.Faultf(diag.LeadsElsewhere, "%q cannot be a part of a path, it would lead elsewhere", text)
	}
	return args[0], nil
}
