package functions

import (
	"iter"

	"lakeserver/column"
	"lakeserver/types"
)

// Aggregate describes an aggregate function, without its combinators.
type Aggregate struct {
	Name            string
	Aliases         []string
	CaseInsensitive bool
	Doc             Doc
	// Bind chooses the implementation for arguments without Nullable and
	// LowCardinality, unless KeepNulls.
	Bind func(env *Env, params []Param, args []*types.Type) (*BoundAggregate, error)
	// KeepNulls: the function treats NULL itself. Otherwise rows with a NULL
	// argument are skipped, and the result is Nullable and NULL when no row
	// was left, unless NullIsDefault (count, uniq): then it is what no row gives.
	KeepNulls     bool
	NullIsDefault bool
	// OrderDependent results depend on the order of rows (groupArray, any).
	OrderDependent bool
}

// Param is one literal of sum(params)(args).
type Param struct {
	Type  *types.Type
	Value column.Value
	Text  string // as printed in type names
}

// BoundAggregate is an aggregate function bound to argument types, with
// combinators and the law of NULL applied.
type BoundAggregate struct {
	Name   string // as written, with combinators
	Args   []*types.Type
	Params []Param
	Result *types.Type
	// State is the type of -State: AggregateFunction(...).
	State *types.Type
	// New makes an accumulator without groups.
	New func() Accumulator
	// Plain names the function when it is exactly this one over non-null
	// arguments ("count", "sum", "min", "max", "avg", "any", "uniqExact"), so
	// that an operator may use a kernel of its own; "" otherwise.
	Plain string
	// OrderDependent is the function's: the order of rows shows in the result.
	OrderDependent bool
}

// Accumulator holds the states of one aggregate function for many groups, by
// dense group number. It is used by one goroutine at a time.
type Accumulator interface {
	// Grow makes groups 0 … n-1 exist; new ones are empty.
	Grow(n int)
	// Add adds rows: row i goes to groups[i], or all to group 0 when groups is
	// nil. Columns are in any form; kernels for Const and Dict are worth it.
	Add(groups []uint32, args []column.Column, rows int) error
	// Merge joins groups of from, an accumulator of the same function, into
	// this one: group some[k] into groups[k], or with some nil every group i
	// into groups[i] (group i when groups is nil). The groups merged are not
	// used afterwards; others of from may be merged later, elsewhere.
	Merge(groups []uint32, from Accumulator, some []uint32) error
	// Result gives the values of groups [from, to). Groups may go on growing.
	Result(from, to int) (column.Column, error)
	// Encode appends the state of one group in ClickHouse's serialisation.
	Encode(group int, dst []byte) []byte
	// Decode joins a serialised state into a group and gives the bytes used.
	Decode(group int, src []byte) (int, error)
	// Size estimates the bytes held.
	Size() int64
}

// Merged pairs the groups that a Merge of n groups joins: from and to.
func Merged(groups, some []uint32, n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		switch {
		case some != nil:
			for k, from := range some {
				if !yield(int(from), int(groups[k])) {
					return
				}
			}
		case groups != nil:
			for from := range n {
				if !yield(from, int(groups[from])) {
					return
				}
			}
		default:
			for from := range n {
				if !yield(from, from) {
					return
				}
			}
		}
	}
}
