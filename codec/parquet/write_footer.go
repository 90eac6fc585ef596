package parquet

import "bytes"

// writtenChunk is what the footer says of a chunk.
type writtenChunk struct {
	leaf      *writeLeaf
	values    int64
	nulls     int64
	raw, size int64
	dictAt    int64 // 0: none
	dataAt    int64
	pages     []writtenPage // at: from the file's beginning
	plain     int           // pages
	lo, hi    []byte
	bloom     []byte
	noIndex   bool

	bloomAt, columnAt, offsetAt       int64
	bloomSize, columnSize, offsetSize int
}

type writtenGroup struct {
	chunks []writtenChunk
	rows   int64
	at     int64
}

func (g *writtenGroup) sizes() (raw, size int64) {
	for i := range g.chunks {
		raw, size = raw+g.chunks[i].raw, size+g.chunks[i].size
	}
	return raw, size
}

// offsetIndex says where pages begin.
func (c *writtenChunk) offsetIndex() []byte {
	w := thriftWriter{}
	w.begin()
	w.list(1, thriftStruct, len(c.pages))
	for i := range c.pages {
		p := &c.pages[i]
		w.begin()
		w.i64(1, int64(p.at))
		w.i32(2, int32(p.size))
		w.i64(3, p.first)
		w.end()
	}
	w.end()
	return w.buf
}

// columnIndex gives the pages' bounds; nil where they cannot be told.
func (c *writtenChunk) columnIndex() []byte {
	if c.noIndex {
		return nil
	}
	w := thriftWriter{}
	w.begin()
	w.list(1, thriftTrue, len(c.pages))
	for i := range c.pages {
		b := byte(thriftFalse)
		if c.pages[i].lo == nil {
			b = thriftTrue
		}
		w.buf = append(w.buf, b)
	}
	w.list(2, thriftBinary, len(c.pages))
	for i := range c.pages {
		w.bytes(c.pages[i].lo)
	}
	w.list(3, thriftBinary, len(c.pages))
	for i := range c.pages {
		w.bytes(c.pages[i].hi)
	}
	w.i32(4, 0) // in no order that readers could rely on
	w.list(5, thriftI64, len(c.pages))
	for i := range c.pages {
		w.zigzag(c.pages[i].nulls)
	}
	w.end()
	return w.buf
}

func (w *thriftWriter) chunk(c *writtenChunk, codec Codec) {
	w.begin()
	w.i64(2, 0)
	w.inner(3)
	w.i32(1, int32(c.leaf.physical))
	encodings := []int32{encPlain, encRLE}
	if c.dictAt > 0 {
		encodings = append(encodings, encRLEDictionary)
	}
	w.list(2, thriftI32, len(encodings))
	for _, e := range encodings {
		w.zigzag(int64(e))
	}
	w.list(3, thriftBinary, len(c.leaf.path))
	for _, name := range c.leaf.path {
		w.bytes([]byte(name))
	}
	w.i32(4, int32(codec))
	w.i64(5, c.values)
	w.i64(6, c.raw)
	w.i64(7, c.size)
	w.i64(9, c.dataAt)
	if c.dictAt > 0 {
		w.i64(11, c.dictAt)
	}
	w.inner(12)
	w.i64(3, c.nulls)
	if c.lo != nil && len(c.lo) <= longestBound && len(c.hi) <= longestBound {
		w.binary(5, c.hi)
		w.binary(6, c.lo)
		w.boolean(7, true)
		w.boolean(8, true)
	}
	w.end()
	w.pageEncodings(c)
	if c.bloomAt > 0 {
		w.i64(14, c.bloomAt)
		w.i32(15, int32(c.bloomSize))
	}
	w.end()
	if c.offsetAt > 0 {
		w.i64(4, c.offsetAt)
		w.i32(5, int32(c.offsetSize))
	}
	if c.columnAt > 0 {
		w.i64(6, c.columnAt)
		w.i32(7, int32(c.columnSize))
	}
	w.end()
}

