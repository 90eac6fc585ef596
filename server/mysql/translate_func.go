package mysql

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// mysqlFunctions are MySQL's functions that ClickHouse has under another name
// or with another meaning, by MySQL's name and number of arguments: $1, $2 …
// are the arguments, $* all of them. All others go through by their names.
var mysqlFunctions = map[string]string{
	"adddate/2": "addDays($1, $2)", "subdate/2": "subtractDays($1, $2)",
	"concat_ws/*": "concatWithSeparator($*)", "instr/2": "position($1, $2)",
	"lpad/3": "leftPadUTF8($*)", "rpad/3": "rightPadUTF8($*)",
	"char_length/1": "lengthUTF8($1)", "character_length/1": "lengthUTF8($1)", "octet_length/1": "length($1)",
	"replace/3": "replaceAll($*)", "substring_index/3": "substringIndex($*)",
	"find_in_set/2": "indexOf(splitByChar(',', $2), $1)", "strcmp/2": "multiIf($1 < $2, -1, $1 > $2, 1, 0)",
	"ord/1":       "ascii($1)",
	"to_base64/1": "base64Encode($1)", "from_base64/1": "base64Decode($1)",
	"regexp_like/2": "match($*)", "regexp_replace/3": "replaceRegexpAll($*)", "regexp_substr/2": "extract($*)",
	"variance/1": "varPop($1)", "std/1": "stddevPop($1)", "stddev/1": "stddevPop($1)",
	"bit_and/1": "groupBitAnd($1)", "bit_or/1": "groupBitOr($1)", "bit_xor/1": "groupBitXor($1)",
	"dayofweek/1": "toDayOfWeek($1, 3)", "weekday/1": "toDayOfWeek($1, 1)", "weekofyear/1": "toISOWeek($1)",
	"dayname/1": "dateName('weekday', $1)", "datediff/2": "dateDiff('day', $2, $1)",
	"to_days/1": "toDaysSinceYearZero($1)", "from_days/1": "fromDaysSinceYearZero($1)",
	"curtime/0": "formatDateTime(now(), '%H:%i:%s')", "current_time/0": "formatDateTime(now(), '%H:%i:%s')",
	"time/1": "formatDateTime($1, '%H:%i:%s')", "str_to_date/2": "parseDateTimeOrNull($1, $2)",
	"sysdate/0": "now()", "current_timestamp/0": "now()",
	"localtime/0": "now()", "localtimestamp/0": "now()",
	"utc_date/0": "toDate(now('UTC'))", "utc_timestamp/0": "now('UTC')",
	"inet_aton/1": "IPv4StringToNum($1)", "inet_ntoa/1": "IPv4NumToString($1)", "inet6_ntoa/1": "IPv6NumToString($1)",
	"uuid/0":   "toString(generateUUIDv4())",
	"schema/0": "currentDatabase()", "session_user/0": "currentUser()", "system_user/0": "currentUser()",
	"found_rows/0": "0", "row_count/0": "0", "last_insert_id/0": "0",
}

// ofMoment are functions of a date or time, for which MySQL takes text.
var ofMoment = map[string]bool{
	"date_format": true, "year": true, "quarter": true, "month": true, "week": true, "yearweek": true, "day": true, "dayofmonth": true,
	"dayofyear": true, "dayofweek": true, "weekday": true, "weekofyear": true, "dayname": true, "monthname": true, "hour": true,
	"minute": true, "second": true, "last_day": true, "date_add": true, "date_sub": true, "adddate": true, "subdate": true,
	"datediff": true, "to_days": true, "time": true,
}

// moments gives the arguments of such a function: texts that are a date or a
// time become one.
func moments(name string, args []sqlparser.Expr) []sqlparser.Expr {
	if !ofMoment[name] || name == "datediff" && len(args) != 2 || len(args) > 2 {
		return args
	}
	out := append([]sqlparser.Expr(nil), args...)
	for i, e := range args {
		v, ok := e.(*sqlparser.SQLVal)
		if !ok || v.Type != sqlparser.StrVal || i > 0 && name != "datediff" {
			continue
		}
		kind := &sqlparser.ConvertType{Type: "date"}
		if len(v.Val) > len("2006-01-02") {
			kind.Type = "datetime"
			if strings.Contains(string(v.Val), ".") {
				kind.Length = sqlparser.NewIntVal([]byte("6"))
			}
		}
		out[i] = &sqlparser.ConvertExpr{Expr: v, Type: kind}
	}
	return out
}

