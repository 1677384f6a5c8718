package plan_test

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/lang/types"
)

// physical returns the word count with tasks: lines and split fused, the others alone.
func physical() *plan.Plan {
	p := plantest.WordCount()
	for _, n := range p.Nodes {
		n.Parallelism = 1
	}
	for _, e := range p.Edges {
		if e.Grouping == 0 {
			e.Grouping = plan.ToForward
		}
	}
	p.Edges[0].Fused = true
	p.Tasks = []*plan.Task{
		{ID: 0, Nodes: []int{0, 1}, Parallelism: 1}, {ID: 1, Nodes: []int{2}, Parallelism: 1},
		{ID: 2, Nodes: []int{3}, Parallelism: 1}, {ID: 3, Nodes: []int{4}, Parallelism: 1},
	}
	return p
}

func TestVerify(t *testing.T) {
	if err := plan.Verify(physical()); err != nil {
		t.Fatalf("a good plan: %v", err)
	}
	body := func(p *plan.Plan, s ...plan.Stmt) { p.Nodes[1].Body.Stmts = s }
	tests := []struct {
		want  string
		spoil func(p *plan.Plan)
	}{
		{"has the id", func(p *plan.Plan) { p.Nodes[2].ID = 3 }},
		{"has the name of", func(p *plan.Plan) { p.Nodes[2].Name = "lines" }},
		{"a source has no input", func(p *plan.Plan) { p.Nodes[1].In = nil }},
		{"has no body", func(p *plan.Plan) { p.Nodes[1].Body = nil }},
		{"has keys", func(p *plan.Plan) { p.Nodes[1].Keys = p.Nodes[2].Keys }},
		{"has no keys", func(p *plan.Plan) { p.Nodes[2].Keys = nil }},
		{"is global and has keys", func(p *plan.Plan) { p.Nodes[2].Global = true }},
		{"has outputs", func(p *plan.Plan) { p.Nodes[4].Outs = p.Nodes[3].Outs }},
		{"passes rows on as", func(p *plan.Plan) { p.Nodes[3].Outs[0].Layout = plantest.Record(plantest.F("n", types.Int)) }},
		{"dead letters go to", func(p *plan.Plan) { p.Settings.DeadLetters = 1 }},
		{"which the input has not", func(p *plan.Plan) {
			body(p, plantest.Emit(&plan.Input{X: plan.X{T: types.String}, Field: 1, Name: "word"}))
		}},
		{"is read as field", func(p *plan.Plan) {
			body(p, plantest.Emit(&plan.Input{X: plan.X{T: types.String}, Field: 0, Name: "word"}))
		}},
		{"which the input has not", func(p *plan.Plan) { // the body of a window does not see rows
			p.Nodes[2].Body.Stmts = []plan.Stmt{plantest.Emit(plantest.In(p.Nodes[2].In, "word"), plantest.Int(1))}
		}},
		{"local slot 4 of 1", func(p *plan.Plan) { body(p, plantest.Emit(plantest.Local(types.String, 4, "w"))) }},
		{"local slot 4 of 1", func(p *plan.Plan) { body(p, &plan.SetLocal{Slot: 4, Value: plantest.Int(1)}) }},
		{"local slot 4 of 1", func(p *plan.Plan) { body(p, &plan.For{Slot: 4, Slot2: -1, In: plantest.Str("")}) }},
		{"state slot 0 of 0", func(p *plan.Plan) { body(p, &plan.SetState{Value: plantest.Int(1)}) }},
		{"key 3 of 1", func(p *plan.Plan) {
			p.Nodes[2].Body.Stmts = []plan.Stmt{&plan.Fail{Message: &plan.Key{X: plan.X{T: types.String}, Index: 3}}}
		}},
		{"aggregate 1 of 1", func(p *plan.Plan) {
			p.Nodes[2].Body.Stmts = []plan.Stmt{&plan.Fail{Message: &plan.AggResult{X: plan.X{T: types.Int}, Index: 1}}}
		}},
		{"function 0 of 0", func(p *plan.Plan) { body(p, plantest.Emit(&plan.CallFn{X: plan.X{T: types.String}})) }},
		{"takes 1 arguments, 0 are given", func(p *plan.Plan) {
			p.Funcs = []plan.Func{{Name: "f", Params: []types.Type{types.Int}, Locals: 1, Value: plantest.Int(1)}}
			body(p, plantest.Emit(&plan.CallFn{X: plan.X{T: types.String}}))
		}},
		{"not exactly one of value and body", func(p *plan.Plan) { p.Funcs = []plan.Func{{Name: "f"}} }},
		{"has no type", func(p *plan.Plan) { body(p, plantest.Emit(&plan.Bound{})) }},
		{"emits to output 1 of 1", func(p *plan.Plan) { body(p, &plan.Emit{Output: 1}) }},
		{"emits 0 fields", func(p *plan.Plan) { body(p, plantest.Emit()) }},
		{"of type int, as word: string", func(p *plan.Plan) { body(p, plantest.Emit(plantest.Int(1))) }},
		{"leads from node 2 to 1", func(p *plan.Plan) { p.Edges[1].From, p.Edges[1].To = 2, 1 }},
		{"output 2 of 1", func(p *plan.Plan) { p.Edges[1].Out = 2 }},
		{"gives 0 columns", func(p *plan.Plan) { p.Edges[0].Columns = nil }},
		{"from column 3", func(p *plan.Plan) { p.Edges[0].Columns[0] = 3 }},
		{"takes word: string from n: int", func(p *plan.Plan) { p.Edges[3].Columns[0] = 1 }},
		{"has 0 keys", func(p *plan.Plan) { p.Edges[1].Keys = nil }},
		{"is forward from", func(p *plan.Plan) { p.Nodes[0].Parallelism, p.Tasks[0].Parallelism = 2, 2 }},
		{"is fused and not forward", func(p *plan.Plan) { p.Edges[0].Grouping = plan.ToShuffle }},
		{"fused is true, but", func(p *plan.Plan) { p.Edges[1].Fused, p.Edges[1].Grouping = true, plan.ToForward }},
		{"fused is false, but", func(p *plan.Plan) { p.Edges[0].Fused = false }},
		{"has no grouping", func(p *plan.Plan) { p.Edges[3].Grouping = 0 }},
		{"is in no task", func(p *plan.Plan) { p.Tasks = p.Tasks[:3] }},
		{"is in the tasks", func(p *plan.Plan) { p.Tasks[3].Nodes = []int{3, 4} }},
		{"copies in a task of", func(p *plan.Plan) { p.Tasks[3].Parallelism = 2 }},
		{"head of its task", func(p *plan.Plan) { // a second input of a fused node
			p.Edges = append(p.Edges, &plan.Edge{ID: 4, From: 0, To: 1, Columns: []int{0}, Grouping: plan.ToForward, Fused: true})
		}},
	}
	for _, tt := range tests {
		p := physical()
		tt.spoil(p)
		if err := plan.Verify(p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("want a fault with %q, got: %v", tt.want, err)
		}
	}
}
