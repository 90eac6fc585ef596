package arith

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "divide", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{
		Syntax: "divide(a, b)", Summary: "The quotient of two numbers as Float64, of Decimals as a Decimal; also a / b.",
		Examples: []string{"SELECT 7 / 2"},
	},
	Bind: bindDivide,
})

func bindDivide(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	if f, err := bindNested(env, "divide", args); f != nil || err != nil {
		return f, err
	}
	if (a.IsDecimal() || b.IsDecimal()) && decimalOperands(args) {
		return bindDecimalDivision("divide", args)
	}
	if !a.IsNumber() || !b.IsNumber() || tooWide(a, b) {
		return nil, illegal("divide", args...)
	}
	return &expr.Function{Result: types.Float64, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := floatOperand(args[0], a, rows), floatOperand(args[1], b, rows)
		return column.NewFixed(zip(x, y, rows, func(x, y float64) float64 { return x / y })), nil
	}}, nil
}

// tooWide: BFloat16 does not go with integers or Decimals of 128 bits and more.
func tooWide(a, b *types.Type) bool {
	wide := func(t *types.Type) bool { return t.IsNumber() && t.Bytes() > 8 }
	return a.Kind() == types.KindBFloat16 && wide(b) || wide(a) && b.Kind() == types.KindBFloat16
}

// division is one of the functions whose divisor may not be 0.
type division struct {
	name   string
	result func(a, b shape) shape
	// remainder, else the quotient; positive remainders are never negative;
	// lenient gives 0 or NULL where there is none.
	remainder, positive, lenient, null bool
}

var divisions = [...]struct {
	division
	aliases []string
	doc     functions.Doc
}{
	{division{name: "intDiv", result: ofIntDiv}, nil, functions.Doc{
		Syntax: "intDiv(a, b)", Summary: "The quotient cut to an integer; division by 0 is an error.", Examples: []string{"SELECT intDiv(7, 2)"},
	}},
	{division{name: "intDivOrZero", result: ofIntDiv, lenient: true}, nil, functions.Doc{
		Syntax: "intDivOrZero(a, b)", Summary: "The quotient cut to an integer, 0 when b is 0.", Examples: []string{"SELECT intDivOrZero(7, 0)"},
	}},
	{division{name: "intDivOrNull", result: ofIntDiv, lenient: true, null: true}, nil, functions.Doc{
		Syntax: "intDivOrNull(a, b)", Summary: "The quotient cut to an integer, NULL when b is 0.", Examples: []string{"SELECT intDivOrNull(7, 0)"},
	}},
	{division{name: "modulo", result: ofModulo, remainder: true}, []string{"mod"}, functions.Doc{
		Syntax: "modulo(a, b)", Summary: "The remainder of a division, with the sign of a; also a % b.", Examples: []string{"SELECT -7 % 3"},
	}},
	{division{name: "moduloLegacy", result: ofModulo, remainder: true}, nil, functions.Doc{
		Syntax: "moduloLegacy(a, b)", Summary: "modulo, as old partition keys name it.", Examples: []string{"SELECT moduloLegacy(7, 3)"},
	}},
	{division{name: "moduloOrZero", result: ofModulo, remainder: true, lenient: true}, nil, functions.Doc{
		Syntax: "moduloOrZero(a, b)", Summary: "The remainder of a division, 0 when b is 0.", Examples: []string{"SELECT moduloOrZero(7, 0)"},
	}},
	{division{name: "moduloOrNull", result: ofModulo, remainder: true, lenient: true, null: true}, []string{"modOrNull"}, functions.Doc{
		Syntax: "moduloOrNull(a, b)", Summary: "The remainder of a division, NULL when b is 0.", Examples: []string{"SELECT moduloOrNull(7, 0)"},
	}},
	{division{name: "positiveModulo", result: ofPositiveModulo, remainder: true, positive: true}, []string{"positive_modulo", "pmod"}, functions.Doc{
		Syntax: "positiveModulo(a, b)", Summary: "The remainder of a division that is never negative.", Examples: []string{"SELECT positiveModulo(-7, 3)"},
	}},
	{division{name: "positiveModuloOrNull", result: ofPositiveModulo, remainder: true, positive: true, lenient: true, null: true}, []string{"positive_modulo_or_null", "pmodOrNull"}, functions.Doc{
		Syntax: "positiveModuloOrNull(a, b)", Summary: "The remainder of a division that is never negative, NULL when b is 0.", Examples: []string{"SELECT positiveModuloOrNull(-7, 0)"},
	}},
}

