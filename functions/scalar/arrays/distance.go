package arrays

import (
	"context"
	"math"
	"math/bits"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// distance is a function of two vectors, and of their differences for a norm.
type distance struct {
	name, alias, summary string
	f                    func(a, b []float64, p float64) float64
}

var (
	distances = []distance{
		{"L1Distance", "distanceL1", "Sum of absolute differences.", func(a, b []float64, _ float64) float64 {
			return sumOver(a, b, func(x, y float64) float64 { return math.Abs(x - y) })
		}},
		{"L2Distance", "distanceL2", "Euclidean distance.", func(a, b []float64, _ float64) float64 {
			return math.Sqrt(sumOver(a, b, func(x, y float64) float64 { return (x - y) * (x - y) }))
		}},
		{"L2SquaredDistance", "distanceL2Squared", "Square of the Euclidean distance.", func(a, b []float64, _ float64) float64 {
			return sumOver(a, b, func(x, y float64) float64 { return (x - y) * (x - y) })
		}},
		{"LinfDistance", "distanceLinf", "Greatest absolute difference.", func(a, b []float64, _ float64) float64 {
			m := 0.0
			for i := range a {
				m = math.Max(m, math.Abs(a[i]-b[i]))
			}
			return m
		}},
		{"LpDistance", "distanceLp", "Distance in the space Lp.", func(a, b []float64, p float64) float64 {
			return math.Pow(sumOver(a, b, func(x, y float64) float64 { return math.Pow(math.Abs(x-y), p) }), 1/p)
		}},
		{"cosineDistance", "distanceCosine", "One minus the cosine of the angle.", func(a, b []float64, _ float64) float64 {
			return 1 - dot(a, b)/(math.Sqrt(dot(a, a))*math.Sqrt(dot(b, b)))
		}},
	}
	norms = []distance{
		{"L1Norm", "normL1", "Sum of absolute values.", distances[0].f},
		{"L2Norm", "normL2", "Length of a vector.", distances[1].f},
		{"L2SquaredNorm", "normL2Squared", "Square of the length of a vector.", distances[2].f},
		{"LinfNorm", "normLinf", "Greatest absolute value.", distances[3].f},
		{"LpNorm", "normLp", "Norm in the space Lp.", distances[4].f},
	}
	_ = addDistances(distances, 2)
	_ = addDistances(norms, 1)
	_ = add(functions.Scalar{
		Name: "dotProduct", Aliases: []string{"arrayDotProduct"}, AnyCase: []string{"scalarProduct"}, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "dotProduct(a, b)", Summary: "Sum of the products of the elements of two arrays or tuples.", Examples: []string{"SELECT dotProduct([1, 2], [3, 4])"}},
		Bind: bindDot,
	})
)

func sumOver(a, b []float64, f func(x, y float64) float64) float64 {
	s := 0.0
	for i := range a {
		s += f(a[i], b[i])
	}
	return s
}

func dot(a, b []float64) float64 {
	return sumOver(a, b, func(x, y float64) float64 { return x * y })
}

func addDistances(list []distance, vectors int) bool {
	for _, d := range list {
		n := vectors
		example := "SELECT " + d.name + "([1, 2], [3, 4])"
		if vectors == 1 {
			example = "SELECT " + d.name + "([1, 2])"
		}
		if d.name[:2] == "Lp" {
			n++
			example = example[:len(example)-1] + ", 3)"
		}
		add(functions.Scalar{
			Name: d.name, AnyCase: []string{d.alias}, MinArgs: n, MaxArgs: n,
			Doc:  functions.Doc{Syntax: d.name + "(vector, …)", Summary: d.summary + " Vectors are arrays or tuples of numbers.", Examples: []string{example}},
			Bind: bindDistance(d, vectors, n > vectors),
		})
	}
	return true
}

