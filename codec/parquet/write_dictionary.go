package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// dictionary gives the values of a chunk codes in the order they come in. One
// of the tables is used: numbers by their bits, or bytes.
type dictionary struct {
	slots []uint64 // upper half of the hash, then code + 1; 0 is free
	shift int
	n     int

	numbers []uint64
	data    []byte
	ends    []uint32
	seed    maphash.Seed
	width   int // of numbers, in bytes; 0 for bytes
}

func newDictionary(width int, seed maphash.Seed) *dictionary {
	return &dictionary{slots: make([]uint64, 1<<10), shift: 64 - 10, width: width, seed: seed}
}

// size gives the bytes of the dictionary's page.
func (d *dictionary) size(fixed int) int {
	switch {
	case d.width > 0:
		return d.n * d.width
	case fixed > 0:
		return len(d.data)
	}
	return len(d.data) + 4*d.n
}

func (d *dictionary) number(v uint64) uint32 {
	h := (v ^ v>>32) * 0x9e3779b97f4a7c15
	mask := len(d.slots) - 1
	for at := int(h >> d.shift); ; at = (at + 1) & mask {
		s := d.slots[at]
		if s == 0 {
			d.numbers = append(d.numbers, v)
			return d.add(at, h)
		}
		if code := uint32(s) - 1; uint32(s>>32) == uint32(h) && d.numbers[code] == v {
			return code
		}
	}
}

func (d *dictionary) bytes(v []byte) uint32 {
	h := maphash.Bytes(d.seed, v)
	mask := len(d.slots) - 1
	for at := int(h >> d.shift); ; at = (at + 1) & mask {
		s := d.slots[at]
		if s == 0 {
			d.data = append(d.data, v...)
			d.ends = append(d.ends, uint32(len(d.data)))
			return d.add(at, h)
		}
		if code := uint32(s) - 1; uint32(s>>32) == uint32(h) && bytes.Equal(d.at(code), v) {
			return code
		}
	}
}

// at gives the bytes of a code.
func (d *dictionary) at(code uint32) []byte {
	from := uint32(0)
	if code > 0 {
		from = d.ends[code-1]
	}
	return d.data[from:d.ends[code]]
}

func (d *dictionary) add(at int, h uint64) uint32 {
	d.n++
	d.slots[at] = uint64(uint32(h))<<32 | uint64(d.n)
	if 2*d.n > len(d.slots) {
		d.grow()
	}
	return uint32(d.n - 1)
}

// grow doubles the table. The slots keep the lower half of the hash only, so
// hashes are computed again.
func (d *dictionary) grow() {
	d.slots, d.shift = make([]uint64, 2*len(d.slots)), d.shift-1
	mask := len(d.slots) - 1
	for code := range uint32(d.n) {
		var h uint64
		if d.width > 0 {
			v := d.numbers[code]
			h = (v ^ v>>32) * 0x9e3779b97f4a7c15
		} else {
			h = maphash.Bytes(d.seed, d.at(code))
		}
		at := int(h >> d.shift)
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = uint64(uint32(h))<<32 | uint64(code+1)
	}
}

// page gives the dictionary's values as PLAIN has them.
func (d *dictionary) page(fixed int) []byte {
	if d.width == 0 && fixed > 0 {
		return d.data
	}
	out := make([]byte, 0, d.size(fixed))
	switch d.width {
	case 4:
		for _, v := range d.numbers {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		}
	case 8:
		for _, v := range d.numbers {
			out = binary.LittleEndian.AppendUint64(out, v)
		}
	default:
		for code := range uint32(d.n) {
			v := d.at(code)
			out = binary.LittleEndian.AppendUint32(out, uint32(len(v)))
			out = append(out, v...)
		}
	}
	return out
}

// codeBits gives the width of codes.
func (d *dictionary) codeBits() int { return max(1, bits.Len32(uint32(max(d.n-1, 0)))) }

// A dictionary of values that hardly repeat costs a look-up a value and is
// given up in the end. What a chunk begins with tells.
const (
	dictionarySample = 16384 // values looked at
	dictionaryLeast  = 4096  // fewer tell nothing
	dictionaryBytes  = 1 << 20
)

// worthwhile tells whether values, of which there are n, repeat enough.
func (d *dictionary) worthwhile(n int) bool { return n < dictionaryLeast || 2*d.n <= n }
