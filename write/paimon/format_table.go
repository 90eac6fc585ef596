package paimon

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// FormatFile is a file of a format table that waits to be published: a table
// without snapshots, whose folders are all there is.
type FormatFile struct {
	Staged string // where it is, below _temporary
	Target string // below the table's folder: "p=1/data-0.parquet"
}

// stagedFiles checks that all messages are of format tables.
func stagedFiles(messages []any) ([]FormatFile, error) {
	out := make([]FormatFile, 0, len(messages))
	for _, any := range messages {
		f, ok := any.(*FormatFile)
		if !ok || f == nil {
			return nil, invalid("fail to cast commit message: it is %T", any)
		}
		out = append(out, *f)
	}
	return out, nil
}

// publishFiles moves staged files to their places. Each move is atomic, all of
// them together are not: that is what such tables are.
func (c *Committer) publishFiles(ctx context.Context, messages []any) error {
	files, err := stagedFiles(messages)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := c.move(ctx, f.Staged, c.ctx.Root+f.Target); err != nil {
			return err
		}
	}
	return nil
}

// renamer is a store that can move an object without copying it.
type renamer interface {
	Rename(ctx context.Context, from, to string) error
}

func (c *Committer) move(ctx context.Context, from, to string) error {
	if r, ok := c.dir.Store.(renamer); ok {
		return r.Rename(ctx, from, to)
	}
	f, err := c.dir.Store.Open(ctx, from)
	if err != nil {
		return err
	}
	body := &readerAt{f: f, left: f.Object().Size}
	_, err = c.dir.Store.Put(ctx, to, body, objstore.PutOptions{IfAbsent: true})
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return cherr.Wrap(err, "publishing %s", to)
	}
	return c.dir.Store.Delete(ctx, from)
}

// overwriteFiles removes the files of the partitions first.
func (c *Committer) overwriteFiles(ctx context.Context, spec Spec, messages []any) error {
	files, err := stagedFiles(messages)
	if err != nil {
		return err
	}
	folders := map[string]bool{}
	for _, f := range files {
		folder := f.Target[:strings.LastIndexByte(f.Target, '/')+1]
		if !inSpec(folder, spec) {
			return invalid("file %s does not belong to this partition: %v", f.Target, spec)
		}
		folders[folder] = true
	}
	have, err := c.dir.Store.List(ctx, c.ctx.Root, true)
	if err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
		return err
	}
	for _, o := range have {
		rel := strings.TrimPrefix(o.Path, c.ctx.Root)
		folder := rel[:strings.LastIndexByte(rel, '/')+1]
		if strings.HasPrefix(rel, "_") || strings.HasPrefix(rel, ".") || len(spec) > 0 && !inSpec(folder, spec) || len(spec) == 0 && !folders[folder] {
			continue
		}
		if err := c.dir.Store.Delete(ctx, o.Path); err != nil {
			return err
		}
	}
	return c.publishFiles(ctx, messages)
}

// inSpec tells whether a folder "a=1/b=2/" is of a partial spec.
func inSpec(folder string, spec Spec) bool {
	have := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		if k, v, ok := strings.Cut(part, "="); ok {
			have[k] = v
		}
	}
	for k, v := range spec {
		if have[k] != v {
			return false
		}
	}
	return true
}

func (c *Committer) abortFiles(ctx context.Context, messages []any) error {
	files, err := stagedFiles(messages)
	if err != nil {
		return err
	}
	for _, f := range files {
		c.remove(ctx, f.Staged)
	}
	return nil
}
