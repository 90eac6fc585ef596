package engine

import (
	"context"

	"lakeserver/column"
	"lakeserver/table"
)

// blockTable is rows at hand as a table: external tables of a query.
type blockTable struct {
	columns []table.Column
	blocks  []*column.Block
}

func external(e *External) table.Table {
	t := &blockTable{blocks: e.Blocks}
	for _, f := range e.Header {
		t.columns = append(t.columns, table.Column{Name: f.Name, Type: f.Type})
	}
	return t
}

// Columns implements table.Table.
func (t *blockTable) Columns() []table.Column { return t.columns }

// Scan implements table.Table.
func (t *blockTable) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	out := make([]*column.Block, 0, len(t.blocks))
	for _, b := range t.blocks {
		p := &column.Block{Rows: b.Rows}
		for _, i := range req.Columns {
			p.Columns = append(p.Columns, b.Columns[i])
		}
		out = append(out, p)
		req.Report.RowsRead.Add(int64(b.Rows))
		req.Report.BytesRead.Add(p.Size())
	}
	return []column.Stream{column.Blocks(out...)}, nil
}
