package paimon

import (
	"context"
	"slices"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
	"lakeserver/table"
	write "lakeserver/write/paimon"
)

// Optimize compacts: small files of append tables become larger ones, without
// the rows that deletion vectors take away; the runs of a primary-key bucket
// become one. FINAL does so whenever something can be gained, else only where
// there are enough of them (paimon.md §3.13).
func (t *Table) Optimize(ctx context.Context, req *table.OptimizeRequest) error {
	if err := t.gate(); err != nil {
		return err
	}
	if len(req.Where) > 0 || req.Manifest || req.Deduplicate {
		return cherr.New(cherr.NotImplemented, "OPTIMIZE of Paimon tables takes only PARTITION and FINAL")
	}
	c, err := t.committer(ctx, nil)
	if err != nil {
		return err
	}
	if p := c.Option("changelog-producer"); p == "lookup" || p == "full-compaction" {
		return cherr.New(cherr.NotImplemented, "Paimon table %s makes its changelog when it is compacted (changelog-producer = %s), which is not supported", t.path, p)
	}
	if c.Option("row-tracking.enabled") == "true" {
		return cherr.New(cherr.NotImplemented, "Compaction of Paimon tables with row tracking is not supported: %s", t.path)
	}
	latest, err := c.Latest(ctx)
	if err != nil || latest == nil {
		return err
	}
	live, err := c.Live(ctx, latest)
	if err != nil {
		return err
	}
	w, err := c.NewCompactor()
	if err != nil {
		return err
	}
	o := &compaction{t: t.at(latest), c: c, w: w, latest: latest, final: req.Final || req.Force}
	if err := o.run(ctx, live, req.Partition); err != nil {
		w.Abort(ctx)
		return cherr.Wrap(err, "compacting Paimon table %s", t.path)
	}
	messages, err := w.Close(ctx)
	if err == nil && len(messages) > 0 {
		err = c.Commit(ctx, messages, nil)
	}
	if err != nil && !write.IsUnclear(err) {
		w.Abort(ctx)
	}
	return cherr.Wrap(err, "compacting Paimon table %s", t.path)
}

// at gives the table as a snapshot has it, with all levels merged.
func (t *Table) at(s *paimon.Snapshot) *Table {
	out := t.named([]read.Column{{Name: "_sequence_number", Type: t.all[t.sequenceAt()].Type, Virtual: read.VirtualSequence}})
	out.src = &read.Paimon{Loader: t.src.Loader, Shared: t.src.Shared, Dir: t.src.Dir, Snapshot: s, Schema: t.src.Schema, AsClickHouse: t.src.AsClickHouse, MergeLevel0: true}
	return out
}

func (t *Table) sequenceAt() int {
	for i := range t.all {
		if t.all[i].Virtual == read.VirtualSequence {
			return i
		}
	}
	return len(t.all) - 1
}

type compaction struct {
	t      *Table
	c      *write.Committer
	w      *write.RowWriter
	latest *paimon.Snapshot
	final  bool
}

type bucketOf struct {
	partition string
	bucket    int
}

