package parquet

import (
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// writeSchema maps ClickHouse's types as its own Parquet output does.
func writeSchema(header column.Header, opt *WriterOptions) (*schema.GroupNode, error) {
	fields := make(schema.FieldList, len(header))
	for i, f := range header {
		n, err := writeNode(f.Name, f.Type, fieldAt(opt.Fields, i), opt)
		if err != nil {
			return nil, err
		}
		fields[i] = n
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	return root, writeFailed(err)
}

func fieldAt(fields []Field, i int) Field {
	if i < len(fields) {
		return fields[i]
	}
	return Field{ID: -1}
}

func writeNode(name string, t *types.Type, f Field, opt *WriterOptions) (schema.Node, error) {
	t = types.WithoutLowCardinality(t)
	rep := parquet.Repetitions.Required
	if t.Kind() == types.KindNullable {
		rep, t = parquet.Repetitions.Optional, t.Elem()
	}
	id := int32(f.ID)
	switch t.Kind() {
	case types.KindSimpleAggregateFunction:
		return writeNode(name, t.Elem(), f, opt)
	case types.KindArray:
		e, err := writeNode("element", t.Elem(), fieldAt(f.Children, 0), opt)
		if err != nil {
			return nil, err
		}
		list, err := schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{e}, -1)
		if err != nil {
			return nil, writeFailed(err)
		}
		return groupNode(schema.NewGroupNodeLogical(name, rep, schema.FieldList{list}, schema.NewListLogicalType(), id))
	case types.KindMap:
		k, err := writeNode("key", t.Elems()[0], fieldAt(f.Children, 0), opt)
		if err != nil {
			return nil, err
		}
		v, err := writeNode("value", t.Elems()[1], fieldAt(f.Children, 1), opt)
		if err != nil {
			return nil, err
		}
		kv, err := schema.NewGroupNode("key_value", parquet.Repetitions.Repeated, schema.FieldList{k, v}, -1)
		if err != nil {
			return nil, writeFailed(err)
		}
		return groupNode(schema.NewGroupNodeLogical(name, rep, schema.FieldList{kv}, schema.MapLogicalType{}, id))
	case types.KindTuple:
		return writeTuple(name, rep, t, f, opt)
	}
	return writeLeafNode(name, rep, t, f, opt)
}

func writeTuple(name string, rep parquet.Repetition, t *types.Type, f Field, opt *WriterOptions) (schema.Node, error) {
	if len(t.Elems()) == 0 {
		return nil, cherr.New(cherr.UnknownType, "Empty tuple of column '%s' is not supported for conversion into Parquet data format.", name)
	}
	var fields schema.FieldList
	for i, e := range t.Elems() {
		child := strconv.Itoa(i + 1)
		if names := t.Names(); names != nil {
			child = names[i]
		}
		n, err := writeNode(child, e, fieldAt(f.Children, i), opt)
		if err != nil {
			return nil, err
		}
		fields = append(fields, n)
	}
	return groupNode(schema.NewGroupNode(name, rep, fields, int32(f.ID)))
}

func groupNode(n *schema.GroupNode, err error) (schema.Node, error) {
	if err != nil {
		return nil, writeFailed(err)
	}
	return n, nil
}

// writeForm is how a leaf type lies in the file.
type writeForm struct {
	physical parquet.Type
	length   int
	logical  schema.LogicalType // nil: none
}

func writeLeafNode(name string, rep parquet.Repetition, t *types.Type, field Field, opt *WriterOptions) (schema.Node, error) {
	f, ok := writeFormOf(t, opt)
	if !ok {
		return nil, cherr.New(cherr.UnknownType, "Internal type '%s' of column '%s' is not supported for conversion into Parquet data format.", t, name)
	}
	logical := f.logical
	switch field.Form {
	case FormBinary:
		logical = nil
	case FormTime:
		logical = schema.NewTimeLogicalType(false, schema.TimeUnitMicros)
	}
	if logical == nil {
		logical = schema.NoLogicalType{}
	}
	n, err := schema.NewPrimitiveNodeLogical(name, rep, logical, f.physical, f.length, int32(field.ID))
	if err != nil {
		return nil, writeFailed(err)
	}
	return n, nil
}

func writeFormOf(t *types.Type, opt *WriterOptions) (writeForm, bool) { // long: one case a type
	i32, i64 := parquet.Types.Int32, parquet.Types.Int64
	fixed := parquet.Types.FixedLenByteArray
	switch t.Kind() {
	case types.KindUInt8, types.KindUInt16, types.KindUInt32, types.KindInt8, types.KindInt16:
		return writeForm{i32, -1, schema.NewIntLogicalType(int8(t.Bytes()*8), t.IsSigned())}, true
	case types.KindUInt64:
		return writeForm{i64, -1, schema.NewIntLogicalType(64, false)}, true
	case types.KindIPv4:
		return writeForm{i32, -1, schema.NewIntLogicalType(32, false)}, true
	case types.KindInt32:
		return writeForm{i32, -1, nil}, true
	case types.KindInt64:
		return writeForm{i64, -1, nil}, true
	case types.KindInt128, types.KindUInt128, types.KindIPv6:
		return writeForm{fixed, 16, nil}, true
	case types.KindInt256, types.KindUInt256:
		return writeForm{fixed, 32, nil}, true
	case types.KindUUID:
		return writeForm{fixed, 16, schema.UUIDLogicalType{}}, true
	case types.KindFloat32:
		return writeForm{parquet.Types.Float, -1, nil}, true
	case types.KindFloat64:
		return writeForm{parquet.Types.Double, -1, nil}, true
	case types.KindBool:
		return writeForm{parquet.Types.Boolean, -1, nil}, true
	case types.KindString:
		return writeForm{parquet.Types.ByteArray, -1, schema.StringLogicalType{}}, true
	case types.KindJSON:
		return writeForm{parquet.Types.ByteArray, -1, schema.JSONLogicalType{}}, true
	case types.KindEnum8, types.KindEnum16:
		return writeForm{parquet.Types.ByteArray, -1, schema.EnumLogicalType{}}, true
	case types.KindFixedString:
		return writeForm{fixed, t.Length(), nil}, true
	case types.KindDate, types.KindDate32:
		return writeForm{i32, -1, schema.DateLogicalType{}}, true
	case types.KindDateTime:
		return writeForm{i64, -1, schema.NewTimestampLogicalType(true, schema.TimeUnitMillis)}, true
	case types.KindDateTime64:
		utc := !opt.LocalTimestamps || t.Zone() != ""
		unit := [...]schema.TimeUnitType{schema.TimeUnitMillis, schema.TimeUnitMicros, schema.TimeUnitNanos}[timeUnit(t.Scale())/3-1]
		return writeForm{i64, -1, schema.NewTimestampLogicalType(utc, unit)}, true
	}
	if t.IsDecimal() {
		l := schema.NewDecimalLogicalType(int32(t.Precision()), int32(t.Scale()))
		switch {
		case opt.SmallDecimals && t.Precision() <= 9:
			return writeForm{i32, -1, l}, true
		case opt.SmallDecimals && t.Precision() <= 18:
			return writeForm{i64, -1, l}, true
		case opt.SmallDecimals:
			return writeForm{fixed, decimalBytes(t.Precision()), l}, true
		}
		return writeForm{fixed, t.Bytes(), l}, true
	}
	return writeForm{}, false
}

// timeUnit gives the fraction digits with which a DateTime64 is written.
func timeUnit(scale int) int { return max(3, (scale+2)/3*3) }

// decimalBytes gives the fewest bytes that hold a precision.
func decimalBytes(precision int) int {
	limit := types.ToI256(1).Big()
	ten := types.ToI256(10).Big()
	for range precision {
		limit.Mul(limit, ten)
	}
	return limit.BitLen()/8 + 1
}
