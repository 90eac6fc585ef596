package iceberg

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
)

// byPartition tells whether a filter asks only for columns that the partition
// values of every file fix, so that whole files give way to it.
func (t *Table) byPartition(where []expr.Expr) bool {
	all := true
	for _, e := range where {
		all = all && expr.Deterministic(e)
		expr.Walk(e, func(x expr.Expr) {
			c, ok := x.(*expr.Column)
			if !ok {
				return
			}
			field := t.all[c.Index].Field
			for _, spec := range t.src.Meta.Specs {
				fixed := false
				for _, f := range spec.Fields {
					fixed = fixed || field != nil && f.SourceID == field.ID && f.Transform.Kind == iceberg.Identity
				}
				all = all && fixed
			}
		})
	}
	return all
}

// replacing deletes the rows of a filter and inserts others, in one change.
type replacing struct {
	sink   *sink // for the columns' order alone
	change *table.Change
	check  func(ctx context.Context, b *column.Block) error
}

// replaceRows replaces the rows that match a filter, wherever they lie.
func (t *Table) replaceRows(ctx context.Context, req *table.OverwriteRequest) (table.Sink, error) {
	order, err := t.newSink(req.Columns, nil)
	if err != nil {
		return nil, err
	}
	c, err := t.Change(ctx, &table.ChangeRequest{Kind: table.ChangeUpdate, Where: req.Where})
	if err != nil {
		return nil, err
	}
	r := &replacing{sink: order, change: c, check: func(ctx context.Context, b *column.Block) error { return t.allMatch(ctx, req.Where, b) }}
	if err := r.deleteMatching(ctx, t, req.Where); err != nil {
		_ = c.Sink.Abort(context.WithoutCancel(ctx)) // the first error is what the user must see
		return nil, err
	}
	return r, nil
}

// deleteMatching reads what the filter asks for and deletes the rows that it
// holds for.
func (r *replacing) deleteMatching(ctx context.Context, t *Table, where []expr.Expr) error {
	scan := &table.ScanRequest{Streams: 1, PreserveOrder: true, Filter: where, Settings: t.settings}
	place := map[int]int{}
	for _, e := range where {
		expr.Walk(e, func(x expr.Expr) {
			if c, ok := x.(*expr.Column); ok {
				if _, ok := place[c.Index]; !ok {
					place[c.Index] = len(scan.Columns)
					scan.Columns = append(scan.Columns, c.Index)
				}
			}
		})
	}
	ids := len(scan.Columns)
	scan.Columns = append(scan.Columns, r.change.RowID...)
	streams, err := r.change.Rows.Scan(ctx, scan)
	if err != nil {
		return err
	}
	for _, s := range streams {
		if err == nil {
			err = r.deleteFrom(ctx, t, s, where, place, ids)
		}
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}
	return err
}

func (r *replacing) deleteFrom(ctx context.Context, t *Table, s column.Stream, where []expr.Expr, place map[int]int, ids int) error {
	for {
		b, err := s.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		wide := &column.Block{Rows: b.Rows}
		for i, c := range t.columns {
			if at, ok := place[i]; ok {
				wide.Columns = append(wide.Columns, b.Columns[at])
			} else {
				wide.Columns = append(wide.Columns, column.NewConst(column.Default(c.Type, 1), b.Rows))
			}
		}
		keep := make([]bool, b.Rows)
		for k, e := range where {
			c, err := e.Eval(ctx, wide)
			if err != nil {
				return err
			}
			for i := range keep {
				v := column.At(c, i)
				keep[i] = (k == 0 || keep[i]) && v != nil && v != uint8(0)
			}
		}
		var rows []uint32
		for i, k := range keep {
			if k {
				rows = append(rows, uint32(i))
			}
		}
		if len(rows) == 0 {
			continue
		}
		named := (&column.Block{Rows: b.Rows, Columns: b.Columns[ids:]}).Gather(rows)
		if err := r.change.Sink.Write(ctx, table.DeleteRows, named); err != nil {
			return err
		}
	}
}

// Write implements table.Sink.
func (r *replacing) Write(ctx context.Context, b *column.Block) error {
	b = r.sink.block(b)
	if err := r.check(ctx, b); err != nil {
		return err
	}
	return r.change.Sink.Write(ctx, table.InsertRows, b)
}

// Commit implements table.Sink.
func (r *replacing) Commit(ctx context.Context) error { return r.change.Sink.Commit(ctx) }

// Abort implements table.Sink.
func (r *replacing) Abort(ctx context.Context) error { return r.change.Sink.Abort(ctx) }
