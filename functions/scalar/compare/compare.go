package compare

import (
	"cmp"
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var names = [...]struct{ name, sign string }{
	eq: {"equals", "="}, ne: {"notEquals", "!="}, lt: {"less", "<"}, gt: {"greater", ">"}, le: {"lessOrEquals", "<="}, ge: {"greaterOrEquals", ">="},
}

var _ = addComparisons()

func addComparisons() struct{} {
	for i, n := range names {
		o := op(i)
		add(functions.Scalar{
			Name: n.name, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{
				Syntax: n.name + "(a, b)", Summary: "Compares two values; also a " + n.sign + " b.",
				Examples: []string{"SELECT 1 " + n.sign + " 2"},
			},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) { return bind(env, o, args) },
		})
	}
	return struct{}{}
}

func illegal(o op, args []functions.Arg) error {
	return cherr.New(cherr.IllegalTypeOfArgument, "Illegal types of arguments (`%s`, `%s`) of function `%s`", args[0].Type, args[1].Type, names[o].name)
}

func bind(env *functions.Env, o op, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	if a.Kind() == types.KindTuple && b.Kind() == types.KindTuple {
		return bindTuples(env, o, args)
	}
	k, err := choose(env, o, args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.UInt8, Kernel: k}, nil
}

// choose picks the kernel for two types that are not tuples.
func choose(env *functions.Env, o op, args []functions.Arg) (kernel, error) { // long: the rules in their order
	a, b := args[0].Type, args[1].Type
	switch {
	case a.IsString() && b.IsString():
		return strings(o, a.Kind() != types.KindString || b.Kind() != types.KindString), nil
	case a.IsString() && !b.IsString():
		k, err := withString(env, flipped[o], args[1], args[0])
		if err != nil {
			return nil, err
		}
		return exchanged(k), nil
	case b.IsString():
		return withString(env, o, args[0], args[1])
	}
	if a.Kind() == types.KindInterval && b.Kind() == types.KindInterval && a.Interval() != b.Interval() {
		return intervals(o, a, b)
	}
	an, bn := asNumber(a), asNumber(b)
	if an != nil && bn != nil {
		return numeric(o, an, bn), nil
	}
	switch {
	case a.IsDateOrTime() && b.IsDateOrTime(), isClock(a) && isClock(b):
		return times(env, o, a, b)
	case a.Kind() == types.KindDateTime && bn != nil:
		return numeric(o, types.UInt32, bn), nil
	case b.Kind() == types.KindDateTime && an != nil:
		return numeric(o, an, types.UInt32), nil
	case isAddress(a) && isAddress(b):
		return common(env, o, a, b, types.IPv6)
	case a.IsEnum() && b.IsEnum():
		if a.Equal(b) {
			return ordered(o, anyOrder), nil
		}
		return common(env, o, a, b, types.String)
	case a.Equal(b) && a.Kind() != types.KindAggregateFunction:
		return ordered(o, anyOrder), nil
	case a.Kind() == b.Kind() && (a.Kind() == types.KindArray || a.Kind() == types.KindMap):
		super, err := types.Super(a, b)
		if err != nil {
			return nil, illegal(o, args)
		}
		return common(env, o, a, b, super)
	}
	return nil, illegal(o, args)
}

func isClock(t *types.Type) bool { return t.Kind() == types.KindTime || t.Kind() == types.KindTime64 }

func isAddress(t *types.Type) bool { return t.Kind() == types.KindIPv4 || t.Kind() == types.KindIPv6 }

// asNumber gives the number that a type compares as, nil if none.
func asNumber(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.KindEnum8:
		return types.Int8
	case types.KindEnum16:
		return types.Int16
	case types.KindInterval:
		return types.Int64
	case types.KindIPv4:
		return types.UInt32
	}
	if t.IsNumber() {
		return t
	}
	return nil
}

func exchanged(k kernel) kernel {
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, []column.Column{args[1], args[0]}, rows)
	}
}

// withString compares with a string: a constant is read as a value of the
// other type, a column only compares with an Enum's names.
func withString(env *functions.Env, o op, other, str functions.Arg) (kernel, error) {
	t := other.Type
	if str.Const == nil {
		if t.IsEnum() {
			return common(env, o, t, str.Type, types.String)
		}
		return nil, cherr.New(cherr.NoCommonType, "There is no supertype for types %s, %s", t, str.Type)
	}
	switch t.Kind() {
	case types.KindArray, types.KindTuple, types.KindMap, types.KindAggregateFunction:
		return nil, illegal(o, []functions.Arg{other, str})
	}
	if t.IsEnum() {
		name, _ := str.ConstString()
		if _, known := t.Enum().Value(name); !known {
			return common(env, o, t, str.Type, types.String)
		}
	}
	if t.IsInteger() {
		s, _ := str.ConstString()
		fits, ok := functions.IntegerText(s, t)
		if !ok {
			return nil, cherr.New(cherr.TypeMismatch, "Cannot convert string '%s' to type %s", s, t)
		}
		if !fits {
			return never(o), nil
		}
	}
	v, err := cast.Column(column.Full(str.Const), str.Type, t, &cast.Options{Zone: env.Zone})
	if err != nil {
		return nil, cherr.Wrap(err, "converting a constant to %s", t)
	}
	k, err := choose(env, o, []functions.Arg{other, {Type: t, Const: v}})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, []column.Column{args[0], column.NewConst(v, rows)}, rows)
	}, nil
}

