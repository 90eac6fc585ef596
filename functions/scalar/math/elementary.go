package math

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = addElementary()

func addElementary() bool { // long: a table
	for _, f := range []struct {
		name, summary string
		insensitive   bool
		aliases       []string
		f             func(x float64) float64
	}{
		{"exp", "e to the power of x.", true, nil, math.Exp},
		{"exp2", "2 to the power of x.", false, nil, math.Exp2},
		{"exp10", "10 to the power of x.", false, nil, exp10},
		{"expm1", "e to the power of x, minus one.", false, nil, math.Expm1},
		{"log", "Natural logarithm.", true, []string{"ln"}, math.Log},
		{"log2", "Logarithm to the base 2.", true, nil, math.Log2},
		{"log10", "Logarithm to the base 10.", true, nil, math.Log10},
		{"log1p", "Natural logarithm of 1 + x.", false, nil, math.Log1p},
		{"sqrt", "Square root.", true, nil, math.Sqrt},
		{"cbrt", "Cube root.", false, nil, math.Cbrt},
		{"erf", "Error function.", false, nil, math.Erf},
		{"erfc", "One minus the error function.", false, nil, math.Erfc},
		{"lgamma", "Logarithm of the gamma function.", false, nil, func(x float64) float64 { v, _ := math.Lgamma(x); return v }},
		{"tgamma", "Gamma function.", false, nil, math.Gamma},
		{"sin", "Sine.", true, nil, math.Sin},
		{"cos", "Cosine.", true, nil, math.Cos},
		{"tan", "Tangent.", true, nil, math.Tan},
		{"asin", "Arc sine.", true, nil, math.Asin},
		{"acos", "Arc cosine.", true, nil, math.Acos},
		{"atan", "Arc tangent.", true, nil, math.Atan},
		{"sinh", "Hyperbolic sine.", false, nil, math.Sinh},
		{"cosh", "Hyperbolic cosine.", false, nil, math.Cosh},
		{"tanh", "Hyperbolic tangent.", true, nil, math.Tanh},
		{"asinh", "Inverse hyperbolic sine.", false, nil, math.Asinh},
		{"acosh", "Inverse hyperbolic cosine.", false, nil, math.Acosh},
		{"atanh", "Inverse hyperbolic tangent.", false, nil, math.Atanh},
		{"sigmoid", "1 / (1 + e to the power of -x).", false, nil, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		{"degrees", "Radians in degrees.", true, nil, func(x float64) float64 { return x * (180 / math.Pi) }},
		{"radians", "Degrees in radians.", true, nil, func(x float64) float64 { return x * (math.Pi / 180) }},
	} {
		add(functions.Scalar{
			Name: f.name, Aliases: f.aliases, CaseInsensitive: f.insensitive, MinArgs: 1, MaxArgs: 1,
			Doc:  functions.Doc{Syntax: f.name + "(x)", Summary: f.summary, Examples: []string{"SELECT " + f.name + "(1)"}},
			Bind: bindFloat(f.name, f.f),
		})
	}
	return true
}

func exp10(x float64) float64 {
	if x == math.Trunc(x) && math.Abs(x) < 400 {
		return math.Pow10(int(x))
	}
	return math.Pow(10, x)
}

func bindFloat(name string, f func(x float64) float64) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if !args[0].Type.IsNumber() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s", args[0].Type, name)
		}
		t := args[0].Type
		return kernel.Fn(types.Float64, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Floats(args[0], t)
			return kernel.Each(rows, func(i int) float64 { return f(in.At(i)) }), nil
		}), nil
	}
}

var (
	_ = add(functions.Scalar{
		Name: "pow", Aliases: []string{"power"}, CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "pow(x, y)", Summary: "x to the power of y.", Examples: []string{"SELECT pow(2, 3)"}},
		Bind: bindFloats("pow", math.Pow),
	})
	_ = add(functions.Scalar{
		Name: "atan2", CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "atan2(y, x)", Summary: "The angle of the point (x, y).", Examples: []string{"SELECT atan2(1, 1)"}},
		Bind: bindFloats("atan2", math.Atan2),
	})
	_ = add(functions.Scalar{
		Name: "hypot", CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "hypot(x, y)", Summary: "The length of the hypotenuse.", Examples: []string{"SELECT hypot(3, 4)"}},
		Bind: bindFloats("hypot", math.Hypot),
	})
	_ = add(functions.Scalar{
		Name: "pi", CaseInsensitive: true,
		Doc:  functions.Doc{Syntax: "pi()", Summary: "The number π.", Examples: []string{"SELECT pi()"}},
		Bind: bindConstant(math.Pi),
	})
	_ = add(functions.Scalar{
		Name: "e",
		Doc:  functions.Doc{Syntax: "e()", Summary: "Euler's number.", Examples: []string{"SELECT e()"}},
		Bind: bindConstant(math.E),
	})
)

func bindFloats(name string, f func(x, y float64) float64) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "N", args); err != nil {
			return nil, err
		}
		a, b := args[0].Type, args[1].Type
		return kernel.Fn(types.Float64, func(args []column.Column, rows int) (column.Column, error) {
			x, y := kernel.Floats(args[0], a), kernel.Floats(args[1], b)
			return kernel.Each(rows, func(i int) float64 { return f(x.At(i), y.At(i)) }), nil
		}), nil
	}
}

func bindConstant(v float64) kernel.Bind {
	return kernel.Typed("", "x", types.Float64, func(_ []column.Column, rows int) (column.Column, error) {
		return column.NewConst(column.NewFixed([]float64{v}), rows), nil
	})
}
