package functions

import (
	"math/big"
	"strings"

	"lakeserver/types"
)

// IntegerText tells whether a text is an integer, and whether a type holds it.
func IntegerText(s string, t *types.Type) (fits, ok bool) {
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" || strings.Trim(digits, "0123456789") != "" || s[0] == '-' && t.IsUnsigned() {
		return false, false
	}
	v, _ := new(big.Int).SetString(s, 10)
	n := uint(8 * t.Bytes())
	if t.IsUnsigned() {
		return v.BitLen() <= int(n), true
	}
	if v.Sign() < 0 {
		v.Add(v, big.NewInt(1)) // the lowest number has one more than the highest
	}
	return v.BitLen() < int(n), true
}
