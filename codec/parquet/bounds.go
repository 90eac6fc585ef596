package parquet

import (
	"math"

	"lakeserver/column"
	"lakeserver/types"
)

// Bounds are the least and the greatest value of a column chunk or a page,
// NULLs and NaNs left out: no value lies outside of them. Exact says that the
// value itself is there and not a shortened one.
type Bounds struct {
	Min, Max           column.Value
	MinExact, MaxExact bool
}

// Bounds gives the statistics' bounds as values of type t, the one in which
// the column is read. ok is false where there are none that can be trusted.
func (c Chunk) Bounds(t *types.Type) (b Bounds, ok bool) {
	s := &c.meta.stats
	switch {
	case s.hasMin && s.hasMax && (c.ordered() || signedOrder(c.leaf)):
		b, ok = boundsOf(c.leaf, t, s.min, s.max)
		b.MinExact, b.MaxExact = s.minExact, s.maxExact
		return b, ok
	case s.hasOldMin && s.hasOldMax && signedOrder(c.leaf):
		b, ok = boundsOf(c.leaf, t, s.oldMin, s.oldMax)
		b.MinExact, b.MaxExact = true, true
		return b, ok
	}
	return Bounds{}, false
}

// ordered tells whether the file says that bounds follow the type's order.
func (c Chunk) ordered() bool {
	o := c.r.meta.ordered
	return c.leaf.Leaf < len(o) && o[c.leaf.Leaf]
}

// signedOrder tells whether the order of the old statistics, which compared
// everything signed, is the right one.
func signedOrder(n *SchemaNode) bool {
	switch n.Physical {
	case PhysicalInt32, PhysicalInt64:
		return n.Logical.Kind != LogicalInteger || n.Logical.Signed
	case PhysicalBoolean, PhysicalFloat, PhysicalDouble:
		return true
	}
	return false
}

func boundsOf(n *SchemaNode, t *types.Type, lo, hi []byte) (b Bounds, ok bool) {
	if !comparable(n, t) {
		return b, false
	}
	var a, z bool
	b.Min, a = boundValue(n, t, lo)
	b.Max, z = boundValue(n, t, hi)
	if !a || !z || isNaN(b.Min) || isNaN(b.Max) {
		return Bounds{}, false
	}
	b.Min, b.Max = widenZero(b.Min, math.Copysign(0, -1)), widenZero(b.Max, 0)
	return b, true
}

// comparable tells whether the file's order of values is the order of t.
func comparable(n *SchemaNode, t *types.Type) bool {
	if n.Physical == PhysicalInt96 || n.Logical.Kind == LogicalInterval {
		return false
	}
	t = types.Unwrap(t)
	if t.IsEnum() {
		return n.Physical == PhysicalInt32 || n.Physical == PhysicalInt64
	}
	if n.Physical == PhysicalByteArray || n.Physical == PhysicalFixed {
		switch t.Kind() { // these lie lowest byte first
		case types.KindInt128, types.KindUInt128, types.KindInt256, types.KindUInt256:
			return false
		}
		if n.Logical.Kind == LogicalDecimal && !t.IsDecimal() {
			return false
		}
	}
	return true
}

// boundValue decodes one bound. A shortened bound of fixed length is filled up
// with zeros, which keeps it a bound.
func boundValue(n *SchemaNode, t *types.Type, raw []byte) (column.Value, bool) {
	v := vec{width: widthOf(n)}
	switch {
	case v.width == 0:
		v.str.Append(raw)
	case len(raw) == v.width:
		copy(v.extend(1), raw)
	case n.Physical == PhysicalFixed && n.Logical.Kind == LogicalNone && len(raw) < v.width:
		copy(v.extend(1), raw)
	default:
		return nil, false
	}
	f := converter(n, t)
	if f == nil {
		return nil, false
	}
	c, err := f(&v)
	if err != nil {
		return nil, false
	}
	out := column.At(c, 0)
	return out, !narrowed(n, t, &v, out)
}

// narrowed tells whether an integer lost bits on its way into a smaller type:
// then the values in between are out of order.
func narrowed(n *SchemaNode, t *types.Type, v *vec, out column.Value) bool {
	natural := leafType(n)
	if types.Unwrap(t).IsDecimal() || !natural.IsInteger() {
		return false
	}
	c, err := converter(n, natural)(v)
	if err != nil {
		return true
	}
	a, okA := wholeNumber(column.At(c, 0))
	b, okB := wholeNumber(out)
	return okA && okB && a != b
}

func wholeNumber(v column.Value) (types.I128, bool) {
	switch v := v.(type) {
	case int8:
		return types.ToI128(int64(v)), true
	case int16:
		return types.ToI128(int64(v)), true
	case int32:
		return types.ToI128(int64(v)), true
	case int64:
		return types.ToI128(v), true
	case uint8:
		return types.UintToI128(uint64(v)), true
	case uint16:
		return types.UintToI128(uint64(v)), true
	case uint32:
		return types.UintToI128(uint64(v)), true
	case uint64:
		return types.UintToI128(v), true
	}
	return types.I128{}, false
}

func isNaN(v column.Value) bool {
	switch v := v.(type) {
	case float32:
		return v != v
	case float64:
		return v != v
	}
	return false
}

// widenZero lets a bound of zero cover both zeros: writers store either.
func widenZero(v column.Value, zero float64) column.Value {
	switch x := v.(type) {
	case float32:
		if x == 0 {
			return float32(zero)
		}
	case float64:
		if x == 0 {
			return zero
		}
	}
	return v
}
