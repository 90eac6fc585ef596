package iceberg

import (
	"context"
	"errors"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// errStale marks a validation that failed: the rows that the statement read
// are not the table's any more.
var errStale = errors.New("another statement changed the same rows meanwhile")

// IsStale tells whether a commit failed because of what others committed since
// the statement read the table: read again, it may succeed.
func IsStale(err error) bool { return errors.Is(err, errStale) }

// Validation looks at what others committed since an operation read the table.
type Validation struct {
	Table *Table
	Base  *iceberg.TableMetadata
	Head  *iceberg.Snapshot // of the branch; nil: none
}

// Since calls f with each snapshot after the one of id from (-1: all), the
// newest first. A broken chain is an error: what is not known cannot be
// called no conflict.
func (v *Validation) Since(from int64, f func(s *iceberg.Snapshot) error) error {
	for s := v.Head; s != nil; {
		if s.ID == from {
			return nil
		}
		if err := f(s); err != nil {
			return err
		}
		parent, ok := s.Parent()
		if !ok {
			break
		}
		next := v.Base.Snapshot(parent)
		if next == nil {
			return Conflict("snapshot %d of Iceberg table %s has expired, so what came after it is not known", parent, v.Base.Location)
		}
		s = next
	}
	if from < 0 {
		return nil
	}
	return Conflict("snapshot %d, which this statement read, is no ancestor of the branch's head in Iceberg table %s", from, v.Base.Location)
}

// Files calls f with each file that the snapshots after from added (or, with
// removed, took out): status is Added or Deleted.
func (v *Validation) Files(ctx context.Context, from int64, deletes bool, f func(s *iceberg.Snapshot, spec *iceberg.PartitionSpec, e *iceberg.Entry) error) error {
	return v.Since(from, func(s *iceberg.Snapshot) error {
		lines, err := s.LoadManifests(ctx, v.Table.Loader, v.Table.Paths.Map)
		if err != nil {
			return err
		}
		for i := range lines {
			line := &lines[i]
			if line.AddedSnapshotID != s.ID || line.Deletes != deletes {
				continue
			}
			m, err := iceberg.LoadManifest(ctx, v.Table.Loader, v.Base, line, v.Table.Paths.Map(line.Path))
			if err != nil {
				return err
			}
			for k := range m.Entries {
				e := &m.Entries[k]
				if e.Status == iceberg.Existing || e.SnapshotID >= 0 && e.SnapshotID != s.ID {
					continue
				}
				if err := f(s, m.Spec, e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// NoNewData fails when a data file that matches was added since from.
func (v *Validation) NoNewData(ctx context.Context, from int64, match func(spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool) error {
	return v.Files(ctx, from, false, func(s *iceberg.Snapshot, spec *iceberg.PartitionSpec, e *iceberg.Entry) error {
		if op := s.Operation(); e.Status != iceberg.Added || op != "append" && op != "overwrite" || !match(spec, &e.File) {
			return nil
		}
		return Conflict("data file %s with rows that may match was added meanwhile", e.File.Path)
	})
}

// NoNewDeletes fails when row deletes that match were added since from.
func (v *Validation) NoNewDeletes(ctx context.Context, from int64, match func(spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool) error {
	return v.Files(ctx, from, true, func(_ *iceberg.Snapshot, spec *iceberg.PartitionSpec, e *iceberg.Entry) error {
		if e.Status != iceberg.Added || !match(spec, &e.File) {
			return nil
		}
		return Conflict("deletes %s for rows that this statement changes were added meanwhile", e.File.Path)
	})
}

// NoRemovedData fails when a data file that matches was taken out since from.
func (v *Validation) NoRemovedData(ctx context.Context, from int64, match func(spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool) error {
	return v.Files(ctx, from, false, func(_ *iceberg.Snapshot, spec *iceberg.PartitionSpec, e *iceberg.Entry) error {
		if e.Status != iceberg.Deleted || !match(spec, &e.File) {
			return nil
		}
		return Conflict("data file %s was taken out meanwhile", e.File.Path)
	})
}

// Unchanged fails when the branch has moved since from at all.
func (v *Validation) Unchanged(from int64) error {
	if v.Head == nil && from < 0 || v.Head != nil && v.Head.ID == from {
		return nil
	}
	return cherr.Wrap(errStale, "checking that Iceberg table %s has not changed", v.Base.Location)
}
