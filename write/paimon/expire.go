package paimon

import (
	"context"
	"math"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// retention is how many snapshots are kept, and how long.
type retention struct {
	min, max, limit int64
	age             time.Duration
}

func (c *Committer) retention() (r retention, err error) {
	o := c.options
	r = retention{
		min: o.number("snapshot.num-retained.min", 10), max: o.number("snapshot.num-retained.max", math.MaxInt32),
		limit: o.number("snapshot.expire.limit", 50), age: o.duration("snapshot.time-retained", time.Hour),
	}
	switch {
	case r.min < 1:
		err = invalid("option snapshot.num-retained.min must be at least 1, it is %d", r.min)
	case r.max < r.min:
		err = invalid("option snapshot.num-retained.max (%d) must not be less than snapshot.num-retained.min (%d)", r.max, r.min)
	case r.limit < 0:
		err = invalid("option snapshot.expire.limit must not be negative, it is %d", r.limit)
	}
	return r, err
}

// Expire removes the oldest snapshots, as far as the table's retention lets
// them go, with all files that nothing needs any more, and gives their number.
// What the retained snapshots, tags, branches and consumers need is kept. A run
// that ends with an error may be repeated.
func (c *Committer) Expire(ctx context.Context) (int, error) {
	r, err := c.retention()
	if err != nil {
		return 0, err
	}
	ids, err := c.dir.SnapshotIDs(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if c.ctx.Branch != "" {
		return 0, cherr.New(cherr.NotImplemented, "snapshots of branch `%s` are not expired on their own: main and its branches share files", c.ctx.Branch)
	}
	if p, ok := c.publish.(*catalogPublisher); ok {
		if s, err := p.latest(ctx); err != nil || s == nil || s.ID != ids[len(ids)-1] {
			return 0, cherr.New(cherr.NotImplemented, "the catalog's latest snapshot of Paimon table %s is not the newest file: nothing is expired", c.ctx.Root)
		}
	}
	end, err := c.expireUntil(ctx, r, ids)
	if err != nil {
		return 0, err
	}
	if end <= ids[0] {
		if _, err := c.dir.Store.Stat(ctx, c.dir.Meta()+"snapshot/EARLIEST"); cherr.Is(err, cherr.FileDoesntExist) {
			return 0, putHint(ctx, c.dir, "EARLIEST", ids[0])
		}
		return 0, nil
	}
	return c.expireBefore(ctx, ids, end)
}

// expireUntil finds the first snapshot that stays.
func (c *Committer) expireUntil(ctx context.Context, r retention, ids []int64) (int64, error) {
	earliest, latest := ids[0], ids[len(ids)-1]
	id := max(latest-r.max+1, earliest)
	end := min(latest-r.min+1, earliest+r.limit)
	if !c.options.flag("consumer.changelog-only", false) {
		next, err := c.consumers(ctx)
		if err != nil {
			return 0, err
		}
		end = min(end, next)
	}
	before := c.now().Add(-r.age).UnixMilli()
	for ; id < end; id++ {
		s, err := c.dir.Snapshot(ctx, id+1)
		if cherr.Is(err, cherr.FileDoesntExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if s.TimeMillis > before {
			return id, nil
		}
	}
	return end, nil
}

// consumers gives the first snapshot that a consumer still wants.
func (c *Committer) consumers(ctx context.Context) (int64, error) {
	names, err := c.dir.ConsumerIDs(ctx)
	if err != nil {
		return 0, err
	}
	next := int64(math.MaxInt64)
	for _, n := range names {
		x, err := c.dir.Consumer(ctx, n)
		if err != nil {
			return 0, err
		}
		next = min(next, x.NextSnapshot)
	}
	return next, nil
}

// kept is what snapshots that stay need.
type kept struct {
	files     map[string]bool // paths of data files and their extra files
	names     map[string]bool // manifest lists, manifests, index manifests, index files, statistics, offsets
	uncertain bool            // a tag could not be read: no data file may go
}

// expireBefore removes the snapshots before end: data files, then metadata,
// then the snapshots themselves, so that a run that fails finds all again.
func (c *Committer) expireBefore(ctx context.Context, ids []int64, end int64) (int, error) {
	k, err := c.keep(ctx, ids, end)
	if err != nil {
		return 0, err
	}
	var expired []*paimon.Snapshot
	for _, id := range ids {
		if id >= end {
			break
		}
		s, err := c.dir.Snapshot(ctx, id)
		if err != nil {
			return 0, err
		}
		expired = append(expired, s)
	}
	folders := map[string]bool{}
	if !k.uncertain {
		if err := c.expireData(ctx, ids, end, k, folders); err != nil {
			return 0, err
		}
	}
	decoupled := c.changelogDecoupled()
	for _, s := range expired {
		if err := c.expireMetadata(ctx, s, k, decoupled, folders); err != nil {
			return 0, err
		}
	}
	for _, s := range expired {
		if err := c.dir.Store.Delete(ctx, c.dir.SnapshotPath(s.ID)); err != nil {
			return 0, err
		}
	}
	if c.options.flag("snapshot.clean-empty-directories", false) {
		c.removeEmpty(ctx, folders)
	}
	return len(expired), putHint(ctx, c.dir, "EARLIEST", end)
}

// keep collects what the snapshots from end on, all tags and all branches need.
func (c *Committer) keep(ctx context.Context, ids []int64, end int64) (*kept, error) {
	k := &kept{files: map[string]bool{}, names: map[string]bool{}}
	if err := c.keepChain(ctx, k, c, ids, end); err != nil {
		return nil, err
	}
	if err := c.keepTags(ctx, k, c); err != nil {
		return nil, err
	}
	branches, err := c.dir.Branches(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range branches {
		on := &Committer{ctx: c.ctx, schema: c.schema, options: c.options, buckets: c.buckets, dir: c.dir.On(b.Name)}
		ids, err := on.dir.SnapshotIDs(ctx)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			if err := c.keepChain(ctx, k, on, ids, ids[0]); err != nil {
				return nil, err
			}
		}
		if err := c.keepTags(ctx, k, on); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// keepChain keeps the snapshots from a first one on. What any of them shows was
// live in the first or added by a later one.
func (c *Committer) keepChain(ctx context.Context, k *kept, on *Committer, ids []int64, from int64) error {
	for _, id := range ids {
		if id < from {
			continue
		}
		s, err := on.dir.Snapshot(ctx, id)
		if err != nil {
			return err
		}
		l, err := c.readLists(ctx, s)
		if err != nil {
			return err
		}
		if err := c.keepNames(ctx, k, s, l); err != nil {
			return err
		}
		files := l.delta
		if id == from {
			files = l.all()
		}
		if err := c.keepFiles(ctx, k, files, id == from); err != nil {
			return err
		}
		if err := c.keepChangelog(ctx, k, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *Committer) keepTags(ctx context.Context, k *kept, on *Committer) error {
	names, err := on.dir.TagNames(ctx)
	if err != nil {
		return err
	}
	for _, n := range names {
		t, err := on.dir.Tag(ctx, n)
		if err != nil {
			return err
		}
		l, err := c.readLists(ctx, t.Snapshot)
		if err == nil {
			err = c.keepNames(ctx, k, t.Snapshot, l)
		}
		if err == nil {
			err = c.keepFiles(ctx, k, l.all(), true)
		}
		if err != nil { // what it needs is not known: nothing of it may go
			k.uncertain = true
		}
	}
	return nil
}

func (c *Committer) keepNames(ctx context.Context, k *kept, s *paimon.Snapshot, l *lists) error {
	for _, n := range []string{s.BaseManifestList, s.DeltaManifestList, s.ChangelogManifestList, s.IndexManifest, s.Statistics, s.Properties[offsetsProperty]} {
		k.names[n] = true
	}
	for _, f := range l.all() {
		k.names[f.Name] = true
	}
	index, err := c.readIndex(ctx, s.IndexManifest)
	for _, x := range index {
		k.names[x.Name] = true
	}
	return err
}

func (c *Committer) keepFiles(ctx context.Context, k *kept, files []paimon.ManifestFile, merge bool) error {
	read, err := c.readManifests(ctx, files)
	if err != nil {
		return err
	}
	live := read
	if merge {
		m := paimon.NewMerger(0)
		for _, entries := range read {
			for i := range entries {
				if err := m.Add(&entries[i]); err != nil {
					return err
				}
			}
		}
		live = [][]paimon.Entry{m.Entries()}
	}
	for _, entries := range live {
		for i := range entries {
			if entries[i].Kind != paimon.Add {
				continue
			}
			paths, err := c.entryPaths(&entries[i])
			if err != nil {
				return err
			}
			for _, p := range paths {
				k.files[p] = true
			}
		}
	}
	return nil
}

func (c *Committer) keepChangelog(ctx context.Context, k *kept, s *paimon.Snapshot) error {
	if s.ChangelogManifestList == "" {
		return nil
	}
	files, err := c.readList(ctx, s.ChangelogManifestList)
	if err != nil {
		return err
	}
	for _, f := range files {
		k.names[f.Name] = true
	}
	return c.keepFiles(ctx, k, files, false)
}

func (c *Committer) entryPaths(e *paimon.Entry) ([]string, error) {
	folder, err := c.bucketFolder(e)
	return pathsOf(folder, &e.File), err
}

func (c *Committer) bucketFolder(e *paimon.Entry) (string, error) {
	names := c.schema.PartitionNames()
	row := column.Row(nil)
	if len(names.Fields) > 0 {
		var err error
		if row, err = paimon.DecodeRow(e.Partition, paimon.TypesOf(names.Fields)); err != nil {
			return "", cherr.Wrap(err, "reading the partition of file %s", e.File.Name)
		}
	}
	return c.schema.BucketPath(c.dir, names, row, e.Bucket), nil
}

// expireData deletes the data files that went with the snapshots after the
// first one up to end: nobody older is left to read them.
func (c *Committer) expireData(ctx context.Context, ids []int64, end int64, k *kept, folders map[string]bool) error {
	for _, id := range ids[1:] {
		if id > end {
			break
		}
		s, err := c.dir.Snapshot(ctx, id)
		if err != nil {
			return err
		}
		files, err := c.readList(ctx, s.DeltaManifestList)
		if cherr.Is(err, cherr.FileDoesntExist) { // a run before this one got so far
			continue
		}
		if err != nil {
			return err
		}
		for _, f := range files {
			entries, err := c.readManifest(ctx, f.Name)
			if cherr.Is(err, cherr.FileDoesntExist) {
				continue
			}
			if err != nil {
				return err
			}
			for i := range entries {
				if entries[i].Kind == paimon.Delete {
					if err := c.deleteUnless(ctx, k, &entries[i], folders); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (c *Committer) deleteUnless(ctx context.Context, k *kept, e *paimon.Entry, folders map[string]bool) error {
	paths, err := c.entryPaths(e)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if !k.files[p] {
			folders[p[:strings.LastIndexByte(p, '/')+1]] = true
			if err := c.delete(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// delete removes a file; one that is gone already is no error.
func (c *Committer) delete(ctx context.Context, path string) error {
	if err := c.dir.Store.Delete(ctx, path); err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
		return cherr.Wrap(err, "deleting %s", path)
	}
	return nil
}

// changelogDecoupled tells whether changelogs outlive their snapshots.
func (c *Committer) changelogDecoupled() bool {
	o := c.options
	return o.number("changelog.num-retained.min", 0) > o.number("snapshot.num-retained.min", 10) ||
		o.number("changelog.num-retained.max", 0) > o.number("snapshot.num-retained.max", math.MaxInt32) ||
		o.duration("changelog.time-retained", 0) > o.duration("snapshot.time-retained", time.Hour)
}

// expireMetadata removes what only this snapshot needs, and its changelog.
func (c *Committer) expireMetadata(ctx context.Context, s *paimon.Snapshot, k *kept, decoupled bool, folders map[string]bool) error {
	if s.ChangelogManifestList != "" {
		if decoupled {
			if err := c.keepAsChangelog(ctx, s, k); err != nil {
				return err
			}
		} else if err := c.expireChangelog(ctx, s, k, folders); err != nil {
			return err
		}
	}
	for _, list := range []string{s.BaseManifestList, s.DeltaManifestList} {
		files, err := c.readList(ctx, list)
		if err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
			return err
		}
		for _, f := range files {
			if err := c.dropName(ctx, k, f.Name, c.dir.ManifestPath(f.Name)); err != nil {
				return err
			}
		}
		if err := c.dropName(ctx, k, list, c.dir.ManifestPath(list)); err != nil {
			return err
		}
	}
	if err := c.expireIndex(ctx, s, k); err != nil {
		return err
	}
	if err := c.dropName(ctx, k, s.Statistics, c.dir.StatisticsPath(s.Statistics)); err != nil {
		return err
	}
	offsets := s.Properties[offsetsProperty]
	return c.dropName(ctx, k, offsets, c.dir.Meta()+offsets)
}

func (c *Committer) dropName(ctx context.Context, k *kept, name, path string) error {
	if name == "" || k.names[name] || k.uncertain {
		return nil
	}
	return c.delete(ctx, path)
}

func (c *Committer) expireIndex(ctx context.Context, s *paimon.Snapshot, k *kept) error {
	if s.IndexManifest == "" || k.names[s.IndexManifest] {
		return nil
	}
	index, err := c.readIndex(ctx, s.IndexManifest)
	if err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
		return err
	}
	for i := range index {
		x := &index[i]
		folder, err := c.bucketFolder(&paimon.Entry{Partition: x.Partition, Bucket: x.Bucket})
		if err != nil {
			return err
		}
		if err := c.dropName(ctx, k, x.Name, c.indexPath(folder, x)); err != nil {
			return err
		}
	}
	return c.dropName(ctx, k, s.IndexManifest, c.dir.ManifestPath(s.IndexManifest))
}

// keepAsChangelog writes the snapshot where changelogs stand that outlive it.
func (c *Committer) keepAsChangelog(ctx context.Context, s *paimon.Snapshot, k *kept) error {
	if err := c.keepChangelog(ctx, k, s); err != nil {
		return err
	}
	for _, n := range []string{s.ChangelogManifestList, s.BaseManifestList, s.DeltaManifestList} {
		k.names[n] = true
	}
	data, err := s.MarshalJSON()
	if err != nil {
		return err
	}
	path := c.dir.ChangelogPath(s.ID)
	if _, err := c.dir.Store.Stat(ctx, path); err == nil {
		return nil
	}
	return c.put(ctx, path, paimon.Indent(data))
}

func (c *Committer) expireChangelog(ctx context.Context, s *paimon.Snapshot, k *kept, folders map[string]bool) error {
	files, err := c.readList(ctx, s.ChangelogManifestList)
	if cherr.Is(err, cherr.FileDoesntExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		entries, err := c.readManifest(ctx, f.Name)
		if err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
			return err
		}
		for i := range entries {
			if err := c.deleteUnless(ctx, k, &entries[i], folders); err != nil {
				return err
			}
		}
		if err := c.dropName(ctx, k, f.Name, c.dir.ManifestPath(f.Name)); err != nil {
			return err
		}
	}
	return c.dropName(ctx, k, s.ChangelogManifestList, c.dir.ManifestPath(s.ChangelogManifestList))
}

// removeEmpty removes bucket folders that hold nothing any more, and then the
// partition folders above them. A folder that a writer fills meanwhile stays.
func (c *Committer) removeEmpty(ctx context.Context, folders map[string]bool) {
	for _, f := range sortedPartitions(folders) {
		for f != c.ctx.Root && strings.HasPrefix(f, c.ctx.Root) {
			if left, err := c.dir.Store.List(ctx, f, true); err != nil || len(left) > 0 {
				break
			}
			if c.dir.Store.Delete(ctx, strings.TrimSuffix(f, "/")) != nil {
				break
			}
			f = f[:strings.LastIndexByte(strings.TrimSuffix(f, "/"), '/')+1]
		}
	}
}
