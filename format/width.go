package format

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// What a terminal is told; formats write it only when colours are asked for.
const (
	bold  = "\x1b[1m"
	red   = "\x1b[31;1m"
	grey  = "\x1b[90m"
	plain = "\x1b[0m"
)

// wide are the ranges whose signs take two places.
var wide = &unicode.RangeTable{R16: []unicode.Range16{
	{0x1100, 0x115f, 1},
	{0x2e80, 0x303e, 1},
	{0x3041, 0x33ff, 1},
	{0x3400, 0x4dbf, 1},
	{0x4e00, 0x9fff, 1},
	{0xa000, 0xa4cf, 1},
	{0xac00, 0xd7a3, 1},
	{0xf900, 0xfaff, 1},
	{0xfe30, 0xfe6f, 1},
	{0xff00, 0xff60, 1},
	{0xffe0, 0xffe6, 1},
}, R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}}}

// textWidth gives the places that a text takes on a terminal.
func textWidth(s string) int { return widthAt(s, 0) }

// widthAt is textWidth of a text that begins at a place of its line, which
// decides how far tabs go.
func widthAt(s string, at int) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		switch {
		case r == '\t':
			n += 8 - (at+n)%8
		case r < 0x20 || r == 0x7f || unicode.Is(unicode.Mn, r):
		case r > 0x1100 && unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// cutWidth gives the start of s that takes at most width places.
func cutWidth(s string, width int) string {
	n := 0
	for i, r := range s {
		if n += textWidth(string(r)); n > width {
			return s[:i]
		}
	}
	return s
}

// A tip says a large number in words, after " -- ".
type tip func(row int) string

// numberTip binds a column to its tips; nil when its type has none.
func numberTip(t *types.Type, c column.Column, from float64) tip {
	u := types.Unwrap(t)
	if from <= 0 || !u.IsNumber() || u.Kind() == types.KindBool {
		return nil
	}
	cell := text.Print(t, text.Plain, nil, c)
	return func(row int) string {
		var scratch [32]byte
		v, err := strconv.ParseFloat(string(cell(scratch[:0], row)), 64)
		if err != nil || v-v != 0 || v <= from && v >= -from {
			return ""
		}
		return " -- " + readable(v)
	}
}

var thousands = []string{"", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion", " sextillion", " septillion"}

func readable(v float64) string {
	i := 0
	for (v >= 1000 || v <= -1000) && i < len(thousands)-1 {
		v /= 1000
		i++
	}
	return strconv.FormatFloat(v, 'f', 2, 64) + thousands[i]
}
