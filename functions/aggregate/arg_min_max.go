package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "argMin", Aliases: []string{"min_by"}, OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "argMin(arg, val)", Summary: "The arg of the row with the least val, the first such row.",
		Examples: []string{"SELECT argMin(number, -number) FROM numbers(10)"},
	},
	Bind: bindArg("argMin", -1, false),
})

var _ = add(functions.Aggregate{
	Name: "argMax", Aliases: []string{"max_by"}, OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "argMax(arg, val)", Summary: "The arg of the row with the greatest val, the first such row.",
		Examples: []string{"SELECT argMax(number, -number) FROM numbers(10)"},
	},
	Bind: bindArg("argMax", 1, false),
})

var _ = add(functions.Aggregate{
	Name: "argAndMin", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "argAndMin(arg, val)", Summary: "The arg of the row with the least val, and that val.",
		Examples: []string{"SELECT argAndMin(number, -number) FROM numbers(10)"},
	},
	Bind: bindArg("argAndMin", -1, true),
})

var _ = add(functions.Aggregate{
	Name: "argAndMax", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "argAndMax(arg, val)", Summary: "The arg of the row with the greatest val, and that val.",
		Examples: []string{"SELECT argAndMax(number, -number) FROM numbers(10)"},
	},
	Bind: bindArg("argAndMax", 1, true),
})

func bindArg(name string, sign int, both bool) binder {
	return pair(name, func(arg, val *types.Type) (*functions.BoundAggregate, error) {
		result := arg
		if both {
			result = types.Tuple([]*types.Type{arg, val}, nil)
		}
		return bound(result, func() functions.Accumulator {
			return &argExtreme{arg: newSlots(arg), val: newSlots(val), sign: sign, both: both}
		}), nil
	})
}

// argExtreme keeps the extreme val of each group and the arg of its row.
type argExtreme struct {
	arg, val slots
	n        int
	sign     int
	both     bool
}

func (a *argExtreme) Grow(n int) {
	if n > a.n {
		a.arg.grow(n)
		a.val.grow(n)
		a.n = n
	}
}

func (a *argExtreme) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	gs, rs := a.val.improve(groups, args[1], a.sign, true)
	if groups == nil && len(gs) > 0 {
		gs, rs = gs[len(gs)-1:], rs[len(rs)-1:]
	}
	a.arg.put(gs, rs, args[0])
	return nil
}

func (a *argExtreme) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*argExtreme)
	for i, g := range functions.Merged(groups, some, f.n) {
		if a.val.better(g, f.val, i, a.sign) {
			a.val.move(g, f.val, i)
			a.arg.move(g, f.arg, i)
		}
	}
	return nil
}

func (a *argExtreme) Result(from, to int) (column.Column, error) {
	arg := a.arg.result(from, to)
	if !a.both {
		return arg, nil
	}
	return column.NewTuple(arg, a.val.result(from, to)), nil
}

func (a *argExtreme) Encode(group int, dst []byte) []byte {
	return a.val.encode(group, a.arg.encode(group, dst))
}

func (a *argExtreme) Decode(group int, src []byte) (int, error) {
	one := &argExtreme{arg: a.arg.empty(), val: a.val.empty(), sign: a.sign}
	one.Grow(1)
	r := &reader{src: src}
	one.arg.decode(0, r)
	one.val.decode(0, r)
	if r.err != nil {
		return 0, r.err
	}
	return r.at, a.Merge([]uint32{uint32(group)}, one, nil)
}

func (a *argExtreme) Size() int64 { return a.arg.size() + a.val.size() }
