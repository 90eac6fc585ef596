package iceberg

import (
	"time"

	"lakeserver/cherr"
	"lakeserver/types"
)

// ClickHouseType gives the type under which ClickHouse shows a field: Nullable
// for optional ones, except lists, maps and structs, which have no Nullable form.
func ClickHouseType(f *Field) (*types.Type, error) {
	t, err := plainType(f.Type)
	if err != nil {
		return nil, err
	}
	if !f.Required && t.CanBeNullable() {
		return types.Nullable(t), nil
	}
	return t, nil
}

func plainType(t *Type) (*types.Type, error) { // long: one case a type
	switch t.Kind {
	case Unknown:
		return types.NullableNothing, nil
	case Boolean:
		return types.Bool, nil
	case Int:
		return types.Int32, nil
	case Long, Time:
		return types.Int64, nil
	case Float:
		return types.Float32, nil
	case Double:
		return types.Float64, nil
	case Decimal:
		return types.Decimal(t.Precision, t.Scale), nil
	case Date:
		return types.Date32, nil
	case Timestamp:
		return types.DateTime64(6, "", nil), nil
	case TimestampTZ:
		return types.DateTime64(6, "UTC", time.UTC), nil
	case TimestampNS:
		return types.DateTime64(9, "", nil), nil
	case TimestampTZNS:
		return types.DateTime64(9, "UTC", time.UTC), nil
	case String, Binary, Variant:
		return types.String, nil
	case UUID:
		return types.UUID, nil
	case Fixed:
		return types.FixedString(t.Length), nil
	case Geometry, Geography:
		return nil, cherr.New(cherr.BadArguments, "Using geometry/geography types is not allowed without enabled allow_experimental_geo_types_in_iceberg flag")
	case Struct:
		var elems []*types.Type
		names := []string{}
		for i := range t.Fields {
			e, err := ClickHouseType(&t.Fields[i])
			if err != nil {
				return nil, err
			}
			elems, names = append(elems, e), append(names, t.Fields[i].Name)
		}
		return types.Tuple(elems, names), nil
	case List:
		e, err := ClickHouseType(t.Elem)
		if err != nil {
			return nil, err
		}
		return types.Array(e), nil
	case Map:
		k, err := ClickHouseType(t.Key)
		if err != nil {
			return nil, err
		}
		v, err := ClickHouseType(t.Value)
		if err != nil {
			return nil, err
		}
		return types.Map(k, v), nil
	}
	return nil, cherr.New(cherr.BadArguments, "Unknown Iceberg type: %s", t.Name)
}

// StoredType is ClickHouseType with Nullable also around optional lists, maps
// and structs, which ClickHouse does not have: for who writes again what was
// read, and must lose nothing.
func StoredType(f *Field) (*types.Type, error) {
	var parts []*types.Type
	var names []string
	inner := f.Type.Fields
	for _, p := range []*Field{f.Type.Elem, f.Type.Key, f.Type.Value} {
		if p != nil {
			inner = append(inner[:len(inner):len(inner)], *p)
		}
	}
	for i := range inner {
		t, err := StoredType(&inner[i])
		if err != nil {
			return nil, err
		}
		parts, names = append(parts, t), append(names, inner[i].Name)
	}
	var t *types.Type
	switch f.Type.Kind {
	case Struct:
		t = types.Tuple(parts, names)
	case List:
		t = types.Array(parts[0])
	case Map:
		t = types.Map(parts[0], parts[1])
	default:
		return ClickHouseType(f)
	}
	if !f.Required {
		t = types.Nullable(t)
	}
	return t, nil
}
