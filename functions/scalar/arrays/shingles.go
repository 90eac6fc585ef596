package arrays

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "arrayShingles", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "arrayShingles(arr, n)", Summary: "All runs of n neighbouring elements.", Examples: []string{"SELECT arrayShingles([1, 2, 3], 2)"}},
	Bind: bindShingles,
})

func bindShingles(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayShingles", "ai", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.Array(types.Array(elemOf(args[0].Type))), func(args []column.Column, rows int) (column.Column, error) {
		a, size := kernel.Arrays(args[0]), kernel.Integers(args[1])
		outer, inner := make([]uint64, 1, rows+1), []uint64{0}
		var positions []uint32
		for i := range rows {
			from, to := a.Bounds(i)
			n := size.At(i)
			if n < 1 || n > int64(to-from) {
				return nil, cherr.New(cherr.BadArguments, "Shingle argument of function arrayShingles must be a positive integer and not exceed the length of the array")
			}
			for at := from; at+int(n) <= to; at++ {
				for e := range int(n) {
					positions = append(positions, uint32(at+e))
				}
				inner = append(inner, uint64(len(positions)))
			}
			outer = append(outer, uint64(len(inner)-1))
		}
		elems := column.Full(a.Elems.Gather(positions))
		return &column.Array{Offsets: outer, Elems: &column.Array{Offsets: inner, Elems: elems}}, nil
	}), nil
}

// elemOf is the type of an array's elements as they come out of it.
func elemOf(t *types.Type) *types.Type { return types.WithoutLowCardinality(t.Elem()) }
