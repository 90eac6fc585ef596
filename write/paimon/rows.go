package paimon

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/write"
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
	c       *Committer
	layout  *layout
	memory  *memory.Tracker
	held    int64
	buckets map[bucketKey]*openBucket
	order   []bucketKey // as they came
	part    splitter
	hash    *paimon.BucketFunction
	target  int64
	buffer  int64
	made    []string // paths of all files, for Abort
	dynamic *dynamicBuckets
	// compacting: the rows are in the table already, their new files replace
	// the old ones at the top level.
	compacting bool
}

// openBucket is a bucket that rows were seen of.
type openBucket struct {
	row      column.Row
	message  *Message
	folder   string
	file     *write.Writer // append tables: the open file
	name     string
	blocks   []*column.Block // primary-key tables: rows to be sorted
	kinds    []RowKind       // one a block
	kept     [][]int64       // sequence numbers of a compaction's rows, one a block
	sequence int64           // the next one
	known    bool
}

// NewRowWriter begins. m counts the rows that are held to be sorted; nil for
// nobody.
func (c *Committer) NewRowWriter(m *memory.Tracker) (*RowWriter, error) {
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	w := &RowWriter{c: c, layout: l, memory: m, buckets: map[bucketKey]*openBucket{}}
	if w.hash, err = c.schema.BucketFunction(); err != nil {
		return nil, err
	}
	w.part = newSplitter(c.schema, c.buckets, w.hash)
	w.target = c.options.size("target-file-size", map[bool]int64{true: 128 << 20, false: 256 << 20}[c.schema.HasPrimaryKey()])
	w.buffer = c.options.size("write-buffer-size", 256<<20)
	if c.schema.HasPrimaryKey() && c.buckets == -1 {
		w.dynamic = newDynamicBuckets(c)
		w.part.key = c.schema.TrimmedKeys()
		w.part.dynamic = w.dynamic
	}
	return w, nil
}

// Header gives the columns that blocks must bring: those of the schema.
func (w *RowWriter) Header() column.Header { return w.layout.header }

// Write adds the rows of a block, all of one kind; append tables take inserts
// alone.
func (w *RowWriter) Write(ctx context.Context, b *column.Block, kind RowKind) error {
	if b.Rows == 0 {
		return nil
	}
	if err := w.layout.check(b); err != nil {
		return err
	}
	groups, err := w.part.split(ctx, b)
	if err != nil {
		return err
	}
	for _, g := range groups {
		o, err := w.bucket(g)
		if err != nil {
			return err
		}
		if !w.c.schema.HasPrimaryKey() {
			if err := w.append(ctx, o, g.rows); err != nil {
				return err
			}
			continue
		}
		n := g.rows.Size()
		if err := w.memory.Grow(n); err != nil {
			return err
		}
		w.held += n
		o.blocks, o.kinds = append(o.blocks, g.rows), append(o.kinds, kind)
	}
	if w.held > w.buffer {
		return w.flush(ctx)
	}
	return nil
}

func (w *RowWriter) bucket(g group) (*openBucket, error) {
	key := bucketKey{string(g.partition), g.bucket}
	if o := w.buckets[key]; o != nil {
		return o, nil
	}
	total := w.c.buckets
	if w.part.fixed != nil {
		total = w.part.total
	}
	o := &openBucket{row: g.row, message: &Message{Partition: g.partition, Bucket: g.bucket, TotalBuckets: &total}}
	o.folder = w.c.schema.BucketPath(w.c.dir, w.c.schema.PartitionNames(), g.row, g.bucket)
	w.buckets[key], w.order = o, append(w.order, key)
	return o, nil
}

// append adds rows to the bucket's open file.
func (w *RowWriter) append(ctx context.Context, o *openBucket, b *column.Block) error {
	b = column.FullBlock(b)
	// A block may be larger than a file is to be: it is looked at in between.
	step := b.Rows
	if n := b.Size(); n > w.target/4 {
		step = max(1, int(float64(b.Rows)*float64(w.target)/float64(n)/4))
	}
	for from := 0; from < b.Rows; from += step {
		if o.file == nil {
			if err := w.create(ctx, o, "data-"); err != nil {
				return err
			}
		}
		if err := o.file.Write(ctx, b.Slice(from, min(from+step, b.Rows))); err != nil {
			return err
		}
		if o.file.Bytes() < w.target {
			continue
		}
		if err := w.closeFile(o, w.listed(o), w.source()); err != nil {
			return err
		}
	}
	return nil
}

