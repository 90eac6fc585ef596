package aggregate

import (
	"math"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "uniqExact", Aliases: []string{"countDistinct"}, NullIsDefault: true,
	Doc: functions.Doc{
		Syntax: "uniqExact(x, …)", Summary: "The number of different values, exactly.",
		Examples: []string{"SELECT uniqExact(number % 3) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := noParams("uniqExact", params); err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return nil, wrongCount("uniqExact")
		}
		width := 16
		if len(args) == 1 {
			if n := args[0].Bytes(); n > 0 && n < 16 {
				width = n
			}
		}
		return plain("uniqExact", types.UInt64, func() functions.Accumulator { return &uniqExact{width: width} }), nil
	},
})

// floatKey gives bits that are equal for floats that group alike.
func floatKey(x float64) uint64 {
	if x == 0 {
		return 0
	}
	return math.Float64bits(x)
}

// uniqExact counts the distinct keys of each group.
type uniqExact struct {
	set   pairs
	width int // bytes of a serialised key
	buf   []uint64
	dict  keyedDict
}

// keyedDict remembers the keys of a dictionary's entries, and which of them the
// only group has had already.
type keyedDict struct {
	values column.Column // whose dictionary it is
	known  []bool
	keys   []types.U128
	had    []bool
	row    []types.U128 // scratch
}

// over begins anew with another dictionary.
func (d *keyedDict) over(values column.Column) {
	if d.values == values {
		return
	}
	n := values.Len()
	*d = keyedDict{values: values, known: make([]bool, n), keys: make([]types.U128, n), had: make([]bool, n), row: d.row}
}

// learn computes the keys of codes that are not known yet.
func (d *keyedDict) learn(codes []uint32) {
	var fresh []uint32
	for _, c := range codes {
		if !d.known[c] {
			d.known[c] = true
			fresh = append(fresh, c)
		}
	}
	if len(fresh) == 0 {
		return
	}
	for i, k := range keysOf([]column.Column{d.values.Gather(fresh)}, len(fresh)) {
		d.keys[fresh[i]] = k
	}
}

// gather gives the keys of codes; they are valid until the next call.
func (d *keyedDict) gather(codes []uint32) []types.U128 {
	if cap(d.row) < len(codes) {
		d.row = make([]types.U128, len(codes))
	}
	d.row = d.row[:len(codes)]
	for i, code := range codes {
		d.row[i] = d.keys[code]
	}
	return d.row
}

func (a *uniqExact) Grow(n int) { a.set.grow(n) }

func (a *uniqExact) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	if len(args) == 1 {
		if d, ok := args[0].(*column.Dict); ok {
			a.addDict(groups, d)
			return nil
		}
		if keys := narrowKeys(args[0], a.buf); keys != nil {
			if _, own := args[0].(*column.Fixed[uint64]); !own {
				a.buf = keys
			}
			a.set.insertAllLow(groupsOf(groups, rows), keys)
			return nil
		}
	}
	if groups == nil && len(args) == 1 {
		args, rows = onceEach(args, rows)
	}
	a.set.insertAll(groupsOf(groups, rows), keysOf(args, rows))
	return nil
}

// addDict computes each entry's key once, and of a single group adds each once.
func (a *uniqExact) addDict(groups []uint32, c *column.Dict) {
	d := &a.dict
	d.over(c.Values)
	if groups == nil {
		var fresh []uint32
		for _, code := range c.Codes {
			if !d.had[code] {
				d.had[code] = true
				fresh = append(fresh, code)
			}
		}
		d.learn(fresh)
		a.set.insertAll(groupsOf(nil, len(fresh)), d.gather(fresh))
		return
	}
	d.learn(c.Codes)
	a.set.insertAll(groups, d.gather(c.Codes))
}

// onceEach gives the used entries of a Dict or the value of a Const, when that
// is less than the rows.
func onceEach(args []column.Column, rows int) ([]column.Column, int) {
	switch c := args[0].(type) {
	case *column.Const:
		return []column.Column{c.Value}, 1
	}
	return args, rows
}

func (a *uniqExact) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	a.set.merge(groups, &from.(*uniqExact).set, some)
	return nil
}

func (a *uniqExact) Result(from, to int) (column.Column, error) {
	return column.NewFixed(append([]uint64(nil), a.set.n[from:to]...)), nil
}

func (a *uniqExact) Encode(group int, dst []byte) []byte {
	keys := a.set.keys(group)
	dst = putUvarint(dst, uint64(len(keys)))
	for _, k := range keys {
		dst = append(dst, putFixed(nil, k)[:a.width]...)
	}
	return dst
}

func (a *uniqExact) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	for range r.count(a.width) {
		var full [16]byte
		copy(full[:], r.bytes(a.width))
		sub := &reader{src: full[:]}
		a.set.insert(uint32(group), readFixed[types.U128](sub))
	}
	return r.at, r.err
}

func (a *uniqExact) Size() int64 { return a.set.size() }
