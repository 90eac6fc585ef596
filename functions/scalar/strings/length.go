package strings

import (
	"bytes"
	"math/bits"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "length", AnyCase: []string{"OCTET_LENGTH", "CARDINALITY"}, CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "length(s)", Summary: "Number of bytes of a string, elements of an array, entries of a map.", Examples: []string{"SELECT length('abc')"}},
		Bind: bindSize("length", types.UInt64, func(n int) uint64 { return uint64(n) }, func(b []byte) uint64 {
			return uint64(len(b))
		}),
	})
	_ = add(functions.Scalar{
		Name: "empty", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "empty(x)", Summary: "Whether a string, array, map, UUID or IP address is empty (all zero).", Examples: []string{"SELECT empty('')"}},
		Bind: bindSize("empty", types.UInt8, func(n int) uint8 { return kernel.Bool(n == 0) }, func(b []byte) uint8 { return kernel.Bool(allZero(b)) }),
	})
	_ = add(functions.Scalar{
		Name: "notEmpty", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "notEmpty(x)", Summary: "Whether a string, array, map, UUID or IP address is not empty.", Examples: []string{"SELECT notEmpty('a')"}},
		Bind: bindSize("notEmpty", types.UInt8, func(n int) uint8 { return kernel.Bool(n != 0) }, func(b []byte) uint8 { return kernel.Bool(!allZero(b)) }),
	})
	_ = add(functions.Scalar{
		Name: "lengthUTF8", AnyCase: []string{"CHAR_LENGTH", "CHARACTER_LENGTH"}, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "lengthUTF8(s)", Summary: "Number of code points of a string in UTF-8.", Examples: []string{"SELECT lengthUTF8('été')"}},
		Bind: kernel.StrToFixed("lengthUTF8", types.UInt64, func(s []byte) uint64 { return uint64(countCodePoints(s)) }),
	})
)

func allZero(b []byte) bool {
	return len(b) == 0 || b[0] == 0 && bytes.Count(b, b[:1]) == len(b)
}

// bindSize binds a function of the number of bytes, elements or entries. fixed
// gives the answer for the bytes of a FixedString: length counts its padding,
// empty looks for a byte that is not zero.
func bindSize[T column.Element](name string, result *types.Type, f func(n int) T, fixed func(b []byte) T) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		switch t.Kind() {
		case types.KindString:
			return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
				in := kernel.Strings(args[0])
				out := make([]T, rows)
				for i, n := range in.Col.Lns[:min(rows, len(in.Col.Lns))] {
					out[i] = f(int(n))
				}
				for i := 1; i < rows && in.Const(); i++ {
					out[i] = out[0]
				}
				return column.NewFixed(out), nil
			}), nil
		case types.KindFixedString:
			return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
				in := kernel.Strings(args[0])
				return kernel.Each(rows, func(i int) T { return fixed(in.At(i)) }), nil
			}), nil
		case types.KindArray, types.KindMap:
			return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
				return sizes(args[0], rows, f), nil
			}), nil
		case types.KindUUID, types.KindIPv4, types.KindIPv6:
			if name != "length" {
				return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
					return zeros(column.Full(args[0]), f), nil
				}), nil
			}
		}
		return nil, kernel.WrongType(name, 0, t)
	}
}

func sizes[T column.Element](c column.Column, rows int, f func(n int) T) column.Column {
	var offsets []uint64
	switch c := column.Full(c).(type) {
	case *column.Array:
		offsets = c.Offsets
	case *column.Map:
		offsets = c.Offsets
	}
	out := make([]T, rows)
	for i := range out {
		out[i] = f(int(offsets[i+1] - offsets[i]))
	}
	return column.NewFixed(out)
}

func zeros[T column.Element](c column.Column, f func(n int) T) column.Column {
	size := func(zero bool) T { return f(int(1 - kernel.Bool(zero))) }
	switch c := c.(type) {
	case *column.Fixed[types.U128]:
		return kernel.Each(len(c.Values), func(i int) T { return size(c.Values[i] == types.U128{}) })
	case *column.Fixed[uint32]:
		return kernel.Each(len(c.Values), func(i int) T { return size(c.Values[i] == 0) })
	}
	v := column.Values[types.Addr6](c)
	return kernel.Each(len(v), func(i int) T { return size(v[i] == types.Addr6{}) })
}

// countCodePoints counts the bytes that do not continue a sequence, as
// ClickHouse does also for text that is not valid UTF-8.
func countCodePoints(s []byte) int {
	n := 0
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		n += 8 - bits.OnesCount64(w>>7&^(w>>6)&0x0101010101010101)
		s = s[8:]
	}
	for _, c := range s {
		if c&0xC0 != 0x80 {
			n++
		}
	}
	return n
}
