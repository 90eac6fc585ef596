package convert

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// target is a type that functions named after it convert to.
type target struct {
	suffix string // of the name: Int8
	t      *types.Type
	scale  bool // has an argument for the scale
	zone   bool // may have an argument for the time zone
	bare   bool // has no OrZero, OrNull, OrDefault
}

var targets = [...]target{
	{suffix: "UInt8", t: types.UInt8},
	{suffix: "UInt16", t: types.UInt16},
	{suffix: "UInt32", t: types.UInt32},
	{suffix: "UInt64", t: types.UInt64},
	{suffix: "UInt128", t: types.UInt128},
	{suffix: "UInt256", t: types.UInt256},
	{suffix: "Int8", t: types.Int8},
	{suffix: "Int16", t: types.Int16},
	{suffix: "Int32", t: types.Int32},
	{suffix: "Int64", t: types.Int64},
	{suffix: "Int128", t: types.Int128},
	{suffix: "Int256", t: types.Int256},
	{suffix: "Float32", t: types.Float32},
	{suffix: "Float64", t: types.Float64},
	{suffix: "BFloat16", t: types.BFloat16},
	{suffix: "Bool", t: types.Bool, bare: true},
	{suffix: "UUID", t: types.UUID},
	{suffix: "IPv4", t: types.IPv4},
	{suffix: "IPv6", t: types.IPv6},
	{suffix: "Decimal32", t: types.Decimal(9, 0), scale: true},
	{suffix: "Decimal64", t: types.Decimal(18, 0), scale: true},
	{suffix: "Decimal128", t: types.Decimal(38, 0), scale: true},
	{suffix: "Decimal256", t: types.Decimal(76, 0), scale: true},
	{suffix: "Date", t: types.Date, zone: true},
	{suffix: "Date32", t: types.Date32, zone: true},
	{suffix: "DateTime", t: types.DateTime, zone: true},
	{suffix: "DateTime32", t: types.DateTime, zone: true},
	{suffix: "DateTime64", t: types.DateTime64(3, "", nil), scale: true, zone: true},
	{suffix: "Time", t: types.Time, zone: true},
	{suffix: "Time64", t: types.Time64(3), scale: true, zone: true},
}

var _ = addTargets()

func addTargets() struct{} {
	for _, t := range targets {
		least, most := 1, 1
		if t.scale {
			least, most = 2, 2
		}
		if t.zone {
			most++
		}
		if t.suffix == "DateTime" {
			most++
		}
		name := "to" + t.suffix
		example := "SELECT " + name + "('" + sample(t) + map[bool]string{true: "', 2)", false: "')"}[t.scale]
		doc := func(of string) functions.Doc {
			return functions.Doc{Syntax: name + of + "(x)", Summary: "x as " + t.t.String() + whatElse[of] + ".", Examples: []string{strings.Replace(example, name, name+of, 1)}}
		}
		var aliases []string
		if t.suffix == "Date" {
			aliases = []string{"DATE"}
		}
		add(functions.Scalar{
			Name: name, Aliases: aliases, MinArgs: least, MaxArgs: most, KeepVariants: true, Doc: doc(""),
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) { return t.bind(env, name, args) },
		})
		if t.bare {
			continue
		}
		add(functions.Scalar{
			Name: name + "OrZero", MinArgs: 1, MaxArgs: most, Doc: doc("OrZero"),
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return t.orZero(env, name+"OrZero", args)
			},
		})
		add(functions.Scalar{
			Name: name + "OrNull", MinArgs: 1, MaxArgs: most, KeepNulls: true, Doc: doc("OrNull"),
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return t.orNull(env, name+"OrNull", args)
			},
		})
		add(functions.Scalar{
			Name: name + "OrDefault", MinArgs: 1, MaxArgs: most + 1, Doc: doc("OrDefault"),
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return t.orDefault(env, name+"OrDefault", args)
			},
		})
	}
	return struct{}{}
}

var whatElse = map[string]string{"OrZero": ", or 0 where the text is none", "OrNull": ", or NULL where the text is none", "OrDefault": ", or a default where it cannot be"}

func sample(t target) string {
	switch {
	case t.t.IsDateOrTime():
		return "2020-01-02"
	case t.t.Kind() == types.KindUUID:
		return "61f0c404-5cb3-11e7-907b-a6006ad3dba0"
	case t.t.Kind() == types.KindIPv4:
		return "127.0.0.1"
	case t.t.Kind() == types.KindIPv6:
		return "::1"
	}
	return "1"
}

// resolve reads scale and zone off the arguments behind the first.
func (t target) resolve(env *functions.Env, name string, args []functions.Arg) (*types.Type, error) {
	rest := args[1:]
	scale := -1
	if len(rest) > 0 && (t.scale || t.suffix == "DateTime" && !types.Unwrap(rest[0].Type).IsString()) {
		v, ok := rest[0].ConstInt()
		if !ok {
			code := cherr.IllegalTypeOfArgument
			if rest[0].Const == nil && types.Unwrap(rest[0].Type).IsInteger() {
				code = cherr.IllegalColumn
			}
			return nil, cherr.New(code, "A value of illegal type was provided as 2nd argument 'scale' to function '%s'. Expected: const Integer, got: %s", name, rest[0].Type)
		}
		scale, rest = int(v), rest[1:]
	} else if t.scale && t.t.IsDecimal() {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "An incorrect number of arguments was specified for function '%s'", name)
	}
	zone, err := zoneOf(env, args[0].Type, rest)
	if err != nil {
		return nil, err
	}
	return t.typeOf(name, scale, zone)
}

