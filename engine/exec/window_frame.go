package exec

import (
	"fmt"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// frame gives the frame [start, end) of each row, in rows of the block.
func (l *laidOut) frame(n *plan.Window, f *plan.Frame) (starts, ends []int, err error) {
	key := frameKey{f.Mode, f.Start, f.End, offsetText(f.StartOffset), offsetText(f.EndOffset)}
	if known, ok := l.frames[key]; ok {
		return known[0], known[1], nil
	}
	starts, ends = make([]int, l.rows), make([]int, l.rows)
	for p := range len(l.starts) - 1 {
		from, to := l.starts[p], l.starts[p+1]
		if err := l.bound(n, f.Mode, f.Start, f.StartOffset, starts, from, to, false); err != nil {
			return nil, nil, err
		}
		if err := l.bound(n, f.Mode, f.End, f.EndOffset, ends, from, to, true); err != nil {
			return nil, nil, err
		}
		for i := from; i < to; i++ {
			starts[i] = min(max(starts[i], from), to)
			ends[i] = max(min(ends[i], to), starts[i])
		}
	}
	l.frames[key] = [2][]int{starts, ends}
	return starts, ends, nil
}

func offsetText(c column.Column) string {
	if c == nil {
		return ""
	}
	return fmt.Sprint(column.At(c, 0))
}

// bound fills out for the rows of one partition with where frames begin, or,
// with isEnd, where they end.
func (l *laidOut) bound(n *plan.Window, mode plan.FrameMode, kind plan.BoundKind, offset column.Column, out []int, from, to int, isEnd bool) error {
	switch {
	case kind == plan.UnboundedPreceding:
		for i := from; i < to; i++ {
			out[i] = from
		}
		return nil
	case kind == plan.UnboundedFollowing:
		for i := from; i < to; i++ {
			out[i] = to
		}
		return nil
	case kind == plan.CurrentRow:
		for i := from; i < to; i++ {
			switch {
			case mode == plan.FrameRows && isEnd:
				out[i] = i + 1
			case mode == plan.FrameRows:
				out[i] = i
			case isEnd:
				out[i] = l.peerEnd[i]
			default:
				out[i] = l.peerStart[i]
			}
		}
		return nil
	}
	sign := int64(1)
	if kind == plan.Preceding {
		sign = -1
	}
	if mode == plan.FrameRange {
		return l.rangeBound(n, float64(sign), offset, out, from, to, isEnd)
	}
	by, ok := wholeNumber(offset)
	if !ok || by < 0 {
		return cherr.New(cherr.BadArguments, "Frame offset must be a nonnegative 32-bit integer")
	}
	by = min(by, int64(l.rows)) * sign
	if mode == plan.FrameRows {
		for i := from; i < to; i++ {
			out[i] = i + int(by)
			if isEnd {
				out[i]++
			}
		}
		return nil
	}
	l.groupBound(int(by), out, from, to, isEnd)
	return nil
}

// groupBound counts in groups of peers.
func (l *laidOut) groupBound(by int, out []int, from, to int, isEnd bool) {
	var begins []int
	for i := from; i < to; i = l.peerEnd[i] {
		begins = append(begins, i)
	}
	begins = append(begins, to)
	for g := range len(begins) - 1 {
		at := g + by
		if isEnd {
			at++
		}
		at = min(max(at, 0), len(begins)-1)
		for i := begins[g]; i < begins[g+1]; i++ {
			out[i] = begins[at]
		}
	}
}

// rangeBound counts in values of the one order key. NULLs that sort last belong
// to every frame that reaches the last value, and have that frame's beginning,
// as in ClickHouse; NULLs that sort first have their peers as frame.
func (l *laidOut) rangeBound(n *plan.Window, sign float64, offset column.Column, out []int, from, to int, isEnd bool) error {
	if len(n.OrderBy) != 1 {
		return cherr.New(cherr.BadArguments, "The RANGE OFFSET window frame requires exactly one ORDER BY column, %d given", len(n.OrderBy))
	}
	values, null := column.SplitNulls(l.block.Columns[n.OrderBy[0].Column])
	x, ok := orderFloats(values.Slice(from, to))
	by, fine := orderFloats(offset)
	if !ok || !fine {
		return cherr.New(cherr.NotImplemented, "The RANGE OFFSET frame is not implemented for this type")
	}
	step := by[0] * sign
	if n.OrderBy[0].Desc {
		for i := range x {
			x[i] = -x[i]
		}
	}
	lo, hi := from, to // the rows that are not NULL
	if null != nil {
		for lo < hi && null[lo] != 0 {
			lo++
		}
		for hi > lo && null[hi-1] != 0 {
			hi--
		}
	}
	for i := from; i < to; i++ {
		if isEnd {
			out[i] = l.peerEnd[i]
		} else {
			out[i] = l.peerStart[i]
		}
	}
	at := lo
	for i := lo; i < hi; i++ {
		limit := x[i-from] + step
		for at < hi && (x[at-from] < limit || isEnd && x[at-from] == limit) {
			at++
		}
		out[i] = at
		if isEnd && at == hi {
			out[i] = to // NULLs at the end do not end a frame
		}
	}
	for i := hi; i < to && hi > lo; i++ {
		out[i] = at
		if isEnd {
			out[i] = to
		}
	}
	return nil
}

// orderFloats reads order keys as floats; wide integers lose their last digits.
func orderFloats(c column.Column) ([]float64, bool) { // long: one case a form
	switch c := column.Full(c).(type) {
	case *column.Fixed[uint8]:
		return asFloats(c.Values), true
	case *column.Fixed[uint16]:
		return asFloats(c.Values), true
	case *column.Fixed[uint32]:
		return asFloats(c.Values), true
	case *column.Fixed[uint64]:
		return asFloats(c.Values), true
	case *column.Fixed[int8]:
		return asFloats(c.Values), true
	case *column.Fixed[int16]:
		return asFloats(c.Values), true
	case *column.Fixed[int32]:
		return asFloats(c.Values), true
	case *column.Fixed[int64]:
		return asFloats(c.Values), true
	case *column.Fixed[float32]:
		return asFloats(c.Values), true
	case *column.Fixed[float64]:
		return asFloats(c.Values), true
	case *column.Fixed[types.I128]:
		out := make([]float64, len(c.Values))
		for i, v := range c.Values {
			out[i] = v.Float64()
		}
		return out, true
	}
	return nil, false
}

func asFloats[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64](v []T) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

func wholeNumber(c column.Column) (int64, bool) {
	f, ok := orderFloats(c)
	if !ok || len(f) == 0 || f[0] != float64(int64(f[0])) {
		return 0, false
	}
	return int64(f[0]), true
}
