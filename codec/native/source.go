package native

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
)

// torn gives the end of input inside a value its code.
func torn(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cherr.New(cherr.CannotReadAllData, "Cannot read all data: the input ends inside a value")
	}
	return err
}

func uvarint(r *bufio.Reader) (uint64, error) {
	v, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, torn(err)
	}
	return v, nil
}

func readUint64(r *bufio.Reader) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, torn(err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

func readString(r *bufio.Reader, limit uint64) (string, error) {
	n, err := uvarint(r)
	if err != nil {
		return "", err
	}
	if n > limit {
		return "", cherr.New(cherr.TooLargeStringSize, "Too large string size: %d", n)
	}
	b, err := readBytes(r, nil, int(n))
	return string(b), err
}

// step is how much is read before the next piece of memory is asked for: a
// length is believed only as far as bytes arrive.
const step = 1 << 20

func readBytes(r *bufio.Reader, dst []byte, n int) ([]byte, error) {
	for n > 0 {
		k := min(n, step)
		from := len(dst)
		dst = append(dst, make([]byte, k)...)
		if _, err := io.ReadFull(r, dst[from:]); err != nil {
			return nil, torn(err)
		}
		n -= k
	}
	return dst, nil
}

// bytesOf views values as the bytes that the wire wants. Like the rest of the
// server it asks for a little-endian machine.
func bytesOf[T column.Element](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

func readFixed[T column.Element](r *bufio.Reader, rows int) ([]T, error) {
	var z T
	per := max(1, step/int(unsafe.Sizeof(z)))
	if rows <= per {
		out := make([]T, rows)
		if _, err := io.ReadFull(r, bytesOf(out)); err != nil && rows > 0 {
			return nil, torn(err)
		}
		return out, nil
	}
	var out []T
	for len(out) < rows {
		from, k := len(out), min(per, rows-len(out))
		out = append(out, make([]T, k)...)
		if _, err := io.ReadFull(r, bytesOf(out[from:])); err != nil {
			return nil, torn(err)
		}
	}
	return out, nil
}
