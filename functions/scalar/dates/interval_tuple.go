package dates

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addIntervalTuple("addTupleOfIntervals", "plus", "A time with the intervals of a tuple added one after the other.")
	_ = addIntervalTuple("subtractTupleOfIntervals", "minus", "A time with the intervals of a tuple taken off one after the other.")
	_ = addIntervalJoin("addInterval", 1, "Intervals together: one more, or a greater one where the last is of the same unit.")
	_ = addIntervalJoin("subtractInterval", -1, "Intervals without one: the last less that, where it is of the same unit, or one more that is negative.")
)

func addIntervalTuple(name, op, summary string) struct{} {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(time, (interval, …))", Summary: summary, Examples: []string{"SELECT " + name + "(toDate('2022-10-11'), (INTERVAL 1 DAY, INTERVAL 1 MONTH))"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t := args[1].Type
			if !args[0].Type.IsDateOrTime() {
				return nil, kernel.WrongType(name, 0, args[0].Type)
			}
			if t.Kind() != types.KindTuple {
				return nil, kernel.WrongType(name, 1, t)
			}
			result := args[0].Type
			steps := make([]*expr.Function, len(t.Elems()))
			for i, e := range t.Elems() {
				f, err := env.Registry.BindScalar(env, op, []functions.Arg{{Type: result}, {Type: e}})
				if err != nil {
					return nil, err
				}
				steps[i], result = f, f.Result
			}
			return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
				out, intervals := args[0], column.Full(args[1]).(*column.Tuple)
				for i, f := range steps {
					var err error
					if out, err = f.Apply(ctx, []column.Column{out, intervals.Elems[i]}, rows); err != nil {
						return nil, err
					}
				}
				return out, nil
			}}, nil
		},
	})
}

func addIntervalJoin(name string, sign int64, summary string) struct{} {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(interval | (interval, …), interval)", Summary: summary, Examples: []string{"SELECT " + name + "(INTERVAL 1 DAY, INTERVAL 1 MONTH)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			have := []*types.Type{args[0].Type}
			if args[0].Type.Kind() == types.KindTuple {
				if have = args[0].Type.Elems(); len(have) == 0 {
					return kernel.ArgOf(args, 0).Function(), nil
				}
			}
			for _, t := range append([]*types.Type{args[1].Type}, have...) {
				if t.Kind() != types.KindInterval {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of an argument of function %s: an interval, or a tuple of them, is expected", t, name)
				}
			}
			same := len(have) > 0 && have[len(have)-1].Equal(args[1].Type)
			elems := append([]*types.Type(nil), have...)
			if !same {
				elems = append(elems, args[1].Type)
			}
			single := args[0].Type.Kind() == types.KindInterval
			return kernel.Fn(types.Tuple(elems, nil), func(args []column.Column, rows int) (column.Column, error) {
				out := &column.Tuple{N: rows}
				if single {
					out.Elems = []column.Column{column.Full(args[0])}
				} else {
					out.Elems = append(out.Elems, column.Full(args[0]).(*column.Tuple).Elems...)
				}
				more := kernel.Integers(args[1])
				last := kernel.Each(rows, func(i int) int64 { return sign * more.At(i) })
				if same {
					before := kernel.Integers(out.Elems[len(out.Elems)-1])
					for i := range last.Values {
						last.Values[i] += before.At(i)
					}
					out.Elems = out.Elems[:len(out.Elems)-1]
				}
				out.Elems = append(out.Elems, last)
				return out, nil
			}), nil
		},
	})
}
