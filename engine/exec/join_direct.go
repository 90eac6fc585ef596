package exec

import (
	"lakeserver/column"
)

// directKeys numbers integer keys of a narrow range by their distance from the
// least: no hash, no comparison. Numbers between keys are groups without rows.
type directKeys interface {
	groups() int
	// number gives each row its group, noGroup outside of the range. It may run
	// concurrently with itself.
	number(keys column.Column, out []uint32)
}

// maxSparse is how many numbers there may be for a row.
const maxSparse = 8

type directRange[T integer] struct {
	lo   T
	span uint64
}

// newDirectKeys gives nil for keys of other types or of a wide range.
func newDirectKeys(j *hashJoin, blocks []*column.Block, rows int) directKeys {
	parts := make([]column.Column, len(blocks))
	for i, b := range blocks {
		parts[i] = b.Columns[j.buildKeys[0]]
	}
	if len(parts) == 0 {
		return nil
	}
	values, _ := column.SplitNulls(column.Full(parts[0].Slice(0, min(1, parts[0].Len()))))
	switch values.(type) {
	case *column.Fixed[int8]:
		return directOf[int8](parts, rows)
	case *column.Fixed[int16]:
		return directOf[int16](parts, rows)
	case *column.Fixed[int32]:
		return directOf[int32](parts, rows)
	case *column.Fixed[int64]:
		return directOf[int64](parts, rows)
	case *column.Fixed[uint8]:
		return directOf[uint8](parts, rows)
	case *column.Fixed[uint16]:
		return directOf[uint16](parts, rows)
	case *column.Fixed[uint32]:
		return directOf[uint32](parts, rows)
	case *column.Fixed[uint64]:
		return directOf[uint64](parts, rows)
	}
	return nil
}

func directOf[T integer](parts []column.Column, rows int) directKeys {
	lo, hi, ok := rangeOf[T](parts)
	if span := uint64(hi) - uint64(lo); ok && span < uint64(maxSparse*rows+1024) {
		return &directRange[T]{lo, span}
	}
	return nil
}

func (d *directRange[T]) groups() int { return int(d.span) + 1 }

func (d *directRange[T]) number(keys column.Column, out []uint32) {
	f, ok := keys.(*column.Fixed[T])
	if !ok { // NULL everywhere
		for i := range out {
			out[i] = noGroup
		}
		return
	}
	lo, span := uint64(d.lo), d.span
	for i, v := range f.Values {
		off := uint64(v) - lo
		if off > span {
			off = uint64(noGroup)
		}
		out[i] = uint32(off)
	}
}
