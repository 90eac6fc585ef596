package compare

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// unitLength gives an interval's unit in nanoseconds or, as months have no one
// length, in months.
func unitLength(u types.IntervalUnit) (n int64, months bool) {
	switch u {
	case types.Nanosecond:
		return 1, false
	case types.Microsecond:
		return 1e3, false
	case types.Millisecond:
		return 1e6, false
	case types.Second:
		return 1e9, false
	case types.Minute:
		return 60e9, false
	case types.Hour:
		return 3600e9, false
	case types.Day:
		return 86400e9, false
	case types.Week:
		return 7 * 86400e9, false
	case types.Month:
		return 1, true
	case types.Quarter:
		return 3, true
	}
	return 12, true
}

// intervals compares two units of one kind, counted in the smaller.
func intervals(o op, a, b *types.Type) (kernel, error) {
	na, ma := unitLength(a.Interval())
	nb, mb := unitLength(b.Interval())
	if ma != mb {
		return nil, cherr.New(cherr.NoCommonType, "There is no supertype for types %s, %s because one of them is of months and the other is not", a, b)
	}
	k := numeric(o, types.Int64, types.Int64)
	smaller := min(na, nb)
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, []column.Column{times64(args[0], na/smaller), times64(args[1], nb/smaller)}, rows)
	}, nil
}

// times64 multiplies an interval's counts.
func times64(c column.Column, by int64) column.Column {
	if by == 1 {
		return c
	}
	if k, ok := c.(*column.Const); ok {
		return column.NewConst(times64(k.Value, by), k.N)
	}
	in := column.Full(c).(*column.Fixed[int64]).Values
	out := make([]int64, len(in))
	for i, v := range in {
		out[i] = v * by
	}
	return column.NewFixed(out)
}
