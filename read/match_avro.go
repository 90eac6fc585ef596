package read

import (
	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// avroMatcher finds the columns of one Avro file by field id.
type avroMatcher struct {
	root *avro.Schema
	ids  map[*avro.Field]int // of files without ids; nil: the file's own
}

func newAvroMatcher(root *avro.Schema, schema *iceberg.Schema, mapping []iceberg.NameMapping) *avroMatcher {
	m := &avroMatcher{root: root}
	for i := range root.Fields {
		if root.Fields[i].ID >= 0 {
			return m
		}
	}
	m.ids = map[*avro.Field]int{}
	if mapping != nil {
		m.mapNames(root, mapping, 0)
	} else {
		m.assumeNames(root, schema.Fields, 0)
	}
	return m
}

const maxNesting = 100

func (m *avroMatcher) mapNames(s *avro.Schema, mapping []iceberg.NameMapping, depth int) {
	if s = s.Plain(); s == nil || depth > maxNesting {
		return
	}
	switch {
	case s.IsEntryArray():
		for i, name := range []string{"key", "value"} {
			if e := findMapping(mapping, name); e != nil {
				m.mapNames(s.Elem.Fields[i].Type, e.Fields, depth+1)
			}
		}
	case s.Kind == avro.Record:
		for i := range s.Fields {
			if e := findMapping(mapping, s.Fields[i].Name); e != nil {
				if e.ID != nil {
					m.ids[&s.Fields[i]] = *e.ID
				}
				m.mapNames(s.Fields[i].Type, e.Fields, depth+1)
			}
		}
	case s.Kind == avro.Array:
		if e := findMapping(mapping, "element"); e != nil {
			m.mapNames(s.Elem, e.Fields, depth+1)
		}
	case s.Kind == avro.Map:
		if e := findMapping(mapping, "value"); e != nil {
			m.mapNames(s.Elem, e.Fields, depth+1)
		}
	}
}

func (m *avroMatcher) assumeNames(s *avro.Schema, fields []iceberg.Field, depth int) {
	if s = s.Plain(); s == nil || s.Kind != avro.Record || depth > maxNesting {
		return
	}
	for i := range fields {
		for j := range s.Fields {
			if s.Fields[j].Name == fields[i].Name {
				m.ids[&s.Fields[j]] = fields[i].ID
				if fields[i].Type.Kind == iceberg.Struct {
					m.assumeNames(s.Fields[j].Type, fields[i].Type.Fields, depth+1)
				}
			}
		}
	}
}

// find gives the index of a field in a record, -1 if it has none.
func (m *avroMatcher) find(s *avro.Schema, id int) int {
	for i := range s.Fields {
		if m.ids == nil {
			if s.Fields[i].ID == id {
				return i
			}
		} else if got, ok := m.ids[&s.Fields[i]]; ok && got == id {
			return i
		}
	}
	return -1
}

// want says how to read a field of a record as a type.
func (m *avroMatcher) want(record *avro.Schema, f *iceberg.Field, t *types.Type) (avro.Want, finish, error) {
	at := -1
	if f.Type.Kind != iceberg.Unknown {
		at = m.find(record, f.ID)
	}
	if at < 0 {
		v, err := defaultOf(f)
		return avro.Want{Field: -1, Type: t, Value: v}, nil, err
	}
	w, fin, err := m.node(record.Fields[at].Type, f.Type, t)
	w.Field = at
	return w, fin, err
}

func (m *avroMatcher) node(s *avro.Schema, ft *iceberg.Type, t *types.Type) (avro.Want, finish, error) {
	w := avro.Want{Type: t}
	plain := s.Plain()
	if plain == nil {
		return w, nil, cherr.New(cherr.NotImplemented, "a union of several types cannot be read as %s", t)
	}
	bad := func() (avro.Want, finish, error) {
		return w, nil, cherr.New(cherr.IncorrectData, "a column of the file is no %s", ft)
	}
	switch ft.Kind {
	case iceberg.Struct:
		if plain.Kind != avro.Record {
			return bad()
		}
		return m.structWant(w, plain, ft, t)
	case iceberg.List:
		if plain.Kind != avro.Array {
			return bad()
		}
		c, fin, err := m.node(plain.Elem, ft.Elem.Type, t.Elem())
		w.Parts, w.Type = []avro.Want{c}, types.Array(c.Type)
		return w, finishArray(fin), err
	case iceberg.Map:
		key, value := &avro.Schema{Kind: avro.String}, plain.Elem
		if plain.IsEntryArray() {
			key, value = plain.Elem.Fields[0].Type, plain.Elem.Fields[1].Type
		} else if plain.Kind != avro.Map {
			return bad()
		}
		k, kf, err := m.node(key, ft.Key.Type, t.Elems()[0])
		if err != nil {
			return w, nil, err
		}
		v, vf, err := m.node(value, ft.Value.Type, t.Elems()[1])
		w.Parts, w.Type = []avro.Want{k, v}, types.Map(k.Type, v.Type)
		return w, finishMap(kf, vf), err
	case iceberg.Variant:
		return m.variantWant(w, plain, t)
	}
	return w, nil, nil
}

func (m *avroMatcher) structWant(w avro.Want, s *avro.Schema, ft *iceberg.Type, t *types.Type) (avro.Want, finish, error) {
	elems := append([]*types.Type(nil), t.Elems()...)
	fins := make([]finish, len(elems))
	any := false
	for i := range ft.Fields {
		c, fin, err := m.want(s, &ft.Fields[i], elems[i])
		if err != nil {
			return w, nil, err
		}
		w.Parts = append(w.Parts, c)
		elems[i], fins[i] = c.Type, fin
		any = any || fin != nil
	}
	w.Type = types.Tuple(elems, t.Names())
	if !any {
		return w, nil, nil
	}
	return w, finishTuple(fins), nil
}

func (m *avroMatcher) variantWant(w avro.Want, s *avro.Schema, t *types.Type) (avro.Want, finish, error) {
	part := types.Nullable(types.String)
	w.Type = types.Tuple([]*types.Type{part, part}, []string{"metadata", "value"})
	for _, name := range []string{"metadata", "value"} {
		at := -1
		for i := range s.Fields {
			if s.Fields[i].Name == name {
				at = i
			}
		}
		if at < 0 {
			return w, nil, cherr.New(cherr.IncorrectData, "a variant has no %s", name)
		}
		w.Parts = append(w.Parts, avro.Want{Field: at, Type: part})
	}
	return w, variantText(t.IsNullable()), nil
}
