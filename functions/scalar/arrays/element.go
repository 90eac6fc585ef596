package arrays

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "arrayElement", MinArgs: 2, MaxArgs: 2, KeepLowCardinality: true,
		Doc:  functions.Doc{Syntax: "arrayElement(arr, n)", Summary: "Element n of an array, from 1 or from the end if negative, or the value of a key of a map; the default value where there is none.", Examples: []string{"SELECT [1, 2, 3][2]"}},
		Bind: bindElement("arrayElement", false),
	})
	_ = add(functions.Scalar{
		Name: "arrayElementOrNull", MinArgs: 2, MaxArgs: 2, KeepLowCardinality: true,
		Doc:  functions.Doc{Syntax: "arrayElementOrNull(arr, n)", Summary: "arrayElement with NULL where there is no such element.", Examples: []string{"SELECT arrayElementOrNull([1, 2], 5)"}},
		Bind: bindElement("arrayElementOrNull", true),
	})
)

func bindElement(name string, orNull bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		switch args[0].Type.Kind() {
		case types.KindMap:
			return bindMapValue(env, args, orNull)
		case types.KindArray:
		default:
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function '%s' must be array, got '%s' instead", name, args[0].Type)
		}
		if !types.Unwrap(args[1].Type).IsInteger() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument for function '%s' must be integer, got '%s' instead", name, args[1].Type)
		}
		elem := args[0].Type.Elem()
		result := elem
		if orNull && elem.CanBeNullable() {
			result = types.Nullable(elem)
		}
		unsigned := types.Unwrap(args[1].Type).IsUnsigned()
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			a, index := kernel.Arrays(args[0]), kernel.Integers(args[1])
			positions, missing := make([]uint32, rows), []int(nil)
			for i := range rows {
				from, to := a.Bounds(i)
				switch n := int(index.At(i)); {
				case n > 0 && n <= to-from:
					positions[i] = uint32(from + n - 1)
				case n < 0 && !unsigned && n >= from-to: // -n may not be positive
					positions[i] = uint32(to + n)
				default:
					missing = append(missing, i)
				}
			}
			return pick(result, a.Elems, positions, missing), nil
		}), nil
	}
}

// pick gathers elements; the missing rows become result's default value.
func pick(result *types.Type, elems column.Column, positions []uint32, missing []int) column.Column {
	if len(missing) > 0 {
		none := uint32(elems.Len())
		for _, i := range missing {
			positions[i] = none
		}
		elems = column.Full(column.Concat(result, []column.Column{elems, column.Default(result, 1)}))
	}
	out := elems.Gather(positions)
	if _, ok := out.(*column.Nullable); !ok && result.Kind() == types.KindNullable {
		return column.NewNullable(out, nil)
	}
	return out
}

// bindMapValue binds m[key]: the value of the first entry with the key.
func bindMapValue(env *functions.Env, args []functions.Arg, orNull bool) (*expr.Function, error) {
	key, result := args[0].Type.Elems()[0], args[0].Type.Elems()[1]
	if orNull && result.CanBeNullable() {
		result = types.Nullable(result)
	}
	common, err := types.Super(types.WithoutLowCardinality(key), types.WithoutLowCardinality(args[1].Type))
	if err != nil {
		return nil, kernel.WrongType("arrayElement", 1, args[1].Type)
	}
	keys, err := kernel.Cast(env, key, common)
	if err != nil {
		return nil, err
	}
	wanted, err := kernel.Cast(env, args[1].Type, common)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		m := kernel.MapsOf(args[0])
		have, err := keys.Apply(ctx, m.Keys)
		if err != nil {
			return nil, err
		}
		want, err := wanted.Apply(ctx, args[1])
		if err != nil {
			return nil, err
		}
		step := 1
		if c, ok := want.(*column.Const); ok {
			want, step = c.Value, 0
		}
		eq := equality(column.Full(have), column.Full(want))
		positions, missing := make([]uint32, rows), []int(nil)
	next:
		for i := range rows {
			from, to := m.Bounds(i)
			for e := from; e < to; e++ {
				if eq(e, i*step) {
					positions[i] = uint32(e)
					continue next
				}
			}
			missing = append(missing, i)
		}
		return pick(result, m.Values, positions, missing), nil
	}}, nil
}
