package arrays

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "arrayDistinct", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "arrayDistinct(arr)", Summary: "The different elements, without NULL, in the order of their first appearance.", Examples: []string{"SELECT arrayDistinct([1, 2, 1])"}},
		Bind: bindDistinct,
	})
	_ = add(functions.Scalar{
		Name: "arrayCompact", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "arrayCompact(arr)", Summary: "The array with each run of equal elements as one.", Examples: []string{"SELECT arrayCompact([1, 1, 2, 1])"}},
		Bind: bindPick("arrayCompact", "a", func(args []column.Column, _ int) func(p *picker, i, from, to int) {
			a := kernel.Arrays(args[0])
			eq := equality(a.Elems, a.Elems)
			return func(p *picker, _, from, to int) {
				for e := from; e < to; e++ {
					if e == from || !eq(e-1, e) && column.Compare(a.Elems, e-1, a.Elems, e, 1) != 0 { // NaN is one run too
						p.add(e)
					}
				}
			}
		}),
	})
	_ = add(functions.Scalar{
		Name: "arrayUniq", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arrayUniq(arr, …)", Summary: "Number of different elements, or tuples of elements of several arrays.", Examples: []string{"SELECT arrayUniq([1, 2, 1])"}},
		Bind: bindUniq,
	})
	_ = add(functions.Scalar{
		Name: "arrayEnumerate", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "arrayEnumerate(arr)", Summary: "The numbers 1 … length.", Examples: []string{"SELECT arrayEnumerate([5, 7])"}},
		Bind: bindEnumerate("arrayEnumerate", func(_ *numbering, _ []uint32, from, e int) uint32 { return uint32(e - from + 1) }),
	})
	_ = add(functions.Scalar{
		Name: "arrayEnumerateDense", MinArgs: 1, MaxArgs: -1,
		Doc: functions.Doc{Syntax: "arrayEnumerateDense(arr, …)", Summary: "For each element which different one it is, by first appearance.", Examples: []string{"SELECT arrayEnumerateDense([5, 7, 5])"}},
		Bind: bindEnumerate("arrayEnumerateDense", func(n *numbering, _ []uint32, _, e int) uint32 {
			id, _ := n.number(e)
			return uint32(id + 1)
		}),
	})
	_ = add(functions.Scalar{
		Name: "arrayEnumerateUniq", MinArgs: 1, MaxArgs: -1,
		Doc: functions.Doc{Syntax: "arrayEnumerateUniq(arr, …)", Summary: "For each element the how-manieth of its kind it is.", Examples: []string{"SELECT arrayEnumerateUniq([5, 7, 5])"}},
		Bind: bindEnumerate("arrayEnumerateUniq", func(n *numbering, counts []uint32, from, e int) uint32 {
			id, isNew := n.number(e)
			if isNew {
				counts[from+id] = 0
			}
			counts[from+id]++
			return counts[from+id]
		}),
	})
)

func bindDistinct(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayDistinct", "a", args); err != nil {
		return nil, err
	}
	elem := types.WithoutNullable(args[0].Type.Elem())
	return kernel.Fn(types.Array(elem), func(args []column.Column, rows int) (column.Column, error) {
		a := kernel.Arrays(args[0])
		n := newNumbering(a.Elems)
		p := newPicker(rows, a.Elems.Len())
		for i := range rows {
			from, to := a.Bounds(i)
			n.reset(to - from)
			for e := from; e < to; e++ {
				if column.IsNullAt(a.Elems, e) {
					continue
				}
				if _, isNew := n.number(e); isNew {
					p.add(e)
				}
			}
			p.end()
		}
		values, _ := column.SplitNulls(a.Elems)
		return p.column(values), nil
	}), nil
}

// zipped reads several arrays of equal lengths as one of tuples.
func zipped(name string, args []column.Column, rows int) (*column.Array, error) {
	arrs := make([]*column.Array, len(args))
	elems := make([]column.Column, len(args))
	for k, c := range args {
		arrs[k] = column.Full(c).(*column.Array).Compact()
		elems[k] = arrs[k].Elems
		for i := range rows {
			if arrs[k].Offsets[i+1] != arrs[0].Offsets[i+1] {
				return nil, cherr.New(cherr.SizesOfArraysDontMatch, "Lengths of all arrays passed to %s must be equal", name)
			}
		}
	}
	if len(args) == 1 {
		return arrs[0], nil
	}
	return &column.Array{Offsets: arrs[0].Offsets, Elems: column.NewTuple(elems...)}, nil
}

func bindUniq(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayUniq", "a", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.UInt32, func(args []column.Column, rows int) (column.Column, error) {
		a, err := zipped("arrayUniq", args, rows)
		if err != nil {
			return nil, err
		}
		n := newNumbering(a.Elems)
		return kernel.Each(rows, func(i int) uint32 {
			from, to := a.Bounds(i)
			n.reset(to - from)
			for e := from; e < to; e++ {
				n.number(e)
			}
			return uint32(len(n.first))
		}), nil
	}), nil
}

func bindEnumerate(name string, f func(n *numbering, counts []uint32, from, e int) uint32) kernel.Bind {
	return kernel.Typed(name, "a", types.Array(types.UInt32), func(args []column.Column, rows int) (column.Column, error) {
		a, err := zipped(name, args, rows)
		if err != nil {
			return nil, err
		}
		n := newNumbering(a.Elems)
		counts, out := make([]uint32, a.Elems.Len()), make([]uint32, a.Elems.Len())
		for i := range rows {
			from, to := a.Bounds(i)
			n.reset(to - from)
			for e := from; e < to; e++ {
				out[e] = f(n, counts, from, e)
			}
		}
		return &column.Array{Offsets: a.Offsets, Elems: column.NewFixed(out)}, nil
	})
}
