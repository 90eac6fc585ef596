package iceberg

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// canon gives a value that was read in a form that compares; expected gives
// the same form of a value in the fixtures' JSON. NULL lists and maps are
// empty, NULL structs are structs of NULLs, as in ClickHouse's types.
func canon(t *iceberg.Type, v column.Value) string { // long: one case a type
	switch t.Kind {
	case iceberg.Struct:
		row, _ := v.(column.Row)
		var parts []string
		for i := range t.Fields {
			var e column.Value
			if row != nil {
				e = row[i]
			}
			parts = append(parts, canon(t.Fields[i].Type, e))
		}
		return "(" + strings.Join(parts, ",") + ")"
	case iceberg.List:
		row, _ := v.(column.Row)
		var parts []string
		for _, e := range row {
			parts = append(parts, canon(t.Elem.Type, e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case iceberg.Map:
		entries, _ := v.(column.Entries)
		var parts []string
		for _, e := range entries {
			parts = append(parts, canon(t.Key.Type, e.Key)+":"+canon(t.Value.Type, e.Value))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	switch x := v.(type) {
	case nil:
		return "null"
	case uint8:
		return strconv.FormatBool(x != 0)
	case int32, int64:
		return fmt.Sprint(x)
	case types.I128:
		return x.String()
	case types.I256:
		return x.Big().String()
	case types.U128:
		return fmt.Sprintf("%016x%016x", x.Hi, x.Lo)
	case float32:
		return floatText(float64(x), 32)
	case float64:
		return floatText(x, 64)
	case string:
		switch t.Kind {
		case iceberg.Binary, iceberg.Fixed:
			return hex.EncodeToString([]byte(x))
		case iceberg.Variant:
			return normalJSON(x)
		}
		return strconv.Quote(x)
	}
	return fmt.Sprintf("%T", v)
}

func floatText(f float64, bits int) string {
	if f == 0 {
		f = 0
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

func normalJSON(s string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return "bad JSON " + s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func expected(t *iceberg.Type, v any) string { // long: one case a type
	switch t.Kind {
	case iceberg.Struct:
		o, _ := v.(map[string]any)
		var parts []string
		for i := range t.Fields {
			parts = append(parts, expected(t.Fields[i].Type, o[t.Fields[i].Name]))
		}
		return "(" + strings.Join(parts, ",") + ")"
	case iceberg.List:
		a, _ := v.([]any)
		var parts []string
		for _, e := range a {
			parts = append(parts, expected(t.Elem.Type, e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case iceberg.Map:
		a, _ := v.([]any)
		var parts []string
		for _, e := range a {
			p := e.([]any)
			parts = append(parts, expected(t.Key.Type, p[0])+":"+expected(t.Value.Type, p[1]))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	if v == nil || t.Kind == iceberg.Unknown {
		return "null"
	}
	s := fmt.Sprint(v)
	switch t.Kind {
	case iceberg.Float, iceberg.Double:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			f = math.NaN()
		}
		return floatText(f, map[bool]int{true: 32, false: 64}[t.Kind == iceberg.Float])
	case iceberg.Decimal:
		n, _ := new(big.Int).SetString(strings.ReplaceAll(s, ".", ""), 10)
		return n.String()
	case iceberg.Date:
		d, err := time.Parse("2006-01-02", s)
		if err != nil {
			return "bad date " + s
		}
		return fmt.Sprint(d.Unix() / 86400)
	case iceberg.Time:
		d, _ := time.Parse("15:04:05.999999", s)
		return fmt.Sprint(int64(d.Hour()*3600+d.Minute()*60+d.Second())*1e6 + int64(d.Nanosecond()/1000))
	case iceberg.Timestamp, iceberg.TimestampTZ:
		d, _ := time.Parse("2006-01-02T15:04:05.999999", strings.TrimSuffix(s, "Z"))
		return fmt.Sprint(d.UnixMicro())
	case iceberg.TimestampNS, iceberg.TimestampTZNS:
		d, _ := time.Parse("2006-01-02T15:04:05.999999999", strings.TrimSuffix(s, "Z"))
		return fmt.Sprint(d.Unix()*1e9 + int64(d.Nanosecond()))
	case iceberg.String:
		return strconv.Quote(s)
	case iceberg.UUID:
		return strings.ReplaceAll(s, "-", "")
	case iceberg.Variant:
		return normalJSON(s)
	}
	return s
}

func codeOf(err error) int { return int(cherr.CodeOf(err)) }
