package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

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
func (v *Vectors) Change(ctx context.Context, o *output, add map[string]*paimon.Positions, drop map[string]bool) (deleted, added []paimon.IndexEntry, err error) {
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
	x, err := v.c.writeVectors(ctx, o, out)
	return deleted, []paimon.IndexEntry{x}, err
}

// ChangeVectors is Change of v with files that Abort removes.
func (w *RowWriter) ChangeVectors(ctx context.Context, v *Vectors, add map[string]*paimon.Positions, drop map[string]bool) (deleted, added []paimon.IndexEntry, err error) {
	return v.Change(ctx, w.output, add, drop)
}

func (c *Committer) writeVectors(ctx context.Context, o *output, sets map[string]*paimon.Positions) (paimon.IndexEntry, error) {
	f := paimon.NewVectorFile(c.options.flag("deletion-vectors.bitmap64", false))
	for _, name := range sortedNames(sets) {
		if err := f.Add(name, sets[name]); err != nil {
			return paimon.IndexEntry{}, err
		}
	}
	x := paimon.IndexEntry{Type: paimon.IndexDeletionVectors, Name: "index-" + newUUID() + "-0", Size: int64(len(f.Bytes)), Rows: int64(len(f.Ranges)), Vectors: f.Ranges}
	path := c.indexPath("", &x)
	return x, o.put(ctx, path, f.Bytes)
}

func sortedNames(sets map[string]*paimon.Positions) []string {
	set := map[string]bool{}
	for n := range sets {
		set[n] = true
	}
	return sortedPartitions(set)
}
