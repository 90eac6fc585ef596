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

var (
	_ = addColor("colorSRGBToOKLCH", "((r, g, b)", "A colour of sRGB as lightness, chroma and hue of OKLCH.", "((15, 241, 63))", toOKLCH)
	_ = addColor("colorOKLCHToSRGB", "((l, c, h)", "A colour of OKLCH as red, green and blue of sRGB.", "((0.4, 0.1, 45))", fromOKLCH)
)

// defaultGamma is between linear light and sRGB.
const defaultGamma = 2.2

func addColor(name, syntax, summary, example string, f func(x, y, z, gamma float64) (a, b, c float64)) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + syntax + "[, gamma])", Summary: summary, Examples: []string{"SELECT round(tupleElement(" + name + example + ", 1), 4)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t := args[0].Type
			if t.Kind() != types.KindTuple || len(t.Elems()) != 3 {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument of function %s must be a tuple of three numbers, got %s", name, t)
			}
			for _, e := range append(append([]*types.Type(nil), t.Elems()...), kernel.Types(args[1:])...) {
				if !types.Unwrap(e).IsNumber() {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "Arguments of function %s must be numbers, got %s", name, e)
				}
			}
			result := types.Tuple([]*types.Type{types.Float64, types.Float64, types.Float64}, nil)
			return kernel.Fn(result, func(cols []column.Column, rows int) (column.Column, error) {
				in := column.Full(cols[0]).(*column.Tuple)
				var parts [3]kernel.Nums[float64]
				for i := range parts {
					values, _ := column.SplitNulls(in.Elems[i])
					parts[i] = kernel.Floats(values, types.WithoutNullable(t.Elems()[i]))
				}
				gamma := func(int) float64 { return defaultGamma }
				if len(cols) > 1 {
					g := kernel.Floats(cols[1], args[1].Type)
					gamma = g.At
				}
				out := [3][]float64{make([]float64, rows), make([]float64, rows), make([]float64, rows)}
				for i := range rows {
					out[0][i], out[1][i], out[2][i] = f(parts[0].At(i), parts[1].At(i), parts[2].At(i), gamma(i))
				}
				return column.NewTuple(column.NewFixed(out[0]), column.NewFixed(out[1]), column.NewFixed(out[2])), nil
			}), nil
		},
	})
}

// toOKLCH goes by way of linear light and OKLab (B. Ottosson, 2020).
func toOKLCH(r, g, b, gamma float64) (lightness, chroma, hue float64) {
	r, g, b = math.Pow(r/255, gamma), math.Pow(g/255, gamma), math.Pow(b/255, gamma)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	lightness = 0.2104542553*l + 0.7936177850*m - 0.0040720468*s
	x := 1.9779984951*l - 2.4285922050*m + 0.4505937099*s
	y := 0.0259040371*l + 0.7827717662*m - 0.8086757660*s
	chroma = math.Sqrt(x*x + y*y)
	const gray = 1e-6
	if !(chroma >= gray) { // NaN too
		return lightness, 0, 0
	}
	hue = math.Atan2(y, x) * 180 / math.Pi
	if hue < 0 {
		hue += 360
	}
	return lightness, chroma, hue
}

func fromOKLCH(lightness, chroma, hue, gamma float64) (r, g, b float64) {
	x, y := chroma*math.Cos(hue*math.Pi/180), chroma*math.Sin(hue*math.Pi/180)
	cube := func(v float64) float64 { return v * v * v }
	l := cube(lightness + 0.3963377774*x + 0.2158037573*y)
	m := cube(lightness - 0.1055613458*x - 0.0638541728*y)
	s := cube(lightness - 0.0894841775*x - 1.2914855480*y)
	out := func(v float64) float64 {
		if v <= 0 {
			return 0
		}
		return 255 * math.Pow(min(v, 1), 1/gamma)
	}
	return out(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		out(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		out(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s)
}
