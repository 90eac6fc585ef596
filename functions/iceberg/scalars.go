package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/metadata/iceberg"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// scalars are the partition transforms that have no name in SQL already.
var scalars = []functions.Scalar{
	{
		Name: "icebergHash", MinArgs: 1, MaxArgs: 1, Bind: bindHash,
		Doc: functions.Doc{Syntax: "icebergHash(value)", Summary: "The 32-bit hash behind Iceberg's bucket transform.", Examples: []string{"SELECT icebergHash('iceberg')"}},
	},
	{
		Name: "icebergBucket", MinArgs: 2, MaxArgs: 2, Bind: bindBucket,
		Doc: functions.Doc{Syntax: "icebergBucket(N, value)", Summary: "The bucket of N in which Iceberg puts a value.", Examples: []string{"SELECT icebergBucket(16, 'iceberg')"}},
	},
	{
		Name: "icebergTruncate", MinArgs: 2, MaxArgs: 2, Bind: bindTruncate,
		Doc: functions.Doc{Syntax: "icebergTruncate(W, value)", Summary: "A number rounded down to a multiple of W, or the first W characters of a string.", Examples: []string{"SELECT icebergTruncate(10, -1)"}},
	},
}

// icebergType gives the Iceberg type that hashes as a ClickHouse type does;
// wide tells that the value is an integer to be widened first.
func icebergType(t *types.Type) (it *iceberg.Type, ok bool) {
	name := ""
	switch t.Kind() {
	case types.KindInt8, types.KindInt16, types.KindInt32, types.KindInt64, types.KindUInt8, types.KindUInt16, types.KindUInt32, types.KindUInt64:
		name = "long"
	case types.KindDate, types.KindDate32:
		name = "date"
	case types.KindDateTime:
		name = "timestamptz"
	case types.KindDateTime64:
		name = "timestamptz"
	case types.KindString, types.KindFixedString:
		name = "string"
	case types.KindUUID:
		name = "uuid"
	case types.KindBool:
		name = "boolean"
	case types.KindFloat32:
		name = "float"
	case types.KindFloat64:
		name = "double"
	default:
		if t.IsDecimal() {
			return &iceberg.Type{Kind: iceberg.Decimal, Precision: t.Precision(), Scale: t.Scale(), Name: t.String()}, true
		}
		return nil, false
	}
	return iceberg.ParseType(name), true
}

// toIceberg brings a value to the form of its Iceberg type.
func toIceberg(t *types.Type, v column.Value) column.Value {
	if t.IsDecimal() || t.Kind() == types.KindBool {
		return v
	}
	switch x := v.(type) {
	case uint32:
		if t.Kind() == types.KindDateTime {
			return int64(x) * 1_000_000
		}
		return int64(x)
	case uint16:
		if t.Kind() == types.KindDate {
			return int32(x)
		}
		return int64(x)
	case int32:
		if t.Kind() == types.KindDate32 {
			return x
		}
		return int64(x)
	case uint64:
		return int64(x)
	case int64:
		if t.Kind() != types.KindDateTime64 {
			return x
		}
		for s := t.Scale(); s < 6; s++ {
			x *= 10
		}
		for s := t.Scale(); s > 6; s-- {
			q := x / 10
			if x%10 < 0 {
				q--
			}
			x = q
		}
		return x
	}
	if n, ok := timetravel.Integer(v); ok {
		return n
	}
	return v
}

func bindHash(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	return bindHashed("icebergHash", args[0].Type, 0, func(h int32) int32 { return h })
}

func bindBucket(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	n, ok := args[0].ConstInt()
	if !ok || n <= 0 || n > 1<<31-1 {
		return nil, cherr.New(cherr.BadArguments, "The number of buckets of icebergBucket must be a positive constant")
	}
	f, err := bindHashed("icebergBucket", args[1].Type, 1, func(h int32) int32 { return int32(int64(h&0x7fffffff) % n) })
	if err != nil {
		return nil, err
	}
	signed := f.Kernel
	f.Result = types.UInt32
	f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		c, err := signed(ctx, args, rows)
		if err != nil {
			return nil, err
		}
		return column.NewFixed(cast.Native[uint32](c)), nil
	}
	return f, nil
}

func bindHashed(name string, t *types.Type, arg int, f func(int32) int32) (*expr.Function, error) {
	it, ok := icebergType(t)
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s", t, name)
	}
	return &expr.Function{Result: types.Int32, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c := column.Full(args[arg])
		out := make([]int32, rows)
		for i := range out {
			h, _ := iceberg.Hash(it, toIceberg(t, column.At(c, i)))
			out[i] = f(h)
		}
		return column.NewFixed(out), nil
	}}, nil
}

func bindTruncate(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	w, ok := args[0].ConstInt()
	t := args[1].Type
	if !ok || w <= 0 || w > 1<<31-1 {
		return nil, cherr.New(cherr.BadArguments, "The width of icebergTruncate must be a positive constant")
	}
	it, ok := icebergType(t)
	if !ok || !(t.IsInteger() || t.IsDecimal() || t.IsString()) {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function icebergTruncate", t)
	}
	tr := iceberg.Transform{Kind: iceberg.Truncate, N: int(w)}
	result := t
	switch {
	case t.Kind() == types.KindFixedString:
		t, result = types.String, types.String
	case t.IsInteger():
		result = widened(t)
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c := column.Full(args[1])
		b := column.NewBuilder(result, rows)
		for i := range rows {
			v := column.At(c, i)
			r, ok := tr.Apply(it, toIceberg(t, v))
			if !ok {
				r = toIceberg(t, v)
			}
			b.AppendValue(fromLong(result, r))
		}
		return b.Finish(), nil
	}}, nil
}

// widened is the type of a truncated integer: -128 by 1000 is -1000, so the
// result is one size larger, as in toTypeName(icebergTruncate(10, 1::UInt8)).
func widened(t *types.Type) *types.Type {
	switch t.Physical() {
	case types.PhysInt8, types.PhysUInt8:
		return types.Int16
	case types.PhysInt16, types.PhysUInt16:
		return types.Int32
	default:
		return types.Int64
	}
}

// fromLong brings a truncated integer back to its width.
func fromLong(t *types.Type, v column.Value) column.Value {
	n, ok := v.(int64)
	if !ok || t.IsDecimal() {
		return v
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return uint8(n)
	case types.PhysUInt16:
		return uint16(n)
	case types.PhysUInt32:
		return uint32(n)
	case types.PhysUInt64:
		return uint64(n)
	case types.PhysInt8:
		return int8(n)
	case types.PhysInt16:
		return int16(n)
	case types.PhysInt32:
		return int32(n)
	}
	return n
}
