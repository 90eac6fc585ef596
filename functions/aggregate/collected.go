package aggregate

import (
	"math"
	"slices"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// floatsFunc describes a function that takes numbers as floats, in the order
// of the rows, and gives a value.
type floatsFunc struct {
	name    string
	aliases []string
	args    int
	params  int // at most; all numbers
	summary string
	result  func(args []*types.Type) *types.Type
	ordered bool
	value   func(params []float64, v [][]float64) column.Value
}

func (f floatsFunc) register() bool {
	return add(functions.Aggregate{
		Name: f.name, Aliases: f.aliases, OrderDependent: f.ordered,
		Doc:  functions.Doc{Syntax: f.name + "(…)", Summary: f.summary},
		Bind: f.bind,
	})
}

func (f floatsFunc) bind(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
	if len(params) > f.params {
		return nil, noParams(f.name, params)
	}
	if len(args) != f.args {
		return nil, wrongCount(f.name)
	}
	p := make([]float64, f.params)
	for i := range p {
		p[i] = math.NaN()
	}
	for i := range params {
		p[i], _ = paramFloat(params[i])
	}
	for _, t := range args {
		if !numeric(t) && !t.IsDateOrTime() {
			return nil, illegal(f.name, t)
		}
	}
	c := &collecting{types: args, result: f.result(args)}
	c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
		v := make([][]float64, len(cols))
		for i, col := range cols {
			v[i] = floatsOf(args[i], col.Slice(from, to))
		}
		x := f.value(p, v)
		if n, ok := x.(float64); ok {
			x = fromFloat(c.result, n)
		}
		out.AppendValue(x)
		return nil
	}
	return c.bound(), nil
}

func always(t *types.Type) func([]*types.Type) *types.Type {
	return func([]*types.Type) *types.Type { return t }
}

var _ = floatsFunc{
	name: "boundingRatio", args: 2, summary: "The slope between the points with least and greatest x.", result: always(types.Float64),
	value: func(_ []float64, v [][]float64) column.Value {
		x, y := v[0], v[1]
		if len(x) == 0 {
			return math.NaN()
		}
		lo, hi := 0, 0
		for i := range x {
			if x[i] < x[lo] {
				lo = i
			}
			if x[i] > x[hi] {
				hi = i
			}
		}
		return (y[hi] - y[lo]) / (x[hi] - x[lo])
	},
}.register()

var _ = floatsFunc{
	name: "exponentialMovingAverage", args: 2, params: 1, ordered: true, summary: "The average that forgets half in the time given.", result: always(types.Float64),
	value: func(p []float64, v [][]float64) column.Value {
		var value, at float64
		for i, x := range v[0] {
			t := v[1][i]
			// Each step first fades the old value, then adds the new one.
			if i > 0 {
				value *= math.Exp2((at - t) / p[0])
			}
			value += x
			at = t
		}
		return value * (1 - math.Exp2(-1/p[0]))
	},
}.register()

var _ = floatsFunc{
	name: "intervalLengthSum", args: 2, summary: "The length that intervals cover together.",
	result: func(args []*types.Type) *types.Type {
		if args[0].IsFloat() {
			return types.Float64
		}
		return types.UInt64
	},
	value: func(_ []float64, v [][]float64) column.Value { return covered(v[0], v[1]) },
}.register()

// covered gives the length of the union of intervals; as UInt64 it is boxed by
// the caller's type.
func covered(from, to []float64) float64 {
	rows := make([]int, len(from))
	for i := range rows {
		rows[i] = i
	}
	sort.Slice(rows, func(a, b int) bool { return from[rows[a]] < from[rows[b]] })
	sum, end := 0.0, math.Inf(-1)
	for _, r := range rows {
		if to[r] <= end {
			continue
		}
		sum += to[r] - max(from[r], end)
		end = to[r]
	}
	return sum
}

var _ = floatsFunc{
	name: "maxIntersections", args: 2, summary: "How many intervals overlap at most.", result: always(types.UInt64),
	value: func(_ []float64, v [][]float64) column.Value { n, _ := mostOverlap(v[0], v[1]); return n },
}.register()

