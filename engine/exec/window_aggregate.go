package exec

import (
	"context"

	"lakeserver/column"
	"lakeserver/functions"

	"lakeserver/engine/plan"
)

// aggregate computes an aggregate function over the frame of each row.
func (l *laidOut) aggregate(ctx context.Context, c *plan.WindowCall, args []column.Column, starts, ends []int) (column.Column, error) {
	if l.wholePartitions(starts, ends) {
		return l.perPartition(c, args)
	}
	if c.Frame.Start == plan.UnboundedPreceding {
		return l.running(ctx, c, args, ends)
	}
	return l.sliding(ctx, c, args, starts, ends)
}

// wholePartitions tells whether every frame is its partition.
func (l *laidOut) wholePartitions(starts, ends []int) bool {
	for p := range len(l.starts) - 1 {
		for i := l.starts[p]; i < l.starts[p+1]; i++ {
			if starts[i] != l.starts[p] || ends[i] != l.starts[p+1] {
				return false
			}
		}
	}
	return true
}

// perPartition computes one value a partition.
func (l *laidOut) perPartition(c *plan.WindowCall, args []column.Column) (column.Column, error) {
	n := len(l.starts) - 1
	groups := make([]uint32, l.rows)
	for p := range n {
		for i := l.starts[p]; i < l.starts[p+1]; i++ {
			groups[i] = uint32(p)
		}
	}
	acc := c.Agg.New()
	acc.Grow(n)
	if err := acc.Add(groups, args, l.rows); err != nil {
		return nil, err
	}
	v, err := acc.Result(0, n)
	if err != nil {
		return nil, err
	}
	return column.Full(v).Gather(groups), nil
}

// running adds rows to one state as the frames' ends move on.
func (l *laidOut) running(ctx context.Context, c *plan.WindowCall, args []column.Column, ends []int) (column.Column, error) {
	out := column.NewBuilder(c.Agg.Result, l.rows)
	for p := range len(l.starts) - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		acc := c.Agg.New()
		acc.Grow(1)
		done := l.starts[p]
		var v column.Column
		for i := l.starts[p]; i < l.starts[p+1]; i++ {
			if end := ends[i]; v == nil || end > done {
				if end > done {
					if err := acc.Add(nil, sliceColumns(args, done, end), end-done); err != nil {
						return nil, err
					}
					done = end
				}
				var err error
				if v, err = acc.Result(0, 1); err != nil {
					return nil, err
				}
			}
			out.AppendRange(v, 0, 1)
		}
	}
	return out.Finish(), nil
}

func sliceColumns(cols []column.Column, from, to int) []column.Column {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		out[i] = c.Slice(from, to)
	}
	return out
}

// slidingRows is about how many rows of frames are added at once.
const slidingRows = 1 << 16

// sliding computes frames that move at both ends: the rows of many frames at
// once, each frame a group.
func (l *laidOut) sliding(ctx context.Context, c *plan.WindowCall, args []column.Column, starts, ends []int) (column.Column, error) {
	var parts []column.Column
	for from := 0; from < l.rows; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var rows, groups []uint32
		to := from
		for to < l.rows && (to == from || len(rows) < slidingRows) {
			for r := starts[to]; r < ends[to]; r++ {
				rows, groups = append(rows, uint32(r)), append(groups, uint32(to-from))
			}
			to++
		}
		v, err := frameValues(c.Agg, args, rows, groups, to-from)
		if err != nil {
			return nil, err
		}
		parts = append(parts, v)
		from = to
	}
	if len(parts) == 0 {
		return column.NewBuilder(c.Agg.Result, 0).Finish(), nil
	}
	return column.Full(column.Concat(c.Agg.Result, parts)), nil
}

func frameValues(f *functions.BoundAggregate, args []column.Column, rows, groups []uint32, n int) (column.Column, error) {
	acc := f.New()
	acc.Grow(n)
	if len(rows) > 0 {
		if err := acc.Add(groups, gatherColumns(args, rows), len(rows)); err != nil {
			return nil, err
		}
	}
	return acc.Result(0, n)
}
