package parquet

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
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
	// Workers is how many columns are encoded at once; 0 for one.
	Workers int
	// BloomFPP is the share of false answers of bloom filters, 0 for 1 %.
	BloomFPP float64
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
	Form     Form
	Bloom    bool // of a leaf: it gets a bloom filter
}

// Form says what a leaf means where its ClickHouse type does not.
type Form uint8

// The forms.
const (
	FormOfType Form = iota
	FormBinary      // a String that is no text
	FormTime        // an Int64 that counts a day's microseconds
)

// Info describes a file that was written.
type Info struct {
	Groups []int64 // where each row group begins
	Leaves []LeafInfo
}

// LeafInfo describes a leaf over all row groups.
type LeafInfo struct {
	ID    int   // of its field, -1: none
	Bytes int64 // compressed, with page headers
}

// Writer writes blocks into one Parquet file. It is used by one goroutine.
type Writer struct {
	out    *file.Writer // nil before the first block: what it holds decides how leaves are encoded
	to     io.Writer
	root   *schema.GroupNode
	group  file.BufferedRowGroupWriter // nil between row groups
	rows   int                         // in the group
	most   int
	header column.Header
	opt    WriterOptions
	leaves []writeLeaf
	total  int64
	info   *Info // once closed
}

// NewWriter begins a file with the columns of header. It does not close w.
func NewWriter(w io.Writer, header column.Header, opt WriterOptions) (*Writer, error) {
	out := &Writer{to: w, header: header, opt: opt, most: opt.GroupRows}
	if out.most <= 0 {
		out.most = 1000000
	}
	root, err := writeSchema(header, &out.opt)
	if err != nil {
		return nil, err
	}
	for i, f := range header {
		out.leaves = appendLeaves(out.leaves, f.Type, fieldAt(opt.Fields, i))
	}
	if _, ok := writeCodecs[opt.Codec]; !ok {
		return nil, cherr.New(cherr.NotImplemented, "Parquet files cannot be written with codec %s", opt.Codec)
	}
	out.root = root
	return out, nil
}

// begin writes the file's head, once the first block is known; nil for a file
// without rows.
func (w *Writer) begin(b *column.Block) error {
	if w.out != nil {
		return nil
	}
	opt := &w.opt
	props := []parquet.WriterProperty{
		parquet.WithCompression(writeCodecs[opt.Codec]), parquet.WithVersion(parquet.V2_6), parquet.WithPageIndexEnabled(true),
		parquet.WithDataPageSize(or(opt.PageBytes, 1<<20)), parquet.WithDictionaryPageSizeLimit(1 << 20), parquet.WithStats(true),
	}
	props = append(props, w.bloomFilters(w.root)...)
	props = append(props, w.withoutDictionary(b)...)
	if opt.CreatedBy != "" {
		props = append(props, parquet.WithCreatedBy(opt.CreatedBy))
	}
	if opt.Level != 0 {
		props = append(props, parquet.WithCompressionLevel(opt.Level))
	}
	out, err := file.NewParquetWriterWithError(w.to, w.root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
	if err != nil {
		return writeFailed(err)
	}
	for _, kv := range opt.KeyValues {
		if err := out.AppendKeyValueMetadata(kv.Key, kv.Value); err != nil {
			return writeFailed(err)
		}
	}
	w.out = out
	return nil
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
	if w.out == nil {
		return 0
	}
	n := w.out.TotalBytesWritten()
	if w.group != nil {
		n += w.group.TotalCompressedBytes()
	}
	return n
}

// Write adds a block's rows.
func (w *Writer) Write(ctx context.Context, b *column.Block) error {
	if err := w.begin(b); err != nil {
		return err
	}
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
		if err := w.writePart(ctx, b.Slice(from, from+n)); err != nil {
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

func (w *Writer) writePart(ctx context.Context, b *column.Block) error {
	s := shredder{leaves: w.leaves}
	for i, f := range w.header {
		s.shred(f.Type, b.Columns[i], wholeRows(b.Rows), 0)
	}
	if w.opt.Workers <= 1 || len(w.leaves) == 1 || b.Rows < parallelRows {
		for i := range w.leaves {
			if err := w.writeLeaf(i); err != nil {
				return err
			}
		}
		return nil
	}
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(w.opt.Workers)
	for i := range w.leaves {
		g.Go(func() error { // ends with the leaf's part of the block
			if err := gctx.Err(); err != nil {
				return err
			}
			return w.writeLeaf(i)
		})
	}
	return g.Wait()
}

// parallelRows is from where on leaves are encoded at once: a block of fewer
// rows costs less than the handing over.
const parallelRows = 1024

func (w *Writer) writeLeaf(i int) error {
	cw, err := w.group.Column(i)
	if err != nil {
		return writeFailed(err)
	}
	return writeFailed(w.leaves[i].write(cw, &w.opt))
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
	if err := w.begin(nil); err != nil {
		return err
	}
	if err := w.closeGroup(); err != nil {
		return err
	}
	if err := w.out.Close(); err != nil {
		return writeFailed(err)
	}
	return w.readInfo()
}

// EndGroup ends the row group at hand, to give its memory back.
func (w *Writer) EndGroup() error { return w.closeGroup() }

// Info describes the file once it is closed.
func (w *Writer) Info() *Info { return w.info }

func (w *Writer) readInfo() error {
	meta, err := w.out.FileMetadata()
	if err != nil {
		return writeFailed(err)
	}
	info := &Info{Leaves: make([]LeafInfo, len(w.leaves))}
	for i := range w.leaves {
		info.Leaves[i].ID = w.leaves[i].id
	}
	for g := range meta.NumRowGroups() {
		group := meta.RowGroup(g)
		for i := range w.leaves {
			chunk, err := group.ColumnChunk(i)
			if err != nil {
				return writeFailed(err)
			}
			info.Leaves[i].Bytes += chunk.TotalCompressedSize()
			if i == 0 {
				start := chunk.DataPageOffset()
				if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 {
					start = min(start, chunk.DictionaryPageOffset())
				}
				info.Groups = append(info.Groups, start)
			}
		}
	}
	w.info = info
	return nil
}

// bloomFilters gives the properties of the leaves that get a filter. The
// adaptive kind starts from several sizes and keeps the least that serves.
func (w *Writer) bloomFilters(root *schema.GroupNode) []parquet.WriterProperty {
	var out []parquet.WriterProperty
	paths := schema.NewSchema(root)
	for i := range w.leaves {
		if !w.leaves[i].bloom || w.leaves[i].typ.Kind() == types.KindBool {
			continue
		}
		path := paths.Column(i).Path()
		fpp := w.opt.BloomFPP
		if fpp <= 0 || fpp >= 1 {
			fpp = 0.01
		}
		out = append(out, parquet.WithBloomFilterEnabledFor(path, true), parquet.WithAdaptiveBloomFilterEnabledFor(path, true),
			parquet.WithBloomFilterFPPFor(path, fpp))
	}
	return out
}