// vectorType tells whether t is an array of numbers, and whether all of them
// are Float32.
func vectorType(t *types.Type) (ok, single bool) {
	if t.Kind() != types.KindArray {
		return false, false
	}
	e := t.Elem()
	return types.Unwrap(e).IsNumber() || e.Kind() == types.KindNothing, types.Unwrap(e).Kind() == types.KindFloat32
}

// vectors gives the numbers of row i as a slice of one buffer.
func vectors(t *types.Type, c column.Column) func(i int) []float64 {
	a := kernel.Arrays(column.Full(c))
	flat := kernel.ToFloats(a.Elems, t.Elem())
	return func(i int) []float64 {
		from, to := a.Bounds(i)
		return flat[from:to]
	}
}

func bindDistance(d distance, n int, withP bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.Kind() == types.KindTuple {
			return bindTupleVector(env, d.name, n, args)
		}
		single := true
		for i := range n {
			ok, s := vectorType(args[i].Type)
			if !ok {
				return nil, kernel.WrongType(d.name, i, args[i].Type)
			}
			single = single && s
		}
		if withP {
			if err := checkP(d.name, args, n); err != nil {
				return nil, err
			}
		}
		ts := kernel.Types(args)
		result := types.Float64
		if single {
			result = types.Float32
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			a := vectors(ts[0], args[0])
			b := func(int) []float64 { return nil }
			if n == 2 {
				b = vectors(ts[1], args[1])
			}
			p := 1.0
			if withP {
				p = kernel.Floats(args[n], ts[n]).At(0)
			}
			out := make([]float64, rows)
			var zeros []float64
			for i := range out {
				x, y := a(i), b(i)
				if n == 1 {
					for len(zeros) < len(x) {
						zeros = append(zeros, 0)
					}
					y = zeros[:len(x)]
				}
				if len(x) != len(y) {
					return nil, cherr.New(cherr.SizesOfArraysDontMatch, "Arguments of function %s have different array sizes: %d and %d", d.name, len(x), len(y))
				}
				out[i] = d.f(x, y, p)
			}
			if single {
				return kernel.Each(rows, func(i int) float32 { return float32(out[i]) }), nil
			}
			return column.NewFixed(out), nil
		}), nil
	}
}

// productType is the type of a sum of products: integers twice as wide as the
// wider factor, signed if either is.
func productType(elems []*types.Type) *types.Type {
	width, signed := 1, false
	for _, e := range elems {
		e = types.Unwrap(e)
		if e.IsFloat() || e.IsDecimal() {
			return types.Float64
		}
		width = max(width, e.Bytes())
		signed = signed || e.IsSigned()
	}
	byWidth := []*types.Type{types.UInt16, types.UInt32, types.UInt64}
	if signed {
		byWidth = []*types.Type{types.Int16, types.Int32, types.Int64}
	}
	return byWidth[min(bits.Len(uint(width))-1, 2)]
}

func bindDot(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() == types.KindTuple {
		return bindTupleVector(env, "dotProduct", 2, args)
	}
	single := true
	var elems []*types.Type
	for i, a := range args {
		ok, s := vectorType(a.Type)
		if !ok {
			return nil, kernel.WrongType("dotProduct", i, a.Type)
		}
		single = single && s
		elems = append(elems, a.Type.Elems()...)
	}
	ts, result := kernel.Types(args), productType(elems)
	if single {
		result = types.Float32
	}
	narrow, err := kernel.Cast(env, types.Float64, result)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		a, b := vectors(ts[0], args[0]), vectors(ts[1], args[1])
		out := make([]float64, rows)
		for i := range out {
			x, y := a(i), b(i)
			if len(x) != len(y) {
				return nil, cherr.New(cherr.SizesOfArraysDontMatch, "Arguments of function arrayDotProduct have different array sizes: %d and %d", len(x), len(y))
			}
			out[i] = dot(x, y)
		}
		return narrow.Apply(ctx, column.NewFixed(out))
	}}, nil
}
