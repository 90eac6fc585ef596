package format

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// fromArrow copies an array into a column of the type that typeOfArrow gives:
// Arrow's memory ends with its record.
func fromArrow(a arrow.Array, nullable bool) (column.Column, error) {
	c, err := arrowValues(a)
	if err != nil {
		return nil, err
	}
	if _, ok := c.(*column.Nullable); ok || !nullable {
		return c, nil
	}
	switch c.(type) {
	case *column.Array, *column.Map, *column.Tuple:
		return c, nil
	}
	out := &column.Nullable{Values: c}
	if a.NullN() > 0 {
		out.Null = make([]uint8, a.Len())
		for i := range out.Null {
			if a.IsNull(i) {
				out.Null[i] = 1
			}
		}
	}
	return out, nil
}

func copied[T column.Element](v []T) column.Column {
	return column.NewFixed(append([]T(nil), v...))
}

func converted[F any, T column.Element](n int, at func(int) F, to func(F) T) column.Column {
	out := make([]T, n)
	for i := range out {
		out[i] = to(at(i))
	}
	return column.NewFixed(out)
}

func arrowValues(a arrow.Array) (column.Column, error) { // long: one case a type
	switch a := a.(type) {
	case *array.Null:
		return &column.Nullable{Values: &column.Nothing{N: a.Len()}, Null: ones(a.Len())}, nil
	case *array.Boolean:
		return converted(a.Len(), a.Value, func(v bool) uint8 {
			if v {
				return 1
			}
			return 0
		}), nil
	case *array.Uint8:
		return copied(a.Uint8Values()), nil
	case *array.Uint16:
		return copied(a.Uint16Values()), nil
	case *array.Uint32:
		return copied(a.Uint32Values()), nil
	case *array.Uint64:
		return copied(a.Uint64Values()), nil
	case *array.Int8:
		return copied(a.Int8Values()), nil
	case *array.Int16:
		return copied(a.Int16Values()), nil
	case *array.Int32:
		return copied(a.Int32Values()), nil
	case *array.Int64:
		return copied(a.Int64Values()), nil
	case *array.Float32:
		return copied(a.Float32Values()), nil
	case *array.Float64:
		return copied(a.Float64Values()), nil
	case *array.Float16:
		out := make([]float32, a.Len())
		for i := range out {
			out[i] = a.Value(i).Float32()
		}
		return column.NewFixed(out), nil
	case *array.Duration:
		return converted(a.Len(), a.Value, func(v arrow.Duration) int64 { return int64(v) }), nil
	case *array.Date32:
		return converted(a.Len(), a.Value, func(v arrow.Date32) int32 { return int32(v) }), nil
	case *array.Date64:
		return converted(a.Len(), a.Value, func(v arrow.Date64) uint32 { return uint32(v / 1000) }), nil
	case *array.Timestamp:
		return converted(a.Len(), a.Value, func(v arrow.Timestamp) int64 { return int64(v) }), nil
	case *array.Time32:
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Second {
			return converted(a.Len(), a.Value, func(v arrow.Time32) int32 { return int32(v) }), nil
		}
		return converted(a.Len(), a.Value, func(v arrow.Time32) int64 { return int64(v) }), nil
	case *array.Time64:
		return converted(a.Len(), a.Value, func(v arrow.Time64) int64 { return int64(v) }), nil
	case *array.Decimal128, *array.Decimal256, *array.Decimal32, *array.Decimal64:
		return arrowDecimals(a)
	case *array.Dictionary:
		return arrowDictionary(a)
	case *array.Map:
		return arrowMap(a)
	case *array.Struct:
		return arrowStruct(a)
	case array.ListLike:
		return arrowList(a)
	case array.ExtensionArray:
		return arrowExtension(a)
	case interface{ Value(int) string }:
		return arrowStrings(a.(arrow.Array), func(i int) []byte { return []byte(a.Value(i)) }), nil
	case interface{ Value(int) []byte }:
		return arrowStrings(a.(arrow.Array), a.Value), nil
	}
	return nil, cherr.New(cherr.UnknownType, "The type \"%s\" of Arrow is not supported", a.DataType())
}

