package paimon

import (
	"bytes"
	"encoding/json"
	"slices"

	"lakeserver/cherr"
)

// SchemaVersion is the version of schema files that are written.
const SchemaVersion = 3

// Ids of the columns that Paimon adds to data files, and of the parts of keys.
const (
	KeyFieldBase     = 1<<30 - 1 // + id of the column: _KEY_<column>
	SequenceFieldID  = 2147483646
	ValueKindFieldID = 2147483645
	LevelFieldID     = 2147483644
	RowKindFieldID   = 2147483643
	RowIDFieldID     = 2147483642
)

// Names of those columns.
const (
	KeyFieldPrefix = "_KEY_"
	SequenceField  = "_SEQUENCE_NUMBER"
	ValueKindField = "_VALUE_KIND"
	RowIDField     = "_ROW_ID"
)

// Schema is one version of a table's columns and options. It is immutable and
// shared once parsed.
type Schema struct {
	Version        int
	ID             int64
	Fields         []Field
	HighestFieldID int
	PartitionKeys  []string
	PrimaryKeys    []string
	Options        map[string]string
	Comment        string
	TimeMillis     int64
	OptionNames    []string // of Options, in the order of the file
	NullComment    bool     // the file says that the comment is null, which Paimon reads as a text
	extra          unknown
}

type schemaJSON struct {
	Version        *int              `json:"version,omitempty"`
	ID             int64             `json:"id"`
	Fields         []fieldJSON       `json:"fields"`
	HighestFieldID int               `json:"highestFieldId"`
	PartitionKeys  []string          `json:"partitionKeys"`
	PrimaryKeys    []string          `json:"primaryKeys"`
	Options        map[string]string `json:"options"`
	Comment        *string           `json:"comment,omitempty"`
	TimeMillis     int64             `json:"timeMillis"`
}

type fieldJSON struct {
	ID          int             `json:"id"`
	Name        string          `json:"name"`
	Type        json.RawMessage `json:"type"`
	Description string          `json:"description,omitempty"`
	Default     *string         `json:"defaultValue,omitempty"`
}

// ParseSchema reads a schema file.
func ParseSchema(path string, data []byte) (*Schema, error) {
	s := &Schema{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, cherr.Wrap(malformed(err), "reading Paimon schema %s", path)
	}
	return s, nil
}

// malformed gives an error of decoding JSON its code, unless it has one.
func malformed(err error) error {
	if cherr.CodeOf(err) == cherr.IncorrectData {
		return err
	}
	return cherr.New(cherr.IncorrectData, "it is not well-formed: %s", err)
}

// UnmarshalJSON reads a schema; a file without version is of version 1.
func (s *Schema) UnmarshalJSON(data []byte) error {
	j := schemaJSON{}
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*s = Schema{
		Version: 1, ID: j.ID, HighestFieldID: j.HighestFieldID, PartitionKeys: j.PartitionKeys,
		PrimaryKeys: j.PrimaryKeys, Options: j.Options, TimeMillis: j.TimeMillis,
	}
	if j.Version != nil {
		s.Version = *j.Version
	}
	if j.Comment == nil {
		var c struct {
			Comment json.RawMessage `json:"comment"`
		}
		s.NullComment = json.Unmarshal(data, &c) == nil && string(c.Comment) == "null"
	} else {
		s.Comment = *j.Comment
	}
	if s.Options == nil {
		s.Options = map[string]string{}
	}
	var err error
	if s.extra, err = unknownOf(data, j); err != nil {
		return err
	}
	if s.OptionNames, err = namesOf(data); err != nil {
		return err
	}
	if s.Fields, err = fieldsOf(j.Fields, 0); err != nil {
		return err
	}
	for _, names := range [][]string{s.PartitionKeys, s.PrimaryKeys} {
		for _, n := range names {
			f := s.Field(n)
			if f == nil {
				return cherr.New(cherr.IncorrectData, "key column `%s` is not among the columns", n)
			}
			if f.Type.Nested() || f.Type.Kind == Variant || f.Type.Kind == Unsupported {
				return cherr.New(cherr.IncorrectData, "column `%s` of type %s cannot be a key", n, f.Type)
			}
		}
	}
	return nil
}

// namesOf gives the names of the options in their order.
func namesOf(data []byte) ([]string, error) {
	var j struct {
		Options json.RawMessage `json:"options"`
	}
	if err := json.Unmarshal(data, &j); err != nil || len(j.Options) == 0 {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(j.Options))
	var out []string
	for i := 0; d.More() || i == 0; i++ {
		tok, err := d.Token()
		if err != nil {
			return nil, err
		}
		if name, ok := tok.(string); ok && i%2 == 1 { // the brace, then name and value in turn
			out = append(out, name)
		}
	}
	return out, nil
}

func fieldsOf(js []fieldJSON, depth int) ([]Field, error) {
	out := make([]Field, len(js))
	for i, j := range js {
		t, err := parseTypeJSON(j.Type, depth+1)
		if err != nil {
			return nil, cherr.Wrap(err, "reading the type of field `%s`", j.Name)
		}
		out[i] = Field{ID: j.ID, Name: j.Name, Type: t, Description: j.Description, Default: j.Default}
	}
	return out, nil
}

