package mysql

import (
	"bytes"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/settings"
)

// probe is something that clients and tools ask in words of MySQL's that are
// no query.
type probe struct {
	pattern *regexp.Regexp
	answer  func(c *conn, m []string) (step, error)
}

func ask(pattern string, answer func(c *conn, m []string) (step, error)) probe {
	return probe{regexp.MustCompile(`(?is)^` + pattern + `\s*$`), answer}
}

// nothing: accepted, without effect.
func nothing(*conn, []string) (step, error) { return step{}, nil }

// query is a probe with a fixed query as its answer.
func query(sql string) func(*conn, []string) (step, error) {
	return func(*conn, []string) (step, error) { return step{sql: sql}, nil }
}

// none is an answer without rows.
func none(columns ...string) func(*conn, []string) (step, error) {
	for i, c := range columns {
		columns[i] = "'' AS " + quoteName(c)
	}
	return query("SELECT " + strings.Join(columns, ", ") + " WHERE 0")
}

// name is an identifier of MySQL's, filter the end of a SHOW.
const (
	name   = "(`(?:[^`]|``)+`|[\\w$]+)"
	filter = `(?:\s+(LIKE|WHERE)\s+(.+?))?`
)

// probes are tried in their order.
var probes = []probe{
	ask(`(?:BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT|RELEASE\s+SAVEPOINT|LOCK\s+TABLES?|UNLOCK\s+TABLES|FLUSH|XA)\b.*`, nothing),
	ask(`SET\s+(?:NAMES|CHARACTER\s+SET|CHARSET)\b.*`, nothing),
	ask(`SET\s+(?:(?:SESSION|GLOBAL|LOCAL)\s+)?TRANSACTION\b.*`, nothing),
	ask(`SET\s+(?:PASSWORD|ROLE|DEFAULT\s+ROLE)\b.*`, func(_ *conn, m []string) (step, error) { return step{sql: m[0]}, nil }),
	ask(`SET\s+(.*)`, setVariables),
	ask(`USE\s+`+name, func(_ *conn, m []string) (step, error) { return step{use: unquote(m[1])}, nil }),
	ask(`KILL\s+(?:(QUERY|CONNECTION)\s+)?(\d+)`, func(_ *conn, m []string) (step, error) {
		id, err := strconv.ParseUint(m[2], 10, 32)
		return step{kill: uint32(id), killWhole: !strings.EqualFold(m[1], "QUERY")}, err
	}),
	ask(`SHOW\s+(?:(?:GLOBAL|SESSION|LOCAL)\s+)?VARIABLES`+filter, func(c *conn, m []string) (step, error) {
		return step{sql: namedValues(c.variables()) + pairFilter(m[1], m[2]) + " ORDER BY Variable_name"}, nil
	}),
	ask(`SHOW\s+(?:(?:GLOBAL|SESSION|LOCAL)\s+)?STATUS`+filter, func(_ *conn, m []string) (step, error) {
		return step{sql: namedValues(statusValues) + pairFilter(m[1], m[2]) + " ORDER BY Variable_name"}, nil
	}),
	ask(`SHOW\s+(?:WARNINGS|ERRORS)\b.*`, none("Level", "Code", "Message")),
	ask(`SHOW\s+COUNT\s*\(\s*\*\s*\)\s+(?:WARNINGS|ERRORS)`, query("SELECT 0 AS `@@session.warning_count`")),
	ask(`SHOW\s+COLLATION`+filter, func(_ *conn, m []string) (step, error) {
		return step{sql: collations + showFilter("Collation", m[1], m[2])}, nil
	}),
	ask(`SHOW\s+(?:CHARACTER\s+SET|CHARSET)`+filter, func(_ *conn, m []string) (step, error) {
		return step{sql: charsets + showFilter("Charset", m[1], m[2])}, nil
	}),
	ask(`SHOW\s+(?:STORAGE\s+)?ENGINES`, query("SELECT name AS Engine, if(name = 'Memory', 'DEFAULT', 'YES') AS Support, '' AS Comment, 'NO' AS Transactions, 'NO' AS XA, 'NO' AS Savepoints FROM system.table_engines ORDER BY name")),
	ask(`SHOW\s+PLUGINS`, none("Name", "Status", "Type", "Library", "License")),
	ask(`SHOW\s+(?:PROFILES|MASTER\s+STATUS|SLAVE\s+STATUS|REPLICA\s+STATUS|BINARY\s+LOGS|MASTER\s+LOGS|OPEN\s+TABLES)\b.*`, none("Name")),
	ask(`SHOW\s+TRIGGERS\b.*`, none("Trigger", "Event", "Table", "Statement", "Timing", "Created", "sql_mode", "Definer", "character_set_client", "collation_connection", "Database Collation")),
	ask(`SHOW\s+EVENTS\b.*`, none("Db", "Name", "Definer", "Time zone", "Type", "Execute at", "Interval value", "Interval field", "Starts", "Ends", "Status")),
	ask(`SHOW\s+(?:PROCEDURE|FUNCTION)\s+STATUS\b.*`, none("Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type", "Comment")),
	ask(`SHOW\s+(?:DATABASES|SCHEMAS)`+filter, func(_ *conn, m []string) (step, error) {
		return step{sql: "SELECT * FROM (SELECT name AS Database FROM system.databases)" + showFilter("Database", m[1], m[2]) + " ORDER BY Database"}, nil
	}),
	ask(`SHOW\s+(?:EXTENDED\s+)?(FULL\s+)?TABLES(?:\s+(?:FROM|IN)\s+`+name+`)?`+filter, showTables),
	ask(`SHOW\s+TABLE\s+STATUS(?:\s+(?:FROM|IN)\s+`+name+`)?`+filter, showTableStatus),
	ask(`SHOW\s+(?:EXTENDED\s+)?(FULL\s+)?(?:COLUMNS|FIELDS)\s+(?:FROM|IN)\s+`+name+`(?:\.`+name+`)?(?:\s+(?:FROM|IN)\s+`+name+`)?`+filter, func(c *conn, m []string) (step, error) {
		return c.showColumns(m[1] != "", m[2], m[3], m[4], m[5], m[6])
	}),
	ask(`(?:DESC|DESCRIBE|EXPLAIN)\s+`+name+`(?:\.`+name+`)?`, func(c *conn, m []string) (step, error) {
		return c.showColumns(false, m[1], m[2], "", "", "")
	}),
	ask(`SHOW\s+(?:INDEX|INDEXES|KEYS)\s+(?:FROM|IN)\s+`+name+`(?:\.`+name+`)?(?:\s+(?:FROM|IN)\s+`+name+`)?(?:\s+WHERE\s.*)?`, showIndex),
	ask(`SHOW\s+CREATE\s+TABLE\s+`+name+`(?:\.`+name+`)?`, showCreateTable),
	ask(`SHOW\s+CREATE\s+(?:DATABASE|SCHEMA)\s+(?:IF\s+NOT\s+EXISTS\s+)?`+name, func(_ *conn, m []string) (step, error) {
		return step{sql: "SELECT name AS Database, concat('CREATE DATABASE ', name) AS `Create Database` FROM system.databases WHERE name = " + ast.QuoteString(unquote(m[1]))}, nil
	}),
	ask(`SHOW\s+(FULL\s+)?PROCESSLIST`, query("SELECT toUInt64OrZero(extract(query_id, '^mysql:([0-9]+):')) AS Id, user AS User, toString(address) AS Host, current_database AS db, 'Query' AS Command, toUInt64(elapsed) AS Time, 'executing' AS State, query AS Info FROM system.processes")),
}

