package window

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// family collects what the files of this package describe while the package is
// initialised; nothing writes to it afterwards.
var family []functions.Window

func add(f functions.Window) bool {
	family = append(family, f)
	return true
}

// Set gives the window functions for a registry.
func Set() functions.Set { return functions.Set{Family: "window", Windows: family} }

// eval computes one partition.
type eval func(ctx context.Context, p *functions.Partition) (column.Column, error)

// noArgs is the Bind of a function without arguments.
func noArgs(name string, result *types.Type, f eval) func(*functions.Env, []functions.Arg) (*functions.BoundWindow, error) {
	return func(_ *functions.Env, args []functions.Arg) (*functions.BoundWindow, error) {
		if len(args) > 0 {
			return nil, wrongCount(name)
		}
		return &functions.BoundWindow{Name: name, Result: result, Eval: f}, nil
	}
}

func wrongCount(name string) error {
	return cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of arguments for window function %s", name)
}

// ints gives the rows of an integer column as int64.
func ints(c column.Column) ([]int64, bool) {
	switch c := column.Full(c).(type) {
	case *column.Fixed[uint8]:
		return widen(c.Values), true
	case *column.Fixed[uint16]:
		return widen(c.Values), true
	case *column.Fixed[uint32]:
		return widen(c.Values), true
	case *column.Fixed[uint64]:
		return widen(c.Values), true
	case *column.Fixed[int8]:
		return widen(c.Values), true
	case *column.Fixed[int16]:
		return widen(c.Values), true
	case *column.Fixed[int32]:
		return widen(c.Values), true
	case *column.Fixed[int64]:
		return widen(c.Values), true
	}
	return nil, false
}

func widen[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](v []T) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}
