package mysql

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"lakeserver/engine/ast"
)

// expr writes an expression. Everything of more than one part stands in
// brackets; only chains of one operator do without, so that long ones nest no
// deeper than they were written.
func (t *translator) expr(e sqlparser.Expr) { // long: one case a kind
	switch n := e.(type) {
	case *sqlparser.AndExpr:
		t.chain("AND", n.Left, n.Right, isAnd)
	case *sqlparser.OrExpr:
		t.chain("OR", n.Left, n.Right, isOr)
	case *sqlparser.NotExpr:
		t.around("(NOT ", n.Expr, ")")
	case *sqlparser.ParenExpr:
		t.around("(", n.Expr, ")")
	case *sqlparser.ComparisonExpr:
		t.comparison(n)
	case *sqlparser.RangeCond:
		t.around("(", n.Left, " "+strings.ToUpper(n.Operator)+" ")
		t.around("", n.From, " AND ")
		t.around("", n.To, ")")
	case *sqlparser.IsExpr:
		t.is(n)
	case *sqlparser.ExistsExpr:
		t.write("exists(")
		t.query(n.Subquery.Select)
		t.write(")")
	case *sqlparser.SQLVal:
		t.value(n)
	case *sqlparser.NullVal:
		t.write("NULL")
	case sqlparser.BoolVal:
		t.write(strconv.FormatBool(bool(n)))
	case *sqlparser.ColName:
		t.columnName(n)
	case sqlparser.ValTuple:
		t.write("(")
		each(t, n, ", ", func(e sqlparser.Expr) { t.expr(e) })
		t.write(")")
	case *sqlparser.Subquery:
		t.write("(")
		t.query(n.Select)
		t.write(")")
	case *sqlparser.BinaryExpr:
		t.binary(n)
	case *sqlparser.UnaryExpr:
		t.unary(n)
	case *sqlparser.IntervalExpr:
		t.interval(n)
	case *sqlparser.CollateExpr:
		t.expr(n.Expr) // texts are compared by their bytes
	case *sqlparser.FuncExpr:
		t.function(n)
	case *sqlparser.CaseExpr:
		t.caseOf(n)
	case *sqlparser.ConvertExpr:
		kind, ok := castType(n.Type)
		if !ok {
			t.refuse("CAST to " + n.Type.Type)
		}
		t.around("CAST(", n.Expr, ", "+ast.QuoteString(kind)+")")
	case *sqlparser.ConvertUsingExpr:
		t.expr(n.Expr) // all text is UTF-8
	case *sqlparser.SubstrExpr:
		t.around("substring(", n.Name, ", ")
		t.expr(n.From)
		if n.To != nil {
			t.around(", ", n.To, "")
		}
		t.write(")")
	case *sqlparser.GroupConcatExpr:
		t.groupConcat(n)
	case *sqlparser.MatchExpr:
		t.refuse("MATCH … AGAINST")
	case *sqlparser.ValuesFuncExpr:
		t.refuse("VALUES()")
	case *sqlparser.Default:
		t.write("DEFAULT")
	default:
		t.unknown = true
	}
}

func (t *translator) around(before string, e sqlparser.Expr, after string) {
	t.write(before)
	t.expr(e)
	t.write(after)
}

func isAnd(e sqlparser.Expr) (left, right sqlparser.Expr, ok bool) {
	if n, is := e.(*sqlparser.AndExpr); is {
		return n.Left, n.Right, true
	}
	return nil, nil, false
}

func isOr(e sqlparser.Expr) (left, right sqlparser.Expr, ok bool) {
	if n, is := e.(*sqlparser.OrExpr); is {
		return n.Left, n.Right, true
	}
	return nil, nil, false
}

// chain writes a AND b AND c without brackets between.
func (t *translator) chain(word string, left, right sqlparser.Expr, same func(sqlparser.Expr) (l, r sqlparser.Expr, ok bool)) {
	terms := []sqlparser.Expr{right}
	for {
		l, r, ok := same(left)
		if !ok {
			break
		}
		terms = append(terms, r)
		left = l
	}
	t.around("(", left, "")
	for i := len(terms) - 1; i >= 0; i-- {
		t.around(" "+word+" ", terms[i], "")
	}
	t.write(")")
}

