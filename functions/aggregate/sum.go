package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name:            "sum",
	CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "sum(x)", Summary: "Adds up numbers. Integers widen to 64 bits and wrap around, decimals widen to 38 or 76 digits.",
		Examples: []string{"SELECT sum(number) FROM numbers(10)"},
	},
	Bind: unary("sum", func(t *types.Type) (*functions.BoundAggregate, error) {
		result := sumType(t)
		if result == nil {
			return nil, illegal("sum", t)
		}
		return plain("sum", result, newSummer(t, result)), nil
	}),
})

var _ = add(functions.Aggregate{
	Name: "sumWithOverflow",
	Doc: functions.Doc{
		Syntax: "sumWithOverflow(x)", Summary: "Adds up numbers in the type of the argument, which may wrap around.",
		Examples: []string{"SELECT sumWithOverflow(toUInt8(number)) FROM numbers(100)"},
	},
	Bind: unary("sumWithOverflow", func(t *types.Type) (*functions.BoundAggregate, error) {
		if sumType(t) == nil || t.Kind() == types.KindBFloat16 {
			return nil, illegal("sumWithOverflow", t)
		}
		return bound(t, newSummer(t, t)), nil
	}),
})

// sumType gives the type of sum(t), nil when there is no sum.
func sumType(t *types.Type) *types.Type {
	switch {
	case t.Kind() == types.KindBool:
		return types.UInt64
	case t.Kind() == types.KindInterval:
		return t
	case t.IsFloat():
		return types.Float64
	case t.IsDecimal():
		if t.Kind() == types.KindDecimal256 {
			return types.Decimal(76, t.Scale())
		}
		return types.Decimal(38, t.Scale())
	case t.IsInteger() && t.Bytes() > 8:
		return t
	case t.IsUnsigned():
		return types.UInt64
	case t.IsSigned():
		return types.Int64
	}
	return nil
}

// newSummer gives the accumulators that add values of type t in the form of result.
func newSummer(t, result *types.Type) func() functions.Accumulator { // long: one case a form
	if t.Kind() == types.KindBFloat16 {
		return summerOf(sumBFloats, addInto[float64])
	}
	switch result.Physical() {
	case types.PhysUInt64:
		return summerFrom[uint64](t)
	case types.PhysInt64:
		return summerFrom[int64](t)
	case types.PhysFloat64:
		return summerFrom[float64](t)
	case types.PhysInt128:
		switch t.Physical() {
		case types.PhysInt32:
			return summerOf(sumTo128[int32], addWideInto[types.I128])
		case types.PhysInt64:
			return summerOf(sumTo128[int64], addWideInto[types.I128])
		}
		return summerOf(sumWide[types.I128], addWideInto[types.I128])
	case types.PhysUInt128:
		return summerOf(sumWide[types.U128], addWideInto[types.U128])
	case types.PhysInt256:
		return summerOf(sumWide[types.I256], addWideInto[types.I256])
	case types.PhysUInt256:
		return summerOf(sumWide[types.U256], addWideInto[types.U256])
	case types.PhysUInt8:
		return summerFrom[uint8](t)
	case types.PhysUInt16:
		return summerFrom[uint16](t)
	case types.PhysUInt32:
		return summerFrom[uint32](t)
	case types.PhysInt8:
		return summerFrom[int8](t)
	case types.PhysInt16:
		return summerFrom[int16](t)
	case types.PhysInt32:
		return summerFrom[int32](t)
	}
	return summerFrom[float32](t)
}

func summerFrom[A number](t *types.Type) func() functions.Accumulator {
	return summerOf(sumKernel[A](t), addInto[A])
}

// sumKernel chooses the loop that adds values of type t to sums of type A.
func sumKernel[A number](t *types.Type) func(s []A, groups []uint32, c column.Column, rows int) {
	switch t.Physical() {
	case types.PhysUInt8:
		return sumNumbers[A, uint8]
	case types.PhysUInt16:
		return sumNumbers[A, uint16]
	case types.PhysUInt32:
		return sumNumbers[A, uint32]
	case types.PhysUInt64:
		return sumNumbers[A, uint64]
	case types.PhysInt8:
		return sumNumbers[A, int8]
	case types.PhysInt16:
		return sumNumbers[A, int16]
	case types.PhysInt32:
		return sumNumbers[A, int32]
	case types.PhysInt64:
		return sumNumbers[A, int64]
	case types.PhysFloat32:
		return sumNumbers[A, float32]
	}
	return sumNumbers[A, float64]
}

func addInto[A number](to *A, from A)                    { *to += from }
func addWideInto[A interface{ Add(A) A }](to *A, from A) { *to = (*to).Add(from) }

