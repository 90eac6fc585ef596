package mysql

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"lakeserver/cherr"
)

// maxPayload is the most that one packet holds; longer payloads go on in the
// next.
const maxPayload = 1<<24 - 1

// defaultMaxPacket bounds what a client may send at once; an INSERT's rows
// are in it.
const defaultMaxPacket = 1 << 30

// packets reads and writes payloads with their running number. One goroutine
// uses it at a time.
type packets struct {
	in  *bufio.Reader
	out *bufio.Writer
	seq byte
	max int
}

func newPackets(rw io.ReadWriter) *packets {
	return &packets{in: bufio.NewReaderSize(rw, 1<<16), out: bufio.NewWriterSize(rw, 1<<16), max: defaultMaxPacket}
}

// errTooLong ends the connection: the rest of the packet is not read.
var errTooLong = cherr.New(cherr.QueryIsTooLarge, "Packet is longer than the server takes")

// errOrder is a packet with a number that is not the next.
var errOrder = cherr.New(cherr.UnexpectedPacketFromClient, "Packets out of order")

// read gives the next payload. It grows with what arrives, never with what a
// header promises.
func (p *packets) read() ([]byte, error) {
	var payload []byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(p.in, head[:]); err != nil {
			return nil, err
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		if head[3] != p.seq {
			return nil, errOrder
		}
		p.seq++
		if len(payload)+n > p.max {
			return nil, errTooLong
		}
		var err error
		if payload, err = appendRead(payload, p.in, n); err != nil {
			return nil, err
		}
		if n < maxPayload {
			return payload, nil
		}
	}
}

// appendRead appends n bytes of r, at most a megabyte of memory ahead of them.
func appendRead(dst []byte, r io.Reader, n int) ([]byte, error) {
	for n > 0 {
		step := min(n, 1<<20)
		from := len(dst)
		dst = append(dst, make([]byte, step)...)
		if _, err := io.ReadFull(r, dst[from:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		n -= step
	}
	return dst, nil
}

// write queues a payload; flush sends what is queued.
func (p *packets) write(payload []byte) error {
	for {
		n := min(len(payload), maxPayload)
		head := [4]byte{byte(n), byte(n >> 8), byte(n >> 16), p.seq}
		p.seq++
		if _, err := p.out.Write(head[:]); err != nil {
			return err
		}
		if _, err := p.out.Write(payload[:n]); err != nil {
			return err
		}
		payload = payload[n:]
		if n < maxPayload {
			return nil
		}
	}
}

func (p *packets) flush() error { return p.out.Flush() }

// appendLength appends a length-encoded integer.
func appendLength(b []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(b, byte(n))
	case n < 1<<16:
		return append(b, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(b, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xfe), n)
}

// appendText appends a length-encoded string.
func appendText[T string | []byte](b []byte, s T) []byte {
	return append(appendLength(b, uint64(len(s))), s...)
}

// fields reads the parts of a payload. After a short one all further reads
// give nothing and err is set.
type fields struct {
	rest []byte
	err  error
}

var errShort = cherr.New(cherr.UnexpectedPacketFromClient, "Packet is too short")

func (f *fields) take(n int) []byte {
	if f.err != nil || n < 0 || n > len(f.rest) {
		f.err, f.rest = errShort, nil
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) uint(bytes int) uint64 {
	var v uint64
	for i, b := range f.take(bytes) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// length reads a length-encoded integer.
func (f *fields) length() uint64 {
	switch first := f.uint(1); first {
	case 0xfc:
		return f.uint(2)
	case 0xfd:
		return f.uint(3)
	case 0xfe:
		return f.uint(8)
	case 0xfb, 0xff:
		f.err = errShort
		return 0
	default:
		return first
	}
}

// text reads a length-encoded string.
func (f *fields) text() []byte {
	n := f.length()
	if n > uint64(len(f.rest)) {
		f.err, f.rest = errShort, nil
		return nil
	}
	return f.take(int(n))
}

// word reads a string that ends with a zero byte, or with the payload.
func (f *fields) word() string {
	for i, b := range f.rest {
		if b == 0 {
			s := string(f.rest[:i])
			f.rest = f.rest[i+1:]
			return s
		}
	}
	s := string(f.rest)
	f.rest = nil
	return s
}