func (o *compaction) run(ctx context.Context, live []paimon.Entry, only *table.Partition) error {
	match := func(column.Row) bool { return true }
	fields := o.t.src.Schema.PartitionFields()
	if only != nil && !only.All {
		values, err := o.t.partitionValues(*only)
		if err != nil {
			return err
		}
		match = func(row column.Row) bool {
			for i, f := range fields {
				if v, ok := values[f.Name]; ok && paimon.CompareValues(v, row[i]) != 0 {
					return false
				}
			}
			return true
		}
	}
	plan, err := o.t.plan(ctx, nil)
	if err != nil {
		return err
	}
	var order []bucketOf
	buckets := map[bucketOf][]paimon.Entry{}
	for _, e := range live {
		k := bucketOf{string(e.Partition), e.Bucket}
		if buckets[k] == nil {
			order = append(order, k)
		}
		buckets[k] = append(buckets[k], e)
	}
	for _, k := range order {
		row, err := paimon.DecodeRow([]byte(k.partition), paimon.TypesOf(fields))
		if err != nil {
			return err
		}
		if !match(row) {
			continue
		}
		vectors, err := o.c.LoadVectors(ctx, o.latest, []byte(k.partition))
		if err != nil {
			return err
		}
		files := buckets[k]
		if o.t.src.Schema.HasPrimaryKey() {
			err = o.keyed(ctx, files, row, vectors, plan)
		} else {
			err = o.appended(ctx, files, row, vectors, plan)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *compaction) number(option string, otherwise int) int {
	if n, err := strconv.Atoi(o.c.Option(option)); err == nil {
		return n
	}
	return otherwise
}

// keyed merges all runs of a bucket.
func (o *compaction) keyed(ctx context.Context, files []paimon.Entry, row column.Row, v *write.Vectors, plan *read.Plan) error {
	runs, levels, done := 0, map[int]bool{}, true
	for i := range files {
		f := &files[i].File
		if f.Level == 0 {
			runs++
		} else {
			levels[f.Level] = true
		}
		done = done && f.Level == o.c.TopLevel() && f.DeleteRows != nil && *f.DeleteRows == 0
	}
	runs += len(levels)
	mine := v.OfBucket(files[0].Bucket)
	if done && len(mine) == 0 || !o.final && runs < o.number("num-sorted-run.compaction-trigger", 5) {
		return nil
	}
	o.w.Into(files, row)
	if len(mine) > 0 {
		o.w.DropIndex(mine, nil)
	}
	return o.each(ctx, plan.Of(files[0].Partition, files[0].Bucket), func(b *column.Block) error {
		n := len(o.t.columns)
		values, _ := column.SplitNulls(column.Full(b.Columns[n]))
		o.w.WriteKept(&column.Block{Columns: b.Columns[:n], Rows: b.Rows}, slices.Clone(column.Values[int64](values)))
		return nil
	})
}

// appended joins the small files of a bucket, and those that lost many rows.
func (o *compaction) appended(ctx context.Context, files []paimon.Entry, row column.Row, v *write.Vectors, plan *read.Plan) error {
	ordered := files[0].TotalBuckets > 0 // rows of a fixed bucket keep their order
	var chosen []paimon.Entry
	drop, small := map[string]bool{}, 0
	for i := range files {
		f := &files[i].File
		if f.Size < o.c.TargetFileSize()*7/10 || v.Has(f.Name) || ordered {
			chosen = append(chosen, files[i])
			drop[f.Name] = true
			small++
		}
	}
	least := 2
	if !o.final {
		least = o.number("compaction.min.file-num", 5)
	}
	lossy := false
	for f := range drop {
		lossy = lossy || v.Has(f)
	}
	if small < least && !lossy {
		return nil
	}
	o.w.Into(chosen, row)
	deleted, added, err := v.Change(ctx, o.w, nil, drop)
	if err != nil {
		return err
	}
	o.w.DropIndex(deleted, added)
	part := plan.Of(files[0].Partition, files[0].Bucket)
	part.Tasks = slices.DeleteFunc(part.Tasks, func(t *read.Task) bool { return !drop[t.Paimon.Entry.File.Name] })
	return o.each(ctx, part, func(b *column.Block) error {
		return o.w.Write(ctx, &column.Block{Columns: b.Columns[:len(o.t.columns)], Rows: b.Rows}, write.Insert)
	})
}

// each reads the columns of a plan's rows, and their sequence numbers behind.
func (o *compaction) each(ctx context.Context, plan *read.Plan, f func(b *column.Block) error) error {
	t := o.t.named(nil)
	t.whole = plan
	req := &table.ScanRequest{Streams: 1, PreserveOrder: true, Settings: o.t.settings}
	for i := range t.columns {
		req.Columns = append(req.Columns, i)
	}
	if t.src.Schema.HasPrimaryKey() {
		req.Columns = append(req.Columns, len(t.all)-1)
	}
	streams, err := t.Scan(ctx, req)
	if err != nil {
		return err
	}
	for _, s := range streams {
		for err == nil {
			var b *column.Block
			if b, err = s.Next(ctx); b == nil {
				break
			}
			if err == nil {
				err = f(b)
			}
		}
		if closed := s.Close(); err == nil {
			err = closed
		}
	}
	return err
}
