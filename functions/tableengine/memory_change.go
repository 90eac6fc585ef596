package tableengine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/table"
	"lakeserver/types"
)

// Change implements table.Changer. A row's name is the number of its block and
// its place there.
func (t *memoryTable) Change(context.Context, *table.ChangeRequest) (*table.Change, error) {
	n := len(t.columns)
	return &table.Change{
		Rows: &memoryRows{t}, RowID: []int{n, n + 1},
		Sink: &memoryChange{table: t, blocks: map[uint32]*blockChange{}},
	}, nil
}

// memoryRows is a table whose rows have names.
type memoryRows struct{ *memoryTable }

// rowNames are the columns that name a row. No statement can spell them.
var rowNames = []table.Column{{Name: "\x00block", Type: types.UInt32}, {Name: "\x00row", Type: types.UInt32}}

// VirtualColumns implements table.Virtual.
func (r *memoryRows) VirtualColumns() []table.Column { return rowNames }

// Scan implements table.Table.
func (r *memoryRows) Scan(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	n := len(r.columns)
	numbered := &memoryTable{store: r.store, columns: r.columns}
	for i, b := range r.blocks {
		rows := make([]uint32, b.Rows)
		for k := range rows {
			rows[k] = uint32(k)
		}
		block := column.NewConst(&column.Fixed[uint32]{Values: []uint32{uint32(i)}}, b.Rows)
		numbered.blocks = append(numbered.blocks, &column.Block{
			Columns: append(b.Columns[:n:n], block, &column.Fixed[uint32]{Values: rows}), Rows: b.Rows,
		})
	}
	return numbered.Scan(ctx, req)
}

// memoryChange collects what happens to each block.
type memoryChange struct {
	table  *memoryTable
	blocks map[uint32]*blockChange
	fresh  []*column.Block
}

// blockChange says what happens to the rows of one block.
type blockChange struct {
	gone    []bool
	changed map[uint32]place // rows with new values
}

// place is a row of a block of new values.
type place struct {
	block *column.Block
	row   int
}

// Write implements table.ChangeSink.
func (c *memoryChange) Write(_ context.Context, kind table.RowChange, b *column.Block) error {
	if kind == table.InsertRows {
		c.fresh = append(c.fresh, c.kept(b, 0))
		return nil
	}
	blocks, ok := column.Full(b.Columns[0]).(*column.Fixed[uint32])
	rows, ok2 := column.Full(b.Columns[1]).(*column.Fixed[uint32])
	if !ok || !ok2 {
		cherr.Bug("a row of a table in memory is named by %T, %T", b.Columns[0], b.Columns[1])
	}
	var values *column.Block
	if kind == table.UpdateRows {
		values = c.kept(b, len(rowNames))
	}
	for i, n := range blocks.Values {
		of := c.blocks[n]
		if of == nil {
			of = &blockChange{gone: make([]bool, c.table.blocks[n].Rows), changed: map[uint32]place{}}
			c.blocks[n] = of
		}
		if values == nil {
			of.gone[rows.Values[i]] = true
		} else {
			of.changed[rows.Values[i]] = place{values, i}
		}
	}
	return nil
}

// kept gives the table's columns of a block that holds the stored ones from a
// place on.
func (c *memoryChange) kept(b *column.Block, from int) *column.Block {
	places := make([]int, len(c.table.columns))
	for i, col := range c.table.columns {
		places[i] = -1
		if col.Stored() {
			places[i] = from
			from++
		}
	}
	return kept(c.table.columns, places, b)
}

// Commit implements table.ChangeSink: rows keep their places.
func (c *memoryChange) Commit(context.Context) error {
	if len(c.blocks) == 0 && len(c.fresh) == 0 {
		return nil
	}
	var out []*column.Block
	for i, b := range c.table.blocks {
		if of := c.blocks[uint32(i)]; of != nil {
			b = of.apply(b, c.table.columns)
		}
		if b.Rows > 0 {
			out = append(out, b)
		}
	}
	return c.table.store.replace(c.table, append(out, c.fresh...), nil)
}

func (of *blockChange) apply(b *column.Block, columns []table.Column) *column.Block {
	out := &column.Block{}
	for r := range of.gone {
		if !of.gone[r] {
			out.Rows++
		}
	}
	for i, c := range columns {
		if !c.Stored() {
			out.Columns = append(out.Columns, column.NewConst(column.Default(c.Type, 1), out.Rows))
			continue
		}
		build := column.NewBuilder(c.Type, out.Rows)
		old := column.Full(b.Columns[i])
		for r := range of.gone {
			if of.gone[r] {
				continue
			}
			if p, ok := of.changed[uint32(r)]; ok {
				build.AppendRange(p.block.Columns[i], p.row, p.row+1)
			} else {
				build.AppendRange(old, r, r+1)
			}
		}
		out.Columns = append(out.Columns, build.Finish())
	}
	return out
}

// Abort implements table.ChangeSink.
func (c *memoryChange) Abort(context.Context) error {
	c.blocks, c.fresh = map[uint32]*blockChange{}, nil
	return nil
}

func sameColumns(a, b []table.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !a[i].Type.Equal(b[i].Type) {
			return false
		}
	}
	return true
}
