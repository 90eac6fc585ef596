package catalog

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"time"

	"lakeserver/cherr"
)

// Thrift's binary protocol, as much as Hive's metastore speaks: values as they
// come, so that what is not known here passes through unchanged.

const (
	thriftBool   = 2
	thriftByte   = 3
	thriftDouble = 4
	thriftI16    = 6
	thriftI32    = 8
	thriftI64    = 10
	thriftString = 11
	thriftStruct = 12
	thriftMap    = 13
	thriftSet    = 14
	thriftList   = 15
)

// field is one field of a struct.
type field struct {
	id    int16
	kind  byte
	value any
}

// record is a struct: its fields in the order of the wire.
type record []field

func (r record) get(id int16) any {
	for _, f := range r {
		if f.id == id {
			return f.value
		}
	}
	return nil
}

func (r record) text(id int16) string {
	s, _ := r.get(id).(string)
	return s
}

func (r record) number(id int16) int64 {
	switch v := r.get(id).(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	}
	return 0
}

// set gives a copy with a field changed or added.
func (r record) set(id int16, kind byte, value any) record {
	out := append(record(nil), r...)
	for i := range out {
		if out[i].id == id {
			out[i] = field{id, kind, value}
			return out
		}
	}
	return append(out, field{id, kind, value})
}

// list is a list or set; dict a map from strings in the order of the wire.
type list struct {
	kind  byte
	items []any
}

type dict struct {
	key, value byte
	keys       []any
	values     []any
}

func textDict(m map[string]string, order []string) dict {
	d := dict{key: thriftString, value: thriftString}
	for _, k := range order {
		d.keys, d.values = append(d.keys, k), append(d.values, m[k])
	}
	return d
}

func (d dict) get(key string) string {
	for i, k := range d.keys {
		if k == key {
			s, _ := d.values[i].(string)
			return s
		}
	}
	return ""
}

func (d dict) set(key, value string) dict {
	out := dict{key: thriftString, value: thriftString, keys: append([]any(nil), d.keys...), values: append([]any(nil), d.values...)}
	for i, k := range out.keys {
		if k == key {
			out.values[i] = value
			return out
		}
	}
	out.keys, out.values = append(out.keys, key), append(out.values, value)
	return out
}

func appendString(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

func appendValue(b []byte, kind byte, v any) []byte { // long: one case a kind
	switch kind {
	case thriftBool, thriftByte:
		n, _ := v.(byte)
		return append(b, n)
	case thriftI16:
		n, _ := v.(int16)
		return binary.BigEndian.AppendUint16(b, uint16(n))
	case thriftI32:
		n, _ := v.(int32)
		return binary.BigEndian.AppendUint32(b, uint32(n))
	case thriftI64, thriftDouble:
		n, _ := v.(int64)
		return binary.BigEndian.AppendUint64(b, uint64(n))
	case thriftString:
		s, _ := v.(string)
		return appendString(b, s)
	case thriftStruct:
		r, _ := v.(record)
		for _, f := range r {
			b = append(b, f.kind)
			b = binary.BigEndian.AppendUint16(b, uint16(f.id))
			b = appendValue(b, f.kind, f.value)
		}
		return append(b, 0)
	case thriftMap:
		d, _ := v.(dict)
		b = append(b, d.key, d.value)
		b = binary.BigEndian.AppendUint32(b, uint32(len(d.keys)))
		for i := range d.keys {
			b = appendValue(appendValue(b, d.key, d.keys[i]), d.value, d.values[i])
		}
		return b
	}
	l, _ := v.(list)
	b = append(b, l.kind)
	b = binary.BigEndian.AppendUint32(b, uint32(len(l.items)))
	for _, x := range l.items {
		b = appendValue(b, l.kind, x)
	}
	return b
}

// thriftReader reads values; after an error it gives zeros.
type thriftReader struct {
	r     *bufio.Reader
	left  int64 // bytes that an answer may still have
	depth int
	err   error
}

func (t *thriftReader) bytes(n int) []byte {
	if t.left -= int64(n); t.err == nil && (n < 0 || t.left < 0) {
		t.err = io.ErrUnexpectedEOF
	}
	if t.err != nil {
		return make([]byte, 8)
	}
	b := make([]byte, n)
	_, t.err = io.ReadFull(t.r, b)
	return b
}

func (t *thriftReader) u16() uint16 { return binary.BigEndian.Uint16(t.bytes(2)) }
func (t *thriftReader) u32() uint32 { return binary.BigEndian.Uint32(t.bytes(4)) }

func (t *thriftReader) string() string {
	b := t.bytes(int(int32(t.u32())))
	if t.err != nil {
		return ""
	}
	return string(b)
}

func (t *thriftReader) value(kind byte) any { // long: one case a kind
	if t.depth++; t.depth > 64 && t.err == nil {
		t.err = io.ErrUnexpectedEOF
	}
	defer func() { t.depth-- }()
	if t.err != nil {
		return nil
	}
	switch kind {
	case thriftBool, thriftByte:
		return t.bytes(1)[0]
	case thriftI16:
		return int16(t.u16())
	case thriftI32:
		return int32(t.u32())
	case thriftI64, thriftDouble:
		return int64(binary.BigEndian.Uint64(t.bytes(8)))
	case thriftString:
		return t.string()
	case thriftStruct:
		var r record
		for t.err == nil {
			k := t.bytes(1)[0]
			if k == 0 {
				break
			}
			id := int16(t.u16())
			r = append(r, field{id, k, t.value(k)})
		}
		return r
	case thriftMap:
		head := t.bytes(2)
		d := dict{key: head[0], value: head[1]}
		for n := t.u32(); n > 0 && t.err == nil; n-- {
			d.keys = append(d.keys, t.value(d.key))
			d.values = append(d.values, t.value(d.value))
		}
		return d
	case thriftList, thriftSet:
		l := list{kind: t.bytes(1)[0]}
		for n := t.u32(); n > 0 && t.err == nil; n-- {
			l.items = append(l.items, t.value(l.kind))
		}
		return l
	}
	t.err = io.ErrUnexpectedEOF
	return nil
}

// thriftConn is a connection, used by one call at a time.
type thriftConn struct {
	conn net.Conn
	r    *bufio.Reader
	seq  int32
}

const (
	thriftVersion = 0x80010000
	thriftCall    = 1
	thriftError   = 3
	maxThrift     = 1 << 28
)

// call sends a method's arguments and gives its result struct: field 0 is the
// success, the others are exceptions.
func (c *thriftConn) call(ctx context.Context, method string, args record) (record, error) {
	c.seq++
	b := binary.BigEndian.AppendUint32(nil, thriftVersion|thriftCall)
	b = appendString(b, method)
	b = binary.BigEndian.AppendUint32(b, uint32(c.seq))
	b = appendValue(b, thriftStruct, args)
	deadline := time.Now().Add(requestTime)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	_ = c.conn.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := c.conn.Write(b); err != nil {
		return nil, err
	}
	t := &thriftReader{r: c.r, left: maxThrift}
	head := t.u32()
	_ = t.string() // the method
	seq := int32(t.u32())
	out, _ := t.value(thriftStruct).(record)
	switch {
	case t.err != nil:
		return nil, t.err
	case head&0xffff0000 != thriftVersion || seq != c.seq:
		return nil, io.ErrUnexpectedEOF
	case head&0xff == thriftError:
		return nil, cherr.New(cherr.DatalakeDatabaseError, "The metastore does not answer %s: %s", method, out.text(1))
	}
	return out, nil
}