func ones(n int) []uint8 {
	out := make([]uint8, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func arrowStrings(a arrow.Array, at func(int) []byte) column.Column {
	c := &column.Str{}
	fixed, _ := a.DataType().(*arrow.FixedSizeBinaryType)
	for i := range a.Len() {
		switch {
		case !a.IsNull(i):
			c.Append(at(i))
		case fixed != nil:
			c.Append(make([]byte, fixed.ByteWidth))
		default:
			c.Append(nil)
		}
	}
	return c
}

func arrowDecimals(a arrow.Array) (column.Column, error) {
	t, err := typeOfArrowData(a.DataType())
	if err != nil {
		return nil, err
	}
	wide := make([]types.I256, a.Len())
	for i := range wide {
		if a.IsNull(i) {
			continue
		}
		switch a := a.(type) {
		case *array.Decimal32:
			wide[i] = types.ToI256(int64(a.Value(i)))
		case *array.Decimal64:
			wide[i] = types.ToI256(int64(a.Value(i)))
		case *array.Decimal128:
			v := a.Value(i)
			sign := uint64(v.HighBits() >> 63)
			wide[i] = types.I256{v.LowBits(), uint64(v.HighBits()), sign, sign}
		case *array.Decimal256:
			wide[i] = a.Value(i).Array()
		}
	}
	at := func(i int) types.I256 { return wide[i] }
	switch t.Kind() {
	case types.KindDecimal32:
		return converted(len(wide), at, func(v types.I256) int32 { return int32(v[0]) }), nil
	case types.KindDecimal64:
		return converted(len(wide), at, func(v types.I256) int64 { return int64(v[0]) }), nil
	case types.KindDecimal128:
		return converted(len(wide), at, func(v types.I256) types.I128 { return types.I128{Lo: v[0], Hi: int64(v[1])} }), nil
	}
	return column.NewFixed(wide), nil
}

func arrowDictionary(a *array.Dictionary) (column.Column, error) {
	values, err := fromArrow(a.Dictionary(), false)
	if err != nil {
		return nil, err
	}
	if a.Dictionary().Len() == 0 { // all rows are NULL
		t, err := typeOfArrowData(a.DataType())
		if err != nil {
			return nil, err
		}
		return column.Default(t, a.Len()), nil
	}
	codes := make([]uint32, a.Len())
	for i := range codes {
		if a.IsNull(i) {
			continue
		}
		k := a.GetValueIndex(i)
		if k < 0 || k >= a.Dictionary().Len() {
			return nil, cherr.New(cherr.IncorrectData, "Arrow dictionary index %d is outside the dictionary", k)
		}
		codes[i] = uint32(k)
	}
	return values.Gather(codes), nil
}

func arrowOffsets(a array.ListLike) ([]uint64, int, int) {
	out := make([]uint64, a.Len()+1)
	first, last := 0, 0
	n := uint64(0)
	for i := range a.Len() {
		from, to := a.ValueOffsets(i)
		if i == 0 {
			first = int(from)
		}
		last = int(to)
		n += uint64(to - from)
		out[i+1] = n
	}
	return out, first, last
}

func arrowList(a array.ListLike) (column.Column, error) {
	offsets, from, to := arrowOffsets(a)
	field := a.DataType().(arrow.ListLikeType).ElemField()
	if int(offsets[len(offsets)-1]) != to-from {
		return nil, cherr.New(cherr.NotImplemented, "Arrow lists whose elements do not follow each other are not supported")
	}
	part := array.NewSlice(a.ListValues(), int64(from), int64(to))
	defer part.Release()
	elems, err := fromArrow(part, field.Nullable)
	if err != nil {
		return nil, err
	}
	return &column.Array{Offsets: offsets, Elems: elems}, nil
}

func arrowMap(a *array.Map) (column.Column, error) {
	offsets, from, to := arrowOffsets(a)
	keys := array.NewSlice(a.Keys(), int64(from), int64(to))
	defer keys.Release()
	items := array.NewSlice(a.Items(), int64(from), int64(to))
	defer items.Release()
	k, err := fromArrow(keys, false)
	if err != nil {
		return nil, err
	}
	v, err := fromArrow(items, a.DataType().(*arrow.MapType).ItemField().Nullable)
	if err != nil {
		return nil, err
	}
	return &column.Map{Offsets: offsets, Keys: k, Values: v}, nil
}

func arrowStruct(a *array.Struct) (column.Column, error) {
	out := &column.Tuple{N: a.Len()}
	for i, f := range a.DataType().(*arrow.StructType).Fields() {
		c, err := fromArrow(a.Field(i), f.Nullable)
		if err != nil {
			return nil, err
		}
		out.Elems = append(out.Elems, c)
	}
	return out, nil
}

func arrowExtension(a array.ExtensionArray) (column.Column, error) {
	c, err := arrowValues(a.Storage())
	if err != nil {
		return nil, err
	}
	if s, ok := c.(*column.Str); ok && a.ExtensionType().ExtensionName() == "arrow.uuid" {
		return uuids(s), nil
	}
	return c, nil
}

// uuids reads the sixteen bytes of each UUID in their order of writing.
func uuids(s *column.Str) column.Column {
	out := make([]types.U128, s.Len())
	for i := range out {
		b := s.At(i)
		for k := range 8 {
			out[i].Hi = out[i].Hi<<8 | uint64(b[k])
			out[i].Lo = out[i].Lo<<8 | uint64(b[k+8])
		}
	}
	return column.NewFixed(out)
}
