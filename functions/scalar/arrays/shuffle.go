package arrays

import (
	"context"
	"math/bits"

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
			seed := random()
			if at := map[string]int{"arrayShuffle": 1, "arrayPartialShuffle": 2}[name]; at > 0 && len(args) > at && rows > 0 {
				seed = uint64(kernel.Integers(args[at]).At(0))
			}
			r := newPCG(seed)
			for i := range rows {
				from, to := a.Bounds(i)
				limit := int64(to - from)
				if name != "arrayShuffle" && len(args) > 1 {
					limit = kernel.Integers(args[1]).At(i)
				}
				if limit < 0 || name == "arrayRandomSample" && limit > int64(to-from) {
					return nil, cherr.New(cherr.ArgumentOutOfBound, "Second argument of function %s cannot be greater than the size of the array", name)
				}
				start := len(p.positions)
				p.addRange(from, to)
				row := p.positions[start:]
				if limit == 0 && name == "arrayPartialShuffle" {
					limit = int64(len(row))
				}
				for k := 0; k < int(min(limit, int64(len(row)-1))); k++ {
					j := k + int(r.below(uint64(len(row)-k)))
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

// pcg is the generator PCG XSL RR 128/64 (M. O'Neill, 2014) in its
// multiplicative form: arrays come out as ClickHouse shuffles them.
type pcg struct{ hi, lo uint64 }

func newPCG(seed uint64) *pcg { return &pcg{lo: seed | 3} }

func (r *pcg) next() uint64 {
	const mulHi, mulLo = 0x2360ED051FC65DA4, 0x4385DF649FCCF645
	hi, lo := bits.Mul64(r.lo, mulLo)
	r.hi, r.lo = hi+r.hi*mulLo+r.lo*mulHi, lo
	return bits.RotateLeft64(r.hi^r.lo, -int(r.hi>>58))
}

// below gives a number less than n: the lowest bits of the next one that fits.
func (r *pcg) below(n uint64) uint64 {
	if n < 2 {
		return 0
	}
	mask := uint64(1)<<bits.Len64(n-1) - 1
	for {
		if v := r.next() & mask; v < n {
			return v
		}
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
