package format

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/objstore"
	"lakeserver/types"
)

var _ = add(Format{
	Name: "Parquet", ContentType: bytesType, Closed: true, SubsetOfColumns: true,
	NewWriter: newParquetWriter,
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return &parquetReader{r: r, h: h, o: o}, nil
	},
	Infer: func(ctx context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		f, err := openParquet(ctx, r, o)
		if err != nil {
			return nil, err
		}
		var h column.Header
		for _, n := range f.Schema().Children {
			h = append(h, column.Field{Name: n.Name, Type: parquet.TypeOf(n)})
		}
		return h, nil
	},
})

type parquetWriter struct{ w *parquet.Writer }

func newParquetWriter(w io.Writer, h column.Header, o *Options) (Writer, error) {
	opt := parquet.WriterOptions{GroupRows: int(o.Settings.Uint("output_format_parquet_row_group_size")), CreatedBy: "lakeserver"}
	switch m := o.Settings.Get("output_format_parquet_compression_method"); m {
	case "zstd", "":
		opt.Codec = parquet.CodecZstd
	case "snappy":
		opt.Codec = parquet.CodecSnappy
	case "lz4":
		opt.Codec = parquet.CodecLZ4Raw
	case "gzip":
		opt.Codec = parquet.CodecGzip
	case "brotli":
		opt.Codec = parquet.CodecBrotli
	case "none":
		opt.Codec = parquet.CodecNone
	default:
		return nil, cherr.New(cherr.BadArguments, "Unexpected value of ParquetCompression: '%s'", m)
	}
	pw, err := parquet.NewWriter(w, h, opt)
	if err != nil {
		return nil, err
	}
	return &parquetWriter{pw}, nil
}

func (p *parquetWriter) Write(b *column.Block) error  { return p.w.Write(context.Background(), b) }
func (p *parquetWriter) Totals(*column.Block) error   { return nil }
func (p *parquetWriter) Extremes(*column.Block) error { return nil }
func (p *parquetWriter) Finish(Statistics) error      { return p.w.Close() }

// memoryFile is a document that is held whole: Parquet is read from its end.
type memoryFile struct {
	*bytes.Reader
}

func (m memoryFile) Object() objstore.Object { return objstore.Object{Path: "(input)", Size: m.Size()} }
func (m memoryFile) Close() error            { return nil }

func openParquet(ctx context.Context, r io.Reader, o *Options) (*parquet.Reader, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return parquet.Open(ctx, memoryFile{bytes.NewReader(data)}, parquet.Options{VerifyChecksums: o.Settings.Bool("input_format_parquet_verify_checksums")})
}

// parquetReader reads row group by row group.
type parquetReader struct {
	r       *bufio.Reader
	h       column.Header
	o       *Options
	file    *parquet.Reader
	group   int
	cur     *parquet.Cursor
	asRead  column.Header // the types as which the file gives the columns
	present []bool
	missing [][]uint8
}

func (p *parquetReader) Next(ctx context.Context) (*column.Block, error) {
	if p.file == nil {
		if _, err := p.r.Peek(1); err == io.EOF {
			return nil, nil
		}
		f, err := openParquet(ctx, p.r, p.o)
		if err != nil {
			return nil, err
		}
		p.file = f
	}
	for {
		if p.cur == nil {
			if p.group >= len(p.file.RowGroups()) {
				return nil, nil
			}
			if err := p.open(); err != nil {
				return nil, err
			}
			p.group++
		}
		if n := p.cur.Next(p.o.MaxBlockRows); n > 0 {
			return p.block(ctx, n)
		}
		p.cur.Close()
		p.cur = nil
	}
}

// open begins a row group, as the types that are asked for where the file can
// give them, else as its own types, which are then converted.
func (p *parquetReader) open() error {
	wants := make([]parquet.Want, len(p.h))
	p.asRead, p.present = make(column.Header, len(p.h)), make([]bool, len(p.h))
	for i, f := range p.h {
		n := p.file.Schema().Child(f.Name)
		p.asRead[i], p.present[i] = f, n != nil
		if n != nil && !p.readable(n, f.Type) {
			p.asRead[i].Type = parquet.TypeOf(n)
		}
		wants[i] = parquet.Want{Node: n, Type: p.asRead[i].Type}
	}
	var err error
	p.cur, err = p.file.Scan(p.group, wants)
	return err
}

func (p *parquetReader) readable(n *parquet.SchemaNode, t *types.Type) bool {
	if n.IsLeaf() && n.Repetition != parquet.Repeated {
		// an optional column may hold NULL, which a plain type takes as its default
		return parquet.Readable(n, t) && (t.IsNullable() || n.Repetition != parquet.Optional)
	}
	c, err := p.file.Scan(p.group, []parquet.Want{{Node: n, Type: t}})
	if err == nil {
		c.Close()
	}
	return err == nil
}

func (p *parquetReader) block(ctx context.Context, n int) (*column.Block, error) {
	b := &column.Block{Rows: n}
	p.missing = nil
	for i, f := range p.h {
		c, err := p.cur.Read(ctx, i, nil)
		if err != nil {
			return nil, err
		}
		if !p.asRead[i].Type.Equal(f.Type) {
			if c, err = Convert(c, p.asRead[i].Type, f.Type, &p.o.Text); err != nil {
				return nil, cherr.Wrap(err, "converting Parquet column `%s`", f.Name)
			}
		}
		if !p.present[i] {
			if p.missing == nil {
				p.missing = make([][]uint8, len(p.h))
			}
			p.missing[i] = ones(n)
		}
		b.Columns = append(b.Columns, c)
	}
	return b, nil
}

func (p *parquetReader) Missing() [][]uint8 { return p.missing }

// Close gives buffers back.
func (p *parquetReader) Close() error {
	if p.cur != nil {
		p.cur.Close()
		p.cur = nil
	}
	return nil
}
