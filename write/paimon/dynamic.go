package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// dynamicBuckets gives keys of a table without a fixed number of buckets their
// bucket: the one that they are in by the hash index, else one with room.
type dynamicBuckets struct {
	c          *Committer
	partitions map[string]*dynamicPartition
	room       int64
}

type dynamicPartition struct {
	bucket map[int32]int   // hash → bucket
	hashes map[int][]int32 // bucket → its hashes
	grown  map[int]bool
}

func newDynamicBuckets(c *Committer) *dynamicBuckets {
	return &dynamicBuckets{c: c, partitions: map[string]*dynamicPartition{}, room: max(1, c.options.number("dynamic-bucket.target-row-num", 2_000_000))}
}

func (d *dynamicBuckets) bucket(ctx context.Context, partition []byte, hash int32) (int, error) {
	p := d.partitions[string(partition)]
	if p == nil {
		var err error
		if p, err = d.load(ctx, partition); err != nil {
			return 0, err
		}
		d.partitions[string(partition)] = p
	}
	if b, ok := p.bucket[hash]; ok {
		return b, nil
	}
	b := 0
	for int64(len(p.hashes[b])) >= d.room {
		b++
	}
	p.bucket[hash], p.hashes[b], p.grown[b] = b, append(p.hashes[b], hash), true
	return b, nil
}

func (d *dynamicBuckets) load(ctx context.Context, partition []byte) (*dynamicPartition, error) {
	p := &dynamicPartition{bucket: map[int32]int{}, hashes: map[int][]int32{}, grown: map[int]bool{}}
	latest, err := d.c.publish.latest(ctx)
	if err != nil || latest == nil {
		return p, err
	}
	index, err := d.c.readIndex(ctx, latest.IndexManifest)
	if err != nil {
		return nil, err
	}
	for i := range index {
		x := &index[i]
		if x.Type != paimon.IndexHash || string(x.Partition) != string(partition) {
			continue
		}
		folder, err := d.c.bucketFolder(&paimon.Entry{Partition: x.Partition, Bucket: x.Bucket})
		if err != nil {
			return nil, err
		}
		path := d.c.indexPath(folder, x)
		data, err := d.c.dir.Store.Read(ctx, path)
		if err != nil {
			return nil, cherr.Wrap(err, "reading hash index %s", path)
		}
		hashes, err := paimon.ReadHashIndex(data)
		if err != nil {
			return nil, cherr.Wrap(err, "reading hash index %s", path)
		}
		p.hashes[x.Bucket] = hashes
		for _, h := range hashes {
			p.bucket[h] = x.Bucket
		}
	}
	return p, nil
}

// save writes the index of a bucket that got new keys.
func (d *dynamicBuckets) save(ctx context.Context, w *RowWriter, o *openBucket) error {
	p := d.partitions[string(o.message.Partition)]
	if p == nil || !p.grown[o.message.Bucket] {
		return nil
	}
	hashes := p.hashes[o.message.Bucket]
	data := paimon.EncodeHashIndex(hashes)
	x := paimon.IndexEntry{Type: paimon.IndexHash, Name: "index-" + newUUID() + "-0", Size: int64(len(data)), Rows: int64(len(hashes))}
	path := d.c.indexPath(o.folder, &x)
	o.message.Data.NewIndexFiles = append(o.message.Data.NewIndexFiles, x)
	return w.put(ctx, path, data)
}
