package kernel

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// Bind is functions.Scalar's Bind.
type Bind = func(env *functions.Env, args []functions.Arg) (*expr.Function, error)

// Kernel computes rows values of checked arguments.
type Kernel = func(args []column.Column, rows int) (column.Column, error)

// Fn makes a bound function of a kernel that needs no context.
func Fn(result *types.Type, k Kernel) *expr.Function {
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(args, rows)
	}}
}

// Typed binds a function whose arguments fit a pattern of Check and whose
// result type is fixed.
func Typed(name, pattern string, result *types.Type, k Kernel) Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := Check(name, pattern, args); err != nil {
			return nil, err
		}
		return Fn(result, k), nil
	}
}

// TypedIn is Typed for a kernel that asks its context, as for room in memory.
func TypedIn(name, pattern string, result *types.Type, k func(ctx context.Context, args []column.Column, rows int) (column.Column, error)) Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := Check(name, pattern, args); err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, Kernel: k}, nil
	}
}

// StrToStr binds a function of one string: f appends the result to dst, which
// holds other rows already.
func StrToStr(name string, f func(dst, s []byte) []byte) Bind {
	return Typed(name, "s", types.String, func(args []column.Column, rows int) (column.Column, error) {
		return MapStr(Strings(args[0]), rows, f), nil
	})
}

// MapStr applies f to every row; f appends the result to dst.
func MapStr(in Strs, rows int, f func(dst, s []byte) []byte) *column.Str {
	out := NewStr(rows, len(in.Col.Data))
	for i := range rows {
		from := len(out.Data)
		out.Data = f(out.Data, in.At(i))
		out.Seal(from)
	}
	return out
}

// EachStr makes a string a row: f appends the row's bytes to dst.
func EachStr(rows int, f func(dst []byte, i int) []byte) *column.Str {
	out := NewStr(rows, rows*8)
	for i := range rows {
		from := len(out.Data)
		out.Data = f(out.Data, i)
		out.Seal(from)
	}
	return out
}

// NewStr makes an empty column with room; bytes is a guess.
func NewStr(rows, bytes int) *column.Str {
	return &column.Str{Data: make([]byte, 0, min(bytes, 1<<24)), Start: make([]uint32, 0, rows), Lns: make([]uint32, 0, rows)}
}

// StrToFixed binds a function of one string with a fixed-width result.
func StrToFixed[T column.Element](name string, result *types.Type, f func(s []byte) T) Bind {
	return Typed(name, "s", result, func(args []column.Column, rows int) (column.Column, error) {
		in := Strings(args[0])
		return Each(rows, func(i int) T { return f(in.At(i)) }), nil
	})
}

// Each makes a column of f's value for every row.
func Each[T column.Element](rows int, f func(i int) T) *column.Fixed[T] {
	out := make([]T, rows)
	for i := range out {
		out[i] = f(i)
	}
	return column.NewFixed(out)
}

// Bool gives 1 for true.
func Bool(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// StrArray collects an Array(String) column.
type StrArray struct {
	offsets []uint64
	Elems   column.Str
}

// NewStrArray makes an empty one with room for rows.
func NewStrArray(rows int) *StrArray {
	return &StrArray{offsets: make([]uint64, 1, rows+1)}
}

// End ends a row: the strings appended to Elems since the last End are its elements.
func (a *StrArray) End() { a.offsets = append(a.offsets, uint64(a.Elems.Len())) }

// Column gives the rows so far.
func (a *StrArray) Column() column.Column { return &column.Array{Offsets: a.offsets, Elems: &a.Elems} }

// NumArray collects an Array of fixed-width values.
type NumArray[T column.Element] struct {
	offsets []uint64
	Elems   []T
}

// NewNumArray makes an empty one with room for rows.
func NewNumArray[T column.Element](rows int) *NumArray[T] {
	return &NumArray[T]{offsets: make([]uint64, 1, rows+1)}
}

// End ends a row.
func (a *NumArray[T]) End() { a.offsets = append(a.offsets, uint64(len(a.Elems))) }

// Column gives the rows so far.
func (a *NumArray[T]) Column() column.Column {
	return &column.Array{Offsets: a.offsets, Elems: column.NewFixed(a.Elems)}
}
