package read

import (
	"encoding/binary"
	"math"
	"unsafe"

	"lakeserver/column"
	"lakeserver/types"
)

// Keys are compared in an encoded form, made a block at a time: one word for
// keys of up to eight bytes, else bytes whose order is that of the values.
// NULL comes first, -0.0 before 0.0 and NaN last, as Paimon orders them.

// keyWidth gives the bytes of a key in one word; ok is false when it must be
// bytes.
func keyWidth(ts []*types.Type) (ok bool) {
	n := 0
	for _, t := range ts {
		w := fixedWidth(t)
		if w == 0 || t.IsNullable() {
			return false
		}
		n += w
	}
	return n <= 8
}

// fixedWidth gives the bytes of an ordered value, 0 for text and bytes.
func fixedWidth(t *types.Type) int {
	t = types.Unwrap(t)
	if t.Physical() == types.PhysString {
		return 0
	}
	return t.Bytes()
}

// wordKeys encodes rows of columns that keyWidth allows.
func wordKeys(cols []column.Column, n int) []uint64 {
	out := make([]uint64, n)
	for i, c := range cols {
		w, width := words(column.Full(c))
		switch {
		case i == 0:
			out = w
		default:
			for j := range out {
				out[j] = out[j]<<(8*width) | w[j]
			}
		}
	}
	return out
}

// words gives a plain column's values as words in their order, and the bytes
// that each needs; 0 for forms that no word holds.
func words(c column.Column) (out []uint64, width int) { // long: one case a form
	out = make([]uint64, c.Len())
	switch x := c.(type) {
	case *column.Fixed[uint8]:
		return each(out, x.Values, func(v uint8) uint64 { return uint64(v) }), 1
	case *column.Fixed[int8]:
		return each(out, x.Values, func(v int8) uint64 { return uint64(uint8(v) ^ 0x80) }), 1
	case *column.Fixed[uint16]:
		return each(out, x.Values, func(v uint16) uint64 { return uint64(v) }), 2
	case *column.Fixed[int16]:
		return each(out, x.Values, func(v int16) uint64 { return uint64(uint16(v) ^ 0x8000) }), 2
	case *column.Fixed[int32]:
		for i, v := range x.Values {
			out[i] = uint64(uint32(v) ^ 0x80000000)
		}
		return out, 4
	case *column.Fixed[int64]:
		for i, v := range x.Values {
			out[i] = uint64(v) ^ 1<<63
		}
		return out, 8
	case *column.Fixed[float32]:
		return each(out, x.Values, func(v float32) uint64 { return uint64(floatWord32(v)) }), 4
	case *column.Fixed[float64]:
		return each(out, x.Values, floatWord), 8
	}
	return nil, 0
}

func each[T any](out []uint64, v []T, f func(T) uint64) []uint64 {
	for i := range v {
		out[i] = f(v[i])
	}
	return out
}

func floatWord(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}

func floatWord32(f float32) uint32 {
	if f != f {
		return math.MaxUint32
	}
	u := math.Float32bits(f)
	if u>>31 != 0 {
		return ^u
	}
	return u | 1<<31
}

// textKeys encodes rows of any flat columns. descending turns the order of the
// values around; NULL stays first.
func textKeys(cols []column.Column, n int, descending bool) []string {
	if len(cols) == 1 && !descending {
		if s, ok := cols[0].(*column.Str); ok {
			out := make([]string, n)
			for i := range out {
				out[i] = s.StringAt(i)
			}
			return out
		}
	}
	ends := make([]int, n+1) // place of each row, then its end
	parts := make([]keyPart, len(cols))
	for i, c := range cols {
		parts[i] = newKeyPart(column.Full(c), i < len(cols)-1 || descending)
		if descending {
			parts[i].marks = [2]byte{0xff, 0xfe}
		}
		parts[i].sizes(ends[1:])
	}
	total := 0
	for i := range n {
		total += ends[i+1]
		ends[i+1] = total
	}
	buf := make([]byte, total)
	at := make([]int, n)
	copy(at, ends[:n])
	for i := range parts {
		parts[i].put(buf, at)
	}
	if descending { // but NULL is first all the same: its mark is turned around twice
		for i := range buf {
			buf[i] = ^buf[i]
		}
	}
	out := make([]string, n)
	for i := range out {
		if ends[i+1] > ends[i] {
			out[i] = unsafe.String(&buf[ends[i]], ends[i+1]-ends[i])
		}
	}
	return out
}

// keyPart encodes one column of a key.
type keyPart struct {
	values column.Column
	null   []uint8
	marked bool // a byte before the value says whether it is NULL
	ended  bool // text ends with a mark, for more follows
	width  int  // 0: text
	words  []uint64
	marks  [2]byte // of NULL and of values
}

func newKeyPart(c column.Column, ended bool) keyPart {
	values, null := column.SplitNulls(c)
	_, marked := c.(*column.Nullable)
	p := keyPart{values: values, null: null, marked: marked, ended: ended, marks: [2]byte{0, 1}}
	if _, ok := values.(*column.Str); !ok {
		p.words, p.width = words(values)
		if _, ok := values.(*column.Fixed[types.I128]); ok {
			p.width = 16
		}
	}
	return p
}

func (p *keyPart) isNull(i int) bool { return p.null != nil && p.null[i] != 0 }

// sizes adds the bytes of each row.
func (p *keyPart) sizes(n []int) {
	mark := 0
	if p.marked {
		mark = 1
	}
	s, isText := p.values.(*column.Str)
	for i := range n {
		n[i] += mark
		switch {
		case p.isNull(i):
		case !isText:
			n[i] += p.width
		case !p.ended:
			n[i] += int(s.Lns[i])
		default:
			n[i] += int(s.Lns[i]) + 2
			for _, c := range s.At(i) {
				if c == 0 {
					n[i]++
				}
			}
		}
	}
}

// put writes each row's part and moves its place on.
func (p *keyPart) put(buf []byte, at []int) {
	if p.marked {
		for i := range at {
			buf[at[i]] = p.marks[1]
			if p.isNull(i) {
				buf[at[i]] = p.marks[0]
			}
			at[i]++
		}
	}
	switch x := p.values.(type) {
	case *column.Str:
		for i := range at {
			if p.isNull(i) {
				continue
			}
			if !p.ended {
				at[i] += copy(buf[at[i]:], x.At(i))
				continue
			}
			for _, c := range x.At(i) { // 0 is written 0 ff, so that the end 0 0 comes before it
				buf[at[i]] = c
				at[i]++
				if c == 0 {
					buf[at[i]] = 0xff
					at[i]++
				}
			}
			at[i] += 2
		}
	case *column.Fixed[types.I128]:
		for i, v := range x.Values {
			if !p.isNull(i) {
				binary.BigEndian.PutUint64(buf[at[i]:], uint64(v.Hi)^1<<63)
				binary.BigEndian.PutUint64(buf[at[i]+8:], v.Lo)
				at[i] += 16
			}
		}
	default:
		for i := range at {
			if p.isNull(i) {
				continue
			}
			v := p.words[i]
			for b := p.width - 1; b >= 0; b-- {
				buf[at[i]+b] = byte(v)
				v >>= 8
			}
			at[i] += p.width
		}
	}
}
