package paimon

import (
	"strings"

	"lakeserver/cherr"
	"lakeserver/types"
)

// containerFieldBase is where the ids of what is inside of lists and maps
// begin (paimon.md §1.3).
const containerFieldBase = 536870911

// ElementID gives the field id of a list's element, or of a map's value, at a
// depth below a column; KeyID that of a map's key.
func ElementID(field, depth int) int { return containerFieldBase + 1024*field + depth }

// KeyID is beside ElementID.
func KeyID(field, depth int) int { return containerFieldBase - 1024*field - depth }

// IDs hands out field ids.
type IDs struct{ Highest int }

func (n *IDs) next() int {
	n.Highest++
	return n.Highest
}

// FromClickHouse gives the Paimon type that holds all values of a ClickHouse
// type; BAD_ARGUMENTS when there is none. ids numbers the fields of rows.
func FromClickHouse(t *types.Type, ids *IDs) (*Type, error) { // long: one case a type
	t = types.WithoutLowCardinality(t)
	if t.Kind() == types.KindNullable {
		out, err := FromClickHouse(t.Elem(), ids)
		if err != nil {
			return nil, err
		}
		return out.Nullable(), nil
	}
	out := &Type{NotNull: true}
	switch t.Kind() {
	case types.KindBool:
		out.Kind = Boolean
	case types.KindInt8:
		out.Kind = TinyInt
	case types.KindInt16, types.KindUInt8:
		out.Kind = SmallInt
	case types.KindInt32, types.KindUInt16:
		out.Kind = Int
	case types.KindInt64, types.KindUInt32:
		out.Kind = BigInt
	case types.KindFloat32:
		out.Kind = Float
	case types.KindFloat64:
		out.Kind = Double
	case types.KindString, types.KindEnum8, types.KindEnum16:
		out.Kind, out.Length = VarChar, MaxLength
	case types.KindFixedString:
		out.Kind, out.Length = Binary, t.Length()
	case types.KindDate, types.KindDate32:
		out.Kind = Date
	case types.KindDateTime:
		out.Kind = TimestampLTZ
	case types.KindDateTime64:
		out.Kind, out.Precision = TimestampLTZ, t.Scale()
		if strings.EqualFold(t.Zone(), "UTC") {
			out.Kind = Timestamp
		}
	case types.KindArray:
		e, err := FromClickHouse(t.Elem(), ids)
		if err != nil {
			return nil, err
		}
		out.Kind, out.Elem = Array, e
	case types.KindMap:
		k, err := FromClickHouse(t.Elems()[0], ids)
		if err != nil {
			return nil, err
		}
		v, err := FromClickHouse(t.Elems()[1], ids)
		if err != nil {
			return nil, err
		}
		out.Kind, out.Key, out.Elem = Map, k, v
	case types.KindTuple:
		return rowOf(t, ids)
	default:
		if t.IsDecimal() && t.Precision() <= 38 {
			out.Kind, out.Precision, out.Scale = Decimal, t.Precision(), t.Scale()
			return out, nil
		}
		return nil, cherr.New(cherr.BadArguments, "Type %s has no equivalent in Paimon", t)
	}
	return out, nil
}

func rowOf(t *types.Type, ids *IDs) (*Type, error) {
	out := &Type{Kind: Row, NotNull: true}
	if t.Names() == nil {
		return nil, cherr.New(cherr.BadArguments, "Type %s has no equivalent in Paimon: the elements of a ROW have names", t)
	}
	for i, e := range t.Elems() {
		id := ids.next()
		et, err := FromClickHouse(e, ids)
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, Field{ID: id, Name: t.Names()[i], Type: et})
	}
	return out, nil
}
