package paimon

import (
	"context"
	"sort"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

func (c *Committer) readIndex(ctx context.Context, name string) ([]paimon.IndexEntry, error) {
	if name == "" {
		return nil, nil
	}
	path := c.dir.ManifestPath(name)
	data, err := c.dir.Store.Read(ctx, path)
	if err != nil {
		return nil, cherr.Wrap(err, "reading Paimon index manifest %s", path)
	}
	return paimon.ParseIndexManifest(path, data)
}

// writeIndexManifest gives the name of the snapshot's index manifest: the old
// one where nothing of it changes.
func (a *attempt) writeIndexManifest(ctx context.Context) (string, error) {
	old := ""
	if a.latest != nil {
		old = a.latest.IndexManifest
	}
	if len(a.changes.index) == 0 {
		return old, nil
	}
	before, err := a.c.readIndex(ctx, old)
	if err != nil {
		return "", err
	}
	entries, err := a.c.combineIndex(before, a.changes.index)
	if err != nil {
		return "", err
	}
	data, err := paimon.EncodeIndexManifest(entries, a.c.compression())
	if err != nil {
		return "", err
	}
	name := "index-manifest-" + newUUID() + "-0"
	return name, a.put(ctx, a.c.dir.ManifestPath(name), data)
}

// unawareVectors: deletion vectors of tables without buckets stand in files
// that hold vectors of many data files; elsewhere each bucket has one file.
func (c *Committer) unawareVectors(x *paimon.IndexEntry) bool {
	return x.Type == paimon.IndexDeletionVectors && !c.schema.HasPrimaryKey() && c.buckets == -1
}

// indexKey is what a new index file takes the place of.
func (c *Committer) indexKey(x *paimon.IndexEntry) string {
	if x.Global != nil || c.unawareVectors(x) {
		return "file\x00" + x.Name
	}
	b := bucketKey{string(x.Partition), x.Bucket}
	return x.Type + "\x00" + b.partition + "\x00" + paimon.BucketFolder(b.bucket)
}

// combineIndex gives the index files in force: DELETEs are applied first, then
// the new files (paimon.md §1.6).
func (c *Committer) combineIndex(before, now []paimon.IndexEntry) ([]paimon.IndexEntry, error) {
	live := map[string]paimon.IndexEntry{}
	for _, x := range before {
		if x.Kind == paimon.Add {
			live[c.indexKey(&x)] = x
		}
	}
	for _, x := range now {
		if x.Kind != paimon.Delete {
			continue
		}
		key := c.indexKey(&x)
		if old, ok := live[key]; !ok || old.Name != x.Name {
			return nil, conflict("Trying to delete index file %s which is not previously added", x.Name)
		}
		delete(live, key)
	}
	for _, x := range now {
		if x.Kind != paimon.Add {
			continue
		}
		key := c.indexKey(&x)
		if old, ok := live[key]; ok && old.Name == x.Name && (x.Global != nil || c.unawareVectors(&x)) {
			return nil, conflict("Trying to add index file %s which is already added", x.Name)
		}
		live[key] = x
	}
	out := make([]paimon.IndexEntry, 0, len(live))
	for _, x := range live {
		out = append(out, x)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, c.checkIndex(out)
}

// checkIndex looks whether index files contradict each other.
func (c *Committer) checkIndex(live []paimon.IndexEntry) error {
	vectors := map[string]string{}
	for i := range live {
		x := &live[i]
		if c.unawareVectors(x) {
			for _, v := range x.Vectors {
				key := string(x.Partition) + "\x00" + v.DataFile
				if other, ok := vectors[key]; ok {
					return conflict("Trying to add a second deletion vector of file %s: index files %s and %s", v.DataFile, other, x.Name)
				}
				vectors[key] = x.Name
			}
		}
		if x.Global == nil {
			continue
		}
		for j := range i {
			y := &live[j]
			if y.Global != nil && y.Type == x.Type && y.Global.FieldID == x.Global.FieldID && y.Global.RowRangeStart <= x.Global.RowRangeEnd && x.Global.RowRangeStart <= y.Global.RowRangeEnd {
				return conflict("Global indexes %s and %s of field %d overlap: rows [%d, %d] and [%d, %d]", y.Name, x.Name, x.Global.FieldID,
					y.Global.RowRangeStart, y.Global.RowRangeEnd, x.Global.RowRangeStart, x.Global.RowRangeEnd)
			}
		}
	}
	return nil
}

func conflict(format string, args ...any) error {
	return &conflictError{cherr.New(cherr.BadArguments, format, args...)}
}
