package paimon

import (
	"context"
	"strings"
	"time"

	"lakeserver/cherr"
)

// RemoveOrphanFiles deletes files that no snapshot, tag, branch or changelog
// names and that were last written before a time, and gives their paths. What
// commits that are under way have written is younger, or must be. A dry run
// deletes nothing.
func (c *Committer) RemoveOrphanFiles(ctx context.Context, before time.Time, dryRun bool) ([]string, error) {
	// Listed first: what is committed afterwards is found to be needed.
	objs, err := c.dir.Store.List(ctx, c.ctx.Root, true)
	if err != nil {
		return nil, err
	}
	k, err := c.keepAll(ctx)
	if err != nil {
		return nil, err
	}
	if k.uncertain {
		return nil, cherr.New(cherr.IncorrectData, "a tag of Paimon table %s cannot be read, so nobody knows what it needs: nothing is removed", c.ctx.Root)
	}
	var out []string
	for _, o := range objs {
		rel, ok := strings.CutPrefix(o.Path, c.ctx.Root)
		if !ok || !o.Modified.Before(before) || !orphan(rel, o.Path, k) {
			continue
		}
		out = append(out, o.Path)
		if dryRun {
			continue
		}
		if err := c.delete(ctx, o.Path); err != nil {
			return out, err
		}
	}
	return out, nil
}

// keepAll collects what anything at all needs.
func (c *Committer) keepAll(ctx context.Context) (*kept, error) {
	ids, err := c.dir.SnapshotIDs(ctx)
	if err != nil {
		return nil, err
	}
	first := int64(0)
	if len(ids) > 0 {
		first = ids[0]
	}
	k, err := c.keep(ctx, ids, first)
	if err != nil {
		return nil, err
	}
	logs, err := c.dir.ChangelogIDs(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range logs {
		s, err := c.dir.Changelog(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, n := range []string{s.ChangelogManifestList, s.BaseManifestList, s.DeltaManifestList} {
			k.names[n] = true
		}
		if err := c.keepChangelog(ctx, k, s); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// orphan tells whether a file that the table's commits could have made is not
// needed. Files of other places are nobody's business here.
func orphan(rel, path string, k *kept) bool {
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	folder, _, _ := strings.Cut(rel, "/")
	if strings.HasPrefix(name, ".") {
		return true // what a writer was about to rename when it was killed
	}
	switch folder {
	case "manifest", "index", "statistics":
		return !k.names[name]
	case "schema", "snapshot", "tag", "branch", "changelog", "consumer", "metadata":
		return false
	}
	return strings.Contains("/"+rel, "/bucket-") && !k.files[path] && !k.names[name]
}
