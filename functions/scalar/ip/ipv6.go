package ip

import (
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
		Name: "IPv6NumToString", AnyCase: []string{"INET6_NTOA"}, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "IPv6NumToString(x)", Summary: "An IPv6 address, as FixedString(16) or IPv6, as text.", Examples: []string{"SELECT IPv6NumToString(IPv6StringToNum('::1'))"}},
		Bind: bindFrom16("IPv6NumToString", types.String, func(in func(i int) types.Addr6, rows int) column.Column {
			return kernel.EachStr(rows, func(dst []byte, i int) []byte { return text.AppendIPv6(dst, in(i)) })
		}),
	})
	_ = add(functions.Scalar{
		Name: "IPv4ToIPv6", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "IPv4ToIPv6(n)", Summary: "An IPv4 address as an IPv6 one.", Examples: []string{"SELECT IPv4ToIPv6(IPv4StringToNum('1.2.3.4'))"}},
		Bind: bindToIPv6,
	})
	_ = add(functions.Scalar{
		Name: "cutIPv6", MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "cutIPv6(x, bytes, bytesOfIPv4)", Summary: "An IPv6 address as text without its last bytes; the second count is for IPv4 addresses.", Examples: []string{"SELECT cutIPv6(IPv6StringToNum('2001:db8::1'), 2, 0)"}},
		Bind: bindCutIPv6,
	})
	_ = add(functions.Scalar{
		Name: "IPv6CIDRToRange", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "IPv6CIDRToRange(ip, bits)", Summary: "The first and the last address of a network.", Examples: []string{"SELECT IPv6CIDRToRange(toIPv6('2001:db8::1'), 32)"}},
		Bind: bindRange6,
	})
)

// is16 tells whether values of t are sixteen bytes of an address.
func is16(t *types.Type) bool {
	return t.Kind() == types.KindIPv6 || t.Kind() == types.KindFixedString && t.Length() == 16
}

// read16 reads addresses of either type.
func read16(c column.Column) func(i int) types.Addr6 {
	switch c := column.Full(c).(type) {
	case *column.Fixed[types.Addr6]:
		return func(i int) types.Addr6 { return c.Values[i] }
	case *column.Str:
		return func(i int) types.Addr6 { return types.Addr6(c.At(i)) }
	}
	cherr.Bug("a %T as IPv6", c)
	return nil
}

func bindFrom16(name string, result *types.Type, f func(in func(i int) types.Addr6, rows int) column.Column) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if !is16(args[0].Type) {
			return nil, kernel.WrongType(name, 0, args[0].Type)
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			return f(read16(args[0]), rows), nil
		}), nil
	}
}

func mapped(v uint32) types.Addr6 {
	return types.Addr6{10: 0xFF, 11: 0xFF, 12: byte(v >> 24), 13: byte(v >> 16), 14: byte(v >> 8), 15: byte(v)}
}

func bindToIPv6(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if t := args[0].Type; t.Kind() != types.KindUInt32 && t.Kind() != types.KindIPv4 {
		return nil, kernel.WrongType("IPv4ToIPv6", 0, t)
	}
	result := types.FixedString(16) // of a number; an IPv4 becomes an IPv6
	if args[0].Type.Kind() == types.KindIPv4 {
		result = types.IPv6
	}
	return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Integers(args[0])
		if result == types.IPv6 {
			return kernel.Each(rows, func(i int) types.Addr6 { return mapped(uint32(in.At(i))) }), nil
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			a := mapped(uint32(in.At(i)))
			return append(dst, a[:]...)
		}), nil
	}), nil
}

func bindCutIPv6(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if !is16(args[0].Type) {
		return nil, kernel.WrongType("cutIPv6", 0, args[0].Type)
	}
	v6, ok6 := args[1].ConstInt()
	v4, ok4 := args[2].ConstInt()
	if !ok6 || !ok4 {
		return nil, kernel.NotConst("cutIPv6", 1)
	}
	if v6 > 16 || v4 > 16 || v6 < 0 || v4 < 0 {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Illegal value of the number of bytes to cut in function cutIPv6")
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in := read16(args[0])
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			a := in(i)
			cut := v6
			if [12]byte(a[:12]) == [12]byte{10: 0xFF, 11: 0xFF} {
				cut = v4
			}
			clear(a[16-cut:])
			return text.AppendIPv6(dst, a)
		}), nil
	}), nil
}

func bindRange6(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if !is16(args[0].Type) {
		return nil, kernel.WrongType("IPv6CIDRToRange", 0, args[0].Type)
	}
	if args[1].Type.Kind() != types.KindUInt8 {
		return nil, kernel.WrongType("IPv6CIDRToRange", 1, args[1].Type)
	}
	return kernel.Fn(types.Tuple([]*types.Type{types.IPv6, types.IPv6}, nil), func(args []column.Column, rows int) (column.Column, error) {
		in, bits := read16(args[0]), kernel.Integers(args[1])
		edge := func(i int, fill byte) types.Addr6 {
			a, n := in(i), int(min(bits.At(i), 128))
			for k := range a {
				keep := byte(0xFF)
				if left := n - 8*k; left <= 0 {
					keep = 0
				} else if left < 8 {
					keep <<= 8 - left
				}
				a[k] = a[k]&keep | fill&^keep
			}
			return a
		}
		return column.NewTuple(
			kernel.Each(rows, func(i int) types.Addr6 { return edge(i, 0) }),
			kernel.Each(rows, func(i int) types.Addr6 { return edge(i, 0xFF) })), nil
	}), nil
}
