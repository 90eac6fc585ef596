package paimon

import (
	"context"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// output is what the files of one statement are written with. It remembers all
// that were made, so that they can be taken away again.
type output struct {
	c      *Committer
	layout *layout
	made   []string // paths
}

// remove takes all files away.
func (o *output) remove(ctx context.Context) {
	o.c.remove(context.WithoutCancel(ctx), o.made...)
	o.made = nil
}

func (o *output) put(ctx context.Context, path string, data []byte) error {
	o.made = append(o.made, path)
	return o.c.put(ctx, path, data)
}

// keyedFiles writes rows of a primary-key bucket, sorted by key, into files of
// one level; a new one begins where one is large enough.
type keyedFiles struct {
	out    *output
	folder string
	kind   fileKind
	target int64
	done   []paimon.DataFile

	file      *dataFile
	low, high column.Row // of each key column
	first     column.Row // the least key
	last      column.Row
	sequence  [2]int64
	deletes   int64
}

// fileKind says what files are for.
type fileKind struct {
	level     int
	changelog bool
	source    int32
}

func (o *output) newKeyed(folder string, kind fileKind) *keyedFiles {
	return &keyedFiles{out: o, folder: folder, kind: kind, target: o.c.TargetFileSize()}
}

// write adds rows that stand behind those before them.
func (f *keyedFiles) write(ctx context.Context, k *read.Kinded) error {
	b := k.Block
	return steps(b, f.target, func(from, to int) error {
		if f.file != nil && f.file.full() {
			if err := f.end(ctx); err != nil {
				return err
			}
		}
		return f.add(ctx, &read.Kinded{Block: b.Slice(from, to), Sequence: k.Sequence[from:to], Kinds: k.Kinds[from:to]})
	})
}

func (f *keyedFiles) add(ctx context.Context, k *read.Kinded) error {
	l := f.out.layout
	if f.file == nil {
		if err := f.begin(ctx); err != nil {
			return err
		}
	}
	full := &column.Block{Rows: k.Block.Rows}
	if !l.thin {
		for _, at := range l.keys {
			full.Columns = append(full.Columns, k.Block.Columns[at])
		}
	}
	full.Columns = append(full.Columns, column.NewFixed(k.Sequence), column.NewFixed(k.Kinds))
	full.Columns = append(full.Columns, k.Block.Columns...)
	f.count(k)
	return f.file.Write(ctx, full)
}

func (f *keyedFiles) begin(ctx context.Context) (err error) {
	l := f.out.layout
	f.low, f.high, f.first, f.last, f.sequence, f.deletes = make(column.Row, len(l.keys)), make(column.Row, len(l.keys)), nil, nil, [2]int64{-1, -1}, 0
	f.file, err = f.out.createFile(ctx, f.folder, f.kind, f.target)
	return err
}

// count keeps account of keys, numbers and kinds.
func (f *keyedFiles) count(k *read.Kinded) {
	l := f.out.layout
	if f.first == nil {
		f.first = rowAt(k.Block, l.keys, 0)
	}
	f.last = rowAt(k.Block, l.keys, k.Block.Rows-1)
	for n, at := range l.keys {
		c := comparer(k.Block.Columns[at])
		least, most := 0, 0
		for r := range k.Block.Rows {
			if c(r, least) < 0 {
				least = r
			}
			if c(r, most) > 0 {
				most = r
			}
		}
		if v := column.At(k.Block.Columns[at], least); f.low[n] == nil || paimon.CompareValues(v, f.low[n]) < 0 {
			f.low[n] = v
		}
		if v := column.At(k.Block.Columns[at], most); f.high[n] == nil || paimon.CompareValues(v, f.high[n]) > 0 {
			f.high[n] = v
		}
	}
	for i, s := range k.Sequence {
		if f.sequence[0] < 0 || s < f.sequence[0] {
			f.sequence[0] = s
		}
		f.sequence[1] = max(f.sequence[1], s)
		f.deletes += int64(k.Kinds[i] & 1)
	}
}

// end closes the open file and describes it.
func (f *keyedFiles) end(ctx context.Context) error {
	if f.file == nil {
		return nil
	}
	d, err := f.file.finish(ctx)
	f.file = nil
	if err != nil {
		return err
	}
	ts := paimon.TypesOf(f.out.c.schema.TrimmedKeys())
	d.MinKey, d.MaxKey = paimon.EncodeRow(f.first, ts), paimon.EncodeRow(f.last, ts)
	low, high := make(column.Row, len(ts)), make(column.Row, len(ts))
	for i := range ts {
		low[i], high[i] = cut(f.low[i], f.high[i])
	}
	d.KeyStats = paimon.Stats{Min: paimon.EncodeRow(low, ts), Max: paimon.EncodeRow(high, ts), Nulls: make([]int64, len(ts))}
	d.MinSequence, d.MaxSequence = f.sequence[0], f.sequence[1]
	deletes, source := f.deletes, f.kind.source
	d.DeleteRows, d.Source, d.Level = &deletes, &source, f.kind.level
	f.done = append(f.done, d)
	return nil
}

// abort drops the open file.
func (f *keyedFiles) abort() {
	if f.file != nil {
		f.file.Abort(context.Canceled)
		f.file = nil
	}
}
