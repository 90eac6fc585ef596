package exec

import (
	"lakeserver/column"
	"lakeserver/settings"
	"lakeserver/types"

	"lakeserver/cherr"
)

type fieldType = *types.Type

// extremes keeps the least and the greatest value of each column. NULL and NaN
// count only when there is nothing else.
type extremes struct {
	header   column.Header
	min, max []column.Column // one row each; nil before the first value
}

func newExtremes(h column.Header) *extremes {
	return &extremes{header: h, min: make([]column.Column, len(h)), max: make([]column.Column, len(h))}
}

func (e *extremes) add(b *column.Block) {
	for i, c := range b.Columns {
		lo, hi := 0, 0
		for r := 1; r < c.Len(); r++ {
			if column.Compare(c, r, c, lo, 1) < 0 {
				lo = r
			}
			if column.Compare(c, r, c, hi, -1) > 0 {
				hi = r
			}
		}
		if e.min[i] == nil || column.Compare(c, lo, e.min[i], 0, 1) < 0 {
			e.min[i] = ownRow(e.header[i].Type, c, lo)
		}
		if e.max[i] == nil || column.Compare(c, hi, e.max[i], 0, -1) > 0 {
			e.max[i] = ownRow(e.header[i].Type, c, hi)
		}
	}
}

// ownRow copies one row into a column of its own.
func ownRow(t *types.Type, c column.Column, row int) column.Column {
	b := column.NewBuilder(t, 1)
	b.AppendRange(c, row, row+1)
	return b.Finish()
}

func (e *extremes) block() *column.Block {
	out := &column.Block{Rows: 2, Columns: make([]column.Column, len(e.header))}
	for i, f := range e.header {
		b := column.NewBuilder(f.Type, 2)
		for _, c := range []column.Column{e.min[i], e.max[i]} {
			if c == nil || e.nested(f.Type) {
				b.AppendDefault()
			} else {
				b.AppendRange(c, 0, 1)
			}
		}
		out.Columns[i] = b.Finish()
	}
	return out
}

// nested: ClickHouse keeps no extremes of arrays, maps and tuples.
func (e *extremes) nested(t *types.Type) bool {
	switch t.Kind() {
	case types.KindArray, types.KindMap, types.KindTuple, types.KindAggregateFunction:
		return true
	}
	return false
}

// resultLimits are max_result_rows and max_result_bytes.
type resultLimits struct {
	maxRows, maxBytes uint64
	stop              bool // result_overflow_mode = break
	rows, bytes       uint64
}

func newResultLimits(s *settings.Settings) resultLimits {
	return resultLimits{
		maxRows: s.Uint("max_result_rows"), maxBytes: s.Uint("max_result_bytes"),
		stop: s.Get("result_overflow_mode") == "break",
	}
}

// add counts a block; stop says that it is the last to hand out.
func (l *resultLimits) add(b *column.Block) (stop bool, err error) {
	if l.maxRows == 0 && l.maxBytes == 0 {
		return false, nil
	}
	l.rows += uint64(b.Rows)
	l.bytes += uint64(b.Size())
	return overflow("result", l.maxRows, l.rows, l.maxBytes, l.bytes, l.stop)
}

// overflow compares counts with their limits, as ClickHouse words it.
func overflow(what string, maxRows, rows, maxBytes, bytes uint64, stop bool) (bool, error) {
	switch {
	case maxRows > 0 && rows > maxRows:
		if stop {
			return true, nil
		}
		return false, cherr.New(cherr.TooManyRowsOrBytes, "Limit for %s exceeded, max rows: %d, current rows: %d", what, maxRows, rows)
	case maxBytes > 0 && bytes > maxBytes:
		if stop {
			return true, nil
		}
		return false, cherr.New(cherr.TooManyRowsOrBytes, "Limit for %s exceeded, max bytes: %d, current bytes: %d", what, maxBytes, bytes)
	}
	return false, nil
}
