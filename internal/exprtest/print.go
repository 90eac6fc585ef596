package exprtest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"lakeserver/column"
	"lakeserver/types"
)

// Print gives row i as ClickHouse's TabSeparated does.
func Print(t *types.Type, c column.Column, i int) string {
	return text(t, column.At(column.Full(c), i), false)
}

func text(t *types.Type, v column.Value, nested bool) string { // long: one case a kind
	if v == nil {
		if nested {
			return "NULL"
		}
		return `\N`
	}
	t = types.Unwrap(t)
	switch t.Kind() {
	case types.KindString, types.KindFixedString:
		return quoted(escape(v.(string)), nested)
	case types.KindArray:
		var out []string
		for _, e := range v.(column.Row) {
			out = append(out, text(t.Elem(), e, true))
		}
		return "[" + strings.Join(out, ",") + "]"
	case types.KindTuple:
		var out []string
		for n, e := range v.(column.Row) {
			out = append(out, text(t.Elems()[n], e, true))
		}
		return "(" + strings.Join(out, ",") + ")"
	case types.KindMap:
		var out []string
		for _, e := range v.(column.Entries) {
			out = append(out, text(t.Elems()[0], e.Key, true)+":"+text(t.Elems()[1], e.Value, true))
		}
		return "{" + strings.Join(out, ",") + "}"
	case types.KindBool:
		return strconv.FormatBool(v.(uint8) != 0)
	case types.KindFloat32:
		return float(float64(v.(float32)), 32)
	case types.KindFloat64:
		return float(v.(float64), 64)
	case types.KindDate:
		return quoted(time.Unix(int64(v.(uint16))*86400, 0).UTC().Format("2006-01-02"), nested)
	case types.KindDate32:
		return quoted(time.Unix(int64(v.(int32))*86400, 0).UTC().Format("2006-01-02"), nested)
	case types.KindDateTime:
		return quoted(time.Unix(int64(v.(uint32)), 0).UTC().Format("2006-01-02 15:04:05"), nested)
	case types.KindUUID:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], v.(types.U128).Hi)
		binary.BigEndian.PutUint64(b[8:], v.(types.U128).Lo)
		h := hex.EncodeToString(b[:])
		return quoted(h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:], nested)
	case types.KindIPv4:
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], v.(uint32))
		return quoted(netip.AddrFrom4(b).String(), nested)
	case types.KindIPv6:
		return quoted(netip.AddrFrom16(v.(types.Addr6)).String(), nested)
	case types.KindEnum8:
		name, _ := t.Enum().Name(int16(v.(int8)))
		return quoted(name, nested)
	}
	if t.IsDecimal() {
		return decimal(fmt.Sprint(v), t.Scale())
	}
	return fmt.Sprint(v)
}

func quoted(s string, nested bool) string {
	if nested {
		return "'" + s + "'"
	}
	return s
}

func escape(s string) string {
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\x00", `\0`, "'", `\'`, "\b", `\b`, "\f", `\f`).Replace(s)
}

func float(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	}
	e := strconv.FormatFloat(f, 'e', -1, bits)
	mant, exp, _ := strings.Cut(e, "e")
	if x, _ := strconv.Atoi(exp); x < -6 || x >= 21 {
		return mant + "e" + strconv.Itoa(x)
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}

func decimal(digits string, scale int) string {
	r, _ := new(big.Rat).SetString(digits)
	r.Quo(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	s := r.FloatString(scale)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
