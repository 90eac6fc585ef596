package text

import (
	"bytes"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// Reader collects values of one type from their text. It is used by one
// goroutine at a time.
type Reader interface {
	// Read takes one value off the front of src and gives the bytes used. In
	// the Plain form the whole of src is the value. After an error there are as
	// many values as before. An empty value of a number in the Escaped and CSV
	// forms is the type's default.
	Read(src []byte) (n int, err error)
	// AppendDefault adds the type's default, NULL for nullable types.
	AppendDefault()
	// Len gives the values so far.
	Len() int
	// Truncate drops the values from n on.
	Truncate(n int)
	// Finish gives the values as a full column and starts anew.
	Finish() column.Column
}

// NewReader makes a reader for a type. o may be nil.
func NewReader(t *types.Type, f Form, o *Options) Reader {
	if o == nil {
		o = defaults
	}
	return newReader(t, f, o)
}

func newReader(t *types.Type, f Form, o *Options) Reader { // long: one case a kind
	name := t.String()
	switch t.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return newReader(t.Elem(), f, o)
	case types.KindNullable:
		return &nullableReader{values: newReader(t.Elem(), f, o), form: f, o: o}
	case types.KindString, types.KindAggregateFunction:
		return &stringReader{form: f, o: o}
	case types.KindFixedString:
		return &stringReader{form: f, o: o, fixed: t.Length(), name: name}
	case types.KindJSON:
		return newJSONReader(t, f, o)
	case types.KindVariant:
		return newVariantReader(t, f, o)
	case types.KindDynamic:
		return &dynamicReader{form: f, o: o}
	case types.KindArray:
		return nested(&arrayReader{elems: newReader(t.Elem(), nestedForm(f), o), offsets: []uint64{0}, form: nestedForm(f)}, f, o, "Array")
	case types.KindMap:
		return nested(newMapReader(t, nestedForm(f), o), f, o, "Map")
	case types.KindTuple:
		if f == CSV && !o.CSVTuplesWhole {
			return newTupleReader(t, CSV, o)
		}
		return nested(newTupleReader(t, nestedForm(f), o), f, o, "Tuple")
	case types.KindNothing:
		return &nothingReader{}
	case types.KindUInt8:
		return integerReader[uint8](f, o, name)
	case types.KindUInt16:
		return integerReader[uint16](f, o, name)
	case types.KindUInt32:
		return integerReader[uint32](f, o, name)
	case types.KindUInt64:
		return integerReader[uint64](f, o, name)
	case types.KindInt8:
		return integerReader[int8](f, o, name)
	case types.KindInt16:
		return integerReader[int16](f, o, name)
	case types.KindInt32:
		return integerReader[int32](f, o, name)
	case types.KindInt64, types.KindInterval:
		return integerReader[int64](f, o, name)
	case types.KindInt128:
		return scalar(f, o, true, func(s []byte, _ bool) (types.I128, error) {
			v, err := parseWide(s, true, name)
			return types.I128{Lo: v[0], Hi: int64(v[1])}, err
		})
	case types.KindUInt128:
		return scalar(f, o, true, func(s []byte, _ bool) (types.U128, error) {
			v, err := parseWide(s, false, name)
			return types.U128{Lo: v[0], Hi: v[1]}, err
		})
	case types.KindInt256:
		return scalar(f, o, true, func(s []byte, _ bool) (types.I256, error) { return parseWide(s, true, name) })
	case types.KindUInt256:
		return scalar(f, o, true, func(s []byte, _ bool) (types.U256, error) {
			v, err := parseWide(s, false, name)
			return types.U256(v), err
		})
	case types.KindFloat64:
		return scalar(f, o, true, func(s []byte, _ bool) (float64, error) { return ParseFloat(s, 64, name) })
	case types.KindFloat32:
		return scalar(f, o, true, func(s []byte, _ bool) (float32, error) {
			v, err := ParseFloat(s, 32, name)
			return float32(v), err
		})
	case types.KindBFloat16:
		return scalar(f, o, true, func(s []byte, _ bool) (uint16, error) {
			v, err := ParseFloat(s, 32, name)
			return BFloat16OfFloat32(float32(v)), err
		})
	case types.KindBool:
		return scalar(f, o, true, func(s []byte, _ bool) (uint8, error) { return ParseBool(s, o) })
	}
	if t.IsDecimal() {
		return decimalReader(t, f, o)
	}
	return wordReader(t, f, o)
}

// BFloat16OfFloat32 cuts a float32 to its upper half.
func BFloat16OfFloat32(v float32) uint16 { return uint16(math.Float32bits(v) >> 16) }

func decimalReader(t *types.Type, f Form, o *Options) Reader {
	precision, scale, name := t.Precision(), t.Scale(), t.String()
	parse := func(s []byte) (types.I256, error) { return ParseDecimal(s, precision, scale, name) }
	switch t.Kind() {
	case types.KindDecimal32:
		return scalar(f, o, true, func(s []byte, _ bool) (int32, error) { v, err := parse(s); return int32(v[0]), err })
	case types.KindDecimal64:
		return scalar(f, o, true, func(s []byte, _ bool) (int64, error) { v, err := parse(s); return int64(v[0]), err })
	case types.KindDecimal128:
		return scalar(f, o, true, func(s []byte, _ bool) (types.I128, error) {
			v, err := parse(s)
			return types.I128{Lo: v[0], Hi: int64(v[1])}, err
		})
	}
	return scalar(f, o, true, func(s []byte, _ bool) (types.I256, error) { return parse(s) })
}

