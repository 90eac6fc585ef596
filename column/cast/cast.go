package cast

import (
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// Options vary a conversion. They are not written to.
type Options struct {
	Zone *time.Location // the session's, nil is UTC
	// Accurate refuses values that the target cannot hold exactly.
	Accurate bool
	// BasicTimes: text is a time only in its one fixed form.
	BasicTimes bool
	// Year stands for one that a text of a time leaves out.
	Year int
	// KeepText: a text that becomes a Variant with String among its types stays
	// a text; else it is read as the first type that takes it.
	KeepText bool
	// Overflow is what becomes of a date or time that the target does not reach.
	Overflow Overflow
}

// Overflow is a value of the setting date_time_overflow_behavior.
type Overflow uint8

// Ignore cuts the number's bits off, Throw is an error, Saturate gives the
// nearest that there is.
const (
	Ignore Overflow = iota
	Throw
	Saturate
)

// OverflowOf reads the setting's word.
func OverflowOf(word string) Overflow {
	switch word {
	case "throw":
		return Throw
	case "saturate":
		return Saturate
	}
	return Ignore
}

// Func converts a column of any form; the result is full, or a Const or Dict
// where the argument was one and no error depends on it.
type Func func(c column.Column) (column.Column, error)

// TryFunc converts what it can; failed has 1 for the rows that it could not,
// nil when there are none. Under a failed row stands the default.
type TryFunc func(c column.Column) (values column.Column, failed []uint8, err error)

// kernel converts a full column. With bad nil the first value that cannot be
// converted is an error; else it is marked there and becomes the default.
type kernel func(c column.Column, bad *failures) (column.Column, error)

// failures marks rows.
type failures struct {
	rows int
	mask []uint8
}

func (f *failures) mark(row int) {
	if f.mask == nil {
		f.mask = make([]uint8, f.rows)
	}
	f.mask[row] = 1
}

// fail marks a row, or hands back the error when nobody collects.
func (f *failures) fail(row int, err error) error {
	if f == nil {
		return err
	}
	f.mark(row)
	return nil
}

// Bind chooses the conversion between two types.
func Bind(from, to *types.Type, o *Options) (Func, error) {
	b := &binder{o: o}
	b.init()
	k, err := b.bind(from, to)
	if err != nil {
		return nil, err
	}
	return func(c column.Column) (column.Column, error) { return apply(k, c) }, nil
}

// Column converts one column.
func Column(c column.Column, from, to *types.Type, o *Options) (column.Column, error) {
	if from.Equal(to) {
		return c, nil
	}
	f, err := Bind(from, to, o)
	if err != nil {
		return nil, err
	}
	return f(c)
}

// apply keeps Const and Dict: an entry that fails may be one that no row uses.
func apply(k kernel, c column.Column) (column.Column, error) {
	switch x := c.(type) {
	case *column.Const:
		if x.N == 0 {
			return k(x.Value.Slice(0, 0), nil)
		}
		v, err := k(x.Value, nil)
		if err != nil {
			return nil, err
		}
		return column.NewConst(v, x.N), nil
	case *column.Dict:
		if x.Values.Len() <= len(x.Codes) {
			if v, err := k(x.Values, nil); err == nil {
				return &column.Dict{Codes: x.Codes, Values: v}, nil
			}
		}
		return k(column.Full(x), nil)
	}
	return k(c, nil)
}

// BindTry chooses the conversion that marks values which cannot be converted;
// neither type is Nullable.
func BindTry(from, to *types.Type, o *Options) (TryFunc, error) {
	b := &binder{o: o, try: true}
	b.init()
	k, err := b.bind(from, to)
	if err != nil {
		return nil, err
	}
	return func(c column.Column) (column.Column, []uint8, error) {
		c = column.Full(c)
		bad := &failures{rows: c.Len()}
		v, err := k(c, bad)
		return v, bad.mask, err
	}, nil
}

type binder struct {
	o   *Options
	o2  text.Options // for reading and printing
	try bool
}

func (b *binder) init() {
	if b.o == nil {
		b.o = &Options{}
	}
	b.o2 = text.Options{Zone: b.o.Zone, BasicTimes: b.o.BasicTimes, Year: b.o.Year, Checked: b.try || b.o.Accurate}
}

func (b *binder) zone(t *types.Type) *time.Location {
	switch {
	case t.Location() != nil:
		return t.Location()
	case b.o.Zone != nil:
		return b.o.Zone
	}
	return time.UTC
}

func identity(c column.Column, _ *failures) (column.Column, error) { return c, nil }

// bind chooses by the target; wrappers first.
func (b *binder) bind(from, to *types.Type) (kernel, error) {
	from, to = plain(from), plain(to)
	if from.Equal(to) {
		return identity, nil
	}
	switch {
	case to.Kind() == types.KindVariant:
		return b.toVariant(from, to)
	case to.Kind() == types.KindDynamic:
		return b.toDynamic(from)
	case from.Kind() == types.KindVariant || from.Kind() == types.KindDynamic:
		return b.fromVariant(from, to)
	case to.Kind() == types.KindNullable:
		return b.toNullable(from, to)
	}
	if from.Kind() == types.KindNullable {
		return b.fromNullable(from, to)
	}
	if from.Kind() == types.KindNothing {
		return func(c column.Column, _ *failures) (column.Column, error) { return column.Default(to, c.Len()), nil }, nil
	}
	switch to.Kind() {
	case types.KindString:
		return b.toString(from)
	case types.KindFixedString:
		return b.toFixedString(from, to)
	}
	if from.IsString() {
		return b.parse(from, to)
	}
	switch to.Kind() {
	case types.KindArray:
		return b.toArray(from, to)
	case types.KindTuple:
		return b.toTuple(from, to)
	case types.KindMap:
		return b.toMap(from, to)
	case types.KindJSON:
		return b.toJSON(from, to)
	}
	return b.scalar(from, to)
}

// plain removes what does not change a value.
func plain(t *types.Type) *types.Type {
	for t.Kind() == types.KindLowCardinality || t.Kind() == types.KindSimpleAggregateFunction {
		t = t.Elem()
	}
	return t
}

// scalar converts among numbers, dates, times, enums and addresses.
func (b *binder) scalar(from, to *types.Type) (kernel, error) {
	switch from.Kind() {
	case types.KindArray, types.KindTuple, types.KindMap, types.KindAggregateFunction:
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function to%s", from, to)
	}
	var k kernel
	switch {
	case to.IsEnum():
		k = b.toEnum(from, to)
	case to.IsDateOrTime(), to.Kind() == types.KindTime, to.Kind() == types.KindTime64:
		k = b.toTime(from, to)
	case to.IsDecimal():
		k = b.toDecimal(from, to)
	case to.Kind() == types.KindUUID || to.Kind() == types.KindIPv4 || to.Kind() == types.KindIPv6 ||
		from.Kind() == types.KindUUID || from.Kind() == types.KindIPv4 || from.Kind() == types.KindIPv6:
		return b.address(from, to)
	case to.IsNativeNumber(), to.Kind() == types.KindInterval:
		k = b.toNumber(from, to)
	}
	if k == nil {
		return nil, cherr.New(cherr.CannotConvertType, "Conversion from %s to %s is not supported", from, to)
	}
	return k, nil
}
