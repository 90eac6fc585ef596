package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// lists are the manifests of a snapshot, in order.
type lists struct{ base, delta []paimon.ManifestFile }

func (l *lists) all() []paimon.ManifestFile {
	return append(l.base[:len(l.base):len(l.base)], l.delta...)
}

func (c *Committer) readLists(ctx context.Context, s *paimon.Snapshot) (*lists, error) {
	out := &lists{}
	if s == nil {
		return out, nil
	}
	var err error
	if out.base, err = c.readList(ctx, s.BaseManifestList); err != nil {
		return nil, err
	}
	out.delta, err = c.readList(ctx, s.DeltaManifestList)
	return out, err
}

func (c *Committer) readList(ctx context.Context, name string) ([]paimon.ManifestFile, error) {
	path := c.dir.ManifestPath(name)
	data, err := c.dir.Store.Read(ctx, path)
	if err != nil {
		return nil, cherr.Wrap(err, "reading Paimon manifest list %s", path)
	}
	return paimon.ParseManifestList(path, data)
}

func (c *Committer) readManifest(ctx context.Context, name string) ([]paimon.Entry, error) {
	path := c.dir.ManifestPath(name)
	data, err := c.dir.Store.Read(ctx, path)
	if err != nil {
		return nil, cherr.Wrap(err, "reading Paimon manifest %s", path)
	}
	return paimon.ParseManifest(path, data)
}

// readManifests reads several at once and gives their entries in order.
func (c *Committer) readManifests(ctx context.Context, files []paimon.ManifestFile) ([][]paimon.Entry, error) {
	out := make([][]paimon.Entry, len(files))
	err := c.run(ctx, len(files), func(i int) (err error) {
		out[i], err = c.readManifest(ctx, files[i].Name)
		return err
	})
	return out, err
}

// run gives work to the context's executor.
func (c *Committer) run(ctx context.Context, n int, work func(i int) error) error {
	if c.ctx.Executor != nil {
		return c.ctx.Executor(ctx, n, work)
	}
	g, _ := cherr.NewGroup(ctx)
	g.SetLimit(2)
	for i := range n {
		g.Go(func() error { return work(i) })
	}
	return g.Wait()
}

// live gives the entries that are in force, of the partitions given or, for
// nil, of all.
func (c *Committer) live(ctx context.Context, l *lists, partitions map[string]bool) ([]paimon.Entry, error) {
	files, err := c.touching(l.all(), partitions)
	if err != nil {
		return nil, err
	}
	read, err := c.readManifests(ctx, files)
	if err != nil {
		return nil, err
	}
	var keep func(*paimon.Entry) bool
	if partitions != nil {
		keep = func(e *paimon.Entry) bool { return partitions[string(e.Partition)] }
	}
	out, err := paimon.MergeEntries(keep, read...)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Kind == paimon.Delete {
			return nil, cherr.New(cherr.IncorrectData, "Paimon table %s deletes file %s, which it never added", c.ctx.Root, out[i].File.Name)
		}
	}
	return out, nil
}

