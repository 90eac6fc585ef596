package mysql

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"lakeserver/engine/ast"
)

// integerTypes are MySQL's integers by their bits.
var integerTypes = map[string]string{
	"tinyint": "8", "smallint": "16", "mediumint": "32", "int": "32", "integer": "32", "bigint": "64", "year": "16",
}

// wordTypes are types that always are the same of ClickHouse's.
var wordTypes = map[string]string{
	"float": "Float32", "double": "Float64", "real": "Float64", "date": "Date32", "bool": "Bool", "boolean": "Bool",
	"char": "String", "varchar": "String", "text": "String", "tinytext": "String", "mediumtext": "String", "longtext": "String",
	"blob": "String", "tinyblob": "String", "mediumblob": "String", "longblob": "String", "binary": "String", "varbinary": "String",
	"json": "String", "time": "String", "set": "String",
}

// columnType gives a column's type in ClickHouse's words. A column is
// Nullable unless it says that it is not, as in MySQL.
func columnType(c *sqlparser.ColumnType) (string, bool) {
	kind := strings.ToLower(c.Type)
	out, ok := wordTypes[kind]
	switch bits := integerTypes[kind]; {
	case bits != "" && (bool(c.Unsigned) || kind == "year"):
		out = "UInt" + bits
	case bits != "":
		out = "Int" + bits
	case kind == "datetime", kind == "timestamp":
		out = "DateTime"
		if c.Length != nil {
			out = "DateTime64(" + string(c.Length.Val) + ")"
		}
	case kind == "decimal", kind == "numeric":
		out = decimal(c.Length, c.Scale)
	case kind == "bit":
		out = "UInt64"
	case kind == "enum":
		names := make([]string, len(c.EnumValues))
		for i, v := range c.EnumValues {
			names[i] = ast.QuoteString(strings.Trim(v, "'")) + " = " + strconv.Itoa(i+1)
		}
		out = "Enum16(" + strings.Join(names, ", ") + ")"
	case !ok:
		return "", false
	}
	if !c.NotNull && c.KeyOpt == 0 {
		out = "Nullable(" + out + ")"
	}
	return out, true
}

func decimal(length, scale *sqlparser.SQLVal) string {
	p, s := "10", "0"
	if length != nil {
		p = string(length.Val)
	}
	if scale != nil {
		s = string(scale.Val)
	}
	return "Decimal(" + p + ", " + s + ")"
}

// castType gives the target of CAST and CONVERT.
func castType(c *sqlparser.ConvertType) (string, bool) {
	switch kind := strings.ToLower(c.Type); kind {
	case "signed", "signed integer":
		return "Int64", true
	case "unsigned", "unsigned integer":
		return "UInt64", true
	case "char", "nchar", "binary", "json", "time":
		return "String", true
	case "date":
		return "Date32", true
	case "datetime":
		if c.Length != nil {
			return "DateTime64(" + string(c.Length.Val) + ")", true
		}
		return "DateTime", true
	case "decimal":
		return decimal(c.Length, c.Scale), true
	case "double", "real":
		return "Float64", true
	case "float":
		return "Float32", true
	}
	return "", false
}