func ofPositiveModulo(a, b shape) shape {
	if a.float || b.float {
		return shape{signed: true, float: true, bytes: 8}
	}
	return shape{bytes: b.bytes}
}

var _ = addDivisions()

func addDivisions() struct{} {
	for _, d := range divisions {
		add(functions.Scalar{
			Name: d.name, Aliases: d.aliases, CaseInsensitive: d.name == "modulo" || d.positive, MinArgs: 2, MaxArgs: 2, Doc: d.doc,
			Bind: d.bind,
		})
	}
	return struct{}{}
}

func (d division) bind(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	if f, err := bindNested(env, d.name, args); f != nil || err != nil {
		return f, err
	}
	if (a.IsDecimal() || b.IsDecimal()) && decimalOperands(args) && !d.null {
		return bindDecimalDivision(d.name, args)
	}
	if a.IsDecimal() {
		a = types.Float64
	}
	if b.IsDecimal() {
		b = types.Float64
	}
	if (a.Kind() == types.KindDate || a.Kind() == types.KindDateTime) && d.remainder {
		a = map[types.Kind]*types.Type{types.KindDate: types.UInt16, types.KindDateTime: types.UInt32}[a.Kind()]
	}
	x, ok1 := shapeOf(a)
	y, ok2 := shapeOf(b)
	if !ok1 || !ok2 || tooWide(args[0].Type, args[1].Type) {
		return nil, illegal(d.name, args...)
	}
	result := construct(d.result(x, y))
	if args[0].Type.IsDecimal() && !d.remainder {
		result = intOf(args[0].Type)
	}
	if d.name == "modulo" && lowestDivisor(x, y, args) {
		return nil, errByLowest
	}
	f := &expr.Function{Result: result}
	switch {
	case d.remainder && (x.float || y.float):
		f.Kernel = d.floatRemainder(args[0].Type, args[1].Type)
	case x.bytes > 8 || y.bytes > 8:
		f.Kernel = d.wide(a, b, result)
	case x.float || y.float:
		f.Kernel = d.floatQuotient(args[0].Type, args[1].Type, result)
	case x.signed || y.signed:
		f.Kernel = d.signed(a, b, result)
	default:
		f.Kernel = d.unsigned(a, b, result)
	}
	if d.null {
		inner := f.Kernel
		f.Result = types.Nullable(result)
		f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			v, err := inner(ctx, args, rows)
			if err != nil {
				return nil, err
			}
			return column.NewNullable(v, zeroDivisors(args[1], rows)), nil
		}
	}
	return f, nil
}

// lowestDivisor tells of a remainder by a constant that ClickHouse refuses: it
// divides columns of Int32 and Int64 by multiplication, which has no answer for
// the least number of the divisor's type.
func lowestDivisor(x, y shape, args []functions.Arg) bool {
	if args[0].Const != nil || !x.signed || x.float || x.bytes != 4 && x.bytes != 8 || !y.signed || y.float || y.bytes > x.bytes {
		return false
	}
	v, ok := args[1].ConstInt()
	return ok && v == math.MinInt64>>(64-8*y.bytes)
}

func zeroDivisors(c column.Column, rows int) []uint8 {
	v, one := full(c, rows)
	nz := cast.NonZero(v)
	null := make([]uint8, rows)
	for i := range null {
		j := i
		if one {
			j = 0
		}
		null[i] = 1 - nz[j]
	}
	return null
}

var (
	errByZero   = cherr.New(cherr.IllegalDivision, "Division by zero")
	errByLowest = cherr.New(cherr.IllegalDivision, "Division by the most negative number")
	errByMinus  = cherr.New(cherr.IllegalDivision, "Division of minimal signed number by minus one")
)

