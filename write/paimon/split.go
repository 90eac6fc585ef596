package paimon

import (
	"context"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// group is the rows of a block that go to one bucket.
type group struct {
	partition []byte
	row       column.Row
	bucket    int
	total     int // buckets of its partition; 0: as the table's option says
	rows      *column.Block
}

// splitter tells which partition and bucket rows belong to.
type splitter struct {
	parts   []int // places of the partition columns
	partTs  []*paimon.Type
	keyAt   []int // places of the bucket key
	key     []paimon.Field
	keyTs   []*paimon.Type
	n       int // buckets; -1: one
	hash    *paimon.BucketFunction
	dynamic *dynamicBuckets
	// postponed: partitions have buckets of their own.
	postponed *postponed
	schema    *paimon.Schema
}

func newSplitter(s *paimon.Schema, n int, hash *paimon.BucketFunction) splitter {
	p := splitter{schema: s, n: n, hash: hash, partTs: paimon.TypesOf(s.PartitionFields())}
	p.parts = placesOf(s, s.PartitionFields())
	if p.key = s.BucketKeys(); n > 0 || s.HasPrimaryKey() {
		p.keyAt, p.keyTs = placesOf(s, p.key), paimon.TypesOf(p.key)
	}
	return p
}

func placesOf(s *paimon.Schema, fields []paimon.Field) []int {
	out := make([]int, len(fields))
	for i, f := range fields {
		for j := range s.Fields {
			if s.Fields[j].ID == f.ID {
				out[i] = j
			}
		}
	}
	return out
}

// split takes a block apart.
func (p *splitter) split(ctx context.Context, b *column.Block) ([]group, error) {
	if len(p.parts) == 0 && p.n == -1 && p.dynamic == nil {
		return []group{{partition: paimon.EncodeRow(nil, nil), rows: b}}, nil
	}
	b = column.FullBlock(b)
	at := map[bucketKey]int{}
	var out []group
	var rows [][]uint32
	parts, last := newRunRows(b, p.parts), -1
	var partition []byte
	for r := range b.Rows {
		if last < 0 || !parts.same(last, r) {
			partition = paimon.EncodeRow(parts.row(r), p.partTs)
		}
		last = r
		bucket, n, total := 0, p.n, 0
		if p.postponed != nil {
			var err error
			if n, err = p.postponed.buckets(ctx, partition); err != nil {
				return nil, err
			}
			bucket, total = paimon.PostponeBucket, n
		}
		if n > 0 {
			bucket = p.hash.Bucket(rowAt(b, p.keyAt, r), n)
		} else if p.dynamic != nil {
			var err error
			if bucket, err = p.dynamic.bucket(ctx, partition, paimon.Hash(rowAt(b, p.keyAt, r), p.keyTs)); err != nil {
				return nil, err
			}
		}
		k := bucketKey{string(partition), bucket}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out, rows = append(out, group{partition: partition, row: parts.row(r), bucket: bucket, total: total}), append(rows, nil)
		}
		rows[i] = append(rows[i], uint32(r))
	}
	for i := range out {
		out[i].rows = b
		if len(out) > 1 {
			out[i].rows = b.Gather(rows[i])
		}
	}
	return out, nil
}

func rowAt(b *column.Block, at []int, r int) column.Row {
	out := make(column.Row, len(at))
	for i, c := range at {
		out[i] = column.At(b.Columns[c], r)
	}
	return out
}

// runRows compares neighbouring rows of a few columns, so that a run of one
// partition is encoded once.
type runRows struct {
	b       *column.Block
	at      []int
	compare []func(i, j int) int
}

func newRunRows(b *column.Block, at []int) *runRows {
	r := &runRows{b: b, at: at}
	for _, c := range at {
		r.compare = append(r.compare, comparer(b.Columns[c]))
	}
	return r
}

func (r *runRows) row(i int) column.Row { return rowAt(r.b, r.at, i) }

func (r *runRows) same(i, j int) bool {
	for _, c := range r.compare {
		if c(i, j) != 0 {
			return false
		}
	}
	return true
}
