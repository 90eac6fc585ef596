package paimon

import (
	"context"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
	"lakeserver/write"
)

// dataFile is an open data file that knows when it is large enough.
type dataFile struct {
	*write.Writer
	layout *layout
	name   string
	target int64
	raw    int64 // bytes of rows since the file's length was last exact
	out    *output
	folder string
	index  *paimon.FileIndexWriter // nil: none
}

// createFile begins a data file in a folder.
func (o *output) createFile(ctx context.Context, folder string, kind fileKind, target int64) (*dataFile, error) {
	form := o.layout.form(kind)
	f := &dataFile{layout: o.layout, name: form.prefix + newUUID() + "-0" + form.end, target: target, out: o, folder: folder}
	if !kind.changelog {
		f.index = paimon.NewFileIndexWriter(o.c.schema, o.c.options)
	}
	o.made = append(o.made, folder+f.name)
	var err error
	f.Writer, err = write.Create(ctx, form.opt, folder+f.name)
	return f, err
}

// full tells whether further rows go into another file.
func (f *dataFile) full() bool { return f.Bytes() >= f.target }

// Write adds rows of the stored columns. What is buffered has no exact length,
// so it ends as a row group where it might be a file's worth.
func (f *dataFile) Write(ctx context.Context, b *column.Block) error {
	out := &column.Block{Rows: b.Rows, Columns: make([]column.Column, len(b.Columns))}
	for i, c := range b.Columns {
		if out.Columns[i] = column.Full(c); f.layout.stored[i].Type.Kind() != types.KindNullable {
			out.Columns[i], _ = column.SplitNulls(out.Columns[i]) // none is NULL
		}
	}
	if err := f.Writer.Write(ctx, out); err != nil {
		return err
	}
	if f.index != nil {
		last := len(out.Columns)
		if f.layout.tracked {
			last -= 2
		}
		f.index.Add(out.Columns[last-len(f.layout.fields):last], out.Rows)
	}
	if f.raw += out.Size(); f.raw < f.target/2 {
		return nil
	}
	f.raw = 0
	return f.EndGroup()
}

// finish closes the file and describes it; its indexes stand in the manifest
// entry when they are short, else in a file beside it.
func (f *dataFile) finish(ctx context.Context) (paimon.DataFile, error) {
	file, err := f.Close()
	if err != nil {
		return paimon.DataFile{}, err
	}
	d := f.layout.describe(f.out.c, file, f.name)
	if f.index == nil {
		return d, nil
	}
	data, err := f.index.Bytes()
	if err != nil {
		return d, err
	}
	if int64(len(data)) <= f.out.c.options.size("file-index.in-manifest-threshold", 500) {
		d.EmbeddedIndex = data
		return d, nil
	}
	d.ExtraFiles = append(d.ExtraFiles, f.name+".index")
	return d, f.out.put(ctx, f.folder+f.name+".index", data)
}

// steps calls f with parts of a block that are small against a file.
func steps(b *column.Block, target int64, f func(from, to int) error) error {
	step := b.Rows
	if n := b.Size(); n > target/4 {
		step = max(1, int(float64(b.Rows)*float64(target)/float64(n)/4))
	}
	for from := 0; from < b.Rows; from += step {
		if err := f(from, min(from+step, b.Rows)); err != nil {
			return err
		}
	}
	return nil
}
