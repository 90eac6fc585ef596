package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// RegisterTable makes the table what an earlier one of its metadata files
// says: columns, partitioning, order, properties, branches and tags. The
// snapshots made since stay until they expire, so that nothing is lost; the
// format version stays, too.
func RegisterTable(m *iceberg.TableMetadata) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		if m.UUID != base.UUID {
			return nil, cherr.New(cherr.BadArguments, "%s is the metadata of another table, %s", m.File, m.UUID)
		}
		c := &Change{Requirements: []iceberg.Requirement{iceberg.AssertUUID{UUID: base.UUID}, iceberg.AssertCurrentSchemaID{ID: base.CurrentSchemaID}}}
		c.Updates = []iceberg.Update{
			iceberg.AddSchema{Schema: m.CurrentSchema()},
			iceberg.SetCurrentSchema{SchemaID: iceberg.LastAdded},
			iceberg.AddSpec{Spec: m.DefaultSpec()},
			iceberg.SetDefaultSpec{SpecID: iceberg.LastAdded},
			iceberg.AddSortOrder{SortOrder: *m.SortOrder(m.DefaultSortOrderID)},
			iceberg.SetDefaultSortOrder{SortOrderID: iceberg.LastAdded},
			iceberg.SetProperties{Updates: m.Properties},
		}
		var gone []string
		for name := range base.Properties {
			if _, ok := m.Properties[name]; !ok {
				gone = append(gone, name)
			}
		}
		c.Updates = append(c.Updates, iceberg.RemoveProperties{Removals: gone})
		if err := registerRefs(c, m, base); err != nil {
			return nil, err
		}
		return c, changesAnything(base, c)
	})
}

// registerRefs moves branches and tags to where m has them.
func registerRefs(c *Change, m, base *iceberg.TableMetadata) error {
	for _, name := range sortedRefs(base) {
		c.Requirements = append(c.Requirements, refStays(base, name))
		if _, ok := m.Refs[name]; !ok {
			c.Updates = append(c.Updates, iceberg.RemoveSnapshotRef{Name: name})
		}
	}
	for _, name := range sortedRefs(m) {
		r := m.Refs[name]
		if base.Snapshot(r.SnapshotID) == nil {
			return cherr.New(cherr.BadArguments, "%s cannot be taken as the newest: snapshot %d of `%s` has expired", m.File, r.SnapshotID, name)
		}
		c.Updates = append(c.Updates, iceberg.SetSnapshotRef{Name: name, Ref: r})
	}
	return nil
}
