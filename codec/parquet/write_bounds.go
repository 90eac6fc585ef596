package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"
)

// order is how a leaf's values compare.
type order uint8

const (
	orderInt32 order = iota
	orderUint32
	orderFloat
	orderInt64
	orderUint64
	orderDouble
	orderBool
	orderBytes
	orderDecimal // two's complement, highest byte first
)

// bounds are the least and greatest value of a page or a chunk: numbers by
// their bits, or bytes.
type bounds struct {
	any    bool
	lo, hi uint64
	loB    []byte
	hiB    []byte
}

func (o order) less(a, b uint64) bool {
	switch o {
	case orderInt32:
		return int32(a) < int32(b)
	case orderInt64:
		return int64(a) < int64(b)
	case orderFloat:
		return math.Float32frombits(uint32(a)) < math.Float32frombits(uint32(b))
	case orderDouble:
		return math.Float64frombits(a) < math.Float64frombits(b)
	}
	return a < b
}

func (o order) compare(a, b []byte) int {
	if o == orderDecimal && len(a) > 0 && len(b) > 0 && a[0]^b[0] >= 0x80 {
		return int(int8(a[0])) - int(int8(b[0]))
	}
	return bytes.Compare(a, b)
}

// number widens the bounds by one value.
func (b *bounds) number(o order, v uint64) {
	switch {
	case o == orderFloat && v<<33>>33 > 0x7f800000, o == orderDouble && v<<1>>1 > 0x7ff<<52: // NaN is in no bound
	case !b.any:
		b.any, b.lo, b.hi = true, v, v
	case o.less(v, b.lo):
		b.lo = v
	case o.less(b.hi, v):
		b.hi = v
	}
}

func (b *bounds) bytes(o order, v []byte) {
	switch {
	case !b.any:
		b.any, b.loB, b.hiB = true, bytes.Clone(v), bytes.Clone(v)
	case o.compare(v, b.loB) < 0:
		b.loB = bytes.Clone(v)
	case o.compare(b.hiB, v) < 0:
		b.hiB = bytes.Clone(v)
	}
}

// join widens the bounds by others.
func (b *bounds) join(o order, x *bounds) {
	switch {
	case !x.any:
	case o >= orderBytes:
		b.bytes(o, x.loB)
		b.bytes(o, x.hiB)
	default:
		b.number(o, x.lo)
		b.number(o, x.hi)
	}
}

// numbers32 widens the bounds by many.
func (b *bounds) numbers32(o order, v []uint32) {
	if len(v) == 0 {
		return
	}
	switch o {
	case orderInt32:
		lo, hi := extremes(reinterpret[int32](v))
		b.number(o, uint64(uint32(lo)))
		b.number(o, uint64(uint32(hi)))
	case orderUint32:
		lo, hi := extremes(v)
		b.number(o, uint64(lo))
		b.number(o, uint64(hi))
	default:
		for _, x := range v {
			b.number(o, uint64(x))
		}
	}
}

func (b *bounds) numbers64(o order, v []uint64) {
	if len(v) == 0 {
		return
	}
	switch o {
	case orderInt64:
		lo, hi := extremes(reinterpret[int64](v))
		b.number(o, uint64(lo))
		b.number(o, uint64(hi))
	case orderUint64:
		lo, hi := extremes(v)
		b.number(o, lo)
		b.number(o, hi)
	default:
		for _, x := range v {
			b.number(o, x)
		}
	}
}

func extremes[T int32 | uint32 | int64 | uint64](v []T) (lo, hi T) {
	lo, hi = v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// reinterpret gives the same memory as values of another type of that size.
func reinterpret[To, From int32 | uint32 | int64 | uint64 | float32 | float64](v []From) []To {
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// plain gives the bounds as PLAIN has values, bytes without a length.
func (b *bounds) plain(o order) (lo, hi []byte) {
	l, h := b.lo, b.hi
	switch o { // both zeros are in bounds that one of them is
	case orderFloat:
		l, h = orZero(l, 0, 1<<31), orZero(h, 1<<31, 0)
		fallthrough
	case orderInt32, orderUint32:
		return binary.LittleEndian.AppendUint32(nil, uint32(l)), binary.LittleEndian.AppendUint32(nil, uint32(h))
	case orderDouble:
		l, h = orZero(l, 0, 1<<63), orZero(h, 1<<63, 0)
		fallthrough
	case orderInt64, orderUint64:
		return binary.LittleEndian.AppendUint64(nil, l), binary.LittleEndian.AppendUint64(nil, h)
	case orderBool:
		return []byte{byte(l)}, []byte{byte(h)}
	}
	return b.loB, b.hiB
}

func orZero(v, if0, then uint64) uint64 {
	if v == if0 {
		return then
	}
	return v
}

// Longest bounds: of a chunk, beyond which there are none; of a page, beyond
// which they are shortened.
const (
	longestBound     = 4096
	longestPageBound = 64
)

// shortened gives bounds of bytes that are no longer than need be; text is cut
// between characters.
func shortened(o order, lo, hi []byte, text bool) ([]byte, []byte) {
	if o != orderBytes {
		return lo, hi
	}
	if len(lo) > longestPageBound {
		lo = lo[:cut(lo, text)]
	}
	if len(hi) > longestPageBound {
		if up := next(hi[:cut(hi, text)], text); up != nil {
			hi = up
		}
	}
	return lo, hi
}

func cut(v []byte, text bool) int {
	n := longestPageBound
	for text && n > longestPageBound-4 && !utf8.RuneStart(v[n]) {
		n--
	}
	return n
}

// next gives the least value of that length that is above all that begin with
// v, nil if there is none.
func next(v []byte, text bool) []byte {
	out := bytes.Clone(v)
	for len(out) > 0 {
		if !text {
			if last := len(out) - 1; out[last] < 0xff {
				out[last]++
				return out
			}
			out = out[:len(out)-1]
			continue
		}
		r, n := utf8.DecodeLastRune(out)
		if r == utf8.RuneError && n <= 1 {
			return nil
		}
		out = out[:len(out)-n]
		if r++; r == 0xd800 {
			r = 0xe000
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(out, r)
		}
	}
	return nil
}
