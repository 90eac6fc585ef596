package plan

// rule rewrites one plan into an equivalent one; it gives the same node when
// it finds nothing to do.
type rule struct {
	name  string
	apply func(Node) Node
}

// rules in their order, which is meaning.
var rules = []rule{}

// Optimize rewrites a plan by all rules.
func Optimize(n Node) Node {
	for _, r := range rules {
		n = r.apply(n)
	}
	return n
}
