package cast

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

type integer interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

type number interface {
	integer | float32 | float64
}

// toNumber converts to an integer, a float, a Bool or an Interval.
func (b *binder) toNumber(from, to *types.Type) kernel { // long: one case a kind
	if from.IsDecimal() || from.Kind() == types.KindDateTime64 || from.Kind() == types.KindTime64 {
		return b.fromDecimal(from, to)
	}
	if from.Kind() == types.KindBFloat16 {
		next := b.toNumber(types.Float32, to)
		if to.Kind() == types.KindFloat32 {
			next = identity
		}
		return func(c column.Column, bad *failures) (column.Column, error) { return next(widenBFloat16(c), bad) }
	}
	switch to.Kind() {
	case types.KindBool:
		return func(c column.Column, _ *failures) (column.Column, error) { return nonZero(c), nil }
	case types.KindUInt8:
		return toNative[uint8](from, b.o.Accurate)
	case types.KindUInt16:
		return toNative[uint16](from, b.o.Accurate)
	case types.KindUInt32:
		return toNative[uint32](from, b.o.Accurate)
	case types.KindUInt64:
		return toNative[uint64](from, b.o.Accurate)
	case types.KindInt8:
		return toNative[int8](from, b.o.Accurate)
	case types.KindInt16:
		return toNative[int16](from, b.o.Accurate)
	case types.KindInt32:
		return toNative[int32](from, b.o.Accurate)
	case types.KindInt64, types.KindInterval:
		return toNative[int64](from, b.o.Accurate)
	case types.KindFloat32:
		return toNative[float32](from, b.o.Accurate)
	case types.KindFloat64:
		return toNative[float64](from, b.o.Accurate)
	case types.KindBFloat16:
		return func(c column.Column, bad *failures) (column.Column, error) {
			f, err := native[float32](c, bad, false)
			if err != nil {
				return nil, err
			}
			out := make([]uint16, f.Len())
			for i, v := range f.Values {
				out[i] = text.BFloat16OfFloat32(v)
			}
			return column.NewFixed(out), nil
		}
	case types.KindInt128, types.KindUInt128, types.KindInt256, types.KindUInt256:
		return b.toWide(from, to)
	}
	return nil
}

func widenBFloat16(c column.Column) column.Column {
	v := column.Values[uint16](c)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = text.Float32OfBFloat16(x)
	}
	return column.NewFixed(out)
}

func nonZero(c column.Column) column.Column {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return nonZeroOf(c.Values)
	case *column.Fixed[uint16]:
		return nonZeroOf(c.Values)
	case *column.Fixed[uint32]:
		return nonZeroOf(c.Values)
	case *column.Fixed[uint64]:
		return nonZeroOf(c.Values)
	case *column.Fixed[int8]:
		return nonZeroOf(c.Values)
	case *column.Fixed[int16]:
		return nonZeroOf(c.Values)
	case *column.Fixed[int32]:
		return nonZeroOf(c.Values)
	case *column.Fixed[int64]:
		return nonZeroOf(c.Values)
	case *column.Fixed[float32]:
		return nonZeroOf(c.Values)
	case *column.Fixed[float64]:
		return nonZeroOf(c.Values)
	case *column.Fixed[types.I128]:
		return nonZeroOf(c.Values)
	case *column.Fixed[types.U128]:
		return nonZeroOf(c.Values)
	case *column.Fixed[types.I256]:
		return nonZeroOf(c.Values)
	case *column.Fixed[types.U256]:
		return nonZeroOf(c.Values)
	}
	cherr.Bug("no truth in a %T", c)
	return nil
}

func nonZeroOf[T column.Element](v []T) column.Column {
	var zero T
	out := make([]uint8, len(v))
	for i, x := range v {
		if x != zero {
			out[i] = 1
		}
	}
	return column.NewFixed(out)
}

// NonZero tells for each row of a number or Bool whether it is not 0: 1 or 0.
// NaN is not 0. The column is full and not Nullable.
func NonZero(c column.Column) []uint8 {
	if f, ok := nonZero(c).(*column.Fixed[uint8]); ok {
		return f.Values
	}
	return nil
}

