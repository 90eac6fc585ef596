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

var (
	_ = add(functions.Scalar{
		Name: "arrayROCAUC", Aliases: []string{"arrayAUC"}, MinArgs: 2, MaxArgs: 4,
		Doc:  functions.Doc{Syntax: "arrayROCAUC(scores, labels[, scale[, [tp, fp, positives, negatives]]])", Summary: "Area under the receiver operating characteristic of scores against labels; scale false leaves it unscaled. The offsets are for a part of a curve.", Examples: []string{"SELECT arrayROCAUC([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])"}},
		Bind: bindArea("arrayROCAUC", 4, rocArea),
	})
	_ = add(functions.Scalar{
		Name: "arrayAUCPR", Aliases: []string{"arrayPRAUC"}, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "arrayAUCPR(scores, labels[, [tp, fp, positives]])", Summary: "Area under the curve of precision against recall. The offsets are for a part of a curve.", Examples: []string{"SELECT arrayAUCPR([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])"}},
		Bind: bindArea("arrayAUCPR", 3, precisionArea),
	})
)

// areaOf computes the area for scores and labels in falling order of scores.
// start holds the counts at the curve's begin and the totals, 0 for unknown.
type areaOf func(scores, labels, start []float64, scale bool) float64

// bindArea binds a function of scores and labels, a switch for scaling if it
// has four arguments, and offsets as the last.
func bindArea(name string, most int, area areaOf) func(*functions.Env, []functions.Arg) (*expr.Function, error) {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		scale := true
		if most == 4 && len(args) > 2 {
			v, ok := args[2].ConstInt()
			if !ok || args[2].Type.Kind() != types.KindBool {
				return nil, kernel.WrongType(name, 2, args[2].Type)
			}
			scale = v != 0
		}
		for i, a := range args {
			if i == 2 && most == 4 {
				continue
			}
			if a.Type.Kind() != types.KindArray || !a.Type.Elem().IsNativeNumber() && !(i == 1 && a.Type.Elem().IsEnum()) {
				return nil, kernel.WrongType(name, i, a.Type)
			}
		}
		ts := kernel.Types(args)
		return kernel.Fn(types.Float64, func(args []column.Column, rows int) (column.Column, error) {
			scores, labels := vectors(ts[0], args[0]), vectors(ts[1], args[1])
			start := func(int) []float64 { return make([]float64, most) }
			if len(args) == most {
				start = vectors(ts[most-1], args[most-1])
			}
			out := make([]float64, rows)
			for i := range out {
				s, l, o := scores(i), labels(i), start(i)
				if len(s) != len(l) {
					return nil, cherr.New(cherr.BadArguments, "Scores and labels of function %s must be of one length", name)
				}
				if len(o) != most {
					return nil, cherr.New(cherr.BadArguments, "Offsets of function %s must have %d elements", name, most)
				}
				for _, v := range o {
					if v < 0 {
						return nil, cherr.New(cherr.BadArguments, "Offsets of function %s must not be negative", name)
					}
				}
				order := fallingOrder(s)
				sorted, marks := make([]float64, len(s)), make([]float64, len(s))
				for k, e := range order {
					sorted[k], marks[k] = s[e], l[e]
				}
				out[i] = area(sorted, marks, o, scale)
			}
			return column.NewFixed(out), nil
		}), nil
	}
}

func fallingOrder(scores []float64) []int {
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
	return order
}

// rocArea goes down the scores; ties count as one step.
func rocArea(scores, labels, start []float64, scale bool) float64 {
	tp, fp := start[0], start[1]
	area, lastTP, lastFP := 0.0, tp, fp
	for n, s := range scores {
		if n > 0 && s != scores[n-1] {
			area += (fp - lastFP) * (tp + lastTP) / 2
			lastTP, lastFP = tp, fp
		}
		if labels[n] > 0 {
			tp++
		} else {
			fp++
		}
	}
	area += (fp - lastFP) * (tp + lastTP) / 2
	switch {
	case !scale:
		return area
	case start[2] > 0 || start[3] > 0:
		return area / (start[2] * start[3])
	}
	return area / ((tp - start[0]) * (fp - start[1]))
}

// precisionArea weighs the precision at each score with the recall gained.
func precisionArea(scores, labels, start []float64, _ bool) float64 {
	tp, fp := start[0], start[1]
	area, lastTP := 0.0, tp
	step := func() {
		if tp > lastTP {
			area += (tp - lastTP) * tp / (tp + fp)
			lastTP = tp
		}
	}
	for n, s := range scores {
		if n > 0 && s != scores[n-1] {
			step()
		}
		if labels[n] > 0 {
			tp++
		} else {
			fp++
		}
	}
	step()
	positives := start[2]
	if positives == 0 {
		positives = tp - start[0]
	}
	if positives == 0 {
		return 0
	}
	return area / positives
}
