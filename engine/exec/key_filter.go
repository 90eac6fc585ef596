package exec

import (
	"math"
	"math/bits"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// keyWish asks a node's input for a column's values to be filtered by the keys
// of a join above, once these are known.
type keyWish struct {
	column int // of the node's header
	filter *table.KeyFilter
}

// takeWishes hands a node the wishes that the node above has left for it.
func (b *builder) takeWishes() []keyWish {
	w := b.wishes
	b.wishes = nil
	return w
}

// passWishes leaves wishes for the input, where rows may go before the node
// sees them: to gives the input's column for one of the node's, -1 for none.
func (b *builder) passWishes(wishes []keyWish, to func(column int) int) {
	for _, w := range wishes {
		if c := to(w.column); c >= 0 {
			b.wishes = append(b.wishes, keyWish{c, w.filter})
		}
	}
}

// wishBelow passes the wishes for one-input nodes through which a row of the
// input, or a whole group of them, comes out or does not, whatever the others.
func (b *builder) wishBelow(n plan.Node, wishes []keyWish) {
	switch n := n.(type) {
	case *plan.Filter:
		if !allDeterministic(n.Conditions) {
			return
		}
		b.passWishes(wishes, func(c int) int { return c })
	case *plan.Project:
		if !allDeterministic(n.Exprs) { // as rowNumberInAllBlocks: it sees all rows
			return
		}
		b.passWishes(wishes, func(c int) int {
			if x, ok := n.Exprs[c].(*expr.Column); ok {
				return x.Index
			}
			return -1
		})
	case *plan.Distinct:
		if n.Columns == nil {
			b.passWishes(wishes, func(c int) int { return c })
		}
	case *plan.Aggregate:
		if n.Sets == nil && !n.Totals && n.AnyGroups == 0 && b.opt.Settings.Uint("max_rows_to_group_by") == 0 {
			b.passWishes(wishes, func(c int) int {
				if c < len(n.Keys) {
					return n.Keys[c]
				}
				return -1
			})
		}
	}
}

func allDeterministic(exprs []expr.Expr) bool {
	for _, e := range exprs {
		if !expr.Deterministic(e) {
			return false
		}
	}
	return true
}

// joinWishes leaves the wishes for one side of a join: those from above that
// concern columns of a side whose rows come out each on its own, and the
// join's own.
func (b *builder) joinWishes(n *plan.Join, right bool, above, own []keyWish) {
	width := len(n.Left.Header())
	single := n.Kind == plan.InnerJoin && n.Strictness == plan.AllStrictness || n.Kind == plan.CrossJoin
	if right {
		single = single || n.Kind == plan.RightJoin && n.Strictness == plan.AllStrictness
	} else {
		single = single || n.Kind == plan.LeftJoin && n.Strictness != plan.AsofStrictness
	}
	if single {
		b.passWishes(above, func(c int) int {
			switch {
			case right && c >= width:
				return c - width
			case !right && c < width:
				return c
			}
			return -1
		})
	}
	b.wishes = append(b.wishes, own...)
}

// filterable tells whether a key filter can judge values of a type.
func filterable(t *types.Type) bool {
	t = types.Unwrap(t)
	return t.IsString() || t.Bytes() > 0 && t.Bytes() <= 8 && !t.IsFloat()
}

// maxFilterKeys bounds the build side whose keys are told to scans.
const maxFilterKeys = 1 << 23

// newKeySet makes a set of a key's values in all blocks of a build side; nil
// when it would not pay or the form cannot be judged.
func newKeySet(parts []column.Column, rows int) table.KeySet {
	if rows > maxFilterKeys {
		return nil
	}
	if len(parts) == 0 {
		return noKeys{}
	}
	values, _ := column.SplitNulls(column.Full(parts[0]))
	switch values.(type) {
	case *column.Str:
		return bloomOfStrings(parts, rows)
	case *column.Fixed[int8]:
		return intKeysOf[int8](parts, rows)
	case *column.Fixed[int16]:
		return intKeysOf[int16](parts, rows)
	case *column.Fixed[int32]:
		return intKeysOf[int32](parts, rows)
	case *column.Fixed[int64]:
		return intKeysOf[int64](parts, rows)
	case *column.Fixed[uint8]:
		return intKeysOf[uint8](parts, rows)
	case *column.Fixed[uint16]:
		return intKeysOf[uint16](parts, rows)
	case *column.Fixed[uint32]:
		return intKeysOf[uint32](parts, rows)
	case *column.Fixed[uint64]:
		return intKeysOf[uint64](parts, rows)
	}
	return nil
}

// noKeys are the keys of an empty build side.
type noKeys struct{}

func (noKeys) Keep(c column.Column) ([]uint32, bool, bool) { return nil, c.Len() == 0, true }

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// intKeys are integers: those of a narrow range in a bit a value, others in a
// bloom filter beside their bounds.
type intKeys[T integer] struct {
	lo    T
	span  uint64 // hi - lo
	bits  []uint64
	bloom bloom
}

// rangeOf gives the bounds of the values that are not NULL; ok is false for none.
func rangeOf[T integer](parts []column.Column) (lo, hi T, ok bool) {
	for _, p := range parts {
		values, null := column.SplitNulls(column.Full(p))
		f, fits := values.(*column.Fixed[T])
		if !fits {
			continue
		}
		for i, v := range f.Values {
			if null != nil && null[i] != 0 {
				continue
			}
			if !ok {
				lo, hi, ok = v, v, true
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi, ok
}

func intKeysOf[T integer](parts []column.Column, rows int) table.KeySet {
	lo, hi, ok := rangeOf[T](parts)
	if !ok {
		return noKeys{}
	}
	k := &intKeys[T]{lo: lo, span: uint64(hi) - uint64(lo)}
	dense := k.span < 1<<20 || k.span < 64*uint64(rows)
	if dense {
		k.bits = make([]uint64, k.span/64+1)
	} else {
		k.bloom = newBloom(rows)
	}
	for _, p := range parts {
		values, null := column.SplitNulls(column.Full(p))
		f, fits := values.(*column.Fixed[T])
		if !fits {
			return nil
		}
		for i, v := range f.Values {
			if null != nil && null[i] != 0 {
				continue
			}
			if off := uint64(v) - uint64(lo); dense {
				k.bits[off/64] |= 1 << (off % 64)
			} else {
				k.bloom.add(column.Mix(uint64(v), 0))
			}
		}
	}
	return k
}

// has gives 1 for a value that may be a key, else 0.
func (k *intKeys[T]) has(v T) uint64 {
	off := uint64(v) - uint64(k.lo)
	switch {
	case off > k.span:
		return 0
	case k.bits != nil:
		return k.bits[off/64] >> (off % 64) & 1
	}
	return k.bloom.has(column.Mix(uint64(v), 0))
}

// Keep judges the rows of a column.
func (k *intKeys[T]) Keep(c column.Column) (rows []uint32, all, ok bool) {
	return keepBy(c, func(values column.Column, out []uint8) bool {
		f, ok := values.(*column.Fixed[T])
		if !ok {
			return false
		}
		if k.bits == nil {
			for i, v := range f.Values {
				out[i] = uint8(k.has(v))
			}
			return true
		}
		lo, span, bits := uint64(k.lo), k.span, k.bits
		for i, v := range f.Values {
			if off := uint64(v) - lo; off <= span {
				out[i] = uint8(bits[off/64] >> (off % 64) & 1)
			}
		}
		return true
	})
}

// strKeys are strings in a bloom filter.
type strKeys struct{ bloom bloom }

func bloomOfStrings(parts []column.Column, rows int) table.KeySet {
	k := &strKeys{newBloom(rows)}
	for _, p := range parts {
		values, null := column.SplitNulls(column.Full(p))
		s, ok := values.(*column.Str)
		if !ok {
			return nil
		}
		for i := range s.Start {
			if null == nil || null[i] == 0 {
				k.bloom.add(column.HashBytes(s.At(i)))
			}
		}
	}
	return k
}

// Keep judges the rows of a column.
func (k *strKeys) Keep(c column.Column) (rows []uint32, all, ok bool) {
	return keepBy(c, func(values column.Column, out []uint8) bool {
		s, ok := values.(*column.Str)
		if !ok {
			return false
		}
		for i := range s.Start {
			out[i] = uint8(k.bloom.has(column.HashBytes(s.At(i))))
		}
		return true
	})
}

// keepBy judges a column in any form by a test of plain values, a dictionary's
// entries once each.
func keepBy(c column.Column, test func(values column.Column, out []uint8) bool) (rows []uint32, all, ok bool) {
	n := c.Len()
	if d, isDict := c.(*column.Dict); isDict && d.Values.Len() <= n {
		values, null := column.SplitNulls(d.Values)
		flags := make([]uint8, d.Values.Len())
		if !test(values, flags) {
			return nil, false, false
		}
		for i, x := range null {
			flags[i] &= x ^ 1
		}
		rows = make([]uint32, n)
		k := 0
		for i, code := range d.Codes {
			rows[k] = uint32(i)
			k += int(flags[code])
		}
		return rows[:k], k == n, true
	}
	values, null := column.SplitNulls(column.Full(c))
	flags := make([]uint8, n)
	if !test(values, flags) {
		return nil, false, false
	}
	for i, x := range null {
		flags[i] &= x ^ 1
	}
	rows = make([]uint32, n)
	k := 0
	for i, f := range flags {
		rows[k] = uint32(i)
		k += int(f)
	}
	return rows[:k], k == n, true
}

// bloom is a filter of one 64-bit word a key, four bits of it: a test reads one
// word.
type bloom []uint64

func newBloom(keys int) bloom {
	n := 1 << bits.Len(uint(max(keys, 64)/4))
	return make(bloom, min(n, math.MaxInt32+1))
}

func bloomBits(h uint64) uint64 {
	return 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}

func (b bloom) add(h uint64) { b[h>>32&uint64(len(b)-1)] |= bloomBits(h) }

func (b bloom) has(h uint64) uint64 {
	w := bloomBits(h)
	if b[h>>32&uint64(len(b)-1)]&w == w {
		return 1
	}
	return 0
}
