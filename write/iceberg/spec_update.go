package iceberg

import (
	"slices"
	"strconv"

	"lakeserver/metadata/iceberg"
)

// AddPartitionField partitions files written from now on by one more field;
// name "" takes the reference implementation's.
func (e *Evolution) AddPartitionField(path []string, t iceberg.Transform, name string) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	if err := e.checkTerm(s, t); err != nil {
		return err
	}
	f := iceberg.PartitionField{SourceID: s.field.ID, FieldID: -1, Name: name, Transform: t}
	for i := range e.spec {
		if e.spec[i].SameAs(&f) {
			return e.refuse("There is a partition field `%s` with %s of column `%s` already", e.spec[i].Name, t, s.field.Name)
		}
	}
	if old := e.known(&f); old != nil && (name == "" || name == old.Name) {
		f = *old // a field that comes back is what it was
	}
	if f.Name == "" {
		f.Name = defaultName(e.pathOf(s), t)
	}
	for i := range e.spec {
		if e.spec[i].Name != f.Name {
			continue
		}
		if e.spec[i].Transform.Kind != iceberg.Void {
			return e.refuse("There is a partition field `%s` already", f.Name)
		}
		e.spec[i].Name += "_" + strconv.Itoa(e.spec[i].FieldID) // the dropped one makes room
	}
	e.spec = append(e.spec, f)
	return nil
}

// known gives the equal field that the base's specs have, the present one
// first. Version 1 numbers fields by their place, so none comes back there
// but one dropped in this same change.
func (e *Evolution) known(f *iceberg.PartitionField) *iceberg.PartitionField {
	if e.version == 1 {
		return nil
	}
	for i := range e.gone {
		if e.gone[i].SameAs(f) {
			return &e.gone[i]
		}
	}
	for _, s := range e.base.Specs {
		for i := range s.Fields {
			if s.Fields[i].SameAs(f) {
				return &s.Fields[i]
			}
		}
	}
	return nil
}

func (e *Evolution) pathOf(s *spot) string {
	name := ""
	for _, f := range s.above {
		name += f.Name + "."
	}
	return name + s.field.Name
}

// defaultName names a field as the reference implementation's evolution does.
func defaultName(source string, t iceberg.Transform) string {
	switch t.Kind {
	case iceberg.Identity:
		return source
	case iceberg.Bucket:
		return source + "_bucket_" + strconv.Itoa(t.N)
	case iceberg.Truncate:
		return source + "_trunc_" + strconv.Itoa(t.N)
	}
	return source + "_" + t.String()
}

// checkTerm tells whether a transform may stand over a column.
func (e *Evolution) checkTerm(s *spot, t iceberg.Transform) error {
	for _, f := range s.above {
		if f.Type.Kind != iceberg.Struct {
			return e.refuse("Column `%s` cannot be partitioned or sorted by: it is inside of a %s", e.pathOf(s), f.Type)
		}
	}
	if !t.Fits(s.field.Type) {
		return e.refuse("The transform %s does not fit column `%s` of type %s", t, e.pathOf(s), s.field.Type)
	}
	return nil
}

// DropPartitionField takes a field out of the partitioning of files written
// from now on.
func (e *Evolution) DropPartitionField(path []string, t iceberg.Transform) error {
	s, err := e.find(path)
	if err == nil {
		want := iceberg.PartitionField{SourceID: s.field.ID, Transform: t}
		for i := range e.spec {
			if e.spec[i].SameAs(&want) {
				e.dropField(i)
				return nil
			}
		}
	}
	if len(path) == 1 && t.Kind == iceberg.Identity {
		return e.DropPartitionFieldNamed(path[0])
	}
	if err != nil {
		return err
	}
	return e.refuse("There is no partition field with %s of column `%s`", t, e.pathOf(s))
}

// DropPartitionFieldNamed is DropPartitionField by the field's own name.
func (e *Evolution) DropPartitionFieldNamed(name string) error {
	for i := range e.spec {
		if e.spec[i].Name == name && e.spec[i].Transform.Kind != iceberg.Void {
			e.dropField(i)
			return nil
		}
	}
	return e.refuse("There is no partition field `%s`", name)
}

// dropField: version 1 knows fields by their place, so one that goes leaves a
// void there (iceberg.md §1.7).
func (e *Evolution) dropField(i int) {
	added := !slices.ContainsFunc(e.base.DefaultSpec().Fields, func(f iceberg.PartitionField) bool { return f.FieldID == e.spec[i].FieldID })
	if !added {
		e.gone = append(e.gone, e.spec[i])
	}
	if e.version == 1 && !added {
		e.spec[i].Transform = iceberg.Transform{Kind: iceberg.Void}
		return
	}
	e.spec = slices.Delete(e.spec, i, i+1)
}

// ClearPartition leaves files written from now on unpartitioned.
func (e *Evolution) ClearPartition() {
	for i := len(e.spec) - 1; i >= 0; i-- {
		if e.spec[i].Transform.Kind != iceberg.Void {
			e.dropField(i)
		}
	}
}

// changeSpec adds what makes the partitioning the table's.
func (e *Evolution) changeSpec(c *Change, schema *iceberg.Schema) error {
	was := e.base.DefaultSpec()
	same := slices.EqualFunc(was.Fields, e.spec, func(a, b iceberg.PartitionField) bool { return a.Name == b.Name && a.SameAs(&b) })
	if same {
		return nil
	}
	spec := &iceberg.PartitionSpec{Fields: e.spec}
	if err := iceberg.CheckSpec(spec, schema); err != nil {
		return err
	}
	c.Requirements = append(c.Requirements, iceberg.AssertDefaultSpecID{ID: e.base.DefaultSpecID}, iceberg.AssertLastAssignedPartitionID{ID: e.base.LastPartitionID})
	c.Updates = append(c.Updates, iceberg.AddSpec{Spec: spec}, iceberg.SetDefaultSpec{SpecID: iceberg.LastAdded})
	return nil
}
