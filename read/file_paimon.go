package read

import (
	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
	"lakeserver/types"
)

// bindPaimon binds the virtual columns that only Paimon tables have, and says
// how those are computed that the file does not store.
func (f *fileUnits) bindPaimon(c *Column, b *binding) {
	p := f.task.Paimon
	e := p.Entry
	switch c.Virtual {
	case VirtualBucket:
		b.value = column.FromValue(c.Type, int32(e.Bucket), 1).Value
	case VirtualLevel:
		b.value = column.FromValue(c.Type, int32(e.File.Level), 1).Value
	case VirtualSequence:
		if p.Schema.HasPrimaryKey() {
			return
		}
		// Rows of an append table are numbered, unless they are tracked: then
		// all that a commit wrote have its number.
		b.last = e.File.FirstRowID != nil || e.File.MaxSequence-e.File.MinSequence+1 != e.File.Rows
		b.number, b.base = !b.last, e.File.MinSequence
	}
}

// paimonColumns says where a table's columns stand in one file: by field id
// through the schema with which the file was written, under the names of then.
type paimonColumns struct {
	src  *Paimon
	file *PaimonFile
}

// place is where a column comes from.
type place struct {
	from  *paimon.Field // in the file; nil: it does not have the column
	value column.Value  // of every row, when the file does not have it
	fixed bool          // the value counts, whatever the file has
}

func (m *paimonColumns) place(c *Column) (p place, stored bool) {
	switch c.Virtual {
	case NotVirtual:
	case VirtualRowID:
		return place{from: m.named(paimon.RowIDField)}, true
	case VirtualSequence:
		return place{from: m.named(paimon.SequenceField)}, true
	case VirtualKind, virtualKindCode:
		if m.file.Schema.HasPrimaryKey() {
			return place{from: &valueKind}, true
		}
		return place{fixed: true, value: int8(kindInsert)}, true
	default:
		return p, false
	}
	for i, name := range m.src.Schema.PartitionKeys {
		if name == c.Paimon.Name && !m.src.AsClickHouse && i < len(m.file.Partition) {
			return place{fixed: true, value: m.file.Partition[i]}, true
		}
	}
	for i := range m.file.fields {
		if m.file.fields[i].ID == c.Paimon.ID {
			return place{from: &m.file.fields[i]}, true
		}
	}
	return place{}, true
}

var (
	valueKind = paimon.Field{Name: paimon.ValueKindField, Type: &paimon.Type{Kind: paimon.TinyInt, NotNull: true}}
	longField = paimon.Type{Kind: paimon.BigInt}
)

// named gives one of the columns that Paimon adds, nil when the file may not
// have it: then its values are computed.
func (m *paimonColumns) named(name string) *paimon.Field {
	if m.file.Schema.HasPrimaryKey() && name == paimon.SequenceField {
		return &paimon.Field{Name: name, Type: &longField}
	}
	for i := range m.file.fields {
		if m.file.fields[i].Name == name {
			return &m.file.fields[i]
		}
	}
	return nil
}

// paimonParquet is paimonColumns of a Parquet file.
type paimonParquet struct {
	paimonColumns
	root *parquet.SchemaNode
}

func (src *Paimon) parquetColumns(t *Task, root *parquet.SchemaNode) (parquetColumns, error) {
	return &paimonParquet{paimonColumns{src, t.Paimon}, root}, nil
}

func (m *paimonParquet) column(c *Column) (w parquet.Want, fin finish, stored bool, err error) {
	p, stored := m.place(c)
	w.Type = c.Type
	var n *parquet.SchemaNode
	if p.from != nil && !p.fixed {
		n = m.root.Child(p.from.Name)
	}
	if c.Virtual == VirtualRowID || c.Virtual == VirtualSequence {
		if n == nil {
			return w, nil, false, nil
		}
		w.Node = n
		return w, nil, true, nil
	}
	if c.Virtual == VirtualKind || c.Virtual == virtualKindCode {
		w.Node, w.Default = n, p.value
		return kindWant(w, c)
	}
	if !stored || n == nil {
		w.Default = p.value
		return w, nil, stored, nil
	}
	w, fin, err = m.node(n, p.from.Type, c.Paimon.Type, c.Type)
	return w, fin, true, err
}

// kindWant reads row kinds: as they are, or as text.
func kindWant(w parquet.Want, c *Column) (parquet.Want, finish, bool, error) {
	if w.Node == nil && w.Default == nil {
		return w, nil, false, cherr.New(cherr.IncorrectData, "the file has no column %s", paimon.ValueKindField)
	}
	if c.Virtual == virtualKindCode {
		return w, nil, true, nil
	}
	if w.Node == nil {
		w.Default = kindNames.StringAt(int(w.Default.(int8)))
		return w, nil, true, nil
	}
	w.Type = types.Int8
	return w, kindText, true, nil
}

var kindNames = column.NewStr("+I", "-U", "+U", "-D")

