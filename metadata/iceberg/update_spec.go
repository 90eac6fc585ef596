package iceberg

import (
	"slices"
	"strconv"

	"lakeserver/cherr"
)

// AddSpec adds a partition spec, whose id and missing field ids (below 1) are
// chosen when it is applied; one that is there already is taken again.
type AddSpec struct {
	Spec *PartitionSpec `json:"spec"`
}

// Action gives the update's name.
func (AddSpec) Action() string { return "add-spec" }

func (u AddSpec) apply(b *Builder) error {
	id := 0
	for _, s := range b.m.Specs {
		if s.sameAs(u.Spec) {
			b.lastSpec = s.ID
			return nil
		}
		id = max(id, s.ID+1)
	}
	s := &PartitionSpec{ID: id, Fields: slices.Clone(u.Spec.Fields)}
	if err := CheckSpec(s, b.m.CurrentSchema()); err != nil {
		return err
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.FieldID <= 0 {
			f.FieldID = b.fieldID(f)
		}
		if b.m.FormatVersion == 1 && s.Fields[i].FieldID != noPartitionID+1+i {
			return cherr.New(cherr.BadArguments, "Partition fields of an Iceberg table of format version 1 must be numbered one after the other, but the field id of `%s` is %d", s.Fields[i].Name, s.Fields[i].FieldID)
		}
	}
	b.m.Specs = append(b.m.Specs, s)
	b.m.LastPartitionID = max(b.m.LastPartitionID, s.lastFieldID())
	b.lastSpec = id
	b.changed = true
	return nil
}

// fieldID gives the id of an equal field of any spec, or a new one
// (iceberg.md §1.7). Version 1 knows ids by position alone.
func (b *Builder) fieldID(f *PartitionField) int {
	for _, s := range b.m.Specs {
		for i := range s.Fields {
			if b.m.FormatVersion > 1 && s.Fields[i].SameAs(f) {
				return s.Fields[i].FieldID
			}
		}
	}
	b.m.LastPartitionID++
	return b.m.LastPartitionID
}

// CheckSpec holds the rules for a spec that is written to: every source a
// primitive column outside of lists and maps that the transform fits, names
// unique and not those of other columns, no field twice.
func CheckSpec(s *PartitionSpec, schema *Schema) error {
	names := map[string]bool{}
	families := map[string]string{}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == "" || names[f.Name] {
			return cherr.New(cherr.BadArguments, "Two partition fields have the name `%s`", f.Name)
		}
		names[f.Name] = true
		if c := schema.Column(f.Name); c != nil && f.Transform.Kind != Void && (f.Transform.Kind != Identity || c.ID != f.SourceID) {
			return cherr.New(cherr.BadArguments, "The name `%s` of a partition field is the name of another column", f.Name)
		}
		if f.Transform.Kind == Void {
			continue
		}
		if err := checkSource(f.SourceID, f.Transform, schema, "partition"); err != nil {
			return err
		}
		family := strconv.Itoa(f.SourceID) + " " + f.Transform.family()
		if other, ok := families[family]; ok {
			return cherr.New(cherr.BadArguments, "Partition field `%s` is redundant: there is `%s` already", f.Name, other)
		}
		families[family] = f.Name
	}
	return nil
}

// family makes one of the transforms of time, of which a column has one.
func (t Transform) family() string {
	switch t.Kind {
	case Year, Month, Day, Hour:
		return "time"
	}
	return transformNames[t.Kind] + strconv.Itoa(t.N)
}

// checkSource tells whether a transform may stand over a field.
func checkSource(id int, t Transform, schema *Schema, what string) error {
	if t.Kind == UnknownTransform {
		return cherr.New(cherr.BadArguments, "The transform %s of a %s field is not known", t, what)
	}
	path := schema.Path(id)
	if path == nil {
		return cherr.New(cherr.BadArguments, "The source column %d of a %s field is not in the schema", id, what)
	}
	f := path[len(path)-1]
	for _, p := range path {
		if p.Type.Kind == List || p.Type.Kind == Map {
			return cherr.New(cherr.BadArguments, "Column `%s` cannot be the source of a %s field: it is inside of `%s`, a %s", f.Name, what, p.Name, p.Type)
		}
	}
	if !t.Fits(f.Type) {
		return cherr.New(cherr.BadArguments, "The transform %s does not fit column `%s` of type %s", t, f.Name, f.Type)
	}
	return nil
}

