package maps

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "mapPopulateSeries", MinArgs: 1, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "mapPopulateSeries(map[, max])", Summary: "A map with integer keys, or two arrays of keys and values, with a zero for each key between the least and the greatest (or max).", Examples: []string{"SELECT mapPopulateSeries(map(1, 10, 3, 30))"}},
	Bind: bindPopulate,
})

// maxSeries bounds the keys made for one row.
const maxSeries = 1 << 24

func bindPopulate(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	var key, value *types.Type
	used := 1
	switch {
	case args[0].Type.Kind() == types.KindMap:
		key, value = args[0].Type.Elems()[0], args[0].Type.Elems()[1]
	case len(args) >= 2 && args[0].Type.Kind() == types.KindArray && args[1].Type.Kind() == types.KindArray:
		key, value, used = args[0].Type.Elem(), args[1].Type.Elem(), 2
	default:
		return nil, kernel.WrongType("mapPopulateSeries", 0, args[0].Type)
	}
	if !key.IsInteger() || key.Bytes() > 8 || !value.IsInteger() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function mapPopulateSeries needs integer keys and values, got %s and %s", key, value)
	}
	if len(args) > used+1 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Too many arguments for function mapPopulateSeries")
	}
	toKey, err := kernel.Cast(env, types.Int64, key)
	if err != nil {
		return nil, err
	}
	result := types.Map(key, value)
	if used == 2 {
		result = types.Tuple([]*types.Type{types.Array(key), types.Array(value)}, nil)
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in := args[0]
		if used == 2 {
			in = column.NewTuple(column.Full(args[0]), column.Full(args[1]))
		}
		m, err := entries("mapPopulateSeries", in, rows)
		if err != nil {
			return nil, err
		}
		var upTo *kernel.Nums[int64]
		if len(args) > used {
			n := kernel.Integers(args[used])
			upTo = &n
		}
		offsets, keys, from, err := series(m, upTo, rows)
		if err != nil {
			return nil, err
		}
		k, err := toKey.Apply(ctx, column.NewFixed(keys))
		if err != nil {
			return nil, err
		}
		values := column.Full(column.Concat(value, []column.Column{m.Values, column.Default(value, 1)})).Gather(from)
		if used == 1 {
			return &column.Map{Offsets: offsets, Keys: column.Full(k), Values: values}, nil
		}
		return column.NewTuple(&column.Array{Offsets: offsets, Elems: column.Full(k)}, &column.Array{Offsets: offsets, Elems: values}), nil
	}}, nil
}

// series gives, for each row, every key from the least to the greatest and the
// position of its value; the position after the last stands for zero.
func series(m *column.Map, upTo *kernel.Nums[int64], rows int) (offsets []uint64, keys []int64, values []uint32, err error) {
	in, none := kernel.Integers(m.Keys), uint32(m.Values.Len())
	offsets = make([]uint64, rows+1)
	for i := range rows {
		from, to := m.Bounds(i)
		if from < to {
			lo, hi := in.At(from), in.At(from)
			for e := from; e < to; e++ {
				lo, hi = min(lo, in.At(e)), max(hi, in.At(e))
			}
			if upTo != nil {
				hi = upTo.At(i)
			}
			// Unsigned: the distance between two Int64 need not fit one.
			if hi >= lo && uint64(hi)-uint64(lo) >= maxSeries {
				return nil, nil, nil, cherr.New(cherr.TooLargeArraySize, "Too large array size in the result of function mapPopulateSeries")
			}
			base := len(values)
			for k, more := lo, lo <= hi; more; k, more = k+1, k < hi { // k <= hi would never end at the greatest key
				keys, values = append(keys, k), append(values, none)
			}
			for e := from; e < to; e++ {
				if k := in.At(e); k <= hi && values[base+int(k-lo)] == none {
					values[base+int(k-lo)] = uint32(e)
				}
			}
		}
		offsets[i+1] = uint64(len(keys))
	}
	return offsets, keys, values, nil
}
