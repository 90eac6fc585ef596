package format

import (
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// toArrow gives a column as Arrow data; fixed-width values share memory.
func toArrow(t *types.Type, dt arrow.DataType, c column.Column) (arrow.ArrayData, error) { // long: one case a form
	c = column.Full(c)
	switch t.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return toArrow(t.Elem(), dt, c)
	case types.KindNullable:
		values, null := column.SplitNulls(c)
		if t.Elem().Kind() == types.KindNothing {
			return array.NewData(arrow.Null, c.Len(), []*memory.Buffer{nil}, nil, c.Len(), 0), nil
		}
		d, err := toArrow(t.Elem(), dt, values)
		if err != nil || null == nil {
			return d, err
		}
		bits, n := nullBits(null)
		buffers := append([]*memory.Buffer{bits}, d.Buffers()[1:]...)
		return array.NewData(dt, d.Len(), buffers, d.Children(), n, 0), nil
	case types.KindBool:
		return boolArrow(dt, column.Values[uint8](c)), nil
	case types.KindDate:
		days := column.Values[uint16](c)
		out := make([]int32, len(days))
		for i, d := range days {
			out[i] = int32(d)
		}
		return fixedArrow(dt, out), nil
	case types.KindBFloat16:
		halves := column.Values[uint16](c)
		out := make([]float32, len(halves))
		for i, h := range halves {
			out[i] = text.Float32OfBFloat16(h)
		}
		return fixedArrow(dt, out), nil
	case types.KindDateTime64:
		return fixedArrow(dt, rescale(column.Values[int64](c), t.Scale(), unitDigits(dt.(*arrow.TimestampType).Unit))), nil
	case types.KindTime64:
		return time64Arrow(t, dt, column.Values[int64](c)), nil
	case types.KindUUID:
		return uuidArrow(dt, column.Values[types.U128](c)), nil
	case types.KindDecimal32:
		return decimalArrow(dt, column.Values[int32](c)), nil
	case types.KindDecimal64:
		return decimalArrow(dt, column.Values[int64](c)), nil
	}
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[uint16]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[uint32]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[uint64]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[int8]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[int16]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[int32]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[int64]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[float32]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[float64]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[types.I128]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[types.U128]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[types.I256]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[types.U256]:
		return fixedArrow(dt, c.Values), nil
	case *column.Fixed[types.Addr6]:
		return fixedArrow(dt, c.Values), nil
	case *column.Str:
		return strArrow(dt, c)
	case *column.Array:
		return listArrow(t, dt, c)
	case *column.Map:
		return mapArrow(t, dt, c)
	case *column.Tuple:
		return structArrow(t, dt, c)
	case *column.Nothing:
		return array.NewData(arrow.Null, c.N, []*memory.Buffer{nil}, nil, c.N, 0), nil
	case *column.Nullable:
		return toArrow(t, dt, c.Values)
	}
	return nil, cherr.New(cherr.UnknownType, "The type \"%s\" is not supported for conversion into Arrow data format", t)
}

