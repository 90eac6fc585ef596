package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addCombinator(functions.Combinator{
	Suffix: "If",
	Doc: functions.Doc{
		Syntax: "fIf(…, cond)", Summary: "Takes only the rows where the last argument is neither 0 nor NULL.",
		Examples: []string{"SELECT sumIf(number, number > 5) FROM numbers(10)"},
	},
	Args: func(_ []functions.Param, args []*types.Type) ([]*types.Type, error) {
		if len(args) == 0 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of arguments for aggregate function with If suffix")
		}
		last := types.Unwrap(args[len(args)-1])
		if last.Kind() != types.KindUInt8 && last.Kind() != types.KindBool && last.Kind() != types.KindNothing {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of last argument for aggregate function with If suffix", args[len(args)-1])
		}
		return args[:len(args)-1], nil
	},
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, _ []*types.Type) (*functions.BoundAggregate, error) {
		return wrap(nested, "If", nested.Result, func() functions.Accumulator { return &ifAcc{nested.New()} }), nil
	},
})

// wrap makes the bound function of a combinator.
func wrap(nested *functions.BoundAggregate, suffix string, result *types.Type, n func() functions.Accumulator) *functions.BoundAggregate {
	return &functions.BoundAggregate{Name: nested.Name + suffix, Result: result, New: n}
}

type ifAcc struct{ functions.Accumulator }

func (a *ifAcc) Add(groups []uint32, args []column.Column, rows int) error {
	last := len(args) - 1
	keep, all := truthy(args[last], rows)
	if all {
		return a.Accumulator.Add(groups, args[:last], rows)
	}
	return addRows(a.Accumulator, groups, args[:last], keep)
}

// addRows adds only the rows at the positions.
func addRows(to functions.Accumulator, groups []uint32, args []column.Column, rows []uint32) error {
	if len(rows) == 0 {
		return nil
	}
	kept := make([]column.Column, len(args))
	for i, c := range args {
		kept[i] = c.Gather(rows)
	}
	return to.Add(pickGroups(groups, rows), kept, len(rows))
}

func pickGroups(groups, rows []uint32) []uint32 {
	if groups == nil {
		return nil
	}
	out := make([]uint32, len(rows))
	for i, r := range rows {
		out[i] = groups[r]
	}
	return out
}

// truthy gives the rows where a condition is neither 0 nor NULL; all says that
// every row is.
func truthy(c column.Column, rows int) (keep []uint32, all bool) {
	if k, ok := c.(*column.Const); ok {
		keep, all = truthy(k.Value, 1)
		if all || len(keep) == 1 {
			return nil, true
		}
		return nil, false
	}
	values, null := column.SplitNulls(column.Full(c))
	f, ok := values.(*column.Fixed[uint8])
	if !ok { // Nothing: NULL everywhere
		return nil, false
	}
	keep = make([]uint32, 0, rows)
	for i, v := range f.Values {
		if v != 0 && (null == nil || null[i] == 0) {
			keep = append(keep, uint32(i))
		}
	}
	return keep, len(keep) == rows
}

func (a *ifAcc) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.Accumulator.Merge(groups, from.(*ifAcc).Accumulator, some)
}
