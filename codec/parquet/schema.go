package parquet

import (
	"math/bits"

	"lakeserver/cherr"
)

// LogicalType is a node's meaning with its parameters.
type LogicalType struct {
	Kind             Logical
	Precision, Scale int  // Decimal
	Bits             int  // Integer: 8, 16, 32, 64
	Signed           bool // Integer
	Unit             int  // Time, Timestamp: fraction digits, 3, 6 or 9
	UTC              bool // Time, Timestamp: an instant, not a wall clock's reading
}

// SchemaNode is one node of a file's schema. It is immutable.
type SchemaNode struct {
	Name       string
	FieldID    int // -1: none
	Repetition Repetition
	Physical   Physical // leaves only
	Length     int      // PhysicalFixed: bytes
	Logical    LogicalType
	Children   []*SchemaNode // groups only

	// MaxDef and MaxRep are the definition and repetition level at which a
	// value of this node is there.
	MaxDef, MaxRep int
	// Leaf is the number of a leaf among the leaves in their order, which is
	// its place in RowGroup.Chunks; for a group that of its first leaf, -1 if
	// it has none.
	Leaf int

	leaves int // how many leaves stand under it, itself included
}

// IsLeaf tells whether the node holds values.
func (n *SchemaNode) IsLeaf() bool { return n.Physical != physicalNone }

// Leaves gives the half-open range of leaf numbers under the node.
func (n *SchemaNode) Leaves() (from, to int) {
	if n.leaves == 0 {
		return 0, 0
	}
	return n.Leaf, n.Leaf + n.leaves
}

// Child gives the child of a name, nil if there is none.
func (n *SchemaNode) Child(name string) *SchemaNode {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// maxSchemaDepth bounds the recursion over a schema; levels are kept in a byte.
const maxSchemaDepth = 100

type schemaBuilder struct {
	elems  []schemaElement
	next   int
	leaves []*SchemaNode
}

func buildSchema(elems []schemaElement) (root *SchemaNode, leaves []*SchemaNode, err error) {
	b := &schemaBuilder{elems: elems}
	if len(elems) == 0 {
		return nil, nil, cherr.New(cherr.IncorrectData, "the schema is empty")
	}
	// The root's repetition means nothing, and its physical type too.
	elems[0].repetition, elems[0].physical = Required, physicalNone
	root, err = b.build(nil, 0)
	if err != nil {
		return nil, nil, err
	}
	if b.next != len(elems) {
		return nil, nil, cherr.New(cherr.IncorrectData, "the schema has %d elements but its tree only %d", len(elems), b.next)
	}
	return root, b.leaves, nil
}

func (b *schemaBuilder) build(parent *SchemaNode, depth int) (*SchemaNode, error) {
	if b.next >= len(b.elems) {
		return nil, cherr.New(cherr.IncorrectData, "the schema ends inside a group")
	}
	if depth > maxSchemaDepth {
		return nil, cherr.New(cherr.IncorrectData, "the schema is nested deeper than %d", maxSchemaDepth)
	}
	e := &b.elems[b.next]
	b.next++
	n := &SchemaNode{
		Name: e.name, FieldID: int(e.fieldID), Repetition: e.repetition,
		Physical: e.physical, Length: int(e.length), Leaf: len(b.leaves),
	}
	if e.repetition < Required || e.repetition > Repeated {
		return nil, cherr.New(cherr.IncorrectData, "column `%s` has an unknown repetition %d", e.name, e.repetition)
	}
	if parent != nil {
		n.MaxDef, n.MaxRep = parent.MaxDef, parent.MaxRep
	}
	switch e.repetition {
	case Optional:
		n.MaxDef++
	case Repeated:
		n.MaxDef++
		n.MaxRep++
	}
	n.Logical = logicalOf(e)
	if e.physical != physicalNone && e.children == 0 {
		if err := checkLeaf(n); err != nil {
			return nil, err
		}
		b.leaves = append(b.leaves, n)
		n.leaves = 1
		return n, nil
	}
	n.Physical = physicalNone
	if e.children < 0 || int(e.children) > len(b.elems)-b.next {
		return nil, cherr.New(cherr.IncorrectData, "group `%s` claims %d children", e.name, e.children)
	}
	for range int(e.children) {
		c, err := b.build(n, depth+1)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, c)
	}
	if n.leaves = len(b.leaves) - n.Leaf; n.leaves == 0 {
		n.Leaf = -1
	}
	return n, nil
}

func checkLeaf(n *SchemaNode) error {
	if n.Physical > PhysicalFixed {
		return cherr.New(cherr.IncorrectData, "column `%s` has an unknown physical type %d", n.Name, n.Physical)
	}
	if n.Physical == PhysicalFixed && (n.Length < 0 || n.Length > 1<<24) {
		return cherr.New(cherr.IncorrectData, "column `%s` has a fixed length of %d", n.Name, n.Length)
	}
	return nil
}