func toNative[T number](from *types.Type, accurate bool) kernel {
	if !from.IsNativeNumber() && !from.IsEnum() && from.Kind() != types.KindDate && from.Kind() != types.KindDate32 &&
		from.Kind() != types.KindDateTime && from.Kind() != types.KindTime && from.Kind() != types.KindInterval {
		return nil
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		f, err := native[T](c, bad, accurate)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// native converts any column of numbers to one of T.
func native[T number](c column.Column, bad *failures, accurate bool) (*column.Fixed[T], error) { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[T]:
		return c, nil
	case *column.Fixed[uint8]:
		return fromInts[uint8, T](c.Values, bad, accurate)
	case *column.Fixed[uint16]:
		return fromInts[uint16, T](c.Values, bad, accurate)
	case *column.Fixed[uint32]:
		return fromInts[uint32, T](c.Values, bad, accurate)
	case *column.Fixed[uint64]:
		return fromInts[uint64, T](c.Values, bad, accurate)
	case *column.Fixed[int8]:
		return fromInts[int8, T](c.Values, bad, accurate)
	case *column.Fixed[int16]:
		return fromInts[int16, T](c.Values, bad, accurate)
	case *column.Fixed[int32]:
		return fromInts[int32, T](c.Values, bad, accurate)
	case *column.Fixed[int64]:
		return fromInts[int64, T](c.Values, bad, accurate)
	case *column.Fixed[float32]:
		return fromFloats[float32, T](c.Values, bad, accurate)
	case *column.Fixed[float64]:
		return fromFloats[float64, T](c.Values, bad, accurate)
	}
	words, signed := Words(c)
	out := make([]T, len(words))
	isFloat := T(1)/2 != 0
	for i, w := range words {
		if isFloat {
			if signed {
				out[i] = T(w.Float64())
			} else {
				out[i] = T(types.U256(w).Float64())
			}
			continue
		}
		out[i] = T(w[0])
		if accurate && !exactWords(w, signed, out[i]) {
			if err := bad.fail(i, errAccurate); err != nil {
				return nil, err
			}
			out[i] = 0
		}
	}
	return column.NewFixed(out), nil
}

var errAccurate = cherr.New(cherr.CannotConvertType, "Value cannot be safely converted into the type")

func exactWords[T number](w types.I256, signed bool, v T) bool {
	if signed && w.Negative() {
		return w.FitsInt64() && v < 0 && int64(v) == int64(w[0])
	}
	return w[1]|w[2]|w[3] == 0 && v >= 0 && uint64(v) == w[0]
}

func fromInts[A integer, T number](in []A, bad *failures, accurate bool) (*column.Fixed[T], error) {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = T(v)
	}
	if !accurate {
		return column.NewFixed(out), nil
	}
	for i, v := range in {
		if A(out[i]) != v || (out[i] < 0) != (v < 0) {
			if err := bad.fail(i, errAccurate); err != nil {
				return nil, err
			}
			out[i] = 0
		}
	}
	return column.NewFixed(out), nil
}

var errNotFinite = cherr.New(cherr.CannotConvertType, "Unexpected inf or nan to integer conversion")

func fromFloats[A float32 | float64, T number](in []A, bad *failures, accurate bool) (*column.Fixed[T], error) {
	out := make([]T, len(in))
	isFloat := T(1)/2 != 0
	least := T(0)
	least--
	unsigned := least > 0
	if isFloat {
		for i, v := range in {
			out[i] = T(v)
		}
	}
	for i, v := range in {
		switch {
		case isFloat:
			if !accurate || A(out[i]) == v || v != v {
				continue
			}
		case v-v != 0:
			if err := bad.fail(i, errNotFinite); err != nil {
				return nil, err
			}
			continue
		default:
			out[i] = T(v)
			if !accurate || float64(out[i]) == float64(v) && (float64(v) < 1<<63 || unsigned && float64(v) < 1<<64) {
				continue
			}
		}
		if err := bad.fail(i, errAccurate); err != nil {
			return nil, err
		}
		out[i] = 0
	}
	return column.NewFixed(out), nil
}

// Words gives any column of integers in 256 bits, and whether they are signed.
// Unsigned values of 256 bits keep their bits.
func Words(c column.Column) (out []types.I256, signed bool) {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return unsignedWords(c.Values), false
	case *column.Fixed[uint16]:
		return unsignedWords(c.Values), false
	case *column.Fixed[uint32]:
		return unsignedWords(c.Values), false
	case *column.Fixed[uint64]:
		return unsignedWords(c.Values), false
	case *column.Fixed[int8]:
		return signedWords(c.Values), true
	case *column.Fixed[int16]:
		return signedWords(c.Values), true
	case *column.Fixed[int32]:
		return signedWords(c.Values), true
	case *column.Fixed[int64]:
		return signedWords(c.Values), true
	case *column.Fixed[types.I128]:
		out = make([]types.I256, len(c.Values))
		for i, v := range c.Values {
			out[i] = v.I256()
		}
		return out, true
	case *column.Fixed[types.U128]:
		out = make([]types.I256, len(c.Values))
		for i, v := range c.Values {
			out[i] = types.I256(v.U256())
		}
		return out, false
	case *column.Fixed[types.I256]:
		return c.Values, true
	case *column.Fixed[types.U256]:
		out = make([]types.I256, len(c.Values))
		for i, v := range c.Values {
			out[i] = types.I256(v)
		}
		return out, false
	}
	cherr.Bug("no integers in a %T", c)
	return nil, false
}

