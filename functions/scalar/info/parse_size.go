package info

import (
	"context"
	"math"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addParseSize()

func addParseSize() struct{} {
	for _, tail := range []string{"", "OrNull", "OrZero"} {
		name := "parseReadableSize" + tail
		add(functions.Scalar{
			Name: name, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: name + "(text)", Summary: "The bytes of a size such as 1 KiB or 3.5 MB, rounded up.", Examples: []string{"SELECT " + name + "('1.5 KiB')"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindParseSize(name, tail, args[0].Type)
			},
		})
	}
	return struct{}{}
}

func bindParseSize(name, tail string, t *types.Type) (*expr.Function, error) {
	if !t.IsString() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s. Must be String", t, name)
	}
	result := types.UInt64
	if tail == "OrNull" {
		result = types.Nullable(result)
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		s := column.Full(args[0]).(*column.Str)
		out, null := make([]uint64, rows), make([]uint8, rows)
		for i := range out {
			v, err := parseSize(string(s.At(i)))
			if err != nil && tail == "" {
				return nil, err
			}
			if err != nil {
				null[i] = 1
			}
			out[i] = v
		}
		if tail == "OrNull" {
			return column.NewNullable(column.NewFixed(out), null), nil
		}
		return column.NewFixed(out), nil
	}}, nil
}

// unitBytes gives the bytes of a unit, in any case.
func unitBytes(unit string) (float64, bool) {
	unit = strings.ToLower(unit)
	if unit == "b" {
		return 1, true
	}
	for i, letter := range "kmgtpe" {
		switch unit {
		case string(letter) + "ib":
			return math.Pow(1024, float64(i+1)), true
		case string(letter) + "b":
			return math.Pow(1000, float64(i+1)), true
		}
	}
	return 0, false
}

func parseSize(text string) (uint64, error) {
	at := 0
	for at < len(text) && (text[at] >= '0' && text[at] <= '9' || text[at] == '.') {
		at++
	}
	if at == 0 {
		low := strings.ToLower(strings.TrimLeft(text, "+-"))
		if strings.HasPrefix(low, "inf") || strings.HasPrefix(low, "nan") || strings.HasPrefix(text, "-") {
			return 0, cherr.New(cherr.BadArguments, "Invalid expression for function parseReadableSize - \"%s\" - Invalid numeric component", text)
		}
		return 0, cherr.New(cherr.CannotParseNumber, "Invalid expression for function parseReadableSize - \"%s\" - Expected number", text)
	}
	n, err := strconv.ParseFloat(text[:at], 64)
	if err != nil {
		return 0, cherr.New(cherr.CannotParseNumber, "Invalid expression for function parseReadableSize - \"%s\" - Expected number", text)
	}
	unit, ok := unitBytes(strings.TrimLeft(text[at:], " \t"))
	if !ok {
		return 0, cherr.New(cherr.CannotParseText, "Invalid expression for function parseReadableSize - \"%s\" - Unknown readable size unit", text)
	}
	v := math.Ceil(n * unit)
	if v >= 1<<64 {
		return 0, cherr.New(cherr.BadArguments, "Invalid expression for function parseReadableSize - \"%s\" - Result is too big for output type (UInt64)", text)
	}
	return uint64(v), nil
}
