package server

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Evaluator gives values of SQL expressions that stand where a literal is
// expected: in VALUES. It runs them in the session.
func Evaluator(ctx context.Context, s Session, q *Query) func(expr string, t *types.Type) (column.Column, error) {
	return func(expr string, t *types.Type) (column.Column, error) {
		name := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(t.String())
		sub := &Query{Text: "SELECT _CAST((" + expr + "), '" + name + "')", Settings: q.Settings, Params: q.Params, Interface: q.Interface}
		r, err := s.Execute(ctx, sub)
		if err != nil {
			return nil, err
		}
		b, err := r.Stream.Next(ctx)
		r.Close(err)
		if err != nil {
			return nil, err
		}
		if b == nil || b.Rows != 1 {
			return nil, cherr.New(cherr.SyntaxError, "Cannot evaluate expression '%s' in VALUES", expr)
		}
		return column.Full(b.Columns[0]), nil
	}
}