// logicalOf takes the logical type, else the older converted type, and drops
// what does not fit the physical type: such a column reads as its plain values.
func logicalOf(e *schemaElement) LogicalType {
	l := e.logical
	if l.Kind == LogicalNone {
		l = fromConverted(e)
	}
	ok := true
	switch l.Kind {
	case LogicalString, LogicalEnum, LogicalJSON, LogicalBSON, LogicalGeometry, LogicalGeography:
		ok = e.physical == PhysicalByteArray || e.physical == PhysicalFixed
	case LogicalUUID:
		ok = e.physical == PhysicalFixed && e.length == 16
	case LogicalFloat16:
		ok = e.physical == PhysicalFixed && e.length == 2
	case LogicalInterval:
		ok = e.physical == PhysicalFixed && e.length == 12
	case LogicalInteger:
		ok = e.physical == PhysicalInt32 && l.Bits <= 32 || e.physical == PhysicalInt64 && l.Bits == 64
	case LogicalDate:
		ok = e.physical == PhysicalInt32
	case LogicalTime:
		ok = e.physical == PhysicalInt32 && l.Unit == 3 || e.physical == PhysicalInt64 && l.Unit > 3
	case LogicalTimestamp:
		ok = e.physical == PhysicalInt64
	case LogicalDecimal:
		ok = l.Precision >= 1 && l.Precision <= 76 && l.Scale >= 0 && l.Scale <= l.Precision && decimalFits(e)
	case LogicalList, LogicalMap, LogicalVariant:
		ok = e.physical == physicalNone
	}
	if !ok {
		return LogicalType{}
	}
	return l
}

func decimalFits(e *schemaElement) bool {
	switch e.physical {
	case PhysicalInt32, PhysicalInt64, PhysicalByteArray:
		return true
	case PhysicalFixed:
		return e.length >= 1 && e.length <= 32
	}
	return false
}

func fromConverted(e *schemaElement) LogicalType {
	integer := func(width int, signed bool) LogicalType {
		return LogicalType{Kind: LogicalInteger, Bits: width, Signed: signed}
	}
	switch e.converted {
	case 0:
		return LogicalType{Kind: LogicalString}
	case 1, 2: // MAP_KEY_VALUE stood for MAP in old files
		return LogicalType{Kind: LogicalMap}
	case 3:
		return LogicalType{Kind: LogicalList}
	case 4:
		return LogicalType{Kind: LogicalEnum}
	case 5:
		return LogicalType{Kind: LogicalDecimal, Precision: int(e.precision), Scale: int(e.scale)}
	case 6:
		return LogicalType{Kind: LogicalDate}
	case 7, 8:
		return LogicalType{Kind: LogicalTime, Unit: 3 + 3*int(e.converted-7), UTC: true}
	case 9, 10:
		return LogicalType{Kind: LogicalTimestamp, Unit: 3 + 3*int(e.converted-9), UTC: true}
	case 11, 12, 13, 14:
		return integer(8<<(e.converted-11), false)
	case 15, 16, 17, 18:
		return integer(8<<(e.converted-15), true)
	case 19:
		return LogicalType{Kind: LogicalJSON}
	case 20:
		return LogicalType{Kind: LogicalBSON}
	case 21:
		return LogicalType{Kind: LogicalInterval}
	}
	return LogicalType{}
}

// logicalIDs maps the union's field ids to kinds.
var logicalIDs = [...]Logical{
	1: LogicalString, 2: LogicalMap, 3: LogicalList, 4: LogicalEnum, 5: LogicalDecimal, 6: LogicalDate,
	7: LogicalTime, 8: LogicalTimestamp, 10: LogicalInteger, 11: LogicalUnknown, 12: LogicalJSON,
	13: LogicalBSON, 14: LogicalUUID, 15: LogicalFloat16, 16: LogicalVariant, 17: LogicalGeometry, 18: LogicalGeography,
}

func parseLogical(r *thriftReader) (l LogicalType) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		if id < 1 || id >= len(logicalIDs) || t != thriftStruct {
			r.skip(t)
			continue
		}
		l.Kind = logicalIDs[id]
		parseLogicalBody(r, &l)
	}
	return l
}

func parseLogicalBody(r *thriftReader, l *LogicalType) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case l.Kind == LogicalDecimal && t == thriftI32 && id == 1:
			l.Scale = int(r.i32())
		case l.Kind == LogicalDecimal && t == thriftI32 && id == 2:
			l.Precision = int(r.i32())
		case l.Kind == LogicalInteger && t == thriftByte && id == 1:
			l.Bits = int(r.byte())
		case l.Kind == LogicalInteger && id == 2 && t <= thriftFalse:
			l.Signed = boolean(t)
		case (l.Kind == LogicalTime || l.Kind == LogicalTimestamp) && id == 1 && t <= thriftFalse:
			l.UTC = boolean(t)
		case (l.Kind == LogicalTime || l.Kind == LogicalTimestamp) && id == 2 && t == thriftStruct:
			l.Unit = 3 * parseUnit(r)
		default:
			r.skip(t)
		}
	}
	if l.Kind == LogicalInteger && (bits.OnesCount(uint(l.Bits)) != 1 || l.Bits < 8 || l.Bits > 64) ||
		(l.Kind == LogicalTime || l.Kind == LogicalTimestamp) && (l.Unit < 3 || l.Unit > 9) {
		*l = LogicalType{}
	}
}

func parseUnit(r *thriftReader) (unit int) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		unit = id
		r.skip(t)
	}
	return unit
}
