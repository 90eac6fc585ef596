package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "groupArray", Aliases: []string{"array_agg"}, CaseInsensitive: true, OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "groupArray[(max)](x)", Summary: "The values in an array, in the order of the rows; at most max.",
		Examples: []string{"SELECT groupArray(3)(number) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		limit, err := sizeParam("groupArray", params)
		if err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, wrongCount("groupArray")
		}
		return lists(args[0], limit).bound(), nil
	},
})

// sizeParam gives the optional parameter of the arrays' most elements, 0 for none.
func sizeParam(name string, params []functions.Param) (int, error) {
	switch len(params) {
	case 0:
		return 0, nil
	case 1:
		return positiveParam(name, params[0])
	}
	return 0, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of parameters for aggregate function %s, should be 0 or 1", name)
}

// lists collects arrays.
func lists(t *types.Type, limit int) *collecting {
	return &collecting{
		types: []*types.Type{t}, result: types.Array(t), limit: limit,
		whole: func(args []column.Column, bounds []int) (column.Column, error) {
			offsets := make([]uint64, len(bounds))
			for i, b := range bounds {
				offsets[i] = uint64(b)
			}
			return (&column.Array{Offsets: offsets, Elems: args[0]}).Compact(), nil
		},
	}
}

var _ = add(functions.Aggregate{
	Name: "groupArrayLast", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "groupArrayLast(max)(x)", Summary: "The last max values in an array.",
		Examples: []string{"SELECT arraySort(groupArrayLast(2)(number)) FROM numbers(5)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if len(params) != 1 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function groupArrayLast requires one parameter")
		}
		limit, err := positiveParam("groupArrayLast", params[0])
		if err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, wrongCount("groupArrayLast")
		}
		c := &collecting{types: args, result: types.Array(args[0])}
		c.finish = func(out column.Builder, args []column.Column, from, to int) error {
			// ClickHouse keeps a ring: value i stands at i modulo max.
			n := to - from
			if n <= limit {
				out.AppendRange(arrayOf(args[0].Slice(from, to)), 0, 1)
				return nil
			}
			rows := make([]uint32, limit)
			for i := n - limit; i < n; i++ {
				rows[i%limit] = uint32(from + i)
			}
			out.AppendRange(arrayOf(args[0].Gather(rows)), 0, 1)
			return nil
		}
		return c.bound(), nil
	},
})

// arrayOf makes one row of a column's values.
func arrayOf(c column.Column) *column.Array {
	return &column.Array{Offsets: []uint64{0, uint64(c.Len())}, Elems: c}
}
