package arith

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = add(bitTest("bitTest", 2, "1 when the bit at a place is set.", func(v, mask uint64) bool { return v&mask != 0 }))
	_ = add(bitTest("bitTestAll", -1, "1 when the bits at all places are set.", func(v, mask uint64) bool { return v&mask == mask }))
	_ = add(bitTest("bitTestAny", -1, "1 when a bit at one of the places is set.", func(v, mask uint64) bool { return v&mask != 0 }))
)

func bitTest(name string, most int, summary string, holds func(v, mask uint64) bool) functions.Scalar {
	return functions.Scalar{
		Name: name, MinArgs: 0, MaxArgs: -1,
		Doc: functions.Doc{Syntax: name + "(x, place, …)", Summary: summary, Examples: []string{"SELECT " + name + "(5, 0)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if len(args) < 2 {
				return nil, cherr.New(cherr.TooFewArgumentsForFunction, "Number of arguments for function %s doesn't match: passed %d, should be at least 2", name, len(args))
			}
			if most > 0 && len(args) > most {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Number of arguments for function %s doesn't match: passed %d, should be %d", name, len(args), most)
			}
			wide := false
			for _, a := range args {
				s, ok := shapeOf(a.Type)
				if !ok || s.float {
					return nil, illegal(name, a)
				}
				wide = wide || s.bytes > 8
			}
			if wide {
				return nil, cherr.New(cherr.NotImplemented, "%s is not implemented for big integers", name)
			}
			width := int64(args[0].Type.Bytes() * 8)
			return &expr.Function{Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				v := cast.Native[uint64](column.Full(args[0]))
				masks := make([]uint64, rows)
				for _, a := range args[1:] {
					for i, place := range cast.Native[int64](column.Full(a)) {
						if place < 0 || place >= width {
							return nil, cherr.New(cherr.ParameterOutOfBound, "The bit position argument needs to a positive value and less or equal to %d for integer %d", width-1, v[i])
						}
						masks[i] |= 1 << place
					}
				}
				out := make([]uint8, rows)
				for i := range out {
					if holds(v[i], masks[i]) {
						out[i] = 1
					}
				}
				return column.NewFixed(out), nil
			}}, nil
		},
	}
}

var _ = add(functions.Scalar{
	Name: "bitCount", MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "bitCount(x)", Summary: "The number of bits that are set in the value's form.", Examples: []string{"SELECT bitCount(255)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if t.IsString() {
			return &expr.Function{Result: types.UInt16, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				in := column.Full(args[0]).(*column.Str)
				out := make([]uint16, rows)
				for i := range out {
					for _, b := range in.At(i) {
						out[i] += uint16(bits.OnesCount8(b))
					}
				}
				return column.NewFixed(out), nil
			}}, nil
		}
		s, ok := shapeOf(t)
		if !ok || t.Kind() == types.KindBFloat16 {
			return nil, illegal("bitCount", args...)
		}
		result := types.UInt8
		if s.bytes == 32 {
			result = types.UInt16
		}
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			out := make([]uint64, rows)
			for i, w := range patterns(column.Full(args[0]), s) {
				for _, x := range w {
					out[i] += uint64(bits.OnesCount64(x))
				}
			}
			return narrowUnsigned(out, result), nil
		}}, nil
	},
})

// patterns gives the bits of values as they stand in memory.
func patterns(c column.Column, s shape) []types.U256 {
	switch f := c.(type) {
	case *column.Fixed[float32]:
		out := make([]types.U256, len(f.Values))
		for i, v := range f.Values {
			out[i][0] = uint64(math.Float32bits(v))
		}
		return out
	case *column.Fixed[float64]:
		out := make([]types.U256, len(f.Values))
		for i, v := range f.Values {
			out[i][0] = math.Float64bits(v)
		}
		return out
	}
	w, _ := cast.Words(c)
	mask := types.U256{}.Not()
	if s.bytes < 32 {
		mask = mask.Rsh(uint(256 - s.bytes*8))
	}
	out := make([]types.U256, len(w))
	for i, v := range w {
		out[i] = types.U256(v).And(mask)
	}
	return out
}

var _ = add(functions.Scalar{
	Name: "bitHammingDistance", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "bitHammingDistance(a, b)", Summary: "The number of bits in which two values differ.", Examples: []string{"SELECT bitHammingDistance(5, 2)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		a, ok1 := shapeOf(args[0].Type)
		b, ok2 := shapeOf(args[1].Type)
		switch {
		case args[0].Type.IsString() && args[1].Type.IsString():
			return &expr.Function{Result: types.UInt16, Kernel: hammingStrings}, nil
		case !ok1 || !ok2 || tooWide(args[0].Type, args[1].Type):
			return nil, illegal("bitHammingDistance", args...)
		case (a.bytes > 8) != (b.bytes > 8):
			return nil, cherr.New(cherr.IllegalColumn, "Illegal columns of arguments of function bitHammingDistance")
		}
		wide := shape{bytes: 8}
		if a.bytes > 8 {
			wide.bytes = 32
		}
		result := types.UInt8
		if a.bytes == 32 {
			result = types.UInt16
		}
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			x, y := patterns(column.Full(args[0]), wide), patterns(column.Full(args[1]), wide)
			out := make([]uint64, rows)
			for i := range out {
				for j, w := range x[i].Xor(y[i]) {
					if j == 0 || wide.bytes > 8 {
						out[i] += uint64(bits.OnesCount64(w))
					}
				}
			}
			return narrowUnsigned(out, result), nil
		}}, nil
	},
})

func hammingStrings(_ context.Context, args []column.Column, rows int) (column.Column, error) {
	x, y := column.Full(args[0]).(*column.Str), column.Full(args[1]).(*column.Str)
	out := make([]uint16, rows)
	for i := range out {
		a, b := x.At(i), y.At(i)
		if len(a) != len(b) {
			return nil, cherr.New(cherr.BadArguments, "Function bitHammingDistance requires strings of one size")
		}
		for j := range a {
			out[i] += uint16(bits.OnesCount8(a[j] ^ b[j]))
		}
	}
	return column.NewFixed(out), nil
}

var _ = add(functions.Scalar{
	Name: "byteSwap", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "byteSwap(x)", Summary: "The integer with its bytes in reverse order.", Examples: []string{"SELECT byteSwap(3351772109)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		s, ok := shapeOf(t)
		if !ok || t.Kind() == types.KindBFloat16 {
			return nil, illegal("byteSwap", args...)
		}
		if s.float {
			return nil, cherr.New(cherr.NotImplemented, "byteSwap is not implemented for type %s", t)
		}
		result := construct(s)
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			w, _ := cast.Words(column.Full(args[0]))
			out := make([]types.I256, rows)
			for i := range out {
				v := w[i]
				slices.Reverse(v[:])
				for j := range v {
					v[j] = bits.ReverseBytes64(v[j])
				}
				out[i] = types.I256(types.U256(v).Rsh(uint(256 - s.bytes*8)))
			}
			return cast.FromWords(out, result), nil
		}}, nil
	},
})
