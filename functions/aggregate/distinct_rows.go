package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// distinctRows keeps each group's different rows, the first of equal ones, in
// the order in which they came.
type distinctRows struct {
	seen pairs
	rows collector
	most int // rows kept a group, 0: all
}

func newDistinctRows(ts []*types.Type, most int) distinctRows {
	c := &collecting{types: ts}
	return distinctRows{rows: collector{collecting: c, args: make([]pile, len(ts))}, most: most}
}

func (d *distinctRows) Grow(n int) { d.seen.grow(n); d.rows.Grow(n) }

func (d *distinctRows) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	groups = groupsOf(groups, rows)
	keys := keysOf(args, rows)
	var fresh []uint32
	for i, g := range groups {
		if d.most > 0 && d.seen.n[g] >= uint64(d.most) {
			continue
		}
		if d.seen.insert(g, keys[i]) {
			fresh = append(fresh, uint32(i))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return d.rows.Add(pickGroups(groups, fresh), gatherAll(args, fresh), len(fresh))
}

func (d *distinctRows) merge(groups []uint32, f *distinctRows, some []uint32) error {
	f.rows.order()
	var rows, gs []uint32
	for i, g := range functions.Merged(groups, some, f.rows.n) {
		lo, hi := f.rows.bounds(i)
		for r := lo; r < hi; r++ {
			rows, gs = append(rows, uint32(r)), append(gs, uint32(g))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return d.Add(gs, gatherAll(f.rows.view, rows), len(rows))
}

func (d *distinctRows) Encode(group int, dst []byte) []byte { return d.rows.encodeKeys(group, dst) }

// Decode reads rows into a set of its own, and joins that.
func (d *distinctRows) Decode(group int, src []byte) (int, error) {
	one := newDistinctRows(d.rows.types, d.most)
	one.Grow(1)
	n, err := one.rows.decodeKeys(src)
	if err != nil {
		return 0, err
	}
	return n, d.merge([]uint32{uint32(group)}, &one, nil)
}

func (d *distinctRows) Size() int64 { return d.seen.size() + d.rows.Size() }

var _ = add(functions.Aggregate{
	Name: "groupUniqArray", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "groupUniqArray[(max)](x)", Summary: "The different values in an array, at most max.",
		Examples: []string{"SELECT groupUniqArray(number % 3) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		most, err := sizeParam("groupUniqArray", params)
		if err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, wrongCount("groupUniqArray")
		}
		return bound(types.Array(args[0]), func() functions.Accumulator { return &uniqArray{newDistinctRows(args, most)} }), nil
	},
})

type uniqArray struct{ distinctRows }

func (a *uniqArray) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.merge(groups, &from.(*uniqArray).distinctRows, some)
}

func (a *uniqArray) Result(from, to int) (column.Column, error) {
	a.rows.order()
	offsets := make([]uint64, 1, to-from+1)
	if from > 0 {
		offsets[0] = uint64(a.rows.ends[from-1])
	}
	for _, e := range a.rows.ends[from:to] {
		offsets = append(offsets, uint64(e))
	}
	return (&column.Array{Offsets: offsets, Elems: a.rows.view[0]}).Compact(), nil
}

var _ = addCombinator(functions.Combinator{
	Suffix: "Distinct",
	Doc: functions.Doc{
		Syntax: "fDistinct(…)", Summary: "Takes only the different rows of arguments.",
		Examples: []string{"SELECT sumDistinct(number % 3) FROM numbers(10)"},
	},
	Args: sameArgs,
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		return wrap(nested, "Distinct", nested.Result, func() functions.Accumulator {
			return &distinctAcc{newDistinctRows(args, 0), nested}
		}), nil
	},
})

// distinctAcc gives its rows to the nested function only at the end: states
// merge as sets.
type distinctAcc struct {
	distinctRows
	nested *functions.BoundAggregate
}

func (a *distinctAcc) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.merge(groups, &from.(*distinctAcc).distinctRows, some)
}

func (a *distinctAcc) Result(from, to int) (column.Column, error) {
	a.rows.order()
	acc := a.nested.New()
	acc.Grow(to - from)
	lo, _ := a.rows.bounds(from)
	hi := lo
	var groups []uint32
	for g := from; g < to; g++ {
		_, end := a.rows.bounds(g)
		for ; hi < end; hi++ {
			groups = append(groups, uint32(g-from))
		}
	}
	if hi > lo {
		args := make([]column.Column, len(a.rows.view))
		for i, c := range a.rows.view {
			args[i] = c.Slice(lo, hi)
		}
		if err := acc.Add(groups, args, hi-lo); err != nil {
			return nil, err
		}
	}
	return acc.Result(0, to-from)
}
