package strings

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "trimBoth", Aliases: []string{"trim"}, MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "trimBoth(s[, characters])", Summary: "Without the spaces, or given characters, at both ends.", Examples: []string{"SELECT trimBoth('  a ')"}},
		Bind: bindTrim("trimBoth", true, true),
	})
	_ = add(functions.Scalar{
		Name: "trimLeft", Aliases: []string{"ltrim"}, MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "trimLeft(s[, characters])", Summary: "Without the spaces, or given characters, at the start.", Examples: []string{"SELECT trimLeft('  a ')"}},
		Bind: bindTrim("trimLeft", true, false),
	})
	_ = add(functions.Scalar{
		Name: "trimRight", Aliases: []string{"rtrim"}, MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "trimRight(s[, characters])", Summary: "Without the spaces, or given characters, at the end.", Examples: []string{"SELECT trimRight('  a ')"}},
		Bind: bindTrim("trimRight", false, true),
	})
)

func bindTrim(name string, left, right bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "s", args); err != nil {
			return nil, err
		}
		characters := " "
		if len(args) == 2 {
			var ok bool
			if characters, ok = args[1].ConstString(); !ok {
				return nil, kernel.NotConst(name, 1)
			}
		}
		var drop [256]bool
		for i := range len(characters) {
			drop[characters[i]] = true
		}
		return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
			return kernel.Parts(kernel.Strings(args[0]), rows, func(_ int, s []byte) (int, int) {
				a, b := 0, len(s)
				for left && a < b && drop[s[a]] {
					a++
				}
				for right && b > a && drop[s[b-1]] {
					b--
				}
				return a, b
			}), nil
		}), nil
	}
}
