package text

import (
	"strconv"

	"lakeserver/types"
)

const hexDigits = "0123456789abcdef"

// AppendUUID writes 8-4-4-4-12 hex digits.
func AppendUUID(dst []byte, v types.U128) []byte {
	for i := range 16 {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		w := v.Hi
		if i >= 8 {
			w = v.Lo
		}
		b := byte(w >> (56 - i%8*8))
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// AppendIPv4 writes 1.2.3.4.
func AppendIPv4(dst []byte, v uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		dst = strconv.AppendUint(dst, uint64(v>>shift&255), 10)
		if shift > 0 {
			dst = append(dst, '.')
		}
	}
	return dst
}

// AppendIPv6 writes an address with its longest run of zeros as "::" and a
// mapped or compatible IPv4 address in its own form.
func AppendIPv6(dst []byte, v types.Addr6) []byte {
	var words [8]uint16
	for i := range words {
		words[i] = uint16(v[2*i])<<8 | uint16(v[2*i+1])
	}
	best, bestLen := -1, 1
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && words[i+n] == 0 {
			n++
		}
		if n > bestLen { // a lone zero stays
			best, bestLen = i, n
		}
		i += n
	}
	for i := 0; i < 8; i++ {
		if i == best {
			dst = append(dst, ':', ':')
			i += bestLen - 1
			continue
		}
		if i > 0 && i != best+bestLen || i > 0 && best < 0 {
			dst = append(dst, ':')
		}
		if i == 6 && best == 0 && (bestLen == 6 || bestLen == 5 && words[5] == 0xffff) {
			return AppendIPv4(dst, uint32(words[6])<<16|uint32(words[7]))
		}
		dst = strconv.AppendUint(dst, uint64(words[i]), 16)
	}
	return dst
}
