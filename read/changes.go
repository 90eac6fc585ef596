package read

import (
	"context"
	"sort"
	"strconv"
	"strings"

	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/types"
)

// Changes are the rows that one snapshot of an Iceberg table added and took
// away.
type Changes struct {
	Snapshot      *iceberg.Snapshot
	Inserted      *Plan
	Deleted       *Plan
	Before, After *Source
	// Rewritten tells that files were replaced: rows that stayed stand in both
	// plans.
	Rewritten bool
}

// SnapshotChanges compares a snapshot with its parent (nil: none). Both are
// read in the schema of src.
func SnapshotChanges(ctx context.Context, src *Source, parent, s *iceberg.Snapshot, filter *pruning.Iceberg) (*Changes, error) {
	c := &Changes{Snapshot: s, Inserted: &Plan{}, Deleted: &Plan{}, Before: src.at(parent), After: src.at(s)}
	before, after, err := c.plans(ctx, filter)
	if err != nil {
		return nil, err
	}
	was := make(map[string]*Task, len(before.Tasks))
	for _, t := range before.Tasks {
		was[t.Name] = t
	}
	for _, t := range after.Tasks {
		old := was[t.Name]
		delete(was, t.Name)
		switch {
		case old == nil:
			c.Inserted.Tasks = append(c.Inserted.Tasks, t)
		case old.deletesKey() != t.deletesKey():
			lost, err := c.lost(ctx, old, t)
			if err != nil {
				return nil, err
			}
			c.Deleted.Tasks = append(c.Deleted.Tasks, lost)
		}
	}
	for _, t := range before.Tasks { // in the table's order
		if was[t.Name] != nil {
			c.Deleted.Tasks = append(c.Deleted.Tasks, t)
			c.Rewritten = c.Rewritten || len(c.Inserted.Tasks) > 0
		}
	}
	return c, nil
}

// at gives the table at another snapshot.
func (src *Source) at(s *iceberg.Snapshot) *Source {
	out := *src
	out.Snapshot = s
	return &out
}

// plans lists the files of both snapshots. Data manifests that both have are
// left out where no deletes came or went: their rows are the same.
func (c *Changes) plans(ctx context.Context, filter *pruning.Iceberg) (before, after *Plan, err error) {
	old, err := c.Before.manifests(ctx)
	if err != nil {
		return nil, nil, err
	}
	now, err := c.After.manifests(ctx)
	if err != nil {
		return nil, nil, err
	}
	in := func(list []iceberg.ManifestFile) map[string]bool {
		m := map[string]bool{}
		for i := range list {
			m[list[i].Path] = true
		}
		return m
	}
	hadBefore, haveNow := in(old), in(now)
	deletes := false
	for i := range old {
		deletes = deletes || old[i].Deletes && !haveNow[old[i].Path]
	}
	for i := range now {
		deletes = deletes || now[i].Deletes && !hadBefore[now[i].Path]
	}
	if !deletes {
		old, now = only(old, haveNow), only(now, hadBefore)
	}
	if before, err = planManifests(ctx, c.Before, old, filter, nil); err != nil {
		return nil, nil, err
	}
	after, err = planManifests(ctx, c.After, now, filter, nil)
	return before, after, err
}

func (src *Source) manifests(ctx context.Context) ([]iceberg.ManifestFile, error) {
	if src.Snapshot == nil {
		return nil, nil
	}
	return src.Snapshot.LoadManifests(ctx, src.Loader, src.Paths.Map)
}

// only leaves out the data manifests that the other side has too.
func only(list []iceberg.ManifestFile, other map[string]bool) []iceberg.ManifestFile {
	var out []iceberg.ManifestFile
	for i := range list {
		if list[i].Deletes || !other[list[i].Path] {
			out = append(out, list[i])
		}
	}
	return out
}

// deletesKey is equal for tasks of one file with the same deletes.
func (t *Task) deletesKey() string {
	var keys []string
	if t.vector != nil {
		keys = append(keys, t.vector.path+"@"+strconv.FormatInt(t.vector.file.ContentOffset, 10))
	}
	for _, d := range t.positions {
		keys = append(keys, d.path)
	}
	for _, g := range t.equality {
		for _, f := range g.files {
			if f.seq > t.SequenceNumber {
				keys = append(keys, f.path)
			}
		}
	}
	sort.Strings(keys)
	return strings.Join(keys, "\n")
}

// lost gives the rows of a file that are not there any more: the file as it
// was, without the rows that stayed.
func (c *Changes) lost(ctx context.Context, old, now *Task) (*Task, error) {
	gone, err := c.After.visible(ctx, now)
	if err != nil {
		return nil, err
	}
	before, err := c.Before.positionsOf(ctx, old)
	if err != nil {
		return nil, err
	}
	if before != nil {
		gone.Union(before)
	}
	return old.Without(gone.Seal()), nil
}

// visible gives the positions of a file's rows that are not deleted.
func (src *Source) visible(ctx context.Context, t *Task) (*iceberg.Positions, error) {
	out := iceberg.NewPositions()
	if _, byValue := t.HasDeletes(); !byValue {
		out.AddRange(0, t.Records)
		gone, err := src.positionsOf(ctx, t)
		if err == nil && gone != nil {
			out.Subtract(gone)
		}
		return out, err
	}
	req := &Request{
		Source: src, Streams: 1, Output: []int{0},
		Columns: []Column{{Name: "pos", Type: types.Nullable(types.Int64), Virtual: VirtualRow}},
	}
	_, streams := Start(req, &Plan{Tasks: []*Task{t}})
	defer streams[0].Close()
	for {
		b, err := streams[0].Next(ctx)
		if err != nil || b == nil {
			return out, err
		}
		values, _ := column.SplitNulls(column.Full(b.Columns[0]))
		out.Add(column.Values[int64](values))
	}
}
