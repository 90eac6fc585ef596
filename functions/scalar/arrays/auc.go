package arrays

import (
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "arrayROCAUC", Aliases: []string{"arrayAUC"}, MinArgs: 2, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "arrayROCAUC(scores, labels[, scale])", Summary: "Area under the receiver operating characteristic of scores against labels; scale false leaves it unscaled.", Examples: []string{"SELECT arrayROCAUC([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])"}},
	Bind: bindROC,
})

func bindROC(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayROCAUC", "aax", args); err != nil {
		return nil, err
	}
	for i := range 2 {
		if !args[i].Type.Elem().IsNativeNumber() && !args[i].Type.Elem().IsEnum() {
			return nil, kernel.WrongType("arrayROCAUC", i, args[i].Type)
		}
	}
	scale := true
	if len(args) == 3 {
		v, ok := args[2].ConstInt()
		if !ok || args[2].Type.Kind() != types.KindBool {
			return nil, kernel.WrongType("arrayROCAUC", 2, args[2].Type)
		}
		scale = v != 0
	}
	ts := kernel.Types(args)
	return kernel.Fn(types.Float64, func(args []column.Column, rows int) (column.Column, error) {
		scores, labels := vectors(ts[0], args[0], rows), vectors(ts[1], args[1], rows)
		out := make([]float64, rows)
		for i := range out {
			s, l := scores(i), labels(i)
			if len(s) != len(l) {
				return nil, cherr.New(cherr.BadArguments, "Scores and labels of function arrayROCAUC must be of one length")
			}
			out[i] = rocArea(s, l, scale)
		}
		return column.NewFixed(out), nil
	}), nil
}

// rocArea goes down the scores; ties count as one step.
func rocArea(scores, labels []float64, scale bool) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	area, tp, fp, lastTP, lastFP := 0.0, 0.0, 0.0, 0.0, 0.0
	for n, e := range order {
		if n > 0 && scores[e] != scores[order[n-1]] {
			area += (fp - lastFP) * (tp + lastTP) / 2
			lastTP, lastFP = tp, fp
		}
		if labels[e] > 0 {
			tp++
		} else {
			fp++
		}
	}
	area += (fp - lastFP) * (tp + lastTP) / 2
	if !scale {
		return area
	}
	return area / (tp * fp)
}