// kindText gives row kinds their names.
func kindText(c column.Column) (column.Column, error) {
	codes := column.Values[int8](column.Full(c))
	out := &column.Dict{Codes: make([]uint32, len(codes)), Values: kindNames}
	for i, k := range codes {
		if k < 0 || k > kindDelete {
			return nil, cherr.New(cherr.IncorrectData, "row kind %d is not known", k)
		}
		out.Codes[i] = uint32(k)
	}
	return out, nil
}

// node reads a column of one type as another.
func (m *paimonParquet) node(n *parquet.SchemaNode, from, to *paimon.Type, t *types.Type) (parquet.Want, finish, error) { // long: one case a type
	w := parquet.Want{Node: n, Type: t}
	bad := func() (parquet.Want, finish, error) {
		return w, nil, cherr.New(cherr.IncorrectData, "column `%s` of the file is no %s", n.Name, from)
	}
	switch {
	case from.Kind == paimon.Row && to.Kind == paimon.Row:
		if n.IsLeaf() {
			return bad()
		}
		return m.structWant(w, from, to, t)
	case isList(from) && isList(to):
		elem, ok := n.ListElement()
		if !ok {
			return bad()
		}
		c, fin, err := m.node(elem, from.Elem, to.Elem, t.Elem())
		w.Children, w.Type = []parquet.Want{c}, types.Array(c.Type)
		return w, finishArray(fin), err
	case isMap(from) && isMap(to):
		key, value, ok := n.MapEntry()
		if !ok {
			return bad()
		}
		fk, fv := from.MapParts()
		tk, tv := to.MapParts()
		k, kf, err := m.node(key, fk, tk, t.Elems()[0])
		if err != nil {
			return w, nil, err
		}
		v, vf, err := m.node(value, fv, tv, t.Elems()[1])
		w.Children, w.Type = []parquet.Want{k, v}, types.Map(k.Type, v.Type)
		return w, finishMap(kf, vf), err
	case from.Kind == paimon.Variant && to.Kind == paimon.Variant:
		return (&parquetMatcher{}).variantWant(w, t)
	}
	if !n.IsLeaf() {
		return bad()
	}
	if direct(from, to) && parquet.Readable(n, t) {
		return w, m.timeFinish(to), nil
	}
	ft, err := paimon.ClickHouseType(from.Nullable(), false)
	if err != nil {
		return w, nil, err
	}
	w.Type = ft
	fin, err := m.cast(from, to, t)
	return w, fin, err
}

func isList(t *paimon.Type) bool { return t.Kind == paimon.Array || t.Kind == paimon.Vector }
func isMap(t *paimon.Type) bool  { return t.Kind == paimon.Map || t.Kind == paimon.Multiset }

func (m *paimonParquet) structWant(w parquet.Want, from, to *paimon.Type, t *types.Type) (parquet.Want, finish, error) {
	elems := append([]*types.Type(nil), t.Elems()...)
	fins := make([]finish, len(elems))
	any := false
	w.Children = []parquet.Want{}
	for i := range to.Fields {
		c := parquet.Want{Type: elems[i]}
		f := fieldByID(from.Fields, to.Fields[i].ID)
		if f != nil {
			if n := w.Node.Child(f.Name); n != nil {
				var err error
				if c, fins[i], err = m.node(n, f.Type, to.Fields[i].Type, elems[i]); err != nil {
					return w, nil, err
				}
			}
		}
		w.Children = append(w.Children, c)
		elems[i] = c.Type
		any = any || fins[i] != nil
	}
	w.Type = types.Tuple(elems, t.Names())
	if !any {
		return w, nil, nil
	}
	return w, finishTuple(fins), nil
}

func fieldByID(fields []paimon.Field, id int) *paimon.Field {
	for i := range fields {
		if fields[i].ID == id {
			return &fields[i]
		}
	}
	return nil
}

// leaf gives the leaf whose statistics are bounds of a field as it is read:
// where the type was changed since, only widened numbers keep them.
func (m *paimonParquet) leaf(id int) (*parquet.SchemaNode, *types.Type) {
	to := m.src.Schema.FieldByID(id)
	if to == nil || m.src.AsClickHouse {
		return nil, nil
	}
	p, _ := m.place(&Column{Paimon: to})
	if p.from == nil || p.fixed || !direct(p.from.Type, to.Type) || to.Type.Kind == paimon.Time {
		return nil, nil
	}
	n := m.root.Child(p.from.Name)
	t, err := paimon.ClickHouseType(to.Type, false)
	if n == nil || err != nil || !n.IsLeaf() || n.MaxRep > 0 || !parquet.Readable(n, t) {
		return nil, nil
	}
	return n, t
}

func (m *paimonParquet) absent(id int) pruning.Range {
	to := m.src.Schema.FieldByID(id)
	if to == nil || m.src.AsClickHouse || to.Type.Nested() {
		return pruning.Range{}
	}
	p, _ := m.place(&Column{Paimon: to})
	if p.fixed || p.from == nil {
		return constantRange(p.value)
	}
	return pruning.Range{}
}

