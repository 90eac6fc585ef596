package orc

import "encoding/binary"

// integers decodes n integers by the encoding of a column: runs of the first or
// of the second version.
func (d *decoder) integers(c uint64, data []byte, n int, signed bool) ([]int64, error) {
	r := &intReader{data: data, signed: signed, out: make([]int64, 0, min(n, 1<<16))}
	second := d.encodings[c].kind >= 2
	for len(r.out) < n && !r.bad {
		if len(r.data) == 0 {
			return nil, damaged("a stream of integers is cut")
		}
		if second {
			r.runV2()
		} else {
			r.runV1()
		}
	}
	if r.bad {
		return nil, damaged("a run of integers is cut")
	}
	return r.out[:n], nil
}

type intReader struct {
	data   []byte
	signed bool
	out    []int64
	bad    bool
}

func (r *intReader) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *intReader) varint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[n:]
	return v
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func (r *intReader) number(v uint64) int64 {
	if r.signed {
		return unzigzag(v)
	}
	return int64(v)
}

func (r *intReader) runV1() {
	control := int8(r.byte())
	if control < 0 {
		for range -int(control) {
			r.out = append(r.out, r.number(r.varint()))
		}
		return
	}
	delta := int64(int8(r.byte()))
	v := r.number(r.varint())
	for range int(control) + 3 {
		r.out = append(r.out, v)
		v += delta
	}
}

func (r *intReader) runV2() {
	head := r.byte()
	switch head >> 6 {
	case 0:
		r.shortRepeat(head)
	case 1:
		width, n := r.head(head)
		for _, v := range r.packed(n, width) {
			r.out = append(r.out, r.number(v))
		}
	case 2:
		r.patched(head)
	default:
		r.delta(head)
	}
}

func (r *intReader) shortRepeat(head byte) {
	v := r.bigEndian(int(head>>3&7) + 1)
	for range int(head&7) + 3 {
		r.out = append(r.out, r.number(v))
	}
}

func (r *intReader) bigEndian(bytes int) (v uint64) {
	for range bytes {
		v = v<<8 | uint64(r.byte())
	}
	return v
}

// head gives the width in bits and the length of a run.
func (r *intReader) head(b byte) (width, n int) {
	return widthOf(int(b >> 1 & 31)), (int(b&1)<<8 | int(r.byte())) + 1
}

func widthOf(code int) int {
	if code <= 23 {
		return code + 1
	}
	return [...]int{26, 28, 30, 32, 40, 48, 56, 64}[code-24]
}

// packed reads n numbers of a width in bits, the highest bit first.
func (r *intReader) packed(n, width int) []uint64 {
	size := (n*width + 7) / 8
	if size > len(r.data) {
		r.bad = true
		return nil
	}
	data := r.data[:size]
	r.data = r.data[size:]
	out := make([]uint64, n)
	bit := 0
	for i := range out {
		var v uint64
		for left := width; left > 0; {
			have := 8 - bit&7
			take := min(have, left)
			part := data[bit>>3] >> (have - take) & (1<<take - 1)
			v = v<<take | uint64(part)
			bit, left = bit+take, left-take
		}
		out[i] = v
	}
	return out
}

// delta is a first number, a first step, and steps of the same sign.
func (r *intReader) delta(head byte) {
	width, n := r.head(head)
	if head>>1&31 == 0 {
		width = 0
	}
	v := r.number(r.varint())
	step := unzigzag(r.varint())
	if r.bad {
		return
	}
	r.out = append(r.out, v)
	if width == 0 {
		for range n - 1 {
			v += step
			r.out = append(r.out, v)
		}
		return
	}
	if n < 2 {
		return
	}
	v += step
	r.out = append(r.out, v)
	for _, s := range r.packed(n-2, width) {
		if step < 0 {
			v -= int64(s)
		} else {
			v += int64(s)
		}
		r.out = append(r.out, v)
	}
}

// patched is numbers over a base, of which a few have more bits than the width:
// these come in a list of gaps and bits.
func (r *intReader) patched(head byte) {
	width, n := r.head(head)
	third, fourth := r.byte(), r.byte()
	baseBytes := int(third>>5) + 1
	patchWidth, gapWidth, patches := widthOf(int(third&31)), int(fourth>>5)+1, int(fourth&31)
	base := int64(r.bigEndian(baseBytes))
	if sign := int64(1) << (baseBytes*8 - 1); base&sign != 0 {
		base = -(base &^ sign)
	}
	values := r.packed(n, width)
	if r.bad || patchWidth+gapWidth > 64 {
		r.bad = true
		return
	}
	at := 0
	for _, p := range r.packed(patches, closest(patchWidth+gapWidth)) {
		at += int(p >> patchWidth)
		if at >= n {
			r.bad = true
			return
		}
		if width < 64 {
			values[at] |= (p & (1<<patchWidth - 1)) << width
		}
	}
	for _, v := range values {
		r.out = append(r.out, base+int64(v))
	}
}

// closest gives the least width that packed numbers may have.
func closest(bits int) int {
	if bits <= 24 {
		return max(bits, 1)
	}
	for _, w := range [...]int{26, 28, 30, 32, 40, 48, 56} {
		if bits <= w {
			return w
		}
	}
	return 64
}

// byteRuns decodes n bytes.
func byteRuns(data []byte, n int) ([]byte, error) {
	out := make([]byte, 0, min(n, 1<<16))
	for len(out) < n {
		if len(data) < 2 {
			return nil, damaged("a stream of bytes is cut")
		}
		control := int8(data[0])
		data = data[1:]
		if control >= 0 {
			for range int(control) + 3 {
				out = append(out, data[0])
			}
			data = data[1:]
			continue
		}
		count := -int(control)
		if count > len(data) {
			return nil, damaged("a stream of bytes is cut")
		}
		out = append(out, data[:count]...)
		data = data[count:]
	}
	return out[:n], nil
}

// bools decodes n bits, the highest of a byte first.
func bools(data []byte, n int) ([]bool, error) {
	if n < 0 || n > maxRows {
		return nil, damaged("a stripe has more rows than stripes have")
	}
	raw, err := byteRuns(data, (n+7)/8)
	if err != nil {
		return nil, err
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = raw[i/8]>>(7-i%8)&1 == 1
	}
	return out, nil
}
