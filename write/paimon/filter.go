package paimon

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// FilterAndCommit commits those of the committables, ordered by identifier,
// that this user has not committed yet, and gives their number. It is how a
// commit whose end is not known is made again.
func (c *Committer) FilterAndCommit(ctx context.Context, committables []Committable) (int, error) {
	for i := 1; i < len(committables); i++ {
		if committables[i].Identifier <= committables[i-1].Identifier {
			return 0, invalid("Committables must be sorted according to identifiers before filtering: %d comes before %d", committables[i-1].Identifier, committables[i].Identifier)
		}
	}
	pending, err := c.filter(ctx, committables)
	if err != nil {
		return 0, err
	}
	var missing []string
	for _, p := range pending {
		m, err := c.missing(ctx, p.Messages)
		if err != nil {
			return 0, err
		}
		missing = append(missing, m...)
	}
	if len(missing) > 0 {
		return 0, gone(missing)
	}
	for i, p := range pending {
		o := &CommitOptions{Identifier: &p.Identifier, Watermark: p.Watermark, Properties: p.Properties}
		if _, err := c.measured(func(m *measure) (int64, error) { return c.commit(ctx, p.Messages, o, m, true, nil) }); err != nil {
			return i, err
		}
	}
	return len(pending), nil
}

// filter leaves out what this user committed.
func (c *Committer) filter(ctx context.Context, committables []Committable) ([]Committable, error) {
	if len(committables) == 0 {
		return nil, nil
	}
	last, err := c.latestOfUser(ctx)
	if err != nil || last == nil {
		return committables, err
	}
	for i := range committables {
		if committables[i].Identifier > last.CommitIdentifier {
			return committables[i:], nil
		}
	}
	return nil, nil
}

// latestOfUser gives the newest snapshot of the context's user, nil for none.
func (c *Committer) latestOfUser(ctx context.Context) (*paimon.Snapshot, error) {
	latest, err := c.publish.latest(ctx)
	if err != nil || latest == nil {
		return nil, err
	}
	if latest.CommitUser == c.ctx.User {
		return latest, nil
	}
	ids, err := c.dir.SnapshotIDs(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if ids[i] >= latest.ID {
			continue
		}
		s, err := c.dir.Snapshot(ctx, ids[i])
		switch {
		case cherr.Is(err, cherr.FileDoesntExist): // expired meanwhile, and all older ones with it
			return nil, nil
		case err != nil:
			return nil, err
		case s.CommitUser == c.ctx.User:
			return s, nil
		}
	}
	return nil, nil
}

func gone(paths []string) error {
	more := ""
	if len(paths) > mentioned {
		paths, more = paths[:mentioned], "\n…"
	}
	return invalid("Cannot recover from this checkpoint because some files in the snapshot that need to be resubmitted have been deleted:\n%s%s", strings.Join(paths, "\n"), more)
}

// missing gives those files that the messages add and that are not on disk.
func (c *Committer) missing(ctx context.Context, messages []any) ([]string, error) {
	var paths []string
	for _, any := range messages {
		m, ok := any.(*Message)
		if !ok || m == nil {
			return nil, invalid("fail to cast commit message: it is %T", any)
		}
		p, err := c.filesOf(m)
		if err != nil {
			return nil, err
		}
		paths = append(paths, p...)
	}
	absent := make([]bool, len(paths))
	err := c.run(ctx, len(paths), func(i int) error {
		_, err := c.dir.Store.Stat(ctx, paths[i])
		if cherr.Is(err, cherr.FileDoesntExist) {
			absent[i], err = true, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []string
	for i, p := range paths {
		if absent[i] {
			out = append(out, p)
		}
	}
	return out, nil
}

// filesOf gives the paths of all that a message's writer made.
func (c *Committer) filesOf(m *Message) ([]string, error) {
	row, err := paimon.DecodeRow(m.Partition, paimon.TypesOf(c.schema.PartitionFields()))
	if err != nil {
		return nil, cherr.Wrap(err, "reading the partition of a commit message")
	}
	folder := c.schema.BucketPath(c.dir, c.schema.PartitionNames(), row, m.Bucket)
	var out []string
	for _, files := range [][]paimon.DataFile{m.Data.NewFiles, m.Data.ChangelogFiles, m.Compact.After, m.Compact.ChangelogFiles} {
		for i := range files {
			out = append(out, pathsOf(folder, &files[i])...)
		}
	}
	for _, files := range [][]paimon.IndexEntry{m.Data.NewIndexFiles, m.Compact.NewIndexFiles} {
		for i := range files {
			out = append(out, c.indexPath(folder, &files[i]))
		}
	}
	return out, nil
}

// pathsOf gives a data file and its extra files.
func pathsOf(folder string, f *paimon.DataFile) []string {
	path := realPath(folder, f.Name)
	if f.ExternalPath != "" {
		path = f.ExternalPath
		folder = path[:strings.LastIndexByte(path, '/')+1]
	}
	out := []string{path}
	for _, x := range f.ExtraFiles {
		out = append(out, folder+x)
	}
	return out
}

// realPath finds the file that holds a changelog. Compacted ones of several
// buckets stand in one file, named with $bucket-length after the bucket where
// it is; the others are named with their offset and length behind that
// (paimon.md §1.8).
func realPath(folder, name string) string {
	base, rest, ok := strings.Cut(name, "$")
	dot := strings.IndexByte(rest, '.')
	if !ok || dot < 0 {
		return folder + name
	}
	parts := strings.Split(rest[:dot], "-")
	if len(parts) != 4 {
		return folder + name
	}
	partition := folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
	return partition + "bucket-" + parts[0] + "/" + base + "$" + parts[0] + "-" + parts[1] + rest[dot:]
}

func (c *Committer) indexPath(folder string, x *paimon.IndexEntry) string {
	switch {
	case x.ExternalPath != "":
		return x.ExternalPath
	case c.options.flag("index-file-in-data-file-dir", false):
		return folder + x.Name
	default:
		return c.dir.IndexPath(x.Name)
	}
}

// Abort removes what the messages' writers made: they will not be committed. It
// does not look at snapshots, so that aborting what was committed before
// destroys it; that is the caller's fault. What cannot be deleted stays.
func (c *Committer) Abort(ctx context.Context, messages []any) error {
	if c.ctx.FormatTable {
		return c.abortFiles(ctx, messages)
	}
	for _, any := range messages {
		m, ok := any.(*Message)
		if !ok || m == nil {
			return invalid("fail to cast commit message: it is %T", any)
		}
		paths, err := c.filesOf(m)
		if err != nil {
			return err
		}
		c.remove(ctx, paths...)
	}
	return nil
}
