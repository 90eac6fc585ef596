package aggregate

import (
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addCombinator(functions.Combinator{
	Suffix: "State",
	Doc: functions.Doc{
		Syntax: "fState(…)", Summary: "The state of the function, to be merged later.",
		Examples: []string{"SELECT sumMerge(s) FROM (SELECT sumState(number) AS s FROM numbers(10))"},
	},
	Args: sameArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		b := wrap(nested, "State", stateType(nested, params, args), func() functions.Accumulator { return &stateAcc{nested.New()} })
		b.State = b.Result
		return b, nil
	},
})

var _ = addCombinator(functions.Combinator{
	Suffix: "SimpleState",
	Doc: functions.Doc{
		Syntax: "fSimpleState(…)", Summary: "The result as SimpleAggregateFunction.",
		Examples: []string{"SELECT toTypeName(sumSimpleState(number)) FROM numbers(1)"},
	},
	Args: sameArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, params []functions.Param, _ []*types.Type) (*functions.BoundAggregate, error) {
		result := types.SimpleAggregateFunction(types.AggregateSpec{Function: nested.Name, Params: texts(params)}, nested.Result)
		return wrap(nested, "SimpleState", result, nested.New), nil
	},
})

var _ = addCombinator(functions.Combinator{
	Suffix: "Merge",
	Doc: functions.Doc{
		Syntax: "fMerge(state)", Summary: "Merges states and gives the result.",
		Examples: []string{"SELECT sumMerge(s) FROM (SELECT sumState(number) AS s FROM numbers(10))"},
	},
	Args: mergeArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := sameStates(nested, params, args[0]); err != nil {
			return nil, err
		}
		return wrap(nested, "Merge", nested.Result, func() functions.Accumulator { return &mergeAcc{nested.New()} }), nil
	},
})

var _ = addCombinator(functions.Combinator{
	Suffix: "MergeState",
	Doc: functions.Doc{
		Syntax: "fMergeState(state)", Summary: "Merges states into one state.",
		Examples: []string{"SELECT sumMerge(s) FROM (SELECT sumMergeState(t) AS s FROM (SELECT sumState(number) AS t FROM numbers(10)))"},
	},
	Args: mergeArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		return wrap(nested, "MergeState", types.WithoutLowCardinality(args[0]), func() functions.Accumulator {
			return &stateAcc{&mergeAcc{nested.New()}}
		}), nil
	},
})

func mergeArgs(_ []functions.Param, args []*types.Type) ([]*types.Type, error) {
	if len(args) != 1 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of arguments for aggregate function with Merge suffix")
	}
	if args[0].Kind() != types.KindAggregateFunction {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument for aggregate function with Merge suffix must be AggregateFunction(...)", args[0])
	}
	return args[0].Elems(), nil
}

// sameStates tells whether states of a type can be merged by a function: with
// or without -OrNull they are not alike, and those of topK depend on its
// parameters.
func sameStates(nested *functions.BoundAggregate, params []functions.Param, state *types.Type) error {
	spec := state.Aggregate()
	top := strings.HasPrefix(nested.Name, "topK") || strings.HasPrefix(nested.Name, "approx_top")
	if strings.Contains(nested.Name, "OrNull") == strings.Contains(spec.Function, "OrNull") && (!top || slices.Equal(texts(params), spec.Params)) {
		return nil
	}
	return cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument for aggregate function %sMerge: the states of the two are not alike", state, nested.Name)
}

func texts(params []functions.Param) []string {
	out := make([]string, len(params))
	for i, p := range params {
		out[i] = p.Text
	}
	return out
}

func stateType(nested *functions.BoundAggregate, params []functions.Param, args []*types.Type) *types.Type {
	plain := make([]*types.Type, len(args))
	for i, a := range args {
		plain[i] = types.WithoutLowCardinality(a)
	}
	return types.AggregateFunction(types.AggregateSpec{Function: nested.Name, Params: texts(params)}, plain)
}

// stateAcc gives serialised states as its result.
type stateAcc struct{ functions.Accumulator }

func (a *stateAcc) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.Accumulator.Merge(groups, from.(*stateAcc).Accumulator, some)
}

func (a *stateAcc) Result(from, to int) (column.Column, error) {
	out := &column.Str{Start: make([]uint32, 0, to-from), Lns: make([]uint32, 0, to-from)}
	for g := from; g < to; g++ {
		at := len(out.Data)
		out.Data = a.Accumulator.Encode(g, out.Data)
		out.Seal(at)
	}
	return out, nil
}

// mergeAcc takes serialised states as its argument.
type mergeAcc struct{ functions.Accumulator }

func (a *mergeAcc) Add(groups []uint32, args []column.Column, rows int) error {
	v, codes := strForm(args[0])
	for i, g := range groupsOf(groups, rows) {
		r := i
		if codes != nil {
			r = int(codes[i])
		}
		state := v.At(r)
		if len(state) == 0 { // a default value: the empty state
			continue
		}
		if _, err := a.Decode(int(g), state); err != nil {
			return err
		}
	}
	return nil
}

func (a *mergeAcc) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.Accumulator.Merge(groups, from.(*mergeAcc).Accumulator, some)
}
