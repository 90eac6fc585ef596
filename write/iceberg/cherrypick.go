package iceberg

import (
	"context"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// The summary's keys of write-audit-publish (iceberg.md §1.18).
const (
	WAPID           = "wap.id"
	publishedWAPID  = "published-wap-id"
	sourceSnapshot  = "source-snapshot-id"
	replacedDynamic = "replace-partitions"
)

// CherryPick replays a snapshot of another branch, or a staged one, on main:
// as it is when it follows main's head, else its files as a new snapshot.
// Only appends and dynamic overwrites can be replayed. It is an Operation, used
// once.
type CherryPick struct {
	Table *Table
	// Find chooses the snapshot in each attempt.
	Find func(base *iceberg.TableMetadata) (*iceberg.Snapshot, error)

	producer *Producer // of what is replayed; nil: nothing is
}

// CherryPickSnapshot replays a snapshot by its id.
func CherryPickSnapshot(t *Table, id int64) *CherryPick {
	return &CherryPick{Table: t, Find: func(base *iceberg.TableMetadata) (*iceberg.Snapshot, error) {
		s := base.Snapshot(id)
		if s == nil {
			return nil, noSnapshot(base, id)
		}
		return s, nil
	}}
}

// PublishChanges replays the snapshot that was staged under an id.
func PublishChanges(t *Table, id string) *CherryPick {
	return &CherryPick{Table: t, Find: func(base *iceberg.TableMetadata) (*iceberg.Snapshot, error) {
		for _, s := range base.Snapshots {
			if s.Summary[WAPID] == id {
				return s, nil
			}
		}
		return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has no snapshot staged under %s '%s'", base.Location, WAPID, id)
	}}
}

// Plan moves main to the snapshot, or makes one of its files.
func (c *CherryPick) Plan(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	s, err := c.Find(base)
	if err != nil {
		return nil, err
	}
	if err := mayPick(base, s); err != nil {
		return nil, err
	}
	if parent, ok := s.Parent(); ok && parent == base.CurrentSnapshotID || !ok && base.CurrentSnapshotID < 0 {
		return moveMain(base, s.ID), nil
	}
	if c.producer == nil {
		if c.producer, err = c.replay(ctx, base, s); err != nil {
			return nil, err
		}
	}
	return c.producer.Plan(ctx, base)
}

// mayPick refuses what main has already.
func mayPick(base *iceberg.TableMetadata, s *iceberg.Snapshot) (err error) {
	wap := s.Summary[WAPID]
	ancestors(base, base.CurrentSnapshotID, func(a *iceberg.Snapshot) bool {
		switch {
		case wap != "" && (a.Summary[WAPID] == wap || a.Summary[publishedWAPID] == wap):
			err = cherr.New(cherr.BadArguments, "Duplicate request to cherry pick wap id that was published already: %s", wap)
		case a.ID == s.ID:
			err = cherr.New(cherr.BadArguments, "Cannot cherry-pick snapshot %d: already an ancestor of the current one", s.ID)
		case a.Summary[sourceSnapshot] == strconv.FormatInt(s.ID, 10):
			err = cherr.New(cherr.BadArguments, "Cannot cherry-pick snapshot %d: already picked to create ancestor %d", s.ID, a.ID)
		}
		return err == nil
	})
	return err
}

// replay makes a producer of the files that a snapshot added and took out.
func (c *CherryPick) replay(ctx context.Context, base *iceberg.TableMetadata, s *iceberg.Snapshot) (*Producer, error) {
	dynamic := s.Operation() == "overwrite" && s.Summary[replacedDynamic] == "true"
	if s.Operation() != "append" && !dynamic {
		return nil, cherr.New(cherr.BadArguments, "Cannot cherry-pick snapshot %d: not append, dynamic overwrite, or fast-forward", s.ID)
	}
	p := &Producer{Table: c.Table, Operation: s.Operation(), Keep: true, Summary: map[string]string{sourceSnapshot: strconv.FormatInt(s.ID, 10)}}
	if wap := s.Summary[WAPID]; wap != "" {
		p.Summary[publishedWAPID] = wap
	}
	if dynamic {
		p.Summary[replacedDynamic] = "true"
	}
	lines, err := s.LoadManifests(ctx, c.Table.Loader, c.Table.Paths.Map)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for i := range lines {
		if lines[i].AddedSnapshotID != s.ID {
			continue
		}
		m, err := iceberg.LoadManifest(ctx, c.Table.Loader, base, &lines[i], c.Table.Paths.Map(lines[i].Path))
		if err != nil {
			return nil, err
		}
		for j := range m.Entries {
			e := &m.Entries[j]
			if e.SnapshotID >= 0 && e.SnapshotID != s.ID {
				continue
			}
			switch e.Status {
			case iceberg.Added:
				p.Added = append(p.Added, NewFile{DataFile: e.File, SpecID: lines[i].SpecID, Sequence: -1})
			case iceberg.Deleted:
				gone[e.File.Path] = true
			}
		}
	}
	if len(gone) > 0 {
		p.Removed = []Removal{{Paths: gone, Is: func(_ *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) { return gone[f.Path], nil }}}
	}
	return p, nil
}

// Finish tells the producer how it ended.
func (c *CherryPick) Finish(ctx context.Context, next *iceberg.TableMetadata) {
	if c.producer != nil {
		c.producer.Finish(ctx, next)
	}
}