// wordReader reads the types that stand in quotes.
func wordReader(t *types.Type, f Form, o *Options) Reader { // long: one case a kind
	name := t.String()
	switch t.Kind() {
	case types.KindDate:
		return scalar(f, o, true, func(s []byte, _ bool) (uint16, error) {
			v, err := wholeDate(s, name)
			return uint16(min(max(v, 0), math.MaxUint16)), err
		})
	case types.KindDate32:
		return scalar(f, o, true, func(s []byte, _ bool) (int32, error) { v, err := wholeDate(s, name); return int32(v), err })
	case types.KindDateTime:
		z := civil.NewZone(o.zone(t.Location()))
		return scalar(f, o, true, func(s []byte, quoted bool) (uint32, error) {
			if v, n := number(s, 0, 18); n == len(s) && n > 0 && !quoted && f != Plain {
				return uint32(v), nil
			}
			m, err := ParseDateTime(s, z, o)
			return uint32(min(max(m.Unix, 0), math.MaxUint32)), err
		})
	case types.KindDateTime64:
		z, scale := civil.NewZone(o.zone(t.Location())), t.Scale()
		return scalar(f, o, true, func(s []byte, _ bool) (int64, error) {
			m, err := ParseDateTime(s, z, o)
			if err != nil {
				return 0, err
			}
			v, ok := m.Ticks(scale)
			if !ok {
				return 0, cherr.New(cherr.DecimalOverflow, "Decimal math overflow")
			}
			return v, nil
		})
	case types.KindTime:
		return scalar(f, o, true, func(s []byte, _ bool) (int32, error) { v, err := ParseTime(s, 0, name); return int32(v), err })
	case types.KindTime64:
		scale := t.Scale()
		return scalar(f, o, true, func(s []byte, _ bool) (int64, error) { return ParseTime(s, scale, name) })
	case types.KindEnum8:
		r := scalar(f, o, false, func(s []byte, _ bool) (int8, error) { v, err := parseEnum(s, t.Enum()); return int8(v), err })
		r.def = int8(t.Enum().Values()[0])
		return r
	case types.KindEnum16:
		r := scalar(f, o, false, func(s []byte, _ bool) (int16, error) { return parseEnum(s, t.Enum()) })
		r.def = t.Enum().Values()[0]
		return r
	case types.KindUUID:
		return scalar(f, o, true, func(s []byte, _ bool) (types.U128, error) { return ParseUUID(s) })
	case types.KindIPv4:
		return scalar(f, o, true, func(s []byte, _ bool) (uint32, error) { return ParseIPv4(s) })
	case types.KindIPv6:
		return scalar(f, o, true, func(s []byte, _ bool) (types.Addr6, error) { return ParseIPv6(s) })
	}
	cherr.Bug("no text reader for type %s", t)
	return nil
}

func parseEnum(s []byte, e *types.Enum) (int16, error) {
	if v, ok := e.Value(unsafeString(s)); ok {
		return v, nil
	}
	if v, err := parseInteger[int16](s, "Enum"); err == nil {
		if _, ok := e.Name(v); ok {
			return v, nil
		}
	}
	return 0, cherr.New(cherr.UnknownElementOfEnum, "Unknown element '%s' for enum", s)
}

// scalarReader reads values without elements.
type scalarReader[T column.Element] struct {
	values  []T
	def     T
	parse   func(s []byte, quoted bool) (T, error)
	form    Form
	o       *Options
	scratch []byte
	empty   bool // an empty value is the default
}

func scalar[T column.Element](f Form, o *Options, empty bool, parse func(s []byte, quoted bool) (T, error)) *scalarReader[T] {
	return &scalarReader[T]{parse: parse, form: f, o: o, empty: empty && (f == Escaped || f == CSV)}
}

func integerReader[T native](f Form, o *Options, name string) Reader {
	if o.Checked {
		return scalar(f, o, true, func(s []byte, _ bool) (T, error) {
			v, err := parseInteger[T](s, name)
			if err == nil && !fits(s, v) {
				err = cherr.New(cherr.CannotParseText, "Cannot parse string to type %s", name)
			}
			return v, err
		})
	}
	return scalar(f, o, true, func(s []byte, quoted bool) (T, error) {
		v, err := parseInteger[T](s, name)
		if err != nil && f == JSON && !quoted {
			switch string(s) {
			case "true":
				return 1, nil
			case "false":
				return 0, nil
			}
		}
		return v, err
	})
}

func (r *scalarReader[T]) Read(src []byte) (int, error) {
	s, n, quoted, err := token(src, r.form, r.o, r.scratch[:0])
	if err != nil {
		return 0, err
	}
	if quoted {
		r.scratch = s[:0]
	}
	if r.empty && len(s) == 0 {
		r.AppendDefault()
		return n, nil
	}
	v, err := r.parse(s, quoted)
	if err != nil {
		return 0, err
	}
	r.values = append(r.values, v)
	return n, nil
}

