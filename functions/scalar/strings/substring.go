package strings

import (
	"math"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "substring", Aliases: []string{"substr", "mid", "byteSlice"}, CaseInsensitive: true, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "substring(s, offset[, length])", Summary: "Bytes of a string from a position counted from 1, or from the end if negative.", Examples: []string{"SELECT substring('abcdef', 2, 3)"}},
		Bind: bindSubstring("substring", byteUnits),
	})
	_ = add(functions.Scalar{
		Name: "substringUTF8", MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "substringUTF8(s, offset[, length])", Summary: "Code points of UTF-8 text from a position counted from 1, or from the end if negative.", Examples: []string{"SELECT substringUTF8('äöü', 2, 1)"}},
		Bind: bindSubstring("substringUTF8", utf8Units),
	})
	_ = add(functions.Scalar{
		Name: "left", CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "left(s, n)", Summary: "The first n bytes; for a negative n all but the last -n.", Examples: []string{"SELECT left('abc', 2)"}},
		Bind: bindSide("left", byteUnits, func(size, n int64) (int64, int64) { return 0, sideLength(size, n) }),
	})
	_ = add(functions.Scalar{
		Name: "leftUTF8", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "leftUTF8(s, n)", Summary: "The first n code points; for a negative n all but the last -n.", Examples: []string{"SELECT leftUTF8('äöü', 2)"}},
		Bind: bindSide("leftUTF8", utf8Units, func(size, n int64) (int64, int64) { return 0, sideLength(size, n) }),
	})
	_ = add(functions.Scalar{
		Name: "right", CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "right(s, n)", Summary: "The last n bytes; for a negative n all but the first -n.", Examples: []string{"SELECT right('abc', 2)"}},
		Bind: bindSide("right", byteUnits, func(size, n int64) (int64, int64) { return size - sideLength(size, n), size }),
	})
	_ = add(functions.Scalar{
		Name: "rightUTF8", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "rightUTF8(s, n)", Summary: "The last n code points; for a negative n all but the first -n.", Examples: []string{"SELECT rightUTF8('äöü', 2)"}},
		Bind: bindSide("rightUTF8", utf8Units, func(size, n int64) (int64, int64) { return size - sideLength(size, n), size }),
	})
)

// units says how a string is measured: in bytes or in code points.
type units struct {
	size   func(s []byte) int
	offset func(s []byte, n int64) int // the byte where unit n begins
}

var (
	byteUnits = units{func(s []byte) int { return len(s) }, func(_ []byte, n int64) int { return int(n) }}
	utf8Units = units{countCodePoints, codePointOffset}
)

func codePointOffset(s []byte, n int64) int {
	if n >= int64(len(s)) {
		return len(s)
	}
	for i, c := range s {
		if c&0xC0 != 0x80 {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return len(s)
}

// cut gives the bytes [a, b) of units [from, to), cut to what there is.
func (u units) cut(s []byte, from, to, size int64) (a, b int) {
	from, to = max(from, 0), min(to, size)
	if from >= to {
		return 0, 0
	}
	a = u.offset(s, from)
	return a, a + u.offset(s[a:], to-from)
}

func sideLength(size, n int64) int64 {
	if n < 0 {
		return max(size+max(n, -size), 0)
	}
	return min(n, size)
}

func bindSide(name string, u units, part func(size, n int64) (from, to int64)) kernel.Bind {
	return kernel.Typed(name, "si", types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, ns := kernel.Strings(args[0]), kernel.Integers(args[1])
		return kernel.Parts(in, rows, func(i int, s []byte) (int, int) {
			size := int64(u.size(s))
			from, to := part(size, ns.At(i))
			return u.cut(s, from, to, size)
		}), nil
	})
}

func bindSubstring(name string, u units) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.IsEnum() {
			return kernel.OverText(env, name, args)
		}
		if err := kernel.Check(name, "si", args); err != nil {
			return nil, err
		}
		return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
			in, offsets := kernel.Strings(args[0]), kernel.Integers(args[1])
			lengths := offsets
			if len(args) == 3 {
				lengths = kernel.Integers(args[2])
			}
			return kernel.Parts(in, rows, func(i int, s []byte) (int, int) {
				length := int64(math.MaxInt64)
				if len(args) == 3 {
					length = lengths.At(i)
				}
				size := int64(u.size(s))
				from, to := substringRange(offsets.At(i), length, size)
				return u.cut(s, from, to, size)
			}), nil
		}), nil
	}
}

// substringRange turns a position from 1 (negative: from the end) and a length
// (negative: that many before the end) into a half-open range.
func substringRange(offset, length, size int64) (from, to int64) {
	switch {
	case offset == 0:
		return 0, 0
	case offset > 0:
		from = offset - 1
	default:
		from = size + offset
	}
	switch {
	case length < 0:
		return from, size + length
	case length > size-from: // also keeps the sum from overflowing
		return from, size
	}
	return from, from + length
}
