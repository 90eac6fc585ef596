package arith

import (
	"context"
	"math/big"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = add(scaledDecimal("multiplyDecimal", "The product", func(a, b *big.Int, up, down *big.Int) (*big.Int, error) {
		p := new(big.Int).Mul(a, b)
		return p.Quo(p.Mul(p, up), down), nil
	}, func(s1, s2, want int) int { return want - s1 - s2 }))
	_ = add(scaledDecimal("divideDecimal", "The quotient", func(a, b *big.Int, up, down *big.Int) (*big.Int, error) {
		if b.Sign() == 0 {
			return nil, cherr.New(cherr.IllegalDivision, "Division by zero")
		}
		p := new(big.Int).Mul(a, up)
		return p.Quo(p, new(big.Int).Mul(b, down)), nil
	}, func(s1, s2, want int) int { return want - s1 + s2 }))
)

// mostDigits is the precision of the widest decimal.
const mostDigits = 76

// scaledDecimal describes an operation whose result has a scale asked for. The
// kernel gets unscaled values; shift tells by how many digits the plain result
// must move.
func scaledDecimal(name, summary string, op func(a, b, up, down *big.Int) (*big.Int, error), shift func(s1, s2, want int) int) functions.Scalar {
	return functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 3,
		Doc: functions.Doc{Syntax: name + "(a, b[, scale])", Summary: summary + " of two decimals, cut to a scale: the greater of theirs by default.", Examples: []string{"SELECT " + name + "(toDecimal64(-12, 1), toDecimal64(2.1, 1), 2)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			a, b := args[0].Type, args[1].Type
			if !a.IsDecimal() || !b.IsDecimal() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Arguments for %s function must be Decimal", name)
			}
			scale := max(a.Scale(), b.Scale())
			if len(args) == 3 {
				s, ok := args[2].ConstInt()
				if !ok {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of third argument of function %s. Should be constant Integer", args[2].Type, name)
				}
				if s < 0 || s > mostDigits {
					return nil, cherr.New(cherr.ArgumentOutOfBound, "Illegal value of third argument of function %s: must be integer in range [0, %d]", name, mostDigits)
				}
				scale = int(s)
			}
			up, down := big.NewInt(1), big.NewInt(1)
			if n := shift(a.Scale(), b.Scale(), scale); n >= 0 {
				up = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
			} else {
				down = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-n)), nil)
			}
			return &expr.Function{Result: types.Decimal(mostDigits, scale), Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				x, err := wideValues(args[0], a)
				if err != nil {
					return nil, err
				}
				y, err := wideValues(args[1], b)
				if err != nil {
					return nil, err
				}
				limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(mostDigits), nil)
				out := make([]types.I256, rows)
				for i := range out {
					v, err := op(x[i].Big(), y[i].Big(), up, down)
					if err != nil {
						return nil, err
					}
					if v.CmpAbs(limit) >= 0 {
						return nil, cherr.New(cherr.DecimalOverflow, "Numeric overflow: result bigger that Decimal256")
					}
					out[i] = types.I256FromBig(v)
				}
				return column.NewFixed(out), nil
			}}, nil
		},
	}
}

// wideValues gives a decimal's unscaled values.
func wideValues(c column.Column, t *types.Type) ([]types.I256, error) {
	c, err := cast.Column(column.Full(c), unscaled(t), types.Int256, nil)
	if err != nil {
		return nil, err
	}
	return column.Full(c).(*column.Fixed[types.I256]).Values, nil
}
