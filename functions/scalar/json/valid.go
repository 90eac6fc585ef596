package json

import (
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "isValidJSON", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "isValidJSON(s)", Summary: "Whether a string is valid JSON.", Examples: []string{`SELECT isValidJSON('{"a": 1}')`}},
		Bind: kernel.StrToFixed("isValidJSON", types.UInt8, func(s []byte) uint8 {
			_, ok := document(s)
			return kernel.Bool(ok)
		}),
	})
	_ = add(functions.Scalar{
		Name: "JSONArrayLength", AnyCase: []string{"JSON_ARRAY_LENGTH"}, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "JSONArrayLength(json)", Summary: "Number of elements of an array; NULL for anything else.", Examples: []string{"SELECT JSONArrayLength('[1, 2]')"}},
		Bind: bindArrayLength,
	})
	_ = add(functions.Scalar{
		Name: "toJSONString", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "toJSONString(x)", Summary: "A value of any type as JSON.", Examples: []string{"SELECT toJSONString([1, 2])"}},
		Bind: bindToJSON,
	})
	_ = add(functions.Scalar{
		Name: "prettyPrintJSON", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "prettyPrintJSON(json)", Summary: "JSON with line ends and indentation.", Examples: []string{"SELECT prettyPrintJSON('[1]')"}},
		Bind: kernel.StrToStr("prettyPrintJSON", func(dst, s []byte) []byte {
			doc, ok := document(s)
			if !ok {
				return dst
			}
			return style{",", ": ", true}.appendValue(dst, doc, 0)
		}),
	})
)

func bindArrayLength(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("JSONArrayLength", "s", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.Nullable(types.UInt64), func(args []column.Column, rows int) (column.Column, error) {
		in, null := kernel.Strings(args[0]), make([]uint8, rows)
		values := kernel.Each(rows, func(i int) uint64 {
			doc, ok := document(in.At(i))
			if !ok || doc[0] != '[' {
				null[i] = 1
				return 0
			}
			return uint64(size(doc))
		})
		return column.NewNullable(values, null), nil
	}), nil
}

func bindToJSON(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	o := &text.Options{Zone: env.Zone, QuoteInt64: env.Settings.Bool("output_format_json_quote_64bit_integers")}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		cell := text.Print(t, text.JSON, o, args[0])
		return kernel.EachStr(rows, cell), nil
	}), nil
}
