package cast

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

var (
	errConvert = cherr.New(cherr.DecimalOverflow, "Convert overflow")
	errDecimal = cherr.New(cherr.DecimalOverflow, "Decimal convert overflow")
	errRange   = cherr.New(cherr.DecimalOverflow, "Decimal convert overflow. Float is out of Decimal range")
	errInfNaN  = cherr.New(cherr.DecimalOverflow, "Decimal convert overflow. Cannot convert infinity or NaN to decimal")
)

// fromDecimal converts a Decimal, DateTime64 or Time64 to a number: the whole
// part to integers.
func (b *binder) fromDecimal(from, to *types.Type) kernel {
	scale := from.Scale()
	switch {
	case to.Kind() == types.KindBool:
		return func(c column.Column, _ *failures) (column.Column, error) { return nonZero(c), nil }
	case to.Kind() == types.KindFloat64:
		return func(c column.Column, _ *failures) (column.Column, error) {
			return column.NewFixed(DecimalFloats(c, scale)), nil
		}
	case to.IsFloat():
		next := b.toNumber(types.Float64, to)
		return func(c column.Column, bad *failures) (column.Column, error) {
			return next(column.NewFixed(DecimalFloats(c, scale)), bad)
		}
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		w, _ := Words(c)
		by := types.PowerOfTen(scale)
		out := make([]types.I256, len(w))
		for i, v := range w {
			if v.FitsInt64() && scale <= 18 {
				out[i] = types.ToI256(int64(v[0]) / text.Pow10(scale))
			} else {
				out[i], _ = v.QuoRem(by)
			}
			if !inRange(out[i], to) {
				if err := bad.fail(i, errConvert); err != nil {
					return nil, err
				}
				out[i] = types.I256{}
			}
		}
		return FromWords(out, to), nil
	}
}

// inRange tells whether a signed value fits an integer type.
func inRange(v types.I256, to *types.Type) bool {
	switch bits := to.Bytes() * 8; {
	case to.IsUnsigned() || to.Kind() == types.KindBool:
		return !v.Negative() && (bits == 256 || types.U256(v).Rsh(uint(bits)).IsZero())
	case bits == 256:
		return true
	case bits == 128:
		return v.FitsI128()
	case bits == 64:
		return v.FitsInt64()
	default:
		return v.FitsInt64() && int64(v[0])>>(bits-1) == int64(v[0])>>63
	}
}

// DecimalFloats gives a Decimal column's values as floats.
func DecimalFloats(c column.Column, scale int) []float64 {
	by := types.PowerOfTen(scale).Float64()
	switch c := c.(type) {
	case *column.Fixed[int32]:
		return scaled(c.Values, by)
	case *column.Fixed[int64]:
		return scaled(c.Values, by)
	}
	w, _ := Words(c)
	out := make([]float64, len(w))
	for i, v := range w {
		out[i] = v.Float64() / by
	}
	return out
}

func scaled[T int32 | int64](v []T, by float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x) / by
	}
	return out
}

// toDecimal converts numbers; digits past the scale are cut off.
func (b *binder) toDecimal(from, to *types.Type) kernel {
	switch {
	case from.IsFloat():
		return b.floatToDecimal(from, to)
	case from.IsDecimal(), from.Kind() == types.KindDateTime64:
		return func(c column.Column, bad *failures) (column.Column, error) {
			return rescale(c, from.Scale(), to.Scale(), to, bad)
		}
	case from.IsInteger(), from.Kind() == types.KindBool, from.IsEnum(), from.Kind() == types.KindInterval:
		return func(c column.Column, bad *failures) (column.Column, error) { return rescale(c, 0, to.Scale(), to, bad) }
	}
	return nil
}

// Rescale gives a Decimal (or integer, scale 0) column in the form of another
// Decimal type; DECIMAL_OVERFLOW when a value does not fit.
func Rescale(c column.Column, fromScale int, to *types.Type) (column.Column, error) {
	return rescale(c, fromScale, to.Scale(), to, nil)
}

