package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// RollbackToAsLatest makes a new snapshot that shows what an earlier one
// showed; those between stay readable. It gives false when another writer
// published meanwhile. Row ids are never given twice, so the next one is kept.
func (c *Committer) RollbackToAsLatest(ctx context.Context, target int64) (bool, error) {
	done := false
	_, err := c.measured(func(m *measure) (int64, error) {
		var err error
		done, err = c.rollback(ctx, target, m)
		return m.last, err
	})
	return done, err
}

func (c *Committer) rollback(ctx context.Context, target int64, m *measure) (bool, error) {
	latest, err := c.publish.latest(ctx)
	if err != nil {
		return false, err
	}
	if latest == nil {
		return false, invalid("Latest snapshot is null, can not roll back.")
	}
	to, err := c.dir.Snapshot(ctx, target)
	if cherr.Is(err, cherr.FileDoesntExist) {
		return false, invalid("snapshot %d of Paimon table %s does not exist, can not roll back", target, c.ctx.Root)
	}
	if err != nil {
		return false, err
	}
	a := &attempt{c: c, latest: latest, plan: &plan{kind: paimon.CommitOverwrite, identifier: paimon.BatchIdentifier}}
	if err := a.prepareRollback(ctx, to); err != nil {
		a.clean(ctx)
		return false, err
	}
	m.attempts, m.data = 1, a.changes
	ok, err := c.publish.publish(context.WithoutCancel(ctx), latest, a.snapshot, a.requestStatistics, c.ctx.TableID)
	switch {
	case err != nil && !c.landed(ctx, a.snapshot):
		return false, cherr.WithCode(cherr.CodeOf(err), err, "it is not known whether Paimon table %s was rolled back to snapshot %d", c.ctx.Root, target)
	case err == nil && !ok:
		a.clean(ctx)
		return false, nil
	}
	m.snapshots, m.last = 1, a.snapshot.ID
	return true, nil
}

// prepareRollback writes the manifests: all live files of the latest snapshot
// as the base, the difference to the target as the delta.
func (a *attempt) prepareRollback(ctx context.Context, to *paimon.Snapshot) (err error) {
	c := a.c
	if a.schema, err = c.dir.Schema(ctx, to.SchemaID); err != nil {
		return err
	}
	now, err := c.liveOf(ctx, a.latest)
	if err != nil {
		return err
	}
	then, err := c.liveOf(ctx, to)
	if err != nil {
		return err
	}
	a.changes.table = difference(now, then)
	a.snapshot = paimon.NewSnapshot(a.latest.ID + 1)
	s, prefix := a.snapshot, newUUID()
	base, err := a.writeManifests(ctx, now)
	if err != nil {
		return err
	}
	if s.BaseManifestList, s.BaseManifestListSize, err = a.writeList(ctx, prefix, 0, base); err != nil {
		return err
	}
	delta, err := a.writeManifests(ctx, a.changes.table)
	if err != nil {
		return err
	}
	if s.DeltaManifestList, s.DeltaManifestListSize, err = a.writeList(ctx, prefix, 1, delta); err != nil {
		return err
	}
	rows := recordsIn(a.changes.table)
	s.UUID, s.SchemaID, s.IndexManifest, s.TotalRecordCount = newUUID(), to.SchemaID, to.IndexManifest, to.TotalRecordCount
	s.Watermark, s.Statistics, s.Properties = to.Watermark, to.Statistics, to.Properties
	s.CommitUser, s.CommitIdentifier, s.CommitKind = c.ctx.User, paimon.BatchIdentifier, paimon.CommitOverwrite
	s.TimeMillis, s.DeltaRecordCount = c.now().UnixMilli(), &rows
	s.NextRowID = later(a.latest.NextRowID, to.NextRowID)
	return nil
}

func later(x, y *int64) *int64 {
	if x == nil || y != nil && *y > *x {
		return y
	}
	return x
}

func (c *Committer) liveOf(ctx context.Context, s *paimon.Snapshot) ([]paimon.Entry, error) {
	l, err := c.readLists(ctx, s)
	if err != nil {
		return nil, err
	}
	return c.live(ctx, l, nil)
}

// difference gives the entries that lead from one set of live files to another.
func difference(from, to []paimon.Entry) []paimon.Entry {
	in := func(entries []paimon.Entry) map[string]bool {
		out := make(map[string]bool, len(entries))
		for i := range entries {
			out[entries[i].Identity()] = true
		}
		return out
	}
	have, want := in(from), in(to)
	var out []paimon.Entry
	for i := range from {
		if !want[from[i].Identity()] {
			e := from[i]
			e.Kind = paimon.Delete
			out = append(out, e)
		}
	}
	for i := range to {
		if !have[to[i].Identity()] {
			e := to[i]
			e.Kind = paimon.Add
			out = append(out, e)
		}
	}
	return out
}
