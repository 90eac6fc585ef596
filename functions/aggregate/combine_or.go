package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addCombinator(functions.Combinator{
	Suffix: "OrNull",
	Doc: functions.Doc{
		Syntax: "fOrNull(…)", Summary: "NULL when no row came.",
		Examples: []string{"SELECT sumOrNull(number) FROM numbers(0)"},
	},
	Args: sameArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, _ []*types.Type) (*functions.BoundAggregate, error) {
		null := (nested.Result.CanBeNullable() || nested.Result.Kind() == types.KindTuple) && !nested.Result.IsNullable()
		result := nested.Result
		if null {
			result = types.Nullable(result)
		}
		t := nested.Result
		return wrap(nested, "OrNull", result, func() functions.Accumulator {
			return &orAcc{Accumulator: nested.New(), t: t, null: null}
		}), nil
	},
})

var _ = addCombinator(functions.Combinator{
	Suffix: "OrDefault",
	Doc: functions.Doc{
		Syntax: "fOrDefault(…)", Summary: "The default value of the result's type when no row came.",
		Examples: []string{"SELECT avgOrDefault(number) FROM numbers(0)"},
	},
	Args: sameArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, _ []*types.Type) (*functions.BoundAggregate, error) {
		t := nested.Result
		return wrap(nested, "OrDefault", t, func() functions.Accumulator { return &orAcc{Accumulator: nested.New(), t: t} }), nil
	},
})

func sameArgs(_ []functions.Param, args []*types.Type) ([]*types.Type, error) { return args, nil }

// orAcc remembers which groups a row came to.
type orAcc struct {
	functions.Accumulator
	t    *types.Type // of the nested result
	null bool
	seen []uint8
}

func (a *orAcc) Grow(n int) {
	a.Accumulator.Grow(n)
	a.seen = grown(a.seen, n)
}

func (a *orAcc) Add(groups []uint32, args []column.Column, rows int) error {
	if f, ok := a.Accumulator.(*ifAcc); ok { // only the rows that pass count
		last := len(args) - 1
		keep, all := truthy(args[last], rows)
		if all {
			keep = sequence(rows)
		}
		if len(keep) == 0 {
			return nil
		}
		a.mark(pickGroups(groups, keep))
		return addRows(f.Accumulator, groups, args[:last], keep)
	}
	if rows > 0 {
		a.mark(groups)
	}
	return a.Accumulator.Add(groups, args, rows)
}

func (a *orAcc) mark(groups []uint32) {
	if groups == nil {
		a.seen[0] = 1
	}
	for _, g := range groups {
		a.seen[g] = 1
	}
}

func (a *orAcc) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*orAcc)
	for i, g := range functions.Merged(groups, some, len(f.seen)) {
		a.seen[g] |= f.seen[i]
	}
	return a.Accumulator.Merge(groups, f.Accumulator, some)
}

func (a *orAcc) Result(from, to int) (column.Column, error) {
	c, err := a.Accumulator.Result(from, to)
	if err != nil {
		return nil, err
	}
	if a.null {
		null := make([]uint8, to-from)
		for i := range null {
			null[i] = 1 - a.seen[from+i]
		}
		return column.NewNullable(column.Full(c), null), nil
	}
	b := column.NewBuilder(a.t, to-from)
	for i := range to - from {
		if a.seen[from+i] == 0 {
			b.AppendDefault()
		} else {
			b.AppendRange(c, i, i+1)
		}
	}
	return b.Finish(), nil
}

// Encode puts the flag behind the nested state.
func (a *orAcc) Encode(group int, dst []byte) []byte {
	return append(a.Accumulator.Encode(group, dst), a.seen[group])
}

func (a *orAcc) Decode(group int, src []byte) (int, error) {
	n, err := a.Accumulator.Decode(group, src)
	if err != nil {
		return 0, err
	}
	r := &reader{src: src, at: n}
	a.seen[group] |= r.byte()
	return r.at, r.err
}

func (a *orAcc) Size() int64 { return a.Accumulator.Size() + int64(len(a.seen)) }
