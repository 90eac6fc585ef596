package iceberg

import (
	"encoding/json"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// Kind is the family of an Iceberg type.
type Kind uint8

// Iceberg's types.
const (
	Unknown Kind = iota
	Boolean
	Int
	Long
	Float
	Double
	Decimal
	Date
	Time
	Timestamp
	TimestampTZ
	TimestampNS
	TimestampTZNS
	String
	UUID
	Fixed
	Binary
	Variant
	Geometry
	Geography
	Struct
	List
	Map
	Unsupported // a name that no version up to 3 knows
)

var primitiveNames = map[string]Kind{
	"unknown": Unknown, "boolean": Boolean, "int": Int, "integer": Int, "long": Long, "bigint": Long, "float": Float,
	"double": Double, "date": Date, "time": Time, "timestamp": Timestamp, "timestamptz": TimestampTZ,
	"timestamp_ns": TimestampNS, "timestamptz_ns": TimestampTZNS, "string": String, "uuid": UUID,
	"binary": Binary, "variant": Variant, "geometry": Geometry, "geography": Geography,
}

// Type is one Iceberg type. It is immutable.
type Type struct {
	Kind             Kind
	Name             string // as written, for primitive types
	Precision, Scale int    // Decimal
	Length           int    // Fixed
	Fields           []Field
	Elem             *Field // List
	Key, Value       *Field // Map
	unknown          []member
}

// Field is a column, a field of a struct, or the inside of a list or map.
type Field struct {
	ID       int
	Name     string
	Required bool
	Type     *Type
	Doc      string
	// InitialDefault is the JSON value of rows in files written before the
	// column was added; nil when there is none.
	InitialDefault, WriteDefault json.RawMessage

	unknown []member
}

// Schema is one version of a table's columns. It is immutable.
type Schema struct {
	ID            int
	Fields        []Field
	IdentifierIDs []int
	byID          map[int]*Field
	unknown       []member
}

// Field gives the field of an id at any depth, nil when there is none.
func (s *Schema) Field(id int) *Field { return s.byID[id] }

type schemaJSON struct {
	ID            *int            `json:"schema-id"`
	Fields        json.RawMessage `json:"fields"`
	IdentifierIDs []int           `json:"identifier-field-ids"`
}

// UnmarshalJSON reads a schema as table metadata and manifests hold it.
func (s *Schema) UnmarshalJSON(b []byte) error {
	var j schemaJSON
	var err error
	if s.unknown, err = decode(b, &j, "type", "schema-id", "fields", "identifier-field-ids"); err != nil {
		return err
	}
	if j.ID != nil {
		s.ID = *j.ID
	}
	s.IdentifierIDs = j.IdentifierIDs
	fields, err := parseFields(j.Fields, 0)
	if err != nil {
		return err
	}
	s.Fields, s.byID = fields, map[int]*Field{}
	index(s.Fields, s.byID)
	return nil
}

func index(fields []Field, byID map[int]*Field) {
	for i := range fields {
		indexField(&fields[i], byID)
	}
}

func indexField(f *Field, byID map[int]*Field) {
	byID[f.ID] = f
	index(f.Type.Fields, byID)
	for _, part := range []*Field{f.Type.Elem, f.Type.Key, f.Type.Value} {
		if part != nil {
			indexField(part, byID)
		}
	}
}

// maxDepth bounds nesting of types.
const maxDepth = 100

type fieldJSON struct {
	ID             *int            `json:"id"`
	Name           string          `json:"name"`
	Required       bool            `json:"required"`
	Type           json.RawMessage `json:"type"`
	Doc            string          `json:"doc"`
	InitialDefault json.RawMessage `json:"initial-default"`
	WriteDefault   json.RawMessage `json:"write-default"`

	unknown []member
}

// UnmarshalJSON reads a field's members, its type as text.
func (j *fieldJSON) UnmarshalJSON(b []byte) (err error) {
	type plain fieldJSON
	j.unknown, err = decode(b, (*plain)(j), "id", "name", "required", "type", "doc", "initial-default", "write-default")
	return err
}

func parseFields(b json.RawMessage, depth int) ([]Field, error) {
	var js []fieldJSON
	if len(b) > 0 && string(b) != "null" {
		if err := json.Unmarshal(b, &js); err != nil {
			return nil, err
		}
	}
	out := make([]Field, len(js))
	for i, j := range js {
		if j.ID == nil {
			return nil, cherr.New(cherr.IncorrectData, "field `%s` of the schema has no id", j.Name)
		}
		t, err := parseType(j.Type, depth+1)
		if err != nil {
			return nil, cherr.Wrap(err, "reading the type of field `%s`", j.Name)
		}
		out[i] = Field{
			ID: *j.ID, Name: j.Name, Required: j.Required, Type: t, Doc: j.Doc,
			InitialDefault: notNull(j.InitialDefault), WriteDefault: notNull(j.WriteDefault), unknown: j.unknown,
		}
	}
	return out, nil
}

func notNull(b json.RawMessage) json.RawMessage {
	if string(b) == "null" {
		return nil
	}
	return b
}

type nestedJSON struct {
	Type            string          `json:"type"`
	Fields          json.RawMessage `json:"fields"`
	ElementID       *int            `json:"element-id"`
	Element         json.RawMessage `json:"element"`
	ElementRequired bool            `json:"element-required"`
	KeyID           *int            `json:"key-id"`
	Key             json.RawMessage `json:"key"`
	ValueID         *int            `json:"value-id"`
	Value           json.RawMessage `json:"value"`
	ValueRequired   bool            `json:"value-required"`
}

func parseType(b json.RawMessage, depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.IncorrectData, "the schema is nested too deep")
	}
	var name string
	if json.Unmarshal(b, &name) == nil {
		return ParseType(name), nil
	}
	var j nestedJSON
	rest, err := decode(b, &j, "type", "fields", "element-id", "element", "element-required", "key-id", "key", "value-id", "value", "value-required")
	if err != nil {
		return nil, cherr.New(cherr.IncorrectData, "a type is neither a name nor an object")
	}
	switch j.Type {
	case "struct":
		fields, err := parseFields(j.Fields, depth)
		return &Type{Kind: Struct, Fields: fields, unknown: rest}, err
	case "list":
		elem, err := part("element", j.ElementID, j.ElementRequired, j.Element, depth)
		return &Type{Kind: List, Elem: elem, unknown: rest}, err
	case "map":
		key, err := part("key", j.KeyID, true, j.Key, depth)
		if err != nil {
			return nil, err
		}
		value, err := part("value", j.ValueID, j.ValueRequired, j.Value, depth)
		return &Type{Kind: Map, Key: key, Value: value, unknown: rest}, err
	}
	return &Type{Kind: Unsupported, Name: j.Type, unknown: unknownMembers(b, []string{"type"})}, nil
}

