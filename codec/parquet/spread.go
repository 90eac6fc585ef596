package parquet

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// spread puts dense values at the rows that are not NULL; the others hold the
// default. null has a byte a row.
func spread(c column.Column, null []uint8, t *types.Type) column.Column { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[uint16]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[uint32]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[uint64]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[int8]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[int16]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[int32]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[int64]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[float32]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[float64]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[types.I128]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[types.U128]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[types.I256]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[types.U256]:
		return spreadFixed(c.Values, null)
	case *column.Fixed[types.Addr6]:
		return spreadFixed(c.Values, null)
	case *column.Str:
		return spreadStr(c, null, types.Unwrap(t))
	}
	cherr.Bug("no way to spread a %T", c)
	return nil
}

// spreadFixed copies without branches: a value is written at every row and the
// source moves on only behind one that is not NULL.
func spreadFixed[T column.Element](src []T, null []uint8) column.Column {
	out := make([]T, len(null))
	j, n := 0, len(src)
	for i, isNull := range null {
		if isNull == 0 && j < n {
			out[i] = src[j]
			j++
		}
	}
	return column.NewFixed(out)
}

func spreadStr(src *column.Str, null []uint8, t *types.Type) column.Column {
	out := &column.Str{Data: src.Data, Start: make([]uint32, len(null)), Lns: make([]uint32, len(null))}
	start, lns := uint32(0), uint32(0)
	if t.Kind() == types.KindFixedString { // its default is zeros, as long as every value
		start, lns = uint32(len(src.Data)), uint32(t.Length())
		out.Data = append(src.Data[:len(src.Data):len(src.Data)], make([]byte, lns)...)
	}
	j := 0
	for i, isNull := range null {
		if isNull == 0 && j < len(src.Start) {
			out.Start[i], out.Lns[i] = src.Start[j], src.Lns[j]
			j++
			continue
		}
		out.Start[i], out.Lns[i] = start, lns
	}
	return out
}
