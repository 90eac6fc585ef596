package types

import "strings"

// aliases maps SQL names, in upper case, to ClickHouse's families.
var aliases = map[string]string{
	"BOOLEAN": "Bool", "BOOL": "Bool", "TIMESTAMP": "DateTime", "DEC": "Decimal", "FIXED": "Decimal", "NUMERIC": "Decimal",
	"BINARY": "FixedString", "FLOAT": "Float32", "REAL": "Float32", "SINGLE": "Float32", "DOUBLE": "Float64",
	"DOUBLE PRECISION": "Float64", "INET4": "IPv4", "INET6": "IPv6",
	"SMALLINT": "Int16", "SMALLINT SIGNED": "Int16", "SMALLINT UNSIGNED": "UInt16", "YEAR": "UInt16",
	"INT": "Int32", "INT SIGNED": "Int32", "INT UNSIGNED": "UInt32",
	"INTEGER": "Int32", "INTEGER SIGNED": "Int32", "INTEGER UNSIGNED": "UInt32",
	"MEDIUMINT": "Int32", "MEDIUMINT SIGNED": "Int32", "MEDIUMINT UNSIGNED": "UInt32",
	"BIGINT": "Int64", "BIGINT SIGNED": "Int64", "BIGINT UNSIGNED": "UInt64", "SIGNED": "Int64", "UNSIGNED": "UInt64",
	"BIT": "UInt64", "SET": "UInt64",
	"BYTE": "Int8", "INT1": "Int8", "INT1 SIGNED": "Int8", "INT1 UNSIGNED": "UInt8",
	"TINYINT": "Int8", "TINYINT SIGNED": "Int8", "TINYINT UNSIGNED": "UInt8",
	"BLOB": "String", "BYTEA": "String", "CHAR": "String", "CHARACTER": "String", "CLOB": "String", "LONGBLOB": "String",
	"LONGTEXT": "String", "MEDIUMBLOB": "String", "MEDIUMTEXT": "String", "NCHAR": "String", "NVARCHAR": "String",
	"TEXT": "String", "TINYBLOB": "String", "TINYTEXT": "String", "VARBINARY": "String", "VARCHAR": "String", "VARCHAR2": "String",
	"BINARY LARGE OBJECT": "String", "BINARY VARYING": "String", "CHAR LARGE OBJECT": "String", "CHAR VARYING": "String",
	"CHARACTER LARGE OBJECT": "String", "CHARACTER VARYING": "String", "NATIONAL CHAR": "String",
	"NATIONAL CHAR VARYING": "String", "NATIONAL CHARACTER": "String", "NATIONAL CHARACTER LARGE OBJECT": "String",
	"NATIONAL CHARACTER VARYING": "String", "NCHAR LARGE OBJECT": "String", "NCHAR VARYING": "String",
}

// insensitive are the families that any case may spell.
var insensitive = map[string]string{
	"DATE": "Date", "DATE32": "Date32", "DATETIME": "DateTime", "DATETIME32": "DateTime32", "DATETIME64": "DateTime64",
	"DECIMAL": "Decimal", "DECIMAL32": "Decimal32", "DECIMAL64": "Decimal64", "DECIMAL128": "Decimal128",
	"DECIMAL256": "Decimal256", "ENUM": "Enum", "TIME": "Time", "TIME64": "Time64",
}

// canonicalName gives the family that a written name stands for.
func canonicalName(name string) (string, bool) {
	if _, ok := makers[name]; ok {
		return name, true
	}
	upper := strings.ToUpper(name)
	if c, ok := insensitive[upper]; ok {
		return c, true
	}
	c, ok := aliases[upper]
	return c, ok
}

// prefixes are the beginnings of the aliases of several words, whole ones too.
var prefixes = aliasPrefixes()

func aliasPrefixes() map[string]bool {
	m := map[string]bool{}
	for a := range aliases {
		words := strings.Split(a, " ")
		for n := 2; n <= len(words); n++ {
			m[strings.Join(words[:n], " ")] = true
		}
	}
	return m
}

func isAliasPrefix(words string) bool { return prefixes[strings.ToUpper(words)] }

// Alias is one SQL spelling of a family.
type Alias struct {
	Name, Of        string
	CaseInsensitive bool
}

// Families gives every family and alias for system.data_type_families, unordered.
func Families() []Alias {
	var out []Alias
	for name := range makers {
		_, any := insensitive[strings.ToUpper(name)]
		out = append(out, Alias{Name: name, CaseInsensitive: any})
	}
	for a, of := range aliases {
		out = append(out, Alias{a, of, true})
	}
	return out
}