type nestedJSON struct {
	Type    string          `json:"type"`
	Key     json.RawMessage `json:"key,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Element json.RawMessage `json:"element,omitempty"`
	Length  int             `json:"length,omitempty"`
	Fields  *[]fieldJSON    `json:"fields,omitempty"`
	// Nullable is another writer's way of saying NOT NULL.
	Nullable *bool `json:"nullable,omitempty"`
}

func parseTypeJSON(data json.RawMessage, depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.IncorrectData, "the schema is nested too deep")
	}
	if len(data) == 0 {
		return nil, cherr.New(cherr.IncorrectData, "it is missing")
	}
	if data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return nil, malformed(err)
		}
		return ParseType(text)
	}
	var j nestedJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, malformed(err)
	}
	p := &typeParser{text: j.Type}
	t := &Type{Kind: nestedKinds[p.word()], Length: j.Length, name: j.Type}
	t.NotNull = p.words("NOT", "NULL") || j.Nullable != nil && !*j.Nullable
	var err error
	part := func(b json.RawMessage) *Type {
		var out *Type
		if err == nil {
			out, err = parseTypeJSON(b, depth+1)
		}
		return out
	}
	switch t.Kind {
	case Array, Multiset, Vector:
		t.Elem = part(j.Element)
	case Map:
		t.Key, t.Elem = part(j.Key), part(j.Value)
	case Row:
		if j.Fields != nil {
			t.Fields, err = fieldsOf(*j.Fields, depth)
		}
	}
	return t, err
}

// typeJSON gives a type as schema files spell it.
func typeJSON(t *Type) json.RawMessage {
	if !t.Nested() {
		return encode(t.String())
	}
	j := nestedJSON{Length: 0}
	for name, k := range nestedKinds {
		if k == t.Kind {
			j.Type = name
		}
	}
	if t.NotNull {
		j.Type += " NOT NULL"
	}
	switch t.Kind {
	case Map:
		j.Key, j.Value = typeJSON(t.Key), typeJSON(t.Elem)
	case Row:
		fields := fieldsJSON(t.Fields)
		j.Fields = &fields
	default:
		j.Element, j.Length = typeJSON(t.Elem), t.Length
	}
	return encode(j)
}

func fieldsJSON(fields []Field) []fieldJSON {
	out := make([]fieldJSON, len(fields))
	for i, f := range fields {
		out[i] = fieldJSON{f.ID, f.Name, typeJSON(f.Type), f.Description, f.Default}
	}
	return out
}

// FieldsJSON gives columns as schema files hold them.
func FieldsJSON(fields []Field) string { return string(encode(fieldsJSON(fields))) }

// TypeJSON gives a type as schema files hold it.
func TypeJSON(t *Type) json.RawMessage { return typeJSON(t) }

// JSON gives a value without the escapes that are for web pages.
func JSON(v any) string { return string(encode(v)) }

// encode is JSON without the escapes that are for web pages.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		cherr.Bug("a value of %T has no JSON: %s", v, err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// MarshalJSON gives the schema as its file holds it.
func (s *Schema) MarshalJSON() ([]byte, error) {
	j := schemaJSON{
		Version: &s.Version, ID: s.ID, Fields: fieldsJSON(s.Fields), HighestFieldID: s.HighestFieldID,
		PartitionKeys: orEmpty(s.PartitionKeys), PrimaryKeys: orEmpty(s.PrimaryKeys), Options: s.Options, TimeMillis: s.TimeMillis,
	}
	if j.Options == nil {
		j.Options = map[string]string{}
	}
	if s.Comment != "" {
		j.Comment = &s.Comment
	}
	return s.extra.join(encode(j)), nil
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Field gives a column by name, nil when there is none.
func (s *Schema) Field(name string) *Field {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// FieldByID gives a column by id, nil when there is none.
func (s *Schema) FieldByID(id int) *Field {
	for i := range s.Fields {
		if s.Fields[i].ID == id {
			return &s.Fields[i]
		}
	}
	return nil
}

// fieldsNamed gives the columns of names that are known to be there.
func (s *Schema) fieldsNamed(names []string) []Field {
	out := make([]Field, 0, len(names))
	for _, n := range names {
		if f := s.Field(n); f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// PartitionFields gives the partition columns in their order.
func (s *Schema) PartitionFields() []Field { return s.fieldsNamed(s.PartitionKeys) }

// TrimmedKeys gives the primary key's columns without the partition columns:
// the key by which files are sorted.
func (s *Schema) TrimmedKeys() []Field {
	var names []string
	for _, n := range s.PrimaryKeys {
		if !slices.Contains(s.PartitionKeys, n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 { // a key of partition columns alone
		names = s.PrimaryKeys
	}
	return s.fieldsNamed(names)
}

// HasPrimaryKey tells primary-key tables from append tables.
func (s *Schema) HasPrimaryKey() bool { return len(s.PrimaryKeys) > 0 }

// TypesOf gives the types of columns.
func TypesOf(fields []Field) []*Type {
	out := make([]*Type, len(fields))
	for i := range fields {
		out[i] = fields[i].Type
	}
	return out
}
