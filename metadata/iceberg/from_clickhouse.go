package iceberg

import (
	"fmt"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/types"
)

// FromClickHouse gives the Iceberg type that stores a ClickHouse type in a
// table of a format version, without field ids; required is false for what
// can be NULL. BAD_ARGUMENTS says that none can.
//
// It widens ClickHouse's own mapping where that refuses a type or loses a part
// of its values: small integers, Bool, Decimal, FixedString and enums have
// theirs, an explicit time zone makes a timestamptz, and from version 3 on
// more than six digits make nanoseconds.
func FromClickHouse(t *types.Type, version int) (it *Type, required bool, err error) {
	plain := types.Unwrap(t)
	it, err = fromPlain(plain, version)
	return it, !t.IsNullable(), err
}

// FieldFromClickHouse is FromClickHouse for a column.
func FieldFromClickHouse(name string, t *types.Type, version int) (Field, error) {
	it, required, err := FromClickHouse(t, version)
	return Field{ID: -1, Name: name, Required: required, Type: it}, err
}

func fromPlain(t *types.Type, version int) (*Type, error) { // long: one case a type
	switch t.Kind() {
	case types.KindBool:
		return &Type{Kind: Boolean, Name: "boolean"}, nil
	case types.KindInt8, types.KindInt16, types.KindInt32, types.KindUInt8, types.KindUInt16, types.KindUInt32:
		return intType, nil
	case types.KindInt64, types.KindUInt64:
		return &Type{Kind: Long, Name: "long"}, nil
	case types.KindFloat32:
		return &Type{Kind: Float, Name: "float"}, nil
	case types.KindFloat64:
		return &Type{Kind: Double, Name: "double"}, nil
	case types.KindDecimal32, types.KindDecimal64, types.KindDecimal128:
		return ParseType(fmt.Sprintf("decimal(%d, %d)", t.Precision(), t.Scale())), nil
	case types.KindString, types.KindEnum8, types.KindEnum16:
		return &Type{Kind: String, Name: "string"}, nil
	case types.KindFixedString:
		return ParseType("fixed[" + strconv.Itoa(t.Length()) + "]"), nil
	case types.KindUUID:
		return &Type{Kind: UUID, Name: "uuid"}, nil
	case types.KindDate, types.KindDate32:
		return dateType, nil
	case types.KindDateTime, types.KindDateTime64:
		return fromTime(t, version), nil
	case types.KindArray:
		e, err := FieldFromClickHouse("element", t.Elem(), version)
		return &Type{Kind: List, Elem: &e}, err
	case types.KindMap:
		k, err := FieldFromClickHouse("key", t.Elems()[0], version)
		if err != nil {
			return nil, err
		}
		k.Required = true
		v, err := FieldFromClickHouse("value", t.Elems()[1], version)
		return &Type{Kind: Map, Key: &k, Value: &v}, err
	case types.KindTuple:
		out := &Type{Kind: Struct, Fields: []Field{}}
		for i, e := range t.Elems() {
			name := strconv.Itoa(i + 1)
			if names := t.Names(); len(names) > 0 {
				name = names[i]
			}
			f, err := FieldFromClickHouse(name, e, version)
			if err != nil {
				return nil, err
			}
			out.Fields = append(out.Fields, f)
		}
		return out, nil
	}
	return nil, cherr.New(cherr.BadArguments, "Unsupported type for iceberg %s.", t)
}

func fromTime(t *types.Type, version int) *Type {
	name := "timestamp"
	if t.Zone() != "" {
		name = "timestamptz"
	}
	if version >= 3 && t.Kind() == types.KindDateTime64 && t.Scale() > 6 {
		name += "_ns"
	}
	return ParseType(name)
}
