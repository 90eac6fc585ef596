package text

import (
	"net/netip"

	"lakeserver/cherr"
	"lakeserver/types"
)

// ParseUUID reads 36 characters with hyphens or 32 without.
func ParseUUID(s []byte) (types.U128, error) {
	var v types.U128
	digits := 0
	for i, b := range s {
		if b == '-' && len(s) == 36 && (i == 8 || i == 13 || i == 18 || i == 23) {
			continue
		}
		h := hexValue(b)
		if h < 0 {
			return v, cherr.New(cherr.CannotParseUUID, "Cannot parse UUID from String: invalid format, expected 32 hexadecimal digits")
		}
		v.Hi = v.Hi<<4 | v.Lo>>60
		v.Lo = v.Lo<<4 | uint64(h)
		digits++
	}
	if digits != 32 || len(s) != 32 && len(s) != 36 {
		return v, cherr.New(cherr.CannotParseUUID, "Cannot parse uuid %s: Cannot parse UUID from String", s)
	}
	return v, nil
}

// ParseIPv4 reads 1.2.3.4.
func ParseIPv4(s []byte) (uint32, error) {
	v, parts, digits := uint32(0), 0, 0
	part := uint32(0)
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '.' {
			if digits == 0 || part > 255 {
				return 0, errIPv4
			}
			v, parts, digits, part = v<<8|part, parts+1, 0, 0
			continue
		}
		if !isDigit(s[i]) || digits == 3 {
			return 0, errIPv4
		}
		part = part*10 + uint32(s[i]-'0')
		digits++
	}
	if parts != 4 {
		return 0, errIPv4
	}
	return v, nil
}

var errIPv4 = cherr.New(cherr.CannotParseIPv4, "Cannot parse IPv4 : Cannot parse IPv4 from String")

// ParseIPv6 reads an address; one of IPv4 becomes a mapped one.
func ParseIPv6(s []byte) (types.Addr6, error) {
	a, err := netip.ParseAddr(unsafeString(s))
	if err != nil || a.Zone() != "" {
		return types.Addr6{}, cherr.New(cherr.CannotParseIPv6, "Cannot parse IPv6 %s: Cannot parse IPv6 from String", s)
	}
	return a.As16(), nil
}