// Fits tells whether the transform is defined for a type.
func (t Transform) Fits(source *Type) bool {
	switch t.Kind {
	case Identity:
		switch source.Kind {
		case Struct, List, Map, Variant, Geometry, Geography, Unknown, Unsupported:
			return false
		}
		return true
	case Void:
		return true
	case Year, Month, Day, Hour:
		switch source.Kind {
		case Date:
			return t.Kind != Hour
		case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
			return true
		}
	case Truncate:
		switch source.Kind {
		case Int, Long, Decimal, String, Binary:
			return true
		}
	case Bucket:
		switch source.Kind {
		case Int, Long, Decimal, Date, Time, Timestamp, TimestampTZ, TimestampNS, TimestampTZNS, String, UUID, Fixed, Binary:
			return true
		}
	}
	return false
}

// SetDefaultSpec makes a spec the one under which files are written.
type SetDefaultSpec struct {
	SpecID int `json:"spec-id"` // or LastAdded
}

// Action gives the update's name.
func (SetDefaultSpec) Action() string { return "set-default-spec" }

func (u SetDefaultSpec) apply(b *Builder) error {
	id, err := b.lastOr(u.SpecID, b.lastSpec, "partition spec")
	if err != nil {
		return err
	}
	if b.m.Spec(id) == nil {
		return cherr.New(cherr.BadArguments, "The table has no partition spec %d", id)
	}
	b.changed = b.changed || id != b.m.DefaultSpecID
	b.m.DefaultSpecID = id
	return nil
}

// RemovePartitionSpecs takes specs away that no file has any more.
type RemovePartitionSpecs struct {
	SpecIDs []int `json:"spec-ids"`
}

// Action gives the update's name.
func (RemovePartitionSpecs) Action() string { return "remove-partition-specs" }

func (u RemovePartitionSpecs) apply(b *Builder) error {
	if slices.Contains(u.SpecIDs, b.m.DefaultSpecID) {
		return cherr.New(cherr.BadArguments, "The default partition spec %d cannot be removed", b.m.DefaultSpecID)
	}
	b.m.Specs = slices.DeleteFunc(b.m.Specs, func(s *PartitionSpec) bool {
		gone := slices.Contains(u.SpecIDs, s.ID)
		b.changed = b.changed || gone
		return gone
	})
	return nil
}

// AddSortOrder adds a sort order, whose id is chosen when it is applied: 0 for
// one without fields; one that is there already is taken again.
type AddSortOrder struct {
	SortOrder SortOrder `json:"sort-order"`
}

// Action gives the update's name.
func (AddSortOrder) Action() string { return "add-sort-order" }

func (u AddSortOrder) apply(b *Builder) error {
	id := 1
	for i := range b.m.SortOrders {
		o := &b.m.SortOrders[i]
		if o.sameAs(&u.SortOrder) && (o.ID == 0) == (len(o.Fields) == 0) {
			b.lastOrder = o.ID
			return nil
		}
		id = max(id, o.ID+1)
	}
	for _, f := range u.SortOrder.Fields {
		if err := checkSource(f.SourceID, ParseTransform(f.Transform), b.m.CurrentSchema(), "sort"); err != nil {
			return err
		}
	}
	if len(u.SortOrder.Fields) == 0 {
		id = 0
	}
	b.m.SortOrders = append(b.m.SortOrders, SortOrder{ID: id, Fields: u.SortOrder.Fields})
	b.lastOrder = id
	b.changed = true
	return nil
}

// SetDefaultSortOrder makes a sort order the one in which files are written.
type SetDefaultSortOrder struct {
	SortOrderID int `json:"sort-order-id"` // or LastAdded
}

// Action gives the update's name.
func (SetDefaultSortOrder) Action() string { return "set-default-sort-order" }

func (u SetDefaultSortOrder) apply(b *Builder) error {
	id, err := b.lastOr(u.SortOrderID, b.lastOrder, "sort order")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(b.m.SortOrders, func(o SortOrder) bool { return o.ID == id }) {
		return cherr.New(cherr.BadArguments, "The table has no sort order %d", id)
	}
	b.changed = b.changed || id != b.m.DefaultSortOrderID
	b.m.DefaultSortOrderID = id
	return nil
}
