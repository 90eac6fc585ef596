package parquet

// ListElement gives the node of a list's elements, whichever of the format's
// forms of lists it is: what a Want's only child is for.
func (n *SchemaNode) ListElement() (elem *SchemaNode, ok bool) {
	if n.Repetition == Repeated {
		return n, true // a repeated field without a list around it
	}
	s := shapeOf(n)
	return s.elem, s.kind == shapeList
}

// MapEntry gives the nodes of a map's keys and values.
func (n *SchemaNode) MapEntry() (key, value *SchemaNode, ok bool) {
	s := shapeOf(n)
	return s.key, s.value, s.kind == shapeMap
}
