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
		Name: "arraySlice", MinArgs: 2, MaxArgs: 3, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arraySlice(arr, offset[, length])", Summary: "Elements from a position, from 1 or from the end if negative; a negative length ends that many before the end.", Examples: []string{"SELECT arraySlice([1, 2, 3], 2)"}},
		Bind: bindSlice,
	})
	_ = add(functions.Scalar{
		Name: "arrayPopBack", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "arrayPopBack(arr)", Summary: "The array without its last element.", Examples: []string{"SELECT arrayPopBack([1, 2])"}},
		Bind: bindPick("arrayPopBack", "a", func([]column.Column, int) func(p *picker, i, from, to int) {
			return func(p *picker, _, from, to int) { p.addRange(from, to-1) }
		}),
	})
	_ = add(functions.Scalar{
		Name: "arrayPopFront", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "arrayPopFront(arr)", Summary: "The array without its first element.", Examples: []string{"SELECT arrayPopFront([1, 2])"}},
		Bind: bindPick("arrayPopFront", "a", func([]column.Column, int) func(p *picker, i, from, to int) {
			return func(p *picker, _, from, to int) { p.addRange(from+1, to) }
		}),
	})
	_ = add(functions.Scalar{
		Name: "arrayReverse", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "arrayReverse(arr)", Summary: "The elements in reverse order.", Examples: []string{"SELECT arrayReverse([1, 2])"}},
		Bind: bindPick("arrayReverse", "a", func([]column.Column, int) func(p *picker, i, from, to int) {
			return func(p *picker, _, from, to int) {
				for e := to - 1; e >= from; e-- {
					p.add(e)
				}
			}
		}),
	})
	_ = add(functions.Scalar{
		Name: "arrayRotateLeft", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "arrayRotateLeft(arr, n)", Summary: "The elements moved n places to the left, those that fall out coming back at the end.", Examples: []string{"SELECT arrayRotateLeft([1, 2, 3], 1)"}},
		Bind: bindPick("arrayRotateLeft", "ai", rotate(1)),
	})
	_ = add(functions.Scalar{
		Name: "arrayRotateRight", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "arrayRotateRight(arr, n)", Summary: "The elements moved n places to the right, those that fall out coming back at the start.", Examples: []string{"SELECT arrayRotateRight([1, 2, 3], 1)"}},
		Bind: bindPick("arrayRotateRight", "ai", rotate(-1)),
	})
	_ = add(functions.Scalar{
		Name: "arrayShiftLeft", MinArgs: 2, MaxArgs: 3, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayShiftLeft(arr, n[, fill])", Summary: "The elements moved n places to the left, a default or given value taking the free places.", Examples: []string{"SELECT arrayShiftLeft([1, 2, 3], 1)"}},
		Bind: bindShift("arrayShiftLeft", 1),
	})
	_ = add(functions.Scalar{
		Name: "arrayShiftRight", MinArgs: 2, MaxArgs: 3, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayShiftRight(arr, n[, fill])", Summary: "The elements moved n places to the right, a default or given value taking the free places.", Examples: []string{"SELECT arrayShiftRight([1, 2, 3], 1)"}},
		Bind: bindShift("arrayShiftRight", -1),
	})
	_ = add(functions.Scalar{
		Name: "arrayResize", KeepVariants: true, MinArgs: 2, MaxArgs: 3, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayResize(arr, size[, extender])", Summary: "The array cut or filled to a size; a negative size keeps the end.", Examples: []string{"SELECT arrayResize([1], 3)"}},
		Bind: bindResize,
	})
)

func (p *picker) addRange(from, to int) {
	for e := from; e < to; e++ {
		p.add(e)
	}
}

func bindSlice(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() != types.KindArray {
		return nil, kernel.WrongType("arraySlice", 0, args[0].Type)
	}
	for i, a := range args[1:] {
		if t := types.Unwrap(a.Type); !t.IsInteger() && t.Kind() != types.KindNothing {
			return nil, kernel.WrongType("arraySlice", i+1, a.Type)
		}
	}
	return kernel.Fn(args[0].Type, func(args []column.Column, rows int) (column.Column, error) {
		a := kernel.Arrays(args[0])
		p := newPicker(rows, a.Elems.Len())
		for i := range rows {
			from, to := a.Bounds(i)
			n := to - from
			lo, hi := 0, n
			if offset, null := intAt(args[1], i); !null {
				switch {
				case offset == 0:
					lo, hi = 0, 0
				case offset > 0:
					lo = min(int(offset)-1, n)
				default:
					lo = n + int(max(offset, -1<<40))
				}
			}
			if len(args) == 3 && hi > 0 {
				if length, null := intAt(args[2], i); !null {
					switch {
					case length < 0:
						hi = n + int(max(length, -1<<40))
					case int(length) < hi-lo:
						hi = lo + int(length)
					}
				}
			}
			p.addRange(from+max(lo, 0), from+hi)
			p.end()
		}
		return p.column(a.Elems), nil
	}), nil
}

