package parquet

import "encoding/binary"

// thriftWriter writes the Thrift compact protocol. Fields of a struct must
// come in ascending order.
type thriftWriter struct {
	buf  []byte
	last []int // the field written last, a struct being written each
}

func (w *thriftWriter) uvarint(v uint64) { w.buf = binary.AppendUvarint(w.buf, v) }
func (w *thriftWriter) zigzag(v int64)   { w.uvarint(uint64(v)<<1 ^ uint64(v>>63)) }

// begin opens a struct: the whole message, or an element of a list.
func (w *thriftWriter) begin() { w.last = append(w.last, 0) }

// end closes the struct at hand.
func (w *thriftWriter) end() {
	w.buf = append(w.buf, thriftStop)
	w.last = w.last[:len(w.last)-1]
}

func (w *thriftWriter) field(id int, typ byte) {
	top := len(w.last) - 1
	if d := id - w.last[top]; d > 0 && d < 16 {
		w.buf = append(w.buf, byte(d)<<4|typ)
	} else {
		w.buf = append(w.buf, typ)
		w.zigzag(int64(id))
	}
	w.last[top] = id
}

func (w *thriftWriter) i32(id int, v int32) { w.field(id, thriftI32); w.zigzag(int64(v)) }
func (w *thriftWriter) i64(id int, v int64) { w.field(id, thriftI64); w.zigzag(v) }

func (w *thriftWriter) i8(id int, v int8) {
	w.field(id, thriftByte)
	w.buf = append(w.buf, byte(v))
}

func (w *thriftWriter) boolean(id int, v bool) {
	typ := byte(thriftFalse)
	if v {
		typ = thriftTrue
	}
	w.field(id, typ)
}

func (w *thriftWriter) bytes(v []byte) {
	w.uvarint(uint64(len(v)))
	w.buf = append(w.buf, v...)
}

func (w *thriftWriter) text(id int, v string) {
	w.field(id, thriftBinary)
	w.uvarint(uint64(len(v)))
	w.buf = append(w.buf, v...)
}

func (w *thriftWriter) binary(id int, v []byte) {
	w.field(id, thriftBinary)
	w.bytes(v)
}

// inner opens a struct as a field.
func (w *thriftWriter) inner(id int) {
	w.field(id, thriftStruct)
	w.begin()
}

// unit writes a union's member that holds nothing.
func (w *thriftWriter) unit(id int) {
	w.inner(id)
	w.end()
}

// list opens a list as a field; its n elements follow.
func (w *thriftWriter) list(id int, elem byte, n int) {
	w.field(id, thriftList)
	if n < 15 {
		w.buf = append(w.buf, byte(n)<<4|elem)
		return
	}
	w.buf = append(w.buf, 0xf0|elem)
	w.uvarint(uint64(n))
}
