package iceberg

import (
	"bytes"
	"slices"

	"lakeserver/cherr"
)

// NewSchema makes a schema of fields that have their ids. It fails when two
// fields of one level have one name, or one id stands twice.
func NewSchema(id int, fields []Field, identifiers []int) (*Schema, error) {
	s := &Schema{ID: id, Fields: fields, IdentifierIDs: identifiers, byID: map[int]*Field{}}
	if err := checkFields(fields, map[int]bool{}); err != nil {
		return nil, err
	}
	index(s.Fields, s.byID)
	return s, s.checkIdentifiers()
}

// With gives the schema with other fields and identifiers, and all else of it.
func (s *Schema) With(fields []Field, identifiers []int) (*Schema, error) {
	out, err := NewSchema(s.ID, fields, identifiers)
	if err == nil {
		out.unknown = s.unknown
	}
	return out, err
}

func checkFields(fields []Field, ids map[int]bool) error {
	names := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Name == "":
			return cherr.New(cherr.BadArguments, "A column of an Iceberg table has no name")
		case names[f.Name]:
			return cherr.New(cherr.DuplicateColumn, "There are two columns `%s`", f.Name)
		}
		names[f.Name] = true
		if err := checkField(f, ids); err != nil {
			return err
		}
	}
	return nil
}

func checkField(f *Field, ids map[int]bool) error {
	if ids[f.ID] {
		return cherr.New(cherr.IcebergSpecificationViolation, "field id %d stands twice in the schema", f.ID)
	}
	ids[f.ID] = true
	for _, p := range f.Type.parts() {
		if err := checkField(p, ids); err != nil {
			return err
		}
	}
	return checkFields(f.Type.Fields, ids)
}

// parts gives what is inside a list or map.
func (t *Type) parts() []*Field {
	switch t.Kind {
	case List:
		return []*Field{t.Elem}
	case Map:
		return []*Field{t.Key, t.Value}
	}
	return nil
}

// checkIdentifiers holds the rules for identifier fields (iceberg.md §1.11):
// required primitives, not floats, not inside a list or map, not under an
// optional struct.
func (s *Schema) checkIdentifiers() error {
	for _, id := range s.IdentifierIDs {
		path := s.Path(id)
		if path == nil {
			return cherr.New(cherr.BadArguments, "Identifier field %d is not in the schema", id)
		}
		f := path[len(path)-1]
		switch {
		case f.Type.Nested():
			return cherr.New(cherr.BadArguments, "Column `%s` cannot be an identifier field: its type %s is not primitive", f.Name, f.Type)
		case f.Type.Kind == Float || f.Type.Kind == Double:
			return cherr.New(cherr.BadArguments, "Column `%s` cannot be an identifier field: its type is %s", f.Name, f.Type)
		}
		for _, p := range path {
			if !p.Required {
				return cherr.New(cherr.BadArguments, "Column `%s` cannot be an identifier field: `%s` is optional", f.Name, p.Name)
			}
			if p.Type.Kind == List || p.Type.Kind == Map {
				return cherr.New(cherr.BadArguments, "Column `%s` cannot be an identifier field: it is inside of `%s`, a %s", f.Name, p.Name, p.Type)
			}
		}
	}
	return nil
}

// Path gives the fields from a column down to the field of an id, nil when
// there is none.
func (s *Schema) Path(id int) []*Field { return pathTo(s.Fields, id, nil) }

func pathTo(fields []Field, id int, above []*Field) []*Field {
	for i := range fields {
		if p := pathInto(&fields[i], id, above); p != nil {
			return p
		}
	}
	return nil
}

func pathInto(f *Field, id int, above []*Field) []*Field {
	here := append(slices.Clip(above), f)
	if f.ID == id {
		return here
	}
	for _, part := range f.Type.parts() {
		if p := pathInto(part, id, here); p != nil {
			return p
		}
	}
	return pathTo(f.Type.Fields, id, here)
}

// Column gives the top-level field of a name, nil when there is none.
func (s *Schema) Column(name string) *Field {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// HighestID gives the greatest field id in use.
func (s *Schema) HighestID() int {
	last := 0
	for id := range s.byID {
		last = max(last, id)
	}
	return last
}

// AssignIDs gives new ids to fields and all inside of them: first those of one
// level, then what is nested, as the reference implementation does.
func AssignIDs(fields []Field, next func() int) {
	for i := range fields {
		fields[i].ID = next()
	}
	for i := range fields {
		fields[i].Type = withNewIDs(fields[i].Type, next)
	}
}

func withNewIDs(t *Type, next func() int) *Type {
	switch t.Kind {
	case Struct:
		fields := slices.Clone(t.Fields)
		AssignIDs(fields, next)
		return &Type{Kind: Struct, Fields: fields, unknown: t.unknown}
	case List:
		elem := *t.Elem
		elem.ID = next()
		elem.Type = withNewIDs(elem.Type, next)
		return &Type{Kind: List, Elem: &elem, unknown: t.unknown}
	case Map:
		key, value := *t.Key, *t.Value
		key.ID, value.ID = next(), next()
		key.Type, value.Type = withNewIDs(key.Type, next), withNewIDs(value.Type, next)
		return &Type{Kind: Map, Key: &key, Value: &value, unknown: t.unknown}
	}
	return t
}

// Equal tells whether two types are the same, field ids included.
func (t *Type) Equal(o *Type) bool {
	if t.Kind != o.Kind {
		return false
	}
	switch t.Kind {
	case Struct:
		return slices.EqualFunc(t.Fields, o.Fields, func(a, b Field) bool { return a.Equal(&b) })
	case List:
		return t.Elem.Equal(o.Elem)
	case Map:
		return t.Key.Equal(o.Key) && t.Value.Equal(o.Value)
	case Decimal:
		return t.Precision == o.Precision && t.Scale == o.Scale
	case Fixed:
		return t.Length == o.Length
	case Geometry, Geography, Unsupported:
		return t.Name == o.Name
	}
	return true
}

// Equal tells whether two fields are the same in everything.
func (f *Field) Equal(o *Field) bool {
	return f.ID == o.ID && f.Name == o.Name && f.Required == o.Required && f.Doc == o.Doc && f.Type.Equal(o.Type) &&
		bytes.Equal(f.InitialDefault, o.InitialDefault) && bytes.Equal(f.WriteDefault, o.WriteDefault)
}

// Same tells whether two schemas differ in their ids at most.
func (s *Schema) Same(o *Schema) bool {
	return slices.EqualFunc(s.Fields, o.Fields, func(a, b Field) bool { return a.Equal(&b) }) && slices.Equal(s.IdentifierIDs, o.IdentifierIDs)
}

// checkVersion refuses what a format version does not have yet.
func (s *Schema) checkVersion(version int) error {
	for _, f := range s.byID {
		if need := f.Type.minVersion(); need > version {
			return cherr.New(cherr.BadArguments, "Column `%s`: type %s needs Iceberg format version %d, the table has %d", f.Name, f.Type, need, version)
		}
		if (f.InitialDefault != nil || f.WriteDefault != nil) && version < 3 {
			return cherr.New(cherr.BadArguments, "Column `%s`: a default needs Iceberg format version 3, the table has %d", f.Name, version)
		}
	}
	return nil
}

// minVersion gives the format version that first has the type itself.
func (t *Type) minVersion() int {
	switch t.Kind {
	case Unknown, TimestampNS, TimestampTZNS, Variant, Geometry, Geography:
		return 3
	case Unsupported:
		return MaxFormatVersion + 1
	}
	return 1
}
