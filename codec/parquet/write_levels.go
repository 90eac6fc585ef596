package parquet

import (
	"encoding/binary"
	"math/bits"
)

// appendHybrid adds values of a width in bits as runs: eight or more equal ones
// as one, the others packed in groups of eight.
func appendHybrid[T uint32 | int16](dst []byte, v []T, width int) []byte {
	literal := 0 // where the values begin that are to be packed
	for i := 0; i < len(v); {
		run := i + 1
		for run < len(v) && v[run] == v[i] {
			run++
		}
		// What is packed before the run must be whole groups: the run lends
		// what is missing.
		start := i + (8-(i-literal)%8)%8
		if run-start < 8 {
			i = run
			continue
		}
		dst = appendPacked(dst, v[literal:start], width)
		dst = binary.AppendUvarint(dst, uint64(run-start)<<1)
		for b := 0; b < width; b += 8 {
			dst = append(dst, byte(uint64(v[i])>>b))
		}
		i, literal = run, run
	}
	return appendPacked(dst, v[literal:], width)
}

// appendPacked adds groups of eight values; the last is filled up with zeros.
func appendPacked[T uint32 | int16](dst []byte, v []T, width int) []byte {
	if len(v) == 0 {
		return dst
	}
	groups := (len(v) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	if width == 0 {
		return dst
	}
	end := len(dst) + groups*width
	var acc uint64
	n := 0
	for _, x := range v {
		acc |= uint64(x) << n
		n += width
		if n >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(acc))
			acc >>= 32
			n -= 32
		}
	}
	for ; n > 0; n -= 8 {
		dst = append(dst, byte(acc))
		acc >>= 8
	}
	for len(dst) < end {
		dst = append(dst, 0)
	}
	return dst
}

// appendLevels adds levels as data pages have them: behind their length.
func appendLevels(dst []byte, v []int16, most int16) []byte {
	at := len(dst)
	dst = appendHybrid(append(dst, 0, 0, 0, 0), v, bits.Len16(uint16(most)))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}
