package paimon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sort"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// Dir is a table's folder as seen from one branch. Metadata of a branch lies in
// a folder of its own; data, manifests and index files always in the root.
type Dir struct {
	Store  objstore.Store
	Root   string // ends with /
	Branch string // "" or main: the root itself
	// Head gives the newest snapshot where a catalog knows it better than the
	// folder; nil: the folder is the truth.
	Head func(ctx context.Context) (*Snapshot, error)
}

// MainBranch is the name of the root's own branch.
const MainBranch = "main"

// On gives the same table on another branch.
func (d Dir) On(branch string) Dir {
	if branch != d.Branch {
		d.Head = nil
	}
	d.Branch = branch
	return d
}

// Meta is the folder of the branch's schemas, snapshots, tags and consumers.
func (d Dir) Meta() string {
	if d.Branch == "" || d.Branch == MainBranch {
		return d.Root
	}
	return d.Root + "branch/branch-" + d.Branch + "/"
}

// Paths of metadata files.
func (d Dir) SnapshotPath(id int64) string { return d.Meta() + "snapshot/snapshot-" + itoa(id) }

// ChangelogPath is of a snapshot that is kept for its changelog alone.
func (d Dir) ChangelogPath(id int64) string { return d.Meta() + "changelog/changelog-" + itoa(id) }

// SchemaPath is of a schema.
func (d Dir) SchemaPath(id int64) string { return d.Meta() + "schema/schema-" + itoa(id) }

// TagPath is of a tag.
func (d Dir) TagPath(name string) string { return d.Meta() + "tag/tag-" + name }

// ConsumerPath is of a consumer.
func (d Dir) ConsumerPath(id string) string { return d.Meta() + "consumer/consumer-" + id }

// BranchPath is the folder of a branch.
func (d Dir) BranchPath(name string) string { return d.Root + "branch/branch-" + name + "/" }

// ManifestPath is of manifests, manifest lists and index manifests.
func (d Dir) ManifestPath(name string) string { return d.Root + "manifest/" + name }

// IndexPath is of index files that do not lie beside their data.
func (d Dir) IndexPath(name string) string { return d.Root + "index/" + name }

