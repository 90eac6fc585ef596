package functions

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// bind binds without combinators: LowCardinality is unwrapped, and unless the
// function keeps NULL itself, rows with NULL are skipped by a wrapper.
// A tuple as result is Nullable only where no combinator stands around (bare).
func (f *Aggregate) bind(env *Env, params []Param, args []*types.Type, bare bool) (*BoundAggregate, error) {
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
	if nullable && !f.NullIsDefault && onlyNulls(plain) {
		return nothing(), nil
	}
	b, err := f.Bind(env, params, plain)
	if err != nil || !nullable {
		return b, err
	}
	return skipNulls(b, f.NullIsDefault, bare), nil
}

// errShortState: a serialised aggregate state ended too early.
var errShortState = cherr.New(cherr.CannotReadAllData, "Cannot read all data of an aggregate function state")

func onlyNulls(ts []*types.Type) bool {
	for _, t := range ts {
		if t.Kind() == types.KindNothing {
			return true
		}
	}
	return false
}

// nothing is an aggregate function of a NULL literal: NULL.
func nothing() *BoundAggregate {
	return &BoundAggregate{Result: types.NullableNothing, New: func() Accumulator { return nothingAcc{} }}
}

type nothingAcc struct{}

func (nothingAcc) Grow(int)                                    {}
func (nothingAcc) Add([]uint32, []column.Column, int) error    { return nil }
func (nothingAcc) Merge([]uint32, Accumulator, []uint32) error { return nil }
func (nothingAcc) Encode(_ int, dst []byte) []byte             { return dst }
func (nothingAcc) Decode(int, []byte) (int, error)             { return 0, nil }
func (nothingAcc) Size() int64                                 { return 0 }
func (nothingAcc) Result(from, to int) (column.Column, error) {
	return column.Default(types.NullableNothing, to-from), nil
}
