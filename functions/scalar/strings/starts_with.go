package strings

import (
	"bytes"
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = addStartsWith()

func addStartsWith() bool {
	for _, m := range searchModes {
		for _, f := range []struct {
			name, where string
			test        func(s, part []byte) bool
		}{{"startsWith", "starts", bytes.HasPrefix}, {"endsWith", "ends", bytes.HasSuffix}} {
			name := f.name + m.suffix
			add(functions.Scalar{
				Name: name, MinArgs: 2, MaxArgs: 2,
				Doc:  functions.Doc{Syntax: name + "(s, part)", Summary: "Whether a string " + f.where + " with another.", Examples: []string{"SELECT " + name + "('abc', 'a')"}},
				Bind: bindEdge(name, m, f.test),
			})
		}
	}
	return true
}

func bindEdge(name string, m searchMode, test func(s, part []byte) bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.Kind() == types.KindArray && args[1].Type.Kind() == types.KindArray && m.suffix == "" {
			return bindArrayEdge(env, name, args)
		}
		if err := kernel.Check(name, "s", args); err != nil {
			return nil, err
		}
		return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
			in, parts := kernel.Strings(args[0]), kernel.Strings(args[1])
			s := &searcher{searchMode: m}
			return kernel.Each(rows, func(i int) uint8 {
				return kernel.Bool(test(s.foldHay(in.At(i)), s.foldNeedle(parts.At(i))))
			}), nil
		}), nil
	}
}

func bindArrayEdge(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	common, err := types.Super(kernel.Types(args)...)
	if err != nil {
		return nil, err
	}
	casters, err := kernel.Casters(env, args, common)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.UInt8, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		args, err := kernel.ApplyAll(ctx, casters, args)
		if err != nil {
			return nil, err
		}
		a, b := kernel.Arrays(args[0]), kernel.Arrays(args[1])
		return kernel.Each(rows, func(i int) uint8 {
			from, to := a.Bounds(i)
			bFrom, bTo := b.Bounds(i)
			if bTo-bFrom > to-from {
				return 0
			}
			if name == "endsWith" {
				from = to - (bTo - bFrom)
			}
			for e := range bTo - bFrom {
				if column.Compare(a.Elems, from+e, b.Elems, bFrom+e, 1) != 0 {
					return 0
				}
			}
			return 1
		}), nil
	}}, nil
}
