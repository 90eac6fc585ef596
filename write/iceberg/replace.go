package iceberg

import (
	"context"
	"slices"

	"lakeserver/metadata/iceberg"
)

// Replace makes a table anew in place: another schema, partitioning and order,
// and no rows. Its identity and its earlier snapshots stay.
type Replace struct{ Definition iceberg.NewTable }

// Plan implements Operation.
func (r *Replace) Plan(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
	ups, err := ReplaceUpdates(base, r.Definition)
	if err != nil {
		return nil, err
	}
	return &Change{Requirements: []iceberg.Requirement{iceberg.AssertUUID{UUID: base.UUID}, iceberg.AssertLastAssignedFieldID{ID: base.LastColumnID}}, Updates: ups}, nil
}

// ReplaceUpdates gives what makes a table one of another definition.
func ReplaceUpdates(base *iceberg.TableMetadata, def iceberg.NewTable) ([]iceberg.Update, error) {
	last := base.LastColumnID
	fields := slices.Clone(def.Fields)
	assignReplaced(fields, base.CurrentSchema().Fields, func() int { last++; return last })
	schema, err := iceberg.NewSchema(-1, fields, nil)
	if err != nil {
		return nil, err
	}
	spec := &iceberg.PartitionSpec{ID: -1}
	for _, f := range def.Partition {
		p, err := schema.PartitionField(f)
		if err != nil {
			return nil, err
		}
		spec.Fields = append(spec.Fields, p)
	}
	order, err := schema.SortOrder(def.Sort)
	if err != nil {
		return nil, err
	}
	var ups []iceberg.Update
	if def.FormatVersion > base.FormatVersion {
		ups = append(ups, iceberg.UpgradeFormatVersion{Version: def.FormatVersion})
	}
	ups = append(ups,
		iceberg.RemoveSnapshotRef{Name: iceberg.MainBranch},
		iceberg.AddSchema{Schema: schema, LastColumnID: last}, iceberg.SetCurrentSchema{SchemaID: iceberg.LastAdded},
		iceberg.AddSpec{Spec: spec}, iceberg.SetDefaultSpec{SpecID: iceberg.LastAdded},
		iceberg.AddSortOrder{SortOrder: order}, iceberg.SetDefaultSortOrder{SortOrderID: iceberg.LastAdded},
	)
	if len(def.Properties) > 0 {
		ups = append(ups, iceberg.SetProperties{Updates: def.Properties})
	}
	return ups, nil
}

// assignReplaced gives ids: a column of the same name and type keeps its own,
// so that files of before can still be read by it; all others get new ones.
func assignReplaced(fields, old []iceberg.Field, next func() int) {
	var fresh []*iceberg.Field
	for i := range fields {
		f := &fields[i]
		kept := false
		for j := range old {
			if o := &old[j]; o.Name == f.Name && !f.Type.Nested() && f.Type.Equal(o.Type) {
				f.ID, kept = o.ID, true
			}
		}
		if !kept {
			fresh = append(fresh, f)
		}
	}
	for _, f := range fresh {
		one := []iceberg.Field{*f}
		iceberg.AssignIDs(one, next)
		*f = one[0]
	}
}
