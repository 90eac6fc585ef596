package strings

import (
	"math"
	"strconv"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "stringBytesUniq", MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "stringBytesUniq(s)", Summary: "Number of different bytes.", Examples: []string{"SELECT stringBytesUniq('aab')"}},
	Bind: kernel.StrToFixed("stringBytesUniq", types.UInt16, func(s []byte) uint16 {
		var seen [256]bool
		n := uint16(0)
		for _, c := range s {
			if !seen[c] {
				seen[c] = true
				n++
			}
		}
		return n
	}),
})

var _ = add(functions.Scalar{
	Name: "stringBytesEntropy", MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "stringBytesEntropy(s)", Summary: "Shannon's entropy of the bytes.", Examples: []string{"SELECT stringBytesEntropy('aab')"}},
	Bind: kernel.StrToFixed("stringBytesEntropy", types.Float64, func(s []byte) float64 {
		var counts [256]int
		for _, c := range s {
			counts[c]++
		}
		e := 0.0
		for _, n := range counts {
			if n > 0 {
				p := float64(n) / float64(len(s))
				e -= p * math.Log2(p)
			}
		}
		return e
	}),
})

var _ = add(functions.Scalar{
	Name: "conv", MinArgs: 3, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "conv(number, from, to)", Summary: "A number, or its text, from one base to another.", Examples: []string{"SELECT conv('ff', 16, 10)"}},
	Bind: bindConv,
})

func bindConv(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if !args[0].Type.IsString() {
		return kernel.OverText(env, "conv", args)
	}
	return kernel.Typed("conv", "sii", types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, from, to := kernel.Strings(args[0]), kernel.Integers(args[1]), kernel.Integers(args[2])
		return kernel.EachStr(rows, func(dst []byte, i int) []byte { return appendConv(dst, in.At(i), from.At(i), to.At(i)) }), nil
	})(env, args)
}

// appendConv reads digits as far as they are ones of the base, as MySQL does.
func appendConv(dst, s []byte, from, to int64) []byte {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	v := uint64(0)
	for _, c := range s {
		d := digitValue(c)
		if d >= from {
			break
		}
		if v > (math.MaxUint64-uint64(d))/uint64(from) {
			v = math.MaxUint64
			break
		}
		v = v*uint64(from) + uint64(d)
	}
	if negative {
		v = -v
	}
	start := len(dst)
	if to < 0 {
		dst = strconv.AppendInt(dst, int64(v), int(-to))
	} else {
		dst = strconv.AppendUint(dst, v, int(to))
	}
	for i := start; i < len(dst); i++ {
		if dst[i] >= 'a' {
			dst[i] -= 0x20
		}
	}
	return dst
}

func digitValue(c byte) int64 {
	switch {
	case c >= '0' && c <= '9':
		return int64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int64(c|0x20-'a') + 10
	}
	return 99
}
