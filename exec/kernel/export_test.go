package kernel

// SetLimit sets how large the Data of a column may become, which is batch.MaxData otherwise.
func (p *Program) SetLimit(n int) { p.run.limit = n }
