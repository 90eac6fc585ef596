package format

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"lakeserver/column"
	"lakeserver/types"
)

var _ = add(Format{
	Name: "MsgPack", ContentType: bytesType,
	NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
		return &msgPackWriter{buffer{w: w}, h, o.Settings.Get("output_format_msgpack_uuid_representation")}, nil
	},
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return &msgPackReader{r: r, h: h, o: o}, nil
	},
})

// msgPackWriter writes values one behind the other, row by row.
type msgPackWriter struct {
	buffer
	h    column.Header
	uuid string // how a UUID stands: ext, str or bin
}

func (w *msgPackWriter) Write(b *column.Block) error {
	p, err := newPivotWriter(w.h, b)
	if err != nil {
		return err
	}
	for row := range b.Rows {
		for i, f := range w.h {
			if err := w.value(f.Type, p.cell(i, row)); err != nil {
				return err
			}
		}
		if err := w.sendFull(); err != nil {
			return err
		}
	}
	return w.send()
}

func (w *msgPackWriter) Totals(*column.Block) error   { return nil }
func (w *msgPackWriter) Extremes(*column.Block) error { return nil }
func (w *msgPackWriter) Finish(Statistics) error      { return w.send() }

func (w *msgPackWriter) value(t *types.Type, v *rowBytes) error { // long: one case a type
	t = types.WithoutLowCardinality(t)
	switch t.Kind() {
	case types.KindNullable:
		if v.take(1)[0] != 0 {
			w.buf = append(w.buf, 0xc0)
			return nil
		}
		return w.value(t.Elem(), v)
	case types.KindString:
		w.bin(v.take(v.count()))
		return nil
	case types.KindFixedString:
		w.bin(v.take(t.Length()))
		return nil
	case types.KindFloat32:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, 0xca), binary.LittleEndian.Uint32(v.take(4)))
		return nil
	case types.KindFloat64:
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, 0xcb), binary.LittleEndian.Uint64(v.take(8)))
		return nil
	case types.KindUUID:
		w.uuidValue(v.take(16))
		return nil
	case types.KindArray:
		n := v.count()
		w.size(n, 0x90, 0xdc)
		return w.values(n, v, t.Elem())
	case types.KindMap:
		n := v.count()
		w.size(n, 0x80, 0xde)
		return w.values(n, v, t.Elems()...)
	case types.KindTuple:
		w.size(len(t.Elems()), 0x90, 0xdc)
		return w.values(1, v, t.Elems()...)
	}
	switch width := widthOf(t); {
	case width == 0:
		return noForm(t, "MsgPack")
	case width > 8:
		w.bin(v.take(width))
	default:
		w.integer(integer(v.take(width), isSignedForm(t)), isSignedForm(t))
	}
	return nil
}

func (w *msgPackWriter) values(n int, v *rowBytes, ts ...*types.Type) error {
	for range n {
		for _, t := range ts {
			if err := w.value(t, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *msgPackWriter) bin(v []byte) {
	switch n := len(v); {
	case n <= math.MaxUint8:
		w.buf = append(w.buf, 0xc4, byte(n))
	case n <= math.MaxUint16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, 0xc5), uint16(n))
	default:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, 0xc6), uint32(n))
	}
	w.buf = append(w.buf, v...)
}

// size begins an array or map.
func (w *msgPackWriter) size(n int, short, long byte) {
	switch {
	case n < 16:
		w.buf = append(w.buf, short|byte(n))
	case n <= math.MaxUint16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, long), uint16(n))
	default:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, long+1), uint32(n))
	}
}

// integer takes the shortest form.
func (w *msgPackWriter) integer(v int64, signed bool) {
	u := uint64(v)
	switch {
	case signed && v < 0:
		switch {
		case v >= -32:
			w.buf = append(w.buf, byte(v))
		case v >= math.MinInt8:
			w.buf = append(w.buf, 0xd0, byte(v))
		case v >= math.MinInt16:
			w.buf = binary.BigEndian.AppendUint16(append(w.buf, 0xd1), uint16(v))
		case v >= math.MinInt32:
			w.buf = binary.BigEndian.AppendUint32(append(w.buf, 0xd2), uint32(v))
		default:
			w.buf = binary.BigEndian.AppendUint64(append(w.buf, 0xd3), u)
		}
	case u < 128:
		w.buf = append(w.buf, byte(u))
	case u <= math.MaxUint8:
		w.buf = append(w.buf, 0xcc, byte(u))
	case u <= math.MaxUint16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, 0xcd), uint16(u))
	case u <= math.MaxUint32:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, 0xce), uint32(u))
	default:
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, 0xcf), u)
	}
}

func (w *msgPackWriter) uuidValue(raw []byte) {
	hi, lo := binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])
	switch w.uuid {
	case "bin":
		w.bin(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, hi), lo))
	case "str":
		text := uuidText(hi, lo)
		w.buf = append(append(w.buf, 0xd9, byte(len(text))), text...)
	default:
		w.buf = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(append(w.buf, 0xd8, 2), hi), lo)
	}
}
