package iceberg

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"lakeserver/cherr"
)

// NewTable says what a table is to be. The ids of its fields, spec and order
// are given anew; partition and sort fields name their columns.
type NewTable struct {
	FormatVersion int
	UUID          string // "": a new one
	Location      string
	Fields        []Field
	Identifiers   []string // names of columns
	Partition     []NewPartitionField
	Sort          []NewSortField
	Properties    map[string]string
}

// NewPartitionField is a partition field over a column by name.
type NewPartitionField struct {
	Source    string // a column, with dots into structs
	Name      string // "": by the transform, as the reference implementation names it
	Transform Transform
}

// NewSortField is a sort field over a column by name.
type NewSortField struct {
	Source                          string
	Transform, Direction, NullOrder string
}

// NewTableMetadata makes the metadata of a table without a snapshot.
func NewTableMetadata(t NewTable) (*TableMetadata, error) {
	if t.FormatVersion < 1 || t.FormatVersion > MaxFormatVersion {
		return nil, cherr.New(cherr.BadArguments, "Iceberg format version %d is not supported, versions 1 to %d are", t.FormatVersion, MaxFormatVersion)
	}
	m := &TableMetadata{
		FormatVersion: t.FormatVersion, UUID: t.UUID, Location: trimSlash(t.Location), LastPartitionID: noPartitionID,
		CurrentSnapshotID: -1, Properties: map[string]string{}, Refs: map[string]Ref{},
	}
	if m.UUID == "" {
		m.UUID = uuid.NewString()
	}
	schema, last, err := t.schema()
	if err != nil {
		return nil, err
	}
	spec := &PartitionSpec{}
	for _, f := range t.Partition {
		p, err := schema.PartitionField(f)
		if err != nil {
			return nil, err
		}
		spec.Fields = append(spec.Fields, p)
	}
	order, err := schema.SortOrder(t.Sort)
	if err != nil {
		return nil, err
	}
	b := NewBuilder(m)
	b.fresh = true
	err = b.Apply(AddSchema{Schema: schema, LastColumnID: last}, SetCurrentSchema{LastAdded}, AddSpec{spec}, SetDefaultSpec{LastAdded},
		AddSortOrder{order}, SetDefaultSortOrder{LastAdded}, SetProperties{t.Properties})
	if err != nil {
		return nil, err
	}
	return b.Build()
}

func (t *NewTable) schema() (s *Schema, last int, err error) {
	fields := slices.Clone(t.Fields)
	AssignIDs(fields, func() int { last++; return last })
	var ids []int
	s, err = NewSchema(0, fields, nil)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range t.Identifiers {
		f := s.Lookup(name)
		if f == nil {
			return nil, 0, cherr.New(cherr.UnknownIdentifier, "There is no column `%s`", name)
		}
		ids = append(ids, f.ID)
	}
	s.IdentifierIDs = ids
	return s, last, s.checkIdentifiers()
}

// Lookup finds a field by its path of names: a column's own name, dots and
// all, or the fields of structs, `element` of lists, `key` and `value` of maps.
func (s *Schema) Lookup(path string) *Field { return lookup(s.Fields, path) }

func lookup(fields []Field, path string) *Field {
	for i := range fields {
		f := &fields[i]
		if f.Name == path {
			return f
		}
		if rest, ok := strings.CutPrefix(path, f.Name+"."); ok {
			if found := lookupInto(f, rest); found != nil {
				return found
			}
		}
	}
	return nil
}

func lookupInto(f *Field, path string) *Field {
	for _, p := range f.Type.parts() {
		if p.Name == path {
			return p
		}
		if rest, ok := strings.CutPrefix(path, p.Name+"."); ok {
			return lookupInto(p, rest)
		}
	}
	return lookup(f.Type.Fields, path)
}

// PartitionField makes a partition field over a column of the schema, without
// an id.
func (s *Schema) PartitionField(f NewPartitionField) (PartitionField, error) {
	source := s.Lookup(f.Source)
	if source == nil {
		return PartitionField{}, cherr.New(cherr.BadArguments, "Unknown field to partition %s.", f.Source)
	}
	if f.Name == "" {
		f.Name = f.Transform.FieldName(f.Source)
	}
	return PartitionField{SourceID: source.ID, FieldID: -1, Name: f.Name, Transform: f.Transform}, nil
}

// FieldName names a partition field as the reference implementation does.
func (t Transform) FieldName(source string) string {
	switch t.Kind {
	case Identity:
		return source
	case Truncate:
		return source + "_trunc"
	case Void:
		return source + "_null"
	}
	return source + "_" + transformNames[t.Kind]
}

// SortOrder makes a sort order over columns of the schema, without an id.
func (s *Schema) SortOrder(fields []NewSortField) (SortOrder, error) {
	var o SortOrder
	for _, f := range fields {
		source := s.Lookup(f.Source)
		if source == nil {
			return o, cherr.New(cherr.BadArguments, "Unknown field to sort by %s.", f.Source)
		}
		o.Fields = append(o.Fields, SortField{SourceID: source.ID, Transform: f.Transform, Direction: f.Direction, NullOrder: f.NullOrder})
	}
	return o, nil
}
