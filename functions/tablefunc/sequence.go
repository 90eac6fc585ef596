package tablefunc

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// Sequence is a table of one column of numbers: Start, Start+Step, … It is
// unbounded when Endless. Numbers wrap around at 2^64.
type Sequence struct {
	Name        string
	Start, Step uint64
	Count       uint64
	Endless     bool
	// Parallel lets several streams take turns; otherwise the order is kept.
	Parallel bool
	// Zero makes every value the UInt8 0.
	Zero bool
}

// Columns gives the one column.
func (s *Sequence) Columns() []table.Column {
	t := types.UInt64
	if s.Zero {
		t = types.UInt8
	}
	return []table.Column{{Name: s.Name, Type: t}}
}

// CountRows knows the count unless there is a filter.
func (s *Sequence) CountRows(_ context.Context, req *table.ScanRequest) (int64, bool, error) {
	return int64(s.Count), !s.Endless && len(req.Filter) == 0 && s.Count <= math.MaxInt64, nil
}

// EstimateRows gives the count.
func (s *Sequence) EstimateRows(context.Context, *table.ScanRequest) (int64, error) {
	if s.Endless || s.Count > math.MaxInt64 {
		return math.MaxInt64, nil
	}
	return int64(s.Count), nil
}

// Scan opens streams that share one counter. A filter that bounds the numbers
// bounds the scan, so that WHERE number < 10 ends; the filter itself is left
// to the plan.
func (s *Sequence) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	first, last := uint64(0), s.Count // positions
	if s.Endless {
		last = math.MaxUint64
	}
	if !s.Zero {
		first, last = s.bounded(req.Filter, first, last)
	}
	if req.Limit > 0 && len(req.Filter) == 0 && last-first > uint64(req.Limit) {
		last = first + uint64(req.Limit)
	}
	rows := uint64(column.MaxBlockRows)
	if n := req.Settings.Uint("max_block_size"); n > 0 && n < 1<<20 {
		rows = n
	}
	if req.Report == nil {
		req.Report = &table.Report{}
	}
	state := &sequenceState{s: s, last: last, step: rows, report: req.Report, empty: len(req.Columns) == 0}
	state.next.Store(first)
	n := 1
	if s.Parallel && !req.PreserveOrder && last-first > rows {
		n = max(1, req.Streams)
	}
	out := make([]column.Stream, n)
	for i := range out {
		out[i] = &sequenceStream{state}
	}
	return out, nil
}

// bounded narrows the positions by comparisons of the number with constants.
// It only looks at sequences that do not wrap around.
func (s *Sequence) bounded(filter []expr.Expr, first, last uint64) (uint64, uint64) {
	if s.Step == 0 || last == 0 {
		return first, last
	}
	if hi, lo := bits.Mul64(last-1, s.Step); hi != 0 || lo > math.MaxUint64-s.Start {
		if !s.Endless || s.Step != 1 {
			return first, last
		}
		last = math.MaxUint64 - s.Start // an endless scan is not expected to wrap
	}
	lo, hi := uint64(0), uint64(math.MaxUint64)
	for _, f := range filter {
		l, h := hull(f)
		lo, hi = max(lo, l), min(hi, h)
	}
	if lo > hi || hi < s.Start {
		return first, first
	}
	if end := (hi-s.Start)/s.Step + 1; end != 0 && end < last {
		last = end
	}
	if lo > s.Start {
		if begin := (lo-s.Start-1)/s.Step + 1; begin > first {
			first = begin
		}
	}
	if first >= last {
		return first, first
	}
	return first, last
}

