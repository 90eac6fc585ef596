package format

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// arrowSchema gives the schema of a header.
func arrowSchema(h column.Header, o *Options) (*arrow.Schema, error) {
	fields := make([]arrow.Field, len(h))
	for i, f := range h {
		var err error
		if fields[i], err = arrowField(f.Name, f.Type, o); err != nil {
			return nil, err
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

func arrowField(name string, t *types.Type, o *Options) (arrow.Field, error) {
	dt, err := arrowType(t, o)
	null := t.IsNullable() || types.Unwrap(t).Kind() == types.KindNothing
	return arrow.Field{Name: name, Type: dt, Nullable: null}, err
}

// plainArrow are the types that need no parameters. Those without a relative
// in Arrow go as their bytes.
var plainArrow = map[types.Kind]arrow.DataType{
	types.KindNothing: arrow.Null, types.KindBool: arrow.FixedWidthTypes.Boolean,
	types.KindUInt8: arrow.PrimitiveTypes.Uint8, types.KindUInt16: arrow.PrimitiveTypes.Uint16,
	types.KindUInt32: arrow.PrimitiveTypes.Uint32, types.KindUInt64: arrow.PrimitiveTypes.Uint64,
	types.KindInt8: arrow.PrimitiveTypes.Int8, types.KindInt16: arrow.PrimitiveTypes.Int16,
	types.KindInt32: arrow.PrimitiveTypes.Int32, types.KindInt64: arrow.PrimitiveTypes.Int64,
	types.KindFloat32: arrow.PrimitiveTypes.Float32, types.KindFloat64: arrow.PrimitiveTypes.Float64,
	types.KindBFloat16: arrow.PrimitiveTypes.Float32,
	types.KindDate:     arrow.FixedWidthTypes.Date32, types.KindDate32: arrow.FixedWidthTypes.Date32,
	types.KindDateTime: arrow.PrimitiveTypes.Uint32, types.KindIPv4: arrow.PrimitiveTypes.Uint32,
	types.KindEnum8: arrow.PrimitiveTypes.Int8, types.KindEnum16: arrow.PrimitiveTypes.Int16,
	types.KindInterval: arrow.PrimitiveTypes.Int64, types.KindTime: arrow.FixedWidthTypes.Time32s,
	types.KindIPv6: &arrow.FixedSizeBinaryType{ByteWidth: 16}, types.KindInt128: &arrow.FixedSizeBinaryType{ByteWidth: 16},
	types.KindUInt128: &arrow.FixedSizeBinaryType{ByteWidth: 16}, types.KindInt256: &arrow.FixedSizeBinaryType{ByteWidth: 32},
	types.KindUInt256: &arrow.FixedSizeBinaryType{ByteWidth: 32}, types.KindUUID: extensions.NewUUIDType(),
	types.KindJSON: arrow.BinaryTypes.String, types.KindAggregateFunction: arrow.BinaryTypes.Binary,
}

func arrowType(t *types.Type, o *Options) (arrow.DataType, error) {
	if dt, ok := plainArrow[t.Kind()]; ok {
		return dt, nil
	}
	switch t.Kind() {
	case types.KindNullable, types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return arrowType(t.Elem(), o)
	case types.KindString:
		if o.Settings.Bool("output_format_arrow_string_as_string") {
			return arrow.BinaryTypes.String, nil
		}
		return arrow.BinaryTypes.Binary, nil
	case types.KindFixedString:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.Length()}, nil
	case types.KindDateTime64:
		return &arrow.TimestampType{Unit: arrowUnit(t.Scale()), TimeZone: zoneName(t, o)}, nil
	case types.KindTime64:
		switch {
		case t.Scale() == 0:
			return arrow.FixedWidthTypes.Time32s, nil
		case t.Scale() <= 3:
			return arrow.FixedWidthTypes.Time32ms, nil
		case t.Scale() <= 6:
			return arrow.FixedWidthTypes.Time64us, nil
		}
		return arrow.FixedWidthTypes.Time64ns, nil
	case types.KindDecimal32, types.KindDecimal64, types.KindDecimal128:
		return &arrow.Decimal128Type{Precision: int32(t.Precision()), Scale: int32(t.Scale())}, nil
	case types.KindDecimal256:
		return &arrow.Decimal256Type{Precision: int32(t.Precision()), Scale: int32(t.Scale())}, nil
	case types.KindArray:
		f, err := arrowField("item", t.Elem(), o)
		return arrow.ListOfField(f), err
	case types.KindMap:
		return arrowMapType(t, o)
	case types.KindTuple:
		fields := make([]arrow.Field, len(t.Elems()))
		for i, e := range t.Elems() {
			var err error
			if fields[i], err = arrowField(tupleElement(t, i), e, o); err != nil {
				return nil, err
			}
		}
		return arrow.StructOf(fields...), nil
	}
	return nil, cherr.New(cherr.UnknownType, "The type \"%s\" is not supported for conversion into Arrow data format", t)
}

func arrowMapType(t *types.Type, o *Options) (arrow.DataType, error) {
	k, err := arrowType(t.Elems()[0], o)
	if err != nil {
		return nil, err
	}
	v, err := arrowField("value", t.Elems()[1], o)
	if err != nil {
		return nil, err
	}
	m := arrow.MapOf(k, v.Type)
	m.SetItemNullable(v.Nullable)
	return m, nil
}

// arrowUnit gives the narrowest unit that holds a number of fraction digits.
func arrowUnit(scale int) arrow.TimeUnit {
	switch {
	case scale == 0:
		return arrow.Second
	case scale <= 3:
		return arrow.Millisecond
	case scale <= 6:
		return arrow.Microsecond
	}
	return arrow.Nanosecond
}

func unitDigits(u arrow.TimeUnit) int { return 3 * int(u-arrow.Second) }

func zoneName(t *types.Type, o *Options) string {
	if t.Zone() != "" {
		return t.Zone()
	}
	if o.Text.Zone != nil {
		return o.Text.Zone.String()
	}
	return "UTC"
}

// typeOfArrow gives the type as which a field is read.
func typeOfArrow(f arrow.Field) (*types.Type, error) {
	t, err := typeOfArrowData(f.Type)
	if err != nil {
		return nil, cherr.Wrap(err, "reading Arrow column '%s'", f.Name)
	}
	if f.Nullable && t.CanBeNullable() {
		t = types.Nullable(t)
	}
	return t, nil
}

func typeOfArrowData(dt arrow.DataType) (*types.Type, error) { // long: one case a type
	switch d := dt.(type) {
	case *arrow.NullType:
		return types.NullableNothing, nil
	case *arrow.BooleanType:
		return types.Bool, nil
	case *arrow.Uint8Type:
		return types.UInt8, nil
	case *arrow.Uint16Type:
		return types.UInt16, nil
	case *arrow.Uint32Type:
		return types.UInt32, nil
	case *arrow.Uint64Type:
		return types.UInt64, nil
	case *arrow.Int8Type:
		return types.Int8, nil
	case *arrow.Int16Type:
		return types.Int16, nil
	case *arrow.Int32Type:
		return types.Int32, nil
	case *arrow.Int64Type, *arrow.DurationType:
		return types.Int64, nil
	case *arrow.Float16Type, *arrow.Float32Type:
		return types.Float32, nil
	case *arrow.Float64Type:
		return types.Float64, nil
	case *arrow.Date32Type:
		return types.Date32, nil
	case *arrow.Date64Type:
		return types.DateTime, nil
	case *arrow.Time32Type:
		return timeType(d.Unit), nil
	case *arrow.Time64Type:
		return timeType(d.Unit), nil
	case *arrow.TimestampType:
		loc, err := time.LoadLocation(d.TimeZone)
		if d.TimeZone == "" || err != nil {
			return types.DateTime64(unitDigits(d.Unit), "", nil), nil
		}
		return types.DateTime64(unitDigits(d.Unit), d.TimeZone, loc), nil
	case *arrow.StringType, *arrow.LargeStringType, *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.StringViewType, *arrow.BinaryViewType:
		return types.String, nil
	case *arrow.FixedSizeBinaryType:
		return types.FixedString(d.ByteWidth), nil
	case *arrow.Decimal32Type:
		return types.Decimal(int(d.Precision), int(d.Scale)), nil
	case *arrow.Decimal64Type:
		return types.Decimal(int(d.Precision), int(d.Scale)), nil
	case *arrow.Decimal128Type:
		return types.Decimal(int(d.Precision), int(d.Scale)), nil
	case *arrow.Decimal256Type:
		return types.Decimal(int(d.Precision), int(d.Scale)), nil
	case *arrow.DictionaryType:
		return typeOfArrowData(d.ValueType)
	case *extensions.UUIDType:
		return types.UUID, nil
	case arrow.ExtensionType:
		return typeOfArrowData(d.StorageType())
	case *arrow.MapType:
		k, err := typeOfArrowData(d.KeyType())
		if err != nil {
			return nil, err
		}
		v, err := typeOfArrow(d.ItemField())
		if err != nil {
			return nil, err
		}
		return types.Map(k, v), nil
	case *arrow.StructType:
		var elems []*types.Type
		var names []string
		for _, f := range d.Fields() {
			e, err := typeOfArrow(f)
			if err != nil {
				return nil, err
			}
			elems, names = append(elems, e), append(names, f.Name)
		}
		return types.Tuple(elems, names), nil
	case arrow.ListLikeType:
		e, err := typeOfArrow(d.ElemField())
		if err != nil {
			return nil, err
		}
		return types.Array(e), nil
	}
	return nil, cherr.New(cherr.UnknownType, "The type \"%s\" of Arrow is not supported", dt)
}

func timeType(u arrow.TimeUnit) *types.Type {
	if u == arrow.Second {
		return types.Time
	}
	return types.Time64(unitDigits(u))
}