// setVariables is SET with assignments: variables of MySQL's are kept for
// SELECT @@name, settings go to the engine.
func setVariables(c *conn, m []string) (step, error) {
	var engine []string
	for _, a := range splitCommas(m[1]) {
		left, value, ok := strings.Cut(a, "=")
		if !ok {
			return step{sql: m[0]}, nil
		}
		left = strings.TrimSuffix(strings.TrimSpace(left), ":")
		value = strings.TrimSpace(value)
		key, marked := variableName(left)
		_, ours := settings.Lookup(key)
		switch {
		case key == "sql_select_limit":
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil && !strings.EqualFold(value, "DEFAULT") {
				return step{}, cherr.New(cherr.InvalidSettingValue, "Variable 'sql_select_limit' cannot be set to %s", value)
			}
			c.limit = n // 0 of DEFAULT: none
		case strings.HasPrefix(key, "@"):
			// A variable of the user's own: some clients save settings in them.
		case marked || !ours && c.isVariable(key):
			c.vars[key] = strings.Trim(value, `'"`)
		default:
			engine = append(engine, key+" = "+value)
		}
	}
	if len(engine) == 0 {
		return step{}, nil
	}
	return step{sql: "SET " + strings.Join(engine, ", ")}, nil
}

var scope = regexp.MustCompile(`(?i)^(?:@@)?(?:(?:session|global|local|persist)(?:\s+|\.))?`)

