package arrays

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
	_ = addShuffle("arrayShuffle", 1, "The elements in a random order, the same for the same seed.")
	_ = addShuffle("arrayPartialShuffle", 2, "The array with its first n places filled at random.")
	_ = addShuffle("arrayRandomSample", 2, "n elements at random.")
)

func addShuffle(name string, minArgs int, summary string) bool {
	syntax, example := "(arr[, seed])", "([1, 2, 3])"
	if minArgs == 2 {
		syntax, example = "(arr, n)", "([1, 2, 3], 2)"
	}
	maxArgs := 2
	if name == "arrayPartialShuffle" {
		syntax, minArgs, maxArgs = "(arr[, n[, seed]])", 1, 3
	}
	return add(functions.Scalar{
		Name: name, CaseInsensitive: name != "arrayRandomSample", MinArgs: minArgs, MaxArgs: maxArgs,
		Doc:  functions.Doc{Syntax: name + syntax, Summary: summary, Examples: []string{"SELECT length(" + name + example + ")"}},
		Bind: bindShuffle(name),
	})
}

func bindShuffle(name string) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "ai", args); err != nil {
			return nil, err
		}
		random := env.Random
		return &expr.Function{Result: args[0].Type, Volatile: true, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			a := kernel.Arrays(args[0])
			p := newPicker(rows, a.Elems.Len())
			for i := range rows {
				from, to := a.Bounds(i)
				limit := int64(to - from)
				if name != "arrayShuffle" && len(args) > 1 {
					limit = kernel.Integers(args[1]).At(i)
				}
				if limit < 0 || name == "arrayRandomSample" && limit > int64(to-from) {
					return nil, cherr.New(cherr.ArgumentOutOfBound, "Second argument of function %s cannot be greater than the size of the array", name)
				}
				next := random
				if seedAt := map[string]int{"arrayShuffle": 1, "arrayPartialShuffle": 2}[name]; seedAt > 0 && len(args) > seedAt {
					next = seeded(uint64(kernel.Integers(args[seedAt]).At(i)))
				}
				start := len(p.positions)
				p.addRange(from, to)
				row := p.positions[start:]
				for k := 0; k < int(min(limit, int64(len(row)))); k++ {
					j := k + int(next()%uint64(len(row)-k))
					row[k], row[j] = row[j], row[k]
				}
				if name == "arrayRandomSample" {
					p.positions = p.positions[:start+int(limit)]
				}
				p.end()
			}
			return p.column(a.Elems), nil
		}}, nil
	}
}

// seeded gives numbers that depend on the seed alone.
func seeded(state uint64) func() uint64 {
	return func() uint64 {
		state += 0x9E3779B97F4A7C15
		z := (state ^ state>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return z ^ z>>31
	}
}

var _ = add(functions.Scalar{
	Name: "arrayRemove", AnyCase: []string{"array_remove"}, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "arrayRemove(arr, x)", Summary: "The array without the elements equal to x; NULL equals NULL.", Examples: []string{"SELECT arrayRemove([1, 2, 1], 1)"}},
	Bind: bindRemove,
})

func bindRemove(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayRemove", "ax", args); err != nil {
		return nil, err
	}
	elem, x := elemType(args[0].Type), types.WithoutLowCardinality(args[1].Type)
	common, err := types.Super(elem, x)
	if err != nil {
		return nil, err
	}
	casters, err := kernel.Casters(env, []functions.Arg{{Type: elem}, {Type: x}}, common)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: args[0].Type, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		a := kernel.Arrays(args[0])
		cols, err := kernel.ApplyAll(ctx, casters, []column.Column{a.Elems, args[1]})
		if err != nil {
			return nil, err
		}
		eq := equality(cols[0], cols[1])
		p := newPicker(rows, a.Elems.Len())
		for i := range rows {
			for e, to := a.Bounds(i); e < to; e++ {
				if !eq(e, i) {
					p.add(e)
				}
			}
			p.end()
		}
		return p.column(a.Elems), nil
	}}, nil
}