// never compares with a constant that the other side's type does not hold: it
// only differs.
func never(o op) kernel {
	v := uint8(0)
	if o == ne {
		v = 1
	}
	return func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		return column.NewConst(column.NewFixed([]uint8{v}), rows), nil
	}
}

// common converts both sides to a type and compares there.
func common(env *functions.Env, o op, a, b, super *types.Type) (kernel, error) {
	opt := &cast.Options{Zone: env.Zone}
	x, err := cast.Bind(a, super, opt)
	if err != nil {
		return nil, err
	}
	y, err := cast.Bind(b, super, opt)
	if err != nil {
		return nil, err
	}
	inner := ordered(o, anyOrder)
	if super.Kind() == types.KindString {
		inner = strings(o, false)
	}
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		l, err := x(args[0])
		if err != nil {
			return nil, err
		}
		r, err := y(args[1])
		if err != nil {
			return nil, err
		}
		return inner(ctx, []column.Column{l, r}, rows)
	}, nil
}

// times compares dates and times by what they mean: a Date is its midnight.
func times(env *functions.Env, o op, a, b *types.Type) (kernel, error) {
	if a.Kind() == b.Kind() && a.Scale() == b.Scale() {
		return sameForm(o, a), nil
	}
	var super *types.Type
	switch days := func(t *types.Type) bool { return t.Kind() == types.KindDate || t.Kind() == types.KindDate32 }; {
	case days(a) && days(b):
		super = types.Date32
	case isClock(a):
		super = types.Time64(max(a.Scale(), b.Scale()))
	default:
		zoned := a
		if days(a) {
			zoned = b
		}
		super = types.DateTime64(max(a.Scale(), b.Scale()), zoned.Zone(), zoned.Location())
	}
	opt := &cast.Options{Zone: env.Zone}
	x, err := cast.Bind(a, super, opt)
	if err != nil {
		return nil, err
	}
	y, err := cast.Bind(b, super, opt)
	if err != nil {
		return nil, err
	}
	inner := sameForm(o, super)
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		l, err := x(args[0])
		if err != nil {
			return nil, err
		}
		r, err := y(args[1])
		if err != nil {
			return nil, err
		}
		return inner(ctx, []column.Column{l, r}, rows)
	}, nil
}

// sameForm compares two columns of one physical form of up to 64 bits.
func sameForm(o op, t *types.Type) kernel {
	switch t.Physical() {
	case types.PhysUInt8:
		return numbers[uint8](o, types.UInt8, types.UInt8)
	case types.PhysUInt16:
		return numbers[uint16](o, types.UInt16, types.UInt16)
	case types.PhysUInt32:
		return numbers[uint32](o, types.UInt32, types.UInt32)
	case types.PhysUInt64:
		return numbers[uint64](o, types.UInt64, types.UInt64)
	case types.PhysInt8:
		return numbers[int8](o, types.Int8, types.Int8)
	case types.PhysInt16:
		return numbers[int16](o, types.Int16, types.Int16)
	case types.PhysInt32:
		return numbers[int32](o, types.Int32, types.Int32)
	case types.PhysInt64:
		return numbers[int64](o, types.Int64, types.Int64)
	case types.PhysFloat32:
		return numbers[float32](o, types.Float32, types.Float32)
	case types.PhysFloat64:
		return numbers[float64](o, types.Float64, types.Float64)
	}
	return ordered(o, anyOrder)
}

// numeric compares numbers exactly, whatever their widths and signs.
func numeric(o op, a, b *types.Type) kernel {
	switch {
	case a.Kind() == b.Kind() && a.Scale() == b.Scale() && a.Kind() != types.KindBFloat16:
		return sameForm(o, a)
	case a.IsDecimal() || b.IsDecimal():
		if a.IsFloat() || b.IsFloat() {
			return numbers[float64](o, a, b)
		}
		return decimals(o, a, b)
	case a.IsFloat() && b.IsFloat():
		return numbers[float64](o, a, b)
	case a.IsFloat():
		return exchanged(intsAndFloats(flipped[o], b, a))
	case b.IsFloat():
		return intsAndFloats(o, a, b)
	}
	signed := a.IsSigned() || b.IsSigned()
	widest := max(a.Bytes(), b.Bytes())
	switch {
	case widest > 8:
		return wide(o)
	case !signed && widest <= 4:
		return numbers[uint32](o, a, b)
	case !signed:
		return numbers[uint64](o, a, b)
	case widest <= 4 && !(a.IsUnsigned() && a.Bytes() == 4) && !(b.IsUnsigned() && b.Bytes() == 4):
		return numbers[int32](o, a, b)
	case a.Kind() == types.KindUInt64:
		return exchanged(mixedSigns(flipped[o], b, a))
	case b.Kind() == types.KindUInt64:
		return mixedSigns(o, a, b)
	}
	return numbers[int64](o, a, b)
}

