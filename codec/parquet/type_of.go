package parquet

import (
	"time"

	"lakeserver/types"
)

// TypeOf gives the type that ClickHouse infers for a column of a file: what
// file(…, Parquet) and DESCRIBE show. Optional leaves are Nullable; structs,
// lists and maps have no NULL.
func TypeOf(n *SchemaNode) *types.Type {
	if n.Repetition == Repeated { // a list without the LIST wrapping
		return types.Array(typeOfValue(n))
	}
	t := typeOfValue(n)
	if n.Repetition == Optional && t.CanBeNullable() {
		return types.Nullable(t)
	}
	return t
}

// typeOfValue leaves the node's own repetition out.
func typeOfValue(n *SchemaNode) *types.Type {
	if n.IsLeaf() {
		return leafType(n)
	}
	switch s := shapeOf(n); s.kind {
	case shapeList:
		return types.Array(elementType(s.elem, s.elem == s.repeated))
	case shapeMap:
		return types.Map(types.WithoutNullable(TypeOf(s.key)), TypeOf(s.value))
	}
	elems := make([]*types.Type, len(n.Children))
	names := make([]string, len(n.Children))
	for i, c := range n.Children {
		elems[i], names[i] = TypeOf(c), c.Name
	}
	return types.Tuple(elems, names)
}

func elementType(n *SchemaNode, bare bool) *types.Type {
	if bare {
		return typeOfValue(n)
	}
	return TypeOf(n)
}

func leafType(n *SchemaNode) *types.Type { // long: one case a logical type
	l := n.Logical
	switch l.Kind {
	case LogicalInteger:
		return integerType(l.Bits, l.Signed)
	case LogicalDecimal:
		return types.Decimal(l.Precision, l.Scale)
	case LogicalDate:
		return types.Date32
	case LogicalTime, LogicalTimestamp:
		return types.DateTime64(l.Unit, "UTC", time.UTC)
	case LogicalUUID:
		return types.UUID
	case LogicalFloat16:
		return types.Float32
	}
	switch n.Physical {
	case PhysicalBoolean:
		return types.Bool
	case PhysicalInt32:
		return types.Int32
	case PhysicalInt64:
		return types.Int64
	case PhysicalInt96:
		return types.DateTime64(9, "UTC", time.UTC)
	case PhysicalFloat:
		return types.Float32
	case PhysicalDouble:
		return types.Float64
	case PhysicalFixed:
		if n.Length == 0 || l.Kind == LogicalString || l.Kind == LogicalEnum || l.Kind == LogicalJSON || l.Kind == LogicalBSON {
			return types.String
		}
		return types.FixedString(n.Length)
	}
	return types.String
}

func integerType(width int, signed bool) *types.Type {
	switch {
	case width == 8 && signed:
		return types.Int8
	case width == 8:
		return types.UInt8
	case width == 16 && signed:
		return types.Int16
	case width == 16:
		return types.UInt16
	case width == 32 && signed:
		return types.Int32
	case width == 32:
		return types.UInt32
	case signed:
		return types.Int64
	}
	return types.UInt64
}

type shapeKind uint8

const (
	shapeStruct shapeKind = iota
	shapeList
	shapeMap
)

// shape is what a group stands for. For a list, elem is the element; it is
// the repeated node itself in 2-level lists. repeated is the node that
// repeats.
type shape struct {
	kind       shapeKind
	repeated   *SchemaNode
	elem       *SchemaNode
	key, value *SchemaNode
}

// shapeOf applies the format's rules for lists and maps, the ones for files of
// old writers included.
func shapeOf(n *SchemaNode) shape {
	if len(n.Children) != 1 || n.Children[0].Repetition != Repeated {
		return shape{}
	}
	r := n.Children[0]
	switch n.Logical.Kind {
	case LogicalMap:
		if !r.IsLeaf() && len(r.Children) == 2 && r.Children[0].Repetition != Repeated && r.Children[1].Repetition != Repeated {
			return shape{kind: shapeMap, repeated: r, key: r.Children[0], value: r.Children[1]}
		}
	case LogicalList:
		if twoLevel(n, r) {
			return shape{kind: shapeList, repeated: r, elem: r}
		}
		return shape{kind: shapeList, repeated: r, elem: r.Children[0]}
	}
	return shape{}
}

// twoLevel tells whether the repeated node is the element and not a wrapping.
func twoLevel(list, repeated *SchemaNode) bool {
	return repeated.IsLeaf() || len(repeated.Children) != 1 || repeated.Children[0].Repetition == Repeated ||
		repeated.Name == "array" || repeated.Name == list.Name+"_tuple"
}
