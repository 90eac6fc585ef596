package window

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Window{
	Name: "row_number", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "row_number()", Summary: "The number of the row in its partition, from 1.",
		Examples: []string{"SELECT number, row_number() OVER (ORDER BY number DESC) FROM numbers(3)"},
	},
	Bind: noArgs("row_number", types.UInt64, func(_ context.Context, p *functions.Partition) (column.Column, error) {
		out := make([]uint64, p.Rows)
		for i := range out {
			out[i] = uint64(i + 1)
		}
		return column.NewFixed(out), nil
	}),
})

var _ = add(functions.Window{
	Name: "rank", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "rank()", Summary: "The number of the first row that is equal in order.",
		Examples: []string{"SELECT number, rank() OVER (ORDER BY number % 2) FROM numbers(4)"},
	},
	Bind: noArgs("rank", types.UInt64, func(_ context.Context, p *functions.Partition) (column.Column, error) {
		out := make([]uint64, p.Rows)
		for i := range out {
			out[i] = uint64(p.PeerStart[i] + 1)
		}
		return column.NewFixed(out), nil
	}),
})

var _ = add(functions.Window{
	Name: "dense_rank", Aliases: []string{"denseRank"}, CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "dense_rank()", Summary: "The rank counted in groups of equal rows.",
		Examples: []string{"SELECT number, dense_rank() OVER (ORDER BY number % 2) FROM numbers(4)"},
	},
	Bind: noArgs("dense_rank", types.UInt64, func(_ context.Context, p *functions.Partition) (column.Column, error) {
		out := make([]uint64, p.Rows)
		n := uint64(0)
		for i := range out {
			if p.PeerStart[i] == i {
				n++
			}
			out[i] = n
		}
		return column.NewFixed(out), nil
	}),
})

var _ = add(functions.Window{
	Name: "percent_rank", Aliases: []string{"percentRank"}, CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "percent_rank()", Summary: "The share of the other rows that come before: (rank - 1) / (rows - 1).",
		Examples: []string{"SELECT number, percent_rank() OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: noArgs("percent_rank", types.Float64, func(_ context.Context, p *functions.Partition) (column.Column, error) {
		out := make([]float64, p.Rows)
		for i := range out {
			if p.Rows > 1 {
				out[i] = float64(p.PeerStart[i]) / float64(p.Rows-1)
			}
		}
		return column.NewFixed(out), nil
	}),
})

var _ = add(functions.Window{
	Name: "cume_dist", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "cume_dist()", Summary: "The share of rows that come before or are equal.",
		Examples: []string{"SELECT number, cume_dist() OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: noArgs("cume_dist", types.Float64, func(_ context.Context, p *functions.Partition) (column.Column, error) {
		out := make([]float64, p.Rows)
		for i := range out {
			out[i] = float64(p.PeerEnd[i]) / float64(p.Rows)
		}
		return column.NewFixed(out), nil
	}),
})

var _ = add(functions.Window{
	Name: "ntile", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "ntile(n)", Summary: "Divides the partition into n parts of nearly equal length and gives the part's number.",
		Examples: []string{"SELECT number, ntile(2) OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: func(_ *functions.Env, args []functions.Arg) (*functions.BoundWindow, error) {
		if len(args) != 1 {
			return nil, wrongCount("ntile")
		}
		if !types.Unwrap(args[0].Type).IsInteger() {
			return nil, cherr.New(cherr.BadArguments, "'ntile' function argument type must be an unsigned integer (not larger than 64-bit), but got %s", args[0].Type)
		}
		return &functions.BoundWindow{Name: "ntile", Result: types.UInt64, Eval: ntile}, nil
	},
})

func ntile(_ context.Context, p *functions.Partition) (column.Column, error) {
	if p.Rows == 0 {
		return column.NewFixed([]uint64{}), nil
	}
	v, ok := ints(p.Args[0])
	if !ok || v[0] <= 0 {
		return nil, cherr.New(cherr.BadArguments, "'ntile' function argument must be greater than zero")
	}
	parts := int(v[0])
	size, larger := p.Rows/parts, p.Rows%parts
	out := make([]uint64, 0, p.Rows)
	for part := 0; len(out) < p.Rows; part++ {
		n := size
		if part < larger {
			n++
		}
		for range n {
			out = append(out, uint64(part+1))
		}
	}
	return column.NewFixed(out), nil
}