// mixedSigns compares signed integers with UInt64. Beside a constant that
// Int64 can hold it is a comparison in Int64.
func mixedSigns(o op, a, b *types.Type) kernel {
	signed, general := numbers[int64](o, a, types.Int64), wide(o)
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		if k, ok := args[1].(*column.Const); ok {
			if v := column.Values[uint64](k.Value)[0]; v <= math.MaxInt64 {
				return signed(ctx, []column.Column{args[0], &column.Const{Value: column.NewFixed([]int64{int64(v)}), N: k.N}}, rows)
			}
		}
		return general(ctx, args, rows)
	}
}

// intsAndFloats is exact: a float64 does not hold every Int64.
func intsAndFloats(o op, a, b *types.Type) kernel {
	if a.Bytes() <= 4 {
		return numbers[float64](o, a, b)
	}
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, sameX := full(args[0], rows)
		y, sameY := full(args[1], rows)
		words, signed := cast.Words(x)
		floats := cast.Floats(y, b)
		out := make([]uint8, rows)
		for i := range out {
			w, f := words[place(i, sameX)], floats[place(i, sameY)]
			if f != f {
				out[i] = bit(o == ne)
				continue
			}
			out[i] = bit(o.holds(compareWordsFloat(w, signed, f)))
		}
		return column.NewFixed(out), nil
	}
}

func compareWordsFloat(w types.I256, signed bool, f float64) int {
	limit := math.Ldexp(1, 255)
	switch {
	case !signed && f < 0:
		return 1
	case !signed && w.Negative(): // an unsigned value of 256 bits
		return cmp.Compare(types.U256(w).Float64(), f)
	case f >= limit:
		return -1
	case f < -limit:
		return 1
	}
	whole := math.Floor(f)
	if r := w.Cmp(types.I256FromFloat(whole)); r != 0 || f == whole {
		return r
	}
	return -1 // equal to the whole part, and the fraction is above
}

// wide compares integers in 256 bits.
func wide(o op) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, sameX := full(args[0], rows)
		y, sameY := full(args[1], rows)
		v, signedV := cast.Words(x)
		w, signedW := cast.Words(y)
		out := make([]uint8, rows)
		for i := range out {
			out[i] = bit(o.holds(compareWords(v[place(i, sameX)], signedV, w[place(i, sameY)], signedW)))
		}
		return column.NewFixed(out), nil
	}
}

func compareWords(a types.I256, signedA bool, b types.I256, signedB bool) int {
	negA, negB := signedA && a.Negative(), signedB && b.Negative()
	switch {
	case negA && !negB:
		return -1
	case negB && !negA:
		return 1
	}
	return types.U256(a).Cmp(types.U256(b))
}

// bothInt64 gives the unscaled values of a column of the greater scale and of a
// constant beside it, where Int64 holds both.
func bothInt64(args []column.Column, a, b *types.Type, scale int) (x, y column.Column, ok bool) {
	one := func(c column.Column, t *types.Type) column.Column {
		k, constant := c.(*column.Const)
		if t.Bytes() > 8 || !constant && t.Scale() != scale {
			return nil
		}
		if constant {
			c = k.Value
		}
		if t.Kind() == types.KindUInt64 {
			return nil
		}
		v := cast.Native[int64](c)
		if !constant {
			return column.NewFixed(v)
		}
		for range scale - t.Scale() {
			if v[0] > math.MaxInt64/10 || v[0] < math.MinInt64/10 {
				return nil
			}
			v = []int64{v[0] * 10}
		}
		return &column.Const{Value: column.NewFixed(v), N: k.N}
	}
	if x = one(args[0], a); x == nil {
		return nil, nil, false
	}
	y = one(args[1], b)
	return x, y, y != nil
}

// decimals compares Decimals and integers at the greater scale.
func decimals(o op, a, b *types.Type) kernel {
	scale := max(a.Scale(), b.Scale())
	short := a.Bytes() <= 4 && b.Bytes() <= 4 && scale <= 9
	form := types.Decimal(76, scale)
	if short {
		form = types.Decimal(18, scale)
	}
	bring := func(c column.Column, t *types.Type) (column.Column, error) {
		k, constant := c.(*column.Const)
		if constant {
			c = k.Value
		}
		v, err := cast.Rescale(c, t.Scale(), form)
		if err != nil {
			return nil, cherr.New(cherr.DecimalOverflow, "Can't compare")
		}
		if constant {
			return &column.Const{Value: v, N: k.N}, nil
		}
		return v, nil
	}
	inner := wide(o)
	if short {
		inner = numbers[int64](o, types.Int64, types.Int64)
	}
	inInt64 := numbers[int64](o, types.Int64, types.Int64)
	return func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		if x, y, ok := bothInt64(args, a, b, scale); ok {
			return inInt64(ctx, []column.Column{x, y}, rows)
		}
		x, err := bring(args[0], a)
		if err != nil {
			return nil, err
		}
		y, err := bring(args[1], b)
		if err != nil {
			return nil, err
		}
		return inner(ctx, []column.Column{x, y}, rows)
	}
}
