package iceberg

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// ThetaBlob is the type of a Puffin blob that holds a theta sketch.
const ThetaBlob = "apache-datasketches-theta-v1"

const (
	thetaSize = 1 << 12 // nominal entries, the sketches' library's default
	thetaSeed = 9001    // and its seed
)

// ThetaSketch counts distinct values: it keeps the least hashes. It is for one
// goroutine.
type ThetaSketch struct {
	theta  uint64 // hashes kept lie below
	hashes map[uint64]struct{}
	some   bool
}

// NewThetaSketch makes an empty sketch.
func NewThetaSketch() *ThetaSketch {
	return &ThetaSketch{theta: math.MaxInt64, hashes: map[uint64]struct{}{}}
}

// Add counts a value in its single-value form; an empty one counts as none.
func (s *ThetaSketch) Add(value []byte) {
	if len(value) == 0 {
		return
	}
	s.some = true
	h, _ := murmur128(value, thetaSeed)
	if h >>= 1; h == 0 || h >= s.theta {
		return
	}
	s.hashes[h] = struct{}{}
	if len(s.hashes) >= 2*thetaSize {
		s.shrink()
	}
}

// shrink keeps the least hashes, as many as the sketch is to have.
func (s *ThetaSketch) shrink() {
	all := s.sorted()
	s.theta = all[thetaSize]
	for _, h := range all[thetaSize:] {
		delete(s.hashes, h)
	}
}

func (s *ThetaSketch) sorted() []uint64 {
	all := make([]uint64, 0, len(s.hashes))
	for h := range s.hashes {
		all = append(all, h)
	}
	slices.Sort(all)
	return all
}

// Estimate gives the number of distinct values, exactly while there are few.
func (s *ThetaSketch) Estimate() float64 {
	return float64(len(s.hashes)) * (math.MaxInt64 / float64(s.theta))
}

// Bytes gives the sketch in the compact ordered form of Apache DataSketches,
// serial version 3.
func (s *ThetaSketch) Bytes() []byte {
	const readOnly, empty, compact, ordered = 2, 4, 8, 16
	hashes := s.sorted()
	preamble, flags := 1, byte(readOnly|compact|ordered)
	switch {
	case s.theta < math.MaxInt64:
		preamble = 3
	case len(hashes) == 0 && !s.some:
		flags |= empty
	case len(hashes) != 1:
		preamble = 2
	}
	out := []byte{byte(preamble), 3, 3, 0, 0, flags}
	out = binary.LittleEndian.AppendUint16(out, seedHash(thetaSeed))
	if preamble > 1 {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(hashes)))
	}
	if preamble > 2 {
		out = binary.LittleEndian.AppendUint64(out, s.theta)
	}
	for _, h := range hashes {
		out = binary.LittleEndian.AppendUint64(out, h)
	}
	return out
}

// seedHash tells sketches of different seeds apart.
func seedHash(seed uint64) uint16 {
	h, _ := murmur128(binary.LittleEndian.AppendUint64(nil, seed), 0)
	return uint16(h)
}

// murmur128 is MurmurHash3, x64, 128 bits, with a seed of 64.
func murmur128(b []byte, seed uint64) (h1, h2 uint64) {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	n := uint64(len(b))
	h1, h2 = seed, seed
	for ; len(b) >= 16; b = b[16:] {
		k1, k2 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		h1 ^= bits.RotateLeft64(k1*c1, 31) * c2
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= bits.RotateLeft64(k2*c2, 33) * c1
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	copy(tail[:], b)
	if len(b) > 8 {
		h2 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(tail[8:])*c2, 33) * c1
	}
	if len(b) > 0 {
		h1 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(tail[:])*c1, 31) * c2
	}
	h1, h2 = h1^n, h2^n
	h1 += h2
	h2 += h1
	h1, h2 = mix64(h1), mix64(h2)
	h1 += h2
	return h1, h2 + h1
}

func mix64(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
