package sqlfuzz

import "strings"

// Node is a piece of a statement.
type Node struct {
	// Form is the text, with hole in the place of each argument.
	Form string
	Args []*Node
	// Class says what may stand in the node's place; "" for nothing else.
	Class string
	// Sep, if set, makes the node a list of its arguments, at least Min of
	// them, and Form goes before it.
	Sep string
	Min int
	// Optional nodes may be left out.
	Optional bool
}

// hole stands for an argument in a form.
const hole = "\x00"

// SQL gives the text.
func (n *Node) SQL() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	if n.Sep != "" {
		b.WriteString(n.Form)
		for i, a := range n.Args {
			if i > 0 {
				b.WriteString(n.Sep)
			}
			a.write(b)
		}
		return
	}
	rest := n.Form
	for _, a := range n.Args {
		before, after, _ := strings.Cut(rest, hole)
		b.WriteString(before)
		a.write(b)
		rest = after
	}
	b.WriteString(rest)
}

// text is a node without arguments.
func text(class, s string) *Node { return &Node{Form: s, Class: class} }

// list is a node of at least min elements.
func list(form, sep string, atLeast int, args ...*Node) *Node {
	return &Node{Form: form, Sep: sep, Min: atLeast, Args: args}
}

// optional is a node that may be left out.
func optional(form string, args ...*Node) *Node {
	return &Node{Form: form, Args: args, Optional: true}
}

// replaced is the tree with one node exchanged; the rest is shared.
func (n *Node) replaced(old, by *Node) *Node {
	if n == old {
		return by
	}
	for i, a := range n.Args {
		r := a.replaced(old, by)
		if r == a {
			continue
		}
		c := *n
		c.Args = append([]*Node{}, n.Args...)
		c.Args[i] = r
		if r == nil {
			c.Args = append(c.Args[:i], c.Args[i+1:]...)
		}
		return &c
	}
	return n
}
