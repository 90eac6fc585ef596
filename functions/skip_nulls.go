package functions

import (
	"lakeserver/column"
	"lakeserver/types"
)

// skipNulls wraps a function bound to plain arguments so that rows with a NULL
// argument are left out. The result is NULL for a group that no row reached,
// or what the function gives for no rows when asDefault.
func skipNulls(b *BoundAggregate, asDefault, bare bool) *BoundAggregate {
	out := *b
	out.Plain = ""
	if asDefault || !b.Result.CanBeNullable() && !(bare && b.Result.Kind() == types.KindTuple) {
		out.New = func() Accumulator { return &nullSkipper{inner: b.New(), marked: asDefault && b.Plain != "count"} }
		return &out
	}
	out.Result = types.Nullable(b.Result)
	out.New = func() Accumulator { return &nullSkipper{inner: b.New(), flags: true} }
	return &out
}

// nullSkipper keeps, when flags is set, a byte a group: whether a row came.
type nullSkipper struct {
	inner  Accumulator
	flags  bool
	marked bool // states have the flag, though it is always set
	seen   []uint8
}

func (a *nullSkipper) Grow(n int) {
	a.inner.Grow(n)
	if a.flags && n > len(a.seen) {
		a.seen = append(a.seen, make([]uint8, n-len(a.seen))...)
	}
}

func (a *nullSkipper) Add(groups []uint32, args []column.Column, rows int) error {
	plain, null := stripArgs(args, rows)
	if null != nil {
		keep := make([]uint32, 0, rows)
		for i, n := range null {
			if n == 0 {
				keep = append(keep, uint32(i))
			}
		}
		if len(keep) == 0 {
			return nil
		}
		if groups != nil {
			picked := make([]uint32, len(keep))
			for i, r := range keep {
				picked[i] = groups[r]
			}
			groups = picked
		}
		for i := range plain {
			plain[i] = plain[i].Gather(keep)
		}
		rows = len(keep)
	}
	a.mark(groups, rows)
	return a.inner.Add(groups, plain, rows)
}

func (a *nullSkipper) mark(groups []uint32, rows int) {
	switch {
	case !a.flags || rows == 0:
	case groups == nil:
		a.seen[0] = 1
	default:
		for _, g := range groups {
			a.seen[g] = 1
		}
	}
}

// stripArgs takes NULLs off the arguments: plain values and the joined map.
func stripArgs(args []column.Column, rows int) (plain []column.Column, null []uint8) {
	plain = make([]column.Column, len(args))
	for i, c := range args {
		switch x := c.(type) {
		case *column.Const:
			v, n := column.SplitNulls(x.Value)
			plain[i] = &column.Const{Value: v, N: x.N}
			if n != nil && n[0] != 0 {
				null = column.OrNulls(null, allOnes(rows))
			}
		case *column.Dict:
			v, n := column.SplitNulls(x.Values)
			plain[i] = &column.Dict{Codes: x.Codes, Values: v}
			if n != nil {
				null = column.OrNulls(null, pick(n, x.Codes))
			}
		default:
			v, n := column.SplitNulls(c)
			plain[i], null = v, column.OrNulls(null, n)
		}
	}
	return plain, null
}

func allOnes(n int) []uint8 {
	out := make([]uint8, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func pick(null []uint8, codes []uint32) []uint8 {
	out := make([]uint8, len(codes))
	for i, c := range codes {
		out[i] = null[c]
	}
	return out
}

func (a *nullSkipper) Merge(groups []uint32, from Accumulator, some []uint32) error {
	f := from.(*nullSkipper)
	if a.flags {
		for i, g := range Merged(groups, some, len(f.seen)) {
			a.seen[g] |= f.seen[i]
		}
	}
	return a.inner.Merge(groups, f.inner, some)
}

func (a *nullSkipper) Result(from, to int) (column.Column, error) {
	c, err := a.inner.Result(from, to)
	if err != nil || !a.flags {
		return c, err
	}
	null := make([]uint8, to-from)
	for i := range null {
		null[i] = 1 - a.seen[from+i]
	}
	return column.NewNullable(column.Full(c), null), nil
}

// Encode writes ClickHouse's form: a byte for the flag, then the state if any row came.
func (a *nullSkipper) Encode(group int, dst []byte) []byte {
	if a.marked {
		dst = append(dst, 1)
	}
	if a.flags {
		dst = append(dst, a.seen[group])
		if a.seen[group] == 0 {
			return dst
		}
	}
	return a.inner.Encode(group, dst)
}

func (a *nullSkipper) Decode(group int, src []byte) (int, error) {
	if !a.flags && !a.marked {
		return a.inner.Decode(group, src)
	}
	if len(src) == 0 {
		return 0, errShortState
	}
	if src[0] == 0 {
		return 1, nil
	}
	if a.flags {
		a.seen[group] = 1
	}
	n, err := a.inner.Decode(group, src[1:])
	return n + 1, err
}

func (a *nullSkipper) Size() int64 { return a.inner.Size() + int64(len(a.seen)) }
