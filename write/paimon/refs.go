package paimon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// CreateTag names a snapshot, the latest one for 0; retained is how long the
// tag lives, 0 for ever.
func (c *Committer) CreateTag(ctx context.Context, name string, snapshot int64, retained time.Duration) error {
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "/\\$") {
		return invalid("`%s` is no name of a tag", name)
	}
	s, err := c.snapshotOr(ctx, snapshot)
	if err != nil {
		return err
	}
	data, err := s.MarshalJSON()
	if err != nil {
		return err
	}
	if retained > 0 {
		now := c.now()
		data = append(bytes.TrimRight(data, "} \n"), fmt.Sprintf(`,"tagCreateTime":[%d,%d,%d,%d,%d,%d,%d],"tagTimeRetained":%d.%09d}`,
			now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), now.Nanosecond(), int64(retained/time.Second), int64(retained%time.Second))...)
	}
	err = c.put(ctx, c.dir.TagPath(name), paimon.Indent(data))
	if errors.Is(err, objstore.ErrExists) {
		return invalid("Tag '%s' already exists.", name)
	}
	return err
}

func (c *Committer) snapshotOr(ctx context.Context, id int64) (*paimon.Snapshot, error) {
	if id != 0 {
		s, err := c.dir.Snapshot(ctx, id)
		if cherr.Is(err, cherr.FileDoesntExist) {
			return nil, invalid("Snapshot %d of Paimon table %s does not exist", id, c.ctx.Root)
		}
		return s, err
	}
	s, err := c.publish.latest(ctx)
	if err == nil && s == nil {
		err = invalid("Paimon table %s has no snapshot yet", c.ctx.Root)
	}
	return s, err
}

// DeleteTag removes a tag. What its snapshot alone needed stays until orphans
// are removed, unless the snapshot is there still.
func (c *Committer) DeleteTag(ctx context.Context, name string) error {
	if _, err := c.dir.Store.Stat(ctx, c.dir.TagPath(name)); err != nil {
		if cherr.Is(err, cherr.FileDoesntExist) {
			return invalid("Tag '%s' doesn't exist.", name)
		}
		return err
	}
	return c.dir.Store.Delete(ctx, c.dir.TagPath(name))
}

// CreateBranch makes a branch: of a tag, with its snapshot, or an empty one
// with the newest schema.
func (c *Committer) CreateBranch(ctx context.Context, name, tag string) error {
	digits := strings.Trim(name, "0123456789") == ""
	if strings.TrimSpace(name) == "" || name == paimon.MainBranch || digits || strings.ContainsAny(name, "/\\$") {
		return invalid("`%s` is no name of a branch", name)
	}
	to := c.dir.On(name)
	if ids, err := to.SchemaIDs(ctx); err != nil || len(ids) > 0 {
		if err == nil {
			err = invalid("Branch name '%s' already exists.", name)
		}
		return err
	}
	if tag == "" {
		s, err := c.dir.LatestSchema(ctx)
		if err != nil {
			return err
		}
		return c.copyFile(ctx, c.dir.SchemaPath(s.ID), to.SchemaPath(s.ID))
	}
	t, err := c.dir.Tag(ctx, tag)
	if cherr.Is(err, cherr.FileDoesntExist) {
		return invalid("Tag '%s' doesn't exist.", tag)
	}
	if err != nil {
		return err
	}
	data, err := t.Snapshot.MarshalJSON()
	if err != nil {
		return err
	}
	ids, err := c.dir.SchemaIDs(ctx)
	if err != nil {
		return err
	}
	if err := c.copyFile(ctx, c.dir.TagPath(tag), to.TagPath(tag)); err != nil {
		return err
	}
	for _, id := range ids {
		if id <= t.Snapshot.SchemaID {
			if err := c.copyFile(ctx, c.dir.SchemaPath(id), to.SchemaPath(id)); err != nil {
				return err
			}
		}
	}
	if err := c.put(ctx, to.SnapshotPath(t.Snapshot.ID), paimon.Indent(data)); err != nil {
		return err
	}
	_ = putHint(ctx, to, "EARLIEST", t.Snapshot.ID)
	return putHint(ctx, to, "LATEST", t.Snapshot.ID)
}

func (c *Committer) copyFile(ctx context.Context, from, to string) error {
	data, err := c.dir.Store.Read(ctx, from)
	if err != nil {
		return err
	}
	return c.put(ctx, to, data)
}

