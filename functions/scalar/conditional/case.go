package conditional

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "caseWithExpression", KeepVariants: true, Aliases: []string{"caseWithExpr"}, CaseInsensitive: true, MinArgs: 4, MaxArgs: -1, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "caseWithExpression(x, value, then, …, else)", Summary: "The branch whose value x equals; NULL equals NULL; also CASE x WHEN … END.", Examples: []string{"SELECT caseWithExpression(1, 1, 'a', 'b')"}},
	Bind: bindCase,
})

// bindCase compares x with each value in turn and takes the first equal one's
// branch.
func bindCase(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if len(args)%2 != 0 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Invalid number of arguments for function caseWithExpression")
	}
	var ts []*types.Type
	var equal []*expr.Function
	for i := 1; i+1 < len(args); i += 2 {
		f, err := env.Registry.BindScalar(env, "isNotDistinctFrom", []functions.Arg{args[0], args[i]})
		if err != nil {
			return nil, err
		}
		equal = append(equal, f)
		ts = append(ts, args[i+1].Type)
	}
	ts = append(ts, args[len(args)-1].Type)
	result, err := functions.CommonType(env, ts...)
	if err != nil {
		return nil, err
	}
	branches, err := newBranches(env, ts, result)
	if err != nil {
		return nil, err
	}
	k := &cases{result, branches}
	return &expr.Function{Result: result, Lazy: func(ctx context.Context, args []expr.Expr, b *column.Block) (column.Column, error) {
		conditions := make([]expr.Expr, 0, len(args))
		for i := 1; i+1 < len(args); i += 2 {
			conditions = append(conditions, &expr.Call{Fn: equal[i/2], Args: []expr.Expr{args[0], args[i]}}, args[i+1])
		}
		return k.eval(ctx, append(conditions, args[len(args)-1]), b)
	}}, nil
}

var _ = add(functions.Scalar{
	Name: "firstNonDefault", KeepVariants: true, MinArgs: 1, MaxArgs: -1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "firstNonDefault(a, b, …)", Summary: "The first argument that is not its type's default, else the default.", Examples: []string{"SELECT firstNonDefault(0, 5)"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		ts := make([]*types.Type, len(args))
		for i, a := range args {
			ts[i] = a.Type
		}
		result, err := types.Super(ts...)
		if err != nil {
			return nil, err
		}
		convert := make([]cast.Func, len(args))
		for i, t := range ts {
			if convert[i], err = cast.Bind(t, result, &cast.Options{Zone: env.Zone}); err != nil {
				return nil, err
			}
		}
		def := column.Default(types.WithoutNullable(result), 1)
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			left := allRows(rows)
			var parts []part
			for i, a := range args {
				c, err := convert[i](column.Full(a))
				if err != nil {
					return nil, err
				}
				var taken, rest []uint32
				for _, r := range left {
					// The default of a Nullable is NULL, and only that.
					if column.IsNullAt(c, int(r)) || !ts[i].IsNullable() && column.Compare(c, int(r), def, 0, 1) == 0 {
						rest = append(rest, r)
					} else {
						taken = append(taken, r)
					}
				}
				parts = append(parts, part{taken, c.Gather(taken)})
				left = rest
			}
			if len(left) > 0 {
				parts = append(parts, part{left, column.Default(result, len(left))})
			}
			return assemble(result, parts, rows), nil
		}}, nil
	},
})
