package native

import (
	"strings"

	"lakeserver/types"
)

// The revisions from which column bytes change.
const (
	RevBlockInfo           = 51903
	RevDateTimeZone        = 54337
	RevLowCardinality      = 54405
	RevModernTypes         = 54420 // native clients below it are of 2018
	RevCustomSerialization = 54454
)

// wireType gives the type in whose form a column goes out at a revision: below
// 54405 LowCardinality is not known. Revision 0 (files, HTTP) knows all types.
func wireType(t *types.Type, rev int) *types.Type {
	if rev == 0 || rev >= RevLowCardinality {
		return t
	}
	return withoutLowCardinality(t)
}

func withoutLowCardinality(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.KindLowCardinality:
		return withoutLowCardinality(t.Elem())
	case types.KindArray:
		return types.Array(withoutLowCardinality(t.Elem()))
	case types.KindMap:
		return types.Map(withoutLowCardinality(t.Elems()[0]), withoutLowCardinality(t.Elems()[1]))
	case types.KindTuple:
		elems := make([]*types.Type, len(t.Elems()))
		for i, e := range t.Elems() {
			elems[i] = withoutLowCardinality(e)
		}
		return types.Tuple(elems, t.Names())
	}
	return t
}

// legacy gives the type that a client of 2018 knows in place of a later one.
func legacy(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.KindLowCardinality:
		return types.LowCardinality(legacy(t.Elem()))
	case types.KindNullable:
		return types.Nullable(legacy(t.Elem()))
	case types.KindArray:
		return types.Array(legacy(t.Elem()))
	case types.KindSimpleAggregateFunction:
		return legacy(t.Elem())
	case types.KindTuple:
		elems := make([]*types.Type, len(t.Elems()))
		for i, e := range t.Elems() {
			elems[i] = legacy(e)
		}
		return types.Tuple(elems, nil)
	case types.KindMap:
		kv := t.Elems()
		return types.Array(types.Tuple([]*types.Type{legacy(kv[0]), legacy(kv[1])}, nil))
	case types.KindBool:
		return types.UInt8
	case types.KindIPv4, types.KindIPv6, types.KindInt128, types.KindInt256, types.KindUInt128, types.KindUInt256,
		types.KindDate32, types.KindDateTime64, types.KindTime, types.KindTime64, types.KindJSON, types.KindVariant, types.KindDynamic, types.KindDecimal256:
		return types.String
	case types.KindBFloat16:
		return types.Float32
	}
	return t
}

// typeText gives the name that stands in the block.
func typeText(t *types.Type, rev int) string {
	s := t.String()
	if rev < RevDateTimeZone && strings.HasPrefix(s, "DateTime(") {
		return "DateTime"
	}
	return s
}
