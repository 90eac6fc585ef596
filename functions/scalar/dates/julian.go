package dates

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// Modified Julian days count from 1858-11-17; they reach over the years 0 to
// 9999.
const (
	julianOf1970 = 40587
	leastJulian  = -678941
	mostJulian   = 2973483
)

var (
	_ = addFromJulian("fromModifiedJulianDay", false)
	_ = addFromJulian("fromModifiedJulianDayOrNull", true)
	_ = addToJulian("toModifiedJulianDay", false)
	_ = addToJulian("toModifiedJulianDayOrNull", true)
)

func addFromJulian(name string, orNull bool) struct{} {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(day)", Summary: "The date of a modified Julian day, as text.", Examples: []string{"SELECT " + name + "(59154)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "i", args); err != nil {
				return nil, err
			}
			return orNullFn(types.String, orNull, func(args []column.Column, rows int, fail func(int, error) error) (column.Column, error) {
				in, out := kernel.Integers(args[0]), kernel.NewStr(rows, rows*10)
				for i := range rows {
					d := in.At(i)
					from := len(out.Data)
					if d < leastJulian || d > mostJulian {
						if err := fail(i, cherr.New(cherr.CannotFormatDatetime, "Input value of Modified Julian Day is out of range: it must be from %d to %d", leastJulian, mostJulian)); err != nil {
							return nil, err
						}
					} else {
						out.Data = appendYMD(out.Data, int(d)-julianOf1970)
					}
					out.Seal(from)
				}
				return out, nil
			}), nil
		},
	})
}

// orNullFn binds a kernel whose failures are errors, or NULLs.
func orNullFn(result *types.Type, orNull bool, k func(args []column.Column, rows int, fail func(int, error) error) (column.Column, error)) *expr.Function {
	if !orNull {
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			return k(args, rows, func(_ int, err error) error { return err })
		}}
	}
	return &expr.Function{Result: types.Nullable(result), Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		null := make([]uint8, rows)
		c, err := k(args, rows, func(i int, _ error) error {
			null[i] = 1
			return nil
		})
		if err != nil {
			return nil, err
		}
		return column.NewNullable(c, null), nil
	}}
}

func addToJulian(name string, orNull bool) struct{} {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(text)", Summary: "The modified Julian day of a date as YYYY-MM-DD.", Examples: []string{"SELECT " + name + "('2020-11-01')"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "s", args); err != nil {
				return nil, err
			}
			return orNullFn(types.Int32, orNull, func(args []column.Column, rows int, fail func(int, error) error) (column.Column, error) {
				in, out := kernel.Strings(args[0]), make([]int32, rows)
				for i := range rows {
					days, err := readYMD(in.At(i))
					if err != nil {
						if err := fail(i, err); err != nil {
							return nil, err
						}
						continue
					}
					out[i] = int32(days + julianOf1970)
				}
				return column.NewFixed(out), nil
			}), nil
		},
	})
}

// appendYMD writes a day since 1970 of the years 0 to 9999.
func appendYMD(dst []byte, days int) []byte {
	y, m, d := civil.FromDays(days)
	return append(dst, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-', byte('0'+m/10), byte('0'+m%10), '-', byte('0'+d/10), byte('0'+d%10))
}

// readYMD reads exactly YYYY-MM-DD.
func readYMD(s []byte) (int, error) {
	bad := func(format string, args ...any) error {
		return cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: "+format, args...)
	}
	if len(s) != 10 {
		return 0, bad("a date YYYY-MM-DD is expected, got '%s'", s)
	}
	for i, c := range s {
		if mark := i == 4 || i == 7; mark && c != '-' || !mark && (c < '0' || c > '9') {
			return 0, bad("a date YYYY-MM-DD is expected, got '%s'", s)
		}
	}
	n := func(from, to int) (v int) {
		for _, c := range s[from:to] {
			v = v*10 + int(c-'0')
		}
		return v
	}
	y, m, d := n(0, 4), n(5, 7), n(8, 10)
	days := civil.Days(y, m, d)
	if yy, mm, dd := civil.FromDays(days); yy != y || mm != m || dd != d {
		return 0, cherr.New(cherr.CannotParseDate, "Invalid date, out of range (year: %d, month: %d, day: %d)", y, m, d)
	}
	return days, nil
}
