package read

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
)

// Count gives the rows of a plan without reading data; ok is false when
// deletes by value stand in between.
func Count(ctx context.Context, src *Source, p *Plan) (n int64, ok bool, err error) {
	for _, t := range p.Tasks {
		any, byValue := t.HasDeletes()
		if byValue {
			return 0, false, nil
		}
		n += t.Records
		if !any {
			continue
		}
		gone, err := src.positionsOf(ctx, t)
		if err != nil {
			return 0, false, err
		}
		if gone != nil { // positions behind the file's end delete nothing
			n -= gone.CountWithin(0, t.Records)
		}
	}
	return n, true, nil
}

// Bounds gives the least and greatest value of a field over a plan's files,
// nil for none; ok is false when the manifests do not say.
func Bounds(p *Plan, f *iceberg.Field) (lo, hi column.Value, ok bool) {
	for _, t := range p.Tasks {
		if any, _ := t.HasDeletes(); any {
			return nil, nil, false
		}
		if t.Records == 0 {
			continue
		}
		st := t.File.Stat(f.ID)
		if st == nil {
			return nil, nil, false
		}
		if st.Nulls >= 0 && st.Nulls == t.Records {
			continue
		}
		a, okA := iceberg.DecodeBound(f.Type, st.Lower)
		b, okB := iceberg.DecodeBound(f.Type, st.Upper)
		if st.Lower == nil || st.Upper == nil || !okA || !okB || less(b, a) {
			return nil, nil, false
		}
		if lo == nil || less(a, lo) {
			lo = a
		}
		if hi == nil || less(hi, b) {
			hi = b
		}
	}
	return lo, hi, true
}

func less(a, b column.Value) bool {
	switch x := a.(type) {
	case int32:
		return x < b.(int32)
	case int64:
		return x < b.(int64)
	}
	return false
}

// Deletes counts the files with rows deleted, and those by value among them.
func (p *Plan) Deletes() (any, byValue int) {
	for _, t := range p.Tasks {
		a, v := t.HasDeletes()
		if a {
			any++
		}
		if v {
			byValue++
		}
	}
	return any, byValue
}

// RowGroups opens the plan's files and counts the row groups that a scan would
// read, all there are, and the bytes of the columns read in them.
func (p *Plan) RowGroups(ctx context.Context, src Lake, columns []Column, output []int, filter []expr.Expr, prune *pruning.Filter) (kept, total int, bytes int64, err error) {
	s, streams := Start(&Request{Source: src, Columns: columns, Output: output, Filter: filter, Prune: prune, Streams: 1}, p)
	defer streams[0].Close()
	for _, t := range p.Tasks {
		f, err := s.openFile(ctx, t)
		if err != nil {
			return 0, 0, 0, err
		}
		if f == nil {
			continue
		}
		kept += len(f.groups)
		if pf, ok := f.format.(*parquetFormat); ok {
			total += len(pf.r.RowGroups())
			for _, g := range f.groups {
				bytes += pf.bytes(g.group)
			}
		} else {
			total++
			bytes += t.Size
		}
		f.close()
	}
	return kept, total, bytes, nil
}

// bytes gives the stored bytes of the wanted columns of a row group.
func (p *parquetFormat) bytes(group int) (n int64) {
	g := &p.r.RowGroups()[group]
	for _, w := range p.wants {
		if w.Node == nil {
			continue
		}
		from, to := w.Node.Leaves()
		for leaf := from; leaf < to; leaf++ {
			stored, _ := g.Chunk(leaf).Sizes()
			n += stored
		}
	}
	return n
}

// CountPaimon gives the rows of a plan without reading data; ok is false when
// rows must be merged, or deleted ones found among the others.
func CountPaimon(ctx context.Context, src *Paimon, p *Plan) (n int64, ok bool, err error) {
	if len(p.merges) > 0 {
		return 0, false, nil
	}
	for _, t := range p.Tasks {
		if t.Paimon.kinds {
			return 0, false, nil
		}
		rows, err := src.rowsLeft(ctx, t)
		if err != nil {
			return 0, false, err
		}
		n += rows
	}
	for _, z := range p.zips {
		n += z.rows
		if z.vector == nil {
			continue
		}
		v, err := src.loadVector(ctx, z.vector)
		if err != nil {
			return 0, false, err
		}
		n -= v.CountWithin(0, z.rows)
	}
	return n, true, nil
}