// hull gives the least and the greatest number for which a condition may be
// true; lo > hi says that there is none.
func hull(e expr.Expr) (lo, hi uint64) {
	const most = math.MaxUint64
	c, ok := e.(*expr.Call)
	if !ok {
		return 0, most
	}
	switch c.Fn.Name {
	case "and":
		hi = most
		for _, a := range c.Args {
			l, h := hull(a)
			lo, hi = max(lo, l), min(hi, h)
		}
		return lo, hi
	case "or":
		lo, hi = 1, 0
		for _, a := range c.Args {
			l, h := hull(a)
			switch {
			case l > h:
			case lo > hi:
				lo, hi = l, h
			default:
				lo, hi = min(lo, l), max(hi, h)
			}
		}
		return lo, hi
	case "in":
		return setHull(c)
	}
	op, v, ok := comparison(e)
	switch {
	case !ok:
		return 0, most
	case op == "equals":
		return v, v
	case op == "less" && v == 0, op == "greater" && v == most:
		return 1, 0
	case op == "less":
		return 0, v - 1
	case op == "lessOrEquals":
		return 0, v
	case op == "greater":
		return v + 1, most
	}
	return v, most
}

// setHull bounds number IN (constants).
func setHull(c *expr.Call) (lo, hi uint64) {
	if c.Fn.Set == nil || len(c.Args) != 1 || len(c.Fn.Set.Elements()) != 1 {
		return 0, math.MaxUint64
	}
	_, isCol := c.Args[0].(*expr.Column)
	f, ok := c.Fn.Set.Elements()[0].(*column.Fixed[uint64])
	if !ok || !isCol {
		return 0, math.MaxUint64
	}
	lo, hi = 1, 0
	for _, v := range f.Values {
		if lo > hi {
			lo, hi = v, v
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

var mirrored = map[string]string{
	"equals": "equals", "less": "greater", "lessOrEquals": "greaterOrEquals", "greater": "less", "greaterOrEquals": "lessOrEquals",
}

// comparison reads number op constant.
func comparison(e expr.Expr) (op string, v uint64, ok bool) {
	c, isCall := e.(*expr.Call)
	if !isCall || len(c.Args) != 2 || mirrored[c.Fn.Name] == "" {
		return "", 0, false
	}
	op = c.Fn.Name
	l, r := c.Args[0], c.Args[1]
	if _, left := l.(*expr.Literal); left {
		l, r, op = r, l, mirrored[op]
	}
	lit, isLit := r.(*expr.Literal)
	if _, isCol := l.(*expr.Column); !isCol || !isLit {
		return "", 0, false
	}
	switch x := column.At(lit.Value, 0).(type) {
	case uint8:
		return op, uint64(x), lit.T.Kind() == types.KindUInt8
	case uint16:
		return op, uint64(x), lit.T.Kind() == types.KindUInt16
	case uint32:
		return op, uint64(x), lit.T.Kind() == types.KindUInt32
	case uint64:
		return op, x, true
	}
	return "", 0, false
}

type sequenceState struct {
	s      *Sequence
	next   atomic.Uint64
	last   uint64
	step   uint64
	report *table.Report
	empty  bool
}

type sequenceStream struct{ *sequenceState }

// Next takes the next run of positions.
func (st *sequenceStream) Next(ctx context.Context) (*column.Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var from, to uint64
	for {
		from = st.next.Load()
		if from >= st.last {
			return nil, nil
		}
		to = from + min(st.step, st.last-from)
		if st.next.CompareAndSwap(from, to) {
			break
		}
	}
	n := int(to - from)
	st.report.RowsRead.Add(int64(n))
	width := int64(8)
	if st.s.Zero {
		width = 1
	}
	st.report.BytesRead.Add(int64(n) * width)
	if st.empty {
		return &column.Block{Rows: n}, nil
	}
	if st.s.Zero {
		return column.NewBlock(&column.Fixed[uint8]{Values: make([]uint8, n)}), nil
	}
	v := make([]uint64, n)
	x := st.s.Start + from*st.s.Step
	for i := range v {
		v[i] = x
		x += st.s.Step
	}
	return column.NewBlock(&column.Fixed[uint64]{Values: v}), nil
}

func (st *sequenceStream) Close() error { return nil }
