package strings

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "leftPad", AnyCase: []string{"lpad"}, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "leftPad(s, length[, pad])", Summary: "Padded at the start to a length in bytes, or cut to it.", Examples: []string{"SELECT leftPad('7', 3, '0')"}},
		Bind: bindPad("leftPad", byteUnits, true),
	})
	_ = add(functions.Scalar{
		Name: "rightPad", AnyCase: []string{"rpad"}, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "rightPad(s, length[, pad])", Summary: "Padded at the end to a length in bytes, or cut to it.", Examples: []string{"SELECT rightPad('7', 3, '0')"}},
		Bind: bindPad("rightPad", byteUnits, false),
	})
	_ = add(functions.Scalar{
		Name: "leftPadUTF8", MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "leftPadUTF8(s, length[, pad])", Summary: "Padded at the start to a length in code points, or cut to it.", Examples: []string{"SELECT leftPadUTF8('é', 3, '*')"}},
		Bind: bindPad("leftPadUTF8", utf8Units, true),
	})
	_ = add(functions.Scalar{
		Name: "rightPadUTF8", MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "rightPadUTF8(s, length[, pad])", Summary: "Padded at the end to a length in code points, or cut to it.", Examples: []string{"SELECT rightPadUTF8('é', 3, '*')"}},
		Bind: bindPad("rightPadUTF8", utf8Units, false),
	})
)

// maxPad is ClickHouse's bound on the length asked for.
const maxPad = 1_000_000

func bindPad(name string, u units, left bool) kernel.Bind {
	return kernel.TypedIn(name, "sis", types.String, func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in, lengths := kernel.Strings(args[0]), kernel.Integers(args[1])
		pads := kernel.Strings(column.NewConst(column.NewStr(" "), rows))
		if len(args) == 3 {
			pads = kernel.Strings(args[2])
		}
		total := int64(0)
		for i := range rows {
			want := lengths.At(i)
			if want > maxPad {
				return nil, cherr.New(cherr.TooLargeStringSize, "Too large padded string size %d in function %s, maximum is: %d", want, name, maxPad)
			}
			if want < 0 {
				return nil, cherr.New(cherr.IndexOfPositionalArgumentIsOutOfRange, "Length %d of function %s must not be negative", want, name)
			}
			total += want
		}
		if err := expr.Room(ctx, total); err != nil {
			return nil, err
		}
		out := kernel.NewStr(rows, int(min(total, 1<<30)))
		for i := range rows {
			s, want, pad := in.At(i), lengths.At(i), pads.At(i)
			if len(pad) == 0 {
				pad = []byte(" ")
			}
			from := len(out.Data)
			out.Data = appendPadded(out.Data, s, pad, want, u, left)
			out.Seal(from)
		}
		return out, nil
	})
}

func appendPadded(dst, s, pad []byte, want int64, u units, left bool) []byte {
	missing := want - int64(u.size(s))
	if missing <= 0 {
		return append(dst, s[:u.offset(s, want)]...)
	}
	if !left {
		dst = append(dst, s...)
	}
	for n := int64(u.size(pad)); missing >= n; missing -= n {
		dst = append(dst, pad...)
	}
	dst = append(dst, pad[:u.offset(pad, missing)]...)
	if left {
		dst = append(dst, s...)
	}
	return dst
}
