package variants

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "variantElement", MinArgs: 2, MaxArgs: 3, KeepNulls: true, KeepVariants: true, KeepLowCardinality: true,
	Doc: functions.Doc{
		Syntax: "variantElement(v, 'type'[, default])", Summary: "The values of one type of a Variant, NULL where it holds another.",
		Examples: []string{"SELECT variantElement(CAST(5, 'Variant(UInt8, String)'), 'UInt8')"},
	},
	Bind: bindVariantElement,
})

var _ = add(functions.Scalar{
	Name: "dynamicElement", MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepVariants: true, KeepLowCardinality: true,
	Doc: functions.Doc{
		Syntax: "dynamicElement(d, 'type')", Summary: "The values of one type of a Dynamic, NULL where it holds another.",
		Examples: []string{"SELECT dynamicElement(CAST(toUInt8(5), 'Dynamic'), 'UInt8')"},
	},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindElement("dynamicElement", types.KindDynamic, args)
	},
})

func bindVariantElement(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	f, err := bindElement("variantElement", types.KindVariant, args[:2])
	if err == nil || len(args) < 3 || args[0].Type.Kind() != types.KindVariant && args[0].Type.Kind() != types.KindArray {
		return f, err
	}
	return &expr.Function{Result: args[2].Type, KeepForms: true, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return args[2], nil
	}}, nil
}

// bindElement goes through arrays around the values.
func bindElement(name string, kind types.Kind, args []functions.Arg) (*expr.Function, error) {
	text, ok := args[1].ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument to %s with type must be a constant String", name)
	}
	t, depth := args[0].Type, 0
	for t.Kind() == types.KindArray {
		t = t.Elem()
		depth++
	}
	if t.Kind() != kind {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function %s must be %s or Array of it. Actual %s", name, map[types.Kind]string{types.KindVariant: "Variant", types.KindDynamic: "Dynamic"}[kind], args[0].Type)
	}
	want, err := types.Parse(text)
	if err != nil {
		return nil, err
	}
	if kind == types.KindVariant && indexOf(t.Elems(), want) < 0 {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "%s doesn't contain element with type %s", t, text)
	}
	result := resultOf(want)
	for range depth {
		result = types.Array(result)
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return within(column.Full(args[0]), depth, func(c column.Column) column.Column { return Element(c, want) }), nil
	}}, nil
}

func indexOf(ts []*types.Type, t *types.Type) int {
	for i, have := range ts {
		if have.Equal(t) {
			return i
		}
	}
	return -1
}

// resultOf is the type of an element: with NULL where it can be.
func resultOf(t *types.Type) *types.Type {
	if t.CanBeNullable() {
		return types.Nullable(t)
	}
	return t
}

// within computes the elements of arrays.
func within(c column.Column, depth int, f func(column.Column) column.Column) column.Column {
	if depth == 0 {
		return f(c)
	}
	a := c.(*column.Array).Compact()
	return &column.Array{Offsets: a.Offsets, Elems: within(column.Full(a.Elems), depth-1, f)}
}

// Element gives the values of type t of a column of several types: NULL, or the
// type's default, where it holds another.
func Element(c column.Column, t *types.Type) column.Column {
	n := c.Len()
	v, ok := c.(*column.Variant)
	if !ok {
		return column.Default(resultOf(t), n)
	}
	k := indexOf(v.Types, t)
	if k < 0 {
		return column.Default(resultOf(t), n)
	}
	in := types.WithoutNullable(t)
	values := column.Concat(in, []column.Column{column.Default(in, 1), v.Parts[k]})
	rows, null := make([]uint32, n), make([]uint8, n)
	for i, have := range v.Kinds {
		if int(have) == k {
			rows[i] = v.Rows[i] + 1
		} else {
			null[i] = 1
		}
	}
	out := column.Full(values.Gather(rows))
	if resultOf(t).IsNullable() {
		return column.NewNullable(out, null)
	}
	return out
}

var _ = add(functions.Scalar{
	Name: "variantType", MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepVariants: true,
	Doc: functions.Doc{
		Syntax: "variantType(v)", Summary: "The name of the type of each value of a Variant, None for NULL.",
		Examples: []string{"SELECT variantType(CAST(5, 'Variant(UInt8, String)'))"},
	},
	Bind: bindVariantType,
})

func bindVariantType(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if t.Kind() != types.KindVariant {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function variantType must be Variant, got %s instead", t)
	}
	names, values := []string{"None"}, []int16{-1}
	kind := types.KindEnum8
	if len(t.Elems()) > 127 {
		kind = types.KindEnum16
	}
	for i, e := range t.Elems() {
		names, values = append(names, e.String()), append(values, int16(i))
	}
	result, err := types.NewEnum(kind, names, values)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		v := column.Full(args[0]).(*column.Variant)
		out := make([]int8, v.Len())
		for i, k := range v.Kinds {
			out[i] = int8(k) // 255 is -1
		}
		return column.NewFixed(out), nil
	}}, nil
}