// DeleteBranch removes a branch's metadata.
func (c *Committer) DeleteBranch(ctx context.Context, name string) error {
	objs, err := c.dir.Store.List(ctx, c.dir.BranchPath(name), true)
	if err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
		return err
	}
	if len(objs) == 0 {
		return invalid("Branch name '%s' doesn't exist.", name)
	}
	for _, o := range objs {
		if err := c.delete(ctx, o.Path); err != nil {
			return err
		}
	}
	for _, sub := range []string{"snapshot", "schema", "tag", "consumer", "changelog", ""} { // folders, where the store has such
		_ = c.dir.Store.Delete(ctx, strings.TrimSuffix(c.dir.BranchPath(name)+sub, "/"))
	}
	return nil
}

// FastForward gives main what a branch has: main's snapshots from the branch's
// earliest one on give way.
func (c *Committer) FastForward(ctx context.Context, name string) error {
	from := c.dir.On(name)
	theirs, err := from.SnapshotIDs(ctx)
	if err != nil {
		return err
	}
	if len(theirs) == 0 {
		return invalid("Branch name '%s' doesn't exist, or has no snapshot.", name)
	}
	ours, err := c.dir.SnapshotIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(ours) {
		if id >= theirs[0] {
			if err := c.delete(ctx, c.dir.SnapshotPath(id)); err != nil {
				return err
			}
		}
	}
	schemas, err := from.SchemaIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range schemas {
		if err := c.overwriteFile(ctx, from.SchemaPath(id), c.dir.SchemaPath(id)); err != nil {
			return err
		}
	}
	tags, err := from.TagNames(ctx)
	if err != nil {
		return err
	}
	for _, t := range tags {
		if err := c.overwriteFile(ctx, from.TagPath(t), c.dir.TagPath(t)); err != nil {
			return err
		}
	}
	for _, id := range theirs {
		if err := c.overwriteFile(ctx, from.SnapshotPath(id), c.dir.SnapshotPath(id)); err != nil {
			return err
		}
	}
	earliest := theirs[0]
	if len(ours) > 0 {
		earliest = min(earliest, ours[0])
	}
	_ = putHint(ctx, c.dir, "EARLIEST", earliest)
	return putHint(ctx, c.dir, "LATEST", theirs[len(theirs)-1])
}

func (c *Committer) overwriteFile(ctx context.Context, from, to string) error {
	data, err := c.dir.Store.Read(ctx, from)
	if err != nil {
		return err
	}
	_, err = c.dir.Store.Put(ctx, to, bytes.NewReader(data), objstore.PutOptions{})
	return err
}

// RollbackTo makes a snapshot the latest one by deleting those after it, and
// the tags on them. Their files are orphans then.
func (c *Committer) RollbackTo(ctx context.Context, snapshot int64, tag string) error {
	if tag != "" {
		t, err := c.dir.Tag(ctx, tag)
		if cherr.Is(err, cherr.FileDoesntExist) {
			return invalid("Rollback tag '%s' doesn't exist.", tag)
		}
		if err != nil {
			return err
		}
		snapshot = t.Snapshot.ID
		if _, err := c.dir.Store.Stat(ctx, c.dir.SnapshotPath(snapshot)); cherr.Is(err, cherr.FileDoesntExist) {
			data, err := t.Snapshot.MarshalJSON()
			if err != nil {
				return err
			}
			if err := c.put(ctx, c.dir.SnapshotPath(snapshot), paimon.Indent(data)); err != nil {
				return err
			}
			if err := putHint(ctx, c.dir, "EARLIEST", snapshot); err != nil {
				return err
			}
		}
	}
	if _, err := c.snapshotOr(ctx, snapshot); err != nil || snapshot == 0 {
		if err == nil {
			err = invalid("rollback_to needs a snapshot or a tag")
		}
		return err
	}
	_ = putHint(ctx, c.dir, "LATEST", snapshot)
	ids, err := c.dir.SnapshotIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(ids) {
		if id > snapshot {
			if err := c.delete(ctx, c.dir.SnapshotPath(id)); err != nil {
				return err
			}
		}
	}
	names, err := c.dir.TagNames(ctx)
	if err != nil {
		return err
	}
	for _, n := range names {
		t, err := c.dir.Tag(ctx, n)
		if err != nil {
			return err
		}
		if t.Snapshot.ID > snapshot {
			if err := c.delete(ctx, c.dir.TagPath(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ResetConsumer moves a consumer to a snapshot, or forgets it for nil.
func (c *Committer) ResetConsumer(ctx context.Context, id string, next *int64) error {
	path := c.dir.ConsumerPath(id)
	if next == nil {
		return c.delete(ctx, path)
	}
	data, err := json.Marshal(paimon.Consumer{NextSnapshot: *next})
	if err != nil {
		return err
	}
	_, err = c.dir.Store.Put(ctx, path, bytes.NewReader(paimon.Indent(data)), objstore.PutOptions{})
	return err
}