// paimonAvro is paimonColumns of an Avro file.
type paimonAvro struct {
	paimonColumns
	root *avro.Schema
}

func (src *Paimon) avroColumns(t *Task, root *avro.Schema) (avroColumns, error) {
	return &paimonAvro{paimonColumns{src, t.Paimon}, root}, nil
}

func avroField(s *avro.Schema, name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

func (m *paimonAvro) column(c *Column) (w avro.Want, fin finish, stored bool, err error) {
	p, stored := m.place(c)
	w.Type, w.Field = c.Type, -1
	if p.from != nil && !p.fixed {
		w.Field = avroField(m.root, p.from.Name)
	}
	if c.Virtual == VirtualRowID || c.Virtual == VirtualSequence {
		return w, nil, w.Field >= 0, nil
	}
	if c.Virtual == VirtualKind || c.Virtual == virtualKindCode {
		k := parquet.Want{Type: c.Type, Default: p.value}
		if w.Field >= 0 {
			k.Node = &parquet.SchemaNode{}
		}
		k, fin, stored, err = kindWant(k, c)
		w.Type, w.Value = k.Type, k.Default
		return w, fin, stored, err
	}
	if !stored || w.Field < 0 {
		w.Value = p.value
		return w, nil, stored, nil
	}
	at := w.Field
	w, fin, err = m.node(m.root.Fields[at].Type, p.from.Type, c.Paimon.Type, c.Type)
	w.Field = at
	return w, fin, true, err
}

func (m *paimonAvro) node(s *avro.Schema, from, to *paimon.Type, t *types.Type) (avro.Want, finish, error) { // long: one case a type
	w := avro.Want{Type: t}
	plain := s.Plain()
	bad := func() (avro.Want, finish, error) {
		return w, nil, cherr.New(cherr.IncorrectData, "a column of the file is no %s", from)
	}
	if plain == nil {
		return bad()
	}
	switch {
	case from.Kind == paimon.Row && to.Kind == paimon.Row:
		if plain.Kind != avro.Record {
			return bad()
		}
		return m.structWant(w, plain, from, to, t)
	case isList(from) && isList(to):
		if plain.Kind != avro.Array {
			return bad()
		}
		c, fin, err := m.node(plain.Elem, from.Elem, to.Elem, t.Elem())
		w.Parts, w.Type = []avro.Want{c}, types.Array(c.Type)
		return w, finishArray(fin), err
	case isMap(from) && isMap(to):
		key, value := &avro.Schema{Kind: avro.String}, plain.Elem
		if plain.IsEntryArray() {
			key, value = plain.Elem.Fields[0].Type, plain.Elem.Fields[1].Type
		} else if plain.Kind != avro.Map {
			return bad()
		}
		fk, fv := from.MapParts()
		tk, tv := to.MapParts()
		k, kf, err := m.node(key, fk, tk, t.Elems()[0])
		if err != nil {
			return w, nil, err
		}
		v, vf, err := m.node(value, fv, tv, t.Elems()[1])
		w.Parts, w.Type = []avro.Want{k, v}, types.Map(k.Type, v.Type)
		return w, finishMap(kf, vf), err
	}
	if from.Equal(to) && !m.src.AsClickHouse {
		fin := m.timeFinish(to)
		if to.Kind == paimon.Time && plain.Logical == "time-millis" {
			fin = truncated(to) // the codec brings it to microseconds
		}
		return w, fin, nil
	}
	ft, err := paimon.ClickHouseType(from.Nullable(), false)
	if err != nil {
		return w, nil, err
	}
	w.Type = ft
	fin, err := m.cast(from, to, t)
	if from.Kind == paimon.Time && plain.Logical == "time-millis" {
		fin = chain(fractions(1000, true), fin)
	}
	return w, fin, err
}

func (m *paimonAvro) structWant(w avro.Want, s *avro.Schema, from, to *paimon.Type, t *types.Type) (avro.Want, finish, error) {
	elems := append([]*types.Type(nil), t.Elems()...)
	fins := make([]finish, len(elems))
	any := false
	for i := range to.Fields {
		c := avro.Want{Field: -1, Type: elems[i]}
		if f := fieldByID(from.Fields, to.Fields[i].ID); f != nil {
			if at := avroField(s, f.Name); at >= 0 {
				var err error
				if c, fins[i], err = m.node(s.Fields[at].Type, f.Type, to.Fields[i].Type, elems[i]); err != nil {
					return w, nil, err
				}
				c.Field = at
			}
		}
		w.Parts = append(w.Parts, c)
		elems[i] = c.Type
		any = any || fins[i] != nil
	}
	w.Type = types.Tuple(elems, t.Names())
	if !any {
		return w, nil, nil
	}
	return w, finishTuple(fins), nil
}
