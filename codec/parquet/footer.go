package parquet

// The footer's structs as they lie in the file. Byte slices are views into the
// footer's bytes, which live as long as the Reader.

type fileMeta struct {
	version   int32
	schema    []schemaElement
	rows      int64
	groups    []groupMeta
	keyValues []KeyValue
	createdBy string
	// ordered tells by leaf whether its order is the type's defined one.
	ordered []bool
}

type schemaElement struct {
	physical   Physical
	length     int32
	repetition Repetition
	name       string
	children   int32
	converted  int32 // -1: none
	scale      int32
	precision  int32
	fieldID    int32
	logical    LogicalType
}

type groupMeta struct {
	chunks  []chunkMeta
	bytes   int64
	rows    int64
	ordinal int32
}

type chunkMeta struct {
	physical     Physical
	encodings    uint32 // a bit an encoding
	codec        Codec
	values       int64
	uncompressed int64
	compressed   int64
	dataOffset   int64
	dictOffset   int64 // 0: none
	stats        statsMeta
	hasPageStats bool
	pageStats    []pageEncoding
	bloomOffset  int64 // 0: none
	bloomLength  int32
	ciOffset     int64 // column index; 0: none
	ciLength     int32
	oiOffset     int64 // offset index; 0: none
	oiLength     int32
	external     bool // stands in another file
	encrypted    bool
	present      bool // has metadata
}

type pageEncoding struct {
	page, encoding, count int32
}

type statsMeta struct {
	oldMin, oldMax     []byte
	min, max           []byte
	nulls, distinct    int64
	hasNulls, hasDist  bool
	hasOldMin, hasMin  bool
	hasOldMax, hasMax  bool
	minExact, maxExact bool
}

func parseFileMeta(buf []byte) (*fileMeta, thriftState) {
	r := &thriftReader{buf: buf}
	m := &fileMeta{}
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftI32:
			m.version = r.i32()
		case id == 2 && t == thriftList:
			n, elem := r.list()
			if elem != thriftStruct {
				r.fail(thriftBad)
			}
			m.schema = make([]schemaElement, 0, min(n, 4096))
			for i := 0; i < n && r.state == thriftOK; i++ {
				m.schema = append(m.schema, parseSchemaElement(r))
			}
		case id == 3 && t == thriftI64:
			m.rows = r.int()
		case id == 4 && t == thriftList:
			n, elem := r.list()
			if n > 0 && elem != thriftStruct {
				r.fail(thriftBad)
			}
			m.groups = make([]groupMeta, 0, min(n, 4096))
			for i := 0; i < n && r.state == thriftOK; i++ {
				m.groups = append(m.groups, parseGroup(r, len(m.schema)))
			}
		case id == 5 && t == thriftList:
			n, _ := r.list()
			for i := 0; i < n && r.state == thriftOK; i++ {
				m.keyValues = append(m.keyValues, parseKeyValue(r))
			}
		case id == 6 && t == thriftBinary:
			m.createdBy = string(r.binary())
		case id == 7 && t == thriftList:
			n, _ := r.list()
			for i := 0; i < n && r.state == thriftOK; i++ {
				m.ordered = append(m.ordered, parseColumnOrder(r))
			}
		default:
			r.skip(t)
		}
	}
	return m, r.state
}

func parseColumnOrder(r *thriftReader) (typeDefined bool) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		typeDefined = typeDefined || id == 1
		r.skip(t)
	}
	return typeDefined
}

func parseKeyValue(r *thriftReader) (kv KeyValue) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftBinary:
			kv.Key = string(r.binary())
		case id == 2 && t == thriftBinary:
			kv.Value = string(r.binary())
		default:
			r.skip(t)
		}
	}
	return kv
}

func parseSchemaElement(r *thriftReader) schemaElement {
	e := schemaElement{physical: physicalNone, converted: -1, fieldID: -1}
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 4 && t == thriftBinary:
			e.name = string(r.binary())
		case id == 10 && t == thriftStruct:
			e.logical = parseLogical(r)
		case t == thriftI32 && id >= 1 && id <= 9:
			v := r.i32()
			switch id {
			case 1:
				e.physical = Physical(clampEnum(v))
			case 2:
				e.length = v
			case 3:
				e.repetition = Repetition(clampEnum(v))
			case 5:
				e.children = v
			case 6:
				e.converted = v
			case 7:
				e.scale = v
			case 8:
				e.precision = v
			case 9:
				e.fieldID = v
			}
		default:
			r.skip(t)
		}
	}
	return e
}

