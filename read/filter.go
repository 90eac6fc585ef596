package read

import (
	"context"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// condition is one conjunct over the scan's slots.
type condition struct {
	e     expr.Expr
	slots []int
}

// newConditions orders conjuncts by how cheap their columns are to read, so
// that dear ones are read for fewer rows.
func newConditions(filter []expr.Expr, cost func(slot int) int) []condition {
	out := make([]condition, len(filter))
	costs := make(map[int]int, len(filter))
	for i, e := range filter {
		out[i] = condition{e, expr.Columns(e)}
		for _, s := range out[i].slots {
			costs[i] += cost(s)
		}
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return costs[order[a]] < costs[order[b]] })
	sorted := make([]condition, len(out))
	for i, o := range order {
		sorted[i] = out[o]
	}
	return sorted
}

// typeCost guesses what reading a column costs a row.
func typeCost(t *types.Type) int {
	switch t = types.Unwrap(t); t.Kind() {
	case types.KindString:
		return 8
	case types.KindArray, types.KindMap, types.KindTuple, types.KindVariant, types.KindDynamic, types.KindJSON:
		return 32
	}
	return 1 + t.Bytes()/8
}

// test evaluates the condition over a block of slots and gives the rows where
// it is true; all says that every row is.
func (c *condition) test(ctx context.Context, b *column.Block) (rows []uint32, all bool, err error) {
	v, err := c.e.Eval(ctx, b)
	if err != nil {
		return nil, false, err
	}
	return trueRows(v)
}

func trueRows(v column.Column) (rows []uint32, all bool, err error) {
	n := v.Len()
	switch c := v.(type) {
	case *column.Const:
		rows, all, err = trueRows(c.Value)
		if err != nil || len(rows) > 0 || all {
			return nil, err == nil, err
		}
		return []uint32{}, n == 0, nil
	case *column.Dict:
		flags, err := truth(c.Values)
		if err != nil {
			return nil, false, err
		}
		out := make([]uint32, n)
		k := 0
		for i, code := range c.Codes {
			out[k] = uint32(i)
			k += int(flags[code])
		}
		return out[:k], k == n, nil
	}
	if f, ok := v.(*column.Fixed[uint8]); ok {
		rows = setRows(f.Values)
		return rows, len(rows) == n, nil
	}
	flags, err := truth(v)
	if err != nil {
		return nil, false, err
	}
	rows = setRows(flags)
	return rows, len(rows) == n, nil
}

// setRows gives the places of bytes that are not 0, without a branch a row.
func setRows(flags []uint8) []uint32 {
	out := make([]uint32, len(flags))
	k := 0
	for i, f := range flags {
		out[k] = uint32(i)
		k += int((f | -f) >> 7)
	}
	return out[:k]
}

// truth gives 0 or 1 a row; NULL is 0.
func truth(v column.Column) ([]uint8, error) {
	values, null := column.SplitNulls(v)
	var out []uint8
	switch c := values.(type) {
	case *column.Fixed[uint8]:
		out = nonZero(c.Values)
	case *column.Fixed[uint16]:
		out = nonZero(c.Values)
	case *column.Fixed[uint32]:
		out = nonZero(c.Values)
	case *column.Fixed[uint64]:
		out = nonZero(c.Values)
	case *column.Fixed[int8]:
		out = nonZero(c.Values)
	case *column.Fixed[int16]:
		out = nonZero(c.Values)
	case *column.Fixed[int32]:
		out = nonZero(c.Values)
	case *column.Fixed[int64]:
		out = nonZero(c.Values)
	case *column.Fixed[float32]:
		out = nonZero(c.Values)
	case *column.Fixed[float64]:
		out = nonZero(c.Values)
	case *column.Nothing:
		return make([]uint8, c.N), nil
	default:
		return nil, cherr.New(cherr.IllegalTypeOfColumnForFilter, "Illegal type of column for filter: %T", values)
	}
	for i, n := range null {
		out[i] &= 1 ^ n
	}
	return out, nil
}

func nonZero[T column.Ordered](v []T) []uint8 {
	out := make([]uint8, len(v))
	for i, x := range v {
		if x != 0 {
			out[i] = 1
		}
	}
	return out
}
