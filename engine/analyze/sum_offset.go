package analyze

import (
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// sumOffset gives a sum over a column and a constant as the sum and the count
// of the column: of SELECT sum(x + 1), sum(x + 2), … one pass over x is left,
// and no row is added to. nil where it is not the same: sums of integers wrap
// as their additions do, those of floats round.
func (sc *scope) sumOffset(fn *functions.BoundAggregate, args []expr.Expr) (expr.Expr, error) {
	if lower(fn.Name) != "sum" || len(fn.Params) > 0 || len(args) != 1 {
		return nil, nil
	}
	op, ok := args[0].(*expr.Call)
	if !ok || len(op.Args) != 2 || op.Fn.Name != "plus" && op.Fn.Name != "minus" {
		return nil, nil
	}
	x, k := op.Args[0], op.Args[1]
	if op.Fn.Name == "plus" && isLiteral(x) {
		x, k = k, x
	}
	if isLiteral(x) || !isLiteral(k) || !shortInteger(x.Type()) || !shortInteger(k.Type()) || k.Type().IsNullable() {
		return nil, nil
	}
	sum, err := sc.aggregateOf(fn.Name, x)
	if err != nil {
		return nil, err
	}
	counted := []expr.Expr{}
	if x.Type().IsNullable() { // rows of NULL are in neither
		counted = append(counted, x)
	}
	count, err := sc.aggregateOf("count", counted...)
	if err != nil {
		return nil, err
	}
	offset, err := sc.call("multiply", k, count)
	if err != nil {
		return nil, err
	}
	out, err := sc.call(op.Fn.Name, sum, offset)
	if err != nil || !out.Type().Equal(fn.Result) {
		return nil, err
	}
	return out, nil
}

func (sc *scope) aggregateOf(name string, args ...expr.Expr) (*aggCall, error) {
	fn, err := sc.a.env.Registry.BindAggregate(sc.fenv, name, nil, argTypes(args))
	if err != nil {
		return nil, err
	}
	return &aggCall{fn: fn, args: args}, nil
}

func isLiteral(e expr.Expr) bool { _, ok := e.(*expr.Literal); return ok }

// shortInteger tells integers of up to 64 bits: their sums have 64.
func shortInteger(t *types.Type) bool {
	t = types.WithoutNullable(t)
	return t.IsInteger() && t.Bytes() > 0 && t.Bytes() <= 8
}
