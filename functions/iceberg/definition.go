package iceberg

import (
	"encoding/json"
	"strings"

	"lakeserver/metadata/iceberg"
	"lakeserver/table"
)

// Definition gives partitioning, order and comment as the table has them now.
func (t *Table) Definition() *table.Definition {
	m := t.src.Meta
	d := &table.Definition{Comment: m.Properties["comment"]}
	schema := m.CurrentSchema()
	for _, f := range m.DefaultSpec().Fields {
		if text := termText(columnName(schema, f.SourceID), f.Transform); text != "" {
			d.PartitionBy = append(d.PartitionBy, text)
		}
	}
	for _, f := range m.SortOrder(m.DefaultSortOrderID).Fields {
		text := termText(columnName(schema, f.SourceID), iceberg.ParseTransform(f.Transform))
		if text == "" {
			return d // an order that SQL has no word for
		}
		if f.Direction == iceberg.Descending {
			text += " DESC"
		}
		d.OrderBy = append(d.OrderBy, text)
	}
	return d
}

// columnName gives a column's path in SQL.
func columnName(s *iceberg.Schema, id int) string {
	var parts []string
	for _, f := range s.Path(id) {
		parts = append(parts, quoteName(f.Name))
	}
	return strings.Join(parts, ".")
}

// defaultText is the SQL of a default; "" for none.
func defaultText(value json.RawMessage) string {
	var text string
	switch {
	case value == nil:
		return ""
	case json.Unmarshal(value, &text) == nil:
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
	}
	return string(value)
}

// withDefaults gives columns their defaults: those that the table keeps, else
// those of its definition here.
func withDefaults(columns []table.Column, s *iceberg.Schema, declared []table.Column) {
	for i := range columns {
		c := &columns[i]
		if f := s.Column(c.Name); f != nil {
			if text := defaultText(f.WriteDefault); text != "" {
				c.DefaultKind, c.DefaultExpr = "DEFAULT", text
				continue
			}
		}
		for j := range declared {
			if d := &declared[j]; d.Name == c.Name && d.DefaultExpr != "" {
				c.DefaultKind, c.DefaultExpr = d.DefaultKind, d.DefaultExpr
			}
		}
	}
}
