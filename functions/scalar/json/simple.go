package json

import (
	"bytes"
	"strconv"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addSimple("Has", "Whether a field occurs.", types.UInt8, simpleFixed(func(field []byte) uint8 { return kernel.Bool(field != nil) }))
	_ = addSimple("ExtractUInt", "A field's leading digits as UInt64.", types.UInt64, simpleFixed(func(field []byte) uint64 {
		field = unquoted(field)
		v, _ := strconv.ParseUint(string(field[:skipDigits(field, 0)]), 10, 64)
		return v
	}))
	_ = addSimple("ExtractInt", "A field's leading number as Int64.", types.Int64, simpleFixed(func(field []byte) int64 {
		field = unquoted(field)
		from := 0
		if len(field) > 0 && field[0] == '-' {
			from = 1
		}
		v, _ := strconv.ParseInt(string(field[:skipDigits(field, from)]), 10, 64)
		return v
	}))
	_ = addSimple("ExtractFloat", "A field's number as Float64.", types.Float64, simpleFixed(func(field []byte) float64 {
		field = unquoted(field)
		end := 0
		for end < len(field) && bytes.IndexByte([]byte("+-.eE0123456789"), field[end]) >= 0 {
			end++
		}
		v, _ := strconv.ParseFloat(string(field[:end]), 64)
		return v
	}))
	_ = addSimple("ExtractBool", "Whether a field is true.", types.UInt8, simpleFixed(func(field []byte) uint8 { return kernel.Bool(bytes.HasPrefix(field, []byte("true"))) }))
	_ = addSimple("ExtractRaw", "A field's text.", types.String, simpleText(func(dst, field []byte) []byte { return append(dst, field[:simpleEnd(field)]...) }))
	_ = addSimple("ExtractString", "A field's string; empty when it is none.", types.String, simpleText(func(dst, field []byte) []byte {
		if len(field) == 0 || field[0] != '"' {
			return dst
		}
		end := skipString(field, 0)
		if end < 0 {
			return dst
		}
		return appendString(dst, field[:end])
	}))
)

func addSimple(what, summary string, result *types.Type, run func(find func(i int) []byte, rows int) column.Column) bool {
	name := "simpleJSON" + what
	return add(functions.Scalar{
		Name: name, Aliases: []string{"visitParam" + what}, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(json, field)", Summary: summary + " It trusts the text to be JSON without spaces around names.", Examples: []string{"SELECT " + name + `('{"a":1}', 'a')`}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "s", args); err != nil {
				return nil, err
			}
			if args[1].Const == nil {
				return nil, kernel.NotConst(name, 1)
			}
			return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
				in := kernel.Strings(args[0])
				needle := append(append([]byte{'"'}, kernel.Strings(args[1]).At(0)...), `":`...)
				return run(func(i int) []byte {
					s := in.At(i)
					at := bytes.Index(s, needle)
					if at < 0 {
						return nil
					}
					s = s[at+len(needle):]
					return s[:len(s):len(s)]
				}, rows), nil
			}), nil
		},
	})
}

func simpleFixed[T column.Element](f func(field []byte) T) func(find func(i int) []byte, rows int) column.Column {
	return func(find func(i int) []byte, rows int) column.Column {
		return kernel.Each(rows, func(i int) T { return f(find(i)) })
	}
}

func simpleText(f func(dst, field []byte) []byte) func(find func(i int) []byte, rows int) column.Column {
	return func(find func(i int) []byte, rows int) column.Column {
		return kernel.EachStr(rows, func(dst []byte, i int) []byte { return f(dst, find(i)) })
	}
}

func unquoted(field []byte) []byte {
	if len(field) > 0 && field[0] == '"' {
		return field[1:]
	}
	return field
}

// simpleEnd gives the end of a field's value by counting brackets.
func simpleEnd(field []byte) int {
	var open []byte
	for i := 0; i < len(field); i++ {
		switch c := field[i]; c {
		case '"':
			end := skipString(field, i)
			if end < 0 {
				return len(field)
			}
			i = end - 1
		case '{', '[':
			open = append(open, c+2)
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return i
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				return i
			}
		}
	}
	return len(field)
}
