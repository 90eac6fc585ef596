package read

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// variantText makes the JSON text of variants that were read as a tuple of
// metadata and value.
func variantText(nullable bool) finish {
	return full(func(c column.Column) (column.Column, error) {
		t := c.(*column.Tuple)
		meta, metaNull := column.SplitNulls(column.Full(t.Elems[0]))
		value, valueNull := column.SplitNulls(column.Full(t.Elems[1]))
		out, null := &column.Str{}, make([]uint8, t.N)
		any := false
		for i := range t.N {
			if metaNull != nil && metaNull[i] != 0 || valueNull != nil && valueNull[i] != 0 {
				null[i], any = 1, true
				out.Append(nil)
				continue
			}
			v := variant{meta: meta.(*column.Str).At(i)}
			from := len(out.Data)
			text, err := v.append(out.Data, value.(*column.Str).At(i), 0)
			if err != nil {
				return nil, cherr.Wrap(err, "reading a variant")
			}
			out.Data = text
			out.Seal(from)
		}
		if !nullable {
			return out, nil
		}
		if !any {
			null = nil
		}
		return &column.Nullable{Values: out, Null: null}, nil
	})
}

// variant is one value's metadata: the names of object fields.
type variant struct{ meta []byte }

func variantError(what string) error {
	return cherr.New(cherr.IncorrectData, "variant is damaged: %s", what)
}

// uintLE reads n ≤ 4 bytes at an offset.
func uintLE(b []byte, at, n int) (int, bool) {
	if at < 0 || at+n > len(b) {
		return 0, false
	}
	v := uint32(0)
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint32(b[at+i])
	}
	return int(v), true
}

func (v variant) name(id int) (string, bool) {
	if len(v.meta) == 0 || v.meta[0]&15 != 1 {
		return "", false
	}
	w := int(v.meta[0]>>6) + 1
	n, ok := uintLE(v.meta, 1, w)
	if !ok || id < 0 || id >= n {
		return "", false
	}
	from, ok1 := uintLE(v.meta, 1+w*(1+id), w)
	to, ok2 := uintLE(v.meta, 1+w*(2+id), w)
	base := 1 + w*(2+n)
	if !ok1 || !ok2 || from > to || base+to > len(v.meta) {
		return "", false
	}
	return string(v.meta[base+from : base+to]), true
}

// append writes a value's JSON text.
func (v variant) append(dst, b []byte, depth int) ([]byte, error) {
	switch {
	case len(b) == 0:
		return nil, variantError("a value is empty")
	case depth > maxNesting:
		return nil, variantError("it is nested too deep")
	case len(dst) > maxText:
		return nil, variantError("its text is too long")
	}
	head, rest := int(b[0]>>2), b[1:]
	switch b[0] & 3 {
	case 0:
		return appendPrimitive(dst, head, rest)
	case 1:
		if head > len(rest) {
			return nil, variantError("a short string is cut off")
		}
		return appendJSON(dst, string(rest[:head])), nil
	case 2:
		return v.appendObject(dst, b, depth)
	}
	return v.appendArray(dst, head, rest, depth)
}

// object is an object's parts: where its ids, offsets and values stand.
type object struct {
	b               []byte
	n, ids, idW     int
	offs, offW, dat int
}

func parseObject(b []byte) (object, error) {
	if len(b) == 0 || b[0]&3 != 2 {
		return object{}, variantError("it is no object")
	}
	head, numW := int(b[0]>>2), 1
	if head&16 != 0 {
		numW = 4
	}
	o := object{b: b[1:], offW: head&3 + 1, idW: head>>2&3 + 1, ids: numW}
	n, ok := uintLE(o.b, 0, numW)
	if !ok || n > len(b) {
		return o, variantError("an object is cut off")
	}
	o.n, o.offs = n, numW+n*o.idW
	o.dat = o.offs + (n+1)*o.offW
	if o.dat > len(o.b) {
		return o, variantError("an object is cut off")
	}
	return o, nil
}

// field gives a field's name and the bytes from its value on; ids stand in the
// order of their names.
func (v variant) field(o object, i int) (name string, value []byte, err error) {
	id, _ := uintLE(o.b, o.ids+i*o.idW, o.idW)
	off, _ := uintLE(o.b, o.offs+i*o.offW, o.offW)
	name, ok := v.name(id)
	if !ok || o.dat+off > len(o.b) {
		return "", nil, variantError("an object's field lies outside")
	}
	return name, o.b[o.dat+off:], nil
}

