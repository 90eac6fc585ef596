package convert

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// castState takes text as the serialised states of an aggregate function, once
// each of them has been read.
func castState(env *functions.Env, name string, from, to *types.Type) (*expr.Function, error) {
	if from.Kind() != types.KindString || to.Kind() != types.KindAggregateFunction {
		return nil, cherr.New(cherr.CannotConvertType, "Conversion from %s to %s is not supported", from, to)
	}
	agg, err := env.Registry.BindState(env, to)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Name: name, Result: to, KeepNulls: true, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c, null := column.SplitNulls(column.Full(args[0]))
		states := c.(*column.Str)
		acc := agg.New()
		acc.Grow(1)
		for i := range rows {
			if null != nil && null[i] != 0 {
				return nil, cherr.New(cherr.CannotInsertNullInOrdinaryColumn, "Cannot convert NULL value to non-Nullable type")
			}
			s := states.At(i)
			if len(s) == 0 {
				return nil, cherr.New(cherr.AttemptToReadAfterEof, "Attempt to read after eof: an aggregate function state is not an empty text")
			}
			n, err := acc.Decode(0, s)
			if err != nil {
				return nil, err
			}
			if n < len(s) {
				return nil, cherr.New(cherr.CannotReadAllData, "There are %d bytes behind the state of %s", len(s)-n, to)
			}
		}
		return states, nil
	}}, nil
}
