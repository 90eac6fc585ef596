package parquet

import (
	"unsafe"

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

func spreadFixed[T column.Element](src []T, null []uint8) column.Column {
	out := make([]T, len(null))
	if len(src) == 0 {
		return column.NewFixed(out)
	}
	switch sizeOf[T]() {
	case 1:
		spreadWords(recast[uint8](out), recast[uint8](src), null)
	case 2:
		spreadWords(recast[uint16](out), recast[uint16](src), null)
	case 4:
		spreadWords(recast[uint32](out), recast[uint32](src), null)
	case 8:
		spreadWords(recast[uint64](out), recast[uint64](src), null)
	default:
		j := 0
		for i, isNull := range null {
			if isNull == 0 && j < len(src) {
				out[i] = src[j]
				j++
			}
		}
	}
	return column.NewFixed(out)
}

// spreadWords copies without branches: a word is written at every row, masked
// to zero for a NULL, and the source moves on only behind the others.
func spreadWords[W uint8 | uint16 | uint32 | uint64](dst, src []W, null []uint8) {
	j, last := 0, len(src)-1
	dst = dst[:len(null)]
	for i, isNull := range null {
		dst[i] = src[min(j, last)] & (W(isNull) - 1)
		j += int(isNull ^ 1)
	}
}

// recast sees values as words of their size.
func recast[W, T any](v []T) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
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
