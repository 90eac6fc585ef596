package iceberg

import (
	"slices"

	"lakeserver/cherr"
)

// AddSnapshot adds a snapshot; a ref that points to it makes it visible.
type AddSnapshot struct {
	Snapshot *Snapshot `json:"snapshot"`
}

// Action gives the update's name.
func (AddSnapshot) Action() string { return "add-snapshot" }

func (u AddSnapshot) apply(b *Builder) error {
	s, m := u.Snapshot, &b.m
	_, hasParent := s.Parent()
	switch {
	case m.Snapshot(s.ID) != nil:
		return cherr.New(cherr.BadArguments, "There is a snapshot %d already", s.ID)
	case m.FormatVersion > 1 && hasParent && s.SequenceNumber <= m.LastSequenceNumber:
		return cherr.New(cherr.BadArguments, "Snapshot %d has sequence number %d, which is not above the table's last, %d", s.ID, s.SequenceNumber, m.LastSequenceNumber)
	case m.FormatVersion > 1 && s.ManifestList == "":
		return cherr.New(cherr.BadArguments, "Snapshot %d has no manifest list", s.ID)
	}
	if m.FormatVersion >= 3 { // iceberg.md §1.14
		switch {
		case s.FirstRowID == nil || s.AddedRows == nil:
			return cherr.New(cherr.BadArguments, "Snapshot %d has no `first-row-id` or no `added-rows`", s.ID)
		case *s.FirstRowID < m.NextRowID:
			return cherr.New(cherr.BadArguments, "Snapshot %d begins with row id %d, behind the table's next, %d", s.ID, *s.FirstRowID, m.NextRowID)
		case *s.AddedRows < 0:
			return cherr.New(cherr.BadArguments, "Snapshot %d adds %d rows", s.ID, *s.AddedRows)
		}
		m.NextRowID = *s.FirstRowID + *s.AddedRows
	}
	if m.FormatVersion > 1 {
		m.LastSequenceNumber = max(m.LastSequenceNumber, s.SequenceNumber)
	}
	m.Snapshots = append(m.Snapshots, s)
	b.added[s.ID] = true
	b.touch(s.TimestampMs)
	return nil
}

// RemoveSnapshots takes snapshots away, with their statistics and the refs
// that pointed to them; main's may not be among them.
type RemoveSnapshots struct {
	SnapshotIDs []int64 `json:"snapshot-ids"`
}

// Action gives the update's name.
func (RemoveSnapshots) Action() string { return "remove-snapshots" }

func (u RemoveSnapshots) apply(b *Builder) error {
	gone := make(map[int64]bool, len(u.SnapshotIDs))
	for _, id := range u.SnapshotIDs {
		gone[id] = true
	}
	if m := &b.m; m.CurrentSnapshotID >= 0 && gone[m.CurrentSnapshotID] {
		return cherr.New(cherr.BadArguments, "cannot expire snapshot %d: it is the current one", m.CurrentSnapshotID)
	}
	before := len(b.m.Snapshots)
	b.m.Snapshots = slices.DeleteFunc(b.m.Snapshots, func(s *Snapshot) bool { return gone[s.ID] })
	if len(b.m.Snapshots) == before {
		return nil
	}
	b.m.Statistics = slices.DeleteFunc(b.m.Statistics, func(f StatisticsFile) bool { return gone[f.SnapshotID] })
	b.m.PartitionStats = slices.DeleteFunc(b.m.PartitionStats, func(f StatisticsFile) bool { return gone[f.SnapshotID] })
	for name, r := range b.m.Refs {
		if gone[r.SnapshotID] {
			delete(b.m.Refs, name)
		}
	}
	b.removed, b.changed = true, true
	return nil
}

// SetSnapshotRef makes or moves a branch or tag.
type SetSnapshotRef struct {
	Name string
	Ref  Ref
}

// Action gives the update's name.
func (SetSnapshotRef) Action() string { return "set-snapshot-ref" }

// MarshalJSON writes name and ref as one object.
func (u SetSnapshotRef) MarshalJSON() ([]byte, error) {
	return taggedJSON{"ref-name", u.Name, u.Ref}.MarshalJSON()
}

