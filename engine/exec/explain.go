package exec

import (
	"fmt"

	"lakeserver/engine/plan"
)

// Pipeline describes the operators of a plan for EXPLAIN PIPELINE, the last
// one first, each with how many of it work at once: a scan has one a thread, a
// pipeline breaker gathers its inputs into one stream.
func Pipeline(n plan.Node, threads int) []string {
	var out []string
	describe(n, max(threads, 1), "", &out)
	return out
}

// describe prints a node below which streams run side by side, and gives how
// many come out of it.
func describe(n plan.Node, threads int, indent string, out *[]string) int {
	title, _ := n.Describe()
	at := len(*out)
	*out = append(*out, indent+"("+title+")", "")
	streams := 1
	for i, in := range n.Inputs() {
		below := describe(in, threads, indent+"  ", out)
		if i == 0 {
			streams = below
		}
	}
	name, width, leaving := operator(n, streams, threads)
	line := indent + name
	if width > 1 {
		line += fmt.Sprintf(" × %d", width)
	}
	if leaving < width {
		line += fmt.Sprintf(" %d → %d", width, leaving)
	}
	(*out)[at+1] = line
	return leaving
}

// operator names what runs a node over so many input streams: how many of it
// there are, and how many streams leave.
func operator(n plan.Node, streams, threads int) (name string, width, leaving int) { // long: one case a node
	switch n := n.(type) {
	case *plan.Scan:
		if n.PreserveOrder {
			return "Scan", 1, 1
		}
		return "Scan", threads, threads
	case *plan.Filter:
		return "Filter", streams, streams
	case *plan.Project:
		return "Project", streams, streams
	case *plan.ArrayJoin:
		return "ArrayJoin", streams, streams
	case *plan.Join:
		return "HashJoin", streams, streams
	case *plan.Aggregate:
		return "Aggregate", streams, 1
	case *plan.Sort:
		if n.Limit > 0 {
			return "TopN", streams, 1
		}
		return "Sort", streams, 1
	case *plan.Distinct:
		return "Distinct", 1, 1
	case *plan.Limit:
		return "Limit", 1, 1
	case *plan.LimitBy:
		return "LimitBy", 1, 1
	case *plan.Window:
		return "Window", 1, 1
	case *plan.SetOp:
		return "Union", 1, 1
	case *plan.BuildSets:
		return "BuildSets", streams, streams
	case *plan.Values:
		return "Values", 1, 1
	}
	return "Step", 1, 1
}