func part(name string, id *int, required bool, b json.RawMessage, depth int) (*Field, error) {
	if id == nil {
		return nil, cherr.New(cherr.IncorrectData, "a %s has no id", name)
	}
	t, err := parseType(b, depth+1)
	return &Field{ID: *id, Name: name, Required: required, Type: t}, err
}

// ParseType reads the name of a primitive type; one that no version knows
// gives Unsupported.
func ParseType(name string) *Type {
	t := &Type{Kind: Unsupported, Name: name}
	head, args, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(name, ")"), "]"), "(")
	if k, ok := primitiveNames[strings.TrimSpace(head)]; ok && (args == "" || k >= Geometry) {
		t.Kind = k
		return t
	}
	switch {
	case head == "decimal":
		p, s, _ := strings.Cut(args, ",")
		prec, err1 := strconv.Atoi(strings.TrimSpace(p))
		scale, err2 := strconv.Atoi(strings.TrimSpace(s))
		if err1 == nil && err2 == nil && prec > 0 && prec <= 76 && scale >= 0 && scale <= prec {
			t.Kind, t.Precision, t.Scale = Decimal, prec, scale
		}
	case strings.HasPrefix(name, "fixed[") && strings.HasSuffix(name, "]"):
		if n, err := strconv.Atoi(strings.TrimSpace(name[6 : len(name)-1])); err == nil && n > 0 && n < 1<<24 {
			t.Kind, t.Length = Fixed, n
		}
	}
	return t
}

// Nested tells whether the type has parts.
func (t *Type) Nested() bool { return t.Kind == Struct || t.Kind == List || t.Kind == Map }

// String gives the type's name as metadata spells it.
func (t *Type) String() string {
	switch t.Kind {
	case Struct:
		var parts []string
		for _, f := range t.Fields {
			parts = append(parts, f.Name+": "+f.Type.String())
		}
		return "struct<" + strings.Join(parts, ", ") + ">"
	case List:
		return "list<" + t.Elem.Type.String() + ">"
	case Map:
		return "map<" + t.Key.Type.String() + ", " + t.Value.Type.String() + ">"
	}
	return t.Name
}
