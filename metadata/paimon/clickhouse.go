package paimon

import (
	"time"

	"lakeserver/cherr"
	"lakeserver/types"
)

// ClickHouseType gives the type under which a column is shown: Nullable unless
// it is NOT NULL, except arrays, maps and rows, which have no Nullable form.
// asClickHouse gives the types that ClickHouse itself shows: Int8 for BOOLEAN,
// Date for DATE, milliseconds for TIME, FixedString for CHAR.
func ClickHouseType(t *Type, asClickHouse bool) (*types.Type, error) {
	out, err := plainType(t, asClickHouse)
	if err != nil {
		return nil, err
	}
	if !t.NotNull && out.CanBeNullable() {
		return types.Nullable(out), nil
	}
	return out, nil
}

func plainType(t *Type, asClickHouse bool) (*types.Type, error) { // long: one case a type
	switch t.Kind {
	case Boolean:
		if asClickHouse {
			return types.Int8, nil
		}
		return types.Bool, nil
	case TinyInt:
		return types.Int8, nil
	case SmallInt:
		return types.Int16, nil
	case Int:
		return types.Int32, nil
	case BigInt, Time:
		return types.Int64, nil
	case Float:
		return types.Float32, nil
	case Double:
		return types.Float64, nil
	case Decimal:
		return types.Decimal(t.Precision, t.Scale), nil
	case Char:
		if asClickHouse {
			return types.FixedString(t.Length), nil
		}
		return types.String, nil
	case Binary:
		return types.FixedString(t.Length), nil
	case VarChar, VarBinary, Blob, Variant:
		return types.String, nil
	case Date:
		if asClickHouse {
			return types.Date, nil
		}
		return types.Date32, nil
	case Timestamp:
		return types.DateTime64(t.Precision, "UTC", time.UTC), nil
	case TimestampLTZ:
		return types.DateTime64(t.Precision, "", nil), nil
	case Array, Vector:
		e, err := ClickHouseType(t.Elem, asClickHouse)
		if err != nil {
			return nil, err
		}
		return types.Array(e), nil
	case Map, Multiset:
		return mapType(t, asClickHouse)
	case Row:
		var elems []*types.Type
		names := []string{}
		for i := range t.Fields {
			e, err := ClickHouseType(t.Fields[i].Type, asClickHouse)
			if err != nil {
				return nil, err
			}
			elems, names = append(elems, e), append(names, t.Fields[i].Name)
		}
		return types.Tuple(elems, names), nil
	}
	return nil, cherr.New(cherr.BadArguments, "Unsupported type: %s.", t)
}

// mapType: keys of a Map are never Nullable, whatever the schema allows.
func mapType(t *Type, asClickHouse bool) (*types.Type, error) {
	key, value := t.MapParts()
	k, err := plainType(key, asClickHouse)
	if err != nil {
		return nil, err
	}
	v, err := ClickHouseType(value, asClickHouse)
	if err != nil {
		return nil, err
	}
	return types.Map(k, v), nil
}

var countType = &Type{Kind: Int, NotNull: true}

// MapParts gives the key and value types of a MAP; a MULTISET is a map from its
// elements to how often they occur.
func (t *Type) MapParts() (key, value *Type) {
	if t.Kind == Multiset {
		return t.Elem, countType
	}
	return t.Key, t.Elem
}
