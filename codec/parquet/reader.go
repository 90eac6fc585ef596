package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// Options say how a file is read.
type Options struct {
	// VerifyChecksums checks the CRC of every page that carries one.
	VerifyChecksums bool
	// Scratch holds decompressors and buffers that files share; nil makes one
	// for this file.
	Scratch *Scratch
	// Pages keeps decompressed pages; nil keeps none. File names the file and
	// its content in it.
	Pages *PageCache
	File  string
}

// Reader is an opened file: its footer, parsed. It is immutable, safe for
// concurrent use, and may be cached; it does not close the file.
type Reader struct {
	file   objstore.File
	path   string
	size   int64
	opt    Options
	root   *SchemaNode
	leaves []*SchemaNode
	groups []RowGroup
	meta   *fileMeta
}

// KeyValue is one pair of a file's free metadata.
type KeyValue struct{ Key, Value string }

const (
	footerTail = 8 // length and magic
	// footerGuess is read at once from the file's end: most footers fit.
	footerGuess = 64 << 10
)

// Open reads the footer. The caller has compared the file's size with what it
// expects and keeps f open as long as it scans.
func Open(ctx context.Context, f objstore.File, opt Options) (*Reader, error) {
	obj := f.Object()
	r := &Reader{file: f, path: obj.Path, size: obj.Size, opt: opt}
	if r.opt.Scratch == nil {
		r.opt.Scratch = NewScratch()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	footer, err := r.readFooter()
	if err != nil {
		return nil, err
	}
	meta, state := parseFileMeta(footer)
	if state != thriftOK {
		return nil, r.bad(r.size-footerTail-int64(len(footer)), "the footer is damaged")
	}
	r.meta = meta
	if r.root, r.leaves, err = buildSchema(meta.schema); err != nil {
		return nil, cherr.Wrap(err, "reading the footer of Parquet file %s", r.path)
	}
	if err := r.checkGroups(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) readFooter() ([]byte, error) {
	if r.size < 4+footerTail {
		return nil, r.bad(0, "%d bytes are too few for a Parquet file", r.size)
	}
	guess := min(r.size, footerGuess)
	tail := make([]byte, guess)
	if err := r.readAt(tail, r.size-guess); err != nil {
		return nil, err
	}
	switch magic := string(tail[len(tail)-4:]); magic {
	case "PAR1":
	case "PARE":
		return nil, cherr.New(cherr.NotImplemented, "Parquet file %s is encrypted", r.path)
	default:
		return nil, r.bad(r.size-4, "no Parquet file: it does not end with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(tail[len(tail)-footerTail:]))
	if n > r.size-footerTail-4 {
		return nil, r.bad(r.size-footerTail, "a footer of %d bytes does not fit into the file of %d", n, r.size)
	}
	if n+footerTail <= guess {
		return tail[guess-footerTail-n : guess-footerTail], nil
	}
	footer := make([]byte, n)
	return footer, r.readAt(footer, r.size-footerTail-n)
}

// checkGroups makes sure that every chunk lies inside the file and fits its
// leaf, so that nothing later has to.
func (r *Reader) checkGroups() error {
	total := int64(0)
	r.groups = make([]RowGroup, len(r.meta.groups))
	for i := range r.meta.groups {
		g := &r.meta.groups[i]
		if len(g.chunks) != len(r.leaves) {
			return r.bad(-1, "row group %d has %d columns, the schema %d", i, len(g.chunks), len(r.leaves))
		}
		if g.rows < 0 || g.rows > r.meta.rows-total {
			return r.bad(-1, "row group %d claims %d rows of the file's %d", i, g.rows, r.meta.rows)
		}
		total += g.rows
		for j := range g.chunks {
			if err := r.checkChunk(g, i, j); err != nil {
				return err
			}
		}
		r.groups[i] = RowGroup{r: r, meta: g, Number: i}
	}
	if total != r.meta.rows {
		return r.bad(-1, "the row groups have %d rows, the footer says %d", total, r.meta.rows)
	}
	return nil
}

func (r *Reader) checkChunk(g *groupMeta, group, leaf int) error {
	c, n := &g.chunks[leaf], r.leaves[leaf]
	switch {
	case c.encrypted || !c.present:
		return nil // refused when it is read
	case c.physical != n.Physical:
		return r.bad(-1, "column `%s` is %s in row group %d, %s in the schema", n.Name, c.physical, group, n.Physical)
	case c.values < 0 || c.values < g.rows || n.MaxRep == 0 && c.values != g.rows:
		return r.bad(-1, "column `%s` has %d values for the %d rows of row group %d", n.Name, c.values, g.rows, group)
	case c.external:
		return nil
	}
	start := c.start()
	if start < 4 || c.compressed < 0 || c.compressed > r.size || start > r.size-c.compressed || c.uncompressed < 0 {
		return r.bad(start, "column `%s` of row group %d lies outside of the file", n.Name, group)
	}
	return nil
}

// start gives where a chunk's first page begins. Some writers leave a
// dictionary offset of 0 or one behind the data: then the data come first.
func (c *chunkMeta) start() int64 {
	if c.dictOffset > 0 && c.dictOffset < c.dataOffset {
		return c.dictOffset
	}
	return c.dataOffset
}

// Schema gives the root group; its children are the columns.
func (r *Reader) Schema() *SchemaNode { return r.root }

// Leaves gives the schema's leaves in order; not to be written to.
func (r *Reader) Leaves() []*SchemaNode { return r.leaves }

// Rows gives the rows of the file.
func (r *Reader) Rows() int64 { return r.meta.rows }

// RowGroups gives the row groups in order; not to be written to.
func (r *Reader) RowGroups() []RowGroup { return r.groups }

// Path names the file as the store does.
func (r *Reader) Path() string { return r.path }

// CreatedBy names the program that wrote the file, "" if unknown.
func (r *Reader) CreatedBy() string { return r.meta.createdBy }

// KeyValues gives the file's free metadata; not to be written to.
func (r *Reader) KeyValues() []KeyValue { return r.meta.keyValues }

// KeyValue gives one value of the free metadata.
func (r *Reader) KeyValue(key string) (string, bool) {
	for _, kv := range r.meta.keyValues {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

// bad makes the error of a damaged file; offset -1 names no place.
func (r *Reader) bad(offset int64, format string, args ...any) error {
	err := cherr.New(cherr.IncorrectData, format, args...)
	if offset < 0 {
		return cherr.Wrap(err, "reading Parquet file %s", r.path)
	}
	return cherr.Wrap(err, "reading Parquet file %s at offset %d", r.path, offset)
}

func (r *Reader) readAt(p []byte, off int64) error {
	n, err := r.file.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cherr.New(cherr.CannotReadAllData,
			"Parquet file %s ended at offset %d, %d bytes more were expected", r.path, off+int64(n), len(p)-n)
	}
	return cherr.WithCode(cherr.CannotReadFromFileDescriptor, err, "reading Parquet file %s at offset %d", r.path, off)
}
