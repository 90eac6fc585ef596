package info

import (
	"context"
	"fmt"
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// readable describes a function that prints a number for people.
func readable(name string, aliases []string, most int, summary string, of func(v float64) string) functions.Scalar {
	return functions.Scalar{
		Name: name, Aliases: aliases, CaseInsensitive: len(aliases) > 0, MinArgs: 1, MaxArgs: most,
		Doc: functions.Doc{Syntax: name + "(x)", Summary: summary, Examples: []string{"SELECT " + name + "(123456)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t := args[0].Type
			if !t.IsNumber() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s. Must be a number", t, name)
			}
			return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
				out := &column.Str{}
				for _, v := range cast.Floats(column.Full(args[0]), t) {
					out.AppendString(of(v))
				}
				return out, nil
			}}, nil
		},
	}
}

func scaledBy(base float64, units ...string) func(v float64) string {
	return func(v float64) string {
		i := 0
		for math.Abs(v) >= base && i < len(units)-1 {
			v /= base
			i++
		}
		return fmt.Sprintf("%.2f%s", v, units[i])
	}
}

var (
	_ = add(readable("formatReadableSize", []string{"FORMAT_BYTES"}, 1, "A number of bytes with a binary unit.", scaledBy(1024, " B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", " ZiB", " YiB")))
	_ = add(readable("formatReadableDecimalSize", nil, 1, "A number of bytes with a decimal unit.", scaledBy(1000, " B", " KB", " MB", " GB", " TB", " PB", " EB", " ZB", " YB")))
	_ = add(readable("formatReadableQuantity", nil, 1, "A number with a word for its size.", scaledBy(1000, "", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion", " sextillion", " septillion")))
)

var _ = add(functions.Scalar{
	Name: "bar", MinArgs: 3, MaxArgs: 4,
	Doc: functions.Doc{Syntax: "bar(x, min, max[, width])", Summary: "A bar whose length shows where x stands between two numbers.", Examples: []string{"SELECT bar(5, 0, 10, 10)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		kinds := make([]*types.Type, len(args))
		for i, a := range args {
			if kinds[i] = a.Type; !a.Type.IsNumber() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function bar", a.Type)
			}
		}
		return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			p := make([][]float64, len(args))
			for i, a := range args {
				p[i] = cast.Floats(column.Full(a), kinds[i])
			}
			out := &column.Str{}
			for i := range rows {
				width := 80.0
				if len(p) == 4 {
					width = p[3][i]
				}
				if !(width >= 1 && width <= 1000) {
					return nil, cherr.New(cherr.ArgumentOutOfBound, "Max_width argument must be between 1 and 1000")
				}
				out.AppendString(drawBar(p[0][i], p[1][i], p[2][i], width))
			}
			return out, nil
		}}, nil
	},
})

func drawBar(x, lo, hi, width float64) string {
	if !(x > lo) || !(hi > lo) {
		return ""
	}
	eighths := int(math.Round(math.Min((x-lo)/(hi-lo), 1)*width*8*1e9) / 1e9)
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[r-1])
	}
	return s
}
