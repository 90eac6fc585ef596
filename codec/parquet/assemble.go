package parquet

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Want says which column to read and as what.
type Want struct {
	// Node is the schema node that the caller matched; nil when the file does
	// not have the column: then every row is Default.
	Node *SchemaNode
	Type *types.Type
	// Default fills rows of a column that is not there; nil is the type's default.
	Default column.Value
	// Children say the same of a struct's fields in the order of the Tuple's
	// elements, of a list's element, of a map's key and value. nil matches
	// fields by name, in unnamed tuples by position.
	Children []Want
	// Nulls wraps a list, map or struct into a column.Nullable that tells which
	// rows are NULL and not merely empty, although its type has no such form.
	Nulls bool
}

// part is one node of a nested column that is being put together.
type part struct {
	want     Want
	leaf     *leafReader // leaves only
	elems    []*part
	elemDef  uint8 // lists and maps: the level at which an element is there
	elemRep  uint8
	witness  *leafReader // any leaf below: its levels tell the structure
	isStruct bool
}

type planner struct {
	r      *Reader
	w      *workspace
	group  int
	leaves []*leafReader
}

func (p *planner) leafFor(n *SchemaNode, t *types.Type) (*leafReader, error) {
	l, err := newLeafReader(p.r, p.w, p.group, n, t)
	if err != nil {
		return nil, err
	}
	l.levels = &levels{maxDef: uint8(n.MaxDef), maxRep: uint8(n.MaxRep), dense: vec{width: widthOf(n)}}
	p.leaves = append(p.leaves, l)
	return l, nil
}

// build plans a want. bare tells that the node is the element of a list
// without wrapping: its own repetition has been dealt with.
func (p *planner) build(w Want, bare bool) (*part, error) {
	n, t := w.Node, types.WithoutLowCardinality(w.Type)
	out := &part{want: w}
	switch {
	case n == nil:
		return out, nil
	case n.Repetition == Repeated && !bare:
		if t.Kind() != types.KindArray {
			return nil, p.mismatch(w)
		}
		return p.buildElems(out, n, []Want{p.child(w, 0, n, t.Elem())}, true)
	case n.IsLeaf():
		l, err := p.leafFor(n, w.Type)
		out.leaf, out.witness = l, l
		return out, err
	}
	switch s := shapeOf(n); {
	case s.kind == shapeList && t.Kind() == types.KindArray:
		return p.buildElems(out, s.repeated, []Want{p.child(w, 0, s.elem, t.Elem())}, s.elem == s.repeated)
	case s.kind == shapeMap && t.Kind() == types.KindMap:
		e := t.Elems()
		return p.buildElems(out, s.repeated, []Want{p.child(w, 0, s.key, e[0]), p.child(w, 1, s.value, e[1])}, false)
	case s.kind == shapeMap && t.Kind() == types.KindArray && t.Elem().Kind() == types.KindTuple:
		return p.buildElems(out, s.repeated, []Want{{Node: s.repeated, Type: t.Elem()}}, true)
	case t.Kind() == types.KindTuple:
		return p.buildStruct(out)
	}
	return nil, p.mismatch(w)
}

func (p *planner) mismatch(w Want) error {
	return cherr.New(cherr.NotImplemented, "Parquet column `%s` of file %s cannot be read as %s", w.Node.Name, p.r.path, w.Type)
}

// child gives the i-th child's want: the caller's, or the node of the shape.
func (p *planner) child(w Want, i int, n *SchemaNode, t *types.Type) Want {
	if i < len(w.Children) {
		return w.Children[i]
	}
	return Want{Node: n, Type: t}
}

func (p *planner) buildElems(out *part, repeated *SchemaNode, wants []Want, bare bool) (*part, error) {
	out.elemDef, out.elemRep = uint8(repeated.MaxDef), uint8(repeated.MaxRep)
	for _, w := range wants {
		e, err := p.build(w, bare)
		if err != nil {
			return nil, err
		}
		out.elems = append(out.elems, e)
	}
	return out, p.bearWitness(out, repeated)
}

