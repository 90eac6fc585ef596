package hashes

import (
	"math/bits"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "intHash64", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "intHash64(n)", Summary: "A 64-bit hash of an integer.", Examples: []string{"SELECT intHash64(1)"}},
		Bind: bindIntHash("intHash64", types.UInt64, intHash64),
	})
	_ = add(functions.Scalar{
		Name: "intHash32", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "intHash32(n)", Summary: "A 32-bit hash of an integer.", Examples: []string{"SELECT intHash32(1)"}},
		Bind: bindIntHash("intHash32", types.UInt32, intHash32),
	})
)

// intHash64 is the finaliser of murmur3 over a salted number.
func intHash64(x uint64) uint64 {
	x ^= 0x4CF2D2BAAE6DA887
	x ^= x >> 33
	x *= 0xFF51AFD7ED558CCD
	x ^= x >> 33
	x *= 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}

func intHash32(x uint64) uint32 {
	x ^= 0x75D9543DE018BF45
	x = ^x + x<<18
	x ^= bits.RotateLeft64(x, -31)
	x *= 21
	x ^= bits.RotateLeft64(x, -11)
	x += x << 6
	x ^= bits.RotateLeft64(x, -22)
	return uint32(x)
}

func bindIntHash[T uint32 | uint64](name string, result *types.Type, f func(x uint64) T) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !(t.IsInteger() && t.Bytes() <= 8 || t.Kind() == types.KindBool || t.IsDateOrTime() && t.Kind() != types.KindDateTime64 || t.IsDecimal() && t.Bytes() <= 8) {
			return nil, kernel.WrongType(name, 0, t)
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Integers(args[0])
			return kernel.Each(rows, func(i int) T { return f(uint64(in.At(i))) }), nil
		}), nil
	}
}
