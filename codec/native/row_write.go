package native

import (
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// RowAppender gives a function that adds row i of a column in RowBinary form.
// It is made once a block, so that the type is looked at once a column.
func RowAppender(t *types.Type, c column.Column) (func(dst []byte, i int) []byte, error) { // long: one case a form
	switch c := c.(type) {
	case *column.Const:
		one, err := RowAppender(t, c.Value)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, _ int) []byte { return one(dst, 0) }, nil
	case *column.Dict:
		entry, err := RowAppender(t, c.Values)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) []byte { return entry(dst, int(c.Codes[i])) }, nil
	}
	switch t.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return RowAppender(t.Elem(), c)
	case types.KindNullable:
		return nullableAppender(t, c)
	case types.KindVariant:
		return variantAppender(c.(*column.Variant))
	case types.KindDynamic, types.KindJSON:
		return nil, cherr.New(cherr.NotImplemented, "Type %s cannot be written row by row in binary form", t)
	}
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return func(dst []byte, i int) []byte { return append(dst, c.Values[i]) }, nil
	case *column.Fixed[uint16]:
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint16(dst, c.Values[i]) }, nil
	case *column.Fixed[uint32]:
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint32(dst, c.Values[i]) }, nil
	case *column.Fixed[uint64]:
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint64(dst, c.Values[i]) }, nil
	case *column.Fixed[int8]:
		return func(dst []byte, i int) []byte { return append(dst, byte(c.Values[i])) }, nil
	case *column.Fixed[int16]:
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint16(dst, uint16(c.Values[i])) }, nil
	case *column.Fixed[int32]:
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(c.Values[i])) }, nil
	case *column.Fixed[int64]:
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(c.Values[i])) }, nil
	case *column.Fixed[float32]:
		return rawAppender(c.Values), nil
	case *column.Fixed[float64]:
		return rawAppender(c.Values), nil
	case *column.Fixed[types.I128]:
		return rawAppender(c.Values), nil
	case *column.Fixed[types.I256]:
		return rawAppender(c.Values), nil
	case *column.Fixed[types.U256]:
		return rawAppender(c.Values), nil
	case *column.Fixed[types.Addr6]:
		return rawAppender(c.Values), nil
	case *column.Fixed[types.U128]:
		return func(dst []byte, i int) []byte { return appendU128(dst, t, c.Values[i:i+1]) }, nil
	case *column.Str:
		if k := t.Kind(); k == types.KindFixedString || k == types.KindAggregateFunction {
			return func(dst []byte, i int) []byte { return append(dst, c.At(i)...) }, nil
		}
		return func(dst []byte, i int) []byte {
			dst = binary.AppendUvarint(dst, uint64(c.Lns[i]))
			return append(dst, c.At(i)...)
		}, nil
	case *column.Array:
		return arrayAppender(t, c)
	case *column.Map:
		return mapAppender(t, c)
	case *column.Tuple:
		return tupleAppender(t, c)
	case *column.Nothing:
		return func(dst []byte, _ int) []byte { return dst }, nil
	case *column.Nullable:
		return RowAppender(t, c.Values)
	}
	return nil, cherr.New(cherr.NotImplemented, "Type %s cannot be written as RowBinary", t)
}

func rawAppender[T column.Element](v []T) func([]byte, int) []byte {
	return func(dst []byte, i int) []byte { return append(dst, bytesOf(v[i:i+1])...) }
}

func nullableAppender(t *types.Type, c column.Column) (func([]byte, int) []byte, error) {
	if _, ok := c.(*column.Nothing); ok {
		return func(dst []byte, _ int) []byte { return append(dst, 1) }, nil
	}
	values, null := column.SplitNulls(c)
	inner, err := RowAppender(t.Elem(), values)
	if err != nil {
		return nil, err
	}
	if t.Elem().Kind() == types.KindNothing {
		return func(dst []byte, _ int) []byte { return append(dst, 1) }, nil
	}
	return func(dst []byte, i int) []byte {
		if null != nil && null[i] != 0 {
			return append(dst, 1)
		}
		return inner(append(dst, 0), i)
	}, nil
}

func arrayAppender(t *types.Type, c *column.Array) (func([]byte, int) []byte, error) {
	elem, err := RowAppender(t.Elem(), c.Elems)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, i int) []byte {
		from, to := c.Bounds(i)
		dst = binary.AppendUvarint(dst, uint64(to-from))
		for e := from; e < to; e++ {
			dst = elem(dst, e)
		}
		return dst
	}, nil
}

func mapAppender(t *types.Type, c *column.Map) (func([]byte, int) []byte, error) {
	key, err := RowAppender(t.Elems()[0], c.Keys)
	if err != nil {
		return nil, err
	}
	value, err := RowAppender(t.Elems()[1], c.Values)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, i int) []byte {
		from, to := c.Bounds(i)
		dst = binary.AppendUvarint(dst, uint64(to-from))
		for e := from; e < to; e++ {
			dst = value(key(dst, e), e)
		}
		return dst
	}, nil
}

func tupleAppender(t *types.Type, c *column.Tuple) (func([]byte, int) []byte, error) {
	elems := make([]func([]byte, int) []byte, len(c.Elems))
	for i, e := range t.Elems() {
		var err error
		if elems[i], err = RowAppender(e, c.Elems[i]); err != nil {
			return nil, err
		}
	}
	return func(dst []byte, i int) []byte {
		for _, e := range elems {
			dst = e(dst, i)
		}
		return dst
	}, nil
}
