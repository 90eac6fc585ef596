package paimon

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// Latest gives the newest snapshot, nil for none.
func (c *Committer) Latest(ctx context.Context) (*paimon.Snapshot, error) {
	return c.publish.latest(ctx)
}

// Live gives the files of a snapshot.
func (c *Committer) Live(ctx context.Context, s *paimon.Snapshot) ([]paimon.Entry, error) {
	return c.liveOf(ctx, s)
}

// TargetFileSize is about how large data files get.
func (c *Committer) TargetFileSize() int64 {
	if c.schema.HasPrimaryKey() {
		return c.options.size("target-file-size", 128<<20)
	}
	return c.options.size("target-file-size", 256<<20)
}

// TopLevel is the level of fully compacted files.
func (c *Committer) TopLevel() int {
	return int(c.options.number("num-levels", c.options.number("num-sorted-run.compaction-trigger", 5)+1)) - 1
}

// Option gives an option of the table, "" where it is not set.
func (c *Committer) Option(name string) string { return c.options[name] }

// NewCompactor makes a RowWriter for rows that are in the table already: its
// files are those of a compaction, at the top level.
func (c *Committer) NewCompactor() (*RowWriter, error) {
	w, err := c.NewRowWriter(nil)
	if err != nil {
		return nil, err
	}
	w.compacting, w.buffer, w.dynamic, w.part.dynamic = true, 1<<62, nil, nil
	return w, nil
}

// Into says that all rows from now on belong to a bucket, whose files they
// replace.
func (w *RowWriter) Into(before []paimon.Entry, row column.Row) {
	e := &before[0]
	w.part.fixed, w.part.total = &group{partition: e.Partition, row: row, bucket: e.Bucket}, e.TotalBuckets
	o, _ := w.bucket(*w.part.fixed)
	for i := range before {
		o.message.Compact.Before = append(o.message.Compact.Before, before[i].File)
	}
}

// DropIndex takes index files away together with the rows' old files; the new
// ones take their place.
func (w *RowWriter) DropIndex(deleted, added []paimon.IndexEntry) {
	o, _ := w.bucket(*w.part.fixed)
	o.message.Compact.DeletedIndexFiles, o.message.Compact.NewIndexFiles = deleted, added
}

// WriteKept adds rows of a primary-key table with the sequence numbers that
// they have.
func (w *RowWriter) WriteKept(b *column.Block, sequence []int64) {
	o, _ := w.bucket(*w.part.fixed)
	o.blocks, o.kinds, o.kept = append(o.blocks, b), append(o.kinds, Insert), append(o.kept, sequence)
}

// flushCompacted writes the merged rows of a bucket into one sorted file.
func (w *RowWriter) flushCompacted(ctx context.Context, o *openBucket) error {
	b, kinds := w.joined(o)
	sequence := slices.Concat(o.kept...)
	var compare []func(i, j int) int
	for _, k := range w.layout.keys {
		compare = append(compare, comparer(b.Columns[k]))
	}
	order := make([]uint32, b.Rows)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, j uint32) int {
		for _, c := range compare {
			if d := c(int(i), int(j)); d != 0 {
				return d
			}
		}
		return 0
	})
	to := &o.message.Compact.After
	if err := w.writeSorted(ctx, o, b, kinds, order, sequence, "data-", to); err != nil {
		return err
	}
	(*to)[len(*to)-1].Level = w.c.TopLevel()
	return nil
}

// Vectors are the deletion vectors of a table without buckets, or of the
// buckets that a change touches.
type Vectors struct {
	c       *Committer
	entries []paimon.IndexEntry
	sets    map[string]map[string]*paimon.Positions // index file → data file → positions
}

// LoadVectors reads the deletion vectors of a partition.
func (c *Committer) LoadVectors(ctx context.Context, s *paimon.Snapshot, partition []byte) (*Vectors, error) {
	v := &Vectors{c: c, sets: map[string]map[string]*paimon.Positions{}}
	if s == nil {
		return v, nil
	}
	index, err := c.readIndex(ctx, s.IndexManifest)
	if err != nil {
		return nil, err
	}
	for i := range index {
		x := &index[i]
		if x.Type != paimon.IndexDeletionVectors || string(x.Partition) != string(partition) {
			continue
		}
		folder, err := c.bucketFolder(&paimon.Entry{Partition: x.Partition, Bucket: x.Bucket})
		if err != nil {
			return nil, err
		}
		data, err := c.dir.Store.Read(ctx, c.indexPath(folder, x))
		if err != nil {
			return nil, cherr.Wrap(err, "reading deletion vectors %s", x.Name)
		}
		set := map[string]*paimon.Positions{}
		for _, r := range x.Vectors {
			if set[r.DataFile], err = paimon.ReadVector(data, r); err != nil {
				return nil, err
			}
		}
		v.entries = append(v.entries, *x)
		v.sets[x.Name] = set
	}
	return v, nil
}

// Has tells whether a data file has a vector.
func (v *Vectors) Has(file string) bool {
	for _, set := range v.sets {
		if set[file] != nil {
			return true
		}
	}
	return false
}

// OfBucket gives the index files of a bucket's vectors.
func (v *Vectors) OfBucket(bucket int) []paimon.IndexEntry {
	var out []paimon.IndexEntry
	for _, x := range v.entries {
		if x.Bucket == bucket {
			out = append(out, x)
		}
	}
	return out
}

// Change gives the index files that go and come when data files lose more rows
// (add) or go themselves (drop).
func (v *Vectors) Change(ctx context.Context, w *RowWriter, add map[string]*paimon.Positions, drop map[string]bool) (deleted, added []paimon.IndexEntry, err error) {
	out := map[string]*paimon.Positions{}
	for f, p := range add {
		out[f] = p
	}
	var order []string
	for i := range v.entries {
		x := &v.entries[i]
		touched := false
		for f := range v.sets[x.Name] {
			touched = touched || drop[f] || add[f] != nil
		}
		if !touched {
			continue
		}
		deleted = append(deleted, *x)
		for f, p := range v.sets[x.Name] {
			switch {
			case drop[f]:
			case out[f] != nil:
				out[f].Union(p)
			default:
				out[f] = p
			}
		}
	}
	for f := range out {
		order = append(order, f)
	}
	if len(order) == 0 {
		return deleted, nil, nil
	}
	x, err := v.c.writeVectors(ctx, w, out)
	return deleted, []paimon.IndexEntry{x}, err
}

func (c *Committer) writeVectors(ctx context.Context, w *RowWriter, sets map[string]*paimon.Positions) (paimon.IndexEntry, error) {
	f := paimon.NewVectorFile(c.options.flag("deletion-vectors.bitmap64", false))
	for _, name := range sortedNames(sets) {
		if err := f.Add(name, sets[name]); err != nil {
			return paimon.IndexEntry{}, err
		}
	}
	x := paimon.IndexEntry{Type: paimon.IndexDeletionVectors, Name: "index-" + newUUID() + "-0", Size: int64(len(f.Bytes)), Rows: int64(len(f.Ranges)), Vectors: f.Ranges}
	path := c.indexPath("", &x)
	w.made = append(w.made, path)
	return x, c.put(ctx, path, f.Bytes)
}

func sortedNames(sets map[string]*paimon.Positions) []string {
	set := map[string]bool{}
	for n := range sets {
		set[n] = true
	}
	return sortedPartitions(set)
}
