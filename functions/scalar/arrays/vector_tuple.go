package arrays

import (
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// tupleVector builds norms, distances and products of tuples of the functions
// over numbers, so that results have the types that sums and products have.
type tupleVector struct {
	env  *functions.Env
	name string
}

func (v tupleVector) same(args []functions.Arg) error {
	if len(args[0].Type.Elems()) != len(args[1].Type.Elems()) {
		return cherr.New(cherr.IllegalTypeOfArgument, "Expected tuples of the same size as arguments of function %s. Got %s and %s", v.name, args[0].Type, args[1].Type)
	}
	return nil
}

// each applies a function to the elements at the same place.
func (v tupleVector) each(name string, of ...[]kernel.Composed) ([]kernel.Composed, error) {
	out := make([]kernel.Composed, len(of[0]))
	for i := range out {
		in := make([]kernel.Composed, len(of))
		for j, values := range of {
			in[j] = values[i]
		}
		var err error
		if out[i], err = kernel.Compose(v.env, name, in...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v tupleVector) dot(a, b []kernel.Composed) (kernel.Composed, error) {
	products, err := v.each("multiply", a, b)
	if err != nil {
		return kernel.Composed{}, err
	}
	return kernel.Fold(v.env, "plus", products)
}

// norm is that of a space: L1, L2, L2Squared, Linf, Lp.
func (v tupleVector) norm(space string, of []kernel.Composed, p kernel.Composed) (kernel.Composed, error) {
	if len(of) == 0 {
		return kernel.Fold(v.env, "plus", nil)
	}
	if space == "L2" || space == "L2Squared" {
		squares, err := v.dot(of, of)
		if err != nil || space == "L2Squared" {
			return squares, err
		}
		return kernel.Compose(v.env, "sqrt", squares)
	}
	values, err := v.each("abs", of)
	if err != nil {
		return kernel.Composed{}, err
	}
	switch space {
	case "L1":
		return kernel.Fold(v.env, "plus", values)
	case "Linf":
		return v.greatest(values)
	}
	for i := range values {
		if values[i], err = kernel.Compose(v.env, "pow", values[i], p); err != nil {
			return kernel.Composed{}, err
		}
	}
	sum, err := kernel.Fold(v.env, "plus", values)
	if err != nil {
		return kernel.Composed{}, err
	}
	f := kernel.Floats(p.Const, types.Unwrap(p.Type)).At(0)
	return kernel.Compose(v.env, "pow", sum, kernel.ConstOf(types.Float64, column.NewFixed([]float64{1 / f})))
}

// greatest is a Float64 unless there is but one value.
func (v tupleVector) greatest(values []kernel.Composed) (kernel.Composed, error) {
	if len(values) > 1 {
		for i := range values {
			var err error
			if values[i], err = kernel.Compose(v.env, "toFloat64", values[i]); err != nil {
				return kernel.Composed{}, err
			}
		}
	}
	return kernel.Fold(v.env, "greatest", values)
}

// bindTupleVector binds L…Norm, L…Distance, L…Normalize, cosineDistance and
// dotProduct over tuples.
func bindTupleVector(env *functions.Env, name string, vectors int, args []functions.Arg) (*expr.Function, error) {
	v := tupleVector{env, name}
	for i := range vectors {
		if args[i].Type.Kind() != types.KindTuple {
			return nil, kernel.WrongType(name, i, args[i].Type)
		}
	}
	if vectors == 2 {
		if err := v.same(args); err != nil {
			return nil, err
		}
	}
	var p kernel.Composed
	if len(args) > vectors {
		if err := checkP(name, args, vectors); err != nil {
			return nil, err
		}
		p = kernel.ArgOf(args, vectors)
	}
	a := kernel.ArgOf(args, 0).Elements()
	var out kernel.Composed
	var err error
	switch {
	case name == "dotProduct":
		out, err = v.dot(a, kernel.ArgOf(args, 1).Elements())
	case name == "cosineDistance":
		out, err = v.cosine(a, kernel.ArgOf(args, 1).Elements())
	case strings.HasSuffix(name, "Normalize"):
		if len(a) == 0 {
			return kernel.ArgOf(args, 0).Function(), nil
		}
		if out, err = v.norm(strings.TrimSuffix(name, "Normalize"), a, p); err == nil {
			out, err = kernel.Compose(env, "tupleDivideByNumber", kernel.ArgOf(args, 0), out)
		}
	default:
		space := strings.TrimSuffix(strings.TrimSuffix(name, "Norm"), "Distance")
		if vectors == 2 {
			if a, err = v.each("minus", a, kernel.ArgOf(args, 1).Elements()); err != nil {
				return nil, err
			}
		}
		out, err = v.norm(space, a, p)
	}
	if err != nil {
		return nil, err
	}
	return out.Function(), nil
}

func (v tupleVector) cosine(a, b []kernel.Composed) (kernel.Composed, error) {
	if len(a) == 0 {
		return kernel.Composed{}, cherr.New(cherr.IllegalTypeOfArgument, "Result of function cosineDistance is undefined for empty tuples")
	}
	parts := make([]kernel.Composed, 3)
	for i, of := range []func() (kernel.Composed, error){
		func() (kernel.Composed, error) { return v.dot(a, b) },
		func() (kernel.Composed, error) { return v.norm("L2", a, kernel.Composed{}) },
		func() (kernel.Composed, error) { return v.norm("L2", b, kernel.Composed{}) },
	} {
		var err error
		if parts[i], err = of(); err != nil {
			return kernel.Composed{}, err
		}
	}
	lengths, err := kernel.Compose(v.env, "multiply", parts[1], parts[2])
	if err != nil {
		return kernel.Composed{}, err
	}
	cosine, err := kernel.Compose(v.env, "divide", parts[0], lengths)
	if err != nil {
		return kernel.Composed{}, err
	}
	return kernel.Compose(v.env, "minus", kernel.ConstOf(types.UInt8, column.NewFixed([]uint8{1})), cosine)
}

// checkP checks the p of an Lp space: a constant number, not below one.
func checkP(name string, args []functions.Arg, i int) error {
	a := args[i]
	if t := types.Unwrap(a.Type); !t.IsNativeNumber() {
		return kernel.WrongType(name, i, a.Type)
	}
	if a.Const == nil {
		return kernel.NotConst(name, i)
	}
	if p := kernel.Floats(a.Const, types.Unwrap(a.Type)).At(0); !(p >= 1 && p-p == 0) {
		return cherr.New(cherr.ArgumentOutOfBound, "Argument p of function %s must be a finite number not less than one", name)
	}
	return nil
}

var _ = addNormalize()

func addNormalize() bool {
	for _, f := range []struct{ name, alias string }{{"L1Normalize", "normalizeL1"}, {"L2Normalize", "normalizeL2"}, {"LinfNormalize", "normalizeLinf"}, {"LpNormalize", "normalizeLp"}} {
		n, example := 1, "SELECT "+f.name+"((3, 4))"
		if f.name == "LpNormalize" {
			n, example = 2, "SELECT LpNormalize((3, 4), 5)"
		}
		add(functions.Scalar{
			Name: f.name, AnyCase: []string{f.alias}, MinArgs: n, MaxArgs: n,
			Doc: functions.Doc{Syntax: f.name + "(tuple)", Summary: "A tuple divided by its norm.", Examples: []string{example}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindTupleVector(env, f.name, 1, args)
			},
		})
	}
	return true
}
