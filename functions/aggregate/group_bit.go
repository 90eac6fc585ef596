package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "groupBitAnd", Aliases: []string{"BIT_AND"}, CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "groupBitAnd(x)", Summary: "The bits that all integers have.",
		Examples: []string{"SELECT groupBitAnd(number + 4) FROM numbers(4)"},
	},
	Bind: unary("groupBitAnd", func(t *types.Type) (*functions.BoundAggregate, error) {
		// Kept as the complement: the zero state is then the empty one.
		return bindBits("groupBitAnd", t, func(s, v uint64) uint64 { return s | ^v }, true)
	}),
})

var _ = add(functions.Aggregate{
	Name: "groupBitOr", Aliases: []string{"BIT_OR"}, CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "groupBitOr(x)", Summary: "The bits that any integer has.",
		Examples: []string{"SELECT groupBitOr(number) FROM numbers(4)"},
	},
	Bind: unary("groupBitOr", func(t *types.Type) (*functions.BoundAggregate, error) {
		return bindBits("groupBitOr", t, func(s, v uint64) uint64 { return s | v }, false)
	}),
})

var _ = add(functions.Aggregate{
	Name: "groupBitXor", Aliases: []string{"BIT_XOR"}, CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "groupBitXor(x)", Summary: "The bits that an odd number of the integers have.",
		Examples: []string{"SELECT groupBitXor(number) FROM numbers(4)"},
	},
	Bind: unary("groupBitXor", func(t *types.Type) (*functions.BoundAggregate, error) {
		return bindBits("groupBitXor", t, func(s, v uint64) uint64 { return s ^ v }, false)
	}),
})

// bindBits joins integers of up to 64 bits by op; with invert the state is the
// complement of the result.
func bindBits(name string, t *types.Type, op func(s, v uint64) uint64, invert bool) (*functions.BoundAggregate, error) {
	if !t.IsInteger() && t.Kind() != types.KindBool || t.Bytes() > 8 {
		return nil, illegal(name, t)
	}
	value := func(s uint64) uint64 {
		if invert {
			return ^s
		}
		return s
	}
	width := t.Bytes()
	o := &ops[uint64]{
		add: func(a *states[uint64], groups []uint32, args []column.Column) error {
			v := numbersOf[uint64](args[0])
			for i, g := range groups {
				a.s[g] = op(a.s[g], v[i])
			}
			return nil
		},
		merge: func(_ *states[uint64], to, from *uint64) error {
			*to = op(*to, value(*from))
			return nil
		},
		result: func(s []uint64) (column.Column, error) {
			out := make([]uint64, len(s))
			for i, x := range s {
				out[i] = value(x)
			}
			return narrowed(t, out), nil
		},
		encode: func(s *uint64, dst []byte) []byte { return append(dst, putUint64(nil, value(*s))[:width]...) },
		decode: func(s *uint64, r *reader) {
			var full [8]byte
			copy(full[:], r.bytes(width))
			sub := &reader{src: full[:]}
			*s = value(sub.uint64())
			if invert { // bits beyond the width are not there
				*s &= ^uint64(0) >> (64 - 8*width)
			}
		},
	}
	return bound(t, o.new), nil
}

// narrowed gives words as a column of an integer type.
func narrowed(t *types.Type, v []uint64) column.Column {
	switch t.Physical() {
	case types.PhysUInt8:
		return column.NewFixed(convert[uint8](v))
	case types.PhysUInt16:
		return column.NewFixed(convert[uint16](v))
	case types.PhysUInt32:
		return column.NewFixed(convert[uint32](v))
	case types.PhysInt8:
		return column.NewFixed(convert[int8](v))
	case types.PhysInt16:
		return column.NewFixed(convert[int16](v))
	case types.PhysInt32:
		return column.NewFixed(convert[int32](v))
	case types.PhysInt64:
		return column.NewFixed(convert[int64](v))
	}
	return column.NewFixed(v)
}
