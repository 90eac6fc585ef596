package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "groupArraySorted",
	Doc: functions.Doc{
		Syntax: "groupArraySorted(n)(x)", Summary: "The n least values, in order.",
		Examples: []string{"SELECT groupArraySorted(3)(-number) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		most, err := sizeParam("groupArraySorted", params)
		if err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, wrongCount("groupArraySorted")
		}
		c := &collecting{types: args, result: types.Array(args[0])}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			v := cols[0].Slice(from, to)
			rows := sortedByCompare(v)
			if most > 0 && len(rows) > most {
				rows = rows[:most]
			}
			out.AppendRange(arrayOf(v.Gather(rows)), 0, 1)
			return nil
		}
		return c.bound(), nil
	},
})

var _ = add(functions.Aggregate{
	Name: "groupArraySample", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "groupArraySample(n[, seed])(x)", Summary: "A sample of n values; which ones differs from ClickHouse's.",
		Examples: []string{"SELECT length(groupArraySample(3)(number)) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if len(params) < 1 || len(params) > 2 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of parameters for aggregate function groupArraySample, should be 1 or 2")
		}
		most, err := positiveParam("groupArraySample", params[0])
		if err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, wrongCount("groupArraySample")
		}
		seed := int64(0)
		if len(params) == 2 {
			seed, _ = paramInt(params[1])
		}
		c := &collecting{types: args, result: types.Array(args[0])}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			r := reservoir{rng: uint64(seed)<<2 | 3}
			var rows []uint32
			for i := from; i < to; i++ {
				if len(rows) < most {
					rows = append(rows, uint32(i))
				} else if at := r.below(uint64(i - from + 1)); at < uint64(most) {
					rows[at] = uint32(i)
				}
			}
			out.AppendRange(arrayOf(cols[0].Gather(rows)), 0, 1)
			return nil
		}
		return c.bound(), nil
	},
})

var _ = add(functions.Aggregate{
	Name: "groupArrayInsertAt", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "groupArrayInsertAt[(default, size)](x, position)", Summary: "An array with each value at its position.",
		Examples: []string{"SELECT groupArrayInsertAt(number, number) FROM numbers(3)"},
	},
	Bind: bindInsertAt,
})

func bindInsertAt(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
	const name = "groupArrayInsertAt"
	if len(args) != 2 {
		return nil, wrongCount(name)
	}
	if !args[1].IsUnsigned() {
		return nil, illegal(name, args[1])
	}
	other := column.Default(args[0], 1)
	size := int64(-1)
	if len(params) > 0 {
		var err error
		if other, err = cast.Column(column.FromValue(params[0].Type, params[0].Value, 1).Value, params[0].Type, args[0], &cast.Options{}); err != nil {
			return nil, err
		}
	}
	if len(params) > 1 {
		size, _ = paramInt(params[1])
	}
	c := &collecting{types: args, result: types.Array(args[0])}
	c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
		at := numbersOf[int64](cols[1].Slice(from, to))
		n := size
		for _, p := range at {
			if size < 0 {
				n = max(n, p+1)
			}
		}
		if n > 1<<24 {
			return cherr.New(cherr.TooLargeArraySize, "Too large array size: position argument is greater or equal to limit")
		}
		place := make([]int, max(n, 0)) // row + 1 of each place
		for i, p := range at {
			if p < n && place[p] == 0 {
				place[p] = from + i + 1
			}
		}
		b := column.NewBuilder(args[0], len(place))
		for _, r := range place {
			if r == 0 {
				b.AppendRange(other, 0, 1)
			} else {
				b.AppendRange(cols[0], r-1, r)
			}
		}
		out.AppendRange(arrayOf(b.Finish()), 0, 1)
		return nil
	}
	return c.bound(), nil
}

func addMoving(name string, mean bool) bool {
	return add(functions.Aggregate{
		Name: name, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "[(window)](x)", Summary: "The sums, or means, over the last values, one for each row.", Examples: []string{"SELECT " + name + "(2)(number) FROM numbers(4)"}},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			window, err := sizeParam(name, params)
			if err != nil {
				return nil, err
			}
			if len(args) != 1 {
				return nil, wrongCount(name)
			}
			elem := sumType(args[0])
			if elem == nil || elem.Bytes() > 16 {
				return nil, illegal(name, args[0])
			}
			if mean && !args[0].IsDecimal() {
				elem = types.Float64
			}
			c := &collecting{types: args, result: types.Array(elem)}
			c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
				v := numbersOf[float64](cols[0].Slice(from, to))
				row := make(column.Row, len(v))
				over := float64(window)
				if window == 0 {
					over = float64(len(v))
				}
				sum := 0.0
				for i, x := range v {
					sum += x
					if window > 0 && i >= window {
						sum -= v[i-window]
					}
					y := sum
					if mean {
						y /= over
					}
					row[i] = fromFloat(elem, y)
				}
				out.AppendValue(row)
				return nil
			}
			return c.bound(), nil
		},
	})
}

