package aggregate

import (
	"fmt"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// family and suffixes collect what the files of this package describe while
// the package is initialised; nothing writes to them afterwards.
var (
	family   []functions.Aggregate
	suffixes []functions.Combinator
)

func add(f functions.Aggregate) bool {
	family = append(family, f)
	return true
}

func addCombinator(c functions.Combinator) bool {
	suffixes = append(suffixes, c)
	return true
}

// Set gives the aggregate functions and combinators for a registry.
func Set() functions.Set {
	return functions.Set{Family: "aggregate", Aggregates: family, Combinators: suffixes}
}

// binder is the signature of Aggregate.Bind.
type binder = func(env *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error)

// unary describes a function of one argument without parameters.
func unary(name string, f func(t *types.Type) (*functions.BoundAggregate, error)) binder {
	return func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := noParams(name, params); err != nil {
			return nil, err
		}
		if len(args) != 1 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires single argument", name)
		}
		return f(args[0])
	}
}

// pair describes a function of two arguments without parameters.
func pair(name string, f func(a, b *types.Type) (*functions.BoundAggregate, error)) binder {
	return func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := noParams(name, params); err != nil {
			return nil, err
		}
		if len(args) != 2 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires two arguments", name)
		}
		return f(args[0], args[1])
	}
}

func noParams(name string, params []functions.Param) error {
	if len(params) > 0 {
		return cherr.New(cherr.AggregateFunctionDoesntAllowParameters, "Aggregate function %s cannot have parameters", name)
	}
	return nil
}

func wrongCount(name string) error {
	return cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of arguments for aggregate function %s", name)
}

func illegal(name string, t *types.Type) error {
	return cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument for aggregate function %s", t, name)
}

// paramInt gives an integer parameter.
func paramInt(p functions.Param) (int64, bool) {
	switch v := p.Value.(type) {
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), true
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// paramFloat gives a numeric parameter as a float.
func paramFloat(p functions.Param) (float64, bool) {
	if n, ok := paramInt(p); ok {
		return float64(n), true
	}
	switch v := p.Value.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case types.I128:
		return v.Float64() / pow10(p.Type.Scale()), true
	}
	return 0, false
}

// positiveParam gives a parameter that must be a positive integer.
func positiveParam(name string, p functions.Param) (int, error) {
	n, ok := paramInt(p)
	if !ok || n <= 0 {
		return 0, cherr.New(cherr.BadArguments, "Parameter for aggregate function %s should be positive number", name)
	}
	return int(n), nil
}

func pow10(n int) float64 {
	f := 1.0
	for range n {
		f *= 10
	}
	return f
}

// bound makes the usual result of a Bind.
func bound(result *types.Type, n func() functions.Accumulator) *functions.BoundAggregate {
	return &functions.BoundAggregate{Result: result, New: n}
}

// plain is bound for a function that operators may know by name.
func plain(name string, result *types.Type, n func() functions.Accumulator) *functions.BoundAggregate {
	return &functions.BoundAggregate{Result: result, New: n, Plain: name}
}

// zeroGroups serves as group numbers when all rows go to group 0; it is never written to.
var zeroGroups [column.MaxBlockRows + 1]uint32

// groupsOf gives a group number a row, also when groups is nil.
func groupsOf(groups []uint32, rows int) []uint32 {
	switch {
	case groups != nil:
		return groups
	case rows <= len(zeroGroups):
		return zeroGroups[:rows]
	}
	return make([]uint32, rows)
}

// grown makes s at least n long; new entries are zero.
func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	if n <= cap(s) {
		return s[:n]
	}
	out := make([]T, n, max(n, 2*cap(s)))
	copy(out, s)
	return out
}

// target gives where group i of a merged accumulator goes.
func target(groups []uint32, i int) int {
	if groups == nil {
		return i
	}
	return int(groups[i])
}

// text1 prints a boxed value, so that literals compare with values of another width.
func text1(v column.Value) string { return fmt.Sprint(v) }
