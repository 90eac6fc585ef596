package paimon

import (
	"context"
	"runtime"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// RowKind is what a row of a primary-key table does to its key.
type RowKind int8

// The row kinds, by the bytes that files hold.
const (
	Insert       RowKind = 0
	UpdateBefore RowKind = 1
	UpdateAfter  RowKind = 2
	DeleteRow    RowKind = 3
)

// RowWriter turns rows of a table's newest schema into data files and the
// messages that commit them: by partition and bucket, and of primary-key tables
// sorted by key. It is used by one goroutine.
type RowWriter struct {
	*output
	memory  *memory.Tracker
	held    int64
	buckets map[bucketKey]*openBucket
	order   []bucketKey // as they came
	part    splitter
	target  int64
	buffer  int64
	dynamic *dynamicBuckets
	cross   *crossPartition
	source  int32               // of the files
	spelled bool                // rows have their kinds; no column says them
	merge   *read.Compaction    // of rows of one key that come together
	numbers map[bucketKey]int64 // bucket → its greatest sequence number; nil: not known yet
}

// openBucket is a bucket that rows were seen of.
type openBucket struct {
	row      column.Row
	message  *Message
	folder   string
	file     *dataFile       // append tables: the open file
	blocks   []*column.Block // primary-key tables: rows to be sorted
	kinds    []RowKind       // one a block
	sequence int64           // the next one
	known    bool
}

// NewRowWriter begins. m counts the rows that are held to be sorted; nil for
// nobody.
func (c *Committer) NewRowWriter(m *memory.Tracker) (*RowWriter, error) {
	return c.newRowWriter(m, false)
}

// NewTrackedWriter is NewRowWriter for rows that bring two more columns: their
// id, and the number of their last change, NULL for that of the commit.
func (c *Committer) NewTrackedWriter(m *memory.Tracker) (*RowWriter, error) {
	return c.newRowWriter(m, true)
}

func (c *Committer) newRowWriter(m *memory.Tracker, tracked bool) (*RowWriter, error) {
	l, err := layoutOf(c, tracked)
	if err != nil {
		return nil, err
	}
	w := &RowWriter{output: &output{c: c, layout: l}, memory: m, buckets: map[bucketKey]*openBucket{}}
	hash, err := c.schema.BucketFunction()
	if err != nil {
		return nil, err
	}
	w.part = newSplitter(c.schema, c.buckets, hash)
	w.target = c.TargetFileSize()
	w.buffer = c.options.size("write-buffer-size", 256<<20)
	if most := m.LeastLimit(); most > 0 {
		w.buffer = min(w.buffer, most/4) // sorting needs as much again
	}
	if !c.schema.HasPrimaryKey() {
		return w, nil
	}
	switch {
	case !c.keyHasPartition():
		w.cross = newCrossPartition(c)
	case c.buckets == paimon.PostponeBucket:
		w.part.postponed = newPostponed(c, c.options.flag("postpone.batch-write-fixed-bucket", true))
	case c.buckets == -1:
		w.dynamic = newDynamicBuckets(c)
		w.part.key = c.schema.TrimmedKeys()
		w.part.keyAt, w.part.keyTs = placesOf(c.schema, w.part.key), paimon.TypesOf(w.part.key)
		w.part.dynamic = w.dynamic
	}
	w.merge, err = read.NewCompaction(c.source(nil), read.CompactionOptions{KeepDeletes: true}, nil, nil)
	return w, err
}

// source gives the table as of a snapshot, to be read.
func (c *Committer) source(s *paimon.Snapshot) *read.Paimon {
	schema := *c.schema
	schema.Options = c.options
	return &read.Paimon{Loader: &metadata.Loader{Store: c.dir.Store}, Dir: c.dir, Snapshot: s, Schema: &schema, MergeLevel0: true}
}

// Header gives the columns that blocks must bring: those of the schema.
func (w *RowWriter) Header() column.Header { return w.layout.header }

// Write adds the rows of a block, all of one kind; append tables take inserts
// alone.
func (w *RowWriter) Write(ctx context.Context, b *column.Block, kind RowKind) error {
	if b.Rows == 0 || w.ignored(kind) {
		return nil
	}
	if err := w.layout.check(b); err != nil {
		return err
	}
	if w.cross != nil {
		return w.writeCross(ctx, column.FullBlock(b), kind)
	}
	groups, err := w.part.split(ctx, b)
	if err != nil {
		return err
	}
	for _, g := range groups {
		o := w.bucket(g)
		if !w.c.schema.HasPrimaryKey() {
			if err := w.append(ctx, o, g.rows); err != nil {
				return err
			}
			continue
		}
		if err := w.hold(ctx, o, g.rows, kind); err != nil {
			return err
		}
	}
	if w.held > w.buffer {
		return w.flush(ctx)
	}
	return nil
}

// writeCross adds rows that may come from other partitions.
func (w *RowWriter) writeCross(ctx context.Context, b *column.Block, kind RowKind) error {
	parts, blocks, err := w.cross.split(ctx, w, b, kind)
	if err != nil {
		return err
	}
	for i, m := range parts {
		o := w.bucket(m.group)
		for from := 0; from < len(m.kinds); {
			to := from + 1
			for to < len(m.kinds) && m.kinds[to] == m.kinds[from] {
				to++
			}
			if err := w.hold(ctx, o, blocks[i].Slice(from, to), RowKind(m.kinds[from])); err != nil {
				return err
			}
			from = to
		}
	}
	if w.held > w.buffer {
		return w.flush(ctx)
	}
	return nil
}

// hold keeps rows to be sorted; where there is no memory for more, what is held
// becomes files first.
func (w *RowWriter) hold(ctx context.Context, o *openBucket, b *column.Block, kind RowKind) error {
	n := b.Size()
	if err := w.memory.Grow(n); err != nil {
		if w.held == 0 {
			return err
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
		if err := w.memory.Grow(n); err != nil {
			return err
		}
	}
	w.held += n
	o.blocks, o.kinds = append(o.blocks, b), append(o.kinds, kind)
	return nil
}

// ignored tells whether rows of a kind leave no trace (paimon.md §2.3).
func (w *RowWriter) ignored(kind RowKind) bool {
	o := w.c.options
	deletes := o.flag("ignore-delete", false) || o.flag(o.text("merge-engine", "deduplicate")+".ignore-delete", false)
	return deletes && (kind == DeleteRow || kind == UpdateBefore) || kind == UpdateBefore && o.flag("ignore-update-before", false)
}

func (w *RowWriter) bucket(g group) *openBucket {
	key := bucketKey{string(g.partition), g.bucket}
	if o := w.buckets[key]; o != nil {
		return o
	}
	total := w.c.buckets
	if g.total != 0 {
		total = g.total
	}
	o := &openBucket{row: g.row, message: &Message{Partition: g.partition, Bucket: g.bucket, TotalBuckets: &total}}
	o.folder = w.c.schema.BucketPath(w.c.dir, w.c.schema.PartitionNames(), g.row, g.bucket)
	w.buckets[key], w.order = o, append(w.order, key)
	return o
}

// append adds rows to the bucket's open file.
func (w *RowWriter) append(ctx context.Context, o *openBucket, b *column.Block) error {
	b = column.FullBlock(b)
	return steps(b, w.target, func(from, to int) (err error) {
		if o.file == nil {
			if o.file, err = w.createFile(ctx, o.folder, fileKind{}, w.target); err != nil {
				return err
			}
		}
		if err := o.file.Write(ctx, b.Slice(from, to)); err != nil || !o.file.full() {
			return err
		}
		return w.closeFile(ctx, o)
	})
}

// closeFile ends the open file of an append table's bucket.
func (w *RowWriter) closeFile(ctx context.Context, o *openBucket) error {
	d, err := o.file.finish(ctx)
	o.file = nil
	if err != nil {
		return err
	}
	source := w.source
	d.Source = &source
	if w.c.buckets > 0 { // the rows of a bucket have an order
		if err := w.nextSequence(ctx, o); err != nil {
			return err
		}
		d.MinSequence, d.MaxSequence = o.sequence, o.sequence+d.Rows-1
		o.sequence += d.Rows
	}
	o.message.Data.NewFiles = append(o.message.Data.NewFiles, d)
	return nil
}

// flush sorts and writes what primary-key buckets hold.
func (w *RowWriter) flush(ctx context.Context) error {
	for _, key := range w.order {
		o := w.buckets[key]
		if len(o.blocks) == 0 {
			continue
		}
		if err := w.flushBucket(ctx, o); err != nil {
			return err
		}
		o.blocks, o.kinds = nil, nil
	}
	w.memory.Shrink(w.held)
	w.held = 0
	return nil
}

// Close ends the files and gives the messages to commit.
func (w *RowWriter) Close(ctx context.Context) ([]any, error) {
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	w.release()
	var out []any
	for _, key := range w.order {
		o := w.buckets[key]
		if o.file != nil {
			if err := w.closeFile(ctx, o); err != nil {
				return nil, err
			}
		}
		if w.dynamic != nil {
			if err := w.dynamic.save(ctx, w, o); err != nil {
				return nil, err
			}
		}
		out = append(out, o.message)
	}
	return out, nil
}

// release gives back the memory of what is held.
func (w *RowWriter) release() {
	w.memory.Shrink(w.held)
	w.held = 0
	if w.cross != nil {
		w.memory.Shrink(w.cross.held)
		w.cross.held = 0
	}
}

// Abort removes all files that the writer made.
func (w *RowWriter) Abort(ctx context.Context) {
	for _, o := range w.buckets {
		if o.file != nil {
			o.file.Abort(context.Canceled)
			o.file = nil
		}
	}
	w.release()
	w.remove(ctx)
}

// nextSequence finds the first free sequence number of a bucket.
func (w *RowWriter) nextSequence(ctx context.Context, o *openBucket) error {
	if o.known {
		return nil
	}
	if w.numbers == nil {
		var err error
		if w.numbers, err = w.c.lastNumbers(ctx); err != nil {
			return err
		}
	}
	o.known = true
	if n, ok := w.numbers[bucketKey{string(o.message.Partition), o.message.Bucket}]; ok {
		o.sequence = n + 1
	}
	return nil
}

// lastNumbers gives the greatest sequence number of each bucket.
func (c *Committer) lastNumbers(ctx context.Context) (map[bucketKey]int64, error) {
	out := map[bucketKey]int64{}
	latest, err := c.publish.latest(ctx)
	if err != nil || latest == nil {
		return out, err
	}
	live, err := c.liveOf(ctx, latest)
	if err != nil {
		return nil, err
	}
	for i := range live {
		k := bucketKey{string(live[i].Partition), live[i].Bucket}
		if n, ok := out[k]; !ok || live[i].File.MaxSequence > n {
			out[k] = live[i].File.MaxSequence
		}
	}
	return out, nil
}

// workers is how many columns are encoded at once.
func workers() int { return runtime.GOMAXPROCS(0) }

// keyHasPartition tells whether a key is of one partition for ever.
func (c *Committer) keyHasPartition() bool {
	for _, p := range c.schema.PartitionKeys {
		if !slices.Contains(c.schema.PrimaryKeys, p) {
			return false
		}
	}
	return true
}

// writable refuses tables whose rows cannot be written.
func (c *Committer) writable() error {
	switch {
	case c.buckets == 0 || c.buckets < -2:
		return invalid("bucket = %d of Paimon table %s is no number of buckets", c.buckets, c.ctx.Root)
	case c.schema.HasPrimaryKey() && !c.keyHasPartition() && c.buckets != -1:
		return invalid("The primary key of Paimon table %s lacks a partition column, so that rows move between partitions: that needs bucket = -1, it is %d", c.ctx.Root, c.buckets)
	case c.options.flag("data-evolution.enabled", false) && c.options.text("blob-field", "") != "":
		return cherr.New(cherr.NotImplemented, "BLOB columns of Paimon table %s are not written", c.ctx.Root)
	}
	return nil
}
