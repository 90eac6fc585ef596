package plan

import (
	"lakeserver/column"
	"lakeserver/expr"
)

// SetKind is what a SetOp does with its inputs.
type SetKind uint8

// The kinds. UnionAll takes any number of inputs, the others two.
const (
	UnionAll SetKind = iota
	UnionDistinct
	IntersectAll
	IntersectDistinct
	ExceptAll
	ExceptDistinct
)

// SetOp combines inputs whose headers have equal types.
type SetOp struct {
	Kind   SetKind
	Parts  []Node
	Fields column.Header
}

// Header is as given, from the first input's names.
func (n *SetOp) Header() column.Header { return n.Fields }

// Inputs is the parts.
func (n *SetOp) Inputs() []Node { return n.Parts }

// WithInputs combines others.
func (n *SetOp) WithInputs(in []Node) Node { c := *n; c.Parts = in; return &c }

// Describe names the operation.
func (n *SetOp) Describe() (string, []string) {
	names := [...]string{"Union", "Union distinct", "Intersect all", "Intersect distinct", "Except all", "Except distinct"}
	return names[n.Kind], nil
}

// BuildSets fills the sets of IN (subquery) before Input runs.
type BuildSets struct {
	Input Node
	Sets  []SetBuild
}

// SetBuild is one set and the plan whose rows it takes.
type SetBuild struct {
	Plan Node
	Set  *expr.Set
}

// Header is the input's.
func (n *BuildSets) Header() column.Header { return n.Input.Header() }

// Inputs is the input and the sets' plans.
func (n *BuildSets) Inputs() []Node {
	in := []Node{n.Input}
	for _, s := range n.Sets {
		in = append(in, s.Plan)
	}
	return in
}

// WithInputs builds from others.
func (n *BuildSets) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	c.Sets = append([]SetBuild(nil), n.Sets...)
	for i := range c.Sets {
		c.Sets[i].Plan = in[i+1]
	}
	return &c
}

// Describe names the node.
func (n *BuildSets) Describe() (string, []string) { return "CreatingSets", nil }

// Recursive is WITH RECURSIVE: Base's rows, then Step over the rows that the
// round before gave, until a round gives none.
type Recursive struct {
	Base, Step Node
	// Working is the leaf inside Step that stands for the last round's rows.
	Working *WorkingTable
	// Distinct drops rows that were seen in any round (UNION DISTINCT).
	Distinct bool
	// MaxRounds is max_recursive_cte_evaluation_depth.
	MaxRounds int64
}

// Header is the base's.
func (n *Recursive) Header() column.Header { return n.Base.Header() }

// Inputs is base and step.
func (n *Recursive) Inputs() []Node { return []Node{n.Base, n.Step} }

// WithInputs takes others.
func (n *Recursive) WithInputs(in []Node) Node { c := *n; c.Base, c.Step = in[0], in[1]; return &c }

// Describe names the node.
func (n *Recursive) Describe() (string, []string) { return "RecursiveCTE", nil }

// WorkingTable is the rows of the last round inside a Recursive's Step; the
// pointer is its identity.
type WorkingTable struct{ Fields column.Header }

// Header is as given.
func (n *WorkingTable) Header() column.Header { return n.Fields }

// Inputs is empty.
func (n *WorkingTable) Inputs() []Node { return nil }

// WithInputs is the node itself.
func (n *WorkingTable) WithInputs([]Node) Node { return n }

// Describe names the node.
func (n *WorkingTable) Describe() (string, []string) { return "WorkingTable", nil }
