package maps

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addLike("mapContainsKeyLike", "Whether a key fits a LIKE pattern.", 0, false)
	_ = addLike("mapContainsValueLike", "Whether a value fits a LIKE pattern.", 1, false)
	_ = addLike("mapExtractKeyLike", "The entries whose keys fit a LIKE pattern.", 0, true)
	_ = addLike("mapExtractValueLike", "The entries whose values fit a LIKE pattern.", 1, true)
)

func addLike(name, summary string, side int, extract bool) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(m, pattern)", Summary: summary, Examples: []string{"SELECT " + name + "(map('ab', 'cd'), '%b%')"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "ms", args); err != nil {
				return nil, err
			}
			text := types.WithoutLowCardinality(args[0].Type.Elems()[side])
			if !text.IsString() {
				return nil, kernel.WrongType(name, 0, args[0].Type)
			}
			fn, err := env.Registry.BindScalar(env, "like", []functions.Arg{{Type: text}, {Type: args[1].Type}})
			if err != nil {
				return nil, err
			}
			result := types.UInt8
			if extract {
				result = args[0].Type
			}
			return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
				return likeEntries(ctx, fn, args, rows, side, extract)
			}}, nil
		},
	})
}

func likeEntries(ctx context.Context, fn *expr.Function, args []column.Column, rows, side int, extract bool) (column.Column, error) {
	m := column.Full(args[0]).(*column.Map).Compact()
	n := m.Keys.Len()
	pattern := args[1]
	if k, ok := pattern.(*column.Const); ok {
		pattern = &column.Const{Value: k.Value, N: n}
	} else {
		rowOf := make([]uint32, 0, n)
		for i := range rows {
			for e, to := m.Bounds(i); e < to; e++ {
				rowOf = append(rowOf, uint32(i))
			}
		}
		pattern = pattern.Gather(rowOf)
	}
	fits, err := fn.Apply(ctx, []column.Column{sideOf(m, side).Elems, pattern}, n)
	if err != nil {
		return nil, err
	}
	yes := column.Values[uint8](column.Full(fits))
	offsets, positions, found := make([]uint64, rows+1), []uint32(nil), make([]uint8, rows)
	for i := range rows {
		for e, to := m.Bounds(i); e < to; e++ {
			if yes[e] != 0 {
				found[i] = 1
				positions = append(positions, uint32(e))
			}
		}
		offsets[i+1] = uint64(len(positions))
	}
	if !extract {
		return column.NewFixed(found), nil
	}
	return &column.Map{Offsets: offsets, Keys: m.Keys.Gather(positions), Values: m.Values.Gather(positions)}, nil
}
