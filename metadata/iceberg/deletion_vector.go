package iceberg

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/RoaringBitmap/roaring/v2"

	"lakeserver/cherr"
)

// Positions is a set of row positions of one data file. It is read-only once
// made, and then safe for concurrent use.
type Positions struct {
	high map[uint32]*roaring.Bitmap
	n    int64
}

// NewPositions makes an empty set.
func NewPositions() *Positions { return &Positions{high: map[uint32]*roaring.Bitmap{}} }

// Len gives the number of positions in the sealed set.
func (p *Positions) Len() int64 { return p.n }

// Add adds positions; only for the set's maker.
func (p *Positions) Add(pos []int64) {
	for _, x := range pos {
		key := uint32(x >> 32)
		b := p.high[key]
		if b == nil {
			b = roaring.New()
			p.high[key] = b
		}
		b.Add(uint32(x))
	}
}

// AddRange adds all positions in [from, to); only for the set's maker.
func (p *Positions) AddRange(from, to int64) {
	for from < to {
		key := uint32(from >> 32)
		end := min(to, (int64(key)+1)<<32)
		b := p.high[key]
		if b == nil {
			b = roaring.New()
			p.high[key] = b
		}
		b.AddRange(uint64(uint32(from)), uint64(uint32(from))+uint64(end-from))
		from = end
	}
}

// Subtract takes another set's positions out; only for the set's maker.
func (p *Positions) Subtract(o *Positions) {
	for key, b := range o.high {
		if mine := p.high[key]; mine != nil {
			mine.AndNot(b)
		}
	}
}

// Union adds another set's positions; only for the set's maker.
func (p *Positions) Union(o *Positions) {
	for key, b := range o.high {
		if mine := p.high[key]; mine != nil {
			mine.Or(b)
		} else {
			p.high[key] = b.Clone()
		}
	}
}

// Seal counts the positions and makes the set ready to be asked.
func (p *Positions) Seal() *Positions {
	p.n = 0
	for _, b := range p.high {
		b.RunOptimize()
		p.n += int64(b.GetCardinality())
	}
	return p
}

// Contains tells whether a position is in the set.
func (p *Positions) Contains(pos int64) bool {
	b := p.high[uint32(pos>>32)]
	return b != nil && b.Contains(uint32(pos))
}

// Within gives the positions in [from, to), ascending and relative to from.
func (p *Positions) Within(from, to int64, dst []uint32) []uint32 {
	for at := from; at < to; {
		key := uint32(at >> 32)
		end := min(to, (int64(key)+1)<<32)
		if b := p.high[key]; b != nil {
			it := b.Iterator()
			it.AdvanceIfNeeded(uint32(at))
			for it.HasNext() {
				x := int64(key)<<32 | int64(it.Next())
				if x >= end {
					break
				}
				dst = append(dst, uint32(x-from))
			}
		}
		at = end
	}
	return dst
}

// CountWithin gives how many positions lie in [from, to).
func (p *Positions) CountWithin(from, to int64) int64 {
	n := int64(0)
	for key, b := range p.high {
		lo, hi := int64(key)<<32, (int64(key)+1)<<32
		lo, hi = max(lo, from), min(hi, to)
		if lo >= hi {
			continue
		}
		n += int64(b.Rank(uint32(hi - 1)))
		if uint32(lo) > 0 {
			n -= int64(b.Rank(uint32(lo) - 1))
		}
	}
	return n
}

// Size estimates the bytes held.
func (p *Positions) Size() int64 {
	n := int64(64)
	for _, b := range p.high {
		n += int64(b.GetSizeInBytes()) + 64
	}
	return n
}

// dvMagic begins the bitmap of a deletion vector.
const dvMagic = 0x6439d3d1 // D1 D3 39 64, little-endian

// ParseDeletionVector reads a deletion-vector-v1 blob: big-endian length,
// magic, 64-bit roaring bitmap in its portable form, big-endian CRC-32 of
// magic and bitmap.
func ParseDeletionVector(blob []byte) (*Positions, error) {
	bad := func(what string, args ...any) (*Positions, error) {
		return nil, cherr.Wrap(cherr.New(cherr.IncorrectData, what, args...), "reading a deletion vector of %d bytes", len(blob))
	}
	if len(blob) < 20 {
		return bad("it is too short")
	}
	if n := binary.BigEndian.Uint32(blob); int64(n) != int64(len(blob))-8 {
		return bad("its length says %d", n)
	}
	body, crc := blob[4:len(blob)-4], binary.BigEndian.Uint32(blob[len(blob)-4:])
	if binary.LittleEndian.Uint32(body) != dvMagic {
		return bad("it does not begin with the magic number")
	}
	if crc32.ChecksumIEEE(body) != crc {
		return nil, cherr.New(cherr.ChecksumDoesntMatch, "checksum of a deletion vector of %d bytes does not match", len(blob))
	}
	return parsePortable(body[4:])
}

func parsePortable(b []byte) (*Positions, error) {
	bad := func(what string, args ...any) (*Positions, error) {
		return nil, cherr.Wrap(cherr.New(cherr.IncorrectData, what, args...), "reading a 64-bit roaring bitmap")
	}
	count := binary.LittleEndian.Uint64(b)
	b = b[8:]
	if count > uint64(len(b)/12)+1 {
		return bad("%d bitmaps cannot stand in %d bytes", count, len(b))
	}
	p := NewPositions()
	last := int64(-1)
	for range count {
		if len(b) < 4 {
			return bad("it is cut short")
		}
		key := binary.LittleEndian.Uint32(b)
		if int64(key) <= last || key >= 1<<31 {
			return bad("key %d follows key %d", key, last)
		}
		last = int64(key)
		bm := roaring.New()
		n, err := bm.FromUnsafeBytes(append([]byte(nil), b[4:]...))
		if err != nil {
			return bad("%s", err)
		}
		if err := bm.Validate(); err != nil && bm.GetCardinality() > 0 {
			return bad("%s", err)
		}
		b = b[4+n:]
		p.high[key] = bm
	}
	if len(b) != 0 {
		return bad("%d bytes follow it", len(b))
	}
	return p.count(), nil
}

func (p *Positions) count() *Positions {
	p.n = 0
	for _, b := range p.high {
		p.n += int64(b.GetCardinality())
	}
	return p
}
