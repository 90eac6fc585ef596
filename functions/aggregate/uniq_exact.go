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
}

func (a *uniqExact) Grow(n int) { a.set.grow(n) }

func (a *uniqExact) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	if groups == nil && len(args) == 1 {
		args, rows = onceEach(args, rows)
	}
	keys := keysOf(args, rows)
	for i, g := range groupsOf(groups, rows) {
		a.set.insert(g, keys[i])
	}
	return nil
}

// onceEach gives the used entries of a Dict or the value of a Const, when that
// is less than the rows.
func onceEach(args []column.Column, rows int) ([]column.Column, int) {
	switch c := args[0].(type) {
	case *column.Const:
		return []column.Column{c.Value}, 1
	case *column.Dict:
		if c.Values.Len() > rows {
			return args, rows
		}
		used := make([]bool, c.Values.Len())
		for _, code := range c.Codes {
			used[code] = true
		}
		var keep []uint32
		for e, u := range used {
			if u {
				keep = append(keep, uint32(e))
			}
		}
		return []column.Column{c.Values.Gather(keep)}, len(keep)
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
