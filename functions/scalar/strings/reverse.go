package strings

import (
	"slices"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "reverse", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "reverse(s)", Summary: "The bytes of a string or the elements of an array in reverse order.", Examples: []string{"SELECT reverse('abc')"}},
		Bind: bindReverse,
	})
	_ = add(functions.Scalar{
		Name: "reverseUTF8", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "reverseUTF8(s)", Summary: "The code points of UTF-8 text in reverse order.", Examples: []string{"SELECT reverseUTF8('aé')"}},
		Bind: kernel.StrToStr("reverseUTF8", appendReversedUTF8),
	})
)

func bindReverse(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() == types.KindArray {
		return env.Registry.BindScalar(env, "arrayReverse", args)
	}
	if err := kernel.Check("reverse", "s", args); err != nil {
		return nil, err
	}
	return kernel.Fn(args[0].Type, func(args []column.Column, rows int) (column.Column, error) {
		return kernel.MapStr(kernel.Strings(args[0]), rows, func(dst, s []byte) []byte {
			dst = append(dst, s...)
			slices.Reverse(dst[len(dst)-len(s):])
			return dst
		}), nil
	}), nil
}

func appendReversedUTF8(dst, s []byte) []byte {
	for end := len(s); end > 0; {
		from := end - 1
		for from > 0 && s[from]&0xC0 == 0x80 {
			from--
		}
		dst = append(dst, s[from:end]...)
		end = from
	}
	return dst
}
