package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addCombinator(functions.Combinator{
	Suffix: "ForEach",
	Doc: functions.Doc{
		Syntax: "fForEach(array, …)", Summary: "Applies the function to the first elements of all arrays, to the second ones, and so on.",
		Examples: []string{"SELECT sumForEach([number, 1]) FROM numbers(3)"},
	},
	Args: func(_ []functions.Param, args []*types.Type) ([]*types.Type, error) {
		return elementTypes("ForEach", args)
	},
	Wrap: func(_ *functions.Env, nested *functions.BoundAggregate, _ []functions.Param, _ []*types.Type) (*functions.BoundAggregate, error) {
		return wrap(nested, "ForEach", types.Array(nested.Result), func() functions.Accumulator { return &forEach{nested: nested.New()} }), nil
	},
})

// forEach keeps one nested group for each place of each group's arrays.
type forEach struct {
	nested functions.Accumulator
	places [][]uint32 // the nested groups of each group
	n      int        // nested groups
}

func (a *forEach) Grow(n int) { a.places = grown(a.places, n) }

// widen makes a group's first n places exist.
func (a *forEach) widen(group, n int) {
	for len(a.places[group]) < n {
		a.places[group] = append(a.places[group], uint32(a.n))
		a.n++
	}
}

func (a *forEach) Add(groups []uint32, args []column.Column, rows int) error {
	arrays := make([]*column.Array, len(args))
	elems := make([]column.Column, len(args))
	for i, c := range args {
		arrays[i] = column.Full(c).(*column.Array).Compact()
		if i > 0 {
			if err := sameLengths(arrays[0], arrays[i]); err != nil {
				return err
			}
		}
		elems[i] = arrays[i].Elems
	}
	var to []uint32
	for i, g := range groupsOf(groups, rows) {
		from, end := arrays[0].Bounds(i)
		a.widen(int(g), end-from)
		to = append(to, a.places[g][:end-from]...)
	}
	if len(to) == 0 {
		return nil
	}
	for i := range elems {
		elems[i] = elems[i].Slice(0, len(to))
	}
	a.nested.Grow(a.n)
	return a.nested.Add(to, elems, len(to))
}

func (a *forEach) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*forEach)
	var src, dst []uint32
	for i, g := range functions.Merged(groups, some, len(f.places)) {
		a.widen(g, len(f.places[i]))
		src = append(src, f.places[i]...)
		dst = append(dst, a.places[g][:len(f.places[i])]...)
	}
	if len(src) == 0 {
		return nil
	}
	a.nested.Grow(a.n)
	return a.nested.Merge(dst, f.nested, src)
}

func (a *forEach) Result(from, to int) (column.Column, error) {
	offsets := make([]uint64, 1, to-from+1)
	var rows []uint32
	for _, p := range a.places[from:to] {
		rows = append(rows, p...)
		offsets = append(offsets, uint64(len(rows)))
	}
	all, err := a.nested.Result(0, a.n)
	if err != nil {
		return nil, err
	}
	return &column.Array{Offsets: offsets, Elems: column.Full(all).Gather(rows)}, nil
}

func (a *forEach) Encode(group int, dst []byte) []byte {
	dst = putUint64(dst, uint64(len(a.places[group])))
	for _, p := range a.places[group] {
		dst = a.nested.Encode(int(p), dst)
	}
	return dst
}

func (a *forEach) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	n := r.uint64()
	if r.err != nil || n > uint64(len(src)) {
		r.fail()
		return 0, r.err
	}
	a.widen(group, int(n))
	a.nested.Grow(a.n)
	at := r.at
	for _, p := range a.places[group][:n] {
		used, err := a.nested.Decode(int(p), src[at:])
		if err != nil {
			return 0, err
		}
		at += used
	}
	return at, nil
}

func (a *forEach) Size() int64 { return a.nested.Size() + int64(a.n)*4 + int64(cap(a.places))*24 }

var _ = addCombinator(functions.Combinator{
	Suffix: "Resample",
	Doc: functions.Doc{
		Syntax: "fResample(start, end, step)(…, key)", Summary: "An array of results, one for each interval of the key.",
		Examples: []string{"SELECT sumResample(0, 4, 2)(number, number) FROM numbers(4)"},
	},
	Params: func(params []functions.Param) []functions.Param { return params[:max(len(params)-3, 0)] },
	Args: func(params []functions.Param, args []*types.Type) ([]*types.Type, error) {
		if len(params) < 3 || len(args) == 0 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of parameters for aggregate function with Resample suffix")
		}
		return args[:len(args)-1], nil
	},
	Wrap: bindResample,
})

func bindResample(_ *functions.Env, nested *functions.BoundAggregate, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
	key := args[len(args)-1]
	if !key.IsInteger() && !key.IsDateOrTime() {
		return nil, illegal("Resample", key)
	}
	var v [3]int64
	for i, p := range params[len(params)-3:] {
		n, ok := paramInt(p)
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "The parameters of -Resample must be integers")
		}
		v[i] = n
	}
	if v[2] <= 0 {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "The step used in function Resample cannot be zero")
	}
	n := max((v[1]-v[0]+v[2]-1)/v[2], 0)
	if n > 1<<20 {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "The range given in function Resample contains too many elements")
	}
	return wrap(nested, "Resample", types.Array(nested.Result), func() functions.Accumulator {
		return &resample{nested: nested.New(), start: v[0], end: v[1], step: v[2], n: int(n)}
	}), nil
}

// resample keeps n nested groups a group.
type resample struct {
	nested           functions.Accumulator
	start, end, step int64
	n, groups        int
}

func (a *resample) Grow(n int) {
	a.groups = max(a.groups, n)
	a.nested.Grow(a.groups * a.n)
}

func (a *resample) Add(groups []uint32, args []column.Column, rows int) error {
	last := len(args) - 1
	keys := numbersOf[int64](args[last])
	var keep, to []uint32
	for i, g := range groupsOf(groups, rows) {
		if k := keys[i]; k >= a.start && k < a.end {
			keep = append(keep, uint32(i))
			to = append(to, g*uint32(a.n)+uint32((k-a.start)/a.step))
		}
	}
	if len(keep) == 0 {
		return nil
	}
	return a.nested.Add(to, gatherAll(args[:last], keep), len(keep))
}

func (a *resample) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*resample)
	var src, dst []uint32
	for i, g := range functions.Merged(groups, some, f.groups) {
		for k := range a.n {
			src, dst = append(src, uint32(i*a.n+k)), append(dst, uint32(g*a.n+k))
		}
	}
	return a.nested.Merge(dst, f.nested, src)
}

func (a *resample) Result(from, to int) (column.Column, error) {
	all, err := a.nested.Result(from*a.n, to*a.n)
	if err != nil {
		return nil, err
	}
	offsets := make([]uint64, to-from+1)
	for i := range offsets {
		offsets[i] = uint64(i * a.n)
	}
	return &column.Array{Offsets: offsets, Elems: column.Full(all)}, nil
}

func (a *resample) Encode(group int, dst []byte) []byte {
	for k := range a.n {
		dst = a.nested.Encode(group*a.n+k, dst)
	}
	return dst
}

func (a *resample) Decode(group int, src []byte) (int, error) {
	at := 0
	for k := range a.n {
		n, err := a.nested.Decode(group*a.n+k, src[at:])
		if err != nil {
			return 0, err
		}
		at += n
	}
	return at, nil
}

func (a *resample) Size() int64 { return a.nested.Size() }
