package dates

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = add(functions.Scalar{
	Name: "timeSlots", MinArgs: 2, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "timeSlots(start, duration[, size])", Summary: "The beginnings of the slots of size seconds (1800) that a time and a duration behind it touch.", Examples: []string{"SELECT timeSlots(toDateTime('2000-01-02 03:04:05', 'UTC'), toUInt32(600))"}},
	Bind: bindSlots,
})

// maxSlots bounds the slots of one row.
const maxSlots = 1 << 24

func bindSlots(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	const name = "timeSlots"
	t, fine := args[0].Type, func(t *types.Type) bool { return t.Kind() == types.KindUInt32 }
	switch t.Kind() {
	case types.KindDateTime64:
		fine = func(t *types.Type) bool { return t.IsDecimal() && t.Bytes() == 8 }
	case types.KindDateTime:
	default:
		return nil, kernel.WrongType(name, 0, t)
	}
	if !fine(args[1].Type) {
		return nil, kernel.WrongType(name, 1, args[1].Type)
	}
	scale, size := max(t.Scale(), args[1].Type.Scale()), int64(1800)
	if len(args) == 3 {
		a := args[2]
		if !a.Type.IsInteger() && !(a.Type.IsDecimal() && a.Type.Bytes() <= 8) {
			return nil, kernel.WrongType(name, 2, a.Type)
		}
		if a.Const == nil {
			return nil, kernel.NotConst(name, 2)
		}
		scale = max(scale, a.Type.Scale())
		size = scaleTo(ticksOf(a.Const)[0], a.Type.Scale(), scale)
		if size <= 0 {
			return nil, cherr.New(cherr.IllegalColumn, "The third argument of function %s must be greater than zero", name)
		}
	} else {
		size = scaleTo(size, 0, scale)
	}
	elem := t
	if t.Kind() == types.KindDateTime64 {
		elem = types.DateTime64(scale, t.Zone(), t.Location())
	}
	digits := args[1].Type.Scale()
	return &expr.Function{Result: types.Array(elem), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		start, duration := ticksOf(column.Full(args[0])), ticksOf(column.Full(args[1]))
		out := kernel.NewNumArray[int64](rows)
		for i := range rows {
			from := scaleTo(start[i], t.Scale(), scale)
			first := civil.FloorDiv(from, size)
			last := civil.FloorDiv(from+scaleTo(duration[i], digits, scale), size)
			if last-first >= maxSlots {
				return nil, cherr.New(cherr.TooLargeArraySize, "Too many slots in function %s", name)
			}
			if err := expr.Room(ctx, (last-first)*8); err != nil {
				return nil, err
			}
			for s := first; s <= last; s++ {
				out.Elems = append(out.Elems, s*size)
			}
			out.End()
		}
		a := out.Column().(*column.Array)
		return &column.Array{Offsets: a.Offsets, Elems: integers(out.Elems, elem)}, nil
	}}, nil
}
