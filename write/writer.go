package write

import (
	"context"
	"io"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/objstore"
)

// Format is a format of data files.
type Format uint8

// The formats.
const (
	Parquet Format = iota
	Avro
)

// Options say how files are written. They are not changed once in use.
type Options struct {
	Store  objstore.Store
	Format Format
	Header column.Header
	Fields []Field               // one a column of the header
	Params parquet.WriterOptions // of Parquet; Fields come from here above
	Codec  string                // of Avro: null, deflate, snappy, zstandard
	Forms  avro.Dialect          // of Avro
}

// Field gives field ids to a column and what is inside, as parquet.Field, and
// says what is counted of it.
type Field struct {
	ID       int
	Children []Field
	Form     parquet.Form
	Bloom    bool
	Stats    StatsMode
}

// File describes a data file that was written.
type File struct {
	Path         string // in the store
	Size, Rows   int64
	SplitOffsets []int64 // of Parquet: where row groups begin
	Columns      []ColumnStats
}

// encoder is a format's writer.
type encoder interface {
	write(ctx context.Context, b *column.Block) error
	bytes() int64
	close() error
}

// Writer writes one data file. It is used by one goroutine; Close or Abort
// ends it.
type Writer struct {
	path  string
	opt   *Options
	out   encoder
	pipe  *io.PipeWriter
	put   *cherr.Group
	obj   objstore.Object
	stats *collector
	rows  int64
	done  bool
}

// Create begins a file. It is visible whole once Close has succeeded, and not
// before.
func Create(ctx context.Context, opt *Options, path string) (*Writer, error) {
	r, p := io.Pipe()
	w := &Writer{path: path, opt: opt, pipe: p, stats: newCollector(opt.Header, opt.Fields)}
	// The file outlives the block that opened it, not the statement.
	w.put, ctx = cherr.NewGroup(ctx)
	w.put.Go(func() error { // ends with the pipe, which Close or Abort closes
		obj, err := opt.Store.Put(ctx, path, r, objstore.PutOptions{})
		w.obj = obj
		r.CloseWithError(err)
		return err
	})
	var err error
	if w.out, err = newEncoder(p, opt); err != nil {
		w.Abort(err)
		return nil, err
	}
	return w, nil
}

func newEncoder(p io.Writer, opt *Options) (encoder, error) {
	switch opt.Format {
	case Parquet:
		params := opt.Params
		params.Fields = parquetFields(opt.Fields)
		w, err := parquet.NewWriter(p, opt.Header, params)
		return &parquetEncoder{w}, err
	case Avro:
		w, err := avro.NewDataWriter(p, opt.Header, avroFields(opt.Fields), opt.Codec, opt.Forms)
		return &avroEncoder{w}, err
	}
	return nil, cherr.New(cherr.NotImplemented, "Data files of format %d cannot be written", opt.Format)
}

// Write adds a block's rows.
func (w *Writer) Write(ctx context.Context, b *column.Block) error {
	if b.Rows == 0 {
		return nil
	}
	if err := w.stats.add(ctx, b, w.opt.Params.Workers); err != nil {
		return err
	}
	w.rows += int64(b.Rows)
	return cherr.Wrap(w.out.write(ctx, b), "writing data file %s", w.path)
}

// Rows gives the rows so far.
func (w *Writer) Rows() int64 { return w.rows }

// Bytes gives about how long the file is so far.
func (w *Writer) Bytes() int64 { return w.out.bytes() }

// EndGroup gives back the memory of what is buffered, at the price of a
// smaller row group.
func (w *Writer) EndGroup() error {
	if p, ok := w.out.(*parquetEncoder); ok {
		return p.w.EndGroup()
	}
	return nil
}

// Close writes what is left and describes the file. After an error there is
// no file.
func (w *Writer) Close() (*File, error) {
	if w.done {
		return nil, cherr.New(cherr.LogicalError, "data file %s is closed already", w.path)
	}
	if err := w.out.close(); err != nil {
		w.Abort(err)
		return nil, cherr.Wrap(err, "writing data file %s", w.path)
	}
	w.done = true
	w.pipe.Close()
	if err := w.put.Wait(); err != nil {
		// The file may be there all the same: only the answer was lost.
		_ = w.opt.Store.Delete(context.Background(), w.path)
		return nil, cherr.Wrap(err, "writing data file %s", w.path)
	}
	f := &File{Path: w.path, Size: w.obj.Size, Rows: w.rows, Columns: w.stats.columns()}
	if p, ok := w.out.(*parquetEncoder); ok {
		info := p.w.Info()
		f.SplitOffsets = info.Groups
		for _, l := range info.Leaves {
			f.setBytes(l.ID, l.Bytes)
		}
	}
	return f, nil
}

func (f *File) setBytes(id int, n int64) {
	if id < 0 {
		return
	}
	for i := range f.Columns {
		if f.Columns[i].ID == id {
			f.Columns[i].Bytes = n
			return
		}
	}
	f.Columns = append(f.Columns, ColumnStats{ID: id, Values: -1, Nulls: -1, NaNs: -1, Bytes: n})
}

// Abort gives the file up; cause is why, nil for no reason.
func (w *Writer) Abort(cause error) {
	if w.done {
		return
	}
	w.done = true
	if cause == nil {
		cause = context.Canceled
	}
	w.pipe.CloseWithError(cause)
	_ = w.put.Wait() // it fails with the cause
}

type parquetEncoder struct{ w *parquet.Writer }

func (e *parquetEncoder) write(ctx context.Context, b *column.Block) error { return e.w.Write(ctx, b) }
func (e *parquetEncoder) bytes() int64                                     { return e.w.Bytes() }
func (e *parquetEncoder) close() error                                     { return e.w.Close() }

type avroEncoder struct{ w *avro.DataWriter }

func (e *avroEncoder) write(ctx context.Context, b *column.Block) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.w.Write(column.FullBlock(b))
}
func (e *avroEncoder) bytes() int64 { return e.w.Bytes() }
func (e *avroEncoder) close() error { return e.w.Close() }

func parquetFields(fields []Field) []parquet.Field {
	out := make([]parquet.Field, len(fields))
	for i, f := range fields {
		out[i] = parquet.Field{ID: f.ID, Form: f.Form, Bloom: f.Bloom, Children: parquetFields(f.Children)}
	}
	return out
}

func avroFields(fields []Field) []avro.DataField {
	out := make([]avro.DataField, len(fields))
	for i, f := range fields {
		out[i] = avro.DataField{ID: f.ID, Binary: f.Form == parquet.FormBinary, Time: f.Form == parquet.FormTime, Children: avroFields(f.Children)}
	}
	return out
}
