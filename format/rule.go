package format

import (
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// rule is a way of writing one value: what ClickHouse calls an escaping rule.
type rule struct {
	name  string
	form  text.Form
	write func(dst, v []byte) []byte
}

// newRule finds a rule by its name. Error: BAD_ARGUMENTS.
func newRule(name string, o *Options) (rule, error) {
	switch name {
	case "", "Escaped":
		return rule{"Escaped", text.Escaped, text.AppendEscaped}, nil
	case "Quoted":
		return rule{name, text.Quoted, text.AppendQuoted}, nil
	case "CSV":
		return rule{name, text.CSV, text.AppendCSV}, nil
	case "JSON":
		return rule{name, text.JSON, func(dst, v []byte) []byte { return text.AppendJSON(dst, v, !o.Text.PlainSlashes) }}, nil
	case "XML":
		return rule{name, text.Plain, appendXML}, nil
	case "Raw":
		return rule{name, text.Plain, func(dst, v []byte) []byte { return append(dst, v...) }}, nil
	}
	return rule{}, cherr.New(cherr.BadArguments, "Unknown escaping rule %s", name)
}

// end gives where the value at the front of src ends: before delimiter, which
// may be empty for the end of src. ok is false when src holds no whole value.
func (k rule) end(src []byte, delimiter string) (n int, ok bool) {
	switch k.name {
	case "JSON":
		n, err := text.SkipJSON(src)
		return n, err == nil
	case "Quoted":
		n := 0
		depth := 0
		for n < len(src) {
			switch c := src[n]; {
			case c == '\'':
				e := sqlStringEnd(src[n:])
				if e < 0 {
					return 0, false
				}
				n += e - 1
			case c == '[' || c == '(' || c == '{':
				depth++
			case (c == ']' || c == ')' || c == '}') && depth > 0:
				depth--
			case depth == 0 && (c == '\t' || c == '\n' || c == '\r' || delimiter != "" && bytes.HasPrefix(src[n:], []byte(delimiter))):
				return n, true
			}
			n++
		}
		return n, true
	case "CSV":
		if len(src) > 0 && (src[0] == '"' || src[0] == '\'') {
			if e := quotedEnd(src); e > 0 {
				return e, true
			}
		}
		n := bytes.IndexAny(src, "\r\n")
		if n < 0 {
			n = len(src)
		}
		if delimiter != "" {
			if d := bytes.Index(src[:n], []byte(delimiter)); d >= 0 {
				n = d
			}
		}
		return n, true
	case "Escaped":
		for n < len(src) && src[n] != '\t' && src[n] != '\n' {
			if src[n] == '\\' {
				n++
			}
			n++
		}
		return min(n, len(src)), true
	}
	if n := bytes.IndexAny(src, "\t\n"); n >= 0 {
		return n, true
	}
	return len(src), true
}

// word gives a value's own text.
func (k rule) word(src []byte) string {
	switch {
	case k.name == "JSON" && len(src) > 1 && src[0] == '"':
		if w, _, err := text.UnquoteJSON(src, nil); err == nil {
			return string(w)
		}
	case k.name == "Quoted" && len(src) > 1 && src[0] == '\'':
		if w, _, err := text.Unquote(src, nil); err == nil {
			return string(w)
		}
	case k.name == "CSV" && len(src) > 1 && src[0] == '"':
		return string(bytes.ReplaceAll(src[1:len(src)-1], []byte(`""`), []byte(`"`)))
	case k.name == "Escaped":
		r := text.NewReader(types.String, text.Escaped, nil)
		if _, err := r.Read(src); err == nil {
			return column.At(r.Finish(), 0).(string)
		}
	}
	return string(src)
}

// guess finds the type of a value as it stands.
func (k rule) guess(f *inference, src []byte) *guess {
	s := f.o.Settings
	switch k.name {
	case "JSON":
		return f.json(src)
	case "CSV":
		return guessCSV(s, string(src))
	case "Quoted":
		if g, n := guessLiteral(s, src); g != nil && n == len(src) {
			return g
		}
		return leaf(guessNull)
	}
	return guessField(s, string(src))
}

// read puts the value at the front of src into column c and gives the bytes
// used.
func (k rule) read(r *rows, c int, src []byte, delimiter string) (int, error) {
	n, ok := k.end(src, delimiter)
	if !ok {
		return 0, cherr.New(cherr.CannotReadAllData, "Cannot read a value: it is cut")
	}
	if c < 0 {
		return n, nil
	}
	if k.name == "JSON" {
		return r.value(c, src)
	}
	_, err := r.value(c, src[:n])
	return n, err
}
