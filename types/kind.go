package types

// Kind is the family of a type, without its parameters.
type Kind uint8

// The kinds, in the order in which ClickHouse's documentation lists them.
const (
	KindNothing Kind = iota
	KindUInt8
	KindUInt16
	KindUInt32
	KindUInt64
	KindUInt128
	KindUInt256
	KindInt8
	KindInt16
	KindInt32
	KindInt64
	KindInt128
	KindInt256
	KindFloat32
	KindFloat64
	KindBFloat16
	KindBool
	KindDecimal32
	KindDecimal64
	KindDecimal128
	KindDecimal256
	KindString
	KindFixedString
	KindDate
	KindDate32
	KindTime
	KindTime64
	KindDateTime
	KindDateTime64
	KindEnum8
	KindEnum16
	KindUUID
	KindIPv4
	KindIPv6
	KindInterval
	KindNullable
	KindLowCardinality
	KindArray
	KindTuple
	KindMap
	KindAggregateFunction
	KindSimpleAggregateFunction
	KindVariant
	KindDynamic
	KindJSON
)

// Physical is the Go form in which a column holds a kind's values.
type Physical uint8

// The physical forms. Composite and wrapping kinds have forms of their own.
const (
	PhysNothing Physical = iota
	PhysUInt8            // UInt8, Bool
	PhysUInt16           // UInt16, Date, BFloat16 (upper half of a float32)
	PhysUInt32           // UInt32, DateTime, IPv4
	PhysUInt64
	PhysUInt128 // UInt128, UUID
	PhysUInt256
	PhysInt8  // Int8, Enum8
	PhysInt16 // Int16, Enum16
	PhysInt32 // Int32, Date32, Time, Decimal32
	PhysInt64 // Int64, DateTime64, Time64, Decimal64, Interval
	PhysInt128
	PhysInt256
	PhysFloat32
	PhysFloat64
	PhysIPv6   // [16]byte, network order
	PhysString // String, FixedString (padded to its length), AggregateFunction (serialised states), JSON text
	PhysArray
	PhysTuple
	PhysMap
	PhysVariant
)

// physicals maps kinds to forms; wrapping kinds take their element's.
var physicals = [...]Physical{
	KindNothing: PhysNothing,
	KindUInt8:   PhysUInt8, KindUInt16: PhysUInt16, KindUInt32: PhysUInt32, KindUInt64: PhysUInt64,
	KindUInt128: PhysUInt128, KindUInt256: PhysUInt256,
	KindInt8: PhysInt8, KindInt16: PhysInt16, KindInt32: PhysInt32, KindInt64: PhysInt64,
	KindInt128: PhysInt128, KindInt256: PhysInt256,
	KindFloat32: PhysFloat32, KindFloat64: PhysFloat64, KindBFloat16: PhysUInt16, KindBool: PhysUInt8,
	KindDecimal32: PhysInt32, KindDecimal64: PhysInt64, KindDecimal128: PhysInt128, KindDecimal256: PhysInt256,
	KindString: PhysString, KindFixedString: PhysString,
	KindDate: PhysUInt16, KindDate32: PhysInt32, KindTime: PhysInt32, KindTime64: PhysInt64,
	KindDateTime: PhysUInt32, KindDateTime64: PhysInt64,
	KindEnum8: PhysInt8, KindEnum16: PhysInt16, KindUUID: PhysUInt128, KindIPv4: PhysUInt32, KindIPv6: PhysIPv6,
	KindInterval: PhysInt64, KindArray: PhysArray, KindTuple: PhysTuple, KindMap: PhysMap,
	KindAggregateFunction: PhysString, KindVariant: PhysVariant, KindDynamic: PhysVariant, KindJSON: PhysString,
}
