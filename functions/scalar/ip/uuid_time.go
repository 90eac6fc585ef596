package ip

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "UUIDv7ToDateTime", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "UUIDv7ToDateTime(uuid[, zone])", Summary: "The time in a UUID of version 7.", Examples: []string{"SELECT UUIDv7ToDateTime(toUUID('018f05c9-4ab8-7b86-b64e-c9f03fbd45d1'))"}},
		Bind: bindUUIDTime,
	})
	_ = add(functions.Scalar{
		Name: "dateTimeToUUIDv7", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "dateTimeToUUIDv7(t)", Summary: "A UUID of version 7 of a time, random behind it.", Examples: []string{"SELECT UUIDv7ToDateTime(dateTimeToUUIDv7(toDateTime('2021-08-15 18:57:56')))"}},
		Bind: bindTimeUUID,
	})
)

func bindUUIDTime(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() != types.KindUUID {
		return nil, kernel.WrongType("UUIDv7ToDateTime", 0, args[0].Type)
	}
	result := types.DateTime64(3, "", nil)
	if len(args) > 1 {
		zone, ok := args[1].ConstString()
		if !ok {
			return nil, kernel.NotConst("UUIDv7ToDateTime", 1)
		}
		loc, err := types.LoadZone(zone)
		if err != nil {
			return nil, err
		}
		result = types.DateTime64(3, zone, loc)
	}
	return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
		in := column.Values[types.U128](column.Full(args[0]))
		return kernel.Each(rows, func(i int) int64 {
			if in[i].Hi>>12&0xf != 7 {
				return 0
			}
			return int64(in[i].Hi >> 16)
		}), nil
	}), nil
}

func bindTimeUUID(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() != types.KindDateTime {
		return nil, kernel.WrongType("dateTimeToUUIDv7", 0, args[0].Type)
	}
	f := kernel.Fn(types.UUID, func(args []column.Column, rows int) (column.Column, error) {
		in := column.Values[uint32](column.Full(args[0]))
		return kernel.Each(rows, func(i int) types.U128 {
			return types.U128{Hi: uint64(in[i])*1000<<16 | 0x7000 | env.Random()&0xfff, Lo: env.Random()&^(3<<62) | 1<<63}
		}), nil
	})
	f.Volatile, f.KeepForms = true, true
	return f, nil
}
