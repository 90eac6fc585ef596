package read

import (
	"context"
	"slices"

	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/pruning"
	"lakeserver/types"
)

// parquetStats is what a Parquet footer knows of one row group's columns, by
// field id.
type parquetStats struct {
	ctx    context.Context
	f      *fileUnits
	p      *parquetFormat
	group  int
	blooms map[int]*parquet.Bloom
	err    error // of reading a bloom filter
}

// Range gives a row group's bounds of a column.
func (s *parquetStats) Range(id int) pruning.Range {
	n, t := s.p.match.leaf(id)
	if n == nil {
		return s.p.match.absent(id)
	}
	c := s.p.r.RowGroups()[s.group].Chunk(n.Leaf)
	var r pruning.Range
	if nulls, ok := c.Nulls(); ok {
		switch nulls {
		case 0:
			r.Nulls = pruning.None
		case c.Values():
			r.Nulls = pruning.All
		}
	}
	if n.MaxDef == 0 {
		r.Nulls = pruning.None
	}
	if !types.Unwrap(t).IsFloat() {
		r.NaNs = pruning.None
	}
	if b, ok := c.Bounds(t); ok {
		r.Lo, r.Hi = b.Min, b.Max
		r.Exact = b.MinExact && b.MaxExact && r.NaNs == pruning.None
	}
	if !t.IsNullable() && r.Nulls != pruning.None {
		return pruning.Range{} // a NULL reads as the type's default, which no bound covers
	}
	return r
}

func constantRange(v column.Value) pruning.Range {
	switch x := v.(type) {
	case nil:
		return pruning.Range{Nulls: pruning.All, NaNs: pruning.None}
	case float32:
		if x != x {
			return pruning.Range{}
		}
	case float64:
		if x != x {
			return pruning.Range{}
		}
	}
	return pruning.Range{Lo: v, Hi: v, Exact: true, Nulls: pruning.None, NaNs: pruning.None}
}

// MightHave asks the column's bloom filter.
func (s *parquetStats) MightHave(id int, v column.Value) bool {
	if s.f.s.req.Options.NoBloom {
		return true
	}
	n, t := s.p.match.leaf(id)
	if n == nil {
		return true
	}
	b, ok := s.blooms[id]
	if !ok {
		b, s.err = s.p.r.RowGroups()[s.group].Chunk(n.Leaf).Bloom(s.ctx)
		if s.blooms == nil {
			s.blooms = map[int]*parquet.Bloom{}
		}
		s.blooms[id] = b
	}
	return b == nil || b.MightContain(t, v)
}

// rows is a half-open range of a row group's rows.
type rows struct{ from, to int64 }

// judge tells which rows of a row group may match: keep is false for none,
// ranges nil for all.
func (f *fileUnits) judge(ctx context.Context, p *parquetFormat, group int) (keep bool, ranges []rows, err error) {
	req := f.s.req
	if req.Prune == nil || req.Options.NoRowGroups {
		return true, nil, nil
	}
	s := &parquetStats{ctx: ctx, f: f, p: p, group: group}
	if !req.Prune.MightMatch(s) {
		return false, nil, nil
	}
	if s.err != nil {
		return false, nil, s.err
	}
	if req.Options.NoPages {
		return true, nil, nil
	}
	return f.judgePages(ctx, p, group)
}

// pageRange is one page's statistics; it knows one column.
type pageRange struct {
	id int
	r  pruning.Range
}

// Range gives the page's bounds.
func (p *pageRange) Range(id int) pruning.Range {
	if id != p.id {
		return pruning.Range{}
	}
	return p.r
}

// judgePages narrows a row group by the page index: each condition over one
// column leaves the rows of the pages that may match.
func (f *fileUnits) judgePages(ctx context.Context, p *parquetFormat, group int) (bool, []rows, error) {
	g := &p.r.RowGroups()[group]
	left := []rows{{0, g.Rows()}}
	narrowed := false
	for _, part := range f.s.req.Prune.Single() {
		n, t := p.match.leaf(part.Field)
		if n == nil {
			continue
		}
		pages, err := g.Chunk(n.Leaf).PageStats(ctx, t)
		if err != nil {
			return false, nil, err
		}
		if len(pages) < 2 || !t.IsNullable() && n.MaxDef > 0 {
			continue
		}
		var may []rows
		for i := range pages {
			if part.Filter.MightMatch(&pageRange{part.Field, pageBounds(&pages[i], t)}) {
				may = append(may, rows{pages[i].FirstRow, pages[i].FirstRow + pages[i].Rows})
			} else {
				narrowed = true
			}
		}
		left = intersect(left, may)
	}
	if !narrowed {
		return true, nil, nil
	}
	return len(left) > 0, left, nil
}

func pageBounds(s *parquet.PageStats, t *types.Type) pruning.Range {
	var r pruning.Range
	switch {
	case s.AllNull:
		r.Nulls = pruning.All
	case s.Nulls == 0:
		r.Nulls = pruning.None
	}
	if !types.Unwrap(t).IsFloat() {
		r.NaNs = pruning.None
	}
	if s.HasBounds {
		r.Lo, r.Hi = s.Bounds.Min, s.Bounds.Max
		r.Exact = s.Bounds.MinExact && s.Bounds.MaxExact && r.NaNs == pruning.None
	}
	return r
}

// intersect gives the rows in both lists of ascending ranges.
func intersect(a, b []rows) []rows {
	var out []rows
	for len(a) > 0 && len(b) > 0 {
		lo, hi := max(a[0].from, b[0].from), min(a[0].to, b[0].to)
		if lo < hi {
			if n := len(out); n > 0 && out[n-1].to == lo {
				out[n-1].to = hi
			} else {
				out = append(out, rows{lo, hi})
			}
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// behind tells whether no row of a range can be among a top-N's rows.
func (n *TopN) behind(r pruning.Range) bool {
	v, ok := n.Threshold()
	if !ok || v == nil {
		return false
	}
	if n.NullsFirst && (r.Nulls != pruning.None || r.NaNs != pruning.None) {
		return false
	}
	if r.Nulls == pruning.All {
		return true
	}
	if n.Desc {
		return pruning.Less(r.Hi, v)
	}
	return pruning.Less(v, r.Lo)
}

// topField gives the field that a top-N orders by, -1 for none.
func (s *Scan) topField() int {
	n := s.req.TopN
	if n == nil {
		return -1
	}
	return s.req.Columns[n.Column].id()
}

// orderForTopN lets the files come first that may hold the first rows.
func (s *Scan) orderForTopN() {
	id := s.topField()
	if id < 0 {
		return
	}
	ranges := make(map[*Task]pruning.Range, len(s.tasks))
	for _, t := range s.tasks {
		ranges[t] = s.req.Source.fileRange(t, id)
	}
	s.tasks = slices.Clone(s.tasks)
	slices.SortStableFunc(s.tasks, func(a, b *Task) int { return s.req.TopN.order(ranges[a], ranges[b]) })
}

func (n *TopN) order(a, b pruning.Range) int {
	x, y := a.Lo, b.Lo
	if n.Desc {
		x, y = b.Hi, a.Hi
	}
	switch {
	case pruning.Less(x, y):
		return -1
	case pruning.Less(y, x):
		return 1
	}
	return 0
}

// fileBehind judges a whole file for a top-N.
func (s *Scan) fileBehind(t *Task) bool {
	id := s.topField()
	return id >= 0 && s.req.TopN.behind(s.req.Source.fileRange(t, id))
}
