package math

import (
	"math/big"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "factorial", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "factorial(n)", Summary: "The product of 1 … n; 1 for n < 1. The largest n is 20.", Examples: []string{"SELECT factorial(10)"}},
		Bind: bindFactorial,
	})
	_ = add(functions.Scalar{
		Name: "isPrime", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "isPrime(n)", Summary: "Whether an unsigned integer is a prime number.", Examples: []string{"SELECT isPrime(7)"}},
		Bind: bindPrime("isPrime", types.KindUInt64),
	})
	_ = add(functions.Scalar{
		Name: "isProbablePrime", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "isProbablePrime(n[, rounds])", Summary: "Whether an unsigned integer is, by all likelihood, a prime number.", Examples: []string{"SELECT isProbablePrime(7)"}},
		Bind: bindPrime("isProbablePrime", types.KindUInt256),
	})
	_ = add(functions.Scalar{
		Name: "widthBucket", AnyCase: []string{"width_bucket"}, MinArgs: 4, MaxArgs: 4,
		Doc:  functions.Doc{Syntax: "widthBucket(x, low, high, count)", Summary: "Which of count equal parts of [low, high) x is in; 0 below, count + 1 above.", Examples: []string{"SELECT widthBucket(10.15, -8.6, 23, 10)"}},
		Bind: bindWidthBucket,
	})
)

func bindFactorial(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("factorial", "i", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Integers(args[0]), make([]uint64, rows)
		for i := range out {
			n := in.At(i)
			if n > 20 {
				return nil, cherr.New(cherr.BadArguments, "The maximum value for the input argument of function factorial is 20")
			}
			out[i] = 1
			for k := int64(2); k <= n; k++ {
				out[i] *= uint64(k)
			}
		}
		return column.NewFixed(out), nil
	}), nil
}

func bindPrime(name string, widest types.Kind) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !t.IsUnsigned() || t.Kind() > widest {
			return nil, kernel.WrongType(name, 0, t)
		}
		return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
			c := column.Full(args[0])
			switch c := c.(type) {
			case *column.Fixed[types.U128]:
				return kernel.Each(rows, func(i int) uint8 { return kernel.Bool(c.Values[i].Big().ProbablyPrime(25)) }), nil
			case *column.Fixed[types.U256]:
				return kernel.Each(rows, func(i int) uint8 { return kernel.Bool(c.Values[i].Big().ProbablyPrime(25)) }), nil
			}
			in := kernel.Integers(c)
			return kernel.Each(rows, func(i int) uint8 { // exact below 2^64
				return kernel.Bool(new(big.Int).SetUint64(uint64(in.At(i))).ProbablyPrime(0))
			}), nil
		}), nil
	}
}

func bindWidthBucket(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("widthBucket", "nnni", args); err != nil {
		return nil, err
	}
	result := map[types.Kind]*types.Type{
		types.KindUInt8: types.UInt16, types.KindUInt16: types.UInt32, types.KindUInt32: types.UInt64, types.KindUInt64: types.UInt64,
		types.KindInt8: types.UInt16, types.KindInt16: types.UInt32, types.KindInt32: types.UInt64, types.KindInt64: types.UInt64,
	}[args[3].Type.Kind()]
	if result == nil {
		return nil, kernel.WrongType("widthBucket", 3, args[3].Type)
	}
	ts := kernel.Types(args)
	return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
		x, low, high, count := kernel.Floats(args[0], ts[0]), kernel.Floats(args[1], ts[1]), kernel.Floats(args[2], ts[2]), kernel.Integers(args[3])
		b := column.NewBuilder(result, rows)
		for i := range rows {
			n := count.At(i)
			if n <= 0 {
				return nil, cherr.New(cherr.BadArguments, "Argument count of function widthBucket must be positive")
			}
			bucket := uint64(0)
			switch v := x.At(i); {
			case v < low.At(i):
			case v >= high.At(i):
				bucket = uint64(n) + 1
			default:
				bucket = uint64((v-low.At(i))*float64(n)/(high.At(i)-low.At(i))) + 1
			}
			switch result.Kind() {
			case types.KindUInt16:
				b.AppendValue(uint16(bucket))
			case types.KindUInt32:
				b.AppendValue(uint32(bucket))
			default:
				b.AppendValue(bucket)
			}
		}
		return b.Finish(), nil
	}), nil
}