// unitOf gives the unit that stands as a bare word before the arguments of
// DATEDIFF(unit, a, b) and its like; ClickHouse reads it only so.
func unitOf(name string, args sqlparser.SelectExprs) (string, bool) {
	if len(args) < 3 || !strings.HasPrefix(name, "date") && !strings.HasPrefix(name, "timestamp") {
		return "", false
	}
	a, ok := args[0].(*sqlparser.AliasedExpr)
	if !ok || !a.As.IsEmpty() {
		return "", false
	}
	c, ok := a.Expr.(*sqlparser.ColName)
	if !ok || !c.Qualifier.IsEmpty() || !isWord(c.Name.String()) {
		return "", false
	}
	return c.Name.String(), true
}

// written gives an expression's text.
func (t *translator) written(e sqlparser.Expr) string {
	sub := &translator{c: t.c, source: t.source}
	sub.expr(e)
	t.unknown = t.unknown || sub.unknown
	if t.err == nil {
		t.err = sub.err
	}
	return sub.b.String()
}

func (t *translator) function(n *sqlparser.FuncExpr) {
	name := n.Name.String()
	if !n.Qualifier.IsEmpty() || !isWord(name) {
		t.unknown = true
		return
	}
	if !n.Distinct && t.special(strings.ToLower(name), n.Exprs) {
		return
	}
	lower := strings.ToLower(name)
	if args, ok := plainArgs(n.Exprs); ok && !n.Distinct {
		if ofMoment[lower] && len(args) < 3 {
			t.call(name, moments(lower, args)...)
			return
		}
	}
	t.write(name, "(")
	if n.Distinct {
		t.write("DISTINCT ")
	}
	if u, ok := unitOf(lower, n.Exprs); ok {
		t.write(u, ", ")
		n.Exprs = n.Exprs[1:]
	}
	each(t, n.Exprs, ", ", func(e sqlparser.SelectExpr) {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && !a.As.IsEmpty() {
			t.around("", a.Expr, " AS "+quoteName(a.As.String()))
			return
		}
		t.selectExpr(e)
	})
	t.write(")")
}

// plainArgs gives arguments that are expressions without names.
func plainArgs(exprs sqlparser.SelectExprs) ([]sqlparser.Expr, bool) {
	args := make([]sqlparser.Expr, 0, len(exprs))
	for _, e := range exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok || !a.As.IsEmpty() {
			return nil, false
		}
		args = append(args, a.Expr)
	}
	return args, true
}

// special writes a function of MySQL's and tells whether it was one.
func (t *translator) special(name string, exprs sqlparser.SelectExprs) bool {
	args, ok := plainArgs(exprs)
	if !ok {
		return false // count(*)
	}
	args = moments(name, args)
	if len(args) == 0 && name != "connection_id" {
		form, ok := mysqlFunctions[name+"/0"]
		t.write(form)
		return ok
	}
	switch name {
	case "connection_id":
		t.write(strconv.FormatUint(uint64(t.c.id), 10))
		return true
	case "now", "current_timestamp", "sysdate", "localtime", "localtimestamp":
		// A number is how many digits; a text is ClickHouse's, a time zone.
		if len(args) == 1 && isNumber(args[0]) {
			t.call("now64", args[0])
			return true
		}
	case "json_extract":
		if len(args) == 2 {
			t.jsonExtract(args[0], args[1])
			return true
		}
	case "json_unquote":
		if f, ok := args[0].(*sqlparser.FuncExpr); ok && len(args) == 1 && f.Name.EqualString("json_extract") && len(f.Exprs) == 2 {
			t.write("JSON_VALUE(")
			each(t, f.Exprs, ", ", t.selectExpr)
			t.write(")")
			return true
		}
	case "field", "elt":
		if len(args) < 2 {
			return false
		}
		list := make([]string, len(args)-1)
		for i, e := range args[1:] {
			list[i] = t.written(e)
		}
		array := "[" + strings.Join(list, ", ") + "]"
		if name == "field" {
			t.write("indexOf(", array, ", ", t.written(args[0]), ")")
		} else {
			t.write("arrayElement(", array, ", ", t.written(args[0]), ")")
		}
		return true
	}
	form, ok := mysqlFunctions[name+"/"+strconv.Itoa(len(args))]
	if !ok {
		form, ok = mysqlFunctions[name+"/*"]
	}
	if ok && (name == "adddate" || name == "subdate") {
		_, interval := args[1].(*sqlparser.IntervalExpr)
		ok = !interval
	}
	if !ok {
		return false
	}
	texts := make([]string, len(args))
	pairs := make([]string, 0, 2*len(args)+2)
	for i, e := range args {
		texts[i] = t.written(e)
		pairs = append(pairs, "$"+strconv.Itoa(i+1), texts[i])
	}
	pairs = append(pairs, "$*", strings.Join(texts, ", "))
	t.write(strings.NewReplacer(pairs...).Replace(form))
	return true
}

