package paimon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// canon gives a value that was read in a form that compares; expected gives
// the same form of a value in the fixtures' JSON. NULL arrays and maps are
// empty, NULL rows are rows of NULLs, as in ClickHouse's types.
func canon(t *paimon.Type, v column.Value) string { // long: one case a type
	switch t.Kind {
	case paimon.Row:
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
	case paimon.Array, paimon.Vector:
		row, _ := v.(column.Row)
		var parts []string
		for _, e := range row {
			parts = append(parts, canon(t.Elem, e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case paimon.Map, paimon.Multiset:
		entries, _ := v.(column.Entries)
		key, value := entryTypes(t)
		var parts []string
		for _, e := range entries {
			parts = append(parts, canon(key, e.Key)+":"+canon(value, e.Value))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	switch x := v.(type) {
	case nil:
		return "null"
	case uint8:
		return strconv.FormatBool(x != 0)
	case types.I128:
		return x.String()
	case float32:
		return floatText(float64(x), 32)
	case float64:
		return floatText(x, 64)
	case string:
		switch t.Kind {
		case paimon.Binary, paimon.VarBinary, paimon.Blob:
			return hex.EncodeToString([]byte(x))
		case paimon.Variant:
			return normalJSON(x)
		}
		return strconv.Quote(x)
	}
	return fmt.Sprint(v)
}

func entryTypes(t *paimon.Type) (key, value *paimon.Type) {
	if t.Kind == paimon.Multiset {
		return t.Elem, &paimon.Type{Kind: paimon.Int}
	}
	return t.Key, t.Elem
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

func expected(t *paimon.Type, v any) string { // long: one case a type
	switch t.Kind {
	case paimon.Row:
		o, _ := v.(map[string]any)
		var parts []string
		for i := range t.Fields {
			parts = append(parts, expected(t.Fields[i].Type, o[t.Fields[i].Name]))
		}
		return "(" + strings.Join(parts, ",") + ")"
	case paimon.Array, paimon.Vector:
		a, _ := v.([]any)
		var parts []string
		for _, e := range a {
			parts = append(parts, expected(t.Elem, e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case paimon.Map, paimon.Multiset:
		a, _ := v.([]any)
		key, value := entryTypes(t)
		var parts []string
		for _, e := range a {
			p := e.([]any)
			parts = append(parts, expected(key, p[0])+":"+expected(value, p[1]))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	if v == nil {
		return "null"
	}
	if o, ok := v.(map[string]any); ok && t.Kind == paimon.Variant {
		v = o["json"]
	}
	s := fmt.Sprint(v)
	switch t.Kind {
	case paimon.Float, paimon.Double:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			f = math.NaN()
		}
		return floatText(f, map[bool]int{true: 32, false: 64}[t.Kind == paimon.Float])
	case paimon.Decimal:
		n, _ := new(big.Int).SetString(strings.ReplaceAll(s, ".", ""), 10)
		return n.String()
	case paimon.Date:
		d, err := time.Parse("2006-01-02", s)
		if err != nil {
			return "bad date " + s
		}
		return fmt.Sprint(d.Unix() / 86400)
	case paimon.Time:
		d, _ := time.Parse("15:04:05.999999999", s)
		return scaled(int64(d.Hour()*3600+d.Minute()*60+d.Second()), d.Nanosecond(), 6) // Time64(6), whatever the precision
	case paimon.Timestamp, paimon.TimestampLTZ:
		d, _ := time.Parse("2006-01-02T15:04:05.999999999", strings.TrimSuffix(s, "Z"))
		return scaled(d.Unix(), d.Nanosecond(), t.Precision)
	case paimon.Char, paimon.VarChar:
		return strconv.Quote(s)
	case paimon.Variant:
		return normalJSON(s)
	}
	return s
}

func scaled(seconds int64, nanos, precision int) string {
	for range 9 - precision {
		nanos /= 10
	}
	for range precision {
		seconds *= 10
	}
	return fmt.Sprint(seconds + int64(nanos))
}

// unordered sorts the elements of an array whose order means nothing.
func unordered(t *paimon.Type, text string) string {
	if t.Kind != paimon.Array {
		return text
	}
	parts := strings.Split(strings.Trim(text, "[]"), "),(")
	for i := range parts {
		parts[i] = strings.Trim(parts[i], "()")
	}
	slices.Sort(parts)
	return "bag" + strings.Join(parts, ";")
}
