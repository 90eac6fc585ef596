package sqlfuzz

// Shrink gives the smallest query it finds that still differs, in at most
// tries comparisons. differs is asked of one candidate at a time.
func Shrink(q *Node, tries int, differs func(*Node) bool) *Node {
	for again := true; again && tries > 0; {
		again = false
		for _, c := range candidates(q) {
			if tries--; tries < 0 {
				break
			}
			if differs(c) {
				q, again = c, true
				break
			}
		}
	}
	return q
}

// empty is what a left out node becomes.
var empty = &Node{}

// candidates lists what is one move smaller, the largest moves first.
func candidates(q *Node) []*Node {
	var out []*Node
	walk(q, func(n *Node) {
		if n.Optional {
			out = append(out, q.replaced(n, empty))
		}
	})
	walk(q, func(n *Node) {
		if n.Sep == "" {
			return
		}
		if half := len(n.Args) / 2; half > 1 && half >= n.Min {
			for _, part := range [][]*Node{n.Args[:half], n.Args[half:]} {
				c := *n
				c.Args = part
				out = append(out, q.replaced(n, &c))
			}
		}
		if len(n.Args) > n.Min && len(n.Args) <= 12 {
			for i := range n.Args {
				c := *n
				c.Args = append(append([]*Node{}, n.Args[:i]...), n.Args[i+1:]...)
				out = append(out, q.replaced(n, &c))
			}
		}
	})
	walk(q, func(n *Node) {
		if n.Class == "" || len(n.Args) == 0 {
			return
		}
		for _, small := range smaller(n) {
			out = append(out, q.replaced(n, small))
		}
	})
	return out
}

// smaller lists the nodes below n that may stand in its place, and a simple
// value of its class.
func smaller(n *Node) []*Node {
	var out []*Node
	for _, a := range n.Args {
		walk(a, func(d *Node) {
			if d.Class != "" && fits(d.Class, n.Class) {
				out = append(out, d)
			}
		})
	}
	for _, v := range simple[n.Class] {
		out = append(out, text(n.Class, v))
	}
	return out
}

func walk(n *Node, visit func(*Node)) {
	visit(n)
	for _, a := range n.Args {
		walk(a, visit)
	}
}
