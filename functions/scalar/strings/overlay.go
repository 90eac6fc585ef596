package strings

import (
	"bytes"
	"math"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "overlay", CaseInsensitive: true, MinArgs: 3, MaxArgs: 4,
		Doc:  functions.Doc{Syntax: "overlay(s, by, offset[, length])", Summary: "A part of a string replaced by another; the length is the other's by default.", Examples: []string{"SELECT overlay('abcdef', 'XY', 2)"}},
		Bind: bindOverlay("overlay", byteUnits),
	})
	_ = add(functions.Scalar{
		Name: "overlayUTF8", MinArgs: 3, MaxArgs: 4,
		Doc:  functions.Doc{Syntax: "overlayUTF8(s, by, offset[, length])", Summary: "overlay over code points.", Examples: []string{"SELECT overlayUTF8('äbc', 'X', 1)"}},
		Bind: bindOverlay("overlayUTF8", utf8Units),
	})
	_ = add(functions.Scalar{
		Name: "compareSubstrings", MinArgs: 5, MaxArgs: 5,
		Doc:  functions.Doc{Syntax: "compareSubstrings(a, b, aOffset, bOffset, length)", Summary: "-1, 0 or 1 as a part of one string is less than, equal to or greater than one of another; offsets count from 0.", Examples: []string{"SELECT compareSubstrings('abc', 'abd', 0, 0, 3)"}},
		Bind: bindCompareSubstrings,
	})
	_ = add(functions.Scalar{
		Name: "regexpPosition", AnyCase: []string{"regexpInstr", "regexp_instr"}, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: "regexpPosition(s, pattern)", Summary: "Position, from 1, of the first match of a regular expression; 0 for none.", Examples: []string{"SELECT regexpPosition('abc', 'b')"}},
		Bind: kernel.Typed("regexpPosition", "s", types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
			in, exprs := kernel.Strings(args[0]), kernel.Strings(args[1])
			var cache patterns
			out := make([]uint64, rows)
			for i := range out {
				p, err := cache.get(exprs.Str(i))
				if err != nil {
					return nil, err
				}
				if m := p.re.FindIndex(in.At(i)); m != nil {
					out[i] = uint64(m[0] + 1)
				}
			}
			return column.NewFixed(out), nil
		}),
	})
	_ = add(functions.Scalar{
		Name: "basename", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "basename(path)", Summary: "What follows the last slash or backslash.", Examples: []string{"SELECT basename('/a/b.c')"}},
		Bind: kernel.Typed("basename", "S", types.String, func(args []column.Column, rows int) (column.Column, error) {
			return kernel.Parts(kernel.Strings(args[0]), rows, func(_ int, s []byte) (int, int) {
				return bytes.LastIndexAny(s, `/\`) + 1, len(s)
			}), nil
		}),
	})
)

func bindOverlay(name string, u units) kernel.Bind {
	return kernel.Typed(name, "SSii", types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, by, offsets := kernel.Strings(args[0]), kernel.Strings(args[1]), kernel.Integers(args[2])
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			s, r := in.At(i), by.At(i)
			size, length := int64(u.size(s)), int64(u.size(r))
			if len(args) == 4 {
				if l := kernel.Integers(args[3]).At(i); l >= 0 {
					length = l
				}
			}
			from := offsets.At(i)
			switch {
			case from > 0:
				from = min(from-1, size)
			case from < 0:
				from = max(size+from, 0)
			default: // 0 is the place after the end
				from = size
			}
			a := u.offset(s, from)
			b := u.offset(s, min(from+length, size))
			return append(append(append(dst, s[:a]...), r...), s[b:]...)
		}), nil
	})
}

func bindCompareSubstrings(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	for i, a := range args[2:] {
		if !a.Type.IsUnsigned() {
			return nil, kernel.WrongType("compareSubstrings", i+2, a.Type)
		}
	}
	return kernel.Typed("compareSubstrings", "ssiii", types.Int8, compareSubstrings)(env, args)
}

func compareSubstrings(args []column.Column, rows int) (column.Column, error) {
	a, b := kernel.Strings(args[0]), kernel.Strings(args[1])
	var n [3]kernel.Nums[int64]
	for k := range n {
		n[k] = kernel.Integers(args[k+2])
	}
	out := make([]int8, rows)
	for i := range out {
		x, y, length := n[0].At(i)&math.MaxInt64, n[1].At(i)&math.MaxInt64, n[2].At(i)&math.MaxInt64
		out[i] = int8(bytes.Compare(window(a.At(i), x, length), window(b.At(i), y, length)))
	}
	return column.NewFixed(out), nil
}

func window(s []byte, from, length int64) []byte {
	from = min(from, int64(len(s)))
	return s[from : from+min(length, int64(len(s))-from)]
}
