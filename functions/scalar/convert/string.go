package convert

import (
	"bytes"
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "toString", KeepVariants: true, MinArgs: 1, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "toString(x[, zone])", Summary: "The text of a value; times as the zone's clock shows them.", Examples: []string{"SELECT toString(1)"}},
	Bind: bindToString,
})

func bindToString(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	from := args[0].Type
	if len(args) == 2 {
		if from.Kind() != types.KindDateTime && from.Kind() != types.KindDateTime64 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "An incorrect number of arguments was specified for function 'toString'. Expected 1 argument, got 2")
		}
		if args[1].Const == nil {
			return zonedText(from)
		}
		zone, err := zoneOf(env, from, args[1:])
		if err != nil {
			return nil, err
		}
		if from, err = inZone(from, zone); err != nil {
			return nil, err
		}
	}
	convert, err := cast.Bind(from, types.String, options(env, false))
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return convert(args[0])
	}}, nil
}

// inZone is a DateTime or DateTime64 type in another zone.
func inZone(t *types.Type, zone string) (*types.Type, error) {
	loc, err := types.LoadZone(zone)
	if err != nil {
		return nil, err
	}
	if t.Kind() == types.KindDateTime64 {
		return types.DateTime64(t.Scale(), zone, loc), nil
	}
	return types.DateTimeIn(zone, loc), nil
}

// zonedText prints each row in the zone that its row names.
func zonedText(from *types.Type) (*expr.Function, error) {
	return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c, zones := column.Full(args[0]), column.Full(args[1]).(*column.Str)
		known := map[string]cast.Func{}
		out := &column.Str{}
		for i := range rows {
			name := zones.StringAt(i)
			f := known[name]
			if f == nil {
				t, err := inZone(from, name)
				if err != nil {
					return nil, err
				}
				if f, err = cast.Bind(t, types.String, nil); err != nil {
					return nil, err
				}
				known[name] = f
			}
			v, err := f(c.Slice(i, i+1))
			if err != nil {
				return nil, err
			}
			out.Append(v.(*column.Str).At(0))
		}
		return out, nil
	}}, nil
}

var _ = add(functions.Scalar{
	Name: "toFixedString", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "toFixedString(s, n)", Summary: "The string padded with zero bytes to n.", Examples: []string{"SELECT toFixedString('a', 3)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		n, ok := args[1].ConstInt()
		if !ok {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument of function toFixedString must be a constant number, got %s", args[1].Type)
		}
		if n < 1 || n > 0xFFFFFF {
			return nil, cherr.New(cherr.ArgumentOutOfBound, "FixedString size must be positive and at most 16777215, got %d", n)
		}
		if !args[0].Type.IsString() {
			return nil, cherr.New(cherr.NotImplemented, "toFixedString is only implemented for types String and FixedString")
		}
		to := types.FixedString(int(n))
		convert, err := cast.Bind(args[0].Type, to, nil)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: to, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			return convert(args[0])
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "toStringCutToZero", MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "toStringCutToZero(s)", Summary: "The bytes before the first zero byte.", Examples: []string{"SELECT toStringCutToZero('ab')"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if !args[0].Type.IsString() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function toStringCutToZero", args[0].Type)
		}
		return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			in := column.Full(args[0]).(*column.Str)
			out := &column.Str{Data: in.Data, Start: in.Start, Lns: make([]uint32, rows)}
			for i := range out.Lns {
				out.Lns[i] = in.Lns[i]
				if at := bytes.IndexByte(in.At(i), 0); at >= 0 {
					out.Lns[i] = uint32(at)
				}
			}
			return out, nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "toLowCardinality", MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "toLowCardinality(x)", Summary: "x as a LowCardinality type.", Examples: []string{"SELECT toLowCardinality('a')"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return &expr.Function{Result: types.LowCardinality(args[0].Type), KeepForms: true, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			return args[0], nil
		}}, nil
	},
})