// touching leaves out manifests whose partition bounds hold none of the
// partitions.
func (c *Committer) touching(files []paimon.ManifestFile, partitions map[string]bool) ([]paimon.ManifestFile, error) {
	ts := paimon.TypesOf(c.schema.PartitionFields())
	if partitions == nil || len(ts) == 0 {
		return files, nil
	}
	rows := make([]column.Row, 0, len(partitions))
	for p := range partitions {
		row, err := paimon.DecodeRow([]byte(p), ts)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	var out []paimon.ManifestFile
	for i := range files {
		st := &files[i].Partitions
		low, err := paimon.DecodeRow(st.Min, ts)
		high, err2 := paimon.DecodeRow(st.Max, ts)
		if err != nil || err2 != nil || mayHold(low, high, rows) {
			out = append(out, files[i])
		}
	}
	return out, nil
}

func mayHold(low, high column.Row, rows []column.Row) bool {
	for _, row := range rows {
		inside := true
		for i, v := range row {
			if v == nil || low[i] == nil || high[i] == nil {
				continue
			}
			inside = inside && paimon.CompareValues(v, low[i]) >= 0 && paimon.CompareValues(v, high[i]) <= 0
		}
		if inside {
			return true
		}
	}
	return false
}

// mergeManifests gives the new base list: the manifests of the latest snapshot,
// small ones joined. Their order is kept, for a DELETE takes away what an
// earlier manifest added.
func (a *attempt) mergeManifests(ctx context.Context) ([]paimon.ManifestFile, error) {
	files := a.lists.all()
	o := a.c.options
	target := o.size("manifest.target-file-size", 8<<20)
	if out, done, err := a.mergeFull(ctx, files, target, o.size("manifest.full-compaction-threshold-size", 16<<20)); done || err != nil {
		return out, err
	}
	var out, group []paimon.ManifestFile
	size := int64(0)
	join := func() (err error) {
		if len(group) > 1 {
			group, err = a.rewrite(ctx, group)
		}
		out, group, size = append(out, group...), nil, 0
		return err
	}
	for _, f := range files {
		group, size = append(group, f), size+f.Size
		if size >= target {
			if err := join(); err != nil {
				return nil, err
			}
		}
	}
	if int64(len(group)) < max(2, o.number("manifest.merge-min-count", 30)) {
		return append(out, group...), nil
	}
	return out, join()
}

// mergeFull rewrites small manifests and those with deletions, when they are
// large enough together, so that no DELETE is left. What no delete touches
// stays as it is.
func (a *attempt) mergeFull(ctx context.Context, files []paimon.ManifestFile, target, threshold int64) ([]paimon.ManifestFile, bool, error) {
	var keep, work []paimon.ManifestFile
	size := int64(0)
	for _, f := range files {
		if f.DeletedFiles > 0 || f.Size < target {
			work, size = append(work, f), size+f.Size
		} else {
			keep = append(keep, f)
		}
	}
	if size < threshold || len(work) == 0 {
		return nil, false, nil
	}
	read, err := a.c.readManifests(ctx, work)
	if err != nil {
		return nil, true, err
	}
	deleted, touched := map[string]bool{}, map[string]bool{}
	for _, entries := range read {
		for i := range entries {
			if entries[i].Kind == paimon.Delete {
				deleted[entries[i].Identity()], touched[string(entries[i].Partition)] = true, true
			}
		}
	}
	// A large manifest joins only if a delete may be of one of its files.
	hit := map[string]bool{}
	if len(deleted) > 0 {
		large, err := a.c.touching(keep, touched)
		if err != nil {
			return nil, true, err
		}
		for _, f := range large {
			hit[f.Name] = true
		}
	}
	var out []paimon.ManifestFile
	m := paimon.NewMerger(0)
	for _, f := range files {
		entries := []paimon.Entry(nil)
		switch {
		case f.DeletedFiles > 0 || f.Size < target:
			entries, read = read[0], read[1:]
		case hit[f.Name]:
			if entries, err = a.c.readManifest(ctx, f.Name); err != nil {
				return nil, true, err
			}
		default:
			out = append(out, f)
			continue
		}
		for i := range entries {
			if err := m.Add(&entries[i]); err != nil {
				return nil, true, err
			}
		}
	}
	written, err := a.writeManifests(ctx, m.Entries())
	return append(out, written...), true, err
}

// rewrite joins manifests into one, or few.
func (a *attempt) rewrite(ctx context.Context, group []paimon.ManifestFile) ([]paimon.ManifestFile, error) {
	read, err := a.c.readManifests(ctx, group)
	if err != nil {
		return nil, err
	}
	m := paimon.NewMerger(0)
	for _, entries := range read {
		for i := range entries {
			if err := m.Add(&entries[i]); err != nil {
				return nil, err
			}
		}
	}
	return a.writeManifests(ctx, m.Entries())
}
