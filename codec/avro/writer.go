package avro

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/flate"
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

// Writer makes a container in memory: the caller encodes each row and ends it.
type Writer struct {
	out   []byte
	sync  [16]byte
	codec string
	row   Encoder
	rows  int64
	zstd  *zstd.Encoder
}

// blockBytes ends a block; Avro's own writers cut at about as much.
const blockBytes = 64 << 10

// NewWriter begins a container of a schema's JSON; codec is null, deflate or
// zstandard.
func NewWriter(schema, codec string) (*Writer, error) {
	w := &Writer{codec: codec}
	switch codec {
	case "null", "deflate":
	case "zstandard":
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, cherr.New(cherr.LogicalError, "%s", err)
		}
		w.zstd = z
	default:
		return nil, cherr.New(cherr.NotImplemented, "Avro codec '%s' cannot be written", codec)
	}
	if _, err := rand.Read(w.sync[:]); err != nil {
		return nil, cherr.New(cherr.SystemError, "%s", err)
	}
	e := &Encoder{b: []byte("Obj\x01")}
	e.Items(2)
	e.Text("avro.schema")
	e.Text(schema)
	e.Text("avro.codec")
	e.Text(codec)
	e.EndItems(2)
	e.Fixed(w.sync[:])
	w.out = e.b
	return w, nil
}

// Encoder takes the row at hand.
func (w *Writer) Encoder() *Encoder { return &w.row }

// EndRow ends the row at hand.
func (w *Writer) EndRow() error {
	w.rows++
	if len(w.row.b) >= blockBytes {
		return w.flush()
	}
	return nil
}

func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	body := w.row.b
	switch w.codec {
	case "deflate":
		var b bytes.Buffer
		f, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			return cherr.New(cherr.LogicalError, "%s", err)
		}
		if _, err := f.Write(body); err != nil {
			return cherr.New(cherr.LogicalError, "%s", err)
		}
		if err := f.Close(); err != nil {
			return cherr.New(cherr.LogicalError, "%s", err)
		}
		body = b.Bytes()
	case "zstandard":
		body = w.zstd.EncodeAll(body, nil)
	}
	e := &Encoder{b: w.out}
	e.Long(w.rows)
	e.Bytes(body)
	e.Fixed(w.sync[:])
	w.out, w.rows, w.row.b = e.b, 0, w.row.b[:0]
	return nil
}

// Finish gives the container; the writer is done then.
func (w *Writer) Finish() ([]byte, error) {
	err := w.flush()
	if w.zstd != nil {
		w.zstd.Close()
	}
	return w.out, err
}
