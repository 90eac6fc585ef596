package avro

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/google/uuid"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"lakeserver/cherr"
)

// Encoder appends values in Avro's binary form.
type Encoder struct{ buf []byte }

// Long appends an int or long.
func (e *Encoder) Long(v int64) {
	e.buf = binary.AppendUvarint(e.buf, uint64(v<<1)^uint64(v>>63))
}

// Bool appends a boolean.
func (e *Encoder) Bool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	e.buf = append(e.buf, b)
}

// Float appends a float.
func (e *Encoder) Float(v float32) {
	e.buf = binary.LittleEndian.AppendUint32(e.buf, math.Float32bits(v))
}

// Double appends a double.
func (e *Encoder) Double(v float64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v))
}

// Bytes appends bytes with their length.
func (e *Encoder) Bytes(v []byte) {
	e.Long(int64(len(v)))
	e.buf = append(e.buf, v...)
}

// String appends a string.
func (e *Encoder) String(v string) {
	e.Long(int64(len(v)))
	e.buf = append(e.buf, v...)
}

// Fixed appends bytes whose length the schema knows.
func (e *Encoder) Fixed(v []byte) { e.buf = append(e.buf, v...) }

// Branch appends the number of a union's branch.
func (e *Encoder) Branch(i int) { e.Long(int64(i)) }

// KeyValue is one key of a container's header.
type KeyValue struct{ Key, Value string }

// blockBytes is where a block ends before compression, as Java's writer does.
const blockBytes = 64 << 10

// Writer writes an object container file, value by value: the caller appends
// a value to the Encoder and then calls Next. It is used by one goroutine.
type Writer struct {
	Encoder
	w     io.Writer
	codec string
	sync  [16]byte
	count int64
	n     int64
	flate *flate.Writer
	zstd  *zstd.Encoder
	tmp   bytes.Buffer
}

// NewWriter writes the header of a container. codec is one of null, deflate,
// snappy, zstandard.
func NewWriter(w io.Writer, schema string, meta []KeyValue, codec string) (*Writer, error) {
	out := &Writer{w: w, codec: codec, sync: uuid.New()}
	switch codec {
	case "null", "snappy":
	case "deflate":
		f, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
		if err != nil {
			return nil, err
		}
		out.flate = f
	case "zstandard":
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		out.zstd = z
	default:
		return nil, cherr.New(cherr.NotImplemented, "Avro codec '%s' is not supported", codec)
	}
	var head Encoder
	head.Fixed([]byte("Obj\x01"))
	head.Long(int64(len(meta) + 2))
	for _, kv := range append([]KeyValue{{"avro.schema", schema}, {"avro.codec", codec}}, meta...) {
		head.String(kv.Key)
		head.String(kv.Value)
	}
	head.Long(0)
	head.Fixed(out.sync[:])
	return out, out.put(head.buf)
}

func (w *Writer) put(b []byte) error {
	n, err := w.w.Write(b)
	w.n += int64(n)
	return err
}

// Next ends a value.
func (w *Writer) Next() error {
	w.count++
	if len(w.buf) >= blockBytes {
		return w.flush()
	}
	return nil
}

// Len gives about how long the file is so far.
func (w *Writer) Len() int64 { return w.n + int64(len(w.buf))/2 }

// Size gives how long the file is; exact once closed.
func (w *Writer) Size() int64 { return w.n }

func (w *Writer) flush() error {
	if w.count == 0 {
		return nil
	}
	body, err := w.compress(w.buf)
	if err != nil {
		return err
	}
	var head Encoder
	head.Long(w.count)
	head.Long(int64(len(body)))
	if err := w.put(head.buf); err != nil {
		return err
	}
	if err := w.put(body); err != nil {
		return err
	}
	w.buf, w.count = w.buf[:0], 0
	return w.put(w.sync[:])
}

func (w *Writer) compress(b []byte) ([]byte, error) {
	switch w.codec {
	case "deflate":
		w.tmp.Reset()
		w.flate.Reset(&w.tmp)
		if _, err := w.flate.Write(b); err != nil {
			return nil, err
		}
		err := w.flate.Close()
		return w.tmp.Bytes(), err
	case "snappy": // the checksum of the plain bytes follows
		return binary.BigEndian.AppendUint32(snappy.Encode(nil, b), crc32.ChecksumIEEE(b)), nil
	case "zstandard":
		return w.zstd.EncodeAll(b, nil), nil
	}
	return b, nil
}

// Close writes what is left. It does not close the writer below.
func (w *Writer) Close() error {
	err := w.flush()
	if w.zstd != nil {
		w.zstd.Close()
	}
	return err
}
