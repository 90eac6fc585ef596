package avro

import (
	"strconv"
	"strings"

	"lakeserver/types"
)

// paimon gives the forms of types that are not Iceberg's; ok is false for the
// others.
func (s *schemaText) paimon(name string, t *types.Type, f DataField) (text string, ok bool, err error) {
	switch t.Kind() {
	case types.KindDateTime64:
		unit, zone := "micros", ""
		if t.Scale() <= 3 {
			unit = "millis"
		}
		if t.Scale() > 6 {
			return "", false, nil
		}
		if t.Zone() != "" { // the two logical types are the other way round here
			zone = "local-"
		}
		return `{"type":"long","logicalType":"` + zone + `timestamp-` + unit + `"}`, true, nil
	case types.KindFixedString:
		return `"bytes"`, true, nil
	case types.KindArray:
		text, _, err := s.inside(name).optional("element", t.Elem(), childAt(f, 0))
		return `{"type":"array","items":` + text + `}`, true, err
	case types.KindMap:
		text, err := s.inside(name).paimonMap(t, f)
		return text, true, err
	case types.KindTuple:
		in := s.inside(name)
		var parts []string
		for i, e := range t.Elems() {
			text, err := in.field(t.Names()[i], e, childAt(f, i))
			if err != nil {
				return "", true, err
			}
			parts = append(parts, text)
		}
		return `{"type":"record","name":` + strconv.Quote(in.path) + `,"fields":[` + strings.Join(parts, ",") + `]}`, true, nil
	}
	if t.IsDecimal() {
		return `{"type":"bytes","logicalType":"decimal","precision":` + strconv.Itoa(t.Precision()) + `,"scale":` + strconv.Itoa(t.Scale()) + `}`, true, nil
	}
	return "", false, nil
}

// inside is the schema below a field: records there bear its name.
func (s *schemaText) inside(name string) *schemaText {
	return &schemaText{named: s.named, forms: s.forms, path: s.path + "_" + name}
}

// paimonMap: keys that are text make an Avro map, others an array of records.
func (s *schemaText) paimonMap(t *types.Type, f DataField) (string, error) {
	value, optional, err := s.optional("value", t.Elems()[1], childAt(f, 1))
	if err != nil {
		return "", err
	}
	if isText(t.Elems()[0]) && !childAt(f, 0).Binary {
		return `{"type":"map","values":` + value + `}`, nil
	}
	key, err := s.inside("key").plain("key", t.Elems()[0], childAt(f, 0))
	def := ""
	if optional {
		def = `,"default":null`
	}
	return `{"type":"array","logicalType":"map","items":{"type":"record","name":` + strconv.Quote(s.path) + `,"fields":[{"name":"key","type":` + key +
		`},{"name":"value","type":` + value + def + `}]}}`, err
}

// ticks is by how much a time is multiplied to be in milliseconds or, with more
// digits, in microseconds.
func (d Dialect) ticks(t *types.Type) int64 {
	if d != PaimonForms || t.Kind() != types.KindDateTime64 {
		return 1
	}
	to := 6
	if t.Scale() <= 3 {
		to = 3
	}
	n := int64(1)
	for range to - t.Scale() {
		n *= 10
	}
	return n
}
