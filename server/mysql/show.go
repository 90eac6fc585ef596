package mysql

import (
	"fmt"
	"strings"

	"lakeserver/engine/ast"
)

// killText ends another user's queries, if the engine lets him who asks.
func killText(id uint32) string {
	return fmt.Sprintf("KILL QUERY WHERE query_id LIKE 'mysql:%d:%%'", id)
}

// in gives the database that a SHOW means.
func (c *conn) in(db string) string {
	if db != "" {
		return unquote(db)
	}
	return c.database
}

func showTables(c *conn, m []string) (step, error) {
	db := c.in(m[2])
	column := "Tables_in_" + db
	kind := ""
	if m[1] != "" {
		kind = ", multiIf(engine LIKE '%View', 'VIEW', database IN ('system', 'information_schema', 'INFORMATION_SCHEMA'), 'SYSTEM VIEW', 'BASE TABLE') AS Table_type"
	}
	sql := "SELECT name AS " + quoteName(column) + kind + " FROM system.tables WHERE database = " + ast.QuoteString(db)
	return step{sql: "SELECT * FROM (" + sql + ")" + showFilter(column, m[3], m[4]) + " ORDER BY " + quoteName(column)}, nil
}

func showTableStatus(c *conn, m []string) (step, error) {
	sql := "SELECT name AS Name, engine AS Engine, '10' AS Version, 'Dynamic' AS Row_format, total_rows AS Rows, 0 AS Avg_row_length, " +
		"total_bytes AS Data_length, 0 AS Max_data_length, 0 AS Index_length, 0 AS Data_free, NULL AS Auto_increment, " +
		"metadata_modification_time AS Create_time, metadata_modification_time AS Update_time, metadata_modification_time AS Check_time, " +
		"'utf8mb4_0900_ai_ci' AS Collation, NULL AS Checksum, '' AS Create_options, comment AS Comment FROM system.tables WHERE database = " +
		ast.QuoteString(c.in(m[1]))
	return step{sql: "SELECT * FROM (" + sql + ")" + showFilter("Name", m[2], m[3]) + " ORDER BY Name"}, nil
}

// table gives database and table of what was written as a, a.b or a FROM b.
func (c *conn) table(first, second, from string) (db, table string) {
	switch {
	case second != "":
		return unquote(first), unquote(second)
	case from != "":
		return unquote(from), unquote(first)
	}
	return c.database, unquote(first)
}

// mysqlType is an expression for a column's type in MySQL's words, as
// ClickHouse's SHOW COLUMNS gives them to MySQL clients.
const mysqlType = "multiIf(" +
	"t = 'Int8', 'TINYINT', t = 'Int16', 'SMALLINT', t = 'Int32', 'INTEGER', t = 'Int64', 'BIGINT', " +
	"t = 'UInt8', 'TINYINT UNSIGNED', t = 'UInt16', 'SMALLINT UNSIGNED', t = 'UInt32', 'INTEGER UNSIGNED', t = 'UInt64', 'BIGINT UNSIGNED', " +
	"t = 'Float32', 'FLOAT', t = 'Float64', 'DOUBLE', t = 'Bool', 'TINYINT', t = 'UUID', 'CHAR', " +
	"t IN ('Date', 'Date32'), 'DATE', startsWith(t, 'DateTime'), 'DATETIME', startsWith(t, 'Decimal'), replaceOne(t, 'Decimal', 'DECIMAL'), 'TEXT')"

func (c *conn) showColumns(full bool, first, second, from, word, rest string) (step, error) {
	db, table := c.table(first, second, from)
	more := ""
	if full {
		more = ", NULL AS Collation"
	}
	sql := "SELECT Field, Type" + more + ", `Null`, `Key`, Default, Extra"
	if full {
		sql += ", 'select,insert' AS Privileges, Comment"
	}
	sql += " FROM (SELECT name AS Field, replaceRegexpOne(replaceRegexpOne(type, '^LowCardinality\\\\((.*)\\\\)$', '\\\\1'), '^Nullable\\\\((.*)\\\\)$', '\\\\1') AS t, " +
		mysqlType + " AS Type, if(type LIKE '%Nullable(%' AND NOT match(type, '^(Array|Map|Tuple)'), 'YES', 'NO') AS `Null`, " +
		"if(is_in_primary_key, 'PRI', if(is_in_sorting_key, 'SOR', '')) AS `Key`, if(default_expression = '', NULL, default_expression) AS Default, '' AS Extra, comment AS Comment, position FROM system.columns WHERE database = " +
		ast.QuoteString(db) + " AND table = " + ast.QuoteString(table) + ")" + showFilter("Field", word, rest) + " ORDER BY position"
	return step{sql: sql, exists: [2]string{db, table}}, nil
}

func showIndex(c *conn, m []string) (step, error) {
	db, table := c.table(m[1], m[2], m[3])
	s, err := none("Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation", "Cardinality", "Sub_part", "Packed",
		"Null", "Index_type", "Comment", "Index_comment", "Visible", "Expression")(c, m)
	s.exists = [2]string{db, table}
	return s, err
}

func showCreateTable(c *conn, m []string) (step, error) {
	db, table := c.table(m[1], m[2], "")
	sql := "SELECT name AS `Table`, create_table_query AS `Create Table` FROM system.tables WHERE database = " +
		ast.QuoteString(db) + " AND name = " + ast.QuoteString(table)
	if strings.EqualFold(db, "information_schema") {
		sql += " LIMIT 1"
	}
	return step{sql: sql, exists: [2]string{db, table}}, nil
}
