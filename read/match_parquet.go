package read

import (
	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// parquetMatcher finds the columns of one Parquet file by field id.
type parquetMatcher struct {
	root *parquet.SchemaNode
	ids  map[*parquet.SchemaNode]int // of files without ids, by name mapping; nil: the file's own
}

// newParquetMatcher: a file that has no ids at all is read by the table's name
// mapping, or where there is none by the present names.
func newParquetMatcher(root *parquet.SchemaNode, schema *iceberg.Schema, mapping []iceberg.NameMapping) *parquetMatcher {
	m := &parquetMatcher{root: root}
	if anyFieldID(root) {
		return m
	}
	m.ids = map[*parquet.SchemaNode]int{}
	if mapping != nil {
		m.mapNames(root, mapping)
	} else {
		m.assumeNames(root, schema.Fields)
	}
	return m
}

func anyFieldID(n *parquet.SchemaNode) bool {
	for _, c := range n.Children {
		if c.FieldID >= 0 || anyFieldID(c) {
			return true
		}
	}
	return false
}

func findMapping(mapping []iceberg.NameMapping, name string) *iceberg.NameMapping {
	for i := range mapping {
		for _, n := range mapping[i].Names {
			if n == name {
				return &mapping[i]
			}
		}
	}
	return nil
}

func (m *parquetMatcher) mapNames(n *parquet.SchemaNode, mapping []iceberg.NameMapping) {
	for _, c := range n.Children {
		m.mapNode(c, findMapping(mapping, c.Name))
	}
}

func (m *parquetMatcher) mapNode(n *parquet.SchemaNode, e *iceberg.NameMapping) {
	if e == nil {
		return
	}
	if e.ID != nil {
		m.ids[n] = *e.ID
	}
	// Insides of lists and maps go by fixed names, whatever the file calls them.
	if elem, ok := n.ListElement(); ok {
		if elem != n {
			m.mapNode(elem, findMapping(e.Fields, "element"))
		}
		return
	}
	if key, value, ok := n.MapEntry(); ok {
		m.mapNode(key, findMapping(e.Fields, "key"))
		m.mapNode(value, findMapping(e.Fields, "value"))
		return
	}
	m.mapNames(n, e.Fields)
}

func (m *parquetMatcher) assumeNames(n *parquet.SchemaNode, fields []iceberg.Field) {
	for i := range fields {
		for _, c := range n.Children {
			if c.Name == fields[i].Name {
				m.assumeNode(c, &fields[i])
				break
			}
		}
	}
}

func (m *parquetMatcher) assumeNode(n *parquet.SchemaNode, f *iceberg.Field) {
	m.ids[n] = f.ID
	switch f.Type.Kind {
	case iceberg.Struct:
		m.assumeNames(n, f.Type.Fields)
	case iceberg.List:
		if elem, ok := n.ListElement(); ok && elem != n {
			m.assumeNode(elem, f.Type.Elem)
		}
	case iceberg.Map:
		if key, value, ok := n.MapEntry(); ok {
			m.assumeNode(key, f.Type.Key)
			m.assumeNode(value, f.Type.Value)
		}
	}
}

// find gives the child of a group that is a field, nil if it has none.
func (m *parquetMatcher) find(group *parquet.SchemaNode, id int) *parquet.SchemaNode {
	for _, c := range group.Children {
		if m.ids == nil {
			if c.FieldID == id {
				return c
			}
		} else if got, ok := m.ids[c]; ok && got == id {
			return c
		}
	}
	return nil
}

// finish turns what a codec gave into the wanted column; nil: it is that.
type finish func(column.Column) (column.Column, error)

// want says how to read a field of a group as a type.
func (m *parquetMatcher) want(group *parquet.SchemaNode, f *iceberg.Field, t *types.Type) (parquet.Want, finish, error) {
	var n *parquet.SchemaNode
	if group != nil && f.Type.Kind != iceberg.Unknown { // unknown reads as NULL even where something is stored
		n = m.find(group, f.ID)
	}
	if n == nil {
		v, err := defaultOf(f)
		return parquet.Want{Type: t, Default: v}, nil, err
	}
	return m.node(n, f.Type, t)
}

func (m *parquetMatcher) node(n *parquet.SchemaNode, ft *iceberg.Type, t *types.Type) (parquet.Want, finish, error) {
	w := parquet.Want{Node: n, Type: t}
	switch ft.Kind {
	case iceberg.Struct:
		return m.structWant(w, ft, t)
	case iceberg.List:
		elem, ok := n.ListElement()
		if !ok {
			return w, nil, misfit(n, ft)
		}
		c, fin, err := m.node(elem, ft.Elem.Type, t.Elem())
		w.Children, w.Type = []parquet.Want{c}, types.Array(c.Type)
		return w, finishArray(fin), err
	case iceberg.Map:
		return m.mapWant(w, ft, t)
	case iceberg.Variant:
		return m.variantWant(w, t)
	}
	if !n.IsLeaf() {
		return w, nil, misfit(n, ft)
	}
	if n.Logical.Kind == parquet.LogicalDate && types.Unwrap(t).Kind() == types.KindDateTime64 {
		from := types.Date32 // promoted from date
		if t.IsNullable() {
			w.Type = types.Nullable(from)
		} else {
			w.Type = from
		}
		return w, datesToTimes(types.Unwrap(t).Scale()), nil
	}
	return w, nil, nil
}

func misfit(n *parquet.SchemaNode, t *iceberg.Type) error {
	return cherr.New(cherr.IncorrectData, "column `%s` of the file is no %s", n.Name, t)
}

func (m *parquetMatcher) structWant(w parquet.Want, ft *iceberg.Type, t *types.Type) (parquet.Want, finish, error) {
	if w.Node.IsLeaf() {
		return w, nil, misfit(w.Node, ft)
	}
	elems := append([]*types.Type(nil), t.Elems()...)
	fins := make([]finish, len(elems))
	any := false
	for i := range ft.Fields {
		c, fin, err := m.want(w.Node, &ft.Fields[i], elems[i])
		if err != nil {
			return w, nil, err
		}
		w.Children = append(w.Children, c)
		elems[i], fins[i] = c.Type, fin
		any = any || fin != nil
	}
	if w.Children == nil {
		w.Children = []parquet.Want{}
	}
	w.Type = types.Tuple(elems, t.Names())
	if !any {
		return w, nil, nil
	}
	return w, finishTuple(fins), nil
}

func (m *parquetMatcher) mapWant(w parquet.Want, ft *iceberg.Type, t *types.Type) (parquet.Want, finish, error) {
	key, value, ok := w.Node.MapEntry()
	if !ok {
		return w, nil, misfit(w.Node, ft)
	}
	k, kf, err := m.node(key, ft.Key.Type, t.Elems()[0])
	if err != nil {
		return w, nil, err
	}
	v, vf, err := m.node(value, ft.Value.Type, t.Elems()[1])
	w.Children, w.Type = []parquet.Want{k, v}, types.Map(k.Type, v.Type)
	return w, finishMap(kf, vf), err
}

// variantWant reads the two parts of a variant, from which its text is made.
func (m *parquetMatcher) variantWant(w parquet.Want, t *types.Type) (parquet.Want, finish, error) {
	meta, value := w.Node.Child("metadata"), w.Node.Child("value")
	if meta == nil {
		return w, nil, cherr.New(cherr.IncorrectData, "variant column `%s` has no metadata", w.Node.Name)
	}
	if value == nil || w.Node.Child("typed_value") != nil {
		return shreddedWant(w, meta, t)
	}
	part := types.Nullable(types.String)
	w.Type = types.Tuple([]*types.Type{part, part}, []string{"metadata", "value"})
	w.Children = []parquet.Want{{Node: meta, Type: part}, {Node: value, Type: part}}
	return w, variantText(t.IsNullable()), nil
}
