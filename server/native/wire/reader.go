package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"lakeserver/cherr"
)

// maxString bounds texts other than queries.
const maxString = 1 << 20

// Reader takes the fields of packets off a connection. The first error stays;
// all later fields are zero.
type Reader struct {
	src *bufio.Reader
	err error
}

// NewReader reads from src and takes no byte beyond what is asked for.
func NewReader(src *bufio.Reader) *Reader { return &Reader{src: src} }

// Err gives the first error.
func (r *Reader) Err() error { return r.err }

func (r *Reader) fail(err error) {
	if r.err != nil || err == nil {
		return
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	r.err = err
}

// Uvarint takes a number of variable length.
func (r *Reader) Uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(r.src)
	r.fail(err)
	return v
}

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if r.err != nil {
		return 0
	}
	b, err := r.src.ReadByte()
	r.fail(err)
	return b
}

// Bytes takes n bytes.
func (r *Reader) Bytes(n int) []byte {
	if r.err != nil {
		return nil
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r.src, b)
	r.fail(err)
	return b
}

// Uint64 takes eight bytes.
func (r *Reader) Uint64() uint64 {
	b := r.Bytes(8)
	if r.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Text takes a text of at most a megabyte.
func (r *Reader) Text() string { return r.TextMax(maxString) }

// TextMax takes a text of at most so many bytes.
func (r *Reader) TextMax(limit int) string {
	n := r.Uvarint()
	if r.err != nil {
		return ""
	}
	if n > uint64(limit) {
		r.fail(cherr.New(cherr.TooLargeStringSize, "Too large string size: %d", n))
		return ""
	}
	return string(r.Bytes(int(n)))
}
