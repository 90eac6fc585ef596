package read

import (
	"context"

	"lakeserver/column"
	"lakeserver/metadata/iceberg"
)

// unit reads one row range: deleted rows out first, then the conditions one by
// one, then the other columns for the rows that are left.
type unit struct {
	f      *fileUnits
	s      *Scan
	src    source
	closed bool

	// The window at hand.
	rows  int
	first int64
	sel   []uint32        // rows still in, nil: all
	cols  []column.Column // by slot: read for the rows that are in, nil: not read
}

func (u *unit) close() {
	if u.closed {
		return
	}
	u.closed = true
	u.src.close()
	u.s.release(u.f)
}

// next gives the next window's block, which may have no rows; nil at the end.
func (u *unit) next(ctx context.Context) (*column.Block, error) {
	n := u.s.req.Options.BlockRows
	if u.s.req.Limit > 0 && len(u.s.conds) == 0 {
		n = int(max(1, min(int64(n), u.s.left.Load()+64)))
	}
	var err error
	if u.rows, u.first, err = u.src.next(ctx, n); err != nil || u.rows == 0 {
		return nil, err
	}
	u.s.Metrics.Rows.Add(int64(u.rows))
	if u.s.req.Progress != nil {
		u.s.req.Progress(int64(u.rows), 0)
	}
	u.sel = nil
	u.cols = make([]column.Column, len(u.f.bind))
	empty := &column.Block{}
	if u.deletePositions() == 0 {
		return empty, nil
	}
	if u.f.kind >= 0 {
		if left, err := u.dropDeletes(ctx); err != nil || left == 0 {
			return empty, err
		}
	}
	for _, t := range u.f.equality {
		if left, err := u.deleteKeys(ctx, t); err != nil || left == 0 {
			return empty, err
		}
	}
	for i := range u.s.conds {
		if left, err := u.filter(ctx, &u.s.conds[i]); err != nil || left == 0 {
			return empty, err
		}
	}
	if len(u.s.keys) > 0 {
		if left, err := u.filterKeys(ctx); err != nil || left == 0 {
			return empty, err
		}
	}
	if u.s.req.TopN != nil {
		if left, err := u.filterTopN(ctx); err != nil || left == 0 {
			return empty, err
		}
	}
	out := &column.Block{Columns: make([]column.Column, len(u.s.out)), Rows: u.left()}
	for i, slot := range u.s.out {
		if out.Columns[i], err = u.column(ctx, slot); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// left gives how many rows of the window are in.
func (u *unit) left() int {
	if u.sel != nil {
		return len(u.sel)
	}
	return u.rows
}

func (u *unit) deletePositions() int {
	p := u.f.positions
	if p == nil {
		return u.rows
	}
	gone := p.Within(u.first, u.first+int64(u.rows), nil)
	if len(gone) == 0 {
		return u.rows
	}
	sel := make([]uint32, 0, u.rows-len(gone))
	at := uint32(0)
	for _, g := range gone {
		for ; at < g; at++ {
			sel = append(sel, at)
		}
		at = g + 1
	}
	for ; int(at) < u.rows; at++ {
		sel = append(sel, at)
	}
	u.sel = sel
	return len(sel)
}

// keep narrows the window to the rows at positions among those still in.
func (u *unit) keep(rel []uint32) {
	if u.sel == nil {
		u.sel = rel
	} else {
		sel := make([]uint32, len(rel))
		for i, r := range rel {
			sel[i] = u.sel[r]
		}
		u.sel = sel
	}
	for i, c := range u.cols {
		if c != nil {
			u.cols[i] = c.Gather(rel)
		}
	}
}

func (u *unit) filter(ctx context.Context, c *condition) (int, error) {
	b := &column.Block{Columns: make([]column.Column, len(u.s.slots)), Rows: u.left()}
	for _, slot := range c.slots {
		col, err := u.column(ctx, slot)
		if err != nil {
			return 0, err
		}
		b.Columns[slot] = col
	}
	rel, all, err := c.test(ctx, b)
	if err != nil || all {
		return b.Rows, err
	}
	u.keep(rel)
	return len(rel), nil
}

func (u *unit) deleteKeys(ctx context.Context, t *keyTable) (int, error) {
	cols := make([]column.Column, len(t.ids))
	for i, id := range t.ids {
		for _, x := range u.f.extra {
			if x.id == id {
				c, err := u.column(ctx, x.slot)
				if err != nil {
					return 0, err
				}
				cols[i] = column.Full(c)
			}
		}
	}
	n := u.left()
	rel := t.keep(cols, n, u.f.task.SequenceNumber)
	if len(rel) < n {
		u.keep(rel)
	}
	return len(rel), nil
}

// column gives a slot's values for the rows that are in.
func (u *unit) column(ctx context.Context, slot int) (column.Column, error) {
	if c := u.cols[slot]; c != nil {
		return c, nil
	}
	b := &u.f.bind[slot]
	var c column.Column
	var err error
	switch {
	case b.value != nil:
		c = column.NewConst(b.value, u.left())
	case b.from >= 0:
		if c, err = u.src.read(ctx, b.from, u.sel); err != nil {
			return nil, err
		}
		if b.fin != nil {
			if c, err = b.fin(c); err != nil {
				return nil, err
			}
		}
		if b.rowID || b.last {
			c = u.inherit(b, column.Full(c))
		}
	default:
		c = u.inherit(b, nil)
	}
	u.cols[slot] = c
	return c, nil
}

// inherit computes row numbers, row ids and sequence numbers, where the file
// does not store them.
func (u *unit) inherit(b *binding, stored column.Column) column.Column {
	n := u.left()
	if !b.number && u.f.task.FirstRowID < 0 {
		if stored != nil {
			return stored
		}
		return column.NewConst(&column.Nullable{Values: column.NewFixed([]int64{0}), Null: []uint8{1}}, n)
	}
	values := make([]int64, n)
	for i := range values {
		pos := u.first + int64(i)
		if u.sel != nil {
			pos = u.first + int64(u.sel[i])
		}
		switch {
		case b.number:
			values[i] = b.base + pos
		case b.rowID:
			values[i] = u.f.task.FirstRowID + pos
		default:
			values[i] = u.f.task.SequenceNumber
		}
	}
	if stored != nil {
		have, null := column.SplitNulls(stored)
		for i, v := range column.Values[int64](have) {
			if null == nil || null[i] == 0 {
				values[i] = v
			}
		}
	}
	return &column.Nullable{Values: column.NewFixed(values)}
}

// reservedField is the field under which a file stores a row lineage column.
func reservedField(v Virtual) *iceberg.Field {
	id := iceberg.RowIDField
	if v == VirtualLast {
		id = iceberg.LastUpdatedField
	}
	return &iceberg.Field{ID: id, Name: "lineage", Type: iceberg.ParseType("long")}
}