func (u SetSnapshotRef) apply(b *Builder) error {
	r, m := u.Ref, &b.m
	s := m.Snapshot(r.SnapshotID)
	switch {
	case u.Name == "":
		return cherr.New(cherr.BadArguments, "The name of a branch or tag is empty")
	case s == nil:
		return cherr.New(cherr.BadArguments, "Cannot set %s to unknown snapshot %d", u.Name, r.SnapshotID)
	case r.Type != BranchRef && r.Type != TagRef:
		return cherr.New(cherr.BadArguments, "`%s` is neither a branch nor a tag: %s", u.Name, r.Type)
	case r.Type == TagRef && (r.MinSnapshotsToKeep != nil || r.MaxSnapshotAgeMs != nil):
		return cherr.New(cherr.BadArguments, "Tag `%s` cannot say how many snapshots to keep or for how long", u.Name)
	case u.Name == MainBranch && r.Type == TagRef:
		return cherr.New(cherr.BadArguments, "`main` can only be a branch")
	case u.Name == MainBranch && r.MaxRefAgeMs != nil:
		return cherr.New(cherr.BadArguments, "`main` never expires, it cannot have a greatest age")
	case r.MinSnapshotsToKeep != nil && *r.MinSnapshotsToKeep <= 0, r.MaxSnapshotAgeMs != nil && *r.MaxSnapshotAgeMs <= 0, r.MaxRefAgeMs != nil && *r.MaxRefAgeMs <= 0:
		return cherr.New(cherr.BadArguments, "The retention of `%s` must be positive", u.Name)
	}
	if old, ok := m.Refs[u.Name]; ok && old.same(r) {
		return nil
	}
	m.Refs[u.Name] = r
	b.changed = true
	if u.Name != MainBranch || m.CurrentSnapshotID == r.SnapshotID {
		return nil
	}
	m.CurrentSnapshotID = r.SnapshotID
	at := b.now // a move back counts from now, a new snapshot from its own time
	if b.added[r.SnapshotID] {
		at = s.TimestampMs
		b.heads = append(b.heads, r.SnapshotID)
	}
	b.logSnapshot(at)
	return nil
}

func (r Ref) same(o Ref) bool {
	return r.SnapshotID == o.SnapshotID && r.Type == o.Type && samePtr(r.MinSnapshotsToKeep, o.MinSnapshotsToKeep) &&
		samePtr(r.MaxSnapshotAgeMs, o.MaxSnapshotAgeMs) && samePtr(r.MaxRefAgeMs, o.MaxRefAgeMs)
}

func samePtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// RemoveSnapshotRef drops a branch or tag; without main the table is empty.
type RemoveSnapshotRef struct {
	Name string `json:"ref-name"`
}

// Action gives the update's name.
func (RemoveSnapshotRef) Action() string { return "remove-snapshot-ref" }

func (u RemoveSnapshotRef) apply(b *Builder) error {
	if _, ok := b.m.Refs[u.Name]; !ok {
		return nil
	}
	delete(b.m.Refs, u.Name)
	if u.Name == MainBranch {
		b.m.CurrentSnapshotID = -1
	}
	b.changed = true
	return nil
}

// SetStatistics gives a snapshot its statistics file, in place of another.
type SetStatistics struct {
	Statistics StatisticsFile `json:"statistics"`
}

// Action gives the update's name.
func (SetStatistics) Action() string { return "set-statistics" }

func (u SetStatistics) apply(b *Builder) error {
	b.m.Statistics = append(without(b.m.Statistics, u.Statistics.SnapshotID), u.Statistics)
	b.changed = true
	return nil
}

// RemoveStatistics takes a snapshot's statistics file away.
type RemoveStatistics struct {
	SnapshotID int64 `json:"snapshot-id"`
}

// Action gives the update's name.
func (RemoveStatistics) Action() string { return "remove-statistics" }

func (u RemoveStatistics) apply(b *Builder) error {
	before := len(b.m.Statistics)
	b.m.Statistics = without(b.m.Statistics, u.SnapshotID)
	b.changed = b.changed || len(b.m.Statistics) != before
	return nil
}

// SetPartitionStatistics gives a snapshot its file of partition statistics.
type SetPartitionStatistics struct {
	Statistics StatisticsFile `json:"partition-statistics"`
}

// Action gives the update's name.
func (SetPartitionStatistics) Action() string { return "set-partition-statistics" }

func (u SetPartitionStatistics) apply(b *Builder) error {
	b.m.PartitionStats = append(without(b.m.PartitionStats, u.Statistics.SnapshotID), u.Statistics)
	b.changed = true
	return nil
}

// RemovePartitionStatistics takes a snapshot's file of partition statistics away.
type RemovePartitionStatistics struct {
	SnapshotID int64 `json:"snapshot-id"`
}

// Action gives the update's name.
func (RemovePartitionStatistics) Action() string { return "remove-partition-statistics" }

func (u RemovePartitionStatistics) apply(b *Builder) error {
	before := len(b.m.PartitionStats)
	b.m.PartitionStats = without(b.m.PartitionStats, u.SnapshotID)
	b.changed = b.changed || len(b.m.PartitionStats) != before
	return nil
}

func without(files []StatisticsFile, id int64) []StatisticsFile {
	return slices.DeleteFunc(slices.Clone(files), func(f StatisticsFile) bool { return f.SnapshotID == id })
}
