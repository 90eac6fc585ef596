package plan

// Reads gives the scans of a plan with no column but those that it needs, as
// its query stands: before any rule, which may do without more.
func Reads(n Node) []*Scan {
	var out []*Scan
	var walk func(Node)
	walk = func(n Node) {
		if s, ok := n.(*Scan); ok {
			out = append(out, s)
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(pruneColumns(n))
	return out
}

// ReplaceScans puts for each scan what f gives for it, which must have the
// scan's header.
func ReplaceScans(n Node, f func(*Scan) (Node, error)) (Node, error) {
	var failed error
	out := rewrite(n, func(n Node) Node {
		s, ok := n.(*Scan)
		if !ok || failed != nil {
			return n
		}
		r, err := f(s)
		if err != nil {
			failed = err
			return n
		}
		return r
	})
	return out, failed
}
