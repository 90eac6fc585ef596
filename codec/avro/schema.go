package avro

import (
	"encoding/json"
	"strings"

	"lakeserver/cherr"
)

// Kind is the family of an Avro type.
type Kind uint8

// Avro's types.
const (
	Null Kind = iota
	Boolean
	Int
	Long
	Float
	Double
	Bytes
	String
	Record
	Enum
	Array
	Map
	Union
	Fixed
)

var kindNames = map[string]Kind{
	"null": Null, "boolean": Boolean, "int": Int, "long": Long, "float": Float, "double": Double,
	"bytes": Bytes, "string": String, "record": Record, "error": Record, "enum": Enum, "array": Array,
	"map": Map, "fixed": Fixed,
}

// Schema is one node of a file's schema. It is immutable; a named type that
// refers to itself makes a cycle.
type Schema struct {
	Kind      Kind
	Name      string
	Logical   string // logicalType, "" if none
	Precision int
	Scale     int
	Size      int  // Fixed: bytes
	UTC       bool // adjust-to-utc
	Fields    []Field
	Elem      *Schema   // Array: element; Map: value
	Branches  []*Schema // Union
	Symbols   []string

	// Field ids that Iceberg puts beside elements, keys and values; -1 if none.
	ElementID, KeyID, ValueID int
}

// Field is one field of a record.
type Field struct {
	Name string // iceberg-field-name where given, for that is the unsanitised one
	ID   int    // field-id, -1 if none
	Type *Schema
}

// maxDepth bounds nesting, so that no file can exhaust the stack.
const maxDepth = 100

// ParseSchema reads a schema's JSON.
func ParseSchema(text []byte) (*Schema, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, cherr.New(cherr.IncorrectData, "Avro schema is not JSON: %s", err)
	}
	p := &schemaParser{named: map[string]*Schema{}}
	return p.parse(v, "", 0)
}

type schemaParser struct{ named map[string]*Schema }

func (p *schemaParser) parse(v any, space string, depth int) (*Schema, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.IncorrectData, "Avro schema is nested too deep")
	}
	switch v := v.(type) {
	case string:
		if k, ok := kindNames[v]; ok && k < Record {
			return newSchema(k), nil
		}
		for _, n := range []string{qualify(v, space), v} {
			if s, ok := p.named[n]; ok {
				return s, nil
			}
		}
		return nil, cherr.New(cherr.IncorrectData, "Avro schema names an unknown type '%s'", v)
	case []any:
		u := newSchema(Union)
		for _, b := range v {
			s, err := p.parse(b, space, depth+1)
			if err != nil {
				return nil, err
			}
			u.Branches = append(u.Branches, s)
		}
		if len(u.Branches) == 0 {
			return nil, cherr.New(cherr.IncorrectData, "Avro schema has an empty union")
		}
		return u, nil
	case map[string]any:
		return p.parseObject(v, space, depth)
	}
	return nil, cherr.New(cherr.IncorrectData, "Avro schema has a type that is neither name, union nor object")
}

func newSchema(k Kind) *Schema { return &Schema{Kind: k, ElementID: -1, KeyID: -1, ValueID: -1} }

func qualify(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

func (p *schemaParser) parseObject(o map[string]any, space string, depth int) (*Schema, error) {
	name, ok := o["type"].(string)
	if !ok { // {"type": {...}} or {"type": [...]}: attributes around a type
		if o["type"] == nil {
			return nil, cherr.New(cherr.IncorrectData, "Avro schema has an object without type")
		}
		return p.parse(o["type"], space, depth+1)
	}
	kind, ok := kindNames[name]
	if !ok {
		return p.parse(name, space, depth+1)
	}
	s := newSchema(kind)
	s.Logical, _ = o["logicalType"].(string)
	s.Precision, s.Scale, s.Size = number(o["precision"], 0), number(o["scale"], 0), number(o["size"], -1)
	s.UTC, _ = o["adjust-to-utc"].(bool)
	s.ElementID, s.KeyID, s.ValueID = number(o["element-id"], -1), number(o["key-id"], -1), number(o["value-id"], -1)
	if kind == Record || kind == Enum || kind == Fixed {
		s.Name, _ = o["name"].(string)
		if ns, ok := o["namespace"].(string); ok {
			space = ns
		} else if i := strings.LastIndexByte(s.Name, '.'); i >= 0 {
			space = s.Name[:i]
		}
		p.named[qualify(s.Name, space)] = s
	}
	return s, p.parseParts(s, o, space, depth)
}

func (p *schemaParser) parseParts(s *Schema, o map[string]any, space string, depth int) (err error) {
	switch s.Kind {
	case Record:
		fields, _ := o["fields"].([]any)
		for _, f := range fields {
			fo, ok := f.(map[string]any)
			if !ok {
				return cherr.New(cherr.IncorrectData, "Avro schema has a field that is no object")
			}
			var field Field
			field.Name, _ = fo["name"].(string)
			if n, ok := fo["iceberg-field-name"].(string); ok {
				field.Name = n
			}
			field.ID = number(fo["field-id"], -1)
			if field.Type, err = p.parse(fo["type"], space, depth+1); err != nil {
				return err
			}
			s.Fields = append(s.Fields, field)
		}
	case Array:
		s.Elem, err = p.parse(o["items"], space, depth+1)
	case Map:
		s.Elem, err = p.parse(o["values"], space, depth+1)
	case Enum:
		symbols, _ := o["symbols"].([]any)
		for _, x := range symbols {
			name, _ := x.(string)
			s.Symbols = append(s.Symbols, name)
		}
	case Fixed:
		if s.Size < 0 || s.Size > 1<<30 {
			return cherr.New(cherr.IncorrectData, "Avro schema has a fixed type of size %d", s.Size)
		}
	}
	return err
}

func number(v any, def int) int {
	if f, ok := v.(float64); ok && f >= -1<<31 && f < 1<<31 {
		return int(f)
	}
	return def
}

// Plain gives the type itself when it is no union, or the only branch of a
// union that is not null; nil when there is none or several.
func (s *Schema) Plain() *Schema {
	if s.Kind != Union {
		return s
	}
	var out *Schema
	for _, b := range s.Branches {
		if b.Kind == Null {
			continue
		}
		if out != nil {
			return nil
		}
		out = b
	}
	return out
}

// IsEntryArray tells whether s is an array of key and value records: how
// Iceberg writes a map whose keys are not strings.
func (s *Schema) IsEntryArray() bool {
	return s.Kind == Array && s.Logical == "map" && s.Elem.Kind == Record && len(s.Elem.Fields) == 2
}
