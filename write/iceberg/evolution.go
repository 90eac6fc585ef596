package iceberg

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// Evolution collects changes of what a table is — columns, partitioning,
// order, properties, format version — over one version of it. Each method
// makes one change or says why it may not be; Change gives all of them as one.
type Evolution struct {
	base    *iceberg.TableMetadata
	version int

	fields      []iceberg.Field // a copy of its own, at every depth
	lastID      int
	identifiers []int
	dropped     map[int]bool // fields of the base that went
	fewRead     bool

	spec  []iceberg.PartitionField
	gone  []iceberg.PartitionField // that were in the base's spec
	order *iceberg.SortOrder       // nil: as it was

	set     map[string]string
	removed map[string]bool
}

// Evolve starts from a version.
func Evolve(base *iceberg.TableMetadata) *Evolution {
	s := base.CurrentSchema()
	return &Evolution{
		base: base, version: base.FormatVersion,
		fields: cloneFields(s.Fields), lastID: base.LastColumnID, identifiers: slices.Clone(s.IdentifierIDs), dropped: map[int]bool{},
		spec: slices.Clone(base.DefaultSpec().Fields),
		set:  map[string]string{}, removed: map[string]bool{},
	}
}

// Version gives the format version that the table will have.
func (e *Evolution) Version() int { return e.version }

// Base gives the version that is changed.
func (e *Evolution) Base() *iceberg.TableMetadata { return e.base }

func cloneFields(fields []iceberg.Field) []iceberg.Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Type = cloneType(out[i].Type)
	}
	return out
}

func cloneType(t *iceberg.Type) *iceberg.Type {
	if !t.Nested() {
		return t
	}
	c := *t
	c.Fields = cloneFields(t.Fields)
	for _, part := range []**iceberg.Field{&c.Elem, &c.Key, &c.Value} {
		if *part != nil {
			f := **part
			f.Type = cloneType(f.Type)
			*part = &f
		}
	}
	return &c
}

func (e *Evolution) refuse(format string, args ...any) error {
	return cherr.New(cherr.BadArguments, format, args...)
}

// Upgrade makes the table one of a newer format version.
func (e *Evolution) Upgrade(version int) error {
	switch {
	case version < 1 || version > iceberg.MaxFormatVersion:
		return e.refuse("Iceberg format version %d is not supported, versions 1 to %d are", version, iceberg.MaxFormatVersion)
	case version < e.version:
		return e.refuse("An Iceberg table of format version %d cannot become one of version %d", e.version, version)
	}
	e.version = version
	return nil
}

// SetProperty sets a property of the table.
func (e *Evolution) SetProperty(name, value string) {
	e.set[name] = value
	delete(e.removed, name)
}

// RemoveProperty takes a property away.
func (e *Evolution) RemoveProperty(name string) {
	e.removed[name] = true
	delete(e.set, name)
}

// Change gives all changes as updates, with what must hold of the table when
// they land. Nothing changed: no updates.
func (e *Evolution) Change() (*Change, error) {
	c := &Change{Requirements: []iceberg.Requirement{iceberg.AssertUUID{UUID: e.base.UUID}}}
	if e.version != e.base.FormatVersion {
		c.Updates = append(c.Updates, iceberg.UpgradeFormatVersion{Version: e.version})
	}
	schema, err := e.changeSchema(c)
	if err != nil {
		return nil, err
	}
	if err := e.changeSpec(c, schema); err != nil {
		return nil, err
	}
	if err := e.changeOrder(c, schema); err != nil {
		return nil, err
	}
	if len(e.set) > 0 {
		c.Updates = append(c.Updates, iceberg.SetProperties{Updates: e.set})
	}
	var names []string
	for name := range e.removed {
		if _, ok := e.base.Properties[name]; ok {
			names = append(names, name)
		}
	}
	if slices.Sort(names); len(names) > 0 {
		c.Updates = append(c.Updates, iceberg.RemoveProperties{Removals: names})
	}
	return c, nil
}

// Alteration is the operation that evolves a table: Steps is asked in each
// attempt, over the newest version.
type Alteration struct {
	Steps func(e *Evolution) error
}

// Plan evolves base.
func (a *Alteration) Plan(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
	e := Evolve(base)
	if err := a.Steps(e); err != nil {
		return nil, err
	}
	c, err := e.Change()
	if err != nil {
		return nil, err
	}
	return c, changesAnything(base, c)
}

// changesAnything drops the updates when they leave everything as it is, so
// that no version is made for nothing.
func changesAnything(base *iceberg.TableMetadata, c *Change) error {
	b := iceberg.NewBuilder(base)
	if err := b.Apply(c.Updates...); err != nil {
		return err
	}
	if !b.Changed() {
		c.Updates = nil
	}
	return nil
}
