package math

import (
	"math"
	"math/big"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// mode is a way of rounding: floats half to even by round, integers and
// decimals half away from zero, as ClickHouse does.
type mode struct {
	float func(x float64) float64
	// integer rounds v to a multiple of unit, given v = q*unit + r with r of
	// v's sign: by how many units q moves.
	step func(q int64, r, unit int64) int64
	// wide is step over big integers: twice |r| compared with unit.
	wide func(odd bool, sign, half int) int64
}

var (
	roundMode = mode{
		math.RoundToEven,
		func(_, r, unit int64) int64 { return away(r, unit, abs(r) >= unit-abs(r)) },
		func(_ bool, sign, half int) int64 { return bigAway(sign, half >= 0) },
	}
	bankersMode = mode{
		math.RoundToEven,
		func(q, r, unit int64) int64 {
			rest := unit - abs(r)
			return away(r, unit, abs(r) > rest || abs(r) == rest && q%2 != 0)
		},
		func(odd bool, sign, half int) int64 { return bigAway(sign, half > 0 || half == 0 && odd) },
	}
	floorMode = mode{
		math.Floor,
		func(_, r, unit int64) int64 { return away(r, unit, r < 0) },
		func(_ bool, sign, _ int) int64 { return bigAway(sign, sign < 0) },
	}
	ceilMode = mode{
		math.Ceil,
		func(_, r, unit int64) int64 { return away(r, unit, r > 0) },
		func(_ bool, sign, _ int) int64 { return bigAway(sign, sign > 0) },
	}
	truncMode = mode{
		math.Trunc,
		func(_, _, _ int64) int64 { return 0 },
		func(bool, int, int) int64 { return 0 },
	}
)

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// away is one step away from zero if the rest r asks for it.
func away(r, _ int64, yes bool) int64 {
	switch {
	case r == 0 || !yes:
		return 0
	case r < 0:
		return -1
	}
	return 1
}

func bigAway(sign int, yes bool) int64 {
	if !yes {
		return 0
	}
	return int64(sign)
}

var _ = addRounding()

func addRounding() bool {
	for _, f := range []struct {
		name, summary string
		insensitive   bool
		aliases       []string
		m             mode
	}{
		{"round", "Rounded to n digits after the point; halves of floats to even, of others away from zero.", true, nil, roundMode},
		{"roundBankers", "Rounded to n digits after the point; halves to even.", false, nil, bankersMode},
		{"floor", "The largest number with n digits after the point that is not greater.", true, nil, floorMode},
		{"ceil", "The smallest number with n digits after the point that is not less.", true, []string{"ceiling"}, ceilMode},
		{"trunc", "Cut to n digits after the point.", true, []string{"truncate"}, truncMode},
	} {
		add(functions.Scalar{
			Name: f.name, Aliases: f.aliases, CaseInsensitive: f.insensitive, MinArgs: 1, MaxArgs: 2,
			Doc:  functions.Doc{Syntax: f.name + "(x[, n])", Summary: f.summary, Examples: []string{"SELECT " + f.name + "(2.5)"}},
			Bind: bindRound(f.name, f.m),
		})
	}
	return true
}

// maxDigits is ClickHouse's bound on the digits asked for.
const maxDigits = math.MaxInt16

func bindRound(name string, m mode) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "Ni", args); err != nil {
			return nil, err
		}
		t := args[0].Type
		return kernel.Fn(t, func(args []column.Column, rows int) (column.Column, error) {
			digits := kernel.Integers(column.NewConst(column.NewFixed([]int8{0}), rows))
			if len(args) == 2 {
				digits = kernel.Integers(args[1])
			}
			for i := range rows {
				if d := digits.At(i); d > maxDigits || d < -maxDigits {
					return nil, cherr.New(cherr.ArgumentOutOfBound, "Scale argument for rounding function is out of bound: %d", d)
				}
			}
			return rounded(m, t, column.Full(args[0]), digits), nil
		}), nil
	}
}