func (p *planner) buildStruct(out *part) (*part, error) {
	t, n := types.WithoutLowCardinality(out.want.Type), out.want.Node
	out.isStruct = true
	names := t.Names()
	for i, et := range t.Elems() {
		var w Want
		switch {
		case i < len(out.want.Children):
			w = out.want.Children[i]
		case names != nil:
			w = Want{Node: n.Child(names[i]), Type: et}
		case i < len(n.Children):
			w = Want{Node: n.Children[i], Type: et}
		default:
			w = Want{Type: et}
		}
		e, err := p.build(w, false)
		if err != nil {
			return nil, err
		}
		out.elems = append(out.elems, e)
	}
	return out, p.bearWitness(out, n)
}

// bearWitness finds a leaf whose levels tell the structure of a group; when
// none of its columns is wanted, one is read for that.
func (p *planner) bearWitness(out *part, n *SchemaNode) error {
	for _, e := range out.elems {
		if e.witness != nil {
			out.witness = e.witness
			return nil
		}
	}
	if n.Leaf < 0 {
		return cherr.New(cherr.NotImplemented, "group `%s` of Parquet file %s has no columns", n.Name, p.r.path)
	}
	leaf := p.r.leaves[n.Leaf]
	l, err := p.leafFor(leaf, types.Nullable(leafType(leaf)))
	out.witness = l
	return err
}

// assemble puts the window's rows together. rep and def are the levels of the
// context: of the innermost list around, or 0.
func (p *part) assemble(rep, def uint8, n int) (column.Column, error) {
	var out column.Column
	var err error
	switch {
	case p.want.Node == nil:
		return missing(p.want, n), nil
	case p.leaf != nil:
		out, err = p.leaf.values(def)
	case p.isStruct:
		out, err = p.assembleStruct(rep, def, n)
	default:
		out, err = p.assembleElems(rep, def)
	}
	if err == nil && p.want.Nulls && p.leaf == nil {
		out = &column.Nullable{Values: out, Null: p.witness.levels.below(rep, def, uint8(p.want.Node.MaxDef))}
	}
	if err == nil && out.Len() != n {
		c := &p.witness.c
		err = c.bad(c.bodyOff, cherr.New(cherr.IncorrectData, "the columns of one group disagree: %d values where there should be %d", out.Len(), n))
	}
	return out, err
}

func missing(w Want, n int) column.Column {
	if w.Default == nil {
		return column.Default(w.Type, n)
	}
	return column.Full(column.FromValue(w.Type, w.Default, n))
}

func (p *part) assembleStruct(rep, def uint8, n int) (column.Column, error) {
	t := &column.Tuple{N: n}
	for _, e := range p.elems {
		if e.want.Node == nil && e.want.Default != nil {
			t.Elems = append(t.Elems, p.absentChild(e.want, rep, def, n))
			continue
		}
		c, err := e.assemble(rep, def, n)
		if err != nil {
			return nil, err
		}
		t.Elems = append(t.Elems, c)
	}
	return t, nil
}

// absentChild gives a field that the file lacks: its default, but nothing
// where the struct itself is NULL.
func (p *part) absentChild(w Want, rep, def uint8, n int) column.Column {
	null := p.witness.levels.below(rep, def, uint8(p.want.Node.MaxDef))
	if len(null) != n || countSet(null) == 0 {
		return missing(w, n)
	}
	b := column.NewBuilder(w.Type, n)
	for _, x := range null {
		if x != 0 {
			b.AppendDefault()
		} else {
			b.AppendValue(w.Default)
		}
	}
	return b.Finish()
}

func (p *part) assembleElems(rep, def uint8) (column.Column, error) {
	offsets := p.witness.levels.offsets(rep, def, p.elemDef)
	n := int(offsets[len(offsets)-1])
	cols := make([]column.Column, len(p.elems))
	for i, e := range p.elems {
		c, err := e.assemble(p.elemRep, p.elemDef, n)
		if err != nil {
			return nil, err
		}
		cols[i] = c
	}
	if types.WithoutLowCardinality(p.want.Type).Kind() == types.KindMap {
		return &column.Map{Offsets: offsets, Keys: cols[0], Values: cols[1]}, nil
	}
	return &column.Array{Offsets: offsets, Elems: cols[0]}, nil
}
