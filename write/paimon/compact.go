package paimon

import (
	"context"
	"errors"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// CompactOptions say what is compacted.
type CompactOptions struct {
	Full      bool                  // whatever can be gained; else only what is worth it
	Partition func(column.Row) bool // nil: all
	Memory    *memory.Tracker
	// SortBy orders the rows of append tables by these columns; ZOrder by their
	// interleaved bits.
	SortBy []string
	ZOrder bool
	// TempDir is where rows to be sorted lie that memory has no room for.
	TempDir string
}

// conflictTries is how often a compaction is computed anew that another commit
// came before.
const conflictTries = 5

// Compact joins runs of primary-key buckets and small files of append tables,
// and commits that. It gives the rows that were written.
func (c *Committer) Compact(ctx context.Context, o CompactOptions) (rows int64, err error) {
	for try := 1; ; try++ {
		moved := int64(0)
		if c.buckets == paimon.PostponeBucket {
			moved, err = c.distribute(ctx, o)
		}
		if err == nil {
			rows, err = c.compactOnce(ctx, o)
			rows += moved
		}
		if !IsConflict(err) || try == conflictTries {
			return rows, err
		}
	}
}

// IsConflict tells errors of changes that other commits came before: they can
// be computed anew.
func IsConflict(err error) bool {
	var c *conflictError
	return errors.As(err, &c)
}

// conflictError is what conflict checks find.
type conflictError struct{ error }

// Unwrap gives the error with its code.
func (e *conflictError) Unwrap() error { return e.error }

type compacting struct {
	c      *Committer
	opt    CompactOptions
	latest *paimon.Snapshot
	src    *read.Paimon
	out    *output
	rows   int64
}

func (c *Committer) compactOnce(ctx context.Context, o CompactOptions) (int64, error) {
	latest, err := c.publish.latest(ctx)
	if err != nil || latest == nil {
		return 0, err
	}
	live, err := c.liveOf(ctx, latest)
	if err != nil {
		return 0, err
	}
	tracked := c.options.flag("row-tracking.enabled", false) && !c.schema.HasPrimaryKey()
	l, err := layoutOf(c, tracked)
	if err != nil {
		return 0, err
	}
	x := &compacting{c: c, opt: o, latest: latest, src: c.source(latest), out: &output{c: c, layout: l}}
	messages, err := x.run(ctx, live)
	if err == nil && len(messages) > 0 {
		err = c.Commit(ctx, messages, nil)
	}
	if err != nil && !IsUnclear(err) {
		x.out.remove(ctx)
	}
	return x.rows, err
}

func (x *compacting) run(ctx context.Context, live []paimon.Entry) ([]any, error) {
	var order []bucketKey
	buckets := map[bucketKey][]paimon.Entry{}
	for _, e := range live {
		k := bucketKey{string(e.Partition), e.Bucket}
		if buckets[k] == nil {
			order = append(order, k)
		}
		buckets[k] = append(buckets[k], e)
	}
	ts := paimon.TypesOf(x.c.schema.PartitionFields())
	vectors := map[string]*Vectors{}
	var messages []any
	for _, k := range order {
		row, err := paimon.DecodeRow([]byte(k.partition), ts)
		if err != nil {
			return nil, err
		}
		if x.opt.Partition != nil && !x.opt.Partition(row) || k.bucket < 0 && x.c.schema.HasPrimaryKey() {
			continue
		}
		if vectors[k.partition] == nil {
			if vectors[k.partition], err = x.c.LoadVectors(ctx, x.latest, []byte(k.partition)); err != nil {
				return nil, err
			}
		}
		total := buckets[k][0].TotalBuckets
		m := &Message{Partition: []byte(k.partition), Bucket: k.bucket, TotalBuckets: &total}
		folder := x.c.schema.BucketPath(x.c.dir, x.c.schema.PartitionNames(), row, k.bucket)
		compact := x.appended
		if x.c.schema.HasPrimaryKey() {
			compact = x.keyed
		}
		if err := compact(ctx, buckets[k], folder, m, vectors[k.partition]); err != nil {
			return nil, err
		}
		if len(m.Compact.Before) > 0 {
			messages = append(messages, m)
		}
		for i := range m.Compact.After {
			x.rows += m.Compact.After[i].Rows
		}
	}
	return messages, nil
}

func (x *compacting) keyed(ctx context.Context, files []paimon.Entry, folder string, m *Message, v *Vectors) error {
	tasks, err := read.PaimonTasks(ctx, x.src, files)
	if err != nil {
		return err
	}
	u := x.c.universal()
	pick := u.pick
	if x.opt.Full {
		u.forceIt = x.c.options.flag("compaction.force-rewrite-all-files", false)
		pick = u.whole
	}
	p := pick(runsOf(tasks))
	if p == nil {
		return nil
	}
	k := &keyedCompaction{c: x.c, out: x.out, src: x.src, memory: x.opt.Memory, full: x.opt.Full, folder: folder, message: m, vectors: v}
	return cherr.Wrap(k.run(ctx, p, tasks), "compacting bucket %d", m.Bucket)
}

// Settle compacts what a write leaves to be compacted: runs that got too many,
// and rows that are not seen before. Others who compact the same meanwhile win,
// unless rows would stay unseen.
func (c *Committer) Settle(ctx context.Context, m *memory.Tracker) error {
	if c.options.flag("write-only", false) || !c.schema.HasPrimaryKey() {
		return nil
	}
	tries := 1
	if c.looksUp() {
		tries = 20
	}
	var err error
	for range tries {
		_, err = c.compactOnce(ctx, CompactOptions{Memory: m})
		if !IsConflict(err) {
			return err
		}
	}
	if c.looksUp() {
		return err
	}
	return nil
}

// Latest gives the newest snapshot, nil for none.
func (c *Committer) Latest(ctx context.Context) (*paimon.Snapshot, error) {
	return c.publish.latest(ctx)
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
