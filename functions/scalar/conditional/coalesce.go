package conditional

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "coalesce", KeepVariants: true, CaseInsensitive: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "coalesce(a, b, …)", Summary: "The first operand that is not NULL.", Examples: []string{"SELECT coalesce(NULL, 1)"}},
	Bind: bindCoalesce,
})

var _ = add(functions.Scalar{
	Name: "ifNull", KeepVariants: true, CaseInsensitive: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "ifNull(x, other)", Summary: "x, or other where x is NULL.", Examples: []string{"SELECT ifNull(NULL, 1)"}},
	Bind: bindCoalesce,
})

// bindCoalesce leaves out operands that are always NULL and those behind one
// that never is.
func bindCoalesce(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	var use []int
	var ts []*types.Type
	nullable := true
	for i, a := range args {
		if types.Unwrap(a.Type).Kind() == types.KindNothing {
			continue
		}
		use = append(use, i)
		if !a.Type.IsNullable() {
			ts = append(ts, a.Type)
			nullable = false
			break
		}
		ts = append(ts, types.WithoutNullable(a.Type))
	}
	if len(use) == 0 {
		return &expr.Function{Result: types.NullableNothing, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
			return column.NewConst(column.Default(types.NullableNothing, 1), rows), nil
		}}, nil
	}
	result, err := functions.CommonType(env, ts...)
	if err != nil {
		return nil, err
	}
	if nullable {
		result = types.Nullable(result)
	}
	k := &coalesce{use: use, result: result}
	for _, i := range use {
		// Every operand passes through Nullable(result) so that NULL survives.
		br, err := newBranches(env, []*types.Type{unpadded(args[i].Type, result)}, types.Nullable(result))
		if err != nil {
			return nil, err
		}
		k.branches = append(k.branches, br[0])
	}
	return &expr.Function{Result: result, Lazy: k.eval}, nil
}

type coalesce struct {
	use      []int
	branches []branch
	result   *types.Type
}

func (k *coalesce) eval(ctx context.Context, args []expr.Expr, b *column.Block) (column.Column, error) {
	rows := allRows(b.Rows)
	var parts []part
	for n, i := range k.use {
		sub := b
		if len(rows) < b.Rows {
			sub = gatherFor(b, rows, args[i])
		}
		c, err := k.branches[n].eval(ctx, args[i], sub)
		if err != nil {
			return nil, err
		}
		values, null := column.SplitNulls(column.Full(c))
		variant, apart := values.(*column.Variant)
		if apart {
			null = variant.Nulls()
		}
		last := n == len(k.use)-1
		if null == nil || last {
			p := part{rows, values}
			if k.result.IsNullable() && !apart {
				p.values = column.NewNullable(values, null)
			}
			parts = append(parts, p)
			break
		}
		var at, taken, left []uint32
		for j, isNull := range null {
			if isNull != 0 {
				left = append(left, rows[j])
			} else {
				taken, at = append(taken, rows[j]), append(at, uint32(j))
			}
		}
		if len(taken) > 0 {
			p := part{taken, values.Gather(at)}
			if k.result.IsNullable() && !apart {
				p.values = column.NewNullable(p.values, nil)
			}
			parts = append(parts, p)
		}
		if rows = left; len(rows) == 0 {
			break
		}
	}
	return assemble(k.result, parts, b.Rows), nil
}

var _ = add(functions.Scalar{
	Name: "nullIf", CaseInsensitive: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
	Doc: functions.Doc{Syntax: "nullIf(a, b)", Summary: "NULL where a equals b, else a.", Examples: []string{"SELECT nullIf(1, 2)"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		equal, err := env.Registry.BindScalar(env, "equals", args)
		if err != nil {
			return nil, err
		}
		result := args[0].Type
		if result.CanBeNullable() {
			result = types.Nullable(result)
		}
		return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			c, err := equal.Apply(ctx, args, rows)
			if err != nil {
				return nil, err
			}
			a := column.Full(args[0])
			if !result.IsNullable() || result.Elem().Kind() == types.KindNothing {
				return a, nil
			}
			return column.NewNullable(a, conditionTruth(c)), nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "assumeNotNull", KeepVariants: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "assumeNotNull(x)", Summary: "x as a type without NULL; what stands under a NULL is not defined.", Examples: []string{"SELECT assumeNotNull(toNullable(1))"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return &expr.Function{Result: types.WithoutNullable(args[0].Type), Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			values, _ := column.SplitNulls(column.Full(args[0]))
			return values, nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "toNullable", KeepVariants: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "toNullable(x)", Summary: "x as a Nullable type.", Examples: []string{"SELECT toNullable(1)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		from := args[0].Type
		if !from.IsNullable() && !from.CanBeNullable() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Nested type %s cannot be inside Nullable type", from)
		}
		result := types.Nullable(from)
		convert, err := cast.Bind(from, result, nil)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, KeepForms: true, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			return convert(args[0])
		}}, nil
	},
})
