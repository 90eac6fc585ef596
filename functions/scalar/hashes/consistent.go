package hashes

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "jumpConsistentHash", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "jumpConsistentHash(key, buckets)", Summary: "Which of a number of buckets a UInt64 belongs to, moving few keys when the number grows.", Examples: []string{"SELECT jumpConsistentHash(256, 3)"}},
	Bind: bindJump,
})

func bindJump(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("jumpConsistentHash", "ii", args); err != nil {
		return nil, err
	}
	n, ok := args[1].ConstInt()
	if !ok {
		return nil, kernel.NotConst("jumpConsistentHash", 1)
	}
	if n <= 0 || n > 1<<31-1 {
		return nil, cherr.New(cherr.BadArguments, "The second argument of function jumpConsistentHash (number of buckets) must be positive")
	}
	return kernel.Fn(types.Int32, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Integers(args[0])
		return kernel.Each(rows, func(i int) int32 { return jump(uint64(in.At(i)), n) }), nil
	}), nil
}

func jump(key uint64, buckets int64) int32 {
	b, j := int64(-1), int64(0)
	for j < buckets {
		b = j
		key = key*2862933555777941757 + 1
		j = int64(float64(b+1) * (float64(int64(1)<<31) / float64(key>>33+1)))
	}
	return int32(b)
}
