package arrays

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// picker collects, row by row, the positions of the elements of the result.
type picker struct {
	offsets   []uint64
	positions []uint32
}

func newPicker(rows, elems int) *picker {
	return &picker{make([]uint64, 1, rows+1), make([]uint32, 0, elems)}
}

func (p *picker) add(e int) { p.positions = append(p.positions, uint32(e)) }
func (p *picker) end()      { p.offsets = append(p.offsets, uint64(len(p.positions))) }

func (p *picker) column(elems column.Column) column.Column {
	return &column.Array{Offsets: p.offsets, Elems: elems.Gather(p.positions)}
}

// bindPick binds a function of one array (the first argument, which pattern
// says) whose result is some of its elements in some order: row adds them for
// the elements [from, to) of row i.
func bindPick(name, pattern string, open func(args []column.Column, rows int) func(p *picker, i, from, to int)) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, pattern, args); err != nil {
			return nil, err
		}
		return kernel.Fn(args[0].Type, func(args []column.Column, rows int) (column.Column, error) {
			a := kernel.Arrays(args[0])
			row := open(args, rows)
			p := newPicker(rows, a.Elems.Len())
			for i := range rows {
				from, to := a.Bounds(i)
				row(p, i, from, to)
				p.end()
			}
			return p.column(a.Elems), nil
		}), nil
	}
}

// elemType gives the element type of an array argument without LowCardinality.
func elemType(t *types.Type) *types.Type { return types.WithoutLowCardinality(t.Elem()) }

// equality gives a test of element i of a against element j of b, full columns
// of one type; NULL equals NULL.
func equality(a, b column.Column) func(i, j int) bool { // long: one case a form
	switch x := a.(type) {
	case *column.Nullable:
		y, ok := b.(*column.Nullable)
		if !ok {
			y = column.NewNullable(b, nil)
		}
		eq := equality(x.Values, y.Values)
		return func(i, j int) bool {
			if xn, yn := x.IsNull(i), y.IsNull(j); xn || yn {
				return xn && yn
			}
			return eq(i, j)
		}
	case *column.Str:
		if y, ok := b.(*column.Str); ok {
			return func(i, j int) bool { return bytes.Equal(x.At(i), y.At(j)) }
		}
	case *column.Nothing:
		return func(int, int) bool { return column.IsNullAt(b, 0) }
	case *column.Fixed[uint8]:
		return same(x, b)
	case *column.Fixed[uint16]:
		return same(x, b)
	case *column.Fixed[uint32]:
		return same(x, b)
	case *column.Fixed[uint64]:
		return same(x, b)
	case *column.Fixed[int8]:
		return same(x, b)
	case *column.Fixed[int16]:
		return same(x, b)
	case *column.Fixed[int32]:
		return same(x, b)
	case *column.Fixed[int64]:
		return same(x, b)
	case *column.Fixed[float32]:
		return same(x, b)
	case *column.Fixed[float64]:
		return same(x, b)
	}
	if n, ok := b.(*column.Nullable); ok {
		eq := equality(a, n.Values)
		return func(i, j int) bool { return !n.IsNull(j) && eq(i, j) }
	}
	return func(i, j int) bool { return column.Compare(a, i, b, j, 1) == 0 }
}

func same[T column.Ordered](x *column.Fixed[T], b column.Column) func(i, j int) bool {
	if y, ok := b.(*column.Fixed[T]); ok {
		return func(i, j int) bool { return x.Values[i] == y.Values[j] }
	}
	if n, ok := b.(*column.Nullable); ok {
		y := n.Values.(*column.Fixed[T])
		return func(i, j int) bool { return !n.IsNull(j) && x.Values[i] == y.Values[j] }
	}
	return func(i, j int) bool { return column.Compare(x, i, b, j, 1) == 0 }
}

// numbering gives equal elements equal numbers, in the order of their first
// appearance since reset. It serves one row at a time.
type numbering struct {
	hash  []uint64
	eq    func(i, j int) bool
	table []int32 // element+1 of the first of its kind, 0 for none
	used  []uint32
	first []int32 // number → element
	ids   []int32 // slot → number
}

func newNumbering(elems column.Column) *numbering {
	n := &numbering{hash: make([]uint64, elems.Len()), eq: equality(elems, elems)}
	values, _ := column.SplitNulls(elems)
	switch values.(type) {
	case *column.Fixed[float32], *column.Fixed[float64]: // NaNs are of one kind
		n.eq = func(i, j int) bool { return column.Compare(elems, i, elems, j, 1) == 0 }
	}
	column.HashInto(elems, n.hash)
	return n
}

// reset forgets all numbers and makes room for size elements.
func (n *numbering) reset(size int) {
	want := 8
	for want < size*2 {
		want *= 2
	}
	if len(n.table) < want {
		n.table, n.ids = make([]int32, want), make([]int32, want)
	} else {
		for _, s := range n.used {
			n.table[s] = 0
		}
	}
	n.used, n.first = n.used[:0], n.first[:0]
}

// find gives the number of an element's kind, -1 when it has none.
func (n *numbering) find(e int) (number int, slot uint32) {
	mask := uint32(len(n.table) - 1)
	slot = uint32(n.hash[e]>>32) & mask
	for n.table[slot] != 0 {
		if o := int(n.table[slot] - 1); n.hash[o] == n.hash[e] && n.eq(o, e) {
			return int(n.ids[slot]), slot
		}
		slot = (slot + 1) & mask
	}
	return -1, slot
}

// number gives an element's kind a number, and tells whether it is new.
func (n *numbering) number(e int) (int, bool) {
	id, slot := n.find(e)
	if id >= 0 {
		return id, false
	}
	id = len(n.first)
	n.table[slot], n.ids[slot] = int32(e+1), int32(id)
	n.used, n.first = append(n.used, slot), append(n.first, int32(e))
	return id, true
}