// clampEnum keeps an enumeration's value within int8, unknown ones unknown.
func clampEnum(v int32) int8 {
	if v < 0 || v > 126 {
		return 127
	}
	return int8(v)
}

func parseGroup(r *thriftReader, leaves int) groupMeta {
	var g groupMeta
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftList:
			n, elem := r.list()
			if n > 0 && elem != thriftStruct {
				r.fail(thriftBad)
			}
			g.chunks = make([]chunkMeta, 0, min(n, leaves))
			for i := 0; i < n && r.state == thriftOK; i++ {
				g.chunks = append(g.chunks, chunkMeta{})
				parseChunk(r, &g.chunks[i])
			}
		case id == 2 && t == thriftI64:
			g.bytes = r.int()
		case id == 3 && t == thriftI64:
			g.rows = r.int()
		case id == 7 && t == thriftI16:
			g.ordinal = r.i32()
		default:
			r.skip(t)
		}
	}
	return g
}

func parseChunk(r *thriftReader, c *chunkMeta) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftBinary:
			c.external = len(r.binary()) > 0
		case id == 3 && t == thriftStruct:
			c.present = true
			parseChunkMeta(r, c)
		case id == 4 && t == thriftI64:
			c.oiOffset = r.int()
		case id == 5 && t == thriftI32:
			c.oiLength = r.i32()
		case id == 6 && t == thriftI64:
			c.ciOffset = r.int()
		case id == 7 && t == thriftI32:
			c.ciLength = r.i32()
		case id == 8 && t == thriftStruct:
			c.encrypted = true
			r.skip(t)
		default:
			r.skip(t)
		}
	}
}

func parseChunkMeta(r *thriftReader, c *chunkMeta) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftI32:
			c.physical = Physical(clampEnum(r.i32()))
		case id == 2 && t == thriftList:
			n, _ := r.list()
			for range n {
				if e := r.i32(); e >= 0 && e < 32 {
					c.encodings |= 1 << e
				}
			}
		case id == 4 && t == thriftI32:
			c.codec = Codec(clampEnum(r.i32()))
		case t == thriftI64 && id >= 5:
			v := r.int()
			switch id {
			case 5:
				c.values = v
			case 6:
				c.uncompressed = v
			case 7:
				c.compressed = v
			case 9:
				c.dataOffset = v
			case 11:
				c.dictOffset = v
			case 14:
				c.bloomOffset = v
			}
		case id == 12 && t == thriftStruct:
			parseStats(r, &c.stats)
		case id == 13 && t == thriftList:
			n, _ := r.list()
			c.hasPageStats = true
			c.pageStats = make([]pageEncoding, 0, min(n, 16))
			for i := 0; i < n && r.state == thriftOK; i++ {
				c.pageStats = append(c.pageStats, parsePageEncoding(r))
			}
		case id == 15 && t == thriftI32:
			c.bloomLength = r.i32()
		default:
			r.skip(t)
		}
	}
}

func parsePageEncoding(r *thriftReader) (p pageEncoding) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftI32:
			p.page = r.i32()
		case id == 2 && t == thriftI32:
			p.encoding = r.i32()
		case id == 3 && t == thriftI32:
			p.count = r.i32()
		default:
			r.skip(t)
		}
	}
	return p
}

func parseStats(r *thriftReader, s *statsMeta) {
	s.minExact, s.maxExact = true, true
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case t == thriftBinary && id == 1:
			s.oldMax, s.hasOldMax = r.binary(), true
		case t == thriftBinary && id == 2:
			s.oldMin, s.hasOldMin = r.binary(), true
		case t == thriftI64 && id == 3:
			s.nulls, s.hasNulls = r.int(), true
		case t == thriftI64 && id == 4:
			s.distinct, s.hasDist = r.int(), true
		case t == thriftBinary && id == 5:
			s.max, s.hasMax = r.binary(), true
		case t == thriftBinary && id == 6:
			s.min, s.hasMin = r.binary(), true
		case id == 7 && (t == thriftTrue || t == thriftFalse):
			s.maxExact = boolean(t)
		case id == 8 && (t == thriftTrue || t == thriftFalse):
			s.minExact = boolean(t)
		default:
			r.skip(t)
		}
	}
}
