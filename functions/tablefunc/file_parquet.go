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
		VerifyChecksums: t.options.Settings.Bool("input_format_parquet_verify_checksums"), Scratch: t.scratch,
	}
}

// footer reads a file's footer once; the file is closed again.
func (t *fileTable) footer(ctx context.Context, o objstore.Object) (*parquet.Reader, error) {
	t.mu.Lock()
	r := t.footers[o.Path]
	t.mu.Unlock()
	if r != nil {
		return r, nil
	}
	f, err := objstore.OpenObject(ctx, t.store, o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r, err = parquet.Open(ctx, f, t.parquetOptions()); err != nil {
		return nil, cherr.Wrap(err, "(in file/uri %s)", absolute(t.store, o.Path))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.footers == nil {
		t.footers = map[string]*parquet.Reader{}
	}
	t.footers[o.Path] = r
	return r, nil
}

// readFooters reads the footers of all Parquet files, many at a time where
// each takes long.
func (t *fileTable) readFooters(ctx context.Context) error {
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(max(1, objstore.Ahead(t.store)))
	for _, o := range t.objects {
		if t.isParquet(o.Path) {
			g.Go(func() error { // ends with its one file, or with the group
				_, err := t.footer(gctx, o)
				return err
			})
		}
	}
	return g.Wait()
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
	}
	if err := t.readFooters(ctx); err != nil {
		return 0, false, err
	}
	for _, o := range t.objects {
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
	if err := t.readFooters(ctx); err != nil {
		return 0, err
	}
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
	f, err := objstore.OpenObject(ctx, s.t.store, s.piece.object)
	if err != nil {
		return nil, err
	}
	if f.Object().ETag != s.piece.object.ETag { // a far store pins it by itself
		f.Close()
		return nil, cherr.New(cherr.CannotReadAllData, "The file has changed while it was read")
	}
	r := s.piece.file.On(f, s.t.parquetOptions())
	g := &groupStream{rows: s.t.options.MaxBlockRows, o: s.t.options}
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
	release := objstore.Plan(f, r.Ranges(s.piece.group, wants))
	g.close = func() error {
		release()
		return f.Close()
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
