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
	Name: "transform", MinArgs: 3, MaxArgs: 4, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "transform(x, from, to[, default])", Summary: "The element of the array to at the place where x stands in from; default, or x, where it does not.", Examples: []string{"SELECT transform(1, [1, 2], ['a', 'b'], 'c')"}},
	Bind: bindTransform,
})

func bindTransform(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	for i := 1; i <= 2; i++ {
		if args[i].Type.Kind() != types.KindArray || args[i].Const == nil {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d of function transform, must be array of constants, but it is %s", i+1, args[i].Type)
		}
	}
	x, from, to := args[0].Type, args[1].Type.Elem(), args[2].Type.Elem()
	fallback := x
	if len(args) == 4 {
		fallback = args[3].Type
	}
	result, err := types.Super(to, fallback)
	if err != nil {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function transform has no common type for %s and %s", to, fallback)
	}
	keys, err := types.Super(types.Nullable(types.Unwrap(x)), from)
	if err != nil {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function transform cannot look for %s among %s", x, from)
	}
	opt := &cast.Options{Zone: env.Zone}
	f1, values1 := constantArray(args[1].Const)
	_, values2 := constantArray(args[2].Const)
	if f1 != values2.Len() {
		return nil, cherr.New(cherr.BadArguments, "Second and third arguments of function transform must be arrays of same size")
	}
	places, err := newPlaces(values1, from, keys, opt)
	if err != nil {
		return nil, err
	}
	values, err := cast.Column(values2, to, result, opt)
	if err != nil {
		return nil, err
	}
	toKey, err := cast.Bind(x, keys, opt)
	if err != nil {
		return nil, err
	}
	toResult, err := cast.Bind(fallback, result, opt)
	if err != nil {
		return nil, err
	}
	other := len(args) - 1
	if len(args) == 3 {
		other = 0
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		k, err := toKey(args[0])
		if err != nil {
			return nil, err
		}
		rest, err := toResult(column.Full(args[other]))
		if err != nil {
			return nil, err
		}
		n := uint32(values.Len())
		place := places.find(column.Full(k), rows)
		for i, p := range place {
			if p == missing {
				place[i] = n + uint32(i)
			}
		}
		return column.Full(column.Concat(result, []column.Column{column.Full(values), column.Full(rest)})).Gather(place), nil
	}}, nil
}

func constantArray(c column.Column) (int, column.Column) {
	a := column.Full(c).(*column.Array).Slice(0, 1).(*column.Array).Compact()
	n := int(a.Offsets[1])
	return n, a.Elems.Slice(0, n)
}

// missing stands for a key that is not there.
const missing = ^uint32(0)

// places finds the first place of a value in an array.
type places struct {
	keys  column.Column
	first map[uint64][]uint32 // by hash
}

func newPlaces(values column.Column, from, to *types.Type, opt *cast.Options) (*places, error) {
	keys, err := cast.Column(values, from, to, opt)
	if err != nil {
		return nil, err
	}
	keys = column.Full(keys)
	p := &places{keys: keys, first: map[uint64][]uint32{}}
	h := make([]uint64, keys.Len())
	column.HashInto(keys, h)
	for i, x := range h {
		p.first[x] = append(p.first[x], uint32(i))
	}
	return p, nil
}

func (p *places) find(c column.Column, rows int) []uint32 {
	h := make([]uint64, rows)
	column.HashInto(c, h)
	out := make([]uint32, rows)
	for i, x := range h {
		out[i] = missing
		for _, at := range p.first[x] {
			if column.Compare(p.keys, int(at), c, i, 1) == 0 {
				out[i] = at
				break
			}
		}
	}
	return out
}
