package catalog

import "github.com/pipec/pipec/lang/types"

// settings is the one table of what a pipeline can set: the checker, documentation and completion read it.
func settings() []Setting {
	level := &types.Enum{Members: []string{"at_most_once", "at_least_once", "exactly_once"}}
	return []Setting{
		{"reliability", level, "the strongest level up to at_least_once that the parts keep",
			"What is promised for a tuple's effect at each required sink; a stated level is proven or refused."},
		{"timeout", types.Duration, "30s",
			"How long a call of a connector may take before it is given up and tried again."},
		{"pending", types.Int, "1_000_000",
			"Most open roots for each source task; more than 64 MiB of them hold the source back as well."},
		{"uncommitted", types.Int, "64 × pending",
			"Most roots between the committed position of a source task and its head."},
		{"retries", types.Int, "5",
			"How often a failed tuple is emitted again before it is a dead letter."},
		{"dead_letters", types.AnyRecord, "none: the first dead row stops the pipeline",
			"The sink that takes what failed for good, with reason, place, attempts and position."},
		{"epoch", types.Duration, "1s (exactly_once 200ms; an ack-able source into state 50ms)",
			"How often state and positions are made durable."},
		{"parallelism", types.Int, "1 for sources and nodes with state; for the rest the cores, or 1 where what follows would see the order",
			"Tasks of each node that does not say its own number."},
		{"store", types.Opt(types.String), "a folder beside the program",
			"The folder in which positions and state are kept; `none` keeps nothing."},
		{"id", types.String, "the pipeline's name and its file's path",
			"What the stored positions and state belong to."},
	}
}
