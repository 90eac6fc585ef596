package parquet

// Types of the Thrift compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxThriftDepth bounds the nesting of skipped values: the format's own
// structs are a handful deep.
const maxThriftDepth = 32

type thriftState uint8

const (
	thriftOK    thriftState = iota
	thriftShort             // the bytes end inside a value
	thriftBad               // no valid value
)

// thriftReader reads the Thrift compact protocol. The first failure sticks:
// from then on every read gives zero and ends every loop.
type thriftReader struct {
	buf   []byte
	pos   int
	state thriftState
}

func (r *thriftReader) fail(s thriftState) {
	if r.state == thriftOK {
		r.state = s
	}
	r.pos = len(r.buf)
}

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.buf) {
		r.fail(thriftShort)
		return 0
	}
	b := r.buf[r.pos]
	r.pos++
	return b
}

func (r *thriftReader) uvarint() uint64 {
	if r.pos < len(r.buf) && r.buf[r.pos] < 0x80 {
		r.pos++
		return uint64(r.buf[r.pos-1])
	}
	var v uint64
	for shift := 0; shift < 70; shift += 7 {
		if r.pos >= len(r.buf) {
			r.fail(thriftShort)
			return 0
		}
		b := r.buf[r.pos]
		r.pos++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail(thriftBad)
	return 0
}

// int reads an i16, i32 or i64.
func (r *thriftReader) int() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// i32 reads an i32 and refuses what does not fit.
func (r *thriftReader) i32() int32 {
	v := r.int()
	if int64(int32(v)) != v {
		r.fail(thriftBad)
		return 0
	}
	return int32(v)
}

// binary gives a view of the bytes.
func (r *thriftReader) binary() []byte {
	n := r.uvarint()
	if r.state != thriftOK {
		return nil
	}
	if n > uint64(len(r.buf)-r.pos) {
		r.fail(thriftShort)
		return nil
	}
	b := r.buf[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// list gives the length and element type of a list. Every element takes a
// byte at least, so the length is bounded by the bytes that are left.
func (r *thriftReader) list() (n int, elem byte) {
	h := r.byte()
	elem = h & 0x0f
	size := uint64(h >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if r.state != thriftOK {
		return 0, 0
	}
	if size > uint64(len(r.buf)-r.pos) {
		r.fail(thriftShort)
		return 0, 0
	}
	return int(size), elem
}

// field reads a field header after the field with id last. ok is false at the
// struct's end and after a failure.
func (r *thriftReader) field(last int) (id int, typ byte, ok bool) {
	h := r.byte()
	if h == thriftStop || r.state != thriftOK {
		return 0, 0, false
	}
	typ = h & 0x0f
	if d := int(h >> 4); d != 0 {
		return last + d, typ, true
	}
	id = int(r.int())
	return id, typ, r.state == thriftOK
}

// boolean gives the value that a boolean field's header holds.
func boolean(typ byte) bool { return typ == thriftTrue }

// skip passes over a value.
func (r *thriftReader) skip(typ byte) { r.skipAt(typ, 0) }

func (r *thriftReader) skipAt(typ byte, depth int) {
	if depth > maxThriftDepth {
		r.fail(thriftBad)
		return
	}
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.advance(8)
	case thriftUUID:
		r.advance(16)
	case thriftBinary:
		r.binary()
	case thriftList, thriftSet:
		n, elem := r.list()
		for range n {
			r.skipElem(elem, depth)
		}
	case thriftMap:
		r.skipMap(depth)
	case thriftStruct:
		for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
			r.skipAt(t, depth+1)
		}
	default:
		r.fail(thriftBad)
	}
}

// skipElem differs from skipAt for booleans: inside a list they take a byte.
func (r *thriftReader) skipElem(typ byte, depth int) {
	if typ == thriftTrue || typ == thriftFalse {
		r.byte()
		return
	}
	r.skipAt(typ, depth+1)
}

func (r *thriftReader) skipMap(depth int) {
	n := r.uvarint()
	if n == 0 || r.state != thriftOK {
		return
	}
	if n > uint64(len(r.buf)-r.pos) {
		r.fail(thriftShort)
		return
	}
	kv := r.byte()
	for range int(n) {
		r.skipElem(kv>>4, depth)
		r.skipElem(kv&0x0f, depth)
	}
}

func (r *thriftReader) advance(n int) {
	if n > len(r.buf)-r.pos {
		r.fail(thriftShort)
		return
	}
	r.pos += n
}