// floatRemainder follows fmod: NaN for a divisor of 0.
func (d division) floatRemainder(a, b *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := floatOperand(args[0], a, rows), floatOperand(args[1], b, rows)
		return column.NewFixed(zip(x, y, rows, func(x, y float64) float64 {
			r := x - math.Trunc(x/y)*y // not the exact remainder: nan for an infinite divisor, 0 for far apart operands
			if d.positive && r < 0 {
				r += math.Abs(y)
			}
			return r
		})), nil
	}
}

// floatQuotient cuts both operands to integers only when they are integers:
// intDiv(7.9, 2.1) is 3.
func (d division) floatQuotient(a, b, result *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := floatOperand(args[0], a, rows), floatOperand(args[1], b, rows)
		out, err := zipErr(x, y, rows, func(x, y float64) (int64, error) {
			q := x / y
			switch {
			case y == 0 && d.lenient:
				return 0, nil
			case y == 0:
				return 0, errByZero
			case q-q != 0 && !d.lenient:
				return 0, cherr.New(cherr.IllegalDivision, "Cannot perform integer division on infinite or too large floating point numbers")
			}
			return int64(q), nil
		})
		if err != nil {
			return nil, err
		}
		return narrowTo(out, result), nil
	}
}

func narrowTo(v []int64, t *types.Type) column.Column {
	c := column.NewFixed(v)
	switch t.Kind() {
	case types.KindUInt8:
		return column.NewFixed(cast.Native[uint8](c))
	case types.KindUInt16:
		return column.NewFixed(cast.Native[uint16](c))
	case types.KindUInt32:
		return column.NewFixed(cast.Native[uint32](c))
	case types.KindUInt64:
		return column.NewFixed(cast.Native[uint64](c))
	case types.KindInt8:
		return column.NewFixed(cast.Native[int8](c))
	case types.KindInt16:
		return column.NewFixed(cast.Native[int16](c))
	case types.KindInt32:
		return column.NewFixed(cast.Native[int32](c))
	}
	return c
}

// signed divides in 64 signed bits, as ClickHouse does when either is signed.
// A quotient takes the bits of an unsigned dividend for a signed number, as
// there: intDiv(toUInt8(200), -3) is 18.
func (d division) signed(a, b, result *types.Type) kernel {
	shift := 0
	if !d.remainder && !a.IsSigned() {
		shift = 64 - 8*a.Bytes()
	}
	least := int64(math.MinInt64)
	if a.Bytes() < 8 {
		least = -1 << (a.Bytes()*8 - 1)
	}
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := operandOf[int64](args[0], a, rows), operandOf[int64](args[1], b, rows)
		out, err := zipErr(x, y, rows, func(x, y int64) (int64, error) {
			switch {
			case y == 0 && d.lenient, y == -1 && x == least && d.lenient:
				return 0, nil
			case y == 0:
				return 0, errByZero
			case y == -1 && x == least:
				return 0, errByMinus
			case !d.remainder:
				return x << shift >> shift / y, nil
			}
			r := x % y
			if d.positive && r < 0 {
				if y < 0 {
					y = -y
				}
				r += y
			}
			return r, nil
		})
		if err != nil {
			return nil, err
		}
		return narrowTo(out, result), nil
	}
}

func (d division) unsigned(a, b, result *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := operandOf[uint64](args[0], a, rows), operandOf[uint64](args[1], b, rows)
		var out []uint64
		if y.same && y.one != 0 && !x.same {
			out = divideAll(x.v[:rows], y.one, d.remainder)
		} else {
			var err error
			if out, err = zipErr(x, y, rows, d.unsignedPair); err != nil {
				return nil, err
			}
		}
		if result.Kind() == types.KindUInt64 {
			return column.NewFixed(out), nil
		}
		return narrowUnsigned(out, result), nil
	}
}

func (d division) unsignedPair(x, y uint64) (uint64, error) {
	switch {
	case y == 0 && d.lenient:
		return 0, nil
	case y == 0:
		return 0, errByZero
	case d.remainder:
		return x % y, nil
	}
	return x / y, nil
}

