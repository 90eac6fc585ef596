package text

import (
	"bytes"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var errManyTypes = cherr.New(cherr.NotImplemented, "A Dynamic column of more than %d types is not there", column.NullVariant)

func errVariant(name string, src []byte) error {
	return cherr.New(cherr.IncorrectData, "Cannot parse text value of type %s here: %s", name, src[:min(len(src), 100)])
}

// JSONType finds the type of a JSON value as the types JSON and Dynamic keep it.
func JSONType(v []byte) *types.Type { // long: one case a kind of value
	v = bytes.TrimSpace(v)
	switch {
	case len(v) == 0 || string(v) == "null":
		return types.Nothing
	case string(v) == "true" || string(v) == "false":
		return types.Bool
	case v[0] == '"':
		word, _, err := UnquoteJSON(v, nil)
		if err != nil {
			return types.String
		}
		return timeType(word)
	case v[0] == '{':
		return types.JSONElement
	case v[0] == '[':
		return jsonArrayType(v)
	}
	if !bytes.ContainsAny(v, ".eE") {
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return types.Int64
		}
		if _, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return types.UInt64
		}
		return types.String
	}
	if x, err := strconv.ParseFloat(string(v), 64); err == nil && !math.IsInf(x, 0) {
		return types.Float64
	}
	return types.String
}

// jsonArrayType: elements of one type, but for NULLs, or of any.
func jsonArrayType(v []byte) *types.Type {
	elem, null := types.Nothing, false
	for _, e := range jsonElements(v) {
		t := JSONType(e)
		null = null || t.Kind() == types.KindNothing
		if elem = joinJSON(elem, t); elem == nil {
			return types.Array(types.Dynamic)
		}
	}
	switch {
	case elem.Kind() == types.KindNothing:
		elem = types.Nullable(types.String)
	case elem.CanBeNullable() || null && elem.Kind() == types.KindJSON:
		elem = types.Nullable(elem)
	}
	return types.Array(elem)
}

// joinJSON gives the type of two elements of an array; nil: there is none.
func joinJSON(a, b *types.Type) *types.Type {
	a, b = types.WithoutNullable(a), types.WithoutNullable(b)
	time := func(t *types.Type) bool { return t.IsDateOrTime() }
	switch {
	case a.Equal(b), b.Kind() == types.KindNothing:
		return a
	case a.Kind() == types.KindNothing:
		return b
	case a.Kind() == types.KindArray && b.Kind() == types.KindArray:
		if emptyArray(a) {
			return b
		}
		if emptyArray(b) {
			return a
		}
		e := joinJSON(a.Elem(), b.Elem())
		if e == nil {
			return nil
		}
		if e.CanBeNullable() {
			e = types.Nullable(e)
		}
		return types.Array(e)
	case a.Kind() == types.KindBool && (b.IsNumber() || b.Kind() == types.KindString):
		return b
	case b.Kind() == types.KindBool && (a.IsNumber() || a.Kind() == types.KindString):
		return a
	case a.IsNumber() && b.IsNumber() && (a.IsFloat() || b.IsFloat()):
		return types.Float64
	case a.IsNumber() && b.IsNumber():
		return types.UInt64
	case time(a) && b.Kind() == types.KindString, time(b) && a.Kind() == types.KindString:
		return types.String
	case time(a) && time(b):
		if a.Kind() == types.KindDateTime64 || b.Kind() == types.KindDateTime64 {
			return types.DateTime64(9, "", nil)
		}
		return types.DateTime
	}
	return nil
}

// emptyArray: an array without elements is taken for one of text.
func emptyArray(t *types.Type) bool { return t.Equal(types.Array(types.Nullable(types.String))) }

func jsonElements(v []byte) [][]byte {
	var out [][]byte
	for n := 1; n < len(v); {
		n += spaces(v[n:])
		if n >= len(v) || v[n] == ']' {
			break
		}
		used, err := SkipJSON(v[n:])
		if err != nil {
			break
		}
		out = append(out, v[n:n+used])
		n += used
		if n += spaces(v[n:]); n < len(v) && v[n] == ',' {
			n++
		}
	}
	return out
}

// timeType finds dates and times in texts.
func timeType(w []byte) *types.Type {
	if len(w) < 8 || len(w) > 64 || !isDigit(w[0]) || !isDigit(w[3]) || w[4] != '-' && w[4] != '/' {
		return types.String
	}
	if len(w) <= 10 {
		days, n, err := ParseDate(w)
		switch {
		case err != nil || n != len(w):
		case days >= 0 && days <= math.MaxUint16:
			return types.Date
		default:
			if _, fits := (Moment{Unix: int64(days) * civil.Day}).Ticks(9); fits {
				return types.DateTime64(9, "", nil)
			}
		}
		return types.String
	}
	m, err := BestEffort{Zone: civil.NewZone(nil)}.Parse(w)
	if err != nil {
		return types.String
	}
	if _, fits := m.Ticks(9); !fits {
		return types.String
	}
	if bytes.IndexByte(w, '.') > 0 || m.Unix < 0 || m.Unix > math.MaxUint32 {
		return types.DateTime64(9, "", nil)
	}
	return types.DateTime
}

