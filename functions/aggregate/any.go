package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "any", Aliases: []string{"any_value", "first_value"}, CaseInsensitive: true, OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "any(x)", Summary: "The first value that is not NULL.",
		Examples: []string{"SELECT any(number) FROM numbers(10)"},
	},
	Bind: unary("any", func(t *types.Type) (*functions.BoundAggregate, error) {
		return plain("any", t, func() functions.Accumulator { return &picker{v: newSlots(t)} }), nil
	}),
})

var _ = add(functions.Aggregate{
	Name: "anyLast", Aliases: []string{"last_value"}, CaseInsensitive: true, OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "anyLast(x)", Summary: "The last value that is not NULL.",
		Examples: []string{"SELECT anyLast(number) FROM numbers(10)"},
	},
	Bind: unary("anyLast", func(t *types.Type) (*functions.BoundAggregate, error) {
		return bound(t, func() functions.Accumulator { return &picker{v: newSlots(t), last: true} }), nil
	}),
})

var _ = add(functions.Aggregate{
	Name:            "any_respect_nulls",
	Aliases:         []string{"anyRespectNulls", "anyValueRespectNulls", "any_value_respect_nulls", "first_value_respect_nulls", "firstValueRespectNulls"},
	CaseInsensitive: true, OrderDependent: true, KeepNulls: true,
	Doc: functions.Doc{
		Syntax: "any_respect_nulls(x)", Summary: "The first value, NULL or not.",
		Examples: []string{"SELECT anyRespectNulls(NULL)"},
	},
	Bind: unary("any_respect_nulls", func(t *types.Type) (*functions.BoundAggregate, error) {
		return bound(t, func() functions.Accumulator { return &nullPicker{picker{v: newSlots(t)}, t} }), nil
	}),
})

var _ = add(functions.Aggregate{
	Name:            "anyLast_respect_nulls",
	Aliases:         []string{"anyLastRespectNulls", "last_value_respect_nulls", "lastValueRespectNulls"},
	CaseInsensitive: true, OrderDependent: true, KeepNulls: true,
	Doc: functions.Doc{
		Syntax: "anyLast_respect_nulls(x)", Summary: "The last value, NULL or not.",
		Examples: []string{"SELECT anyLastRespectNulls(NULL)"},
	},
	Bind: unary("anyLast_respect_nulls", func(t *types.Type) (*functions.BoundAggregate, error) {
		return bound(t, func() functions.Accumulator { return &nullPicker{picker{v: newSlots(t), last: true}, t} }), nil
	}),
})

// picker keeps the first or last value of each group.
type picker struct {
	v    slots
	n    int
	last bool
}

func (a *picker) Grow(n int) {
	if n > a.n {
		a.v.grow(n)
		a.n = n
	}
}

func (a *picker) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	if groups == nil {
		switch {
		case a.last:
			a.v.put(zeroGroups[:1], []uint32{uint32(rows - 1)}, args[0])
		case !a.v.has(0):
			a.v.put(zeroGroups[:1], zeroGroups[:1], args[0])
		}
		return nil
	}
	if a.last {
		a.v.put(groups, sequence(rows), args[0])
		return nil
	}
	var gs, rs []uint32
	for i, g := range groups {
		if !a.v.has(int(g)) {
			gs, rs = append(gs, g), append(rs, uint32(i))
		}
	}
	// The last of put's rows wins: the first rows come last.
	for i, j := 0, len(gs)-1; i < j; i, j = i+1, j-1 {
		gs[i], gs[j], rs[i], rs[j] = gs[j], gs[i], rs[j], rs[i]
	}
	a.v.put(gs, rs, args[0])
	return nil
}

func sequence(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

func (a *picker) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*picker)
	for i, g := range functions.Merged(groups, some, f.n) {
		if f.v.has(i) && (a.last || !a.v.has(g)) {
			a.v.move(g, f.v, i)
		}
	}
	return nil
}

func (a *picker) Result(from, to int) (column.Column, error) { return a.v.result(from, to), nil }
func (a *picker) Encode(group int, dst []byte) []byte        { return a.v.encode(group, dst) }

func (a *picker) Decode(group int, src []byte) (int, error) {
	one := &picker{v: a.v.empty()}
	one.Grow(1)
	r := &reader{src: src}
	one.v.decode(0, r)
	if r.err != nil {
		return 0, r.err
	}
	return r.at, a.Merge([]uint32{uint32(group)}, one, nil)
}

func (a *picker) Size() int64 { return a.v.size() }

// nullPicker writes states as ClickHouse does: a byte that tells whether there
// is no value, a NULL or another, and that one.
type nullPicker struct {
	picker
	t *types.Type
}

const (
	pickedNone = iota + 1
	pickedNull
	pickedValue
)

func (a *nullPicker) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.picker.Merge(groups, &from.(*nullPicker).picker, some)
}

func (a *nullPicker) Encode(group int, dst []byte) []byte {
	if !a.v.has(group) {
		return append(dst, pickedNone)
	}
	v := column.At(a.v.result(group, group+1), 0)
	if v == nil {
		return append(dst, pickedNull)
	}
	return putValue(append(dst, pickedValue), types.Unwrap(a.t), v)
}

func (a *nullPicker) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	var v column.Value
	switch r.byte() {
	case pickedNone:
		return r.at, r.err
	case pickedNull:
	case pickedValue:
		v = readValue(r, types.Unwrap(a.t))
	default:
		r.fail()
	}
	if r.err != nil {
		return 0, r.err
	}
	b := column.NewBuilder(a.t, 1)
	b.AppendValue(v)
	return r.at, a.Add([]uint32{uint32(group)}, []column.Column{b.Finish()}, 1)
}