func summerOf[A column.Element](kernel func([]A, []uint32, column.Column, int), join func(*A, A)) func() functions.Accumulator {
	return func() functions.Accumulator { return &summer[A]{kernel: kernel, join: join} }
}

// summer keeps one sum a group.
type summer[A column.Element] struct {
	s      []A
	kernel func(s []A, groups []uint32, c column.Column, rows int)
	join   func(*A, A)
}

func (a *summer[A]) Grow(n int) { a.s = grown(a.s, n) }

func (a *summer[A]) Add(groups []uint32, args []column.Column, rows int) error {
	a.kernel(a.s, groups, args[0], rows)
	return nil
}

func (a *summer[A]) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*summer[A])
	for i, g := range functions.Merged(groups, some, len(f.s)) {
		a.join(&a.s[g], f.s[i])
	}
	return nil
}

func (a *summer[A]) Result(from, to int) (column.Column, error) {
	return column.NewFixed(append([]A(nil), a.s[from:to]...)), nil
}

func (a *summer[A]) Encode(group int, dst []byte) []byte { return putFixed(dst, a.s[group]) }

func (a *summer[A]) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	a.join(&a.s[group], readFixed[A](r))
	return r.at, r.err
}

func (a *summer[A]) Size() int64 { return int64(cap(a.s)) * sizeOf[A]() }

// sumNumbers adds a column in any form.
func sumNumbers[A, T number](s []A, groups []uint32, c column.Column, rows int) {
	switch c := c.(type) {
	case *column.Const:
		v := A(c.Value.(*column.Fixed[T]).Values[0])
		if groups == nil {
			s[0] += sumConst(v, rows)
			return
		}
		for _, g := range groups {
			s[g] += v
		}
	case *column.Dict:
		v := c.Values.(*column.Fixed[T]).Values
		if groups != nil {
			for i, g := range groups {
				s[g] += A(v[c.Codes[i]])
			}
			return
		}
		// Two sums, so that neighbours do not wait on each other.
		var even, odd A
		codes := c.Codes
		for len(codes) >= 2 {
			even += A(v[codes[0]])
			odd += A(v[codes[1]])
			codes = codes[2:]
		}
		for _, code := range codes {
			even += A(v[code])
		}
		s[0] += even + odd
	case *column.Fixed[T]:
		if groups == nil {
			s[0] = sumSlice(s[0], c.Values)
			return
		}
		v := c.Values[:len(groups)]
		for i, g := range groups {
			s[g] += A(v[i])
		}
	}
}

// sumConst is v added rows times: for floats rounding makes that differ from a product.
func sumConst[A number](v A, rows int) A {
	if half := A(1) / 2; half == 0 {
		return v * A(rows)
	}
	var s A
	for range rows {
		s += v
	}
	return s
}

// sumSlice adds with sixteen partial sums, in the order in which ClickHouse
// adds floats, so that their rounding agrees; integers gain the same overlap.
func sumSlice[A, T number](start A, v []T) A {
	var p [16]A
	n := len(v) &^ 15
	for i := 0; i < n; i += 16 {
		w := v[i : i+16 : i+16]
		for k := range p {
			p[k] += A(w[k])
		}
	}
	if n > 0 {
		for _, x := range p {
			start += x
		}
	}
	var tail A
	for _, x := range v[n:] {
		tail += A(x)
	}
	return start + tail
}

func sumBFloats(s []float64, groups []uint32, c column.Column, rows int) {
	v := column.Full(c).(*column.Fixed[uint16]).Values
	for i, g := range groupsOf(groups, rows) {
		s[g] += bfloat(v[i])
	}
}

// sumTo128 adds 32- and 64-bit decimals to 128 bits.
func sumTo128[T int32 | int64](s []types.I128, groups []uint32, c column.Column, rows int) {
	v := column.Full(c).(*column.Fixed[T]).Values
	if groups != nil {
		for i, g := range groups {
			s[g] = s[g].Add(types.ToI128(int64(v[i])))
		}
		return
	}
	// Halves of 32 bits: neither sum can overflow within a block.
	var hi, lo int64
	for _, x := range v {
		hi += int64(x) >> 32
		lo += int64(uint32(x))
	}
	s[0] = s[0].Add(types.ToI128(hi).Mul(types.ToI128(1 << 32))).Add(types.ToI128(lo))
}

func sumWide[T interface {
	column.Element
	Add(T) T
}](s []T, groups []uint32, c column.Column, rows int) {
	v := column.Full(c).(*column.Fixed[T]).Values
	for i, g := range groupsOf(groups, rows) {
		s[g] = s[g].Add(v[i])
	}
}