func (v variant) appendObject(dst, b []byte, depth int) ([]byte, error) {
	o, err := parseObject(b)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	for i := range o.n {
		name, value, err := v.field(o, i)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSON(dst, name), ':')
		if dst, err = v.append(dst, value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (v variant) appendArray(dst []byte, head int, b []byte, depth int) ([]byte, error) {
	offW, numW := head&3+1, 1
	if head&4 != 0 {
		numW = 4
	}
	n, ok := uintLE(b, 0, numW)
	data := numW + (n+1)*offW
	if !ok || n > len(b) || data > len(b) {
		return nil, variantError("an array is cut off")
	}
	dst = append(dst, '[')
	for i := range n {
		off, _ := uintLE(b, numW+i*offW, offW)
		if data+off > len(b) {
			return nil, variantError("an array's element lies outside")
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = v.append(dst, b[data+off:], depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// maxText bounds a block's texts: values may refer to one another so that a few
// bytes mean a text without end.
const maxText = 1 << 30

// primitiveBytes is the length of each primitive type's value; -1: a length
// stands before it.
var primitiveBytes = [...]int{0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17, 4, 8, 8, 4, -1, -1, 8, 8, 8, 16}

func appendPrimitive(dst []byte, kind int, b []byte) ([]byte, error) { // long: one case a type
	if kind >= len(primitiveBytes) {
		return nil, variantError("primitive type " + strconv.Itoa(kind) + " is not known")
	}
	n := primitiveBytes[kind]
	if n < 0 {
		size, ok := uintLE(b, 0, 4)
		if !ok || size > len(b)-4 {
			return nil, variantError("a string is cut off")
		}
		b, n = b[4:], size
	}
	if n > len(b) {
		return nil, variantError("a value is cut off")
	}
	b = b[:n]
	i64 := func() int64 { return int64(binary.LittleEndian.Uint64(b)) }
	switch kind {
	case 0:
		return append(dst, "null"...), nil
	case 1:
		return append(dst, "true"...), nil
	case 2:
		return append(dst, "false"...), nil
	case 3:
		return strconv.AppendInt(dst, int64(int8(b[0])), 10), nil
	case 4:
		return strconv.AppendInt(dst, int64(int16(binary.LittleEndian.Uint16(b))), 10), nil
	case 5:
		return strconv.AppendInt(dst, int64(int32(binary.LittleEndian.Uint32(b))), 10), nil
	case 6:
		return strconv.AppendInt(dst, i64(), 10), nil
	case 7:
		return appendFloat(dst, math.Float64frombits(uint64(i64())), 64), nil
	case 8, 9, 10:
		return appendDecimal(dst, int(b[0]), b[1:]), nil
	case 11:
		return appendTime(dst, time.Unix(int64(int32(binary.LittleEndian.Uint32(b)))*86400, 0), "2006-01-02"), nil
	case 12:
		return appendTime(dst, time.UnixMicro(i64()), "2006-01-02 15:04:05.999999-07:00"), nil
	case 13:
		return appendTime(dst, time.UnixMicro(i64()), "2006-01-02 15:04:05.999999"), nil
	case 14:
		return appendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32), nil
	case 15:
		return appendJSON(dst, base64.StdEncoding.EncodeToString(b)), nil
	case 16:
		return appendJSON(dst, string(b)), nil
	case 17:
		return appendTime(dst, time.UnixMicro(i64()), "15:04:05.999999"), nil
	case 18:
		return appendTime(dst, time.Unix(0, i64()), "2006-01-02 15:04:05.999999999-07:00"), nil
	case 19:
		return appendTime(dst, time.Unix(0, i64()), "2006-01-02 15:04:05.999999999"), nil
	}
	u := types.U128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
	return appendJSON(dst, uuidText(u)), nil
}

func uuidText(u types.U128) string {
	const digits = "0123456789abcdef"
	var out []byte
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			out = append(out, '-')
		}
		word, shift := u.Hi, 60-4*i
		if i >= 16 {
			word, shift = u.Lo, 60-4*(i-16)
		}
		out = append(out, digits[word>>shift&15])
	}
	return string(out)
}

func appendTime(dst []byte, t time.Time, layout string) []byte {
	return appendJSON(dst, t.UTC().Format(layout))
}

// appendFloat writes NaN and infinities as text, which JSON numbers cannot be.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendJSON(dst, strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, bits), "+"))
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

func appendDecimal(dst []byte, scale int, b []byte) []byte {
	be := make([]byte, len(b))
	for i := range b {
		be[len(b)-1-i] = b[i]
	}
	n := new(big.Int).SetBytes(be)
	if b[len(b)-1]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return appendScaled(dst, n, scale)
}

func appendScaled(dst []byte, n *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[len(digits)-scale:]...)
	}
	return dst
}

func appendJSON(dst []byte, s string) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return append(dst, `""`...)
	}
	return append(dst, strings.TrimSuffix(b.String(), "\n")...)
}
