package iceberg

import (
	"bytes"
	"encoding/json"
)

// member is one key of a JSON object that this package does not know. Who
// writes a table keeps what others put there (iceberg.md §1.2).
type member struct {
	Key   string
	Value json.RawMessage
}

// decode reads an object into dst and gives the members whose keys are not
// among known.
func decode(b []byte, dst any, known ...string) ([]member, error) {
	if err := json.Unmarshal(b, dst); err != nil {
		return nil, err
	}
	return unknownMembers(b, known), nil
}

// unknownMembers walks the members of an object that json has found
// well-formed.
func unknownMembers(b []byte, known []string) (out []member) {
	s := scanner{b: b}
	if s.space(); s.at >= len(b) || b[s.at] != '{' {
		return nil
	}
	s.at++
	for {
		if s.space(); s.at >= len(b) || b[s.at] == '}' {
			return out
		}
		key := s.value()
		s.space()
		s.at++ // the colon
		s.space()
		value := s.value()
		if !isKnown(key, known) {
			var name string
			if json.Unmarshal(key, &name) == nil && !contains(known, name) {
				out = append(out, member{name, bytes.Clone(value)})
			}
		}
		if s.space(); s.at < len(b) && b[s.at] == ',' {
			s.at++
		}
	}
}

// isKnown tells whether a quoted key without escapes is among known.
func isKnown(quoted []byte, known []string) bool {
	for _, k := range known {
		if len(quoted) == len(k)+2 && string(quoted[1:len(quoted)-1]) == k {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// scanner finds where the values of well-formed JSON end.
type scanner struct {
	b  []byte
	at int
}

func (s *scanner) space() {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\n' || s.b[s.at] == '\r' || s.b[s.at] == '\t') {
		s.at++
	}
}

// value steps over one value and gives its text.
func (s *scanner) value() []byte {
	from, depth := s.at, 0
	for s.at < len(s.b) {
		switch c := s.b[s.at]; c {
		case '"':
			s.text()
			if depth == 0 {
				return s.b[from:s.at]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return s.b[from:s.at]
			}
			if depth--; depth == 0 {
				s.at++
				return s.b[from:s.at]
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return s.b[from:s.at]
			}
		}
		s.at++
	}
	return s.b[from:s.at]
}

func (s *scanner) text() {
	for s.at++; s.at < len(s.b); s.at++ {
		switch s.b[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return
		}
	}
}

// object writes one JSON object, members in the order they are set.
type object struct {
	buf bytes.Buffer
	err error
}

// set writes a member.
func (o *object) set(key string, value any) {
	text, err := marshal(value)
	if err != nil {
		o.err = err
		return
	}
	o.raw(key, text)
}

func (o *object) raw(key string, text []byte) {
	if o.buf.Len() == 0 {
		o.buf.WriteByte('{')
	} else {
		o.buf.WriteByte(',')
	}
	name, _ := marshal(key) // a string always has a form
	o.buf.Write(name)
	o.buf.WriteByte(':')
	o.buf.Write(text)
}

// rest writes the members that are not known.
func (o *object) rest(members []member) {
	for _, m := range members {
		o.raw(m.Key, m.Value)
	}
}

func (o *object) bytes() ([]byte, error) {
	if o.buf.Len() == 0 {
		o.buf.WriteByte('{')
	}
	o.buf.WriteByte('}')
	return o.buf.Bytes(), o.err
}

// marshal is json.Marshal without the escapes that HTML wants.
func marshal(v any) ([]byte, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// encode writes a struct by its tags, and behind it the members that are not
// known.
func encode(v any, members []member) ([]byte, error) {
	text, err := marshal(v)
	if err != nil || len(members) == 0 {
		return text, err
	}
	o := object{}
	o.rest(members)
	more, err := o.bytes()
	if err != nil || string(text) == "{}" {
		return more, err
	}
	return append(append(text[:len(text)-1], ','), more[1:]...), nil
}
