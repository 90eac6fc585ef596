package parquet

import "lakeserver/objstore"

// Ranges gives the bytes that Scan of the same arguments may read, in the
// columns' order: what a far store is told to fetch ahead.
func (r *Reader) Ranges(group int, wants []Want) []objstore.Range {
	if group < 0 || group >= len(r.groups) {
		return nil
	}
	var out []objstore.Range
	var walk func(n *SchemaNode, w *Want)
	walk = func(n *SchemaNode, w *Want) {
		if n == nil {
			return
		}
		if n.IsLeaf() {
			if c := &r.meta.groups[group].chunks[n.Leaf]; c.present && !c.external && !c.encrypted {
				out = append(out, objstore.Range{Offset: c.start(), Length: c.compressed})
			}
			return
		}
		if w != nil && len(w.Children) > 0 {
			for i := range w.Children {
				walk(w.Children[i].Node, &w.Children[i])
			}
			return
		}
		for _, c := range n.Children {
			walk(c, nil)
		}
	}
	for i := range wants {
		walk(wants[i].Node, &wants[i])
	}
	return out
}
