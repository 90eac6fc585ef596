package compare

import (
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "isNull", KeepVariants: true, CaseInsensitive: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "isNull(x)", Summary: "1 when x is NULL; also x IS NULL.", Examples: []string{"SELECT isNull(NULL)"}},
	Bind: func(_ *functions.Env, _ []functions.Arg) (*expr.Function, error) {
		return &expr.Function{Result: types.UInt8, Kernel: nullness(1)}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "isNotNull", KeepVariants: true, CaseInsensitive: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "isNotNull(x)", Summary: "1 when x is not NULL; also x IS NOT NULL.", Examples: []string{"SELECT isNotNull(1)"}},
	Bind: func(_ *functions.Env, _ []functions.Arg) (*expr.Function, error) {
		return &expr.Function{Result: types.UInt8, Kernel: nullness(0)}, nil
	},
})

// nullness gives isNull, or isNotNull with the answers exchanged.
func nullness(null uint8) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		out := make([]uint8, rows)
		c := column.Full(args[0])
		_, nothing := c.(*column.Nothing)
		values, nulls := column.SplitNulls(c)
		if v, ok := c.(*column.Variant); ok {
			nulls = v.Nulls()
		}
		_, inner := values.(*column.Nothing)
		for i := range out {
			if nothing || inner || nulls != nil && nulls[i] != 0 {
				out[i] = null
			} else {
				out[i] = 1 - null
			}
		}
		return column.NewFixed(out), nil
	}
}

var _ = add(functions.Scalar{
	Name: "isNullable", KeepVariants: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "isNullable(x)", Summary: "1 when the type of x is Nullable.", Examples: []string{"SELECT isNullable(toNullable(1))"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		is := bit(args[0].Type.IsNullable())
		return &expr.Function{Result: types.UInt8, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
			return column.NewConst(column.NewFixed([]uint8{is}), rows), nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "isZeroOrNull", MinArgs: 1, MaxArgs: 1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "isZeroOrNull(x)", Summary: "1 when x is 0 or NULL.", Examples: []string{"SELECT isZeroOrNull(0)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return &expr.Function{Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			values, null := column.SplitNulls(column.Full(args[0]))
			out := make([]uint8, rows)
			var truth []uint8
			if _, nothing := values.(*column.Nothing); !nothing {
				truth = cast.NonZero(values)
			}
			for i := range out {
				out[i] = bit(truth == nil || truth[i] == 0 || null != nil && null[i] != 0)
			}
			return column.NewFixed(out), nil
		}}, nil
	},
})

var (
	_ = addDistinct("isNotDistinctFrom", 1, "1 when the values are equal or both NULL; also a <=> b.")
	_ = addDistinct("isDistinctFrom", 0, "1 when the values differ, or one is NULL.")
)

func addDistinct(name string, same uint8, summary string) struct{} {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
		Doc: functions.Doc{Syntax: name + "(a, b)", Summary: summary, Examples: []string{"SELECT " + name + "(1, NULL)"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			f, err := env.Registry.BindScalar(env, "equals", args)
			if err != nil {
				return nil, err
			}
			return &expr.Function{Result: types.UInt8, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
				c, err := f.Apply(ctx, args, rows)
				if err != nil {
					return nil, err
				}
				out := truth(c, rows)
				for i := range out {
					if out[i] == unknown {
						out[i] = bit(column.IsNullAt(args[0], i) && column.IsNullAt(args[1], i))
					}
					if same == 0 {
						out[i] ^= 1
					}
				}
				return column.NewFixed(out), nil
			}}, nil
		},
	})
}
