package window

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Window{
	Name: "lag", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "lag(x[, offset[, default]])", Summary: "The value offset rows before, in the partition.",
		Examples: []string{"SELECT number, lag(number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: bindNeighbour("lag", -1, false),
})

var _ = add(functions.Window{
	Name: "lead", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "lead(x[, offset[, default]])", Summary: "The value offset rows behind, in the partition.",
		Examples: []string{"SELECT number, lead(number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: bindNeighbour("lead", 1, false),
})

var _ = add(functions.Window{
	Name: "lagInFrame",
	Doc: functions.Doc{
		Syntax: "lagInFrame(x[, offset[, default]])", Summary: "The value offset rows before, if the frame has it.",
		Examples: []string{"SELECT number, lagInFrame(number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: bindNeighbour("lagInFrame", -1, true),
})

var _ = add(functions.Window{
	Name: "leadInFrame",
	Doc: functions.Doc{
		Syntax: "leadInFrame(x[, offset[, default]])", Summary: "The value offset rows behind, if the frame has it.",
		Examples: []string{"SELECT number, leadInFrame(number) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM numbers(3)"},
	},
	Bind: bindNeighbour("leadInFrame", 1, true),
})

func bindNeighbour(name string, sign int, framed bool) func(*functions.Env, []functions.Arg) (*functions.BoundWindow, error) {
	return func(_ *functions.Env, args []functions.Arg) (*functions.BoundWindow, error) {
		if len(args) < 1 || len(args) > 3 {
			return nil, wrongCount(name)
		}
		result := types.WithoutLowCardinality(args[0].Type)
		if len(args) == 3 {
			super, err := types.Super(result, types.WithoutLowCardinality(args[2].Type))
			if err != nil || !super.Equal(result) {
				return nil, cherr.New(cherr.BadArguments, "The default value type '%s' is not convertible to the argument type '%s'", args[2].Type, result)
			}
		}
		n := neighbour{name: name, sign: sign, framed: framed, t: result}
		if len(args) == 3 {
			n.other = types.WithoutLowCardinality(args[2].Type)
		}
		return &functions.BoundWindow{Name: name, Result: result, Eval: n.eval}, nil
	}
}

type neighbour struct {
	name   string
	sign   int
	framed bool
	t      *types.Type
	other  *types.Type // of the default given, nil when there is none
}

func (n neighbour) eval(_ context.Context, p *functions.Partition) (column.Column, error) {
	offsets := []int64(nil)
	if len(p.Args) > 1 {
		var ok bool
		if offsets, ok = ints(p.Args[1]); !ok {
			return nil, cherr.New(cherr.BadArguments, "Offset must be an integer")
		}
	}
	var other column.Column
	if n.other != nil {
		var err error
		if other, err = cast.Column(p.Args[2], n.other, n.t, &cast.Options{}); err != nil {
			return nil, err
		}
	}
	x := column.Full(p.Args[0])
	b := column.NewBuilder(n.t, p.Rows)
	for i := range p.Rows {
		offset := int64(1)
		if offsets != nil {
			offset = offsets[i]
		}
		if offset < 0 {
			return nil, cherr.New(cherr.BadArguments, "The offset for function %s must be in (0, 9223372036854775807], %d given", n.name, offset)
		}
		from, to := 0, p.Rows
		if n.framed {
			from, to = p.FrameStart[i], p.FrameEnd[i]
		}
		at := int64(i) + int64(n.sign)*offset
		switch {
		case at >= int64(from) && at < int64(to):
			b.AppendRange(x, int(at), int(at)+1)
		case other != nil:
			b.AppendRange(other, i, i+1)
		default:
			b.AppendDefault()
		}
	}
	return b.Finish(), nil
}

var _ = add(functions.Window{
	Name: "nth_value", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "nth_value(x, n)", Summary: "The value of the frame's row n, from 1.",
		Examples: []string{"SELECT number, nth_value(number, 2) OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: func(_ *functions.Env, args []functions.Arg) (*functions.BoundWindow, error) {
		if len(args) != 2 {
			return nil, wrongCount("nth_value")
		}
		t := types.WithoutLowCardinality(args[0].Type)
		return &functions.BoundWindow{Name: "nth_value", Result: t, Eval: func(_ context.Context, p *functions.Partition) (column.Column, error) {
			return nthValue(t, p)
		}}, nil
	},
})

func nthValue(t *types.Type, p *functions.Partition) (column.Column, error) {
	places, ok := ints(p.Args[1])
	if !ok {
		return nil, cherr.New(cherr.BadArguments, "Offset must be an integer")
	}
	x := column.Full(p.Args[0])
	b := column.NewBuilder(t, p.Rows)
	for i, n := range places {
		if n <= 0 {
			return nil, cherr.New(cherr.BadArguments, "The offset for function nth_value must be in (0, 9223372036854775807], %d given", n)
		}
		if at := int64(p.FrameStart[i]) + n - 1; at < int64(p.FrameEnd[i]) {
			b.AppendRange(x, int(at), int(at)+1)
		} else {
			b.AppendDefault()
		}
	}
	return b.Finish(), nil
}