var _ = floatsFunc{
	name: "maxIntersectionsPosition", args: 2, summary: "Where the most intervals begin to overlap.", result: func(args []*types.Type) *types.Type { return args[0] },
	value: func(_ []float64, v [][]float64) column.Value { _, at := mostOverlap(v[0], v[1]); return at },
}.register()

func mostOverlap(from, to []float64) (most uint64, at float64) {
	type edge struct {
		at float64
		by int
	}
	var edges []edge
	for i := range from {
		edges = append(edges, edge{from[i], 1}, edge{to[i], -1})
	}
	slices.SortStableFunc(edges, func(a, b edge) int {
		if a.at != b.at {
			if a.at < b.at {
				return -1
			}
			return 1
		}
		return a.by - b.by
	})
	n := 0
	for _, e := range edges {
		if n += e.by; n > int(most) {
			most, at = uint64(n), e.at
		}
	}
	return most, at
}

var _ = floatsFunc{
	name: "rankCorr", args: 2, summary: "The correlation of ranks.", result: always(types.Float64),
	value: func(_ []float64, v [][]float64) column.Value {
		v = withoutNaN(v)
		x, y := ranks(v[0]), ranks(v[1])
		n := float64(len(x))
		if n < 2 || slices.ContainsFunc(v[0], math.IsNaN) || slices.ContainsFunc(v[1], math.IsNaN) {
			return math.NaN()
		}
		sum := 0.0
		for i := range x {
			sum += (x[i] - y[i]) * (x[i] - y[i])
		}
		return 1 - 6*sum/(n*(n*n-1))
	},
}.register()

// withoutNaN leaves out the pairs with a NaN: it has no rank.
func withoutNaN(v [][]float64) [][]float64 {
	out := make([][]float64, 2)
	for i, x := range v[0] {
		if y := v[1][i]; x == x && y == y {
			out[0], out[1] = append(out[0], x), append(out[1], y)
		}
	}
	return out
}

// ranks gives places from 1; equal values share the mean of theirs.
func ranks(v []float64) []float64 {
	rows := make([]int, len(v))
	for i := range rows {
		rows[i] = i
	}
	sort.SliceStable(rows, func(a, b int) bool { return v[rows[a]] < v[rows[b]] })
	out := make([]float64, len(v))
	for from := 0; from < len(rows); {
		to := from
		for to == from || (to < len(rows) && v[rows[to]] == v[rows[from]]) { // NaN does not equal itself
			to++
		}
		for k := from; k < to; k++ {
			out[rows[k]] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

var _ = add(functions.Aggregate{
	Name: "entropy",
	Doc:  functions.Doc{Syntax: "entropy(x)", Summary: "The Shannon entropy of the values, in bits.", Examples: []string{"SELECT entropy(number) FROM numbers(4)"}},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := noParams("entropy", params); err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return nil, wrongCount("entropy")
		}
		c := &collecting{types: args, result: types.Float64}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			counts := map[types.U128]float64{}
			for _, k := range keysOf(cutAll(cols, from, to), to-from) {
				counts[k]++
			}
			sum := make([]float64, 0, len(counts))
			for _, n := range counts {
				p := n / float64(to-from)
				sum = append(sum, -p*math.Log2(p))
			}
			slices.Sort(sum) // the order of a map must not show in the digits
			h := 0.0
			for _, x := range sum {
				h += x
			}
			out.AppendValue(h)
			return nil
		}
		return c.bound(), nil
	},
})

func cutAll(cols []column.Column, from, to int) []column.Column {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		out[i] = c.Slice(from, to)
	}
	return out
}

