package ip

import (
	"encoding/binary"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "UUIDStringToNum", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "UUIDStringToNum(s[, variant])", Summary: "The sixteen bytes of a UUID; variant 2 has Microsoft's byte order.", Examples: []string{"SELECT hex(UUIDStringToNum('612f3c40-5d3b-217e-707b-6a546a3d7b29'))"}},
		Bind: bindUUIDStringToNum,
	})
	_ = add(functions.Scalar{
		Name: "UUIDNumToString", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "UUIDNumToString(x[, variant])", Summary: "Sixteen bytes as the text of a UUID.", Examples: []string{"SELECT UUIDNumToString(toFixedString('a/<@];!~p{jTj={)', 16))"}},
		Bind: bindUUIDNumToString,
	})
	_ = add(functions.Scalar{
		Name: "UUIDToNum", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "UUIDToNum(uuid[, variant])", Summary: "The sixteen bytes of a UUID.", Examples: []string{"SELECT hex(UUIDToNum(toUUID('612f3c40-5d3b-217e-707b-6a546a3d7b29')))"}},
		Bind: bindUUIDToNum,
	})
)

// microsoft tells whether the second argument asks for Microsoft's byte order.
func microsoft(name string, args []functions.Arg) (bool, error) {
	if len(args) == 1 {
		return false, nil
	}
	if !args[1].Type.IsInteger() {
		return false, kernel.WrongType(name, 1, args[1].Type)
	}
	if args[1].Const == nil {
		return false, kernel.NotConst(name, 1)
	}
	v, _ := args[1].ConstInt()
	if v != 1 && v != 2 {
		return false, cherr.New(cherr.ArgumentOutOfBound, "Expected UUID variant 1 or 2 as second argument of function %s", name)
	}
	return v == 2, nil
}

// swap turns the first three fields of a UUID around.
func swap(b []byte) {
	slices.Reverse(b[0:4])
	slices.Reverse(b[4:6])
	slices.Reverse(b[6:8])
}

func appendUUIDBytes(dst []byte, u types.U128, ms bool) []byte {
	dst = binary.BigEndian.AppendUint64(dst, u.Hi)
	dst = binary.BigEndian.AppendUint64(dst, u.Lo)
	if ms {
		swap(dst[len(dst)-16:])
	}
	return dst
}

func bindUUIDStringToNum(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("UUIDStringToNum", "si", args); err != nil {
		return nil, err
	}
	ms, err := microsoft("UUIDStringToNum", args)
	if err != nil {
		return nil, err
	}
	return kernel.Fn(types.FixedString(16), func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Strings(args[0])
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			s := in.At(i)
			if len(s) != 36 { // as ClickHouse: what is no UUID is zeros
				return append(dst, make([]byte, 16)...)
			}
			u, err := text.ParseUUID(s)
			if err != nil {
				u = types.U128{}
			}
			return appendUUIDBytes(dst, u, ms)
		}), nil
	}), nil
}

func bindUUIDNumToString(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if t := args[0].Type; t.Kind() != types.KindFixedString || t.Length() != 16 {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function UUIDNumToString, expected FixedString(16)", t)
	}
	ms, err := microsoft("UUIDNumToString", args)
	if err != nil {
		return nil, err
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Strings(args[0])
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			var b [16]byte
			copy(b[:], in.At(i))
			if ms {
				swap(b[:])
			}
			return text.AppendUUID(dst, types.U128{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])})
		}), nil
	}), nil
}

func bindUUIDToNum(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() != types.KindUUID {
		return nil, kernel.WrongType("UUIDToNum", 0, args[0].Type)
	}
	ms, err := microsoft("UUIDToNum", args)
	if err != nil {
		return nil, err
	}
	return kernel.Fn(types.FixedString(16), func(args []column.Column, rows int) (column.Column, error) {
		in := column.Values[types.U128](column.Full(args[0]))
		return kernel.EachStr(rows, func(dst []byte, i int) []byte { return appendUUIDBytes(dst, in[i], ms) }), nil
	}), nil
}
