package native

import (
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// appendPrefix adds the state prefixes of a type, depth first. Those of Dynamic
// depend on the column.
func appendPrefix(dst []byte, t *types.Type, c column.Column) []byte {
	switch t.Kind() {
	case types.KindLowCardinality:
		return binary.LittleEndian.AppendUint64(dst, 1)
	case types.KindJSON:
		return binary.LittleEndian.AppendUint64(dst, jsonString)
	case types.KindVariant, types.KindDynamic:
		return appendVariantPrefix(dst, t, c)
	case types.KindNullable, types.KindArray, types.KindSimpleAggregateFunction, types.KindTuple, types.KindMap:
		if !hasPrefix(t) {
			return dst
		}
		parts := partsOf(column.Full(c))
		for i, e := range t.Elems() {
			dst = appendPrefix(dst, e, parts[min(i, len(parts)-1)])
		}
	}
	return dst
}

// hasPrefix tells whether a part of a type has a prefix.
func hasPrefix(t *types.Type) bool {
	switch t.Kind() {
	case types.KindLowCardinality, types.KindJSON, types.KindVariant, types.KindDynamic:
		return true
	}
	for _, e := range t.Elems() {
		if hasPrefix(e) {
			return true
		}
	}
	return false
}

// partsOf gives the columns within a column.
func partsOf(c column.Column) []column.Column {
	switch c := c.(type) {
	case *column.Nullable:
		return []column.Column{c.Values}
	case *column.Array:
		return []column.Column{c.Elems}
	case *column.Map:
		return []column.Column{c.Keys, c.Values}
	case *column.Tuple:
		return c.Elems
	}
	return []column.Column{c}
}

// appendData adds the data streams of a column in any form.
func appendData(dst []byte, t *types.Type, c column.Column) ([]byte, error) { // long: one case a form
	switch t.Kind() {
	case types.KindLowCardinality:
		return appendLowCardinality(dst, t.Elem(), c)
	case types.KindSimpleAggregateFunction:
		return appendData(dst, t.Elem(), c)
	case types.KindNullable:
		return appendNullable(dst, t.Elem(), c)
	case types.KindVariant, types.KindDynamic:
		return appendVariant(dst, t, c)
	}
	c = column.Full(c)
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return append(dst, c.Values...), nil
	case *column.Fixed[uint16]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[uint32]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[uint64]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[int8]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[int16]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[int32]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[int64]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[float32]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[float64]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[types.I128]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[types.U256]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[types.I256]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[types.Addr6]:
		return append(dst, bytesOf(c.Values)...), nil
	case *column.Fixed[types.U128]:
		return appendU128(dst, t, c.Values), nil
	case *column.Str:
		return appendStr(dst, t, c), nil
	case *column.Array:
		from, to := ends(c.Offsets)
		dst = appendEnds(dst, c.Offsets)
		return appendData(dst, t.Elem(), c.Elems.Slice(from, to))
	case *column.Map:
		from, to := ends(c.Offsets)
		dst = appendEnds(dst, c.Offsets)
		dst, err := appendData(dst, t.Elems()[0], c.Keys.Slice(from, to))
		if err != nil {
			return dst, err
		}
		return appendData(dst, t.Elems()[1], c.Values.Slice(from, to))
	case *column.Tuple:
		return appendTuple(dst, t, c)
	case *column.Nothing:
		return appendZeroes(dst, c.N), nil
	case *column.Nullable:
		if c.Null == nil {
			return appendData(dst, t, c.Values)
		}
	}
	cherr.Bug("a %T cannot be written as %s", c, t)
	return dst, nil
}

func appendNullable(dst []byte, t *types.Type, c column.Column) ([]byte, error) {
	values, null := column.SplitNulls(column.Full(c))
	n := c.Len()
	switch {
	case null != nil:
		dst = append(dst, null...)
	case t.Kind() == types.KindNothing:
		for range n {
			dst = append(dst, 1)
		}
	default:
		dst = append(dst, make([]byte, n)...)
	}
	return appendData(dst, t, values)
}

// appendU128 writes a UUID's high half first, as ClickHouse lays it out.
func appendU128(dst []byte, t *types.Type, v []types.U128) []byte {
	if t.Kind() != types.KindUUID {
		return append(dst, bytesOf(v)...)
	}
	for _, u := range v {
		dst = binary.LittleEndian.AppendUint64(dst, u.Hi)
		dst = binary.LittleEndian.AppendUint64(dst, u.Lo)
	}
	return dst
}

func appendStr(dst []byte, t *types.Type, c *column.Str) []byte {
	if k := t.Kind(); k == types.KindFixedString || k == types.KindAggregateFunction {
		for i := range c.Start {
			dst = append(dst, c.At(i)...)
		}
		return dst
	}
	for i, n := range c.Lns {
		if n < 0x80 {
			dst = append(dst, byte(n))
		} else {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
		dst = append(dst, c.Data[c.Start[i]:c.Start[i]+n]...)
	}
	return dst
}

func appendTuple(dst []byte, t *types.Type, c *column.Tuple) ([]byte, error) {
	if len(c.Elems) == 0 {
		return appendZeroes(dst, c.N), nil
	}
	var err error
	for i, e := range t.Elems() {
		if dst, err = appendData(dst, e, c.Elems[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendZeroes is what values without content are on the wire: a '0' a row.
func appendZeroes(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

func ends(offsets []uint64) (from, to int) {
	return int(offsets[0]), int(offsets[len(offsets)-1])
}

// appendEnds writes the end of every row, counted from the first row's begin.
func appendEnds(dst []byte, offsets []uint64) []byte {
	if offsets[0] == 0 {
		return append(dst, bytesOf(offsets[1:])...)
	}
	for _, o := range offsets[1:] {
		dst = binary.LittleEndian.AppendUint64(dst, o-offsets[0])
	}
	return dst
}
