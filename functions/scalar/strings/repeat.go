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
		Name: "repeat", CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: "repeat(s, n)", Summary: "A string n times over; empty for n ≤ 0.", Examples: []string{"SELECT repeat('ab', 3)"}},
		Bind: kernel.TypedIn("repeat", "Sn", types.String, func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			return repeated(ctx, kernel.Strings(args[0]), kernel.Integers(args[1]), rows, "repeat")
		}),
	})
	_ = add(functions.Scalar{
		Name: "space", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "space(n)", Summary: "n spaces; empty for n ≤ 0.", Examples: []string{"SELECT space(3)"}},
		Bind: kernel.TypedIn("space", "i", types.String, func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			return repeated(ctx, kernel.Strings(column.NewConst(column.NewStr(" "), rows)), kernel.Integers(args[0]), rows, "space")
		}),
	})
)

// maxRepeats and maxResult are ClickHouse's bounds on one result.
const (
	maxRepeats = 1_000_000
	maxResult  = 1 << 30
)

func repeated(ctx context.Context, in kernel.Strs, times kernel.Nums[int64], rows int, name string) (column.Column, error) {
	total := int64(0)
	for i := range rows {
		s, n := in.At(i), max(times.At(i), 0)
		if n > maxRepeats {
			return nil, cherr.New(cherr.TooLargeStringSize, "Too many times to repeat (%d), maximum is: %d in function %s", n, maxRepeats, name)
		}
		if total += int64(len(s)) * n; total > maxResult {
			return nil, cherr.New(cherr.TooLargeStringSize, "Too large string size in function %s, maximum is: %d", name, maxResult)
		}
	}
	if err := expr.Room(ctx, total); err != nil {
		return nil, err
	}
	out := kernel.NewStr(rows, int(total))
	for i := range rows {
		s, n := in.At(i), max(times.At(i), 0)
		from := len(out.Data)
		for range n {
			out.Data = append(out.Data, s...)
		}
		out.Seal(from)
	}
	return out, nil
}
