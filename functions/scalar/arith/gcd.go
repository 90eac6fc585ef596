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

var _ = add(functions.Scalar{
	Name: "gcd", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "gcd(a, b)", Summary: "The greatest common divisor of two integers.", Examples: []string{"SELECT gcd(12, 18)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) { return bindDivisor("gcd", args) },
})

var _ = add(functions.Scalar{
	Name: "lcm", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "lcm(a, b)", Summary: "The least common multiple of two integers.", Examples: []string{"SELECT lcm(4, 6)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) { return bindDivisor("lcm", args) },
})

func bindDivisor(name string, args []functions.Arg) (*expr.Function, error) {
	a, ok1 := shapeOf(args[0].Type)
	b, ok2 := shapeOf(args[1].Type)
	if !ok1 || !ok2 || a.float || b.float {
		return nil, illegal(name, args...)
	}
	s, _ := ofSum(a, b, false)
	result := construct(s)
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, sx := wordsOf(args[0], rows)
		y, sy := wordsOf(args[1], rows)
		out, err := zipErr(x, y, rows, func(x, y types.I256) (types.I256, error) {
			if x == (types.I256{}) || y == (types.I256{}) {
				return x, errByZero
			}
			u, v := types.U256(x), types.U256(y)
			if sx {
				u = x.Abs()
			}
			if sy {
				v = y.Abs()
			}
			g := gcd(u, v)
			if name == "gcd" {
				return types.I256(g), nil
			}
			q, _ := u.QuoRem(g)
			return types.I256(q.Mul(v)), nil
		})
		if err != nil {
			return nil, cherr.Wrap(err, "executing function %s", name)
		}
		return cast.FromWords(out, result), nil
	}}, nil
}

func gcd(a, b types.U256) types.U256 {
	if a[1]|a[2]|a[3]|b[1]|b[2]|b[3] == 0 {
		x, y := a[0], b[0]
		for y != 0 {
			x, y = y, x%y
		}
		return types.U256{x}
	}
	return types.U256FromBig(new(big.Int).GCD(nil, nil, a.Big(), b.Big()))
}
