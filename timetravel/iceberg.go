package timetravel

import (
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// Version is one state of an Iceberg table: a snapshot, nil when the table has
// no rows yet, and the schema to read it with.
type Version struct {
	Snapshot *iceberg.Snapshot
	Schema   *iceberg.Schema
}

// Iceberg picks the version of a table. The head and branches are read with the
// table's current schema, a snapshot, a time or a tag with that of its time.
func Iceberg(m *iceberg.TableMetadata, w When, path string) (Version, error) {
	switch {
	case w.SnapshotID != nil:
		s := m.Snapshot(*w.SnapshotID)
		if s == nil {
			return Version{}, cherr.New(cherr.IcebergSpecificationViolation, "No snapshot found for id `%d`.", *w.SnapshotID)
		}
		return ofSnapshot(m, s)
	case w.TimestampMs != nil:
		return atTime(m, *w.TimestampMs, path)
	case w.Ref != "":
		return atRef(m, w.Ref, path)
	}
	return Version{Snapshot: m.Snapshot(m.CurrentSnapshotID), Schema: m.CurrentSchema()}, nil
}

func ofSnapshot(m *iceberg.TableMetadata, s *iceberg.Snapshot) (Version, error) {
	if s.SchemaID == nil {
		return Version{s, m.CurrentSchema()}, nil
	}
	schema := m.Schema(*s.SchemaID)
	if schema == nil {
		return Version{}, cherr.New(cherr.IcebergSpecificationViolation, "Schema %d of snapshot %d is not in the table's metadata", *s.SchemaID, s.ID)
	}
	return Version{s, schema}, nil
}

// atTime goes by the snapshot log and not by parents: after a rollback they
// tell different stories, and the log tells what readers saw then.
func atTime(m *iceberg.TableMetadata, ms int64, path string) (Version, error) {
	var id int64
	found := false
	for _, e := range log(m) {
		if e.TimestampMs <= ms {
			id, found = e.SnapshotID, true
		}
	}
	if !found {
		return Version{}, cherr.New(cherr.BadArguments, "No snapshot found in snapshot log before requested timestamp for iceberg table %s", path)
	}
	s := m.Snapshot(id)
	if s == nil {
		return Version{}, cherr.New(cherr.IcebergSpecificationViolation, "No snapshot found for id `%d`.", id)
	}
	return ofSnapshot(m, s)
}

// log gives the snapshot log, or for a table without one the current
// snapshot's ancestors.
func log(m *iceberg.TableMetadata) []iceberg.SnapshotLogEntry {
	if len(m.SnapshotLog) > 0 {
		return m.SnapshotLog
	}
	var out []iceberg.SnapshotLogEntry
	for _, s := range Ancestors(m, m.CurrentSnapshotID) {
		out = append(out, iceberg.SnapshotLogEntry{TimestampMs: s.TimestampMs, SnapshotID: s.ID})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].TimestampMs < out[j].TimestampMs })
	return out
}

// Ancestors gives a snapshot and those before it, itself first.
func Ancestors(m *iceberg.TableMetadata, id int64) []*iceberg.Snapshot {
	var out []*iceberg.Snapshot
	for s := m.Snapshot(id); s != nil && len(out) <= len(m.Snapshots); {
		out = append(out, s)
		parent, ok := s.Parent()
		if !ok {
			break
		}
		s = m.Snapshot(parent)
	}
	return out
}

func atRef(m *iceberg.TableMetadata, name, path string) (Version, error) {
	ref, ok := m.Refs[name]
	if !ok {
		var names []string
		for n := range m.Refs {
			names = append(names, n)
		}
		sort.Strings(names)
		hint := ""
		if len(names) > 0 {
			hint = ", there are: " + strings.Join(names, ", ")
		}
		return Version{}, cherr.New(cherr.BadArguments, "No branch or tag `%s` in iceberg table %s%s", name, path, hint)
	}
	s := m.Snapshot(ref.SnapshotID)
	if s == nil {
		return Version{}, cherr.New(cherr.IcebergSpecificationViolation, "No snapshot found for id `%d`.", ref.SnapshotID)
	}
	if ref.Type == "tag" {
		return ofSnapshot(m, s)
	}
	return Version{s, m.CurrentSchema()}, nil
}
