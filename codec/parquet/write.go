package parquet

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"io"

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
	to     io.Writer
	at     int64 // bytes written
	header column.Header
	opt    WriterOptions
	schema *schemaWriter
	out    *packers
	seed   maphash.Seed
	chunks []*chunk // of the row group at hand; nil between them
	rows   int      // in the group
	most   int
	total  int64
	groups []writtenGroup
	info   *Info // once closed
}

// NewWriter begins a file with the columns of header. It does not close w.
func NewWriter(w io.Writer, header column.Header, opt WriterOptions) (*Writer, error) {
	out := &Writer{to: w, header: header, opt: opt, most: opt.GroupRows, seed: maphash.MakeSeed()}
	if out.most <= 0 {
		out.most = 1000000
	}
	if out.opt.PageBytes <= 0 {
		out.opt.PageBytes = 1 << 20
	}
	var err error
	if out.schema, err = writeSchema(header, &out.opt); err != nil {
		return nil, err
	}
	out.out, err = newPackers(opt.Codec, opt.Level)
	return out, err
}

func (w *Writer) send(b []byte) error {
	n, err := w.to.Write(b)
	w.at += int64(n)
	if err != nil {
		return cherr.WithCode(cherr.ParquetException, err, "writing a Parquet file")
	}
	return nil
}

var magic = []byte("PAR1")

// begin writes the file's head.
func (w *Writer) begin() error {
	if w.at > 0 {
		return nil
	}
	return w.send(magic)
}

// Rows gives the rows written so far.
func (w *Writer) Rows() int64 { return w.total }

// Bytes gives about how long the file is so far.
func (w *Writer) Bytes() int64 {
	n := w.at
	for _, c := range w.chunks {
		n += int64(len(c.data))
	}
	return n
}

// Write adds a block's rows. Columns may be dictionaries.
func (w *Writer) Write(ctx context.Context, b *column.Block) error {
	if err := w.begin(); err != nil {
		return err
	}
	for from := 0; from < b.Rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.chunks == nil {
			w.rows = 0
			for i := range w.schema.leaves {
				w.chunks = append(w.chunks, newChunk(&w.schema.leaves[i], w.out, int(min(w.opt.PageBytes, 1<<29)), w.seed))
			}
		}
		n := min(b.Rows-from, w.most-w.rows)
		if err := w.writePart(ctx, b.Slice(from, from+n)); err != nil {
			return err
		}
		from += n
		w.rows += n
		w.total += int64(n)
		if w.rows == w.most {
			if err := w.closeGroup(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) writePart(ctx context.Context, b *column.Block) error {
	s := shredder{leaves: w.schema.leaves}
	all := wholeRows(b.Rows)
	for i, f := range w.header {
		s.shred(f.Type, b.Columns[i], all, 0)
	}
	return w.each(ctx, b.Rows, func(i int) error { return w.chunks[i].add() })
}

// parallelRows is from where on leaves are encoded at once: a block of fewer
// rows costs less than the handing over.
const parallelRows = 1024

// each does something for every leaf, several at once where there are rows
// enough.
func (w *Writer) each(ctx context.Context, rows int, f func(leaf int) error) error {
	if w.opt.Workers <= 1 || len(w.chunks) == 1 || rows < parallelRows {
		for i := range w.chunks {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(w.opt.Workers)
	for i := range w.chunks {
		g.Go(func() error { // ends with the leaf's part
			if err := gctx.Err(); err != nil {
				return err
			}
			return f(i)
		})
	}
	return g.Wait()
}

// closeGroup ends the row group at hand and hands its bytes over.
func (w *Writer) closeGroup(ctx context.Context) error {
	if w.chunks == nil {
		return nil
	}
	dicts, blooms := make([][]byte, len(w.chunks)), make([][]byte, len(w.chunks))
	err := w.each(ctx, w.rows, func(i int) (err error) {
		c := w.chunks[i]
		if err := c.flush(); err != nil {
			return err
		}
		if c.leaf.bloom {
			blooms[i] = c.bloomFilter(w.opt.BloomFPP)
		}
		dicts[i], err = c.dictionaryPage()
		return err
	})
	if err != nil {
		return err
	}
	g := writtenGroup{rows: int64(w.rows), at: w.at}
	for i, c := range w.chunks {
		out, err := w.place(c, dicts[i])
		if err != nil {
			return err
		}
		out.bloom = blooms[i]
		g.chunks = append(g.chunks, out)
	}
	w.groups, w.chunks = append(w.groups, g), nil
	return nil
}

// place writes a chunk and describes it.
func (w *Writer) place(c *chunk, dict []byte) (writtenChunk, error) {
	out := writtenChunk{
		leaf: c.leaf, values: c.entriesAll, raw: c.raw, size: int64(len(dict) + len(c.data)), pages: c.pages, plain: c.plainPages, noIndex: c.noIndex,
	}
	if c.all.any {
		out.lo, out.hi = c.all.plain(c.leaf.order)
	}
	if dict != nil {
		out.dictAt = w.at
		if err := w.send(dict); err != nil {
			return out, err
		}
	}
	out.dataAt = w.at
	for i := range out.pages {
		out.pages[i].at += int(w.at)
		out.nulls += out.pages[i].nulls
	}
	return out, w.send(c.data)
}

// Close writes the footer. A file of no rows is a whole file too.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.EndGroup(); err != nil {
		return err
	}
	for _, part := range []func(c *writtenChunk) error{w.bloom, w.columnIndex, w.offsetIndex} {
		for g := range w.groups {
			for i := range w.groups[g].chunks {
				if err := part(&w.groups[g].chunks[i]); err != nil {
					return err
				}
			}
		}
	}
	f := w.footer()
	f = binary.LittleEndian.AppendUint32(f, uint32(len(f)))
	if err := w.send(append(f, magic...)); err != nil {
		return err
	}
	w.describe()
	return nil
}

func (w *Writer) bloom(c *writtenChunk) error {
	if c.bloom != nil {
		c.bloomAt, c.bloomSize = w.at, len(c.bloom)
	}
	return w.send(c.bloom)
}

func (w *Writer) columnIndex(c *writtenChunk) error {
	b := c.columnIndex()
	if b != nil {
		c.columnAt, c.columnSize = w.at, len(b)
	}
	return w.send(b)
}

func (w *Writer) offsetIndex(c *writtenChunk) error {
	b := c.offsetIndex()
	c.offsetAt, c.offsetSize = w.at, len(b)
	return w.send(b)
}

// EndGroup ends the row group at hand, to give its memory back.
func (w *Writer) EndGroup() error { return w.closeGroup(context.Background()) }

// Info describes the file once it is closed.
func (w *Writer) Info() *Info { return w.info }

func (w *Writer) describe() {
	info := &Info{Leaves: make([]LeafInfo, len(w.schema.leaves))}
	for i := range info.Leaves {
		info.Leaves[i].ID = w.schema.leaves[i].id
	}
	for g := range w.groups {
		info.Groups = append(info.Groups, w.groups[g].at)
		for i := range w.groups[g].chunks {
			info.Leaves[i].Bytes += w.groups[g].chunks[i].size
		}
	}
	w.info = info
}
