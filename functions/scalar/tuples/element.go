package tuples

import (
	"slices"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "tupleElement", MinArgs: 2, MaxArgs: 3, KeepNulls: true, KeepLowCardinality: true,
	Doc:  functions.Doc{Syntax: "tupleElement(t, index | name[, default])", Summary: "An element of a tuple, by number from 1 or by name; of an array of tuples, or of a map, that of every element.", Examples: []string{"SELECT tupleElement((1, 'a'), 2)"}},
	Bind: bindTupleElement,
})

// nameOf gives an element's name: its number when it has none.
func nameOf(t *types.Type, i int) string {
	if t.Names() != nil {
		return t.Names()[i]
	}
	return strconv.Itoa(i + 1)
}

func bindTupleElement(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t, depth := args[0].Type, 0
	for t.Kind() == types.KindArray {
		t = t.Elem()
		depth++
	}
	nullable := t.Kind() == types.KindNullable
	t = types.WithoutNullable(t)
	if t.Kind() != types.KindTuple {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function tupleElement must be tuple or array of tuple. Actual %s", args[0].Type)
	}
	if args[1].Const == nil {
		return nil, cherr.New(cherr.IllegalColumn, "Second argument to tupleElement must be a constant UInt or String")
	}
	n, err := elementIndex(t, args[1])
	if err != nil {
		if len(args) == 3 && (cherr.Is(err, cherr.BadArguments) || cherr.Is(err, cherr.ArgumentOutOfBound)) {
			return kernel.Fn(args[2].Type, func(args []column.Column, _ int) (column.Column, error) { return args[2], nil }), nil
		}
		return nil, err
	}
	result := t.Elems()[n]
	if nullable && result.CanBeNullable() {
		result = types.Nullable(result)
	}
	for range depth {
		result = types.Array(result)
	}
	return kernel.Fn(result, func(args []column.Column, _ int) (column.Column, error) {
		return elementOf(column.Full(args[0]), n), nil
	}), nil
}

func elementOf(c column.Column, n int) column.Column {
	switch c := c.(type) {
	case *column.Array:
		return &column.Array{Offsets: c.Offsets, Elems: elementOf(c.Elems, n)}
	case *column.Nullable:
		return column.NewNullable(elementOf(c.Values, n), c.Null)
	}
	return c.(*column.Tuple).Elems[n]
}

func elementIndex(t *types.Type, a functions.Arg) (int, error) {
	if name, ok := a.ConstString(); ok {
		if i := slices.Index(t.Names(), name); i >= 0 {
			return i, nil
		}
		if i, err := strconv.Atoi(name); err == nil && t.Names() == nil && i >= 1 && i <= len(t.Elems()) {
			return i - 1, nil
		}
		return 0, cherr.New(cherr.BadArguments, "Tuple doesn't have element with name '%s'", name)
	}
	n, ok := a.ConstInt()
	switch {
	case !ok:
		return 0, cherr.New(cherr.IllegalTypeOfArgument, "Second argument to tupleElement must be a constant UInt or String")
	case n == 0:
		return 0, cherr.New(cherr.ArgumentOutOfBound, "Indices in tuples are 1-based")
	case n < 0 && -n <= int64(len(t.Elems())):
		return len(t.Elems()) + int(n), nil
	case n < 0 || n > int64(len(t.Elems())):
		return 0, cherr.New(cherr.ArgumentOutOfBound, "Tuple doesn't have element with index '%d'", n)
	}
	return int(n) - 1, nil
}
