package paimon

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// mentioned is how many entries of a side a conflict's message lists.
const mentioned = 50

// changed gives the partitions that a commit touches.
func (c *changes) changed() map[string]bool {
	out := map[string]bool{}
	for i := range c.table {
		out[string(c.table[i].Partition)] = true
	}
	for i := range c.index {
		if x := &c.index[i]; x.Type == paimon.IndexDeletionVectors || x.Global != nil {
			out[string(x.Partition)] = true
		}
	}
	return out
}

// conflicts compares the changes with what is live, as far as the plan asks.
// A conflict is an error that trying again does not cure.
func (a *attempt) conflicts(ctx context.Context) error {
	c, p := a.c, a.plan
	discard := p.kind == paimon.CommitAppend && c.options.flag("commit.discard-duplicate-files", false)
	buckets := c.buckets > 0 && c.options.flag("write-only", false) && p.kind != paimon.CommitOverwrite && len(a.changes.table) > 0
	if !discard && !buckets && !p.check {
		return nil
	}
	live, err := c.live(ctx, a.lists, a.changes.changed())
	if err != nil {
		return err
	}
	if discard {
		a.discardDuplicates(live)
	}
	if buckets {
		if err := c.newBuckets(live, a.changes.table); err != nil {
			return err
		}
	}
	if !p.check {
		return nil
	}
	d := &detection{a: a, live: live}
	return d.run(ctx)
}

// discardDuplicates leaves out files that are live already. The messages' own
// slices are not touched: they may be used again.
func (a *attempt) discardDuplicates(live []paimon.Entry) {
	have := map[string]bool{}
	for i := range live {
		have[live[i].Identity()] = true
	}
	var kept []paimon.Entry
	for i := range a.changes.table {
		if e := &a.changes.table[i]; e.Kind != paimon.Add || !have[e.Identity()] {
			kept = append(kept, *e)
		}
	}
	a.changes.table = kept
}

// newBuckets refuses files of another number of buckets than their partition's:
// a write-only job does not read what is there, so nothing else would notice.
func (c *Committer) newBuckets(live, now []paimon.Entry) error {
	had := map[string]int{}
	for i := range live {
		if live[i].Bucket != paimon.PostponeBucket {
			had[string(live[i].Partition)] = live[i].TotalBuckets
		}
	}
	for i := range now {
		e := &now[i]
		if n, ok := had[string(e.Partition)]; ok && e.Kind == paimon.Add && n > 0 && e.TotalBuckets > 0 && n != e.TotalBuckets {
			return conflict("Try to write partition %s with a new bucket num %d, but the previous bucket num is %d, without overwrite. Rescale the partition by INSERT OVERWRITE first",
				c.partitionText(e.Partition), e.TotalBuckets, n)
		}
	}
	return nil
}

