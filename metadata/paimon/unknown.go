package paimon

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strings"
)

// unknown are the fields of a JSON object that this version does not know, in
// the order of their names. They are kept so that a copy of the file loses
// nothing that a newer writer put there.
type unknown []unknownField

type unknownField struct {
	name  string
	value json.RawMessage
}

// unknownOf gives the fields of an object that the struct does not have.
func unknownOf(data []byte, known ...any) (unknown, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for _, k := range known {
		t := reflect.TypeOf(k)
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			delete(all, name)
		}
	}
	var out unknown
	for name, value := range all {
		out = append(out, unknownField{name, value})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out, nil
}

// join adds the fields to an object.
func (u unknown) join(object []byte) []byte {
	if len(u) == 0 {
		return object
	}
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(object, []byte("}")))
	for _, f := range u {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(encode(f.name))
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Indent lays JSON out as Paimon's files have it.
func Indent(data []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return data
	}
	var out []byte
	quoted, escaped := false, false
	for _, c := range b.Bytes() {
		if c == ':' && !quoted {
			out = append(out, ' ')
		}
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = quoted
		case c == '"':
			quoted = !quoted
		}
	}
	return out
}
