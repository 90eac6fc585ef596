package aggregate

import (
	"math"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// levelsOf reads the levels of a quantile function; the default is the median.
func levelsOf(name string, many bool, params []functions.Param) ([]float64, error) {
	if !many && len(params) > 1 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires level parameter or nothing", name)
	}
	if len(params) == 0 {
		if many {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires at least one parameter", name)
		}
		return []float64{0.5}, nil
	}
	var out []float64
	for _, p := range params {
		v, ok := paramFloat(p)
		if !ok || !(v >= 0 && v <= 1) {
			return nil, cherr.New(cherr.ParameterOutOfBound, "Quantile level is out of range [0..1]")
		}
		out = append(out, v)
	}
	return out, nil
}

// quantileKind is one family: quantileX, quantilesX and medianX.
type quantileKind struct {
	suffix   string
	weighted bool // a second argument: the weight
	skip     int  // parameters before the levels
	summary  string
	check    func(t *types.Type) bool
	result   func(t *types.Type) *types.Type
	// answer gives the quantiles of one group's values, a row of args each.
	answer func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value
}

func (k quantileKind) register() bool {
	operands := "x"
	if k.weighted {
		operands = "x, weight"
	}
	for _, many := range []bool{false, true} {
		name := "quantile" + k.suffix
		aliases := []string{"median" + k.suffix}
		if many {
			name, aliases = "quantiles"+k.suffix, nil
		}
		add(functions.Aggregate{
			Name: name, Aliases: aliases,
			Doc:  functions.Doc{Syntax: name + "(level)(" + operands + ")", Summary: k.summary},
			Bind: k.bind(name, many),
		})
	}
	return true
}

func (k quantileKind) bind(name string, many bool) binder {
	return func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if len(params) < k.skip {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires an accuracy parameter", name)
		}
		levels, err := levelsOf(name, many, params[k.skip:])
		if err != nil {
			return nil, err
		}
		want := 1
		if k.weighted {
			want = 2
		}
		if len(args) != want {
			return nil, wrongCount(name)
		}
		if !k.check(args[0]) {
			return nil, illegal(name, args[0])
		}
		if k.weighted && !args[1].IsInteger() {
			return nil, illegal(name, args[1])
		}
		c := &collecting{types: args, result: k.result(args[0])}
		if many {
			c.result = types.Array(c.result)
		}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			v := k.answer(args[0], levels, cols, from, to)
			if many {
				out.AppendValue(column.Row(v))
			} else {
				out.AppendValue(v[0])
			}
			return nil
		}
		return c.bound(), nil
	}
}

func sameType(t *types.Type) *types.Type { return t }
func toFloat64(*types.Type) *types.Type  { return types.Float64 }
func toFloat32(*types.Type) *types.Type  { return types.Float32 }
func orderedKind(t *types.Type) bool     { return t.IsNumber() || t.IsDateOrTime() }

// ranked is the quantiles that are one of the values: at tells which of n.
func ranked(at func(level float64, n int) int) func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
	return func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		out := make([]column.Value, len(levels))
		if from == to {
			for i := range out {
				out[i] = noValue(t)
			}
			return out
		}
		rows := sortedRows(args[0], from, to)
		for i, l := range levels {
			out[i] = column.At(args[0], rows[at(l, len(rows))])
		}
		return out
	}
}

// noValue is a quantile of nothing: NaN for floats, else the type's default.
func noValue(t *types.Type) column.Value {
	switch t.Kind() {
	case types.KindFloat64:
		return math.NaN()
	case types.KindFloat32:
		return float32(math.NaN())
	}
	return column.At(column.Default(t, 1), 0)
}

// sortedRows orders rows [from, to) by value; NaN comes last.
func sortedRows(c column.Column, from, to int) []int {
	rows := make([]int, 0, to-from)
	v, _ := fastFloats(c)
	for r := from; r < to; r++ {
		if v != nil && v[r] != v[r] {
			continue
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		for r := from; r < to; r++ {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b int) int { return column.Compare(c, a, c, b, 1) })
	return rows
}

func fastFloats(c column.Column) ([]float64, bool) {
	f, ok := c.(*column.Fixed[float64])
	if !ok {
		return nil, false
	}
	return f.Values, true
}

func rankOf(level float64, n int) int {
	if level >= 1 {
		return n - 1
	}
	return min(int(level*float64(n)), n-1)
}

var _ = quantileKind{
	suffix: "Exact", summary: "The value at the level's place among all values in order.", check: orderedKind, result: sameType, answer: ranked(rankOf),
}.register()

var _ = quantileKind{
	suffix: "ExactLow", summary: "As quantileExact; the median of an even number of values is the lower of the middle ones.", check: orderedKind, result: sameType,
	answer: ranked(func(level float64, n int) int {
		if level == 0.5 {
			return (n - 1) / 2
		}
		return rankOf(level, n)
	}),
}.register()

var _ = quantileKind{
	suffix: "ExactHigh", summary: "As quantileExact; the median of an even number of values is the higher of the middle ones.", check: orderedKind, result: sameType,
	answer: ranked(func(level float64, n int) int {
		if level == 0.5 {
			return n / 2
		}
		return rankOf(level, n)
	}),
}.register()

// between is the quantiles that lie between two values: place gives the level's
// place counted from 1.
func between(place func(level, n float64) float64) func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
	return func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		v := sortedFloats(t, args[0], from, to)
		out := make([]column.Value, len(levels))
		for i, l := range levels {
			if len(v) == 0 {
				out[i] = math.NaN()
				continue
			}
			h := place(l, float64(len(v)))
			n := int(h)
			switch {
			case n < 1:
				out[i] = v[0]
			case n >= len(v):
				out[i] = v[len(v)-1]
			default:
				out[i] = v[n-1] + (h-float64(n))*(v[n]-v[n-1])
			}
		}
		return out
	}
}

func sortedFloats(t *types.Type, c column.Column, from, to int) []float64 {
	v := slices.Clone(floatsOf(t, c.Slice(from, to)))
	v = slices.DeleteFunc(v, func(x float64) bool { return x != x })
	slices.Sort(v)
	return v
}

var _ = quantileKind{
	suffix: "ExactInclusive", summary: "The quantile between values, the ends included.", check: isNumber, result: toFloat64,
	answer: between(func(level, n float64) float64 { return level*(n-1) + 1 }),
}.register()

var _ = quantileKind{
	suffix: "ExactExclusive", summary: "The quantile between values, the ends excluded.", check: isNumber, result: toFloat64,
	answer: between(func(level, n float64) float64 { return level * (n + 1) }),
}.register()

func isNumber(t *types.Type) bool { return t.IsNumber() }
