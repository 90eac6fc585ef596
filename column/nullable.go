package column

// Nullable is values with a byte a row: 1 says NULL. Null is nil when no row
// is NULL. The value under a NULL is a valid one, usually the default.
type Nullable struct {
	Values Column
	Null   []uint8
}

// NewNullable wraps values; a Values that is Nullable already is joined with null.
func NewNullable(values Column, null []uint8) *Nullable {
	if n, ok := values.(*Nullable); ok {
		return &Nullable{n.Values, OrNulls(n.Null, null)}
	}
	return &Nullable{values, null}
}

// OrNulls joins two null maps, either of which may be nil.
func OrNulls(a, b []uint8) []uint8 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := make([]uint8, len(a))
	for i := range out {
		out[i] = a[i] | b[i]
	}
	return out
}

// Len gives the rows.
func (c *Nullable) Len() int { return c.Values.Len() }

// IsNull tells whether a row is NULL.
func (c *Nullable) IsNull(i int) bool { return c.Null != nil && c.Null[i] != 0 }

// Slice shares memory.
func (c *Nullable) Slice(from, to int) Column {
	out := &Nullable{Values: c.Values.Slice(from, to)}
	if c.Null != nil {
		out.Null = c.Null[from:to:to]
	}
	return out
}

// Gather takes the rows at the positions.
func (c *Nullable) Gather(rows []uint32) Column {
	out := &Nullable{Values: c.Values.Gather(rows)}
	if c.Null != nil {
		out.Null = make([]uint8, len(rows))
		for i, r := range rows {
			out.Null[i] = c.Null[r]
		}
	}
	return out
}

// Size gives the bytes of values and map.
func (c *Nullable) Size() int64 { return c.Values.Size() + int64(len(c.Null)) }
