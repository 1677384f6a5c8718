package plan

// AllKinds has one value of every expression and statement.
var AllKinds = allKinds
