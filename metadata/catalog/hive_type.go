package catalog

import (
	"fmt"
	"strings"

	"lakeserver/metadata/iceberg"
)

// hiveType names a type as Hive and Glue show it; only people read it.
func hiveType(t *iceberg.Type) string { // long: one case a type
	switch t.Kind {
	case iceberg.Boolean:
		return "boolean"
	case iceberg.Int:
		return "int"
	case iceberg.Long, iceberg.Time:
		return "bigint"
	case iceberg.Float:
		return "float"
	case iceberg.Double:
		return "double"
	case iceberg.Decimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case iceberg.Date:
		return "date"
	case iceberg.Timestamp, iceberg.TimestampTZ, iceberg.TimestampNS, iceberg.TimestampTZNS:
		return "timestamp"
	case iceberg.Binary, iceberg.Fixed:
		return "binary"
	case iceberg.Struct:
		var parts []string
		for i := range t.Fields {
			parts = append(parts, t.Fields[i].Name+":"+hiveType(t.Fields[i].Type))
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	case iceberg.List:
		return "array<" + hiveType(t.Elem.Type) + ">"
	case iceberg.Map:
		return "map<" + hiveType(t.Key.Type) + "," + hiveType(t.Value.Type) + ">"
	}
	return "string"
}