func (r *scalarReader[T]) AppendDefault() { r.values = append(r.values, r.def) }
func (r *scalarReader[T]) Len() int       { return len(r.values) }
func (r *scalarReader[T]) Truncate(n int) { r.values = r.values[:n] }
func (r *scalarReader[T]) Finish() column.Column {
	c := column.NewFixed(r.values)
	r.values = nil
	return c
}

// stringReader reads String and FixedString, and JSON values as they stand.
type stringReader struct {
	col     column.Str
	form    Form
	o       *Options
	fixed   int
	name    string
	raw     bool
	scratch []byte
}

func (r *stringReader) Read(src []byte) (int, error) {
	s, n, err := r.text(src)
	if err != nil {
		return 0, err
	}
	if r.fixed > 0 && len(s) > r.fixed {
		return 0, cherr.New(cherr.TooLargeStringSize, "String too long for type %s", r.name)
	}
	from := len(r.col.Data)
	r.col.Data = append(r.col.Data, s...)
	for len(r.col.Data)-from < r.fixed {
		r.col.Data = append(r.col.Data, 0)
	}
	r.col.Seal(from)
	return n, nil
}

func (r *stringReader) text(src []byte) ([]byte, int, error) {
	if r.form == JSON {
		skip := spaces(src)
		if r.raw || skip < len(src) && src[skip] != '"' {
			n, err := SkipJSON(src)
			return src[skip:max(n, skip)], n, err
		}
	}
	s, n, quoted, err := token(src, r.form, r.o, r.scratch[:0])
	if err != nil {
		return nil, 0, err
	}
	if r.form == Quoted && !quoted {
		_, _, err := Unquote(src[spaces(src):], nil)
		return nil, 0, err
	}
	if quoted {
		r.scratch = s[:0]
	}
	return s, n, nil
}

func (r *stringReader) AppendDefault() {
	from := len(r.col.Data)
	r.col.Data = append(r.col.Data, make([]byte, r.fixed)...)
	r.col.Seal(from)
}
func (r *stringReader) Len() int { return r.col.Len() }
func (r *stringReader) Truncate(n int) {
	if n < r.col.Len() {
		r.col.Data = r.col.Data[:r.col.Start[n]]
		r.col.Start, r.col.Lns = r.col.Start[:n], r.col.Lns[:n]
	}
}

func (r *stringReader) Finish() column.Column {
	c := r.col
	r.col = column.Str{}
	return &c
}

// nullableReader knows the words for NULL.
type nullableReader struct {
	values Reader
	null   []uint8
	any    bool
	form   Form
	o      *Options
}

func (r *nullableReader) Read(src []byte) (int, error) {
	if n, ok := nullToken(src, r.form, r.o); ok {
		r.AppendDefault()
		return n, nil
	}
	n, err := r.values.Read(src)
	if err == nil {
		r.null = append(r.null, 0)
	}
	return n, err
}

// nullToken tells whether NULL stands at the front of src.
func nullToken(src []byte, f Form, o *Options) (int, bool) {
	word := o.null(f)
	switch f {
	case Plain:
		ok := len(src) == len(word) && bytes.EqualFold(src, []byte(word))
		return len(src), ok
	case Escaped:
		n := len(word)
		ok := bytes.HasPrefix(src, []byte(word)) && (len(src) == n || src[n] == '\t' || src[n] == '\n' || src[n] == '\r')
		return n, ok
	case CSV:
		s, n, quoted, err := token(src, f, o, nil)
		return n, err == nil && !quoted && (len(s) == 0 || string(s) == word || string(s) == "NULL")
	}
	skip := spaces(src)
	n := skip + 4
	ok := len(src) >= n && (len(src) == n || ends[src[n]])
	if f == JSON {
		return n, ok && string(src[skip:n]) == "null"
	}
	return n, ok && bytes.EqualFold(src[skip:n], []byte("NULL"))
}

func (r *nullableReader) AppendDefault() {
	r.values.AppendDefault()
	r.null = append(r.null, 1)
	r.any = true
}
func (r *nullableReader) Len() int { return len(r.null) }
func (r *nullableReader) Truncate(n int) {
	r.values.Truncate(n)
	r.null = r.null[:n]
}

func (r *nullableReader) Finish() column.Column {
	out := &column.Nullable{Values: r.values.Finish()}
	if r.any {
		out.Null = r.null
	}
	r.null, r.any = nil, false
	return out
}

type nothingReader struct{ n int }

func (r *nothingReader) Read(src []byte) (int, error) {
	return 0, cherr.New(cherr.CannotParseText, "Cannot parse a value of type Nothing")
}
func (r *nothingReader) AppendDefault() { r.n++ }
func (r *nothingReader) Len() int       { return r.n }
func (r *nothingReader) Truncate(n int) { r.n = n }
func (r *nothingReader) Finish() column.Column {
	c := &column.Nothing{N: r.n}
	r.n = 0
	return c
}