func rounded(m mode, t *types.Type, c column.Column, digits kernel.Nums[int64]) column.Column { // long: one case a form
	s := int64(t.Scale())
	switch c := c.(type) {
	case *column.Fixed[float64]:
		return kernel.Each(len(c.Values), func(i int) float64 { return roundFloat(m, c.Values[i], digits.At(i)) })
	case *column.Fixed[float32]:
		return kernel.Each(len(c.Values), func(i int) float32 { return roundFloat32(m, c.Values[i], digits.At(i)) })
	case *column.Fixed[int8]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[int16]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[int32]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[int64]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[uint8]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[uint16]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[uint32]:
		return roundInts(m, c.Values, digits, s)
	case *column.Fixed[uint64]:
		return roundWide(m, c.Values, digits, s, func(v uint64) *big.Int { return new(big.Int).SetUint64(v) }, func(v *big.Int) uint64 { return types.U128FromBig(v).Lo })
	case *column.Fixed[types.I128]:
		return roundWide(m, c.Values, digits, s, types.I128.Big, types.I128FromBig)
	case *column.Fixed[types.U128]:
		return roundWide(m, c.Values, digits, s, types.U128.Big, types.U128FromBig)
	case *column.Fixed[types.I256]:
		return roundWide(m, c.Values, digits, s, types.I256.Big, types.I256FromBig)
	case *column.Fixed[types.U256]:
		return roundWide(m, c.Values, digits, s, types.U256.Big, types.U256FromBig)
	}
	return c
}

// roundFloat shifts the point, rounds and shifts back, with the errors that
// this brings: they are ClickHouse's too.
func roundFloat(m mode, x float64, digits int64) float64 {
	switch {
	case digits == 0:
		return m.float(x)
	case digits > 0:
		scale := math.Pow10(int(digits))
		if math.IsInf(scale, 0) {
			return x
		}
		return m.float(x*scale) / scale
	}
	scale := math.Pow10(int(-digits))
	if math.IsInf(scale, 0) {
		return 0
	}
	return m.float(x/scale) * scale
}

func roundFloat32(m mode, x float32, digits int64) float32 {
	scale := float32(math.Pow10(int(max(digits, -digits))))
	switch {
	case digits == 0:
		return float32(m.float(float64(x)))
	case digits > 0:
		return float32(m.float(float64(x*scale))) / scale
	}
	return float32(m.float(float64(x/scale))) * scale
}

// roundInts rounds integers with scale digits of fraction in them (Decimals).
func roundInts[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](m mode, in []T, digits kernel.Nums[int64], scale int64) column.Column {
	out := make([]T, len(in))
	for i, v := range in {
		drop := scale - digits.At(i)
		if drop <= 0 {
			out[i] = v
			continue
		}
		if drop > 18 { // no value has a half of such a unit
			continue
		}
		unit := pow10(drop)
		q, r := int64(v)/unit, int64(v)%unit
		out[i] = T((q + m.step(q, r, unit)) * unit)
	}
	return column.NewFixed(out)
}

func pow10(n int64) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

func roundWide[T column.Element](m mode, in []T, digits kernel.Nums[int64], scale int64, toBig func(T) *big.Int, fromBig func(*big.Int) T) column.Column {
	out := make([]T, len(in))
	for i, v := range in {
		drop := scale - digits.At(i)
		if drop <= 0 {
			out[i] = v
			continue
		}
		if drop > 78 {
			continue
		}
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(drop), nil)
		q, r := new(big.Int).QuoRem(toBig(v), unit, new(big.Int))
		if r.Sign() != 0 {
			twice := new(big.Int).Lsh(new(big.Int).Abs(r), 1)
			q.Add(q, big.NewInt(m.wide(q.Bit(0) == 1, r.Sign(), twice.Cmp(unit))))
		}
		out[i] = fromBig(q.Mul(q, unit))
	}
	return column.NewFixed(out)
}
