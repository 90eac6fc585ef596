package parquet

import "encoding/binary"

// unpack32 unpacks len(dst) values of width bits, the first at bit `bit` of
// src, lowest bits first. src must be readable for a word beyond the last
// value: page buffers carry that slack; unpack32 itself falls back to bytes
// where src ends early.
func unpack32(dst []uint32, src []byte, bit int, width uint) {
	switch {
	case width == 0:
		clear(dst)
		return
	case width == 1 && bit&7 == 0:
		n := unpackWide(dst, src[bit>>3:], 1)
		n += unpackBits(dst[n:], src[bit>>3+n/8:])
		dst, bit = dst[n:], bit+n
	case bit&7 == 0 && width <= 32:
		n := unpackGroups(dst, src[bit>>3:], width)
		dst, bit = dst[n:], bit+n*int(width)
	}
	mask := uint64(1)<<width - 1
	for i := range dst {
		dst[i] = uint32(loadBits(src, bit) & mask)
		bit += int(width)
	}
}

// loadBits gives at least 57 bits from bit on, as far as src goes.
func loadBits(src []byte, bit int) uint64 {
	at := bit >> 3
	if at+8 <= len(src) {
		return binary.LittleEndian.Uint64(src[at:]) >> (bit & 7)
	}
	var v uint64
	for i := len(src) - 1; i >= at; i-- {
		v = v<<8 | uint64(src[i])
	}
	return v >> (bit & 7)
}

// unpackGroups unpacks whole groups of eight values and gives how many values
// it did. A group begins on a byte.
func unpackGroups(dst []uint32, src []byte, width uint) int {
	n := unpackWide(dst, src, width)
	src = src[n*int(width)/8:]
	mask := uint64(1)<<width - 1
	m := uint32(mask)
	if width <= 8 {
		for len(dst)-n >= 8 && len(src) >= 8 {
			v := binary.LittleEndian.Uint64(src)
			d := (*[8]uint32)(dst[n:])
			d[0] = uint32(v) & m
			d[1] = uint32(v>>width) & m
			d[2] = uint32(v>>(2*width)) & m
			d[3] = uint32(v>>(3*width)) & m
			d[4] = uint32(v>>(4*width)) & m
			d[5] = uint32(v>>(5*width)) & m
			d[6] = uint32(v>>(6*width)) & m
			d[7] = uint32(v>>(7*width)) & m
			src = src[width:]
			n += 8
		}
		return n
	}
	w := int(width)
	o1, o2, o3, o4, o5, o6, o7 := w, 2*w, 3*w, 4*w, 5*w, 6*w, 7*w
	for len(dst)-n >= 8 && len(src) >= w+8 {
		d := (*[8]uint32)(dst[n:])
		d[0] = uint32(binary.LittleEndian.Uint64(src)) & m
		d[1] = uint32(binary.LittleEndian.Uint64(src[o1>>3:])>>(o1&7)) & m
		d[2] = uint32(binary.LittleEndian.Uint64(src[o2>>3:])>>(o2&7)) & m
		d[3] = uint32(binary.LittleEndian.Uint64(src[o3>>3:])>>(o3&7)) & m
		d[4] = uint32(binary.LittleEndian.Uint64(src[o4>>3:])>>(o4&7)) & m
		d[5] = uint32(binary.LittleEndian.Uint64(src[o5>>3:])>>(o5&7)) & m
		d[6] = uint32(binary.LittleEndian.Uint64(src[o6>>3:])>>(o6&7)) & m
		d[7] = uint32(binary.LittleEndian.Uint64(src[o7>>3:])>>(o7&7)) & m
		src = src[w:]
		n += 8
	}
	return n
}

// unpackBits unpacks whole bytes of single bits.
func unpackBits(dst []uint32, src []byte) int {
	n := 0
	for len(dst)-n >= 8 && len(src) > 0 {
		v := uint32(src[0])
		d := (*[8]uint32)(dst[n:])
		d[0], d[1], d[2], d[3] = v&1, v>>1&1, v>>2&1, v>>3&1
		d[4], d[5], d[6], d[7] = v>>4&1, v>>5&1, v>>6&1, v>>7
		src = src[1:]
		n += 8
	}
	return n
}

// unpack8 is unpack32 for levels, which fit a byte.
func unpack8(dst []uint8, src []byte, bit int, width uint) {
	if width == 1 && bit&7 == 0 {
		n, s := 0, src[bit>>3:]
		for len(dst)-n >= 8 && len(s) > 0 {
			// Eight bits become eight bytes of a word: a multiplication copies
			// the byte into every place, the mask keeps one bit of each, the
			// addition carries it to the top of its byte.
			v := uint64(s[0]) * 0x0101010101010101 & 0x8040201008040201
			v = (v + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101
			binary.LittleEndian.PutUint64(dst[n:], v)
			s = s[1:]
			n += 8
		}
		dst, bit = dst[n:], bit+n
	}
	mask := uint64(1)<<width - 1
	for i := range dst {
		dst[i] = uint8(loadBits(src, bit) & mask)
		bit += int(width)
	}
}

// unpack64 unpacks values of up to 64 bits.
func unpack64(dst []uint64, src []byte, bit int, width uint) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := ^uint64(0) >> (64 - width)
	if width <= 57 {
		for i := range dst {
			dst[i] = loadBits(src, bit) & mask
			bit += int(width)
		}
		return
	}
	for i := range dst {
		v := loadBits(src, bit)
		if s := bit & 7; s != 0 {
			// The word at the byte gave 64-s bits; the byte behind it the rest.
			if at := bit>>3 + 8; at < len(src) {
				v |= uint64(src[at]) << (64 - s)
			}
		}
		dst[i] = v & mask
		bit += int(width)
	}
}
