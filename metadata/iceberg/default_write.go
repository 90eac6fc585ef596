package iceberg

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// DefaultJSON writes a value, in the physical form of the type's ClickHouse
// type, as a default of a field (iceberg.md §1.11). Only primitive types have
// defaults other than NULL.
func DefaultJSON(t *Type, v column.Value) (json.RawMessage, error) { // long: one case a type
	if v == nil {
		return nil, nil
	}
	text := func(s string) (json.RawMessage, error) { return marshal(s) }
	switch x := v.(type) {
	case uint8:
		if t.Kind == Boolean {
			return marshal(x != 0)
		}
	case int32:
		switch t.Kind {
		case Int:
			return marshal(x)
		case Date:
			return text(time.Unix(int64(x)*86400, 0).UTC().Format("2006-01-02"))
		case Decimal:
			return text(decimalString(big.NewInt(int64(x)), t.Scale))
		}
	case int64:
		switch t.Kind {
		case Long:
			return marshal(x)
		case Decimal:
			return text(decimalString(big.NewInt(x), t.Scale))
		case Time:
			return text(time.UnixMicro(x).UTC().Format("15:04:05.000000"))
		case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
			return text(timestampString(t, x))
		}
	case types.I128:
		if t.Kind == Decimal {
			n, _ := new(big.Int).SetString(x.String(), 10)
			return text(decimalString(n, t.Scale))
		}
	case float32:
		return floatJSON(t, float64(x), x)
	case float64:
		return floatJSON(t, x, x)
	case types.U128:
		if t.Kind == UUID {
			return text(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", x.Hi>>32, x.Hi>>16&0xffff, x.Hi&0xffff, x.Lo>>48, x.Lo&(1<<48-1)))
		}
	case string:
		switch t.Kind {
		case String:
			return text(x)
		case Binary, Fixed:
			return text(hex.EncodeToString([]byte(x)))
		}
	}
	return nil, cherr.New(cherr.BadArguments, "Iceberg has no default values of type %s", t)
}

func floatJSON(t *Type, v float64, as any) (json.RawMessage, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, cherr.New(cherr.BadArguments, "%v cannot be a default of an Iceberg column", v)
	}
	if t.Kind != Float && t.Kind != Double {
		return nil, cherr.New(cherr.BadArguments, "%v is no value of type %s", v, t)
	}
	return marshal(as)
}

func decimalString(n *big.Int, scale int) string {
	digits := new(big.Int).Abs(n).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

func timestampString(t *Type, v int64) string {
	layout, at := "2006-01-02T15:04:05.000000", time.UnixMicro(v)
	if t.Kind >= TimestampNS {
		layout, at = "2006-01-02T15:04:05.000000000", time.Unix(floorDiv(v, 1e9), mod(v, 1e9))
	}
	if t.Kind == TimestampTZ || t.Kind == TimestampTZNS {
		layout += "-07:00"
	}
	return at.UTC().Format(layout)
}

// ParseValue reads a value of a primitive type as text, as partitions' folders
// and JSON defaults spell it.
func ParseValue(t *Type, text string) (column.Value, error) {
	switch t.Kind {
	case Boolean, Int, Long, Float, Double:
		return jsonValue(t, json.RawMessage(text))
	}
	quoted, err := marshal(text)
	if err != nil {
		return nil, err
	}
	return jsonValue(t, quoted)
}