// JSONPath is one path of a JSON object with its value's text.
type JSONPath struct {
	Path  string
	Value []byte
}

// jsonNormalizer brings objects to the one form in which JSON columns hold
// them: paths in their order, values as their types print them.
type jsonNormalizer struct {
	t       *types.Type
	o       *Options
	skip    []*regexp.Regexp
	readers map[string]Reader
}

func newJSONNormalizer(t *types.Type, o *Options) *jsonNormalizer {
	plain := *o
	plain.QuoteInt64, plain.QuoteFloat64, plain.QuoteDecimals = false, false, false
	plain.Infer = nil
	n := &jsonNormalizer{t: t, o: &plain, readers: map[string]Reader{}}
	for _, s := range t.JSONSpec().SkipRegexp {
		if re, err := regexp.Compile(s); err == nil {
			n.skip = append(n.skip, re)
		}
	}
	return n
}

// JSONPaths takes an object apart: every path that has a value, in order.
// Values that are null are none.
func JSONPaths(src []byte) ([]JSONPath, error) {
	var out []JSONPath
	if err := jsonPaths(src, "", &out); err != nil {
		return nil, err
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

func jsonPaths(src []byte, prefix string, out *[]JSONPath) error {
	n := spaces(src)
	if n >= len(src) || src[n] != '{' {
		return cherr.New(cherr.IncorrectData, "Cannot insert data into JSON column: Cannot read JSON object from JSON element: %s", src[:min(len(src), 100)])
	}
	for n++; ; {
		if n += spaces(src[n:]); n >= len(src) {
			return errJSONObject(src)
		}
		if src[n] == '}' {
			return nil
		}
		key, used, err := UnquoteJSON(src[n:], nil)
		if err != nil {
			return errJSONObject(src)
		}
		n += used
		if n += spaces(src[n:]); n >= len(src) || src[n] != ':' {
			return errJSONObject(src)
		}
		n++
		n += spaces(src[n:])
		if used, err = SkipJSON(src[n:]); err != nil {
			return errJSONObject(src)
		}
		path, value := prefix+string(key), src[n:n+used]
		if value[0] == '{' {
			if err := jsonPaths(value, path+".", out); err != nil {
				return err
			}
		} else if string(value) != "null" {
			*out = append(*out, JSONPath{path, value})
		}
		n += used
		if n += spaces(src[n:]); n < len(src) && src[n] == ',' {
			n++
		}
	}
}

func errJSONObject(src []byte) error {
	return cherr.New(cherr.IncorrectData, "Cannot parse JSON object here: %s", src[:min(len(src), 1000)])
}

// appendObject adds an object in the form of the column.
func (n *jsonNormalizer) appendObject(dst, src []byte) ([]byte, error) {
	paths, err := JSONPaths(src)
	if err != nil {
		return dst, err
	}
	kept := paths[:0]
	for i, p := range paths {
		if n.skips(p.Path) {
			continue
		}
		if len(kept) > 0 && kept[len(kept)-1].Path == p.Path {
			return dst, cherr.New(cherr.IncorrectData, "Cannot insert data into JSON column: Duplicate path found during parsing JSON object: %s. You can enable setting type_json_skip_duplicated_paths to skip duplicated paths during insert", p.Path)
		}
		kept = append(kept, paths[i])
	}
	for i, name := range n.t.Names() {
		at := sort.Search(len(kept), func(k int) bool { return kept[k].Path >= name })
		if at < len(kept) && kept[at].Path == name {
			continue
		}
		if at < len(kept) && strings.HasPrefix(kept[at].Path, name+".") {
			return dst, cherr.New(cherr.IncorrectData, "Cannot insert data into JSON column: cannot read %s value from JSON element: it is an object (while reading path %s)", n.t.Elems()[i], name)
		}
		kept = append(kept, JSONPath{})
		copy(kept[at+1:], kept[at:])
		kept[at] = JSONPath{name, Print(n.t.Elems()[i], JSON, n.o, column.Default(n.t.Elems()[i], 1))(nil, 0)}
	}
	return n.print(dst, kept)
}

func (n *jsonNormalizer) skips(path string) bool {
	for _, s := range n.t.JSONSpec().Skip {
		if path == s || strings.HasPrefix(path, s) && path[len(s)] == '.' {
			return true
		}
	}
	for _, re := range n.skip {
		if re.MatchString(path) {
			return true
		}
	}
	return false
}

// print writes the paths as nested objects.
func (n *jsonNormalizer) print(dst []byte, paths []JSONPath) ([]byte, error) {
	var open []string // the objects that are open
	dst = append(dst, '{')
	first := true
	for _, p := range paths {
		parts := strings.Split(p.Path, ".")
		same := 0
		for same < len(open) && same < len(parts)-1 && open[same] == parts[same] {
			same++
		}
		for range len(open) - same {
			dst = append(dst, '}')
			first = false
		}
		open = open[:same]
		if !first {
			dst = append(dst, ',')
		}
		for _, part := range parts[same : len(parts)-1] {
			dst = append(AppendJSON(dst, []byte(part), true), ":{"...)
			open = append(open, part)
		}
		dst = append(AppendJSON(dst, []byte(parts[len(parts)-1]), true), ':')
		var err error
		if dst, err = n.value(dst, p); err != nil {
			return dst, err
		}
		first = false
	}
	for range open {
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

// TypeOf gives the type of a path of a JSON type: its own, or the value's.
func jsonPathType(t *types.Type, p JSONPath) (own *types.Type, typed bool) {
	for i, name := range t.Names() {
		if name == p.Path {
			return t.Elems()[i], true
		}
	}
	return JSONType(p.Value), false
}

// JSONPathType gives the type of a path's value in a column of a JSON type.
func JSONPathType(t *types.Type, p JSONPath) *types.Type {
	own, _ := jsonPathType(t, p)
	return own
}

func (n *jsonNormalizer) value(dst []byte, p JSONPath) ([]byte, error) {
	t, typed := jsonPathType(n.t, p)
	r, ok := n.readers[t.String()]
	if !ok {
		r = newReader(t, JSON, n.o)
		n.readers[t.String()] = r
	}
	used, err := r.Read(p.Value)
	if err != nil || used != len(p.Value) {
		if !typed {
			return append(dst, p.Value...), nil
		}
		return dst, cherr.New(cherr.IncorrectData, "Cannot insert data into JSON column: cannot parse %s value here: %s (while reading path %s)", t, p.Value, p.Path)
	}
	from := len(dst)
	dst = Print(t, JSON, n.o, r.Finish())(dst, 0)
	if !typed && t.Kind() == types.KindFloat64 && !bytes.ContainsAny(dst[from:], ".en") {
		dst = append(dst, wholeFloat...) // else it would be an integer when its type is asked for
	}
	return dst, nil
}

// wholeFloat ends a float without a fraction in the form in which columns hold
// objects; it is not shown.
var wholeFloat = []byte(".0")

// shownObjects gives objects as they are printed.
func shownObjects(c *column.Str) *column.Str {
	if !bytes.Contains(c.Data, wholeFloat) {
		return c
	}
	out := &column.Str{}
	for i := range c.Len() {
		from := len(out.Data)
		out.Data = appendShown(out.Data, c.At(i))
		out.Seal(from)
	}
	return out
}

func appendShown(dst, src []byte) []byte {
	for n := 0; n < len(src); n++ {
		switch {
		case src[n] == '"':
			_, used, err := UnquoteJSON(src[n:], nil)
			if err != nil {
				return append(dst, src[n:]...)
			}
			dst = append(dst, src[n:n+used]...)
			n += used - 1
		case src[n] == '.' && n+2 < len(src) && src[n+1] == '0' && (src[n+2] == ',' || src[n+2] == '}' || src[n+2] == ']'):
			n++
		default:
			dst = append(dst, src[n])
		}
	}
	return dst
}

// jsonReader reads objects into their one form.
type jsonReader struct {
	stringReader
	norm *jsonNormalizer
}

func newJSONReader(t *types.Type, f Form, o *Options) *jsonReader {
	return &jsonReader{stringReader: stringReader{form: f, o: o, raw: f == JSON}, norm: newJSONNormalizer(t, o)}
}

func (r *jsonReader) Read(src []byte) (int, error) {
	s, n, err := r.text(src)
	if err != nil {
		return 0, err
	}
	from := len(r.col.Data)
	out, err := r.norm.appendObject(r.col.Data, s)
	if err != nil {
		return 0, err
	}
	r.col.Data = out
	r.col.Seal(from)
	return n, nil
}

func (r *jsonReader) AppendDefault() {
	from := len(r.col.Data)
	if out, err := r.norm.appendObject(r.col.Data, []byte("{}")); err == nil {
		r.col.Data = out
	}
	r.col.Seal(from)
}
