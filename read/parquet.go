package read

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/pruning"
	"lakeserver/types"
)

// parquetFormat reads a Parquet file by row groups.
type parquetFormat struct {
	r     *parquet.Reader
	match parquetColumns
	wants []parquet.Want
}

func (f *fileUnits) openParquet(ctx context.Context) error {
	r, err := f.s.req.Source.shared().open(ctx, f.file, parquet.Options{VerifyChecksums: f.s.req.Options.VerifyChecksums}, f.s.req.Options.PageCache)
	if err != nil {
		return err
	}
	if r.Rows() != f.task.Records {
		return cherr.New(cherr.IncorrectData, "Data file %s has %d rows, its manifest says %d", f.task.Path, r.Rows(), f.task.Records)
	}
	m, err := f.s.req.Source.parquetColumns(f.task, r.Schema())
	if err != nil {
		return err
	}
	p := &parquetFormat{r: r, match: m}
	for slot := range f.s.slots {
		if err := p.bind(f, m, &f.s.slots[slot], &f.bind[slot]); err != nil {
			return cherr.Wrap(err, "reading column `%s` of data file %s", f.s.slots[slot].Name, f.task.Path)
		}
	}
	if f.kind >= 0 {
		if err := p.bind(f, m, &kindColumn, &f.bind[f.kind]); err != nil {
			return cherr.Wrap(err, "reading the row kinds of data file %s", f.task.Path)
		}
	}
	for i := range f.extra {
		if err := p.bindExtra(f, m.(*icebergParquet), &f.extra[i]); err != nil {
			return cherr.Wrap(err, "reading the key of an equality delete in data file %s", f.task.Path)
		}
	}
	f.format = p
	return p.queue(ctx, f)
}

// queue makes a unit of each row group that may match.
func (p *parquetFormat) queue(ctx context.Context, f *fileUnits) error {
	first := int64(0)
	for i := range p.r.RowGroups() {
		g := &p.r.RowGroups()[i]
		r := rowRange{group: i, first: first, rows: g.Rows()}
		first += g.Rows()
		keep := g.Rows() > 0
		if keep {
			var err error
			if keep, r.ranges, err = f.judge(ctx, p, i); err != nil {
				return err
			}
		}
		if !keep {
			f.s.Metrics.RowGroupsPruned.Add(1)
			continue
		}
		f.groups = append(f.groups, r)
	}
	if id := f.s.topField(); id >= 0 && len(f.groups) > 1 {
		bounds := func(r rowRange) pruning.Range { return (&parquetStats{ctx: ctx, f: f, p: p, group: r.group}).Range(id) }
		slices.SortStableFunc(f.groups, func(a, b rowRange) int { return f.s.req.TopN.order(bounds(a), bounds(b)) })
	}
	if objstore.Ahead(f.s.store()) > 0 && len(f.groups) > 0 {
		f.release = p.ahead(f, f.groups[0])
	}
	return nil
}

// ahead begins to fetch what a row group's reading will ask for.
func (p *parquetFormat) ahead(f *fileUnits, g rowRange) (release func()) {
	return objstore.Plan(f.file, p.r.Ranges(g.group, p.wants))
}

// bind finds a slot in the file; failing that the value that all rows have.
func (p *parquetFormat) bind(f *fileUnits, m parquetColumns, c *Column, b *binding) error {
	w, fin, stored, err := m.column(c)
	if err != nil || !stored {
		return err
	}
	if w.Node == nil {
		b.value = f.absent(c.Type, w.Default)
		return nil
	}
	if f.s.req.KeepNulls && isNested(c.Type) {
		w.Nulls, fin = true, aroundNulls(fin)
	}
	b.from, b.fin = len(p.wants), fin
	p.wants = append(p.wants, w)
	return nil
}

// bindExtra reads a key column of equality deletes, at any depth of structs.
func (p *parquetFormat) bindExtra(f *fileUnits, m *icebergParquet, x *extraColumn) error {
	b := &f.bind[x.slot]
	leaf := x.path[len(x.path)-1]
	if len(x.path) == 1 {
		w, fin, err := m.want(m.root, leaf, x.t)
		if err != nil {
			return err
		}
		if w.Node == nil {
			v := w.Default
			if pv, ok := f.task.identity(leaf.ID); ok {
				v = pv
			}
			b.value = column.FromValue(x.t, v, 1).Value
			return nil
		}
		b.from, b.fin = len(p.wants), fin
		p.wants = append(p.wants, w)
		return nil
	}
	chain, t := structChain(x.path, x.t)
	w, fin, err := m.want(m.root, chain, t)
	if err != nil {
		return err
	}
	if w.Node == nil {
		b.value = column.FromValue(x.t, nil, 1).Value
		return nil
	}
	b.from, b.fin = len(p.wants), unwrapTuple(len(x.path)-1, nil)
	if fin != nil {
		unwrap := b.fin
		b.fin = func(c column.Column) (column.Column, error) {
			c, err := fin(c)
			if err != nil {
				return nil, err
			}
			return unwrap(c)
		}
	}
	p.wants = append(p.wants, w)
	return nil
}

// structChain makes a struct type that holds nothing but the path to a leaf.
func structChain(path []*iceberg.Field, t *types.Type) (*iceberg.Field, *types.Type) {
	inner := *path[len(path)-1]
	for i := len(path) - 2; i >= 0; i-- {
		outer := *path[i]
		outer.Type = &iceberg.Type{Kind: iceberg.Struct, Fields: []iceberg.Field{inner}}
		outer.InitialDefault = nil
		t = types.Tuple([]*types.Type{t}, []string{inner.Name})
		inner = outer
	}
	return &inner, t
}

func (p *parquetFormat) start(ctx context.Context, f *fileUnits, g rowRange) (source, error) {
	if id := f.s.topField(); id >= 0 && f.s.req.TopN.behind((&parquetStats{ctx: ctx, f: f, p: p, group: g.group}).Range(id)) {
		f.s.Metrics.RowGroupsPruned.Add(1)
		return nil, nil
	}
	cur, err := p.r.Scan(g.group, p.wants)
	if err != nil {
		return nil, err
	}
	release := p.ahead(f, g)
	if first := f.takeRelease(); first != nil {
		then := release
		release = func() { first(); then() }
	}
	return &parquetSource{cur, g.first, g.ranges, release}, nil
}

// takeRelease gives release to one caller.
func (f *fileUnits) takeRelease() func() {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	r := f.release
	f.release = nil
	return r
}

type parquetSource struct {
	cur    *parquet.Cursor
	first  int64
	ranges []rows // still to read; nil: everything

	release func() // of what was fetched ahead
}

func (s *parquetSource) next(ctx context.Context, n int) (int, int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	if s.ranges == nil {
		rows := s.cur.Next(n)
		return rows, s.first + int64(s.cur.Row()), nil
	}
	if len(s.ranges) == 0 {
		return 0, 0, nil
	}
	r := &s.ranges[0]
	s.cur.Seek(int(r.from))
	got := s.cur.Next(int(min(int64(n), r.to-r.from)))
	r.from += int64(got)
	if r.from == r.to {
		s.ranges = s.ranges[1:]
	}
	return got, s.first + int64(s.cur.Row()), nil
}

func (s *parquetSource) read(ctx context.Context, want int, sel []uint32) (column.Column, error) {
	return s.cur.Read(ctx, want, sel)
}

func (s *parquetSource) close() {
	s.cur.Close()
	s.release()
}