func rescale(c column.Column, fromScale, toScale int, to *types.Type, bad *failures) (column.Column, error) {
	if fromScale == toScale && samePhysical(c, to) {
		return c, nil
	}
	if out := rescaleShort(c, fromScale, toScale, to); out != nil {
		return out, nil
	}
	w, signed := Words(c)
	out := make([]types.I256, len(w))
	by := types.PowerOfTen(max(toScale-fromScale, fromScale-toScale))
	for i, v := range w {
		over := !signed && v.Negative()
		switch {
		case fromScale == toScale:
			out[i] = v
		case fromScale < toScale:
			var o bool
			out[i], o = v.MulOver(by)
			over = over || o
		default:
			out[i], _ = v.QuoRem(by)
		}
		if over || !inRange(out[i], to) {
			if err := bad.fail(i, errDecimal); err != nil {
				return nil, err
			}
			out[i] = types.I256{}
		}
	}
	return FromWords(out, to), nil
}

func samePhysical(c column.Column, to *types.Type) bool {
	switch c.(type) {
	case *column.Fixed[int32]:
		return to.Physical() == types.PhysInt32
	case *column.Fixed[int64]:
		return to.Physical() == types.PhysInt64
	case *column.Fixed[types.I128]:
		return to.Physical() == types.PhysInt128
	case *column.Fixed[types.I256]:
		return to.Physical() == types.PhysInt256
	}
	return false
}

// rescaleShort is the quick way for values of at most 64 bits that stay so;
// nil when one would not fit.
func rescaleShort(c column.Column, fromScale, toScale int, to *types.Type) column.Column {
	if to.Bytes() > 8 || toScale-fromScale > 18 || fromScale-toScale > 18 {
		return nil
	}
	var in []int64
	switch c := c.(type) {
	case *column.Fixed[int64]:
		in = c.Values
	case *column.Fixed[types.I128], *column.Fixed[types.U128], *column.Fixed[types.I256], *column.Fixed[types.U256], *column.Fixed[uint64]:
		return nil
	default:
		f, err := native[int64](c, nil, false)
		if err != nil {
			return nil
		}
		in = f.Values
	}
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if to.Bytes() == 4 {
		lo, hi = math.MinInt32, math.MaxInt32
	}
	out := make([]int64, len(in))
	if up := toScale - fromScale; up >= 0 {
		by := text.Pow10(up)
		lo, hi = lo/by, hi/by
		for i, v := range in {
			if v < lo || v > hi {
				return nil
			}
			out[i] = v * by
		}
	} else {
		by := text.Pow10(-up)
		for i, v := range in {
			q := v / by
			if q < lo || q > hi {
				return nil
			}
			out[i] = q
		}
	}
	if to.Bytes() == 8 {
		return column.NewFixed(out)
	}
	f, _ := native[int32](column.NewFixed(out), nil, false)
	return f
}

func (b *binder) floatToDecimal(from, to *types.Type) kernel {
	by := types.PowerOfTen(to.Scale()).Float64()
	limit := math.Ldexp(1, to.Bytes()*8-1)
	return func(c column.Column, bad *failures) (column.Column, error) {
		if from.Kind() == types.KindBFloat16 {
			c = widenBFloat16(c)
		}
		single := false
		if _, ok := c.(*column.Fixed[float32]); ok {
			single = true
		}
		f, err := native[float64](c, nil, false)
		if err != nil {
			return nil, err
		}
		out := make([]types.I256, f.Len())
		for i, v := range f.Values {
			if v-v != 0 {
				if err := bad.fail(i, errInfNaN); err != nil {
					return nil, err
				}
				continue
			}
			v *= by
			if single { // the product is of single precision as well
				v = float64(float32(v))
			}
			if v >= limit || v <= -limit {
				if err := bad.fail(i, errRange); err != nil {
					return nil, err
				}
				continue
			}
			out[i] = types.I256FromFloat(v)
		}
		return FromWords(out, to), nil
	}
}
