package json

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addTyped("JSONExtract", false, false)
	_ = addTyped("JSONExtractCaseInsensitive", true, false)
	_ = addTyped("JSONExtractKeysAndValues", false, true)
	_ = addTyped("JSONExtractKeysAndValuesCaseInsensitive", true, true)
)

func addTyped(name string, fold, pairs bool) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: -1, KeepNulls: false,
		Doc:  functions.Doc{Syntax: name + "(json[, key or index, …], 'type')", Summary: "The value at the path, or the members of an object, as a ClickHouse type.", Examples: []string{"SELECT " + name + `('{"a": 1}', 'Map(String, UInt8)')`}},
		Bind: bindTyped(name, fold, pairs),
	})
}

func bindTyped(name string, fold, pairs bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		last := len(args) - 1
		typeName, ok := args[last].ConstString()
		if !ok {
			return nil, cherr.New(cherr.IllegalColumn, "The last argument of function %s must be a constant string: the type", name)
		}
		if err := kernel.Check(name, "s", args[:1]); err != nil {
			return nil, err
		}
		if err := checkPath(name, args[1:last]); err != nil {
			return nil, err
		}
		t, err := types.Parse(typeName)
		if err != nil {
			return nil, err
		}
		result, pair := t, types.Tuple([]*types.Type{types.String, t}, nil)
		if pairs {
			result = types.Array(pair)
		}
		if _, err := newInserter(result, 0); err != nil {
			return nil, err
		}
		ts := kernel.Types(args[:last])
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			kind := result
			if pairs {
				kind = types.Map(types.String, t)
			}
			in, err := newInserter(kind, rows)
			if err != nil {
				return nil, err
			}
			if m, ok := in.(*mapInserter); ok && pairs {
				m.fitting = true
			}
			visit(ts, args[:last], rows, fold, func(node, _ []byte, found bool) {
				if !found || !in.insert(node) {
					in.skip()
				}
			})
			out := in.finish()
			if m, ok := out.(*column.Map); ok && pairs {
				out = &column.Array{Offsets: m.Offsets, Elems: column.NewTuple(m.Keys, m.Values)}
			}
			return out, nil
		}), nil
	}
}