func (w *thriftWriter) pageEncodings(c *writtenChunk) {
	var list []pageEncoding
	if c.dictAt > 0 {
		list = append(list, pageEncoding{pageDictionary, encPlain, 1})
	}
	if n := len(c.pages) - c.plain; n > 0 {
		list = append(list, pageEncoding{pageData, encRLEDictionary, int32(n)})
	}
	if c.plain > 0 {
		list = append(list, pageEncoding{pageData, encPlain, int32(c.plain)})
	}
	w.list(13, thriftStruct, len(list))
	for _, e := range list {
		w.begin()
		w.i32(1, e.page)
		w.i32(2, e.encoding)
		w.i32(3, e.count)
		w.end()
	}
}

func (w *thriftWriter) schemaElement(e *schemaElement) {
	w.begin()
	if e.physical != physicalNone {
		w.i32(1, int32(e.physical))
	}
	if e.physical == PhysicalFixed {
		w.i32(2, e.length)
	}
	w.i32(3, int32(e.repetition))
	w.text(4, e.name)
	if e.physical == physicalNone {
		w.i32(5, e.children)
	}
	if e.converted >= 0 {
		w.i32(6, e.converted)
	}
	if e.logical.Kind == LogicalDecimal {
		w.i32(7, e.scale)
		w.i32(8, e.precision)
	}
	if e.fieldID >= 0 {
		w.i32(9, e.fieldID)
	}
	if e.logical.Kind != LogicalNone {
		w.inner(10)
		w.logical(e.logical)
		w.end()
	}
	w.end()
}

// logicalMembers are the members of the format's union of logical types.
var logicalMembers = map[Logical]int{
	LogicalString: 1, LogicalMap: 2, LogicalList: 3, LogicalEnum: 4, LogicalDecimal: 5, LogicalDate: 6, LogicalTime: 7, LogicalTimestamp: 8,
	LogicalInteger: 10, LogicalJSON: 12, LogicalUUID: 14,
}

func (w *thriftWriter) logical(l LogicalType) {
	w.inner(logicalMembers[l.Kind])
	switch l.Kind {
	case LogicalDecimal:
		w.i32(1, int32(l.Scale))
		w.i32(2, int32(l.Precision))
	case LogicalTime, LogicalTimestamp:
		w.boolean(1, l.UTC)
		w.inner(2)
		w.unit(l.Unit / 3)
		w.end()
	case LogicalInteger:
		w.i8(1, int8(l.Bits))
		w.boolean(2, l.Signed)
	}
	w.end()
}

func (w *Writer) footer() []byte {
	t := thriftWriter{}
	t.begin()
	t.i32(1, 2)
	t.list(2, thriftStruct, len(w.schema.nodes))
	for i := range w.schema.nodes {
		t.schemaElement(&w.schema.nodes[i])
	}
	t.i64(3, w.total)
	t.list(4, thriftStruct, len(w.groups))
	for i := range w.groups {
		g := &w.groups[i]
		raw, size := g.sizes()
		t.begin()
		t.list(1, thriftStruct, len(g.chunks))
		for k := range g.chunks {
			t.chunk(&g.chunks[k], w.opt.Codec)
		}
		t.i64(2, raw)
		t.i64(3, g.rows)
		t.i64(5, g.at)
		t.i64(6, size)
		t.field(7, thriftI16)
		t.zigzag(int64(int16(i)))
		t.end()
	}
	if len(w.opt.KeyValues) > 0 {
		t.list(5, thriftStruct, len(w.opt.KeyValues))
		for _, kv := range w.opt.KeyValues {
			t.begin()
			t.text(1, kv.Key)
			t.text(2, kv.Value)
			t.end()
		}
	}
	if w.opt.CreatedBy != "" {
		t.text(6, w.opt.CreatedBy)
	}
	t.list(7, thriftStruct, len(w.schema.leaves))
	for range w.schema.leaves {
		t.begin()
		t.unit(1)
		t.end()
	}
	t.end()
	return bytes.Clone(t.buf)
}
