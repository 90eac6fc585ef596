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

var (
	_ = add(functions.Scalar{
		Name: "map", KeepVariants: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
		Doc:  functions.Doc{Syntax: "map(key, value, …)", Summary: "A map of the keys and values.", Examples: []string{"SELECT map('a', 1)"}},
		Bind: bindMap,
	})
	_ = add(functions.Scalar{
		Name: "mapFromArrays", Aliases: []string{"MAP_FROM_ARRAYS"}, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "mapFromArrays(keys, values)", Summary: "A map of an array of keys and one of values.", Examples: []string{"SELECT mapFromArrays(['a'], [1])"}},
		Bind: bindFromArrays,
	})
	_ = add(functions.Scalar{
		Name: "mapKeys", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "mapKeys(m)", Summary: "The keys.", Examples: []string{"SELECT mapKeys(map('a', 1))"}},
		Bind: bindSide("mapKeys", 0),
	})
	_ = add(functions.Scalar{
		Name: "mapValues", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "mapValues(m)", Summary: "The values.", Examples: []string{"SELECT mapValues(map('a', 1))"}},
		Bind: bindSide("mapValues", 1),
	})
)

func bindMap(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if len(args)%2 != 0 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Function map requires even number of arguments, but %d given", len(args))
	}
	var sides [2][]functions.Arg
	for i, a := range args {
		sides[i%2] = append(sides[i%2], a)
	}
	var ts [2]*types.Type
	var casters [2][]*kernel.Caster
	for s := range sides {
		var err error
		if ts[s], err = functions.CommonTypeOf(env, sides[s]); err != nil {
			return nil, err
		}
		if casters[s], err = kernel.Casters(env, sides[s], ts[s]); err != nil {
			return nil, err
		}
	}
	if ts[0].IsNullable() {
		return nil, cherr.New(cherr.BadArguments, "Map cannot have a key of type %s", ts[0])
	}
	return &expr.Function{Result: types.Map(ts[0], ts[1]), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		n := len(args) / 2
		out := &column.Map{Offsets: make([]uint64, rows+1), Keys: &column.Nothing{}, Values: &column.Nothing{}}
		if n == 0 {
			return out, nil
		}
		var cols [2][]column.Column
		for i, a := range args {
			cols[i%2] = append(cols[i%2], a)
		}
		positions := make([]uint32, 0, n*rows)
		for i := range rows {
			for k := range n {
				positions = append(positions, uint32(k*rows+i))
			}
			out.Offsets[i+1] = uint64((i + 1) * n)
		}
		for s := range cols {
			side, err := kernel.ApplyAll(ctx, casters[s], cols[s])
			if err != nil {
				return nil, err
			}
			all := column.Full(column.Concat(ts[s], side)).Gather(positions)
			if s == 0 {
				out.Keys = all
			} else {
				out.Values = all
			}
		}
		return out, nil
	}}, nil
}

func bindFromArrays(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	elems := make([]*types.Type, 2)
	for i, a := range args {
		switch a.Type.Kind() {
		case types.KindArray:
			elems[i] = a.Type.Elem()
		case types.KindMap:
			elems[i] = types.Tuple(a.Type.Elems(), nil)
		default:
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Arguments of function mapFromArrays must be Array or Map, but %s is given", a.Type)
		}
	}
	if elems[0].IsNullable() {
		return nil, cherr.New(cherr.BadArguments, "Map cannot have a key of type %s", elems[0])
	}
	return kernel.Fn(types.Map(elems[0], elems[1]), func(args []column.Column, rows int) (column.Column, error) {
		keys, values := asArray(args[0]).Compact(), asArray(args[1]).Compact()
		for i := range rows {
			if keys.Offsets[i+1] != values.Offsets[i+1] {
				return nil, cherr.New(cherr.SizesOfArraysDontMatch, "Two arguments of function mapFromArrays must have equal sizes")
			}
		}
		return &column.Map{Offsets: keys.Offsets, Keys: keys.Elems, Values: values.Elems}, nil
	}), nil
}

// asArray gives an array, or a map as the array of its pairs.
func asArray(c column.Column) *column.Array {
	switch c := column.Full(c).(type) {
	case *column.Map:
		return &column.Array{Offsets: c.Offsets, Elems: column.NewTuple(c.Keys, c.Values)}
	case *column.Array:
		return c
	}
	cherr.Bug("a %T as array", c)
	return nil
}

func asMap(c column.Column) column.Column {
	a := column.Full(c).(*column.Array)
	if t, ok := a.Elems.(*column.Tuple); ok {
		return &column.Map{Offsets: a.Offsets, Keys: t.Elems[0], Values: t.Elems[1]}
	}
	return &column.Map{Offsets: a.Offsets, Keys: &column.Nothing{}, Values: &column.Nothing{}}
}

func bindSide(name string, side int) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "m", args); err != nil {
			return nil, err
		}
		return kernel.Fn(types.Array(args[0].Type.Elems()[side]), func(args []column.Column, _ int) (column.Column, error) {
			m := column.Full(args[0]).(*column.Map)
			if side == 0 {
				return &column.Array{Offsets: m.Offsets, Elems: m.Keys}, nil
			}
			return &column.Array{Offsets: m.Offsets, Elems: m.Values}, nil
		}), nil
	}
}
