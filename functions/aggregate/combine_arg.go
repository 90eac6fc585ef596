package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = addCombinator(argCombinator("ArgMin", -1))
	_ = addCombinator(argCombinator("ArgMax", 1))
)

func argCombinator(suffix string, sign int) functions.Combinator {
	return functions.Combinator{
		Suffix: suffix,
		Doc: functions.Doc{
			Syntax: "f" + suffix + "(…, key)", Summary: "Takes only the rows with the extreme key.",
			Examples: []string{"SELECT sum" + suffix + "(number, number % 3) FROM numbers(10)"},
		},
		Args: func(_ []functions.Param, args []*types.Type) ([]*types.Type, error) {
			if len(args) == 0 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of arguments for aggregate function with %s suffix", suffix)
			}
			return args[:len(args)-1], nil
		},
		Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			c := &collecting{types: args, result: nested.Result}
			n := len(args) - 1
			c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
				var rows []uint32
				for r := from; r < to; r++ {
					cmp := 1
					if len(rows) > 0 {
						cmp = column.Compare(cols[n], r, cols[n], int(rows[0]), -sign) * sign
					}
					if cmp > 0 {
						rows = rows[:0]
					}
					if cmp >= 0 {
						rows = append(rows, uint32(r))
					}
				}
				acc := nested.New()
				acc.Grow(1)
				if len(rows) > 0 {
					if err := acc.Add(nil, gatherAll(cols[:n], rows), len(rows)); err != nil {
						return err
					}
				}
				v, err := acc.Result(0, 1)
				if err != nil {
					return err
				}
				out.AppendRange(v, 0, 1)
				return nil
			}
			b := c.bound()
			b.Name = nested.Name + suffix
			return b, nil
		},
	}
}

var _ = addCombinator(functions.Combinator{
	Suffix: "Map",
	Doc: functions.Doc{
		Syntax: "fMap(map)", Summary: "Applies the function to the values of each key.",
		Examples: []string{"SELECT avgMap(map('a', number)) FROM numbers(3)"},
	},
	Args: func(_ []functions.Param, args []*types.Type) ([]*types.Type, error) {
		if len(args) != 1 || args[0].Kind() != types.KindMap {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Aggregate function with Map suffix requires a map as argument")
		}
		return args[0].Elems()[1:], nil
	},
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		key := args[0].Elems()[0]
		c := &collecting{types: args, result: types.Map(key, nested.Result)}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			m := column.Full(cols[0]).Slice(from, to).(*column.Map).Compact()
			keys, values, err := byKey(m.Keys, []column.Column{m.Values}, []*functions.BoundAggregate{nested})
			if err != nil {
				return err
			}
			out.AppendRange(&column.Map{Offsets: []uint64{0, uint64(keys.Len())}, Keys: keys, Values: values[0]}, 0, 1)
			return nil
		}
		b := c.bound()
		b.Name = nested.Name + "Map"
		return b, nil
	},
})

// byKey sorts keys, and aggregates the values of equal ones: one function for
// each column of values.
func byKey(keys column.Column, values []column.Column, fs []*functions.BoundAggregate) (column.Column, []column.Column, error) {
	keys = column.Full(keys)
	order := sortedByCompare(keys)
	groups := make([]uint32, keys.Len())
	var first []uint32
	for i, r := range order {
		if i == 0 || column.Compare(keys, int(order[i-1]), keys, int(r), 1) != 0 {
			first = append(first, r)
		}
		groups[r] = uint32(len(first) - 1)
	}
	out := make([]column.Column, len(values))
	for i, v := range values {
		acc := fs[i].New()
		acc.Grow(len(first))
		if len(groups) > 0 {
			if err := acc.Add(groups, []column.Column{v}, len(groups)); err != nil {
				return nil, nil, err
			}
		}
		c, err := acc.Result(0, len(first))
		if err != nil {
			return nil, nil, err
		}
		out[i] = column.Full(c)
	}
	return keys.Gather(first), out, nil
}
