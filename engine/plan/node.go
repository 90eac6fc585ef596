package plan

import "lakeserver/column"

// Node is one step of a plan. Nodes are immutable: rules build new ones.
type Node interface {
	// Header names and types the output.
	Header() column.Header
	// Inputs gives the nodes below, in order.
	Inputs() []Node
	// WithInputs gives the same node over others with the same headers.
	WithInputs(inputs []Node) Node
	// Describe gives the node's line for EXPLAIN, and its detail lines.
	Describe() (title string, details []string)
}
