package wire

import "encoding/binary"

// Buffer collects a packet's bytes.
type Buffer []byte

// Uvarint adds a number of variable length.
func (b *Buffer) Uvarint(v uint64) { *b = binary.AppendUvarint(*b, v) }

// Byte adds one byte.
func (b *Buffer) Byte(v byte) { *b = append(*b, v) }

// Bool adds 0 or 1.
func (b *Buffer) Bool(v bool) {
	if v {
		b.Byte(1)
	} else {
		b.Byte(0)
	}
}

// Int32 adds four bytes.
func (b *Buffer) Int32(v int32) { *b = binary.LittleEndian.AppendUint32(*b, uint32(v)) }

// Uint64 adds eight bytes.
func (b *Buffer) Uint64(v uint64) { *b = binary.LittleEndian.AppendUint64(*b, v) }

// String adds a text behind its length.
func (b *Buffer) String(s string) {
	b.Uvarint(uint64(len(s)))
	*b = append(*b, s...)
}
