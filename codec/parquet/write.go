package parquet

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"

	"lakeserver/cherr"
	"lakeserver/column"
)

// WriterOptions say how a file is written. The zero value compresses nothing.
type WriterOptions struct {
	Codec     Codec
	Level     int   // of the codec, 0 for its default
	PageBytes int64 // of a data page before compression; 0 for 1 MiB
	GroupRows int   // most rows of a row group; 0 for 1,000,000
	CreatedBy string
	KeyValues []KeyValue

	// Fields gives field ids, one a column of the header; nil for none.
	Fields []Field
	// SmallDecimals writes decimals in the smallest form that holds them, as
	// Iceberg wants: INT32, INT64 or as few bytes as are needed. Otherwise
	// they are bytes of the type's width, as ClickHouse writes them.
	SmallDecimals bool
	// LocalTimestamps writes a DateTime64 without a time zone as a timestamp
	// that is not adjusted to UTC.
	LocalTimestamps bool
}

// Field gives field ids to a column and what is inside: Children are a
// Tuple's elements, an Array's element, a Map's key and value. The id -1 is none.
type Field struct {
	ID       int
	Children []Field
}

// Writer writes blocks into one Parquet file. It is used by one goroutine.
type Writer struct {
	out    *file.Writer
	group  file.BufferedRowGroupWriter // nil between row groups
	rows   int                         // in the group
	most   int
	header column.Header
	opt    WriterOptions
	leaves []writeLeaf
	total  int64
}

// NewWriter begins a file with the columns of header. It does not close w.
func NewWriter(w io.Writer, header column.Header, opt WriterOptions) (*Writer, error) {
	out := &Writer{header: header, opt: opt, most: opt.GroupRows}
	if out.most <= 0 {
		out.most = 1000000
	}
	root, err := writeSchema(header, &out.opt)
	if err != nil {
		return nil, err
	}
	for i, f := range header {
		out.leaves = appendLeaves(out.leaves, i, f.Type)
	}
	codec, ok := writeCodecs[opt.Codec]
	if !ok {
		return nil, cherr.New(cherr.NotImplemented, "Parquet files cannot be written with codec %s", opt.Codec)
	}
	props := []parquet.WriterProperty{
		parquet.WithCompression(codec), parquet.WithVersion(parquet.V2_6), parquet.WithPageIndexEnabled(true),
		parquet.WithDataPageSize(or(opt.PageBytes, 1<<20)), parquet.WithDictionaryPageSizeLimit(1 << 20), parquet.WithStats(true),
	}
	if opt.CreatedBy != "" {
		props = append(props, parquet.WithCreatedBy(opt.CreatedBy))
	}
	if opt.Level != 0 {
		props = append(props, parquet.WithCompressionLevel(opt.Level))
	}
	out.out, err = file.NewParquetWriterWithError(w, root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
	if err != nil {
		return nil, writeFailed(err)
	}
	for _, kv := range opt.KeyValues {
		if err := out.out.AppendKeyValueMetadata(kv.Key, kv.Value); err != nil {
			return nil, writeFailed(err)
		}
	}
	return out, nil
}

var writeCodecs = map[Codec]compress.Compression{
	CodecNone: compress.Codecs.Uncompressed, CodecSnappy: compress.Codecs.Snappy, CodecGzip: compress.Codecs.Gzip,
	CodecBrotli: compress.Codecs.Brotli, CodecZstd: compress.Codecs.Zstd, CodecLZ4Raw: compress.Codecs.Lz4Raw,
}

func or(v, def int64) int64 {
	if v <= 0 {
		return def
	}
	return v
}

func writeFailed(err error) error {
	return cherr.WithCode(cherr.ParquetException, err, "writing a Parquet file")
}

// Rows gives the rows written so far.
func (w *Writer) Rows() int64 { return w.total }

// Bytes gives about how long the file is so far.
func (w *Writer) Bytes() int64 {
	n := w.out.TotalBytesWritten()
	if w.group != nil {
		n += w.group.TotalCompressedBytes()
	}
	return n
}

// Write adds a block's rows.
func (w *Writer) Write(ctx context.Context, b *column.Block) error {
	for from := 0; from < b.Rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.group == nil {
			g, err := w.out.AppendBufferedRowGroupChecked()
			if err != nil {
				return writeFailed(err)
			}
			w.group, w.rows = g, 0
		}
		n := min(b.Rows-from, w.most-w.rows)
		if err := w.writePart(b.Slice(from, from+n)); err != nil {
			return err
		}
		from += n
		w.rows += n
		w.total += int64(n)
		if w.rows == w.most {
			if err := w.closeGroup(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) writePart(b *column.Block) error {
	s := shredder{leaves: w.leaves}
	for i, f := range w.header {
		s.shred(f.Type, b.Columns[i], wholeRows(b.Rows), 0)
	}
	for i := range w.leaves {
		cw, err := w.group.Column(i)
		if err != nil {
			return writeFailed(err)
		}
		if err := w.leaves[i].write(cw, &w.opt); err != nil {
			return writeFailed(err)
		}
	}
	return nil
}

func (w *Writer) closeGroup() error {
	if w.group == nil {
		return nil
	}
	err := w.group.Close()
	w.group = nil
	return writeFailed(err)
}

// Close writes the footer. A file of no rows is a whole file too.
func (w *Writer) Close() error {
	if err := w.closeGroup(); err != nil {
		return err
	}
	return writeFailed(w.out.Close())
}
