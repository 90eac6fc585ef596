package aggregate

import (
	"encoding/binary"
	"math"
	"unsafe"

	"lakeserver/cherr"
)

func sizeOf[T any]() int64 {
	var z T
	return int64(unsafe.Sizeof(z))
}

// reader takes values off a serialised state; after an error it gives zeros.
type reader struct {
	src []byte
	at  int
	err error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = cherr.New(cherr.CannotReadAllData, "Cannot read all data of an aggregate function state")
	}
}

// bytes gives the next n bytes, shared with the source; nil after an error.
func (r *reader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.src)-r.at {
		r.fail()
		return nil
	}
	r.at += n
	return r.src[r.at-n : r.at]
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.src[r.at:])
	if n <= 0 {
		r.fail()
		return 0
	}
	r.at += n
	return v
}

// count reads a number of elements of at least size bytes each.
func (r *reader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.src)-r.at)/uint64(max(size, 1)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) float64() float64 { return math.Float64frombits(r.uint64()) }

func putUint64(dst []byte, v uint64) []byte   { return binary.LittleEndian.AppendUint64(dst, v) }
func putUint32(dst []byte, v uint32) []byte   { return binary.LittleEndian.AppendUint32(dst, v) }
func putFloat64(dst []byte, v float64) []byte { return putUint64(dst, math.Float64bits(v)) }
func putUvarint(dst []byte, v uint64) []byte  { return binary.AppendUvarint(dst, v) }

// putFixed appends the memory of a fixed-width value: little-endian, as
// ClickHouse writes it.
func putFixed[T any](dst []byte, v T) []byte {
	return append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))...)
}

func readFixed[T any](r *reader) (v T) {
	if b := r.bytes(int(unsafe.Sizeof(v))); b != nil {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), b)
	}
	return v
}
