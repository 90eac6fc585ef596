package cast

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// toEnum converts numbers and enums by value; every value must be named.
func (b *binder) toEnum(from, to *types.Type) kernel {
	if !from.IsInteger() && !from.IsEnum() && !from.IsFloat() {
		return nil
	}
	e := to.Enum()
	if from.IsEnum() {
		for i, name := range from.Enum().Names() {
			if v, ok := e.Value(name); ok && v != from.Enum().Values()[i] {
				err := cherr.New(cherr.CannotConvertType, "Enum conversion changes value for element '%s' from %d to %d", name, from.Enum().Values()[i], v)
				return func(column.Column, *failures) (column.Column, error) { return nil, err }
			}
		}
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		f, err := native[int64](c, bad, false)
		if err != nil {
			return nil, err
		}
		out := make([]int64, f.Len())
		for i, v := range f.Values {
			if _, ok := e.Name(int16(v)); ok && int64(int16(v)) == v {
				out[i] = v
				continue
			}
			if err := bad.fail(i, cherr.New(cherr.UnknownElementOfEnum, "Unexpected value %d in enum", v)); err != nil {
				return nil, err
			}
			out[i] = int64(e.Values()[0])
		}
		if to.Kind() == types.KindEnum8 {
			return narrow[int8](out), nil
		}
		return narrow[int16](out), nil
	}
}

// address converts among UUID, IPv4, IPv6 and the integers behind them.
func (b *binder) address(from, to *types.Type) (kernel, error) {
	switch f, t := from.Kind(), to.Kind(); {
	case f == types.KindIPv4 && t == types.KindIPv6:
		return func(c column.Column, _ *failures) (column.Column, error) {
			v := column.Values[uint32](c)
			out := make([]types.Addr6, len(v))
			for i, x := range v {
				out[i] = types.Addr6{10: 0xff, 11: 0xff, 12: byte(x >> 24), 13: byte(x >> 16), 14: byte(x >> 8), 15: byte(x)}
			}
			return column.NewFixed(out), nil
		}, nil
	case f == types.KindIPv6 && t == types.KindIPv4:
		return ipv6ToIPv4, nil
	case f == types.KindIPv4 && (to.IsUnsigned() || to.IsSigned() || to.IsFloat()):
		return b.toNumber(types.UInt32, to), nil
	case t == types.KindIPv4 && from.IsInteger():
		return b.toNumber(from, types.UInt32), nil
	case f == types.KindIPv6 && t == types.KindUInt128:
		return func(c column.Column, _ *failures) (column.Column, error) {
			v := column.Values[types.Addr6](c)
			out := make([]types.U128, len(v))
			for i, a := range v {
				for _, x := range a {
					out[i].Hi = out[i].Hi<<8 | out[i].Lo>>56
					out[i].Lo = out[i].Lo<<8 | uint64(x)
				}
			}
			return column.NewFixed(out), nil
		}, nil
	case t == types.KindIPv6 && f == types.KindUInt128:
		return func(c column.Column, _ *failures) (column.Column, error) {
			v := column.Values[types.U128](c)
			out := make([]types.Addr6, len(v))
			for i, x := range v {
				for j := range 8 {
					out[i][j], out[i][8+j] = byte(x.Hi>>(56-8*j)), byte(x.Lo>>(56-8*j))
				}
			}
			return column.NewFixed(out), nil
		}, nil
	case f == types.KindUUID && t == types.KindUInt128:
		return identity, nil
	case (f == types.KindUUID) != (t == types.KindUUID):
		return nil, cherr.New(cherr.NotImplemented, "Conversion between numeric types and UUID is not supported. Probably the passed UUID is unquoted")
	}
	return nil, cherr.New(cherr.CannotConvertType, "Conversion from %s to %s is not supported", from, to)
}

func ipv6ToIPv4(c column.Column, bad *failures) (column.Column, error) {
	v := column.Values[types.Addr6](c)
	out := make([]uint32, len(v))
	for i, a := range v {
		if types.Addr6([16]byte(append(append([]byte{}, a[:12]...), 0, 0, 0, 0))) != (types.Addr6{10: 0xff, 11: 0xff}) {
			if err := bad.fail(i, cherr.New(cherr.CannotConvertType, "IPv6 in column is not in IPv4 mapping block")); err != nil {
				return nil, err
			}
			continue
		}
		out[i] = uint32(a[12])<<24 | uint32(a[13])<<16 | uint32(a[14])<<8 | uint32(a[15])
	}
	return column.NewFixed(out), nil
}
