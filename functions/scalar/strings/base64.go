package strings

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"math/big"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// codec is a way to write bytes as text. decode is false for text that is none.
type codec struct {
	name    string // base64
	suffix  string // URL
	anyCase [2]string
	encode  func(dst, s []byte) []byte
	decode  func(dst, s []byte) ([]byte, bool)
}

var _ = addCodecs()

func addCodecs() bool {
	for _, c := range []codec{
		{"base64", "", [2]string{"TO_BASE64", "FROM_BASE64"}, base64.StdEncoding.AppendEncode, decode64(base64.StdEncoding)},
		{"base64", "URL", [2]string{}, base64.RawURLEncoding.AppendEncode, decodeURL64},
		{"base32", "", [2]string{}, base32.StdEncoding.AppendEncode, decode32},
		{"base58", "", [2]string{}, appendBase58, decodeBase58},
	} {
		encode, decode := c.name+c.suffix+"Encode", c.name+c.suffix+"Decode"
		f := functions.Scalar{
			Name: encode, MinArgs: 1, MaxArgs: 1,
			Doc:  functions.Doc{Syntax: encode + "(s)", Summary: "Bytes in " + c.name + ".", Examples: []string{"SELECT " + encode + "('abc')"}},
			Bind: kernel.StrToStr(encode, c.encode),
		}
		d := functions.Scalar{
			Name: decode, MinArgs: 1, MaxArgs: 1,
			Doc:  functions.Doc{Syntax: decode + "(s)", Summary: "The bytes that " + c.name + " stands for; text that is none is an error.", Examples: []string{"SELECT " + decode + "(" + encode + "('abc'))"}},
			Bind: bindDecode(decode, c.decode, false),
		}
		if c.anyCase[0] != "" {
			f.AnyCase, d.AnyCase = c.anyCase[:1], c.anyCase[1:]
		}
		add(f)
		add(d)
		try := "tryB" + decode[1:]
		add(functions.Scalar{
			Name: try, MinArgs: 1, MaxArgs: 1,
			Doc:  functions.Doc{Syntax: try + "(s)", Summary: "The bytes that " + c.name + " stands for; nothing for text that is none.", Examples: []string{"SELECT " + try + "('!')"}},
			Bind: bindDecode(try, c.decode, true),
		})
	}
	return true
}

func bindDecode(name string, decode func(dst, s []byte) ([]byte, bool), try bool) kernel.Bind {
	return kernel.Typed(name, "s", types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Strings(args[0]), kernel.NewStr(rows, rows*8)
		for i := range rows {
			from := len(out.Data)
			dst, ok := decode(out.Data, in.At(i))
			switch {
			case ok:
				out.Data = dst
			case !try:
				return nil, cherr.New(cherr.IncorrectData, "Invalid %s value (%s), cannot be decoded", name, in.At(i))
			}
			out.Seal(from)
		}
		return out, nil
	})
}

func decode64(e *base64.Encoding) func(dst, s []byte) ([]byte, bool) {
	return func(dst, s []byte) ([]byte, bool) {
		out, err := e.AppendDecode(dst, s)
		return out, err == nil
	}
}

// decodeURL64 takes the padding or leaves it out.
func decodeURL64(dst, s []byte) ([]byte, bool) {
	for len(s) > 0 && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	return decode64(base64.RawURLEncoding)(dst, s)
}

// decode32 takes letters of either case; the padding must be whole and the bits
// behind the last byte zero.
func decode32(dst, s []byte) ([]byte, bool) {
	if len(s)%8 != 0 {
		return dst, false
	}
	n := len(bytes.TrimRight(s, "="))
	switch len(s) - n {
	case 0, 1, 3, 4, 6:
	default:
		return dst, false
	}
	held, bits := uint32(0), 0
	for _, c := range s[:n] {
		switch {
		case c >= 'A' && c <= 'Z':
			c -= 'A'
		case c >= 'a' && c <= 'z':
			c -= 'a'
		case c >= '2' && c <= '7':
			c -= '2' - 26
		default:
			return dst, false
		}
		held, bits = held<<5|uint32(c), bits+5
		if bits >= 8 {
			bits -= 8
			dst = append(dst, byte(held>>bits))
			held &= 1<<bits - 1
		}
	}
	return dst, held == 0
}

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func appendBase58(dst, s []byte) []byte {
	for i := 0; i < len(s) && s[i] == 0; i++ {
		dst = append(dst, '1')
	}
	n, base, rest := new(big.Int).SetBytes(s), big.NewInt(58), new(big.Int)
	from := len(dst)
	for n.Sign() > 0 {
		n.QuoRem(n, base, rest)
		dst = append(dst, base58Digits[rest.Int64()])
	}
	for i, j := from, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

func decodeBase58(dst, s []byte) ([]byte, bool) {
	n, base := new(big.Int), big.NewInt(58)
	zeros := 0
	for i, c := range s {
		at := -1
		for d := range len(base58Digits) {
			if base58Digits[d] == c {
				at = d
			}
		}
		if at < 0 {
			return dst, false
		}
		if at == 0 && i == zeros {
			zeros++
		}
		n.Mul(n, base).Add(n, big.NewInt(int64(at)))
	}
	dst = append(dst, make([]byte, zeros)...)
	return append(dst, n.Bytes()...), true
}
