package exec

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

func filterPort(p *port, conditions []expr.Expr) *port {
	if len(conditions) == 0 {
		return p
	}
	return p.each(func(s column.Stream) column.Stream { return &filter{s, conditions} })
}

// filter keeps the rows for which every condition is neither 0 nor NULL.
type filter struct {
	in         column.Stream
	conditions []expr.Expr
}

func (f *filter) Next(ctx context.Context) (*column.Block, error) {
	for {
		b, err := f.in.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		if b, err = filterBlock(ctx, b, f.conditions); err != nil {
			return nil, err
		}
		if b.Rows > 0 {
			return b, nil
		}
	}
}

func (f *filter) Close() error { return f.in.Close() }

// filterBlock applies conditions one after the other, each to the rows that
// passed the ones before.
func filterBlock(ctx context.Context, b *column.Block, conditions []expr.Expr) (*column.Block, error) {
	ctx, made := expr.Within(ctx)
	defer made.Free()
	for _, c := range conditions {
		if b.Rows == 0 {
			return b, nil
		}
		v, err := c.Eval(ctx, b)
		if err != nil {
			return nil, err
		}
		rows, all := truthy(v, b.Rows)
		if all {
			continue
		}
		b = b.Gather(rows)
	}
	return b, nil
}

// truthy gives the rows where a condition is neither 0 nor NULL; all says that
// every row is.
func truthy(c column.Column, rows int) (keep []uint32, all bool) {
	switch c := c.(type) {
	case *column.Const:
		keep, all = truthy(c.Value, 1)
		return nil, all || len(keep) == 1
	case *column.Dict:
		return truthyCodes(c, rows)
	}
	values, null := column.SplitNulls(c)
	if f, ok := values.(*column.Fixed[uint8]); ok {
		return truthyBytes(f.Values, null)
	}
	keep = make([]uint32, 0, rows)
	words, ok := truthWords(values, rows)
	if !ok { // NULL everywhere
		return keep, false
	}
	for i, w := range words {
		if w != 0 && (null == nil || null[i] == 0) {
			keep = append(keep, uint32(i))
		}
	}
	return keep, len(keep) == rows
}

// truthyBytes counts first: most filters keep nearly nothing or everything.
func truthyBytes(v, null []uint8) (keep []uint32, all bool) {
	n := 0
	if null == nil {
		for _, x := range v {
			if x != 0 {
				n++
			}
		}
	} else {
		for i, x := range v {
			if x != 0 && null[i] == 0 {
				n++
			}
		}
	}
	if n == len(v) {
		return nil, true
	}
	keep = make([]uint32, n+1) // one slot more, for the store that does not count
	at := 0
	for i, x := range v {
		keep[at] = uint32(i)
		if x != 0 && (null == nil || null[i] == 0) {
			at++
		}
		if at == n {
			break
		}
	}
	return keep[:n], false
}

func truthyCodes(c *column.Dict, rows int) (keep []uint32, all bool) {
	good := make([]bool, c.Values.Len())
	entries, whole := truthy(c.Values, len(good))
	if whole {
		return nil, true
	}
	for _, e := range entries {
		good[e] = true
	}
	keep = make([]uint32, 0, rows)
	for i, code := range c.Codes {
		if good[code] {
			keep = append(keep, uint32(i))
		}
	}
	return keep, len(keep) == rows
}

// truthWords gives a word a row that is 0 exactly for 0; false for Nothing.
func truthWords(c column.Column, rows int) ([]uint64, bool) {
	switch c := c.(type) {
	case *column.Nothing:
		return nil, false
	case *column.Fixed[float32]:
		return nonZero(c.Values), true
	case *column.Fixed[float64]:
		return nonZero(c.Values), true
	case *column.Fixed[types.I128]:
		return nonZero(c.Values), true
	case *column.Fixed[types.U128]:
		return nonZero(c.Values), true
	case *column.Fixed[types.I256]:
		return nonZero(c.Values), true
	case *column.Fixed[types.U256]:
		return nonZero(c.Values), true
	}
	out := make([]uint64, rows)
	packValues(c, 0, out)
	return out, true
}

func nonZero[T comparable](v []T) []uint64 {
	var z T
	out := make([]uint64, len(v))
	for i, x := range v {
		if x != z {
			out[i] = 1
		}
	}
	return out
}
