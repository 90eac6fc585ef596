package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name:            "count",
	CaseInsensitive: true,
	NullIsDefault:   true,
	Doc: functions.Doc{
		Syntax: "count([x])", Summary: "Counts rows, or the rows where x is not NULL.",
		Examples: []string{"SELECT count() FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := noParams("count", params); err != nil {
			return nil, err
		}
		if len(args) > 1 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function count requires zero or one argument")
		}
		return plain("count", types.UInt64, func() functions.Accumulator { return &counter{} }), nil
	},
})

type counter struct{ n []uint64 }

func (a *counter) Grow(n int) { a.n = grown(a.n, n) }

func (a *counter) Add(groups []uint32, _ []column.Column, rows int) error {
	if groups == nil {
		a.n[0] += uint64(rows)
		return nil
	}
	n := a.n
	for _, g := range groups {
		n[g]++
	}
	return nil
}

func (a *counter) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*counter)
	for i, g := range functions.Merged(groups, some, len(f.n)) {
		a.n[g] += f.n[i]
	}
	return nil
}

func (a *counter) Result(from, to int) (column.Column, error) {
	return column.NewFixed(append([]uint64(nil), a.n[from:to]...)), nil
}

func (a *counter) Encode(group int, dst []byte) []byte { return putUvarint(dst, a.n[group]) }

func (a *counter) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	a.n[group] += r.uvarint()
	return r.at, r.err
}

func (a *counter) Size() int64 { return int64(cap(a.n)) * 8 }
