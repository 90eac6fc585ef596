package parquet

import (
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
)

// vec holds decoded values of one leaf, NULLs left out, in the file's physical
// form: either width bytes a value, or strings. Booleans are a byte a value.
type vec struct {
	width  int // 0: strings
	fixed  []byte
	str    column.Str
	shared bool // the values' bytes belong to a page: they are not appended to
}

// reset forgets the values, whose memory went into a column.
func (v *vec) reset() { *v = vec{width: v.width} }

// reuse forgets the values and keeps the memory that nothing refers to.
func (v *vec) reuse() {
	if v.shared {
		v.fixed = nil
	}
	v.fixed, v.shared = v.fixed[:0], false
	v.str = column.Str{Start: v.str.Start[:0], Lns: v.str.Lns[:0]}
}

func (v *vec) len() int {
	if v.width == 0 {
		return len(v.str.Start)
	}
	return len(v.fixed) / v.width
}

// extend gives room for n more fixed-width values.
func (v *vec) extend(n int) []byte {
	at, need := len(v.fixed), len(v.fixed)+n*v.width
	if v.shared || cap(v.fixed) < need+slack {
		grown := make([]byte, need, max(need, min(2*at, need+(1<<20)))+slack)
		copy(grown, v.fixed)
		v.fixed, v.shared = grown, false
	}
	v.fixed = v.fixed[:need]
	return v.fixed[at:]
}

// take adds fixed-width values that lie in a page: as a view when they are the
// first. It tells whether the page must live as long as the vec.
func (v *vec) take(values []byte) (view bool) {
	if len(v.fixed) == 0 && viewable(values) {
		v.fixed, v.shared = values, true
		return true
	}
	copy(v.extend(len(values)/v.width), values)
	return false
}

// viewable tells whether values may be seen as words where they lie.
func viewable(b []byte) bool {
	return unalignedLoads || len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))&7 == 0
}

// strings gives room for n more places of strings.
func (v *vec) places(n int) (start, lns []uint32) {
	at := len(v.str.Start)
	v.str.Start = growTo(v.str.Start, at+n)
	v.str.Lns = growTo(v.str.Lns, at+n)
	return v.str.Start[at:], v.str.Lns[at:]
}

func growTo(s []uint32, n int) []uint32 {
	if cap(s) < n {
		grown := make([]uint32, n, max(n, min(2*len(s), n+(1<<18))))
		copy(grown, s)
		return grown
	}
	return s[:n]
}

// adopt lets the vec's strings, the last n of which were placed relative to
// data, share data when they are its only ones; else their range of bytes is
// copied behind the others. It tells whether data must live as long as the vec.
func (v *vec) adopt(data []byte, n int) (view bool, err error) {
	s := &v.str
	at := len(s.Start) - n
	if n == 0 {
		return false, nil
	}
	if at == 0 {
		s.Data, v.shared = data, true
		return true, nil
	}
	if v.shared {
		if unsafe.SliceData(s.Data) == unsafe.SliceData(data) {
			return true, nil // two parts of one page
		}
		_, a, _ := wanted(s.Start[:at], s.Lns[:at])
		_, b, _ := wanted(s.Start[at:], s.Lns[at:])
		own := appendSpan(make([]byte, 0, a+b), s.Data, s.Start[:at], s.Lns[:at])
		s.Data, v.shared = own, false
	}
	s.Data = appendSpan(s.Data, data, s.Start[at:], s.Lns[at:])
	if int64(len(s.Data)) > maxStrBytes {
		return false, errStrBytes
	}
	return false, nil
}

// maxStrBytes bounds the bytes of one column's window: a column's places are
// 32 bits, and prefix-coded pages can unfold without end.
const maxStrBytes = 1 << 30

var errStrBytes = cherr.New(cherr.TooLargeStringSize, "the strings of one block are more than 1 GiB")

// wanted gives how many bytes are to be copied for strings: from the first to
// the end of the last where most of that is theirs, else their own only.
func wanted(start, lns []uint32) (from uint32, n int, whole bool) {
	from = start[0]
	end, total := uint32(0), 0
	for i, s := range start {
		from, end = min(from, s), max(end, s+lns[i])
		total += int(lns[i])
	}
	if span := int(end - from); span <= 2*total+16*len(lns) {
		return from, span, true
	}
	return from, total, false
}

// appendSpan copies the bytes of strings behind dst and moves their places.
func appendSpan(dst, data []byte, start, lns []uint32) []byte {
	if from, n, whole := wanted(start, lns); whole {
		shift := uint32(len(dst)) - from
		dst = append(dst, data[from:int(from)+n]...)
		for i := range start {
			start[i] += shift
		}
		return dst
	}
	for i, s := range start {
		start[i] = uint32(len(dst))
		dst = append(dst, data[s:s+lns[i]]...)
	}
	return dst
}

// gather adds the values of src at the positions. passing tells that the bytes
// of src are a page's: a few strings are better copied than the whole page kept.
func (v *vec) gather(src *vec, rows []uint32, passing bool) (view bool, err error) {
	if v.width == 0 {
		start, lns := v.places(len(rows))
		for i, r := range rows {
			start[i], lns[i] = src.str.Start[r], src.str.Lns[r]
		}
		if len(rows) > 0 && passing && len(start) == len(v.str.Start) {
			if _, n, whole := wanted(start, lns); !whole {
				v.str.Data = appendSpan(make([]byte, 0, n), src.str.Data, start, lns)
				return false, nil
			}
		}
		return v.adopt(src.str.Data, len(rows))
	}
	gatherFixed(v.extend(len(rows)), src.fixed, rows, v.width)
	return false, nil
}

func gatherFixed(dst, src []byte, rows []uint32, width int) {
	switch width {
	case 1:
		for i, r := range rows {
			dst[i] = src[r]
		}
	case 4:
		d, s := view[uint32](dst), view[uint32](src)
		for i, r := range rows {
			d[i] = s[r]
		}
	case 8:
		d, s := view[uint64](dst), view[uint64](src)
		for i, r := range rows {
			d[i] = s[r]
		}
	default:
		for i, r := range rows {
			copy(dst[i*width:(i+1)*width], src[int(r)*width:])
		}
	}
}

// view sees bytes as values of T; the bytes hold whole ones.
func view[T any](b []byte) []T {
	var z T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(z)))
}
