package maps

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "mapUpdate", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "mapUpdate(a, b)", Summary: "The first map with values of the second where the keys are alike, and the second's further entries.", Examples: []string{"SELECT mapUpdate(map('a', 1), map('a', 2))"}},
	Bind: bindUpdate,
})

func bindUpdate(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("mapUpdate", "m", args); err != nil {
		return nil, err
	}
	result, err := types.Super(args[0].Type, args[1].Type)
	if err != nil {
		return nil, err
	}
	casters, err := kernel.Casters(env, args, result)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		cols, err := kernel.ApplyAll(ctx, casters, args)
		if err != nil {
			return nil, err
		}
		a, b := cols[0].(*column.Map), cols[1].(*column.Map)
		base := a.Keys.Len()
		keys := column.Full(column.Concat(result.Elems()[0], []column.Column{a.Keys, b.Keys}))
		values := column.Full(column.Concat(result.Elems()[1], []column.Column{a.Values, b.Values}))
		offsets, keyAt, valueAt := make([]uint64, rows+1), []uint32(nil), []uint32(nil)
		for i := range rows {
			from := len(keyAt)
			for e, to := a.Bounds(i); e < to; e++ {
				keyAt, valueAt = append(keyAt, uint32(e)), append(valueAt, uint32(e))
			}
			for e, to := b.Bounds(i); e < to; e++ {
				at := findKey(keys, keyAt[from:], base+e)
				if at < 0 {
					keyAt, valueAt = append(keyAt, uint32(base+e)), append(valueAt, 0)
					at = len(keyAt) - from - 1
				}
				valueAt[from+at] = uint32(base + e)
			}
			offsets[i+1] = uint64(len(keyAt))
		}
		return &column.Map{Offsets: offsets, Keys: keys.Gather(keyAt), Values: values.Gather(valueAt)}, nil
	}}, nil
}

// findKey looks for the key at position e among others.
func findKey(keys column.Column, among []uint32, e int) int {
	for n, k := range among {
		if column.Compare(keys, int(k), keys, e, 1) == 0 {
			return n
		}
	}
	return -1
}
