package ip

import (
	"encoding/binary"
	"net/netip"

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
		Name: "IPv4NumToString", AnyCase: []string{"INET_NTOA"}, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "IPv4NumToString(n)", Summary: "An IPv4 address, as UInt32 or IPv4, as text.", Examples: []string{"SELECT IPv4NumToString(3232235777)"}},
		Bind: bindNumToString("IPv4NumToString", text.AppendIPv4),
	})
	_ = add(functions.Scalar{
		Name: "IPv4NumToStringClassC", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "IPv4NumToStringClassC(n)", Summary: "An IPv4 address as text, with xxx for its last byte.", Examples: []string{"SELECT IPv4NumToStringClassC(3232235777)"}},
		Bind: bindNumToString("IPv4NumToStringClassC", func(dst []byte, v uint32) []byte {
			dst = text.AppendIPv4(dst, v)
			for dst[len(dst)-1] != '.' {
				dst = dst[:len(dst)-1]
			}
			return append(dst, "xxx"...)
		}),
	})
	_ = addParse("IPv4StringToNum", []string{"INET_ATON"}, types.UInt32, cherr.CannotParseIPv4, "Invalid IPv4 value", ipv4Column)
	_ = addParse("IPv6StringToNum", []string{"INET6_ATON"}, types.FixedString(16), cherr.CannotParseIPv6, "Invalid IPv6 value", ipv6Column)
	_ = add(functions.Scalar{
		Name: "isIPv4String", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "isIPv4String(s)", Summary: "Whether a string is an IPv4 address.", Examples: []string{"SELECT isIPv4String('1.2.3.4')"}},
		Bind: kernel.StrToFixed("isIPv4String", types.UInt8, func(s []byte) uint8 {
			_, err := text.ParseIPv4(s)
			return kernel.Bool(err == nil)
		}),
	})
	_ = add(functions.Scalar{
		Name: "isIPv6String", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "isIPv6String(s)", Summary: "Whether a string is an IPv6 address.", Examples: []string{"SELECT isIPv6String('::1')"}},
		Bind: kernel.StrToFixed("isIPv6String", types.UInt8, func(s []byte) uint8 {
			a, err := netip.ParseAddr(string(s))
			return kernel.Bool(err == nil && a.Is6() && a.Zone() == "")
		}),
	})
)

func bindNumToString(name string, f func(dst []byte, v uint32) []byte) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !(t.IsUnsigned() && t.Bytes() <= 4) && t.Kind() != types.KindIPv4 && t.Kind() != types.KindUInt64 {
			return nil, kernel.WrongType(name, 0, t)
		}
		return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Integers(args[0])
			return kernel.EachStr(rows, func(dst []byte, i int) []byte { return f(dst, uint32(in.At(i))) }), nil
		}), nil
	}
}

// addParse registers a parser and its OrNull and OrDefault. fill parses all
// rows and marks those that failed.
func addParse(name string, anyCase []string, result *types.Type, code cherr.Code, message string, fill func(in kernel.Strs, rows int, bad []uint8) column.Column) bool {
	for _, suffix := range []string{"", "OrNull", "OrDefault"} {
		t := result
		if suffix == "OrNull" {
			t = types.Nullable(result)
		}
		f := functions.Scalar{
			Name: name + suffix, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: name + suffix + "(s)", Summary: "An address as a number.", Examples: []string{"SELECT " + name + suffix + "('" + map[bool]string{true: "1.2.3.4", false: "::1"}[result.Kind() == types.KindUInt32] + "')"}},
			Bind: kernel.Typed(name+suffix, "s", t, func(args []column.Column, rows int) (column.Column, error) {
				bad := make([]uint8, rows)
				out := fill(kernel.Strings(args[0]), rows, bad)
				if suffix == "OrNull" {
					return column.NewNullable(out, bad), nil
				}
				for _, b := range bad {
					if b != 0 && suffix == "" {
						return nil, cherr.New(code, "%s", message)
					}
				}
				return out, nil
			}),
		}
		if suffix == "" {
			f.AnyCase = anyCase
		}
		add(f)
	}
	return true
}

func ipv4Column(in kernel.Strs, rows int, bad []uint8) column.Column {
	return kernel.Each(rows, func(i int) uint32 {
		v, err := text.ParseIPv4(in.At(i))
		if err != nil {
			bad[i] = 1
			return 0
		}
		return v
	})
}