var _ = add(functions.Aggregate{
	Name: "singleValueOrNull", KeepNulls: true,
	Doc: functions.Doc{Syntax: "singleValueOrNull(x)", Summary: "The value, if all rows have the same one, else NULL.", Examples: []string{"SELECT singleValueOrNull(1)"}},
	Bind: unary("singleValueOrNull", func(t *types.Type) (*functions.BoundAggregate, error) {
		c := &collecting{types: []*types.Type{t}, result: types.Nullable(t)}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			for r := from + 1; r < to; r++ {
				if column.Compare(cols[0], from, cols[0], r, 1) != 0 {
					to = from
				}
			}
			if to == from {
				out.AppendDefault()
			} else {
				out.AppendRange(cols[0], from, from+1)
			}
			return nil
		}
		return c.bound(), nil
	}),
})

var _ = add(functions.Aggregate{
	Name: "anyHeavy", OrderDependent: true,
	Doc: functions.Doc{Syntax: "anyHeavy(x)", Summary: "The value of more than half of the rows, if there is one.", Examples: []string{"SELECT anyHeavy(1)"}},
	Bind: unary("anyHeavy", func(t *types.Type) (*functions.BoundAggregate, error) {
		c := &collecting{types: []*types.Type{t}, result: t}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			at, n := from, 0
			for r := from; r < to; r++ {
				switch {
				case column.Compare(cols[0], at, cols[0], r, 1) == 0:
					n++
				case n == 0:
					at, n = r, 1
				default:
					n--
				}
			}
			if from == to {
				out.AppendDefault()
			} else {
				out.AppendRange(cols[0], at, at+1)
			}
			return nil
		}
		return c.bound(), nil
	}),
})

func addDelta(name string, stamped bool) bool {
	return add(functions.Aggregate{
		Name: name, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "(x)", Summary: "The sum of the rises from row to row."},
		Bind: func(_ *functions.Env, _ []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			if stamped && len(args) != 2 || !stamped && len(args) != 1 {
				return nil, wrongCount(name)
			}
			if !args[0].IsNativeNumber() && !args[0].IsDateOrTime() {
				return nil, illegal(name, args[0])
			}
			c := &collecting{types: args, result: args[0]}
			c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
				v := numbersOf[float64](cols[0])
				rows := make([]int, 0, to-from)
				for r := from; r < to; r++ {
					rows = append(rows, r)
				}
				if stamped {
					at := numbersOf[float64](cols[1])
					sort.SliceStable(rows, func(a, b int) bool { return at[rows[a]] < at[rows[b]] })
				}
				sum := 0.0
				for i := 1; i < len(rows); i++ {
					sum += max(v[rows[i]]-v[rows[i-1]], 0)
				}
				out.AppendValue(fromFloat(args[0], sum))
				return nil
			}
			return c.bound(), nil
		},
	})
}

var (
	_ = addDelta("deltaSum", false)
	_ = addDelta("deltaSumTimestamp", true)
)

var _ = add(functions.Aggregate{
	Name: "retention",
	Doc:  functions.Doc{Syntax: "retention(cond1, cond2, …)", Summary: "Which conditions held for any row, together with the first.", Examples: []string{"SELECT retention(number = 1, number = 2) FROM numbers(3)"}},
	Bind: func(_ *functions.Env, _ []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if len(args) < 2 || len(args) > 32 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function retention requires at least two and at most 32 conditions")
		}
		n := len(args)
		o := &ops[uint32]{
			add: func(a *states[uint32], groups []uint32, args []column.Column) error {
				for k, c := range args {
					v := numbersOf[uint8](c)
					for i, g := range groups {
						if v[i] != 0 {
							a.s[g] |= 1 << k
						}
					}
				}
				return nil
			},
			merge: func(_ *states[uint32], to, from *uint32) error { *to |= *from; return nil },
			result: func(s []uint32) (column.Column, error) {
				b := column.NewBuilder(types.Array(types.UInt8), len(s))
				for _, x := range s {
					row := make(column.Row, n)
					for k := range row {
						row[k] = uint8(x & 1 & (x >> k))
					}
					b.AppendValue(row)
				}
				return b.Finish(), nil
			},
			encode: func(s *uint32, dst []byte) []byte { return putUint32(dst, *s) },
			decode: func(s *uint32, r *reader) { *s = r.uint32() },
		}
		return bound(types.Array(types.UInt8), o.new), nil
	},
})
