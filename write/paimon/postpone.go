package paimon

import (
	"context"
	"slices"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// postponed gives keys of a table with bucket = -2 their bucket: none before a
// compaction, or at once (postpone.batch-write-fixed-bucket) one of as many as
// their partition has, or shall have.
type postponed struct {
	c      *Committer
	direct bool
	fresh  int            // buckets of partitions that have none
	counts map[string]int // partition → buckets; nil: not known yet
}

func newPostponed(c *Committer, direct bool) *postponed {
	return &postponed{c: c, direct: direct, fresh: max(1, int(c.options.number("postpone.default-bucket-num", 1)))}
}

// buckets gives the number of buckets of a partition; -2: rows wait.
func (p *postponed) buckets(ctx context.Context, partition []byte) (int, error) {
	if !p.direct {
		return paimon.PostponeBucket, nil
	}
	if p.counts == nil {
		p.counts = map[string]int{}
		latest, err := p.c.publish.latest(ctx)
		if err != nil {
			return 0, err
		}
		if latest != nil {
			live, err := p.c.liveOf(ctx, latest)
			if err != nil {
				return 0, err
			}
			for i := range live {
				if live[i].Bucket >= 0 {
					p.counts[string(live[i].Partition)] = live[i].TotalBuckets
				}
			}
		}
	}
	if n := p.counts[string(partition)]; n > 0 {
		return n, nil
	}
	return p.fresh, nil
}

// distribute moves the rows that wait into buckets: they become files of level
// 0, in the order in which they were committed.
func (c *Committer) distribute(ctx context.Context, o CompactOptions) (rows int64, err error) {
	latest, err := c.publish.latest(ctx)
	if err != nil || latest == nil {
		return 0, err
	}
	live, err := c.liveOf(ctx, latest)
	if err != nil {
		return 0, err
	}
	waiting := map[string][]paimon.Entry{}
	var order []string
	ts := paimon.TypesOf(c.schema.PartitionFields())
	for _, e := range live {
		if e.Bucket != paimon.PostponeBucket {
			continue
		}
		row, err := paimon.DecodeRow(e.Partition, ts)
		if err != nil {
			return 0, err
		}
		if o.Partition != nil && !o.Partition(row) {
			continue
		}
		if waiting[string(e.Partition)] == nil {
			order = append(order, string(e.Partition))
		}
		waiting[string(e.Partition)] = append(waiting[string(e.Partition)], e)
	}
	if len(order) == 0 {
		return 0, nil
	}
	w, err := c.NewRowWriter(o.Memory)
	if err != nil {
		return 0, err
	}
	w.part.postponed = newPostponed(c, true)
	w.source, w.spelled = paimon.SourceCompact, true
	messages, err := c.moveRows(ctx, w, c.source(latest), order, waiting)
	if err == nil {
		err = c.Commit(ctx, messages, nil)
	}
	if err != nil {
		if !IsUnclear(err) {
			w.Abort(ctx)
		}
		return 0, err
	}
	for _, files := range waiting {
		for i := range files {
			rows += files[i].File.Rows
		}
	}
	return rows, nil
}

func (c *Committer) moveRows(ctx context.Context, w *RowWriter, src *read.Paimon, order []string, waiting map[string][]paimon.Entry) ([]any, error) {
	var messages []any
	total := paimon.PostponeBucket
	for _, partition := range order {
		m := &Message{Partition: []byte(partition), Bucket: paimon.PostponeBucket, TotalBuckets: &total}
		for _, e := range waiting[partition] {
			m.Compact.Before = append(m.Compact.Before, e.File)
			tasks, err := read.PaimonTasks(ctx, src, []paimon.Entry{e})
			if err != nil {
				return nil, err
			}
			if err := w.writeFile(ctx, src, tasks); err != nil {
				return nil, err
			}
		}
		messages = append(messages, m)
	}
	files, err := w.Close(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range files {
		m := x.(*Message)
		m.Compact.After, m.Data.NewFiles = m.Data.NewFiles, nil
		m.Compact.ChangelogFiles, m.Data.ChangelogFiles = m.Data.ChangelogFiles, nil
		messages = append(messages, m)
	}
	return messages, nil
}

// writeFile writes the rows of a file again, with their kinds.
func (w *RowWriter) writeFile(ctx context.Context, src *read.Paimon, tasks []*read.Task) error {
	x, err := read.NewCompaction(src, read.CompactionOptions{Memory: w.memory, KeepDeletes: true}, tasks, nil)
	if err != nil {
		return err
	}
	defer x.Close()
	for {
		r, err := x.Next(ctx)
		if err != nil || r == nil {
			return err
		}
		if err := w.WriteKinded(ctx, r.Rows.Block, r.Rows.Kinds); err != nil {
			return err
		}
	}
}

// WriteKinded adds rows of several kinds.
func (w *RowWriter) WriteKinded(ctx context.Context, b *column.Block, kinds []int8) error {
	for from := 0; from < b.Rows; {
		to := from + 1
		for to < b.Rows && kinds[to] == kinds[from] {
			to++
		}
		if err := w.Write(ctx, b.Slice(from, to), RowKind(kinds[from])); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// crossPartition knows where each key of a table is whose key lacks partition
// columns, so that a row that comes with another partition moves there.
type crossPartition struct {
	c       *Committer
	engine  string
	keyAt   []int
	keyTs   []*paimon.Type
	places  map[string]keyPlace
	parts   []partitionOf
	partsOf map[string]int
	rows    map[bucketKey]int64 // keys in a bucket
	room    int64
	held    int64
	loaded  bool
}

type keyPlace struct{ part, bucket int }

type partitionOf struct {
	raw []byte
	row column.Row
}

func newCrossPartition(c *Committer) *crossPartition {
	x := &crossPartition{
		c: c, engine: c.options.text("merge-engine", "deduplicate"), places: map[string]keyPlace{}, partsOf: map[string]int{}, rows: map[bucketKey]int64{},
		room: max(1, c.options.number("dynamic-bucket.target-row-num", 2_000_000)),
	}
	var key []paimon.Field
	for _, name := range c.schema.PrimaryKeys {
		key = append(key, *c.schema.Field(name))
	}
	x.keyAt, x.keyTs = placesOf(c.schema, key), paimon.TypesOf(key)
	return x
}

func (x *crossPartition) part(raw []byte, row column.Row) int {
	n, ok := x.partsOf[string(raw)]
	if !ok {
		n = len(x.parts)
		x.partsOf[string(raw)] = n
		x.parts = append(x.parts, partitionOf{slices.Clone(raw), row})
	}
	return n
}

// load finds all keys of the table.
func (x *crossPartition) load(ctx context.Context, w *RowWriter) error {
	if x.loaded {
		return nil
	}
	x.loaded = true
	latest, err := x.c.publish.latest(ctx)
	if err != nil || latest == nil {
		return err
	}
	live, err := x.c.liveOf(ctx, latest)
	if err != nil {
		return err
	}
	buckets := map[bucketKey][]paimon.Entry{}
	for _, e := range live {
		k := bucketKey{string(e.Partition), e.Bucket}
		buckets[k] = append(buckets[k], e)
	}
	ts := paimon.TypesOf(x.c.schema.PartitionFields())
	src := x.c.source(latest)
	for k, files := range buckets {
		row, err := paimon.DecodeRow([]byte(k.partition), ts)
		if err != nil {
			return err
		}
		tasks, err := read.PaimonTasks(ctx, src, files)
		if err != nil {
			return err
		}
		if err := x.loadBucket(ctx, w, src, tasks, keyPlace{x.part([]byte(k.partition), row), k.bucket}, k); err != nil {
			return err
		}
	}
	return nil
}

func (x *crossPartition) loadBucket(ctx context.Context, w *RowWriter, src *read.Paimon, tasks []*read.Task, at keyPlace, k bucketKey) error {
	m, err := read.NewCompaction(src, read.CompactionOptions{Memory: w.memory}, tasks, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	for {
		r, err := m.Next(ctx)
		if err != nil || r == nil {
			return err
		}
		size := int64(0)
		for i := range r.Rows.Block.Rows {
			key := string(paimon.EncodeRow(rowAt(r.Rows.Block, x.keyAt, i), x.keyTs))
			x.places[key] = at
			size += int64(len(key)) + 64
		}
		x.rows[k] += int64(r.Rows.Block.Rows)
		if err := w.memory.Grow(size); err != nil {
			return err
		}
		x.held += size
	}
}

// moved is rows of a block that go to one bucket, in their order.
type moved struct {
	group
	rows  []uint32
	kinds []int8
}

// split says where the rows of a block go. Rows that go, or stay, elsewhere than
// their partition columns say come as copies with the columns of that place.
func (x *crossPartition) split(ctx context.Context, w *RowWriter, b *column.Block, kind RowKind) ([]*moved, []*column.Block, error) {
	if err := x.load(ctx, w); err != nil {
		return nil, nil, err
	}
	var out []*moved
	at := map[bucketKey]*moved{}
	add := func(p keyPlace, row int, kind RowKind) {
		k := bucketKey{string(x.parts[p.part].raw), p.bucket}
		m := at[k]
		if m == nil {
			m = &moved{group: group{partition: x.parts[p.part].raw, row: x.parts[p.part].row, bucket: p.bucket}}
			at[k] = m
			out = append(out, m)
		}
		m.rows, m.kinds = append(m.rows, uint32(row)), append(m.kinds, int8(kind))
	}
	for r := range b.Rows {
		row := rowAt(b, w.part.parts, r)
		own := x.part(paimon.EncodeRow(row, w.part.partTs), row)
		key := string(paimon.EncodeRow(rowAt(b, x.keyAt, r), x.keyTs))
		old, known := x.places[key]
		deletes := kind == DeleteRow || kind == UpdateBefore
		switch {
		case known && deletes:
			delete(x.places, key)
			add(old, r, kind)
			continue
		case known && (old.part == own || x.engine == "partial-update" || x.engine == "aggregation"):
			add(old, r, kind)
			continue
		case known && x.engine == "first-row", deletes:
			continue
		case known:
			add(old, r, DeleteRow)
		}
		now := keyPlace{own, x.bucket(own)}
		x.places[key] = now
		add(now, r, kind)
	}
	blocks := make([]*column.Block, len(out))
	for i, m := range out {
		blocks[i] = x.placed(w, b.Gather(m.rows), m.row)
	}
	return out, blocks, nil
}

// bucket gives a new key of a partition its bucket.
func (x *crossPartition) bucket(part int) int {
	k := bucketKey{string(x.parts[part].raw), 0}
	for x.rows[k] >= x.room {
		k.bucket++
	}
	x.rows[k]++
	return k.bucket
}

// placed puts the partition's values into the rows.
func (x *crossPartition) placed(w *RowWriter, b *column.Block, partition column.Row) *column.Block {
	out := &column.Block{Rows: b.Rows, Columns: slices.Clone(b.Columns)}
	for i, at := range w.part.parts {
		one := column.NewBuilder(w.layout.header[at].Type, 1)
		one.AppendValue(partition[i])
		out.Columns[at] = column.Full(column.NewConst(one.Finish(), b.Rows))
	}
	return out
}
