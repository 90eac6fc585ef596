package parquet

// Physical is how a leaf's values lie in the file.
type Physical int8

// The physical types, numbered as in the format.
const (
	PhysicalBoolean Physical = iota
	PhysicalInt32
	PhysicalInt64
	PhysicalInt96
	PhysicalFloat
	PhysicalDouble
	PhysicalByteArray
	PhysicalFixed
	physicalNone Physical = -1 // a group
)

var physicalNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// String gives the format's name.
func (p Physical) String() string {
	if p < 0 || int(p) >= len(physicalNames) {
		return "group"
	}
	return physicalNames[p]
}

// Repetition says how often a node's value stands in its parent.
type Repetition int8

// The repetitions, numbered as in the format.
const (
	Required Repetition = iota
	Optional
	Repeated
)

// Logical is what a node's values mean.
type Logical uint8

// The logical types; the older converted types are mapped onto them.
const (
	LogicalNone Logical = iota
	LogicalString
	LogicalEnum
	LogicalJSON
	LogicalBSON
	LogicalUUID
	LogicalInteger // Bits, Signed
	LogicalDecimal // Precision, Scale
	LogicalDate
	LogicalTime      // Unit, UTC
	LogicalTimestamp // Unit, UTC
	LogicalInterval
	LogicalFloat16
	LogicalUnknown // always NULL
	LogicalVariant
	LogicalGeometry
	LogicalGeography
	LogicalList
	LogicalMap
)

// The encodings, numbered as in the format.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDeltaBinary     = 5
	encDeltaLength     = 6
	encDeltaByteArray  = 7
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// The page kinds, numbered as in the format.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// Codec is how pages are compressed.
type Codec int8

// The codecs, numbered as in the format.
const (
	CodecNone Codec = iota
	CodecSnappy
	CodecGzip
	CodecLZO
	CodecBrotli
	CodecLZ4 // Hadoop's framing
	CodecZstd
	CodecLZ4Raw
)

var codecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// String gives the format's name.
func (c Codec) String() string {
	if c < 0 || int(c) >= len(codecNames) {
		return "unknown"
	}
	return codecNames[c]
}
