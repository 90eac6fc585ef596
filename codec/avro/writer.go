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

// Encoder appends values in Avro's binary form; what is valid where, the
// caller knows by its schema.
type Encoder struct{ b []byte }

// Long appends an int or long.
func (e *Encoder) Long(v int64) { e.b = binary.AppendVarint(e.b, v) }

// Bool appends a boolean.
func (e *Encoder) Bool(v bool) {
	if v {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

// Float appends a float.
func (e *Encoder) Float(v float32) {
	e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(v))
}

// Double appends a double.
func (e *Encoder) Double(v float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v))
}

// Bytes appends bytes.
func (e *Encoder) Bytes(v []byte) {
	e.Long(int64(len(v)))
	e.b = append(e.b, v...)
}

// Text appends a string.
func (e *Encoder) Text(v string) {
	e.Long(int64(len(v)))
	e.b = append(e.b, v...)
}

// Fixed appends the bytes of a fixed type.
func (e *Encoder) Fixed(v []byte) { e.b = append(e.b, v...) }

// Present appends the branch of a union of null and a type, null first, and
// gives back whether a value must follow.
func (e *Encoder) Present(v bool) bool {
	if v {
		e.Long(1)
	} else {
		e.Long(0)
	}
	return v
}

// Items begins an array or map of n items, all in one block.
func (e *Encoder) Items(n int) {
	if n > 0 {
		e.Long(int64(n))
	}
}

// EndItems ends an array or map.
func (e *Encoder) EndItems(int) { e.Long(0) }

// KeyValue is one key of a container's header.
type KeyValue struct{ Key, Value string }

// blockBytes is where a block ends before compression, as Java's writer does.
const blockBytes = 64 << 10

// Writer writes an object container file, row by row: the caller encodes each
// row and ends it. It is used by one goroutine.
type Writer struct {
	row   Encoder
	w     io.Writer
	mem   *bytes.Buffer // nil: w is the caller's
	codec string
	sync  [16]byte
	count int64
	n     int64
	flate *flate.Writer
	zstd  *zstd.Encoder
	tmp   bytes.Buffer
}

// NewWriter begins a container in memory of a schema's JSON; codec is null,
// deflate, snappy or zstandard. Finish gives it.
func NewWriter(schema, codec string, meta ...KeyValue) (*Writer, error) {
	mem := &bytes.Buffer{}
	w, err := NewFileWriter(mem, schema, codec, meta...)
	if err != nil {
		return nil, err
	}
	w.mem = mem
	return w, nil
}

// NewFileWriter begins a container that goes to w, which it does not close.
func NewFileWriter(w io.Writer, schema, codec string, meta ...KeyValue) (*Writer, error) {
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
		head.Text(kv.Key)
		head.Text(kv.Value)
	}
	head.Long(0)
	head.Fixed(out.sync[:])
	return out, out.put(head.b)
}

func (w *Writer) put(b []byte) error {
	n, err := w.w.Write(b)
	w.n += int64(n)
	return err
}

// Encoder takes the row at hand.
func (w *Writer) Encoder() *Encoder { return &w.row }

// EndRow ends the row at hand.
func (w *Writer) EndRow() error {
	w.count++
	if len(w.row.b) >= blockBytes {
		return w.flush()
	}
	return nil
}

// Len gives about how long the file is so far.
func (w *Writer) Len() int64 { return w.n + int64(len(w.row.b))/2 }

func (w *Writer) flush() error {
	if w.count == 0 {
		return nil
	}
	body, err := w.compress(w.row.b)
	if err != nil {
		return err
	}
	var head Encoder
	head.Long(w.count)
	head.Long(int64(len(body)))
	if err := w.put(head.b); err != nil {
		return err
	}
	if err := w.put(body); err != nil {
		return err
	}
	w.row.b, w.count = w.row.b[:0], 0
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

// Finish gives a container in memory; the writer is done then.
func (w *Writer) Finish() ([]byte, error) {
	if err := w.Close(); err != nil {
		return nil, err
	}
	return w.mem.Bytes(), nil
}

// Close writes what is left. It does not close the writer below.
func (w *Writer) Close() error {
	err := w.flush()
	if w.zstd != nil {
		w.zstd.Close()
	}
	return err
}
