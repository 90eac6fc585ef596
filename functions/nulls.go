package functions

import (
	"lakeserver/cherr"
	"lakeserver/types"
)

// bind binds without combinators: LowCardinality is unwrapped, and unless the
// function keeps NULL itself, rows with NULL are skipped by a wrapper.
func (f *Aggregate) bind(env *Env, params []Param, args []*types.Type) (*BoundAggregate, error) {
	plain := make([]*types.Type, len(args))
	nullable := false
	for i, a := range args {
		a = types.WithoutLowCardinality(a)
		if !f.KeepNulls && a.Kind() == types.KindNullable {
			nullable = true
			a = a.Elem()
		}
		plain[i] = a
	}
	b, err := f.Bind(env, params, plain)
	if err != nil || !nullable {
		return b, err
	}
	return skipNulls(b, f.NullIsDefault), nil
}

// errShortState: a serialised aggregate state ended too early.
var errShortState = cherr.New(cherr.CannotReadAllData, "Cannot read all data of an aggregate function state")
