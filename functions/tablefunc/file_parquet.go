package tablefunc

import (
	"context"
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/objstore"
	"lakeserver/table"
	"lakeserver/types"
)

// isParquet tells whether a file is read in place: a compressed one is read
// as any other format's.
func (t *fileTable) isParquet(p string) bool {
	m := t.methodOf(p)
	return t.format.Name == "Parquet" && (m == "" || m == "none")
}

func (t *fileTable) parquetOptions() parquet.Options {
	return parquet.Options{
		VerifyChecksums: t.options.Settings.Bool("input_format_parquet_verify_checksums"), Scratch: t.files.scratch,
	}
}

// footer reads a file's footer; the file is closed again.
func (t *fileTable) footer(ctx context.Context, o objstore.Object) (*parquet.Reader, error) {
	f, err := t.files.store.Open(ctx, o.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := parquet.Open(ctx, f, t.parquetOptions())
	return r, cherr.Wrap(err, "(in file/uri %s)", absolute(t.files.store, o.Path))
}

func (t *fileTable) inferParquet(ctx context.Context, o objstore.Object) (column.Header, error) {
	r, err := t.footer(ctx, o)
	if err != nil {
		return nil, err
	}
	var h column.Header
	for _, n := range r.Schema().Children {
		h = append(h, column.Field{Name: n.Name, Type: parquet.TypeOf(n)})
	}
	return h, nil
}

// CountRows counts from footers, unless there is a filter or another format.
func (t *fileTable) CountRows(ctx context.Context, req *table.ScanRequest) (int64, bool, error) {
	if len(req.Filter) > 0 {
		return 0, false, nil
	}
	n := int64(0)
	for _, o := range t.objects {
		if !t.isParquet(o.Path) {
			return 0, false, nil
		}
		r, err := t.footer(ctx, o)
		if err != nil {
			return 0, false, err
		}
		n += r.Rows()
	}
	return n, true, nil
}

// EstimateRows counts Parquet files, and guesses the rest at 50 bytes a row.
func (t *fileTable) EstimateRows(ctx context.Context, _ *table.ScanRequest) (int64, error) {
	n := int64(0)
	for _, o := range t.objects {
		if !t.isParquet(o.Path) {
			n += o.Size/50 + 1
		} else if r, err := t.footer(ctx, o); err == nil {
			n += r.Rows()
		} else {
			return 0, err
		}
	}
	return min(n, math.MaxInt64), nil
}

// groupStream reads columns of one row group.
type groupStream struct {
	cur    *parquet.Cursor
	close  func() error
	rows   int
	want   column.Header
	asRead []*types.Type // where another than wanted, the file's own
	o      *format.Options
}

// openGroup begins a row group, each column as the type that is asked for
// where the file can give it, else as its own type, to be converted.
func (s *fileStream) openGroup(ctx context.Context) (column.Stream, error) {
	f, err := s.t.files.store.Open(ctx, s.piece.object.Path)
	if err != nil {
		return nil, err
	}
	if f.Object().ETag != s.piece.object.ETag {
		f.Close()
		return nil, cherr.New(cherr.CannotReadAllData, "The file has changed while it was read")
	}
	r := s.piece.file.On(f, s.t.parquetOptions())
	g := &groupStream{close: f.Close, rows: s.t.options.MaxBlockRows, o: s.t.options}
	wants := make([]parquet.Want, len(s.columns))
	for i, c := range s.columns {
		field := s.t.header[c]
		n := child(r.Schema(), field.Name, s.t.options)
		as := field.Type
		if n != nil && !readable(r, s.piece.group, n, as) {
			as = parquet.TypeOf(n)
		}
		wants[i] = parquet.Want{Node: n, Type: as}
		g.want, g.asRead = append(g.want, field), append(g.asRead, as)
	}
	if g.cur, err = r.Scan(s.piece.group, wants); err != nil {
		f.Close()
		return nil, err
	}
	return g, nil
}

// child finds a column by name, in any case where a setting says so.
func child(root *parquet.SchemaNode, name string, o *format.Options) *parquet.SchemaNode {
	n := root.Child(name)
	if n == nil && o.Settings.Bool("input_format_parquet_case_insensitive_column_matching") {
		for _, c := range root.Children {
			if strings.EqualFold(c.Name, name) {
				return c
			}
		}
	}
	return n
}

func readable(r *parquet.Reader, group int, n *parquet.SchemaNode, t *types.Type) bool {
	if n.IsLeaf() && n.Repetition != parquet.Repeated {
		// an optional column may hold NULL, which a plain type takes as its default
		return parquet.Readable(n, t) && (t.IsNullable() || n.Repetition != parquet.Optional)
	}
	c, err := r.Scan(group, []parquet.Want{{Node: n, Type: t}})
	if err == nil {
		c.Close()
	}
	return err == nil
}

// Next gives the next window of rows.
func (g *groupStream) Next(ctx context.Context) (*column.Block, error) {
	n := g.cur.Next(g.rows)
	if n == 0 {
		return nil, nil
	}
	b := &column.Block{Rows: n}
	for i, f := range g.want {
		c, err := g.cur.Read(ctx, i, nil)
		if err != nil {
			return nil, err
		}
		if !g.asRead[i].Equal(f.Type) {
			if c, err = format.Convert(c, g.asRead[i], f.Type, &g.o.Text); err != nil {
				return nil, cherr.Wrap(err, "converting Parquet column `%s`", f.Name)
			}
		}
		b.Columns = append(b.Columns, c)
	}
	return b, nil
}

// Close gives buffers and the file back.
func (g *groupStream) Close() error {
	g.cur.Close()
	return g.close()
}