// variableName takes the scope off a variable's name. marked: it was written
// with @@ or a scope, so that it can be no setting of ClickHouse's.
func variableName(s string) (key string, marked bool) {
	rest := s[len(scope.FindString(s)):]
	return strings.ToLower(unquote(rest)), len(rest) < len(s)
}

// isVariable tells whether MySQL has such a variable.
func (c *conn) isVariable(key string) bool {
	_, ok := c.variables()[key]
	return ok || strings.HasPrefix(key, "character_set_") || strings.HasPrefix(key, "collation_") || strings.HasPrefix(key, "net_") ||
		strings.HasPrefix(key, "innodb_")
}

// variables are MySQL's, with what the client set.
func (c *conn) variables() map[string]string {
	out := map[string]string{
		"version": mysqlVersion + "-ClickHouse-" + c.cfg.Version, "time_zone": "SYSTEM", "system_time_zone": c.cfg.Engine.Zone().String(),
		"pseudo_thread_id": strconv.FormatUint(uint64(c.id), 10), "max_allowed_packet": strconv.Itoa(min(c.p.max, 1<<30)),
	}
	for k, v := range fixedVariables {
		out[k] = v
	}
	for k, v := range c.vars {
		out[k] = v
	}
	return out
}

// fixedVariables are those that tools read.
var fixedVariables = map[string]string{
	"auto_increment_increment": "1", "auto_increment_offset": "1", "autocommit": "1", "big_tables": "0",
	"character_set_client": "utf8mb4", "character_set_connection": "utf8mb4", "character_set_database": "utf8mb4",
	"character_set_results": "utf8mb4", "character_set_server": "utf8mb4", "character_set_system": "utf8mb3",
	"collation_connection": "utf8mb4_0900_ai_ci", "collation_database": "utf8mb4_0900_ai_ci", "collation_server": "utf8mb4_0900_ai_ci",
	"default_storage_engine": "Memory", "event_scheduler": "OFF", "foreign_key_checks": "0", "have_ssl": "YES", "hostname": "localhost",
	"init_connect": "", "innodb_version": mysqlVersion, "interactive_timeout": "28800", "license": "Apache-2.0", "local_infile": "0",
	"lower_case_file_system": "OFF", "lower_case_table_names": "0", "max_connections": "1024", "max_execution_time": "0",
	"net_buffer_length": "16384", "net_read_timeout": "30", "net_write_timeout": "60", "performance_schema": "0",
	"protocol_version": "10", "query_cache_size": "0", "query_cache_type": "OFF", "read_only": "0", "server_id": "1",
	"session_track_schema": "0", "sql_auto_is_null": "0", "sql_big_selects": "1", "sql_mode": "", "sql_notes": "1", "sql_quote_show_create": "1",
	"sql_safe_updates": "0", "super_read_only": "0", "table_open_cache": "4000", "transaction_isolation": "READ-COMMITTED",
	"transaction_read_only": "0", "tx_isolation": "READ-COMMITTED", "tx_read_only": "0", "unique_checks": "0", "wait_timeout": "28800",
	"version_comment": "ClickHouse-compatible server", "version_compile_machine": "x86_64", "version_compile_os": "Linux",
	"warning_count": "0", "error_count": "0", "identity": "0", "last_insert_id": "0", "net_retry_count": "10", "thread_handling": "one-thread-per-connection",
	"ssl_cipher": "", "gtid_mode": "OFF", "log_bin": "OFF", "default_authentication_plugin": firstPlugin, "div_precision_increment": "4",
	"group_concat_max_len": "1073741824", "profiling": "0", "unique_subquery_cache": "0", "max_sort_length": "1024", "max_join_size": "18446744073709551615",
}

