package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name:            "min",
	CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "min(x)", Summary: "The least value; NaN only when there is no other.",
		Examples: []string{"SELECT min(number) FROM numbers(10)"},
	},
	Bind: unary("min", func(t *types.Type) (*functions.BoundAggregate, error) {
		return plain("min", t, func() functions.Accumulator { return &extreme{v: newSlots(t), sign: -1} }), nil
	}),
})

var _ = add(functions.Aggregate{
	Name:            "max",
	CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "max(x)", Summary: "The greatest value; NaN only when there is no other.",
		Examples: []string{"SELECT max(number) FROM numbers(10)"},
	},
	Bind: unary("max", func(t *types.Type) (*functions.BoundAggregate, error) {
		return plain("max", t, func() functions.Accumulator { return &extreme{v: newSlots(t), sign: 1} }), nil
	}),
})

// extreme keeps the least (sign -1) or greatest value of each group.
type extreme struct {
	v    slots
	n    int
	sign int
}

func (a *extreme) Grow(n int) {
	if n > a.n {
		a.v.grow(n)
		a.n = n
	}
}

func (a *extreme) Add(groups []uint32, args []column.Column, rows int) error {
	c := args[0]
	if k, ok := c.(*column.Const); ok && groups == nil && rows > 0 {
		c, rows = k.Value, 1
	}
	if rows > 0 {
		a.v.improve(groups, c, a.sign, false)
	}
	return nil
}

func (a *extreme) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*extreme)
	for i, g := range functions.Merged(groups, some, f.n) {
		if a.v.better(g, f.v, i, a.sign) {
			a.v.move(g, f.v, i)
		}
	}
	return nil
}

func (a *extreme) Result(from, to int) (column.Column, error) { return a.v.result(from, to), nil }
func (a *extreme) Encode(group int, dst []byte) []byte        { return a.v.encode(group, dst) }
func (a *extreme) Decode(group int, src []byte) (int, error) {
	one := &extreme{v: a.v.empty(), sign: a.sign}
	one.Grow(1)
	r := &reader{src: src}
	one.v.decode(0, r)
	if r.err != nil {
		return 0, r.err
	}
	return r.at, a.Merge([]uint32{uint32(group)}, one, nil)
}
func (a *extreme) Size() int64 { return a.v.size() }
