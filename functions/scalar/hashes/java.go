package hashes

import (
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "javaHash", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "javaHash(x)", Summary: "Java's hashCode of a string (byte by byte) or an integer.", Examples: []string{"SELECT javaHash('abc')"}},
		Bind: bindJavaHash,
	})
	_ = add(functions.Scalar{
		Name: "hiveHash", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "hiveHash(s)", Summary: "javaHash without the sign, as Hive had it.", Examples: []string{"SELECT hiveHash('abc')"}},
		Bind: kernel.StrToFixed("hiveHash", types.Int32, func(s []byte) int32 { return java(s) & 0x7FFFFFFF }),
	})
	_ = add(functions.Scalar{
		Name: "javaHashUTF16LE", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "javaHashUTF16LE(s)", Summary: "Java's hashCode of a string in UTF-16, little-endian.", Examples: []string{"SELECT javaHashUTF16LE('a\\0')"}},
		Bind: bindJavaUTF16,
	})
)

func java(s []byte) int32 {
	h := int32(0)
	for _, c := range s {
		h = h*31 + int32(int8(c))
	}
	return h
}

func bindJavaHash(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	switch t := args[0].Type; {
	case t.IsString():
		return kernel.StrToFixed("javaHash", types.Int32, java)(nil, args)
	case t.IsUnsigned():
		return nil, cherr.New(cherr.NotImplemented, "Unsigned types are not supported")
	case t.IsSigned() && t.Bytes() <= 8:
		return kernel.Fn(types.Int32, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Integers(args[0])
			wide := t.Bytes() == 8
			return kernel.Each(rows, func(i int) int32 {
				v := in.At(i)
				if wide {
					return int32(v ^ int64(uint64(v)>>32))
				}
				return int32(v)
			}), nil
		}), nil
	}
	return nil, kernel.WrongType("javaHash", 0, args[0].Type)
}

func bindJavaUTF16(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("javaHashUTF16LE", "s", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.Int32, func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Strings(args[0]), make([]int32, rows)
		for i := range out {
			s := in.At(i)
			if len(s)%2 != 0 {
				return nil, cherr.New(cherr.BadArguments, "Arguments for javaHashUTF16LE must be in the form of UTF-16")
			}
			for ; len(s) > 0; s = s[2:] {
				out[i] = out[i]*31 + int32(binary.LittleEndian.Uint16(s))
			}
		}
		return column.NewFixed(out), nil
	}), nil
}