// divideAll is the loop for one divisor, the usual case.
func divideAll(v []uint64, by uint64, remainder bool) []uint64 {
	out := make([]uint64, len(v))
	switch {
	case by&(by-1) == 0 && remainder:
		for i, x := range v {
			out[i] = x & (by - 1)
		}
	case remainder:
		for i, x := range v {
			out[i] = x % by
		}
	default:
		for i, x := range v {
			out[i] = x / by
		}
	}
	return out
}

func narrowUnsigned(v []uint64, t *types.Type) column.Column {
	c := column.NewFixed(v)
	switch t.Kind() {
	case types.KindUInt8:
		return column.NewFixed(cast.Native[uint8](c))
	case types.KindUInt16:
		return column.NewFixed(cast.Native[uint16](c))
	}
	return column.NewFixed(cast.Native[uint32](c))
}

func (d division) wide(a, b, result *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		if a.IsFloat() || b.IsFloat() {
			out := zip(floatOperand(args[0], a, rows), floatOperand(args[1], b, rows), rows, func(x, y float64) types.I256 {
				if y == 0 {
					return types.I256{}
				}
				return types.I256FromFloat(x / y)
			})
			return cast.FromWords(out, result), nil
		}
		x, sx := wordsOf(args[0], rows)
		y, sy := wordsOf(args[1], rows)
		out, err := zipErr(x, y, rows, func(x, y types.I256) (types.I256, error) {
			if y == (types.I256{}) {
				if d.lenient {
					return y, nil
				}
				return y, errByZero
			}
			if !sx && !sy {
				q, r := types.U256(x).QuoRem(types.U256(y))
				if d.remainder {
					return types.I256(r), nil
				}
				return types.I256(q), nil
			}
			q, r := x.QuoRem(y)
			if !d.remainder {
				return q, nil
			}
			if d.positive && r.Negative() {
				r = r.Add(types.I256(y.Abs()))
			}
			return r, nil
		})
		if err != nil {
			return nil, err
		}
		return cast.FromWords(out, result), nil
	}
}

// bindDecimalDivision divides Decimals: the dividend is scaled up by the
// divisor's scale, so that the result has the dividend's. The remainder is
// that of the scaled dividend, as in ClickHouse.
func bindDecimalDivision(name string, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	scale, up := a.Scale(), b.Scale()
	if !a.IsDecimal() {
		scale = b.Scale()
	} else if scale < b.Scale() {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Decimal result's scale is less than argument's one")
	}
	decimal, err := decimalResult(a, b, scale)
	if err != nil {
		return nil, err
	}
	result := decimal
	if name == "intDiv" || name == "intDivOrZero" {
		result = intOf(decimal)
		if s, ok := shapeOf(a); ok {
			result = construct(shape{signed: true, bytes: s.bytes})
		}
	}
	lenient := name == "intDivOrZero" || name == "moduloOrZero"
	by, own := types.PowerOfTen(up), types.PowerOfTen(scale-a.Scale())
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, _ := wordsOf(args[0], rows)
		y, _ := wordsOf(args[1], rows)
		out, err := zipErr(x, y, rows, func(x, y types.I256) (types.I256, error) {
			if y == (types.I256{}) {
				if lenient {
					return y, nil
				}
				return y, errByZero
			}
			x, over1 := x.MulOver(own)
			x, over2 := x.MulOver(by)
			if over1 || over2 || decimal.Physical() == types.PhysInt64 && !x.FitsI128() {
				return x, errOverflow
			}
			q, r := x.QuoRem(y)
			switch name {
			case "divide":
				return q, nil
			case "intDiv", "intDivOrZero":
				q, _ = q.QuoRem(types.PowerOfTen(scale))
				return q, nil
			case "positiveModulo":
				if r.Negative() {
					r = r.Add(types.I256(y.Abs()))
				}
			}
			return r, nil
		})
		if err != nil {
			return nil, err
		}
		return cast.FromWords(out, result), nil
	}}, nil
}

func intOf(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.KindDecimal32:
		return types.Int32
	case types.KindDecimal64:
		return types.Int64
	case types.KindDecimal128:
		return types.Int128
	}
	return types.Int256
}