func (c *Committer) partitionText(raw []byte) string {
	fields := c.schema.PartitionFields()
	row, err := paimon.DecodeRow(raw, paimon.TypesOf(fields))
	if err != nil {
		return "?"
	}
	parts := make([]string, len(fields))
	names := c.schema.PartitionNames()
	for i, f := range fields {
		parts[i] = f.Name + "=" + names.Text(i, row[i])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// detection is one conflict check.
type detection struct {
	a      *attempt
	live   []paimon.Entry // of the changed partitions, before
	merged []paimon.Entry // after
}

func (d *detection) run(ctx context.Context) error {
	for _, check := range []func() error{d.bucketCounts, d.files, d.levels, d.vectors, d.rowIDs, d.globalIndexes} {
		if err := check(); err != nil {
			return err
		}
	}
	return d.a.rowIDConflicts(ctx)
}

// fail gives a conflict with the entries of both sides.
func (d *detection) fail(format string, args ...any) error {
	side := func(entries []paimon.Entry) string {
		var b strings.Builder
		for i := range entries[:min(len(entries), mentioned)] {
			e := &entries[i]
			fmt.Fprintf(&b, "\n%s %s bucket %d level %d %s", map[paimon.EntryKind]string{paimon.Add: "ADD", paimon.Delete: "DELETE"}[e.Kind], d.a.c.partitionText(e.Partition), e.Bucket, e.File.Level, e.File.Name)
		}
		if len(entries) > mentioned {
			fmt.Fprintf(&b, "\n… and %d more", len(entries)-mentioned)
		}
		return b.String()
	}
	user := ""
	if d.a.latest != nil {
		user = d.a.latest.CommitUser
	}
	return conflict("%s. The commit user of the latest snapshot is %s, ours is %s.\nBase entries:%s\nChanges:%s", fmt.Sprintf(format, args...), user, d.a.c.ctx.User, side(d.live), side(d.a.changes.table))
}

// bucketCounts: files of one partition are of one number of buckets, unless all
// of them are replaced.
func (d *detection) bucketCounts() error {
	if d.a.plan.kind == paimon.CommitOverwrite {
		return nil
	}
	had := map[string]int{}
	for i := range d.live {
		if d.live[i].Bucket != paimon.PostponeBucket {
			had[string(d.live[i].Partition)] = d.live[i].TotalBuckets
		}
	}
	for i := range d.a.changes.table {
		e := &d.a.changes.table[i]
		if n, ok := had[string(e.Partition)]; ok && e.Kind == paimon.Add && n != e.TotalBuckets && e.Bucket >= 0 {
			return d.fail("Total buckets of partition %s changed from %d to %d without overwrite. Give up committing", d.a.c.partitionText(e.Partition), n, e.TotalBuckets)
		}
	}
	return nil
}

// files: what is added is new, what is deleted is there.
func (d *detection) files() error {
	var err error
	if d.merged, err = paimon.MergeEntries(nil, d.live, d.a.changes.table); err != nil {
		return d.fail("File conflicts detected! Give up committing: %s", err)
	}
	for i := range d.merged {
		if d.merged[i].Kind == paimon.Delete {
			return d.fail("File deletion conflicts detected! Give up committing: file %s is not previously added", d.merged[i].File.Name)
		}
	}
	return nil
}

// levels: the files of a level above 0 do not overlap. Keys are compared by
// their values; their bytes have another order.
func (d *detection) levels() error {
	c := d.a.c
	if !c.schema.HasPrimaryKey() || len(d.a.changes.table) == 0 {
		return nil
	}
	type levelKey struct {
		bucketKey
		level int
	}
	levels := map[levelKey][]keyRange{}
	ts := paimon.TypesOf(c.schema.TrimmedKeys())
	for i := range d.merged {
		e := &d.merged[i]
		if e.File.Level < 1 {
			continue
		}
		r, err := rangeOf(e, ts)
		if err != nil {
			return err
		}
		k := levelKey{bucketKey{string(e.Partition), e.Bucket}, e.File.Level}
		levels[k] = append(levels[k], r)
	}
	for k, files := range levels {
		if x, y, ok := overlapping(files); ok {
			return d.fail("LSM conflicts detected! Give up committing: files %s and %s overlap in level %d of bucket %d of partition %s", x, y, k.level, k.bucket, c.partitionText([]byte(k.partition)))
		}
	}
	return nil
}

// keyRange is the keys of a file, both ends included.
type keyRange struct {
	name     string
	min, max column.Row
}

func rangeOf(e *paimon.Entry, ts []*paimon.Type) (keyRange, error) {
	low, err := paimon.DecodeRow(e.File.MinKey, ts)
	if err != nil {
		return keyRange{}, cherr.Wrap(err, "reading the least key of file %s", e.File.Name)
	}
	high, err := paimon.DecodeRow(e.File.MaxKey, ts)
	return keyRange{e.File.Name, low, high}, cherr.Wrap(err, "reading the greatest key of file %s", e.File.Name)
}

// overlapping sorts the ranges and gives two that share a key.
func overlapping(files []keyRange) (x, y string, ok bool) {
	sort.Slice(files, func(i, j int) bool { return paimon.CompareRows(files[i].min, files[j].min) < 0 })
	for i := 1; i < len(files); i++ {
		if paimon.CompareRows(files[i-1].max, files[i].min) >= 0 {
			return files[i-1].name, files[i].name, true
		}
	}
	return "", "", false
}

// vectors of tables without buckets: a data file goes with its vector, and a
// vector is of a live file.
func (d *detection) vectors() error {
	c := d.a.c
	if c.schema.HasPrimaryKey() || c.buckets != -1 || !c.options.flag("deletion-vectors.enabled", false) {
		return nil
	}
	old := ""
	if d.a.latest != nil {
		old = d.a.latest.IndexManifest
	}
	before, err := c.readIndex(context.Background(), old)
	if err != nil {
		return err
	}
	after, err := c.combineIndex(before, d.a.changes.index)
	if err != nil {
		return err
	}
	partitions := d.a.changes.changed()
	alive := map[string]bool{}
	for i := range d.merged {
		alive[string(d.merged[i].Partition)+"\x00"+d.merged[i].File.Name] = true
	}
	for i := range after {
		x := &after[i]
		if !c.unawareVectors(x) || !partitions[string(x.Partition)] {
			continue
		}
		for _, v := range x.Vectors {
			if !alive[string(x.Partition)+"\x00"+v.DataFile] {
				return d.fail("File deletion conflicts detected! Give up committing: index file %s has the deletion vector of file %s, which is not live", x.Name, v.DataFile)
			}
		}
	}
	return nil
}