var _ = add(functions.Scalar{
	Name: "dynamicType", MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepVariants: true,
	Doc: functions.Doc{Syntax: "dynamicType(d)", Summary: "The name of the type of each value of a Dynamic, None for NULL.", Examples: []string{"SELECT dynamicType(CAST(toUInt8(5), 'Dynamic'))"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.Kind() != types.KindDynamic {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function dynamicType must be Dynamic, got %s instead", args[0].Type)
		}
		return &expr.Function{Result: types.LowCardinality(types.String), Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			v := column.Full(args[0]).(*column.Variant)
			names := &column.Str{}
			for _, t := range v.Types {
				names.AppendString(t.String())
			}
			names.AppendString("None")
			codes := make([]uint32, v.Len())
			for i, k := range v.Kinds {
				codes[i] = min(uint32(k), uint32(len(v.Types)))
			}
			return &column.Dict{Codes: codes, Values: names}, nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "isDynamicElementInSharedData", MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepVariants: true,
	Doc: functions.Doc{Syntax: "isDynamicElementInSharedData(d)", Summary: "Whether a value's type is beyond those that the Dynamic holds apart: never here.", Examples: []string{"SELECT isDynamicElementInSharedData(CAST(5, 'Dynamic'))"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.Kind() != types.KindDynamic {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function isDynamicElementInSharedData must be Dynamic, got %s instead", args[0].Type)
		}
		return &expr.Function{Result: types.Bool, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
			return column.NewFixed(make([]uint8, rows)), nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "getSubcolumn", MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepVariants: true, KeepLowCardinality: true,
	Doc: functions.Doc{
		Syntax: "getSubcolumn(x, 'name')", Summary: "A part of a value by its name, as x.name.",
		Examples: []string{"SELECT getSubcolumn(CAST('{\"a\": 5}', 'JSON'), 'a')"},
	},
	Bind: bindSubcolumn,
})

func bindSubcolumn(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	name, ok := args[1].ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "The second argument of function getSubcolumn should be a constant string with the name of a subcolumn")
	}
	t := args[0].Type
	switch in := types.WithoutNullable(t); {
	case in.Kind() == types.KindJSON:
		return bindJSONPath(env, in, name)
	case t.Kind() == types.KindVariant || t.Kind() == types.KindDynamic:
		return bindTypeSubcolumn(t, name)
	case t.Kind() == types.KindArray && elementKind(t) == types.KindJSON:
		return bindArrayPath(env, t, name)
	}
	return bindPlainSubcolumn(env, args[0], name)
}

func elementKind(t *types.Type) types.Kind {
	for t.Kind() == types.KindArray {
		t = t.Elem()
	}
	return t.Kind()
}

// bindPlainSubcolumn goes into tuples, maps and arrays.
func bindPlainSubcolumn(env *functions.Env, arg functions.Arg, name string) (*expr.Function, error) {
	head, rest, nested := strings.Cut(name, ".")
	var f *expr.Function
	var err error
	plain := functions.Arg{Type: arg.Type}
	call := func(fn string, more ...functions.Arg) (*expr.Function, error) {
		return env.Registry.BindScalar(env, fn, append([]functions.Arg{plain}, more...))
	}
	one := func(f *expr.Function, err error) (*expr.Function, error) {
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: f.Result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			return f.Apply(ctx, args[:1], rows)
		}}, nil
	}
	in := types.WithoutNullable(arg.Type)
	switch {
	case in.Kind() == types.KindMap && head == "keys":
		return one(call("mapKeys"))
	case in.Kind() == types.KindMap && head == "values":
		return one(call("mapValues"))
	case (in.Kind() == types.KindArray || in.Kind() == types.KindMap) && head == "size0":
		return one(call("length"))
	case arg.Type.Kind() == types.KindNullable && head == "null":
		return one(call("isNull"))
	}
	label := column.FromValue(types.String, head, 1)
	if f, err = call("tupleElement", functions.Arg{Type: types.String, Const: label.Value}); err != nil {
		return nil, cherr.New(cherr.IllegalColumn, "There is no subcolumn %s in type %s", name, arg.Type)
	}
	first := &expr.Function{Result: f.Result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return f.Apply(ctx, []column.Column{args[0], column.NewConst(label, rows)}, rows)
	}}
	if !nested {
		return first, nil
	}
	return then(env, first, rest)
}

// then takes a part of another function's result.
func then(env *functions.Env, first *expr.Function, name string) (*expr.Function, error) {
	label := column.FromValue(types.String, name, 1)
	next, err := bindSubcolumn(env, []functions.Arg{{Type: first.Result}, {Type: types.String, Const: label.Value}})
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: next.Result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		c, err := first.Kernel(ctx, args, rows)
		if err != nil {
			return nil, err
		}
		return next.Kernel(ctx, []column.Column{column.Full(c), column.NewConst(label, rows)}, rows)
	}}, nil
}

// bindTypeSubcolumn: v.UInt64, v.`Tuple(a UInt8)`.a, v.null.
func bindTypeSubcolumn(t *types.Type, name string) (*expr.Function, error) {
	if name == "null" {
		return &expr.Function{Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			out := make([]uint8, rows)
			for i, k := range column.Full(args[0]).(*column.Variant).Kinds {
				if k == column.NullVariant {
					out[i] = 1
				}
			}
			return column.NewFixed(out), nil
		}}, nil
	}
	want, err := types.Parse(name)
	if err != nil || t.Kind() == types.KindVariant && indexOf(t.Elems(), want) < 0 {
		return nil, cherr.New(cherr.UnknownIdentifier, "There is no subcolumn %s in type %s", name, t)
	}
	return &expr.Function{Result: resultOf(want), Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return Element(column.Full(args[0]), want), nil
	}}, nil
}