// StatisticsPath is of a statistics file.
func (d Dir) StatisticsPath(name string) string { return d.Root + "statistics/" + name }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// numbered gives the ids of the files of a folder named prefix and a number,
// ascending. The hint files LATEST and EARLIEST are not read: they may be
// stale, and one listing tells both ends for certain.
func (d Dir) numbered(ctx context.Context, folder, prefix string) ([]int64, error) {
	objs, err := d.Store.List(ctx, d.Meta()+folder+"/", false)
	if err != nil {
		if cherr.Is(err, cherr.FileDoesntExist) {
			return nil, nil
		}
		return nil, err
	}
	var out []int64
	for _, o := range objs {
		rest, ok := strings.CutPrefix(baseName(o.Path), prefix)
		if id, err := strconv.ParseInt(rest, 10, 64); ok && err == nil && id >= 0 && itoa(id) == rest {
			out = append(out, id)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out, nil
}

// SnapshotIDs gives the snapshots that are there, ascending.
func (d Dir) SnapshotIDs(ctx context.Context) ([]int64, error) {
	return d.numbered(ctx, "snapshot", "snapshot-")
}

// ChangelogIDs gives the expired snapshots kept for their changelog, ascending.
func (d Dir) ChangelogIDs(ctx context.Context) ([]int64, error) {
	return d.numbered(ctx, "changelog", "changelog-")
}

// SchemaIDs gives the schemas, ascending.
func (d Dir) SchemaIDs(ctx context.Context) ([]int64, error) {
	return d.numbered(ctx, "schema", "schema-")
}

// LatestSnapshot gives the newest snapshot, nil when there is none. A file that
// vanishes between listing and reading was expired or rolled back: the next
// listing tells.
func (d Dir) LatestSnapshot(ctx context.Context) (*Snapshot, error) {
	if d.Head != nil {
		return d.Head(ctx)
	}
	for try := 0; ; try++ {
		ids, err := d.SnapshotIDs(ctx)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		s, err := d.Snapshot(ctx, ids[len(ids)-1])
		if cherr.Is(err, cherr.FileDoesntExist) && try < 3 {
			continue
		}
		return s, err
	}
}

// Snapshot reads a snapshot; FILE_DOESNT_EXIST when it is not there.
func (d Dir) Snapshot(ctx context.Context, id int64) (*Snapshot, error) {
	return d.readSnapshot(ctx, d.SnapshotPath(id), id)
}

// Changelog reads an expired snapshot that is kept for its changelog.
func (d Dir) Changelog(ctx context.Context, id int64) (*Snapshot, error) {
	return d.readSnapshot(ctx, d.ChangelogPath(id), id)
}

func (d Dir) readSnapshot(ctx context.Context, path string, id int64) (*Snapshot, error) {
	data, err := d.Store.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	s, err := ParseSnapshot(path, data)
	if err == nil && s.ID != id {
		err = cherr.New(cherr.IncorrectData, "Paimon snapshot %s says that it is snapshot %d", path, s.ID)
	}
	return s, err
}

// Schema reads a schema.
func (d Dir) Schema(ctx context.Context, id int64) (*Schema, error) {
	path := d.SchemaPath(id)
	data, err := d.Store.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return ParseSchema(path, data)
}

// LatestSchema reads the newest schema; FILE_DOESNT_EXIST when there is none:
// then the folder is no Paimon table.
func (d Dir) LatestSchema(ctx context.Context) (*Schema, error) {
	ids, err := d.SchemaIDs(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, cherr.New(cherr.FileDoesntExist, "The metadata file for Paimon table with path %s doesn't exist", d.Meta())
	}
	return d.Schema(ctx, ids[len(ids)-1])
}

// names gives what follows a prefix in the names of a folder's files.
func (d Dir) names(ctx context.Context, folder, prefix string) ([]string, error) {
	objs, err := d.Store.List(ctx, d.Meta()+folder+"/", false)
	if err != nil {
		if cherr.Is(err, cherr.FileDoesntExist) {
			return nil, nil
		}
		return nil, err
	}
	var out []string
	for _, o := range objs {
		if rest, ok := strings.CutPrefix(baseName(o.Path), prefix); ok && rest != "" {
			out = append(out, rest)
		}
	}
	sort.Strings(out)
	return out, nil
}

// TagNames gives the names of the tags, ascending.
func (d Dir) TagNames(ctx context.Context) ([]string, error) { return d.names(ctx, "tag", "tag-") }

// Tag reads a tag; FILE_DOESNT_EXIST when it is not there.
func (d Dir) Tag(ctx context.Context, name string) (*Tag, error) {
	path := d.TagPath(name)
	data, err := d.Store.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return ParseTag(name, path, data)
}

// Consumer is how far a reader of a stream of snapshots has come.
type Consumer struct {
	ID           string `json:"-"`
	NextSnapshot int64  `json:"nextSnapshot"`
}

// ConsumerIDs gives the names of the consumers, ascending.
func (d Dir) ConsumerIDs(ctx context.Context) ([]string, error) {
	return d.names(ctx, "consumer", "consumer-")
}

// Consumer reads a consumer; FILE_DOESNT_EXIST when it is not there.
func (d Dir) Consumer(ctx context.Context, id string) (Consumer, error) {
	c := Consumer{ID: id}
	data, err := d.Store.Read(ctx, d.ConsumerPath(id))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, cherr.Wrap(malformed(err), "reading Paimon consumer %s", d.ConsumerPath(id))
	}
	return c, nil
}

// PutConsumer writes how far a consumer has come, over the file of that ETag,
// "" for none; false when it is another.
func (d Dir) PutConsumer(ctx context.Context, c Consumer, etag string) (bool, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return false, err
	}
	_, err = d.Store.Put(ctx, d.ConsumerPath(c.ID), bytes.NewReader(Indent(data)), objstore.PutOptions{IfAbsent: etag == "", IfMatch: etag})
	if errors.Is(err, objstore.ErrExists) || errors.Is(err, objstore.ErrChanged) {
		return false, nil
	}
	return err == nil, err
}

// BranchInfo is one branch.
type BranchInfo struct {
	Name    string
	Created time.Time // of its first schema file
}

// Branches gives the branches besides main, by name.
func (d Dir) Branches(ctx context.Context) ([]BranchInfo, error) {
	objs, err := d.Store.List(ctx, d.Root+"branch/", true)
	if err != nil {
		if cherr.Is(err, cherr.FileDoesntExist) {
			return nil, nil
		}
		return nil, err
	}
	byName := map[string]time.Time{}
	for _, o := range objs {
		at := strings.LastIndex(o.Path, "branch/branch-")
		if at < 0 {
			continue
		}
		name, rest, _ := strings.Cut(o.Path[at+len("branch/branch-"):], "/")
		if old, ok := byName[name]; strings.HasPrefix(rest, "schema/schema-") && (!ok || o.Modified.Before(old)) {
			byName[name] = o.Modified
		}
	}
	var out []BranchInfo
	for n, t := range byName {
		out = append(out, BranchInfo{n, t})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// Statistics reads a statistics file.
func (d Dir) Statistics(ctx context.Context, name string) (*Statistics, error) {
	path := d.StatisticsPath(name)
	data, err := d.Store.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return ParseStatistics(path, data)
}
