package iceberg

import (
	"slices"

	"lakeserver/cherr"
)

// AddSchema adds a schema, whose id is chosen when it is applied; one that is
// there already is taken again.
type AddSchema struct {
	Schema *Schema `json:"schema"`
	// LastColumnID is the greatest field id ever given; 0: the schema's own.
	LastColumnID int `json:"last-column-id,omitempty"`
}

// Action gives the update's name.
func (AddSchema) Action() string { return "add-schema" }

func (u AddSchema) apply(b *Builder) error {
	if err := u.Schema.checkVersion(b.m.FormatVersion); err != nil {
		return err
	}
	last := max(u.LastColumnID, u.Schema.HighestID())
	if u.LastColumnID != 0 && u.LastColumnID < b.m.LastColumnID {
		return cherr.New(cherr.BadArguments, "The last column id cannot go down from %d to %d", b.m.LastColumnID, u.LastColumnID)
	}
	b.changed = b.changed || last > b.m.LastColumnID
	b.m.LastColumnID = max(b.m.LastColumnID, last)
	id := 0
	for _, s := range b.m.Schemas {
		if s.Same(u.Schema) {
			b.lastSchema = s.ID
			return nil
		}
		id = max(id, s.ID+1)
	}
	s := *u.Schema
	s.ID = id
	b.m.Schemas = append(b.m.Schemas, &s)
	b.lastSchema = id
	b.changed = true
	return nil
}

// SetCurrentSchema makes a schema the table's own.
type SetCurrentSchema struct {
	SchemaID int `json:"schema-id"` // or LastAdded
}

// Action gives the update's name.
func (SetCurrentSchema) Action() string { return "set-current-schema" }

func (u SetCurrentSchema) apply(b *Builder) error {
	id, err := b.lastOr(u.SchemaID, b.lastSchema, "schema")
	if err != nil {
		return err
	}
	s := b.m.Schema(id)
	if s == nil {
		return cherr.New(cherr.BadArguments, "The table has no schema %d", id)
	}
	if id == b.m.CurrentSchemaID && len(b.m.Schemas) > 0 && !b.fresh {
		return nil
	}
	if err := s.checkVersion(b.m.FormatVersion); err != nil {
		return err
	}
	b.m.CurrentSchemaID = id
	b.changed = true
	return nil
}

// RemoveSchemas takes schemas away that nothing needs any more.
type RemoveSchemas struct {
	SchemaIDs []int `json:"schema-ids"`
}

// Action gives the update's name.
func (RemoveSchemas) Action() string { return "remove-schemas" }

func (u RemoveSchemas) apply(b *Builder) error {
	if slices.Contains(u.SchemaIDs, b.m.CurrentSchemaID) {
		return cherr.New(cherr.BadArguments, "The current schema %d cannot be removed", b.m.CurrentSchemaID)
	}
	b.m.Schemas = slices.DeleteFunc(b.m.Schemas, func(s *Schema) bool {
		gone := slices.Contains(u.SchemaIDs, s.ID)
		b.changed = b.changed || gone
		return gone
	})
	return nil
}