func ipv6Column(in kernel.Strs, rows int, bad []uint8) column.Column {
	return kernel.EachStr(rows, func(dst []byte, i int) []byte {
		v, err := text.ParseIPv6(in.At(i))
		if err != nil {
			bad[i] = 1
			v = types.Addr6{}
		}
		return append(dst, v[:]...)
	})
}

var _ = add(functions.Scalar{
	Name: "IPv4CIDRToRange", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "IPv4CIDRToRange(ip, bits)", Summary: "The first and the last address of a network.", Examples: []string{"SELECT IPv4CIDRToRange(toIPv4('192.168.5.2'), 16)"}},
	Bind: bindRange4,
})

func bindRange4(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if t.Kind() != types.KindIPv4 && t.Kind() != types.KindUInt32 {
		return nil, kernel.WrongType("IPv4CIDRToRange", 0, t)
	}
	if args[1].Type.Kind() != types.KindUInt8 {
		return nil, kernel.WrongType("IPv4CIDRToRange", 1, args[1].Type)
	}
	return kernel.Fn(types.Tuple([]*types.Type{types.IPv4, types.IPv4}, nil), func(args []column.Column, rows int) (column.Column, error) {
		in, bits := kernel.Integers(args[0]), kernel.Integers(args[1])
		host := func(i int) uint32 { return uint32(uint64(1)<<(32-min(bits.At(i), 32)) - 1) }
		return column.NewTuple(
			kernel.Each(rows, func(i int) uint32 { return uint32(in.At(i)) &^ host(i) }),
			kernel.Each(rows, func(i int) uint32 { return uint32(in.At(i)) | host(i) })), nil
	}), nil
}

var _ = add(functions.Scalar{
	Name: "isIPAddressInRange", MinArgs: 2, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "isIPAddressInRange(address, prefix)", Summary: "Whether an address is in a network given as address/bits.", Examples: []string{"SELECT isIPAddressInRange('127.0.0.1', '127.0.0.0/8')"}},
	Bind: bindInRange, KeepNulls: true,
})

// bindInRange: NULL is in no network.
func bindInRange(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := types.WithoutNullable(args[0].Type)
	if args[1].Type.IsNullable() {
		return nil, kernel.WrongType("isIPAddressInRange", 1, args[1].Type)
	}
	if !t.IsString() && t.Kind() != types.KindIPv4 && t.Kind() != types.KindIPv6 {
		return nil, kernel.WrongType("isIPAddressInRange", 0, t)
	}
	if err := kernel.Check("isIPAddressInRange", "xs", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
		address, prefixes := column.Full(args[0]), kernel.Strings(args[1])
		var nulls []uint8
		if n, ok := address.(*column.Nullable); ok {
			address, nulls = column.Full(n.Values), n.Null
		}
		out := make([]uint8, rows)
		var last netip.Prefix
		lastText := ""
		for i := range out {
			if s := prefixes.Str(i); s != lastText || i == 0 {
				p, err := parsePrefix(s)
				if err != nil {
					return nil, err
				}
				last, lastText = p, s
			}
			if nulls != nil && nulls[i] != 0 {
				continue
			}
			a, err := addressAt(address, i)
			if err != nil {
				return nil, err
			}
			if last.Addr().Is6() && a.Is4() {
				a = netip.AddrFrom16(a.As16())
			}
			out[i] = kernel.Bool(last.Contains(a) || a.Is4In6() && last.Addr().Is4() && last.Contains(a.Unmap()))
		}
		return column.NewFixed(out), nil
	}), nil
}

func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return p, cherr.New(cherr.CannotParseText, "The text does not contain a network prefix: %s", s)
	}
	return p, nil
}

func addressAt(c column.Column, i int) (netip.Addr, error) {
	switch c := c.(type) {
	case *column.Fixed[uint32]:
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], c.Values[i])
		return netip.AddrFrom4(b), nil
	case *column.Fixed[types.Addr6]:
		return netip.AddrFrom16(c.Values[i]), nil
	}
	s := c.(*column.Str).StringAt(i)
	a, err := netip.ParseAddr(s)
	if err != nil {
		return a, cherr.New(cherr.CannotParseText, "Neither IPv4 nor IPv6 address: '%s'", s)
	}
	return a, nil
}
