package aggregate

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/types"
)

// slots keep one value of a type a group, or none. min, max, any and argMin
// are made of them.
type slots interface {
	grow(n int)
	empty() slots // slots of the same type without groups
	// put gives group groups[k] the value of row rows[k], the last one winning.
	put(groups, rows []uint32, c column.Column)
	// improve goes through all rows and keeps a value in groups[i] that sorts
	// before (sign -1) or behind (sign 1) the one there. With track it tells
	// which groups took which rows, in order.
	improve(groups []uint32, c column.Column, sign int, track bool) (gs, rs []uint32)
	// move takes the value of group i of other slots of the type.
	move(group int, from slots, i int)
	// better tells whether from's group i has a value that improves group's.
	better(group int, from slots, i, sign int) bool
	has(group int) bool
	// result gives the values, defaults where there is none.
	result(from, to int) column.Column
	encode(group int, dst []byte) []byte
	decode(group int, r *reader)
	size() int64
}

// newSlots makes slots for a type.
func newSlots(t *types.Type) slots { // long: one case a form
	if t.Kind() == types.KindBFloat16 {
		return &fixedSlots[uint16]{kernel: improveBy(func(a, b uint16) int { return column.CompareElements(bfloat(a), bfloat(b), 1) })}
	}
	switch t.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return newSlots(t.Elem())
	case types.KindNullable:
		return &boxSlots{t: t}
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return &fixedSlots[uint8]{kernel: improveOrdered[uint8]}
	case types.PhysUInt16:
		return &fixedSlots[uint16]{kernel: improveOrdered[uint16]}
	case types.PhysUInt32:
		return &fixedSlots[uint32]{kernel: improveOrdered[uint32]}
	case types.PhysUInt64:
		return &fixedSlots[uint64]{kernel: improveOrdered[uint64]}
	case types.PhysInt8:
		return &fixedSlots[int8]{kernel: improveOrdered[int8], def: enumDefault[int8](t)}
	case types.PhysInt16:
		return &fixedSlots[int16]{kernel: improveOrdered[int16], def: enumDefault[int16](t)}
	case types.PhysInt32:
		return &fixedSlots[int32]{kernel: improveOrdered[int32]}
	case types.PhysInt64:
		return &fixedSlots[int64]{kernel: improveOrdered[int64]}
	case types.PhysFloat32:
		return &fixedSlots[float32]{kernel: improveOrdered[float32]}
	case types.PhysFloat64:
		return &fixedSlots[float64]{kernel: improveOrdered[float64]}
	case types.PhysUInt128:
		return &fixedSlots[types.U128]{kernel: improveBy(types.U128.Cmp)}
	case types.PhysInt128:
		return &fixedSlots[types.I128]{kernel: improveBy(types.I128.Cmp)}
	case types.PhysUInt256:
		return &fixedSlots[types.U256]{kernel: improveBy(types.U256.Cmp)}
	case types.PhysInt256:
		return &fixedSlots[types.I256]{kernel: improveBy(types.I256.Cmp)}
	case types.PhysIPv6:
		return &fixedSlots[types.Addr6]{kernel: improveBy(func(a, b types.Addr6) int { return bytes.Compare(a[:], b[:]) })}
	case types.PhysString:
		return &strSlots{pad: fixedLength(t)}
	}
	return &boxSlots{t: t}
}

func enumDefault[T int8 | int16](t *types.Type) T {
	if e := t.Enum(); e != nil {
		return T(e.Values()[0])
	}
	return 0
}

func fixedLength(t *types.Type) int {
	if t.Kind() == types.KindFixedString {
		return t.Length()
	}
	return 0
}
