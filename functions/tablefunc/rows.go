package tablefunc

import (
	"context"

	"lakeserver/column"
	"lakeserver/table"
)

// Rows is a table of blocks at hand.
type Rows struct {
	Cols   []table.Column
	Blocks []*column.Block
}

// Columns gives the columns.
func (r *Rows) Columns() []table.Column { return r.Cols }

// Scan gives the blocks with the columns asked for.
func (r *Rows) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	if req.Report == nil {
		req.Report = &table.Report{}
	}
	out := make([]*column.Block, len(r.Blocks))
	for i, b := range r.Blocks {
		n := &column.Block{Rows: b.Rows}
		for _, c := range req.Columns {
			n.Columns = append(n.Columns, b.Columns[c])
		}
		out[i] = n
		req.Report.RowsRead.Add(int64(b.Rows))
		req.Report.BytesRead.Add(n.Size())
	}
	return []column.Stream{column.Blocks(out...)}, nil
}

// CountRows counts unless there is a filter.
func (r *Rows) CountRows(_ context.Context, req *table.ScanRequest) (int64, bool, error) {
	n := int64(0)
	for _, b := range r.Blocks {
		n += int64(b.Rows)
	}
	return n, len(req.Filter) == 0, nil
}

// EstimateRows counts.
func (r *Rows) EstimateRows(context.Context, *table.ScanRequest) (int64, error) {
	n := int64(0)
	for _, b := range r.Blocks {
		n += int64(b.Rows)
	}
	return n, nil
}
