package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
	"lakeserver/types"
)

// appended joins the small files of a bucket, and those that lost many rows.
func (x *compacting) appended(ctx context.Context, files []paimon.Entry, folder string, m *Message, v *Vectors) error {
	if x.c.options.flag("data-evolution.enabled", false) {
		return cherr.New(cherr.NotImplemented, "Compaction of Paimon tables with data evolution is not supported: %s", x.c.ctx.Root)
	}
	tasks, err := read.PaimonTasks(ctx, x.src, files)
	if err != nil {
		return err
	}
	chosen := x.small(tasks)
	if len(chosen) == 0 {
		return nil
	}
	drop := map[string]bool{}
	for _, t := range chosen {
		drop[t.Name] = true
		m.Compact.Before = append(m.Compact.Before, t.Paimon.Entry.File)
	}
	if m.Compact.DeletedIndexFiles, m.Compact.NewIndexFiles, err = v.Change(ctx, x.out, nil, drop); err != nil {
		return err
	}
	w := &appendFiles{out: x.out, folder: folder, target: x.c.TargetFileSize()}
	if m.Bucket >= 0 && x.c.buckets > 0 {
		w.number = &chosen[0].Paimon.Entry.File.MinSequence
		for _, t := range chosen {
			w.last = max(w.last, t.Paimon.Entry.File.MaxSequence)
		}
	}
	err = x.copyRows(ctx, chosen, w)
	if err == nil {
		err = w.end(ctx)
	}
	if err != nil {
		w.abort()
		return err
	}
	m.Compact.After = w.done
	return nil
}

// small chooses files: those below a share of the target size, and those of
// which vectors take many rows, when there are enough of them (paimon.md
// §3.13). In a bucket with an order only neighbours are joined.
func (x *compacting) small(tasks []*read.Task) []*read.Task {
	o := x.c.options
	if len(x.opt.SortBy) > 0 {
		return tasks
	}
	limit := int64(float64(x.c.TargetFileSize()) * o.share("compaction.small-file-ratio", 0.7))
	least := 2
	if !x.opt.Full {
		least = int(o.number("compaction.min.file-num", 5))
	}
	ordered := x.c.buckets > 0 && o.flag("bucket-append-ordered", true)
	var out, run []*read.Task
	size, lossy := int64(0), false
	flush := func() {
		if len(run) >= least || lossy || len(run) > 1 && size >= x.c.TargetFileSize() {
			out = append(out, run...)
		}
		run, size, lossy = nil, 0, false
	}
	for _, t := range tasks {
		many := t.HasVector() && (x.opt.Full || t.LostShare() > o.share("compaction.delete-ratio-threshold", 0.2))
		if t.Size >= limit && !many {
			if ordered {
				flush()
			}
			continue
		}
		run, size, lossy = append(run, t), size+t.Size, lossy || many
	}
	flush()
	return out
}

// copyRows reads the rows that the tasks' files still have and writes them.
func (x *compacting) copyRows(ctx context.Context, tasks []*read.Task, w *appendFiles) error {
	req := &read.Request{Source: x.src, Streams: 1, Memory: x.opt.Memory, KeepNulls: true}
	var err error
	if req.Columns, err = read.PaimonColumns(x.src.Schema); err != nil {
		return err
	}
	if x.out.layout.tracked {
		req.Columns = append(req.Columns, trackedColumns()...)
	}
	for i := range req.Columns {
		req.Output = append(req.Output, i)
	}
	_, streams := read.Start(req, &read.Plan{Tasks: tasks})
	defer streams[0].Close()
	if len(x.opt.SortBy) > 0 {
		return x.sortRows(ctx, streams[0], w)
	}
	for {
		b, err := streams[0].Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := w.write(ctx, b); err != nil {
			return err
		}
	}
}

// trackedColumns are a row's id and the snapshot of its last change.
func trackedColumns() []read.Column {
	long := types.Nullable(types.Int64)
	return []read.Column{
		{Name: paimon.RowIDField, Type: long, Virtual: read.VirtualRowID},
		{Name: paimon.SequenceField, Type: long, Virtual: read.VirtualSequence},
	}
}

// appendFiles writes rows of an append table's bucket into files; a new one
// begins where one is large enough.
type appendFiles struct {
	out    *output
	folder string
	target int64
	done   []paimon.DataFile
	number *int64 // of the first row, where the bucket's rows are numbered
	last   int64
	file   *dataFile
}

func (f *appendFiles) write(ctx context.Context, b *column.Block) error {
	b = column.FullBlock(b)
	return steps(b, f.target, func(from, to int) (err error) {
		if f.file != nil && f.file.full() {
			if err := f.end(ctx); err != nil {
				return err
			}
		}
		if f.file == nil {
			if f.file, err = f.out.createFile(ctx, f.folder, fileKind{}, f.target); err != nil {
				return err
			}
		}
		return f.file.Write(ctx, b.Slice(from, to))
	})
}

func (f *appendFiles) end(ctx context.Context) error {
	if f.file == nil {
		return nil
	}
	d, err := f.file.finish(ctx)
	f.file = nil
	if err != nil {
		return err
	}
	source := int32(paimon.SourceCompact)
	d.Source = &source
	if f.number != nil {
		d.MinSequence, d.MaxSequence = *f.number, min(*f.number+d.Rows-1, f.last)
		next := d.MaxSequence + 1
		f.number = &next
	}
	f.done = append(f.done, d)
	return nil
}

func (f *appendFiles) abort() {
	if f.file != nil {
		f.file.Abort(context.Canceled)
		f.file = nil
	}
}