func (t *translator) comparison(n *sqlparser.ComparisonExpr) {
	if n.Escape != nil {
		if v, ok := n.Escape.(*sqlparser.SQLVal); !ok || string(v.Val) != `\` {
			t.refuse("LIKE … ESCAPE")
		}
	}
	switch n.Operator {
	case sqlparser.NullSafeEqualStr:
		t.around("(", n.Left, " IS NOT DISTINCT FROM ")
		t.around("", n.Right, ")")
	case sqlparser.RegexpStr, sqlparser.NotRegexpStr:
		if n.Operator == sqlparser.NotRegexpStr {
			t.write("NOT ")
		}
		t.around("match(", n.Left, ", ")
		t.around("", n.Right, ")")
	default:
		t.around("(", n.Left, " "+strings.ToUpper(n.Operator)+" ")
		t.around("", n.Right, ")")
	}
}

func (t *translator) is(n *sqlparser.IsExpr) {
	switch n.Operator {
	case sqlparser.IsNullStr, sqlparser.IsNotNullStr:
		t.around("(", n.Expr, " "+strings.ToUpper(n.Operator)+")")
	case sqlparser.IsTrueStr:
		t.around("ifNull((", n.Expr, ") != 0, 0)")
	case sqlparser.IsNotTrueStr:
		t.around("(NOT ifNull((", n.Expr, ") != 0, 0))")
	case sqlparser.IsFalseStr:
		t.around("ifNull((", n.Expr, ") = 0, 0)")
	case sqlparser.IsNotFalseStr:
		t.around("(NOT ifNull((", n.Expr, ") = 0, 0))")
	default:
		t.unknown = true
	}
}

// value writes a literal. 0x… is a number, as in ClickHouse; x'…' a text.
func (t *translator) value(n *sqlparser.SQLVal) {
	text := string(n.Val)
	switch n.Type {
	case sqlparser.StrVal:
		t.write(ast.QuoteString(text))
	case sqlparser.IntVal, sqlparser.FloatVal:
		if strings.HasPrefix(text, "-") {
			text = "(" + text + ")"
		}
		t.write(text)
	case sqlparser.HexNum:
		t.write(text)
	case sqlparser.HexVal:
		b, err := hex.DecodeString(text)
		if err != nil {
			t.unknown = true
		}
		t.write(ast.QuoteString(string(b)))
	case sqlparser.BitVal:
		v, err := strconv.ParseUint(text, 2, 64)
		if err != nil {
			t.unknown = true
		}
		t.write(strconv.FormatUint(v, 10))
	default:
		t.unknown = true // :name and ::list, which are no MySQL
	}
}

// variableText gives the text of @@variable, "" for other expressions.
func (t *translator) variableText(e sqlparser.Expr) string {
	n, ok := e.(*sqlparser.ColName)
	if !ok {
		return ""
	}
	text := n.Name.String()
	if !n.Qualifier.IsEmpty() {
		text = n.Qualifier.Name.String() + "." + text
	}
	if !strings.HasPrefix(text, "@@") {
		return ""
	}
	return text
}

func (t *translator) columnName(n *sqlparser.ColName) {
	text := t.variableText(n)
	name := n.Name.String()
	switch {
	case text != "":
		key, _ := variableName(text)
		v, ok := t.c.variables()[key]
		if !ok {
			t.err = unknownVariable(key)
		}
		t.literalOf(v)
	case strings.HasPrefix(name, "@"):
		t.refuse("A user variable (" + name + ")")
	case n.Qualifier.IsEmpty() && (strings.EqualFold(name, "inf") || strings.EqualFold(name, "nan")):
		t.write(name) // numbers of ClickHouse's
	case n.Qualifier.IsEmpty() && strings.EqualFold(name, "current_user"):
		t.write("currentUser()")
	default:
		if !n.Qualifier.IsEmpty() {
			t.tableName(n.Qualifier)
			t.write(".")
		}
		t.write(quoteName(name))
	}
}

// literalOf writes a variable's value: as a number where it is one.
func (t *translator) literalOf(v string) {
	if _, err := strconv.ParseUint(v, 10, 64); err == nil {
		t.write(v)
		return
	}
	t.write(ast.QuoteString(v))
}

// binary writes an operator; chains of the same keep their left side bare.
func (t *translator) binary(n *sqlparser.BinaryExpr) {
	switch n.Operator {
	case sqlparser.JSONExtractOp:
		t.jsonExtract(n.Left, n.Right)
		return
	case sqlparser.JSONUnquoteExtractOp:
		t.call("JSON_VALUE", n.Left, n.Right)
		return
	case sqlparser.BitAndStr:
		t.call("bitAnd", n.Left, n.Right)
		return
	case sqlparser.BitOrStr:
		t.call("bitOr", n.Left, n.Right)
		return
	case sqlparser.BitXorStr:
		t.call("bitXor", n.Left, n.Right)
		return
	case sqlparser.ShiftLeftStr:
		t.call("bitShiftLeft", n.Left, n.Right)
		return
	case sqlparser.ShiftRightStr:
		t.call("bitShiftRight", n.Left, n.Right)
		return
	}
	terms := []*sqlparser.BinaryExpr{n}
	left := n.Left
	for {
		l, ok := left.(*sqlparser.BinaryExpr)
		if !ok || l.Operator != n.Operator {
			break
		}
		terms = append(terms, l)
		left = l.Left
	}
	t.around("(", left, "")
	for i := len(terms) - 1; i >= 0; i-- {
		t.around(" "+strings.ToUpper(n.Operator)+" ", terms[i].Right, "")
	}
	t.write(")")
}

func (t *translator) call(name string, args ...sqlparser.Expr) {
	t.write(name, "(")
	each(t, args, ", ", func(e sqlparser.Expr) { t.expr(e) })
	t.write(")")
}

func (t *translator) unary(n *sqlparser.UnaryExpr) {
	switch n.Operator {
	case sqlparser.UMinusStr:
		t.around("(- ", n.Expr, ")")
	case sqlparser.BangStr:
		t.around("(NOT ", n.Expr, ")")
	case sqlparser.TildaStr:
		t.call("bitNot", n.Expr)
	default: // +, BINARY, _binary
		t.expr(n.Expr)
	}
}

// units are the units of INTERVAL that both have.
var units = map[string]bool{
	"microsecond": true, "second": true, "minute": true, "hour": true, "day": true, "week": true, "month": true, "quarter": true, "year": true,
}

func (t *translator) interval(n *sqlparser.IntervalExpr) {
	if strings.Contains(n.Unit, "_") {
		t.refuse("INTERVAL in " + n.Unit)
	}
	if !units[strings.ToLower(n.Unit)] {
		t.unknown = true // perhaps ClickHouse's
	}
	// INTERVAL '1' DAY: ClickHouse would take the text for '1 day'.
	if v, ok := n.Expr.(*sqlparser.SQLVal); ok && v.Type == sqlparser.StrVal {
		if _, err := strconv.ParseInt(string(v.Val), 10, 64); err == nil {
			t.write("INTERVAL ", string(v.Val), " ", strings.ToUpper(n.Unit))
			return
		}
		t.refuse("INTERVAL of a text")
	}
	t.around("INTERVAL ", n.Expr, " "+strings.ToUpper(n.Unit))
}

func (t *translator) caseOf(n *sqlparser.CaseExpr) {
	t.write("CASE")
	if n.Expr != nil {
		t.around(" ", n.Expr, "")
	}
	for _, w := range n.Whens {
		t.around(" WHEN ", w.Cond, "")
		t.around(" THEN ", w.Val, "")
	}
	if n.Else != nil {
		t.around(" ELSE ", n.Else, "")
	}
	t.write(" END")
}