var (
	_ = addMoving("groupArrayMovingSum", false)
	_ = addMoving("groupArrayMovingAvg", true)
)

var _ = add(functions.Aggregate{
	Name: "groupArrayIntersect",
	Doc: functions.Doc{
		Syntax: "groupArrayIntersect(array)", Summary: "The elements that all arrays have.",
		Examples: []string{"SELECT groupArrayIntersect([number, 1, 2]) FROM numbers(3)"},
	},
	Bind: unary("groupArrayIntersect", func(t *types.Type) (*functions.BoundAggregate, error) {
		if t.Kind() != types.KindArray {
			return nil, illegal("groupArrayIntersect", t)
		}
		c := &collecting{types: []*types.Type{t}, result: t}
		c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
			a := cols[0].Slice(from, to).(*column.Array).Compact()
			keys := keysOf([]column.Column{a.Elems}, a.Elems.Len())
			counts := map[types.U128]int{}
			var rows []uint32
			for r := range to - from {
				lo, hi := a.Bounds(r)
				for i := lo; i < hi; i++ {
					if counts[keys[i]] == r {
						counts[keys[i]] = r + 1
					}
				}
			}
			if to > from {
				lo, hi := a.Bounds(0)
				for i := lo; i < hi; i++ {
					if counts[keys[i]] == to-from {
						rows = append(rows, uint32(i))
						counts[keys[i]] = -1
					}
				}
			}
			out.AppendRange(arrayOf(a.Elems.Gather(rows)), 0, 1)
			return nil
		}
		return bound(t, func() functions.Accumulator { return &intersection{*c.new().(*collector)} }), nil
	}),
})

// intersection writes its state as ClickHouse does: the number of arrays so
// far, and the elements that they all have.
type intersection struct{ collector }

func (a *intersection) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.collector.Merge(groups, &from.(*intersection).collector, some)
}

func (a *intersection) Encode(group int, dst []byte) []byte {
	a.order()
	lo, hi := a.bounds(group)
	dst = putUvarint(dst, uint64(hi-lo))
	if hi == lo {
		return dst
	}
	b := column.NewBuilder(a.result, 1)
	if err := a.finish(b, a.view, lo, hi); err != nil {
		cherr.Bug("finishing groupArrayIntersect: %v", err)
	}
	elems := column.At(b.Finish(), 0).(column.Row)
	dst = putUvarint(dst, uint64(len(elems)))
	elem := a.result.Elem()
	for _, e := range elems {
		if numberForm(elem) {
			dst = putValue(dst, elem, e)
			continue
		}
		one := putArena(nil, elem, e)
		dst = append(putUvarint(dst, uint64(len(one))), one...)
	}
	return dst
}

func (a *intersection) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	if r.uvarint() == 0 {
		return r.at, r.err
	}
	elem := a.result.Elem()
	row := column.Row{}
	for range r.count(1) {
		if numberForm(elem) {
			row = append(row, readValue(r, elem))
			continue
		}
		one := &reader{src: r.bytes(r.count(1))}
		row = append(row, readArena(one, elem))
		if r.err == nil {
			r.err = one.err
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	b := column.NewBuilder(a.result, 1)
	b.AppendValue(row)
	return r.at, a.Add([]uint32{uint32(group)}, []column.Column{b.Finish()}, 1)
}

var _ = add(functions.Aggregate{
	Name: "groupConcat", Aliases: []string{"group_concat", "string_agg"}, CaseInsensitive: true, OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "groupConcat[(delimiter[, limit])](x)", Summary: "The values as text behind each other.",
		Examples: []string{"SELECT groupConcat(', ')(number) FROM numbers(3)"},
	},
	Bind: bindConcat,
})

func bindConcat(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, wrongCount("groupConcat")
	}
	delimiter, limit := "", 0
	if len(params) > 0 {
		var ok bool
		if delimiter, ok = params[0].Value.(string); !ok {
			return nil, cherr.New(cherr.BadArguments, "First parameter for aggregate function groupConcat should be string")
		}
	}
	if len(params) > 1 {
		var err error
		if limit, err = positiveParam("groupConcat", params[1]); err != nil {
			return nil, err
		}
	}
	c := &collecting{types: args, result: types.String, limit: limit}
	c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
		text, err := cast.Column(cols[0].Slice(from, to), args[0], types.String, &cast.Options{})
		if err != nil {
			return err
		}
		s := column.Full(text).(*column.Str)
		between := delimiter
		if len(args) == 2 && to > from { // string_agg(x, delimiter)
			between, _ = column.At(cols[1], from).(string)
		}
		var buf []byte
		for i := range s.Len() {
			if i > 0 {
				buf = append(buf, between...)
			}
			buf = append(buf, s.At(i)...)
		}
		out.AppendValue(string(buf))
		return nil
	}
	return c.bound(), nil
}
