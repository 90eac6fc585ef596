package conditional

import (
	"lakeserver/cherr"
	"lakeserver/expr"
	"lakeserver/functions"
)

var _ = add(functions.Scalar{
	Name: "if", KeepVariants: true, CaseInsensitive: true, MinArgs: 3, MaxArgs: 3, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "if(condition, then, else)", Summary: "One of two values; a condition that is NULL gives else; also condition ? then : else.", Examples: []string{"SELECT if(1, 'a', 'b')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindCases(env, "if", args)
	},
})

var _ = add(functions.Scalar{
	Name: "multiIf", KeepVariants: true, Aliases: []string{"caseWithoutExpression", "caseWithoutExpr"}, CaseInsensitive: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "multiIf(condition, then, …, else)", Summary: "The value of the first condition that holds; also CASE WHEN … END.", Examples: []string{"SELECT multiIf(0, 1, 1, 2, 3)"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if len(args) < 3 || len(args)%2 == 0 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Invalid number of arguments for function multiIf")
		}
		return bindCases(env, "multiIf", args)
	},
})