func isNumber(e sqlparser.Expr) bool {
	v, ok := e.(*sqlparser.SQLVal)
	return ok && v.Type == sqlparser.IntVal
}

// jsonStep is one step of a path of MySQL's: .name, ."name", [n].
var jsonStep = regexp.MustCompile(`^(?:\.([A-Za-z_]\w*)|\."([^"]*)"|\[(\d+)\])`)

// jsonExtract is JSON_EXTRACT and ->: the JSON text at a path.
func (t *translator) jsonExtract(doc, path sqlparser.Expr) {
	v, ok := path.(*sqlparser.SQLVal)
	if !ok || v.Type != sqlparser.StrVal || !strings.HasPrefix(string(v.Val), "$") {
		t.refuse("A computed JSON path")
		return
	}
	t.around("JSONExtractRaw(", doc, "")
	for rest := string(v.Val[1:]); rest != ""; {
		m := jsonStep.FindStringSubmatch(rest)
		if m == nil {
			t.refuse("The JSON path " + string(v.Val))
			return
		}
		rest = rest[len(m[0]):]
		if n, err := strconv.Atoi(m[3]); err == nil {
			t.write(", ", strconv.Itoa(n+1)) // ClickHouse counts from 1
		} else {
			t.write(", ", ast.QuoteString(m[1]+m[2]))
		}
	}
	t.write(")")
}

// isWord tells a function's plain name.
func isWord(s string) bool {
	for i, c := range []byte(s) {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		return false
	}
	return s != ""
}

// groupConcat is GROUP_CONCAT: texts in an order, with a separator between.
func (t *translator) groupConcat(n *sqlparser.GroupConcatExpr) {
	parts := make([]string, 0, len(n.Exprs))
	for _, e := range n.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			t.unknown = true
			return
		}
		parts = append(parts, "toString("+t.written(a.Expr)+")")
	}
	text := parts[0]
	if len(parts) > 1 {
		text = "concat(" + strings.Join(parts, ", ") + ")"
	}
	separator := ","
	if s := strings.TrimSpace(n.Separator); s != "" {
		// sqlparser keeps it as it stood: " separator '; '".
		if at := strings.IndexByte(s, '\''); at >= 0 {
			separator = strings.TrimSuffix(s[at+1:], "'")
		}
	}
	group := "groupArray"
	if n.Distinct != "" {
		group = "groupUniqArray"
	}
	array := group + "(" + text + ")"
	switch len(n.OrderBy) {
	case 0:
		if n.Distinct != "" {
			array = "arraySort(" + array + ")" // in a fixed order at least
		}
	case 1:
		sort := "arraySort"
		if n.OrderBy[0].Direction == sqlparser.DescScr {
			sort = "arrayReverseSort"
		}
		array = "arrayMap(t -> t.1, " + sort + "(t -> t.2, " + group + "((" + text + ", " + t.written(n.OrderBy[0].Expr) + "))))"
	default:
		t.refuse("GROUP_CONCAT in the order of several expressions")
	}
	t.write("arrayStringConcat(", array, ", ", ast.QuoteString(separator), ")")
}

func unknownVariable(name string) error {
	return cherr.New(cherr.UnknownSetting, "Unknown system variable '%s'", name)
}