// listed is where the files of append tables are listed.
func (w *RowWriter) listed(o *openBucket) *[]paimon.DataFile {
	if w.compacting {
		return &o.message.Compact.After
	}
	return &o.message.Data.NewFiles
}

func (w *RowWriter) source() int32 {
	if w.compacting {
		return paimon.SourceCompact
	}
	return paimon.SourceAppend
}

func (w *RowWriter) create(ctx context.Context, o *openBucket, prefix string) (err error) {
	o.name = prefix + newUUID() + "-0" + w.layout.end
	w.made = append(w.made, o.folder+o.name)
	o.file, err = write.Create(ctx, w.layout.opt, o.folder+o.name)
	return err
}

func (w *RowWriter) closeFile(o *openBucket, to *[]paimon.DataFile, source int32) error {
	f, err := o.file.Close()
	o.file = nil
	if err != nil {
		return err
	}
	d := w.layout.describe(w.c, f, o.name)
	d.Source = &source
	*to = append(*to, d)
	return nil
}

// flush sorts and writes what primary-key buckets hold.
func (w *RowWriter) flush(ctx context.Context) error {
	for _, key := range w.order {
		o := w.buckets[key]
		if len(o.blocks) == 0 {
			continue
		}
		write := w.flushBucket
		if w.compacting {
			write = w.flushCompacted
		}
		if err := write(ctx, o); err != nil {
			return err
		}
		o.blocks, o.kinds, o.kept = nil, nil, nil
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
	var out []any
	for _, key := range w.order {
		o := w.buckets[key]
		if o.file != nil {
			if err := w.closeFile(o, w.listed(o), w.source()); err != nil {
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

// Abort removes all files that the writer made.
func (w *RowWriter) Abort(ctx context.Context) {
	for _, o := range w.buckets {
		if o.file != nil {
			o.file.Abort(context.Canceled)
			o.file = nil
		}
	}
	w.memory.Shrink(w.held)
	w.held = 0
	w.c.remove(context.WithoutCancel(ctx), w.made...)
}

// nextSequence gives the first free sequence number of a bucket.
func (w *RowWriter) nextSequence(ctx context.Context, o *openBucket) error {
	if o.known {
		return nil
	}
	o.known = true
	latest, err := w.c.publish.latest(ctx)
	if err != nil || latest == nil {
		return err
	}
	l, err := w.c.readLists(ctx, latest)
	if err != nil {
		return err
	}
	live, err := w.c.live(ctx, l, map[string]bool{string(o.message.Partition): true})
	if err != nil {
		return err
	}
	for i := range live {
		if live[i].Bucket == o.message.Bucket {
			o.sequence = max(o.sequence, live[i].File.MaxSequence+1)
		}
	}
	return nil
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
	format := strings.ToLower(c.options.text("file.format", "parquet"))
	switch {
	case format != "parquet":
		return cherr.New(cherr.NotImplemented, "Data files of format %s of Paimon table %s are not written; parquet is", format, c.ctx.Root)
	case c.buckets == paimon.PostponeBucket:
		return cherr.New(cherr.NotImplemented, "Paimon table %s gives rows their bucket at a compaction (bucket = -2), which is not written", c.ctx.Root)
	case c.buckets == 0 || c.buckets < -2:
		return invalid("bucket = %d of Paimon table %s is no number of buckets", c.buckets, c.ctx.Root)
	case c.schema.HasPrimaryKey() && !c.keyHasPartition():
		return cherr.New(cherr.NotImplemented, "The primary key of Paimon table %s lacks a partition column: rows that move between partitions are not written", c.ctx.Root)
	case c.options.flag("data-evolution.enabled", false) && c.options.text("blob-field", "") != "":
		return cherr.New(cherr.NotImplemented, "BLOB columns of Paimon table %s are not written", c.ctx.Root)
	}
	return nil
}
