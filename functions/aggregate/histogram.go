package aggregate

import (
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "histogram", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "histogram(bins)(x)", Summary: "Bars of about equal weight: lower bound, upper bound, height.",
		Examples: []string{"SELECT histogram(3)(number) FROM numbers(6)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if len(params) != 1 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Function histogram requires single parameter: bins count")
		}
		bins, err := positiveParam("histogram", params[0])
		if err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, wrongCount("histogram")
		}
		if !isNumber(args[0]) {
			return nil, illegal("histogram", args[0])
		}
		c := &collecting{types: args, result: types.Array(types.Tuple([]*types.Type{types.Float64, types.Float64, types.Float64}, nil))}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			out.AppendValue(bars(sortedFloats(args[0], cols[0], from, to), bins))
			return nil
		}
		return c.bound(), nil
	},
})

// bars joins the nearest neighbours until there are few enough.
func bars(v []float64, bins int) column.Row {
	if len(v) == 0 {
		return column.Row{}
	}
	type point struct{ mean, n float64 }
	var p []point
	for _, x := range v {
		if k := len(p) - 1; k >= 0 && p[k].mean == x {
			p[k].n++
		} else {
			p = append(p, point{x, 1})
		}
	}
	for len(p) > bins {
		at := 0
		for i := 1; i+1 < len(p); i++ {
			if p[i+1].mean-p[i].mean < p[at+1].mean-p[at].mean {
				at = i
			}
		}
		n := p[at].n + p[at+1].n
		p[at] = point{(p[at].mean*p[at].n + p[at+1].mean*p[at+1].n) / n, n}
		p = slices.Delete(p, at+1, at+2)
	}
	out := make(column.Row, len(p))
	lo := v[0]
	for i := range p {
		hi := v[len(v)-1]
		if i+1 < len(p) {
			hi = (p[i].mean + p[i+1].mean) / 2
		}
		out[i] = column.Row{lo, hi, p[i].n}
		lo = hi
	}
	return out
}