var statusValues = map[string]string{
	"Uptime": "1", "Threads_connected": "1", "Threads_running": "1", "Questions": "0", "Slow_queries": "0", "Open_tables": "0",
	"Ssl_cipher": "", "Ssl_version": "", "Bytes_received": "0", "Bytes_sent": "0", "Connections": "1", "Com_select": "0", "Queries": "0",
}

// namedValues is a query over names and their values.
func namedValues(m map[string]string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	b.WriteString("SELECT * FROM values('Variable_name String, Value String'")
	for _, k := range keys {
		b.WriteString(", (" + ast.QuoteString(k) + ", " + ast.QuoteString(m[k]) + ")")
	}
	b.WriteString(")")
	return b.String()
}

const (
	collations = "SELECT * FROM values('Collation String, Charset String, Id UInt64, Default String, Compiled String, Sortlen UInt64, Pad_attribute String', " +
		"('utf8mb4_0900_ai_ci', 'utf8mb4', 255, 'Yes', 'Yes', 0, 'NO PAD'), ('utf8mb4_general_ci', 'utf8mb4', 45, '', 'Yes', 1, 'PAD SPACE'), " +
		"('utf8mb4_bin', 'utf8mb4', 46, '', 'Yes', 1, 'PAD SPACE'), ('utf8mb4_unicode_ci', 'utf8mb4', 224, '', 'Yes', 8, 'PAD SPACE'), " +
		"('utf8mb3_general_ci', 'utf8mb3', 33, 'Yes', 'Yes', 1, 'PAD SPACE'), ('latin1_swedish_ci', 'latin1', 8, 'Yes', 'Yes', 1, 'PAD SPACE'), " +
		"('binary', 'binary', 63, 'Yes', 'Yes', 1, 'NO PAD'))"
	charsets = "SELECT * FROM values('Charset String, Description String, `Default collation` String, Maxlen UInt64', " +
		"('utf8mb4', 'UTF-8 Unicode', 'utf8mb4_0900_ai_ci', 4), ('utf8mb3', 'UTF-8 Unicode', 'utf8mb3_general_ci', 3), " +
		"('latin1', 'cp1252 West European', 'latin1_swedish_ci', 1), ('binary', 'Binary pseudo charset', 'binary', 1))"
)

var variableColumns = regexp.MustCompile("(?i)`?\\b(variable_name|value)\\b`?")

// pairFilter is the end of SHOW VARIABLES, whose columns may be written in any
// case.
func pairFilter(word, rest string) string {
	if strings.EqualFold(word, "WHERE") {
		return " WHERE " + variableColumns.ReplaceAllStringFunc(rest, func(s string) string {
			if strings.EqualFold(strings.Trim(s, "`"), "value") {
				return "Value"
			}
			return "Variable_name"
		})
	}
	return showFilter("Variable_name", word, rest)
}

// showFilter is LIKE or WHERE of a SHOW, LIKE without case as in MySQL.
func showFilter(column, word, rest string) string {
	switch strings.ToUpper(word) {
	case "LIKE":
		return " WHERE " + quoteName(column) + " ILIKE " + pattern(rest)
	case "WHERE":
		return " WHERE " + rest
	}
	return ""
}

// pattern is a string literal in ClickHouse's quotes.
func pattern(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return "'" + strings.ReplaceAll(s[1:len(s)-1], "'", `\'`) + "'"
	}
	return s
}

// splitCommas gives the parts between commas that are in no brackets.
func splitCommas(s string) []string {
	var out []string
	depth, from := 0, 0
	plain(s, func(i int) bool {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
		return true
	})
	return append(out, s[from:])
}

// unquote gives a name without its backquotes.
func unquote(s string) string {
	if len(s) > 1 && s[0] == '`' && s[len(s)-1] == '`' {
		return strings.ReplaceAll(s[1:len(s)-1], "``", "`")
	}
	return s
}

// quoteName gives a name in backquotes.
func quoteName(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }
