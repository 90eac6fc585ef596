package iceberg

import (
	"encoding/binary"
	"encoding/json"
)

// puffinMagic begins a Puffin file and both ends of its footer.
const puffinMagic = "PFA1"

// PuffinBlob describes a blob in a Puffin file's footer.
type PuffinBlob struct {
	Type           string            `json:"type"`
	Fields         []int             `json:"fields"`
	SnapshotID     int64             `json:"snapshot-id"`
	SequenceNumber int64             `json:"sequence-number"`
	Offset         int64             `json:"offset"`
	Length         int64             `json:"length"`
	Codec          string            `json:"compression-codec,omitempty"`
	Properties     map[string]string `json:"properties,omitempty"`
}

// PuffinWriter puts blobs one behind the other into one file.
type PuffinWriter struct {
	data  []byte
	blobs []PuffinBlob
}

// NewPuffinWriter begins a file.
func NewPuffinWriter() *PuffinWriter { return &PuffinWriter{data: []byte(puffinMagic)} }

// Len gives the bytes so far.
func (w *PuffinWriter) Len() int { return len(w.data) }

// Add appends a blob and gives its place.
func (w *PuffinWriter) Add(b PuffinBlob, data []byte) (offset, length int64) {
	b.Offset, b.Length = int64(len(w.data)), int64(len(data))
	if b.Fields == nil {
		b.Fields = []int{}
	}
	w.data = append(w.data, data...)
	w.blobs = append(w.blobs, b)
	return b.Offset, b.Length
}

// Finish appends the footer and gives the whole file and the footer's size.
func (w *PuffinWriter) Finish(createdBy string) (data []byte, footer int, err error) {
	if w.blobs == nil {
		w.blobs = []PuffinBlob{}
	}
	payload, err := json.Marshal(struct {
		Blobs      []PuffinBlob      `json:"blobs"`
		Properties map[string]string `json:"properties"`
	}{w.blobs, map[string]string{"created-by": createdBy}})
	if err != nil {
		return nil, 0, err
	}
	from := len(w.data)
	out := append(w.data, puffinMagic...)
	out = append(out, payload...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(payload)))
	out = append(out, 0, 0, 0, 0) // flags: the payload is not compressed
	out = append(out, puffinMagic...)
	return out, len(out) - from, nil
}
