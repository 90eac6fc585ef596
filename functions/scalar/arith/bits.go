package arith

import (
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// bitOperations combine two integers bit by bit.
var bitOperations = [...]struct {
	name, summary string
	short         func(a, b uint64) uint64
	wide          func(a, b types.U256) types.U256
}{
	{"bitAnd", "The bits that both have.", func(a, b uint64) uint64 { return a & b }, types.U256.And},
	{"bitOr", "The bits that either has.", func(a, b uint64) uint64 { return a | b }, types.U256.Or},
	{"bitXor", "The bits that one has and the other has not.", func(a, b uint64) uint64 { return a ^ b }, types.U256.Xor},
}

var _ = addBitOperations()

func addBitOperations() struct{} {
	for _, o := range bitOperations {
		add(functions.Scalar{
			Name: o.name, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{Syntax: o.name + "(a, b)", Summary: o.summary, Examples: []string{"SELECT " + o.name + "(12, 10)"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if args[0].Type.IsString() && args[1].Type.IsString() && args[0].Type.Equal(args[1].Type) {
					return &expr.Function{Result: args[0].Type, Kernel: bitStrings(o.short)}, nil
				}
				a, ok1 := shapeOf(args[0].Type)
				b, ok2 := shapeOf(args[1].Type)
				if !ok1 || !ok2 || a.float || b.float {
					return nil, illegal(o.name, args...)
				}
				s := ofBits(a, b)
				return &expr.Function{Result: construct(s), Kernel: bitKernel(s, o.short, o.wide)}, nil
			},
		})
	}
	return struct{}{}
}

func bitKernel(s shape, short func(a, b uint64) uint64, wide func(a, b types.U256) types.U256) kernel {
	result := construct(s)
	if s.bytes > 8 {
		return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			x, _ := wordsOf(args[0], rows)
			y, _ := wordsOf(args[1], rows)
			return cast.FromWords(zip(x, y, rows, func(x, y types.I256) types.I256 {
				return types.I256(wide(types.U256(x), types.U256(y)))
			}), result), nil
		}
	}
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := operandOf[uint64](args[0], types.UInt64, rows), operandOf[uint64](args[1], types.UInt64, rows)
		return bitsAs(zip(x, y, rows, short), result), nil
	}
}

// bitsAs gives the low bits of words in the form of an integer type.
func bitsAs(v []uint64, t *types.Type) column.Column {
	if t.Kind() == types.KindUInt64 {
		return column.NewFixed(v)
	}
	if t.Kind() == types.KindInt64 {
		return column.NewFixed(cast.Native[int64](column.NewFixed(v)))
	}
	return narrowTo(cast.Native[int64](column.NewFixed(v)), t)
}

// bitStrings works on the bytes that both strings have.
func bitStrings(f func(a, b uint64) uint64) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := column.Full(args[0]).(*column.Str), column.Full(args[1]).(*column.Str)
		out := &column.Str{}
		for i := range rows {
			a, b := x.At(i), y.At(i)
			from := len(out.Data)
			for j := range max(len(a), len(b)) {
				var v, w byte
				if j < len(a) {
					v = a[j]
				}
				if j < len(b) {
					w = b[j]
				}
				out.Data = append(out.Data, byte(f(uint64(v), uint64(w))))
			}
			out.Seal(from)
		}
		return out, nil
	}
}

var _ = add(functions.Scalar{
	Name: "bitNot", MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "bitNot(x)", Summary: "The bits that x has not.", Examples: []string{"SELECT bitNot(toUInt8(5))"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if t.IsString() {
			return &expr.Function{Result: t, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				in := column.Full(args[0]).(*column.Str)
				out := &column.Str{}
				for i := range rows {
					from := len(out.Data)
					for _, b := range in.At(i) {
						out.Data = append(out.Data, ^b)
					}
					out.Seal(from)
				}
				return out, nil
			}}, nil
		}
		s, ok := shapeOf(t)
		if !ok || t.Kind() == types.KindBFloat16 {
			return nil, illegal("bitNot", args...)
		}
		if s.float {
			s = shape{signed: true, bytes: s.bytes}
		}
		result := construct(s)
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			c := column.Full(args[0])
			if t.IsFloat() {
				v := cast.Native[int64](c)
				out := make([]uint64, rows)
				for i := range out {
					out[i] = ^uint64(v[i])
				}
				return bitsAs(out, result), nil
			}
			w, _ := cast.Words(c)
			out := make([]types.I256, rows)
			for i := range out {
				out[i] = types.I256(types.U256(w[i]).Not())
			}
			return cast.FromWords(out, result), nil
		}}, nil
	},
})
