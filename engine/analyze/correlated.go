package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
)

func (sc *scope) correlatedScalar(_ context.Context, x *ast.Subquery, _ plan.Node, _ *scope) (expr.Expr, error) {
	return nil, at(x, cherr.NotImplemented, "Correlated subqueries of this form are not supported")
}

func (sc *scope) correlatedExists(_ context.Context, x *ast.Subquery, _ plan.Node, _ *scope) (expr.Expr, error) {
	return nil, at(x, cherr.NotImplemented, "Correlated subqueries of this form are not supported")
}

func (sc *scope) correlatedIn(_ context.Context, op *inOp, _ expr.Expr, _ plan.Node, _ *scope) (expr.Expr, error) {
	return nil, at(op.f, cherr.NotImplemented, "Correlated subqueries of this form are not supported")
}
