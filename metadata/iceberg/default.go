package iceberg

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// DefaultValue gives the value that rows written before the field was added
// have: its initial default in the physical form of its ClickHouse type, nil
// (NULL, or what is empty) when it has none.
func (f *Field) DefaultValue() (column.Value, error) {
	if f.Type.Kind == Struct {
		return structDefault(f)
	}
	if f.InitialDefault == nil {
		return nil, nil
	}
	v, err := jsonValue(f.Type, f.InitialDefault)
	return v, cherr.Wrap(err, "reading the initial default of field `%s`", f.Name)
}

// structDefault: a struct's default is null or {}; its fields have their own
// when it is {}, and none when the struct itself is absent.
func structDefault(f *Field) (column.Value, error) {
	row := make(column.Row, len(f.Type.Fields))
	for i := range f.Type.Fields {
		child := &f.Type.Fields[i]
		if f.InitialDefault == nil && !f.Required {
			if child.Type.Kind == Struct {
				bare := *child
				bare.InitialDefault, bare.Required = nil, false
				v, err := structDefault(&bare)
				if err != nil {
					return nil, err
				}
				row[i] = v
			}
			continue
		}
		v, err := child.DefaultValue()
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	return row, nil
}

func jsonValue(t *Type, b json.RawMessage) (column.Value, error) { // long: one case a type
	bad := func() (column.Value, error) {
		return nil, cherr.New(cherr.IncorrectData, "%s is no value of type %s", b, t)
	}
	var text string
	isText := json.Unmarshal(b, &text) == nil
	switch t.Kind {
	case Boolean:
		var x bool
		if json.Unmarshal(b, &x) == nil {
			return b2u(x), nil
		}
	case Int:
		var x int32
		if json.Unmarshal(b, &x) == nil {
			return x, nil
		}
	case Long:
		var x int64
		if json.Unmarshal(b, &x) == nil {
			return x, nil
		}
	case Float, Double:
		num := string(b)
		if isText { // NaN and infinities
			num = text
		}
		x, err := strconv.ParseFloat(num, 64)
		if err == nil && t.Kind == Float {
			return float32(x), nil
		}
		if err == nil {
			return x, nil
		}
	case Decimal:
		if !isText {
			text = string(b)
		}
		if v, ok := decimalText(t, text); ok {
			return v, nil
		}
	case Date:
		if d, err := time.Parse("2006-01-02", text); isText && err == nil {
			return int32(floorDiv(d.Unix(), 86400)), nil
		}
	case Time:
		for _, layout := range []string{"15:04:05.999999999", "15:04"} {
			if d, err := time.Parse(layout, text); isText && err == nil {
				return int64(d.Hour()*3600+d.Minute()*60+d.Second())*1_000_000 + int64(d.Nanosecond()/1000), nil
			}
		}
	case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
		if v, ok := timestampText(t, text); isText && ok {
			return v, nil
		}
	case String:
		if isText {
			return text, nil
		}
	case UUID:
		if v, ok := ParseUUID(text); isText && ok {
			return v, nil
		}
	case Binary, Fixed:
		if raw, err := hex.DecodeString(text); isText && err == nil {
			return string(raw), nil
		}
	case List:
		var elems []json.RawMessage
		if json.Unmarshal(b, &elems) == nil {
			return jsonRow(t.Elem.Type, elems)
		}
	case Map:
		return jsonMap(t, b)
	}
	return bad()
}

func jsonRow(t *Type, elems []json.RawMessage) (column.Row, error) {
	out := column.Row{}
	for _, e := range elems {
		if string(e) == "null" {
			out = append(out, nil)
			continue
		}
		v, err := jsonValue(t, e)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func jsonMap(t *Type, b json.RawMessage) (column.Value, error) {
	var j struct{ Keys, Values []json.RawMessage }
	if err := json.Unmarshal(b, &j); err != nil || len(j.Keys) != len(j.Values) {
		return nil, cherr.New(cherr.IncorrectData, "%s is no value of type %s", b, t)
	}
	keys, err := jsonRow(t.Key.Type, j.Keys)
	if err != nil {
		return nil, err
	}
	values, err := jsonRow(t.Value.Type, j.Values)
	if err != nil {
		return nil, err
	}
	out := column.Entries{}
	for i := range keys {
		out = append(out, column.Entry{Key: keys[i], Value: values[i]})
	}
	return out, nil
}

func decimalText(t *Type, text string) (column.Value, bool) {
	whole, frac, _ := strings.Cut(text, ".")
	if len(frac) > t.Scale {
		return nil, false
	}
	n, ok := new(big.Int).SetString(whole+frac+strings.Repeat("0", t.Scale-len(frac)), 10)
	if !ok || n.BitLen() > 255 {
		return nil, false
	}
	var w types.I256
	abs := new(big.Int).Abs(n).FillBytes(make([]byte, 32))
	for i := range w {
		w[i] = binary.BigEndian.Uint64(abs[24-8*i:])
	}
	if n.Sign() < 0 {
		carry := uint64(1)
		for i := range w {
			w[i] = ^w[i] + carry
			if w[i] != 0 {
				carry = 0
			}
		}
	}
	return decimalBytes(t, minBytes(w))
}

func timestampText(t *Type, text string) (column.Value, bool) {
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		d, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if t.Kind >= TimestampNS {
			return d.Unix()*1_000_000_000 + int64(d.Nanosecond()), true
		}
		return d.Unix()*1_000_000 + int64(d.Nanosecond()/1000), true
	}
	return nil, false
}

// ParseUUID reads a UUID's text, with or without dashes.
func ParseUUID(s string) (types.U128, bool) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != 16 {
		return types.U128{}, false
	}
	return types.U128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}, true
}
