package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

func uuidText(hi, lo uint64) string {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:8], hi)
	binary.BigEndian.PutUint64(u[8:], lo)
	return u.String()
}

// msgPackReader takes as many values a row as there are columns.
type msgPackReader struct {
	r *bufio.Reader
	h column.Header
	o *Options
	p *pivotReader
}

func (m *msgPackReader) Missing() [][]uint8 { return nil }
func (m *msgPackReader) Close() error       { return nil }

func (m *msgPackReader) Next(ctx context.Context) (b *column.Block, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.p == nil {
		if m.p, err = newPivotReader(m.h); err != nil {
			return nil, err
		}
	}
	rows := 0
	var cell []byte
	for ; rows < m.o.MaxBlockRows; rows++ {
		if _, err := m.r.Peek(1); err == io.EOF {
			break
		}
		for i, f := range m.h {
			if cell, err = m.value(cell[:0], f.Type, 0); err == nil {
				err = m.p.put(i, cell)
			}
			if err != nil {
				return nil, cherr.Wrap(err, "reading row %d, column %s", rows+1, f.Name)
			}
		}
	}
	if rows == 0 {
		return nil, nil
	}
	return m.p.block(rows), nil
}

// maxValueDepth bounds nesting of values in a document.
const maxValueDepth = 100

func (m *msgPackReader) number(n int) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(m.r, b[8-n:]); err != nil {
		return 0, cutValue()
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func cutValue() error {
	return cherr.New(cherr.CannotReadAllData, "Cannot read all data: a value is cut")
}

// value translates the value at hand.
func (m *msgPackReader) value(dst []byte, t *types.Type, depth int) ([]byte, error) { // long: one case a form
	if depth > maxValueDepth {
		return nil, cherr.New(cherr.TooDeepRecursion, "Values are nested too deep")
	}
	c, err := m.r.ReadByte()
	if err != nil {
		return nil, cutValue()
	}
	if c == 0xc0 {
		return putNull(dst, t)
	}
	dst, t = startValue(dst, t)
	sized := func(n int) (int, error) {
		v, err := m.number(n)
		if err != nil || v > math.MaxInt32 {
			return 0, cutValue()
		}
		return int(v), nil
	}
	switch {
	case c < 0x80:
		return putInteger(dst, t, int64(c), true)
	case c >= 0xe0:
		return putInteger(dst, t, int64(int8(c)), false)
	case c < 0x90:
		return m.list(dst, t, int(c&15), true, depth)
	case c < 0xa0:
		return m.list(dst, t, int(c&15), false, depth)
	case c < 0xc0:
		return m.bytes(dst, t, int(c&31))
	case c == 0xc2 || c == 0xc3:
		return putInteger(dst, t, int64(c-0xc2), true)
	case c == 0xca:
		v, err := m.number(4)
		if err != nil {
			return nil, err
		}
		return putFloat(dst, t, float64(math.Float32frombits(uint32(v))))
	case c == 0xcb:
		v, err := m.number(8)
		if err != nil {
			return nil, err
		}
		return putFloat(dst, t, math.Float64frombits(v))
	case c >= 0xcc && c <= 0xcf:
		v, err := m.number(1 << (c - 0xcc))
		if err != nil {
			return nil, err
		}
		return putInteger(dst, t, int64(v), true)
	case c >= 0xd0 && c <= 0xd3:
		n := 1 << (c - 0xd0)
		v, err := m.number(n)
		if err != nil {
			return nil, err
		}
		shift := 64 - 8*n
		return putInteger(dst, t, int64(v<<shift)>>shift, false)
	case c >= 0xc4 && c <= 0xc6, c >= 0xd9 && c <= 0xdb:
		n, err := sized(1 << ((c - 0xc4) % 21))
		if err != nil {
			return nil, err
		}
		return m.bytes(dst, t, n)
	case c >= 0xdc:
		n, err := sized(2 << ((c - 0xdc) % 2))
		if err != nil {
			return nil, err
		}
		return m.list(dst, t, n, c >= 0xde, depth)
	case c == 0xd8:
		if kind, err := m.r.ReadByte(); err != nil || kind != 2 {
			return nil, cherr.New(cherr.IncorrectData, "Unsupported MsgPack extension type: %d", kind)
		}
		return m.bytes(dst, t, 16)
	}
	return nil, cherr.New(cherr.IncorrectData, "Unsupported MsgPack type 0x%x", c)
}

func (m *msgPackReader) bytes(dst []byte, t *types.Type, n int) ([]byte, error) {
	b, err := readBytes(m.r, n)
	if err != nil {
		return nil, err
	}
	if t.Kind() == types.KindUUID {
		if n == 36 {
			u, err := uuid.ParseBytes(b)
			if err != nil {
				return nil, cherr.New(cherr.CannotParseUUID, "Cannot parse UUID: %s", b)
			}
			b = u[:]
		}
		if len(b) == 16 {
			dst = binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(b))
			return binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(b[8:])), nil
		}
	}
	return putBytes(dst, t, b)
}

// readBytes does not trust a length: memory grows as bytes arrive.
func readBytes(r io.Reader, n int) ([]byte, error) {
	var out []byte
	for n > 0 {
		part := min(n, 1<<16)
		at := len(out)
		out = append(out, make([]byte, part)...)
		if _, err := io.ReadFull(r, out[at:]); err != nil {
			return nil, cutValue()
		}
		n -= part
	}
	return out, nil
}

func (m *msgPackReader) list(dst []byte, t *types.Type, n int, pairs bool, depth int) ([]byte, error) {
	var parts []*types.Type
	switch {
	case pairs && t.Kind() == types.KindMap:
		parts = t.Elems()
		dst = binary.AppendUvarint(dst, uint64(n))
	case !pairs && t.Kind() == types.KindArray:
		parts = []*types.Type{t.Elem()}
		dst = binary.AppendUvarint(dst, uint64(n))
	case !pairs && t.Kind() == types.KindTuple && len(t.Elems()) == n:
		parts, n = t.Elems(), 1
	case pairs:
		return nil, wrongValue("a map", t)
	default:
		return nil, wrongValue("an array", t)
	}
	var err error
	for range n {
		for _, p := range parts {
			if dst, err = m.value(dst, p, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return dst, nil
}