// zoneOf is the zone that an argument names, else the one of the value's type.
func zoneOf(env *functions.Env, from *types.Type, rest []functions.Arg) (string, error) {
	if len(rest) == 0 {
		return types.Unwrap(from).Zone(), nil
	}
	zone, ok := rest[0].ConstString()
	if !ok {
		code := cherr.IllegalTypeOfArgument
		if rest[0].Const == nil && types.Unwrap(rest[0].Type).IsString() {
			code = cherr.IllegalColumn
		}
		return "", cherr.New(code, "Illegal type of time zone argument, a constant string is expected, got %s", rest[0].Type)
	}
	return zone, nil
}

func (t target) typeOf(name string, scale int, zone string) (*types.Type, error) {
	if t.t.IsDecimal() {
		if scale < 0 || scale > t.t.Precision() {
			return nil, cherr.New(cherr.ArgumentOutOfBound, "Scale %d is out of bounds (max scale: %d)", scale, t.t.Precision())
		}
		return types.Decimal(t.t.Precision(), scale), nil
	}
	if !t.zone || t.t.Kind() == types.KindTime {
		return t.t, nil
	}
	if scale > 9 || scale < -1 {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Scale %d is too large for DateTime64. Maximum is up to nanoseconds (9).", scale)
	}
	if t.t.Kind() == types.KindTime64 {
		if scale < 0 {
			scale = 3
		}
		return types.Time64(scale), nil
	}
	if zone == "" {
		if t.t.Kind() == types.KindDateTime64 || scale >= 0 {
			if scale < 0 {
				scale = 3
			}
			return types.DateTime64(scale, "", nil), nil
		}
		return t.t, nil
	}
	loc, err := types.LoadZone(zone)
	if err != nil {
		return nil, err
	}
	switch {
	case t.t.Kind() == types.KindDate, t.t.Kind() == types.KindDate32:
		return t.t, nil
	case t.t.Kind() == types.KindDateTime64 || scale >= 0:
		if scale < 0 {
			scale = 3
		}
		return types.DateTime64(scale, zone, loc), nil
	}
	return types.DateTimeIn(zone, loc), nil
}

func (t target) bind(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	to, err := t.resolve(env, name, args)
	if err != nil {
		return nil, err
	}
	from, opt := args[0].Type, options(env, false)
	if (t.t.Kind() == types.KindDate || t.t.Kind() == types.KindDate32) && len(args) > 1 {
		// The zone says where the day begins.
		zone, _ := args[1].ConstString()
		loc, err := types.LoadZone(zone)
		if err != nil {
			return nil, err
		}
		opt.Zone = loc
		switch from.Kind() {
		case types.KindDateTime:
			from = types.DateTime
		case types.KindDateTime64:
			from = types.DateTime64(from.Scale(), "", nil)
		}
	}
	if to.IsDecimal() && (from.IsDateOrTime() && from.Kind() != types.KindDateTime64) {
		return nil, cherr.New(cherr.IllegalColumn, "Illegal column %s of first argument of function %s", from, name)
	}
	convert, err := cast.Bind(from, to, opt)
	if err != nil {
		if from.Kind() == types.KindArray || from.Kind() == types.KindTuple || from.Kind() == types.KindMap {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s", from, name)
		}
		return nil, err
	}
	return &expr.Function{Result: to, Monotonic: monotonic(from, to), Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return convert(args[0])
	}}, nil
}

func needString(name string, a functions.Arg) error {
	if t := types.Unwrap(a.Type); !t.IsString() && t.Kind() != types.KindNothing {
		return cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of first argument of function %s. Conversion functions with postfix 'OrZero' or 'OrNull' should take String argument", a.Type, name)
	}
	return nil
}

func (t target) orNull(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	if err := needString(name, args[0]); err != nil {
		return nil, err
	}
	to, err := t.resolve(env, name, args)
	if err != nil {
		return nil, err
	}
	f, err := orNull(args[0].Type, to, basicTimes(env))
	if err != nil {
		return nil, err
	}
	k := f.Kernel
	f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, args[:1], rows)
	}
	return f, nil
}

func (t target) orZero(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	if err := needString(name, args[0]); err != nil {
		return nil, err
	}
	to, err := t.resolve(env, name, args)
	if err != nil {
		return nil, err
	}
	f, err := orDefault(args[:1], to, basicTimes(env), -1)
	if err != nil {
		return nil, err
	}
	f.KeepNulls = false // of NULL it is NULL
	return f, nil
}

func (t target) orDefault(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	fallback, own := -1, args
	if last := len(args) - 1; last > 0 && !(t.scale && last == 1) && !(t.zone && last == 1 && types.Unwrap(args[last].Type).IsString()) {
		fallback, own = last, args[:last]
	}
	to, err := t.resolve(env, name, own)
	if err != nil {
		return nil, err
	}
	return orDefault(args, to, options(env, true), fallback)
}

// basicTimes: OrNull and OrZero read times in their one form, whatever the setting says.
func basicTimes(env *functions.Env) *cast.Options {
	o := options(env, false)
	o.BasicTimes = true
	return o
}
