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
	RevModernTypes         = 54420 // below it types of later years are written as older ones
	RevCustomSerialization = 54454
)

// WireType gives the type in whose form a column goes out at a revision: old
// clients do not know LowCardinality, and those of 2018 none of the types that
// came later. Revision 0 (files, HTTP) knows all types.
func WireType(t *types.Type, rev int) *types.Type {
	if rev == 0 || rev >= RevModernTypes {
		return t
	}
	return legacy(t, rev)
}

func legacy(t *types.Type, rev int) *types.Type {
	switch t.Kind() {
	case types.KindLowCardinality:
		inner := legacy(t.Elem(), rev)
		if rev < RevLowCardinality {
			return inner
		}
		return types.LowCardinality(inner)
	case types.KindNullable:
		return types.Nullable(legacy(t.Elem(), rev))
	case types.KindArray:
		return types.Array(legacy(t.Elem(), rev))
	case types.KindSimpleAggregateFunction:
		return legacy(t.Elem(), rev)
	case types.KindTuple:
		elems := make([]*types.Type, len(t.Elems()))
		for i, e := range t.Elems() {
			elems[i] = legacy(e, rev)
		}
		return types.Tuple(elems, nil)
	case types.KindMap:
		kv := t.Elems()
		return types.Array(types.Tuple([]*types.Type{legacy(kv[0], rev), legacy(kv[1], rev)}, nil))
	case types.KindBool:
		return types.UInt8
	case types.KindIPv4, types.KindIPv6, types.KindInt128, types.KindInt256, types.KindUInt128, types.KindUInt256,
		types.KindDate32, types.KindDateTime64, types.KindTime, types.KindTime64, types.KindJSON, types.KindDecimal256:
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