func unsignedWords[T uint8 | uint16 | uint32 | uint64](v []T) []types.I256 {
	out := make([]types.I256, len(v))
	for i, x := range v {
		out[i][0] = uint64(x)
	}
	return out
}

func signedWords[T int8 | int16 | int32 | int64](v []T) []types.I256 {
	out := make([]types.I256, len(v))
	for i, x := range v {
		out[i] = types.ToI256(int64(x))
	}
	return out
}

// FromWords gives the low bits of 256-bit integers in the form of an integer
// or Decimal type.
func FromWords(w []types.I256, t *types.Type) column.Column {
	switch t.Physical() {
	case types.PhysUInt8:
		return lowWords[uint8](w)
	case types.PhysUInt16:
		return lowWords[uint16](w)
	case types.PhysUInt32:
		return lowWords[uint32](w)
	case types.PhysUInt64:
		return lowWords[uint64](w)
	case types.PhysInt8:
		return lowWords[int8](w)
	case types.PhysInt16:
		return lowWords[int16](w)
	case types.PhysInt32:
		return lowWords[int32](w)
	case types.PhysInt64:
		return lowWords[int64](w)
	case types.PhysInt128:
		out := make([]types.I128, len(w))
		for i, v := range w {
			out[i] = v.I128()
		}
		return column.NewFixed(out)
	case types.PhysUInt128:
		out := make([]types.U128, len(w))
		for i, v := range w {
			out[i] = types.U128{Lo: v[0], Hi: v[1]}
		}
		return column.NewFixed(out)
	case types.PhysInt256:
		return column.NewFixed(w)
	case types.PhysUInt256:
		out := make([]types.U256, len(w))
		for i, v := range w {
			out[i] = types.U256(v)
		}
		return column.NewFixed(out)
	}
	cherr.Bug("no integers of type %s", t)
	return nil
}

func lowWords[T integer](w []types.I256) column.Column {
	out := make([]T, len(w))
	for i, v := range w {
		out[i] = T(v[0])
	}
	return column.NewFixed(out)
}

// toWide converts to an integer of 128 or 256 bits.
func (b *binder) toWide(from, to *types.Type) kernel {
	if from.IsFloat() {
		return func(c column.Column, bad *failures) (column.Column, error) {
			f, err := native[float64](c, bad, false)
			if err != nil {
				return nil, err
			}
			w := make([]types.I256, f.Len())
			for i, v := range f.Values {
				if v-v != 0 {
					if err := bad.fail(i, errNotFinite); err != nil {
						return nil, err
					}
					continue
				}
				w[i] = types.I256FromFloat(v)
			}
			return FromWords(w, to), nil
		}
	}
	if !from.IsInteger() && from.Kind() != types.KindBool && !from.IsEnum() && from.Kind() != types.KindDate && from.Kind() != types.KindDateTime && from.Kind() != types.KindDate32 {
		return nil
	}
	accurate := b.o.Accurate
	return func(c column.Column, bad *failures) (column.Column, error) {
		w, signed := Words(c)
		if accurate {
			for i := range w {
				if !holds(w[i], signed, to) {
					if err := bad.fail(i, errAccurate); err != nil {
						return nil, err
					}
				}
			}
		}
		return FromWords(w, to), nil
	}
}

// holds tells whether an integer fits a wide type.
func holds(w types.I256, signed bool, to *types.Type) bool {
	negative := signed && w.Negative()
	switch to.Kind() {
	case types.KindUInt128:
		return !negative && w[2]|w[3] == 0
	case types.KindUInt256:
		return !negative
	case types.KindInt128:
		return w.FitsI128()
	}
	return signed || !w.Negative()
}

// Native gives a full column of numbers of up to 64 bits as values of T, by
// Go's conversion: integers wrap around. NaN may become any integer.
func Native[T number](c column.Column) []T {
	if f, ok := c.(*column.Fixed[T]); ok {
		return f.Values
	}
	ignore := &failures{rows: c.Len()}
	f, err := native[T](c, ignore, false)
	if err != nil {
		cherr.Bug("no numbers in a %T", c)
	}
	return f.Values
}

// Floats gives any full column of numbers of type t as float64.
func Floats(c column.Column, t *types.Type) []float64 {
	switch {
	case t.IsDecimal() || t.Kind() == types.KindDateTime64:
		return DecimalFloats(c, t.Scale())
	case t.Kind() == types.KindBFloat16:
		c = widenBFloat16(c)
	}
	return Native[float64](c)
}
