package parquet

import (
	"encoding/binary"

	"lakeserver/cherr"
)

// decoder reads the values of one page in their order.
type decoder interface {
	// reset begins a page of at most n values, whose bytes reach into slack.
	reset(data []byte, n int) error
	// read adds n values to v. view tells that v now refers to the page's bytes.
	read(v *vec, n int) (view bool, err error)
	// skip passes over n values.
	skip(n int) error
}

var errPageShort = cherr.New(cherr.IncorrectData, "a page ends before its last value")

// widthOf gives the bytes of a decoded value, 0 for strings.
func widthOf(n *SchemaNode) int {
	switch n.Physical {
	case PhysicalBoolean:
		return 1
	case PhysicalInt32, PhysicalFloat:
		return 4
	case PhysicalInt64, PhysicalDouble:
		return 8
	case PhysicalInt96:
		return 12
	case PhysicalFixed:
		return n.Length
	}
	return 0
}

func newPlain(n *SchemaNode) decoder {
	switch n.Physical {
	case PhysicalBoolean:
		return &plainBool{}
	case PhysicalByteArray:
		return &plainBytes{}
	}
	return &plainFixed{width: widthOf(n)}
}

// plainFixed is values of one width, one behind the other.
type plainFixed struct {
	data  []byte
	width int
}

func (d *plainFixed) reset(data []byte, _ int) error { d.data = data; return nil }

func (d *plainFixed) cut(n int) ([]byte, error) {
	if d.width == 0 {
		return nil, nil
	}
	if n > len(d.data)/d.width {
		return nil, errPageShort
	}
	b := d.data[:n*d.width]
	d.data = d.data[n*d.width:]
	return b, nil
}

func (d *plainFixed) read(v *vec, n int) (bool, error) {
	b, err := d.cut(n)
	if err != nil || n == 0 {
		return false, err
	}
	return v.take(b), nil
}

func (d *plainFixed) skip(n int) error { _, err := d.cut(n); return err }

// plainBool is a bit a value.
type plainBool struct {
	data []byte
	bit  int
}

func (d *plainBool) reset(data []byte, _ int) error { d.data, d.bit = data, 0; return nil }

func (d *plainBool) read(v *vec, n int) (bool, error) {
	if d.bit+n > len(d.data)*8 {
		return false, errPageShort
	}
	dst := v.extend(n)
	if off := d.bit & 7; off != 0 {
		head := min(n, 8-off)
		unpack8(dst[:head], d.data, d.bit, 1)
		d.bit += head
		dst = dst[head:]
	}
	unpack8(dst, d.data, d.bit, 1)
	d.bit += len(dst)
	return false, nil
}

func (d *plainBool) skip(n int) error {
	if d.bit+n > len(d.data)*8 {
		return errPageShort
	}
	d.bit += n
	return nil
}

// rleBool is booleans as runs and groups behind their length.
type rleBool struct{ h hybrid }

func (d *rleBool) reset(data []byte, _ int) error {
	if len(data) < 4 {
		return errPageShort
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return errPageShort
	}
	d.h.reset(data[4:4+n:cap(data)], 1)
	return nil
}

func (d *rleBool) read(v *vec, n int) (bool, error) { return false, d.h.levels(v.extend(n), 1) }
func (d *rleBool) skip(n int) error                 { return d.h.skip(n) }

// plainBytes is strings, each behind its length.
type plainBytes struct {
	data []byte
	at   int
}

func (d *plainBytes) reset(data []byte, _ int) error { d.data, d.at = data, 0; return nil }

func (d *plainBytes) read(v *vec, n int) (bool, error) {
	if n > (len(d.data)-d.at)/4 {
		return false, errPageShort
	}
	start, lns := v.places(n)
	data, at := d.data, d.at
	for i := range start {
		if len(data)-at < 4 {
			return false, errPageShort
		}
		l := binary.LittleEndian.Uint32(data[at:])
		at += 4
		if uint64(l) > uint64(len(data)-at) {
			return false, errPageShort
		}
		start[i], lns[i] = uint32(at), l
		at += int(l)
	}
	d.at = at
	return v.adopt(data, n)
}

func (d *plainBytes) skip(n int) error {
	data, at := d.data, d.at
	for range n {
		if len(data)-at < 4 {
			return errPageShort
		}
		l := binary.LittleEndian.Uint32(data[at:])
		at += 4
		if uint64(l) > uint64(len(data)-at) {
			return errPageShort
		}
		at += int(l)
	}
	d.at = at
	return nil
}