func nullBits(null []uint8) (*memory.Buffer, int) {
	bits := make([]byte, bitutil.BytesForBits(int64(len(null))))
	n := 0
	for i, x := range null {
		if x != 0 {
			n++
		} else {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return memory.NewBufferBytes(bits), n
}

func rawBytes[T any](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

func fixedArrow[T any](dt arrow.DataType, v []T) arrow.ArrayData {
	return array.NewData(dt, len(v), []*memory.Buffer{nil, memory.NewBufferBytes(rawBytes(v))}, nil, 0, 0)
}

func boolArrow(dt arrow.DataType, v []uint8) arrow.ArrayData {
	bits := make([]byte, bitutil.BytesForBits(int64(len(v))))
	for i, x := range v {
		if x != 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return array.NewData(dt, len(v), []*memory.Buffer{nil, memory.NewBufferBytes(bits)}, nil, 0, 0)
}

func rescale(v []int64, from, to int) []int64 {
	if from == to {
		return v
	}
	f := text.Pow10(to - from)
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = x * f
	}
	return out
}

func time64Arrow(t *types.Type, dt arrow.DataType, v []int64) arrow.ArrayData {
	if d, ok := dt.(*arrow.Time32Type); ok {
		wide := rescale(v, t.Scale(), unitDigits(d.Unit))
		out := make([]int32, len(wide))
		for i, x := range wide {
			out[i] = int32(x)
		}
		return fixedArrow(dt, out)
	}
	return fixedArrow(dt, rescale(v, t.Scale(), unitDigits(dt.(*arrow.Time64Type).Unit)))
}

func uuidArrow(dt arrow.DataType, v []types.U128) arrow.ArrayData {
	out := make([]byte, 0, 16*len(v))
	for _, u := range v {
		for shift := 56; shift >= 0; shift -= 8 {
			out = append(out, byte(u.Hi>>shift))
		}
		for shift := 56; shift >= 0; shift -= 8 {
			out = append(out, byte(u.Lo>>shift))
		}
	}
	return array.NewData(dt, len(v), []*memory.Buffer{nil, memory.NewBufferBytes(out)}, nil, 0, 0)
}

func decimalArrow[T int32 | int64](dt arrow.DataType, v []T) arrow.ArrayData {
	out := make([]types.I128, len(v))
	for i, x := range v {
		out[i] = types.ToI128(int64(x))
	}
	return fixedArrow(dt, out)
}

func strArrow(dt arrow.DataType, c *column.Str) (arrow.ArrayData, error) {
	total := 0
	for _, n := range c.Lns {
		total += int(n)
	}
	data := make([]byte, 0, total)
	offsets := make([]int32, 1, c.Len()+1)
	for i := range c.Start {
		data = append(data, c.At(i)...)
		offsets = append(offsets, int32(len(data)))
	}
	if _, fixed := dt.(*arrow.FixedSizeBinaryType); fixed {
		return array.NewData(dt, c.Len(), []*memory.Buffer{nil, memory.NewBufferBytes(data)}, nil, 0, 0), nil
	}
	if total > math.MaxInt32 {
		return nil, cherr.New(cherr.TooLargeStringSize, "A block holds more than 2 GiB of strings, more than Arrow's String takes")
	}
	return array.NewData(dt, c.Len(), []*memory.Buffer{nil, memory.NewBufferBytes(rawBytes(offsets)), memory.NewBufferBytes(data)}, nil, 0, 0), nil
}

func narrow(offsets []uint64) []int32 {
	out := make([]int32, len(offsets))
	for i, o := range offsets {
		out[i] = int32(o - offsets[0])
	}
	return out
}

func listArrow(t *types.Type, dt arrow.DataType, c *column.Array) (arrow.ArrayData, error) {
	from, to := c.Offsets[0], c.Offsets[len(c.Offsets)-1]
	elems, err := toArrow(t.Elem(), dt.(*arrow.ListType).Elem(), c.Elems.Slice(int(from), int(to)))
	if err != nil {
		return nil, err
	}
	return array.NewData(dt, c.Len(), []*memory.Buffer{nil, memory.NewBufferBytes(rawBytes(narrow(c.Offsets)))}, []arrow.ArrayData{elems}, 0, 0), nil
}

func mapArrow(t *types.Type, dt arrow.DataType, c *column.Map) (arrow.ArrayData, error) {
	from, to := int(c.Offsets[0]), int(c.Offsets[len(c.Offsets)-1])
	m := dt.(*arrow.MapType)
	keys, err := toArrow(t.Elems()[0], m.KeyType(), c.Keys.Slice(from, to))
	if err != nil {
		return nil, err
	}
	values, err := toArrow(t.Elems()[1], m.ItemType(), c.Values.Slice(from, to))
	if err != nil {
		return nil, err
	}
	entries := array.NewData(m.Elem(), to-from, []*memory.Buffer{nil}, []arrow.ArrayData{keys, values}, 0, 0)
	return array.NewData(dt, c.Len(), []*memory.Buffer{nil, memory.NewBufferBytes(rawBytes(narrow(c.Offsets)))}, []arrow.ArrayData{entries}, 0, 0), nil
}

func structArrow(t *types.Type, dt arrow.DataType, c *column.Tuple) (arrow.ArrayData, error) {
	s := dt.(*arrow.StructType)
	children := make([]arrow.ArrayData, len(c.Elems))
	for i, e := range c.Elems {
		var err error
		if children[i], err = toArrow(t.Elems()[i], s.Field(i).Type, e); err != nil {
			return nil, err
		}
	}
	return array.NewData(dt, c.N, []*memory.Buffer{nil}, children, 0, 0), nil
}
