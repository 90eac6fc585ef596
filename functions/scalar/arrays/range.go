package arrays

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "range", MinArgs: 1, MaxArgs: 3, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "range([start, ]end[, step])", Summary: "The numbers from start (0) up to, but without, end.", Examples: []string{"SELECT range(5), range(1, 10, 3)"}},
		Bind: bindRange,
	})
	_ = add(functions.Scalar{
		Name: "arrayWithConstant", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayWithConstant(n, x)", Summary: "An array of x n times over.", Examples: []string{"SELECT arrayWithConstant(3, 'a')"}},
		Bind: bindWithConstant,
	})
	_ = add(functions.Scalar{
		Name: "replicate", KeepVariants: true, MinArgs: 2, MaxArgs: -1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "replicate(x, arr)", Summary: "An array of x as long as arr.", Examples: []string{"SELECT replicate(1, ['a', 'b'])"}},
		Bind: bindReplicate,
	})
)

func bindRange(env *functions.Env, args []functions.Arg) (*expr.Function, error) { // long: checks of the arguments and of the size
	for _, a := range args {
		if types.WithoutNullable(a.Type).Kind() == types.KindNothing && a.Type.IsNullable() {
			return &expr.Function{Result: types.NullableNothing, KeepNulls: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
				return column.Default(types.NullableNothing, rows), nil
			}}, nil
		}
	}
	if err := kernel.Check("range", "i", args); err != nil {
		return nil, err
	}
	ts := kernel.Types(args)
	for i, t := range ts {
		ts[i] = types.WithoutNullable(t)
	}
	common, err := types.Super(ts...)
	if err != nil {
		return nil, err
	}
	if common.Kind() == types.KindBool {
		common = types.UInt8
	}
	toCommon, err := kernel.Cast(env, types.Int64, common)
	if err != nil {
		return nil, err
	}
	size, limit := rangeSize, env.Settings.Int("function_range_max_elements_in_block")
	if common.Kind() == types.KindUInt64 {
		size = rangeSizeUnsigned
	}
	return &expr.Function{Result: types.Array(common), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		nums := make([]kernel.Nums[int64], len(args))
		for i, a := range args {
			values, null := column.SplitNulls(column.Full(a))
			if slices.Contains(null, 1) {
				return nil, cherr.New(cherr.BadArguments, "Illegal (null) value column of argument of function range")
			}
			nums[i] = kernel.Integers(values)
		}
		total := int64(0)
		for i := range rows {
			start, end, step := rangeOf(nums, i)
			if step == 0 {
				return nil, cherr.New(cherr.ArgumentOutOfBound, "A call to function range overflows, the 3rd argument step can't be zero")
			}
			if len(args) == 1 && end < 0 && !common.IsUnsigned() {
				return nil, cherr.New(cherr.ArgumentOutOfBound, "A call to function range overflows, only support positive values when only end is provided")
			}
			n := size(start, end, step)
			if uint64(n) > uint64(limit) || total+n > limit {
				return nil, cherr.New(cherr.ArgumentOutOfBound, "A call to function range would produce %d array elements, which is greater than the allowed maximum of %d", n, limit)
			}
			total += n
		}
		if err := expr.Room(ctx, 8*total); err != nil {
			return nil, err
		}
		out := kernel.NewNumArray[int64](rows)
		out.Elems = make([]int64, 0, total)
		for i := range rows {
			start, end, step := rangeOf(nums, i)
			n := size(start, end, step)
			for k := range n {
				out.Elems = append(out.Elems, start+k*step)
			}
			out.End()
		}
		a := out.Column().(*column.Array)
		elems, err := toCommon.Apply(ctx, a.Elems)
		if err != nil {
			return nil, err
		}
		return &column.Array{Offsets: a.Offsets, Elems: column.Full(elems)}, nil
	}}, nil
}

// rangeOf reads one row's arguments.
func rangeOf(nums []kernel.Nums[int64], i int) (start, end, step int64) {
	start, end, step = 0, nums[0].At(i), 1
	if len(nums) > 1 {
		start, end = end, nums[1].At(i)
	}
	if len(nums) > 2 {
		step = nums[2].At(i)
	}
	return start, end, step
}

// rangeSizeUnsigned is rangeSize for numbers of UInt64.
func rangeSizeUnsigned(start, end, step int64) int64 {
	if uint64(start) >= uint64(end) {
		return 0
	}
	return int64((uint64(end)-uint64(start)-1)/uint64(step) + 1)
}

func rangeSize(start, end, step int64) int64 {
	switch {
	case step > 0 && start < end:
		return (end-start-1)/step + 1
	case step < 0 && start > end:
		return (start-end-1)/-step + 1
	}
	return 0
}

func bindWithConstant(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayWithConstant", "ix", args); err != nil {
		return nil, err
	}
	return &expr.Function{KeepNulls: true, Result: types.Array(args[1].Type), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		sizes, values := kernel.Integers(args[0]), column.Full(args[1])
		total := int64(0)
		for i := range rows {
			n := sizes.At(i)
			if n < 0 {
				return nil, cherr.New(cherr.TooLargeArraySize, "Array size %d must be non-negative: while executing function arrayWithConstant", n)
			}
			if n > maxArraySize || total+n > maxArraySize {
				return nil, cherr.New(cherr.TooLargeArraySize, "Too large array size %d while executing function arrayWithConstant", n)
			}
			total += n
		}
		if err := expr.Room(ctx, pickedBytes*total); err != nil {
			return nil, err
		}
		p := newPicker(rows, int(total))
		for i := range rows {
			p.addSame(i, int(sizes.At(i)))
			p.end()
		}
		return p.column(values), nil
	}}, nil
}

func bindReplicate(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("replicate", "xa", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.Array(args[0].Type), func(args []column.Column, rows int) (column.Column, error) {
		values, a := column.Full(args[0]), kernel.Arrays(args[1])
		p := newPicker(rows, rows)
		for i := range rows {
			from, to := a.Bounds(i)
			p.addSame(i, to-from)
			p.end()
		}
		return p.column(values), nil
	}), nil
}
