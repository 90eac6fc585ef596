package read

import (
	"context"

	"lakeserver/column"
)

// filterTopN leaves out rows that a top-N has no use for any more, before their
// other columns are read; it gives how many are left.
func (u *unit) filterTopN(ctx context.Context) (int, error) {
	n := u.s.req.TopN
	v, ok := n.Threshold()
	if !ok || v == nil {
		return u.left(), nil
	}
	c, err := u.column(ctx, u.s.topSlot)
	if err != nil {
		return 0, err
	}
	flags, ok := n.within(c, v)
	if !ok {
		return u.left(), nil
	}
	rows := setRows(flags)
	if len(rows) < u.left() {
		u.keep(rows)
	}
	return len(rows), nil
}

// within gives 1 for each row that is not behind the threshold; ok is false for
// values of a form that it cannot compare.
func (n *TopN) within(c column.Column, threshold column.Value) (flags []uint8, ok bool) {
	switch x := c.(type) {
	case *column.Const:
		return nil, false
	case *column.Dict:
		if x.Values.Len() > len(x.Codes) {
			return n.within(column.Full(c), threshold)
		}
		entries, ok := n.within(x.Values, threshold)
		if !ok {
			return nil, false
		}
		flags = make([]uint8, len(x.Codes))
		for i, code := range x.Codes {
			flags[i] = entries[code]
		}
		return flags, true
	}
	values, null := column.SplitNulls(c)
	if flags, ok = n.compared(values, threshold); !ok {
		return nil, false
	}
	first := uint8(0)
	if n.NullsFirst {
		first = 1
	}
	for i, x := range null {
		if x != 0 {
			flags[i] = first
		}
	}
	return flags, true
}

func (n *TopN) compared(values column.Column, threshold column.Value) ([]uint8, bool) { // long: one case a form
	switch c := values.(type) {
	case *column.Fixed[int8]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[int16]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[int32]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[int64]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[uint8]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[uint16]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[uint32]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Fixed[uint64]:
		return notBehind(c.Values, threshold, n.Desc)
	case *column.Str:
		v, ok := threshold.(string)
		if !ok {
			return nil, false
		}
		flags := make([]uint8, c.Len())
		for i := range flags {
			if s := c.StringAt(i); n.Desc && s >= v || !n.Desc && s <= v {
				flags[i] = 1
			}
		}
		return flags, true
	}
	return nil, false // floats have NaN, whose place depends on more than here is known
}

func notBehind[T column.Ordered](values []T, threshold column.Value, desc bool) ([]uint8, bool) {
	v, ok := threshold.(T)
	if !ok {
		return nil, false
	}
	flags := make([]uint8, len(values))
	if desc {
		for i, x := range values {
			if x >= v {
				flags[i] = 1
			}
		}
		return flags, true
	}
	for i, x := range values {
		if x <= v {
			flags[i] = 1
		}
	}
	return flags, true
}
