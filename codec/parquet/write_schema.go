package parquet

import (
	"math/bits"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// schemaWriter maps ClickHouse's types as its own Parquet output does, to the
// footer's list of nodes and to leaves.
type schemaWriter struct {
	opt    *WriterOptions
	nodes  []schemaElement
	leaves []writeLeaf
	path   []string
	def    int16
	rep    int16
}

func writeSchema(header column.Header, opt *WriterOptions) (*schemaWriter, error) {
	s := &schemaWriter{opt: opt}
	s.node(schemaElement{name: "schema", repetition: Required, physical: physicalNone, children: int32(len(header)), fieldID: -1})
	for i, f := range header {
		if err := s.column(f.Name, f.Type, fieldAt(opt.Fields, i)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func fieldAt(fields []Field, i int) Field {
	if i < len(fields) {
		return fields[i]
	}
	return Field{ID: -1}
}

func (s *schemaWriter) node(e schemaElement) {
	e.converted = converted(e.logical)
	s.nodes = append(s.nodes, e)
}

// within writes what is inside of a node.
func (s *schemaWriter) within(name string, rep Repetition, inside func() error) error {
	s.path = append(s.path[:len(s.path):len(s.path)], name)
	if rep != Required {
		s.def++
	}
	if rep == Repeated {
		s.rep++
	}
	err := inside()
	if rep != Required {
		s.def--
	}
	if rep == Repeated {
		s.rep--
	}
	s.path = s.path[:len(s.path)-1]
	return err
}

func (s *schemaWriter) column(name string, t *types.Type, f Field) error {
	t = types.WithoutLowCardinality(t)
	rep := Required
	if t.Kind() == types.KindNullable {
		rep, t = Optional, t.Elem()
	}
	group := schemaElement{name: name, repetition: rep, physical: physicalNone, children: 1, fieldID: int32(f.ID)}
	switch t.Kind() {
	case types.KindSimpleAggregateFunction:
		return s.column(name, t.Elem(), f)
	case types.KindArray:
		group.logical.Kind = LogicalList
		return s.repeated(group, "list", 1, func() error { return s.column("element", t.Elem(), fieldAt(f.Children, 0)) })
	case types.KindMap:
		group.logical.Kind = LogicalMap
		return s.repeated(group, "key_value", 2, func() error {
			if err := s.column("key", t.Elems()[0], fieldAt(f.Children, 0)); err != nil {
				return err
			}
			return s.column("value", t.Elems()[1], fieldAt(f.Children, 1))
		})
	case types.KindTuple:
		return s.tuple(group, t, f)
	}
	return s.within(name, rep, func() error { return s.leaf(name, rep, t, f) })
}

// repeated writes a list or map: a group with one repeated group inside.
func (s *schemaWriter) repeated(outer schemaElement, name string, children int32, inside func() error) error {
	s.node(outer)
	return s.within(outer.name, outer.repetition, func() error {
		s.node(schemaElement{name: name, repetition: Repeated, physical: physicalNone, children: children, fieldID: -1})
		return s.within(name, Repeated, inside)
	})
}

func (s *schemaWriter) tuple(group schemaElement, t *types.Type, f Field) error {
	if len(t.Elems()) == 0 {
		return cherr.New(cherr.UnknownType, "Empty tuple of column '%s' is not supported for conversion into Parquet data format.", group.name)
	}
	group.children = int32(len(t.Elems()))
	s.node(group)
	return s.within(group.name, group.repetition, func() error {
		for i, e := range t.Elems() {
			child := strconv.Itoa(i + 1)
			if names := t.Names(); names != nil {
				child = names[i]
			}
			if err := s.column(child, e, fieldAt(f.Children, i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *schemaWriter) leaf(name string, rep Repetition, t *types.Type, f Field) error {
	form, ok := writeFormOf(t, s.opt)
	if !ok {
		return cherr.New(cherr.UnknownType, "Internal type '%s' of column '%s' is not supported for conversion into Parquet data format.", t, name)
	}
	l := form.logical
	switch f.Form {
	case FormBinary:
		l = LogicalType{}
	case FormTime:
		l = LogicalType{Kind: LogicalTime, Unit: 6}
	}
	s.node(schemaElement{
		name: name, repetition: rep, physical: form.physical, length: int32(form.length), fieldID: int32(f.ID), logical: l,
		precision: int32(l.Precision), scale: int32(l.Scale),
	})
	s.leaves = append(s.leaves, writeLeaf{
		typ: t, path: s.path, id: f.ID, bloom: f.Bloom && t.Kind() != types.KindBool, physical: form.physical, fixed: form.length,
		order: orderOf(form.physical, l), text: l.Kind != LogicalNone, maxDef: s.def, maxRep: s.rep,
	})
	return nil
}

func orderOf(p Physical, l LogicalType) order {
	unsigned := l.Kind == LogicalInteger && !l.Signed
	switch {
	case p == PhysicalBoolean:
		return orderBool
	case p == PhysicalInt32 && unsigned:
		return orderUint32
	case p == PhysicalInt32:
		return orderInt32
	case p == PhysicalInt64 && unsigned:
		return orderUint64
	case p == PhysicalInt64:
		return orderInt64
	case p == PhysicalFloat:
		return orderFloat
	case p == PhysicalDouble:
		return orderDouble
	case l.Kind == LogicalDecimal:
		return orderDecimal
	}
	return orderBytes
}

// writeForm is how a leaf type lies in the file.
type writeForm struct {
	physical Physical
	length   int // of PhysicalFixed
	logical  LogicalType
}

func writeFormOf(t *types.Type, opt *WriterOptions) (writeForm, bool) { // long: one case a type
	integer := func(bits int, signed bool) LogicalType {
		return LogicalType{Kind: LogicalInteger, Bits: bits, Signed: signed}
	}
	switch t.Kind() {
	case types.KindUInt8, types.KindUInt16, types.KindUInt32, types.KindInt8, types.KindInt16:
		return writeForm{PhysicalInt32, 0, integer(t.Bytes()*8, t.IsSigned())}, true
	case types.KindUInt64:
		return writeForm{PhysicalInt64, 0, integer(64, false)}, true
	case types.KindIPv4:
		return writeForm{PhysicalInt32, 0, integer(32, false)}, true
	case types.KindInt32:
		return writeForm{physical: PhysicalInt32}, true
	case types.KindInt64:
		return writeForm{physical: PhysicalInt64}, true
	case types.KindInt128, types.KindUInt128, types.KindIPv6:
		return writeForm{physical: PhysicalFixed, length: 16}, true
	case types.KindInt256, types.KindUInt256:
		return writeForm{physical: PhysicalFixed, length: 32}, true
	case types.KindUUID:
		return writeForm{PhysicalFixed, 16, LogicalType{Kind: LogicalUUID}}, true
	case types.KindFloat32:
		return writeForm{physical: PhysicalFloat}, true
	case types.KindFloat64:
		return writeForm{physical: PhysicalDouble}, true
	case types.KindBool:
		return writeForm{physical: PhysicalBoolean}, true
	case types.KindString:
		return writeForm{PhysicalByteArray, 0, LogicalType{Kind: LogicalString}}, true
	case types.KindJSON:
		return writeForm{PhysicalByteArray, 0, LogicalType{Kind: LogicalJSON}}, true
	case types.KindEnum8, types.KindEnum16:
		return writeForm{PhysicalByteArray, 0, LogicalType{Kind: LogicalEnum}}, true
	case types.KindFixedString:
		return writeForm{physical: PhysicalFixed, length: t.Length()}, true
	case types.KindDate, types.KindDate32:
		return writeForm{PhysicalInt32, 0, LogicalType{Kind: LogicalDate}}, true
	case types.KindDateTime:
		return writeForm{PhysicalInt64, 0, LogicalType{Kind: LogicalTimestamp, Unit: 3, UTC: true}}, true
	case types.KindDateTime64:
		utc := !opt.LocalTimestamps || t.Zone() != ""
		return writeForm{PhysicalInt64, 0, LogicalType{Kind: LogicalTimestamp, Unit: timeUnit(t.Scale()), UTC: utc}}, true
	}
	if t.IsDecimal() {
		l := LogicalType{Kind: LogicalDecimal, Precision: t.Precision(), Scale: t.Scale()}
		switch {
		case opt.SmallDecimals && t.Precision() <= 9:
			return writeForm{PhysicalInt32, 0, l}, true
		case opt.SmallDecimals && t.Precision() <= 18:
			return writeForm{PhysicalInt64, 0, l}, true
		case opt.SmallDecimals:
			return writeForm{PhysicalFixed, decimalBytes(t.Precision()), l}, true
		}
		return writeForm{PhysicalFixed, t.Bytes(), l}, true
	}
	return writeForm{}, false
}

// converted gives the older name of a logical type, -1 if it had none.
func converted(l LogicalType) int32 {
	switch l.Kind {
	case LogicalString:
		return 0
	case LogicalMap:
		return 1
	case LogicalList:
		return 3
	case LogicalEnum:
		return 4
	case LogicalDecimal:
		return 5
	case LogicalDate:
		return 6
	case LogicalTime, LogicalTimestamp:
		if !l.UTC || l.Unit > 6 {
			return -1
		}
		first := int32(7)
		if l.Kind == LogicalTimestamp {
			first = 9
		}
		return first + int32(l.Unit/3-1)
	case LogicalInteger:
		first := int32(11)
		if l.Signed {
			first = 15
		}
		return first + int32(bits.TrailingZeros(uint(l.Bits))-3)
	case LogicalJSON:
		return 19
	}
	return -1
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
