package strings

import (
	"slices"
	"unsafe"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "hex", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "hex(x)", Summary: "Bytes in hexadecimal; of integers the digits without leading zero bytes.", Examples: []string{"SELECT hex(255), hex('ab')"}},
		Bind: bindDigits("hex", appendHex),
	})
	_ = add(functions.Scalar{
		Name: "bin", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "bin(x)", Summary: "Bytes in binary; of integers the digits without leading zero bytes.", Examples: []string{"SELECT bin(14)"}},
		Bind: bindDigits("bin", appendBin),
	})
	_ = add(functions.Scalar{
		Name: "unhex", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "unhex(s)", Summary: "The bytes that hexadecimal digits stand for.", Examples: []string{"SELECT unhex('6162')"}},
		Bind: kernel.StrToStr("unhex", appendUnhex),
	})
	_ = add(functions.Scalar{
		Name: "unbin", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "unbin(s)", Summary: "The bytes that binary digits stand for.", Examples: []string{"SELECT unbin('0110')"}},
		Bind: kernel.StrToStr("unbin", appendUnbin),
	})
)

const hexDigits = "0123456789ABCDEF"

func appendHex(dst []byte, c byte) []byte { return append(dst, hexDigits[c>>4], hexDigits[c&15]) }

func appendBin(dst []byte, c byte) []byte {
	for bit := 7; bit >= 0; bit-- {
		dst = append(dst, '0'+c>>bit&1)
	}
	return dst
}

func bindDigits(name string, digits func(dst []byte, c byte) []byte) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		number := t.IsInteger() || t.Kind() == types.KindBool || t.IsDateOrTime() && t.Kind() != types.KindDateTime64 || t.Kind() == types.KindIPv4
		fixed := t.IsFloat() || t.IsDecimal() || t.Kind() == types.KindDateTime64
		uuid := t.Kind() == types.KindUUID || t.Kind() == types.KindIPv6
		switch {
		case t.IsString() || t.Kind() == types.KindAggregateFunction:
			return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
				return kernel.MapStr(kernel.Strings(args[0]), rows, func(dst, s []byte) []byte {
					for _, c := range s {
						dst = digits(dst, c)
					}
					return dst
				}), nil
			}), nil
		case number || fixed || uuid:
			return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
				raw, width := rawBytes(column.Full(args[0]))
				return kernel.EachStr(rows, func(dst []byte, i int) []byte {
					return appendNumber(dst, raw[i*width:(i+1)*width], number, t.Kind() == types.KindUUID, digits)
				}), nil
			}), nil
		}
		return nil, kernel.WrongType(name, 0, t)
	}
}

// appendNumber writes an integer's bytes highest first without leading zero
// bytes. Floats and decimals come as they lie in memory, and whole, as
// ClickHouse has it; UUIDs whole and highest first.
func appendNumber(dst, raw []byte, trim, uuid bool, digits func(dst []byte, c byte) []byte) []byte {
	n := len(raw)
	if trim || uuid {
		for trim && n > 1 && raw[n-1] == 0 {
			n--
		}
		for _, c := range slices.Backward(raw[:n]) {
			dst = digits(dst, c)
		}
		return dst
	}
	for _, c := range raw {
		dst = digits(dst, c)
	}
	return dst
}

// rawBytes gives the memory of a fixed-width column; the machine is little-endian.
func rawBytes(c column.Column) (raw []byte, width int) { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return c.Values, 1
	case *column.Fixed[uint16]:
		return bytesOf(c.Values)
	case *column.Fixed[uint32]:
		return bytesOf(c.Values)
	case *column.Fixed[uint64]:
		return bytesOf(c.Values)
	case *column.Fixed[int8]:
		return bytesOf(c.Values)
	case *column.Fixed[int16]:
		return bytesOf(c.Values)
	case *column.Fixed[int32]:
		return bytesOf(c.Values)
	case *column.Fixed[int64]:
		return bytesOf(c.Values)
	case *column.Fixed[float32]:
		return bytesOf(c.Values)
	case *column.Fixed[float64]:
		return bytesOf(c.Values)
	case *column.Fixed[types.U128]:
		return bytesOf(c.Values)
	case *column.Fixed[types.I128]:
		return bytesOf(c.Values)
	case *column.Fixed[types.U256]:
		return bytesOf(c.Values)
	case *column.Fixed[types.I256]:
		return bytesOf(c.Values)
	case *column.Fixed[types.Addr6]:
		return bytesOf(c.Values)
	}
	return nil, 0
}

func bytesOf[T any](v []T) ([]byte, int) {
	var z T
	width := int(unsafe.Sizeof(z))
	if len(v) == 0 {
		return nil, width
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*width), width
}

func unhexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0xFF
}

// appendUnhex reads an odd digit at the start as a byte of its own; what is no
// digit counts as fifteen ones, as in ClickHouse.
func appendUnhex(dst, s []byte) []byte {
	if len(s)%2 == 1 {
		dst = append(dst, unhexDigit(s[0]))
		s = s[1:]
	}
	for ; len(s) > 0; s = s[2:] {
		dst = append(dst, unhexDigit(s[0])<<4|unhexDigit(s[1]))
	}
	return dst
}

func appendUnbin(dst, s []byte) []byte {
	for len(s) > 0 {
		n := len(s) % 8
		if n == 0 {
			n = 8
		}
		var c byte
		for _, d := range s[:n] {
			c = c<<1 | d&1
		}
		dst = append(dst, c)
		s = s[n:]
	}
	return dst
}
