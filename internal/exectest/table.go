package exectest

import (
	"context"

	"lakeserver/column"
	"lakeserver/engine/plan"
	"lakeserver/table"
)

// Table is blocks as a table that gives them over several streams.
type Table struct {
	Fields  column.Header
	Blocks  []*column.Block
	Streams int // 0: as many as asked for
}

// Columns names the fields.
func (t *Table) Columns() []table.Column {
	out := make([]table.Column, len(t.Fields))
	for i, f := range t.Fields {
		out[i] = table.Column{Name: f.Name, Type: f.Type}
	}
	return out
}

// Scan deals the blocks out to the streams in turn.
func (t *Table) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	n := max(req.Streams, 1)
	if t.Streams > 0 {
		n = t.Streams
	}
	parts := make([][]*column.Block, n)
	for i, b := range t.Blocks {
		cols := make([]column.Column, len(req.Columns))
		for k, c := range req.Columns {
			cols[k] = b.Columns[c]
		}
		parts[i%n] = append(parts[i%n], &column.Block{Columns: cols, Rows: b.Rows})
	}
	out := make([]column.Stream, n)
	for i := range out {
		out[i] = column.Blocks(parts[i]...)
	}
	return out, nil
}

// Scan makes a plan node that reads all columns of a table.
func Scan(t *Table) *plan.Scan {
	s := &plan.Scan{Table: t, Name: "test", Fields: t.Fields}
	for i := range t.Fields {
		s.Columns = append(s.Columns, i)
	}
	return s
}

// Cut gives the same rows in blocks of at most n.
func Cut(blocks []*column.Block, n int) []*column.Block {
	var out []*column.Block
	for _, b := range blocks {
		for from := 0; from < b.Rows; from += n {
			out = append(out, b.Slice(from, min(from+n, b.Rows)))
		}
	}
	return out
}

// Dicts gives the blocks with every column as a dictionary with entries that
// no row uses.
func Dicts(h column.Header, blocks []*column.Block) []*column.Block {
	out := make([]*column.Block, len(blocks))
	for i, b := range blocks {
		out[i] = &column.Block{Rows: b.Rows}
		for c, col := range b.Columns {
			values := column.NewBuilder(h[c].Type, b.Rows+1)
			values.AppendDefault()
			values.AppendRange(col, 0, b.Rows)
			codes := make([]uint32, b.Rows)
			for r := range codes {
				codes[r] = uint32(r + 1)
			}
			out[i].Columns = append(out[i].Columns, &column.Dict{Codes: codes, Values: values.Finish()})
		}
	}
	return out
}

// Consts gives the rows as blocks of one row, all columns constant.
func Consts(blocks []*column.Block) []*column.Block {
	out := Cut(blocks, 1)
	for i, b := range out {
		k := &column.Block{Rows: 1}
		for _, c := range b.Columns {
			k.Columns = append(k.Columns, column.NewConst(column.Full(c), 1))
		}
		out[i] = k
	}
	return out
}