// intAt reads an integer that may be NULL.
func intAt(c column.Column, i int) (v int64, null bool) {
	if column.IsNullAt(c, i) {
		return 0, true
	}
	if k, ok := c.(*column.Const); ok {
		c, i = k.Value, 0
	}
	values, _ := column.SplitNulls(c)
	return kernel.Integers(values.Slice(i, i+1)).At(0), false
}

func rotate(sign int64) func(args []column.Column, rows int) func(p *picker, i, from, to int) {
	return func(args []column.Column, _ int) func(p *picker, i, from, to int) {
		steps := kernel.Integers(args[1])
		return func(p *picker, i, from, to int) {
			n := int64(to - from)
			if n == 0 {
				return
			}
			k := int(((sign*(steps.At(i)%n))%n + n) % n)
			p.addRange(from+k, to)
			p.addRange(from, from+k)
		}
	}
}

// fillArgs binds an array and an optional value in their common element type.
func fillArgs(env *functions.Env, name string, args []functions.Arg) (*types.Type, *kernel.Caster, *kernel.Caster, error) {
	if err := kernel.Check(name, "aix", args); err != nil {
		return nil, nil, nil, err
	}
	elem := elemType(args[0].Type)
	var value *kernel.Caster
	if len(args) == 3 {
		var err error
		if elem, err = types.Super(elem, types.WithoutLowCardinality(args[2].Type)); err != nil {
			return nil, nil, nil, err
		}
		if value, err = kernel.Cast(env, args[2].Type, elem); err != nil {
			return nil, nil, nil, err
		}
	}
	array, err := kernel.Cast(env, args[0].Type, types.Array(elem))
	return elem, array, value, err
}

// fillable gives the array, and its elements followed by one fill value a row
// (step 1) or a single one (step 0).
func fillable(ctx context.Context, elem *types.Type, array, value *kernel.Caster, args []column.Column) (a kernel.Arrs, elems column.Column, step int, err error) {
	c, err := array.Apply(ctx, args[0])
	if err != nil {
		return a, nil, 0, err
	}
	a = kernel.Arrays(c)
	fill := column.Default(elem, 1)
	if len(args) == 3 {
		f, err := value.Apply(ctx, args[2])
		if err != nil {
			return a, nil, 0, err
		}
		if k, ok := f.(*column.Const); ok {
			fill = k.Value
		} else {
			fill, step = column.Full(f), 1
		}
	}
	return a, column.Full(column.Concat(elem, []column.Column{a.Elems, fill})), step, nil
}

func bindShift(name string, sign int64) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		elem, array, value, err := fillArgs(env, name, args)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.Array(elem), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			a, elems, step, err := fillable(ctx, elem, array, value, args)
			if err != nil {
				return nil, err
			}
			steps := kernel.Integers(args[1])
			p := newPicker(rows, a.Elems.Len())
			for i := range rows {
				from, to := a.Bounds(i)
				k := int(max(min(sign*steps.At(i), int64(to-from)), int64(from-to)))
				for e := from + k; e < to+k; e++ {
					if e < from || e >= to {
						p.add(a.Elems.Len() + i*step)
					} else {
						p.add(e)
					}
				}
				p.end()
			}
			return p.column(elems), nil
		}}, nil
	}
}

// pickedBytes is what an element of a result costs at least: its position, and
// a value of eight bytes.
const pickedBytes = 12

// maxArraySize is ClickHouse's bound on an array's elements.
const maxArraySize = 1_000_000_000

func bindResize(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	elem, array, value, err := fillArgs(env, "arrayResize", args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Array(elem), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		a, elems, step, err := fillable(ctx, elem, array, value, args)
		if err != nil {
			return nil, err
		}
		sizes := kernel.Integers(args[1])
		total := int64(0)
		for i := range rows {
			want := sizes.At(i)
			if want > maxArraySize || want < -maxArraySize || total+max(want, -want) > maxArraySize {
				return nil, cherr.New(cherr.TooLargeArraySize, "Too large array size: %d", want)
			}
			total += max(want, -want)
		}
		if err := expr.Room(ctx, pickedBytes*total); err != nil {
			return nil, err
		}
		p := newPicker(rows, int(total))
		for i := range rows {
			from, to := a.Bounds(i)
			want := sizes.At(i)
			fill := int(max(want, -want)) - (to - from)
			switch {
			case want >= 0:
				p.addRange(from, min(to, from+int(want)))
				p.addSame(a.Elems.Len()+i*step, fill)
			default:
				p.addSame(a.Elems.Len()+i*step, fill)
				p.addRange(max(from, to+int(want)), to)
			}
			p.end()
		}
		return p.column(elems), nil
	}}, nil
}

func (p *picker) addSame(e, n int) {
	for range n {
		p.add(e)
	}
}
