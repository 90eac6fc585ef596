package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addCombinator(functions.Combinator{
	Suffix: "Array",
	Doc: functions.Doc{
		Syntax: "fArray(array, …)", Summary: "Takes every element of arrays as a row.",
		Examples: []string{"SELECT sumArray([1, 2, 3])"},
	},
	Args: func(_ []functions.Param, args []*types.Type) ([]*types.Type, error) {
		return elementTypes("Array", args)
	},
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, _ []*types.Type) (*functions.BoundAggregate, error) {
		return wrap(nested, "Array", nested.Result, func() functions.Accumulator { return &arrayAcc{nested.New()} }), nil
	},
})

func elementTypes(suffix string, args []*types.Type) ([]*types.Type, error) {
	if len(args) == 0 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "-%s aggregate functions require at least one argument", suffix)
	}
	out := make([]*types.Type, len(args))
	for i, a := range args {
		if a.Kind() != types.KindArray {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument for aggregate function with %s suffix. Must be array.", a, suffix)
		}
		out[i] = a.Elem()
	}
	return out, nil
}

type arrayAcc struct{ functions.Accumulator }

func (a *arrayAcc) Add(groups []uint32, args []column.Column, rows int) error {
	elems := make([]column.Column, len(args))
	var first *column.Array
	for i, c := range args {
		x := column.Full(c).(*column.Array).Compact()
		if first == nil {
			first = x
		} else if err := sameLengths(first, x); err != nil {
			return err
		}
		elems[i] = x.Elems
	}
	n := int(first.Offsets[rows])
	for i := range elems {
		elems[i] = elems[i].Slice(0, n)
	}
	if n == 0 {
		return nil
	}
	return a.Accumulator.Add(spread(groups, first.Offsets), elems, n)
}

func sameLengths(a, b *column.Array) error {
	for i := range a.Offsets {
		if a.Offsets[i] != b.Offsets[i] {
			return cherr.New(cherr.SizesOfArraysDontMatch, "All arrays passed to aggregate function with Array suffix must have equal sizes")
		}
	}
	return nil
}

// spread gives the group of each element of arrays, nil when groups is.
func spread(groups []uint32, offsets []uint64) []uint32 {
	if groups == nil {
		return nil
	}
	out := make([]uint32, 0, offsets[len(offsets)-1])
	for i, g := range groups {
		for range offsets[i+1] - offsets[i] {
			out = append(out, g)
		}
	}
	return out
}

func (a *arrayAcc) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.Accumulator.Merge(groups, from.(*arrayAcc).Accumulator, some)
}
