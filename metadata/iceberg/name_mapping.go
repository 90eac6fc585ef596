package iceberg

import (
	"encoding/json"

	"lakeserver/cherr"
)

// NameMapping says which field an unnumbered column of a file is.
type NameMapping struct {
	ID     *int          `json:"field-id,omitempty"` // nil: the column is hidden
	Names  []string      `json:"names"`
	Fields []NameMapping `json:"fields,omitempty"`
}

// NameMapping gives the table's default name mapping, nil when it has none.
func (m *TableMetadata) NameMapping() ([]NameMapping, error) {
	text := m.Properties["schema.name-mapping.default"]
	if text == "" {
		return nil, nil
	}
	var out []NameMapping
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, cherr.New(cherr.IncorrectData, "schema.name-mapping.default of table %s is not well-formed: %s", m.Location, err)
	}
	return out, nil
}

// NameMappingJSON gives the mapping by which files without ids have the
// columns of a schema under its present names.
func NameMappingJSON(s *Schema) (string, error) {
	text, err := marshal(mappingOf(s.Fields))
	return string(text), err
}

func mappingOf(fields []Field) []NameMapping {
	out := make([]NameMapping, len(fields))
	for i := range fields {
		out[i] = mappingOfField(&fields[i])
	}
	return out
}

func mappingOfField(f *Field) NameMapping {
	m := NameMapping{ID: &f.ID, Names: []string{f.Name}}
	for _, p := range f.Type.parts() {
		m.Fields = append(m.Fields, mappingOfField(p))
	}
	if len(f.Type.Fields) > 0 {
		m.Fields = mappingOf(f.Type.Fields)
	}
	return m
}
