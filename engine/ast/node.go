package ast

// At is a place in the query's text: 1-based line and column, the column
// counted in bytes. The zero At is unknown, as in nodes that were made rather
// than parsed.
type At struct{ Line, Column int32 }

// Pos gives the place itself; every node has it by embedding At.
func (a At) Pos() At { return a }

// Node is any part of the tree. All implementations are pointers to structs of
// this package. A tree is not safe for concurrent change; reading it (Walk,
// Format, Clone) is.
type Node interface {
	Pos() At
	edit(f func(Node) Node)
	format(p *printer)
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Statement is one whole statement.
type Statement interface {
	Node
	statement()
}

// Query is a SELECT or a tree of UNION, INTERSECT and EXCEPT over them.
type Query interface {
	Node
	query()
}

// Table is what FROM may hold: a table expression, a join or an array join.
type Table interface {
	Node
	table()
}

// Walk visits n and all below it, parents first, children in the order of the
// text as far as the structs keep it. Where visit gives false the node's
// children are skipped. A nil n is nothing.
func Walk(n Node, visit func(Node) bool) {
	if isNil(n) || !visit(n) {
		return
	}
	n.edit(func(c Node) Node {
		Walk(c, visit)
		return c
	})
}

// Rewrite changes the tree in place, children first: each node is replaced by
// what change gives for it (the same node to keep it). The replacement must fit
// its place: an Expr for an Expr. Callers that must keep the original give a
// Clone.
func Rewrite[T Node](n T, change func(Node) Node) T {
	n.edit(func(c Node) Node { return Rewrite(c, change) })
	r, _ := change(n).(T)
	return r
}

// one lets f replace the child at p. Nothing is written when nothing changes,
// so that Walk may run on a shared tree.
func one[T interface {
	comparable
	Node
}](p *T, f func(Node) Node,
) {
	var none T
	if *p == none {
		return
	}
	n := f(*p)
	if n == Node(*p) {
		return
	}
	*p, _ = n.(T)
}

// many is one for each element.
func many[T interface {
	comparable
	Node
}](s []T, f func(Node) Node,
) {
	for i := range s {
		one(&s[i], f)
	}
}
