package mysql

import (
	"regexp"
	"strings"

	"github.com/xwb1989/sqlparser"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// translate turns a statement of MySQL's dialect into ClickHouse's SQL. ok is
// false for what sqlparser does not read; an error says what of MySQL's has no
// counterpart.
func translate(s string, c *conn) (sql string, ok bool, err error) {
	defer func() { // sqlparser's scanner runs off the end of some broken texts
		if v := recover(); v != nil {
			sql, ok, err = "", false, nil
		}
	}()
	stmt, err := sqlparser.ParseStrictDDL(plainStrings(s))
	if err != nil {
		return "", false, nil
	}
	t := &translator{c: c, source: s}
	t.statement(stmt)
	if t.err != nil {
		return "", false, t.err
	}
	return t.b.String(), !t.unknown, nil
}

// translator writes one statement. The first error stays.
type translator struct {
	c      *conn
	source string
	b      strings.Builder
	err    error
	// unknown: there is something that is better read as ClickHouse's.
	unknown bool
}

func (t *translator) write(s ...string) {
	for _, x := range s {
		t.b.WriteString(x)
	}
}

// refuse says what cannot be translated.
func (t *translator) refuse(what string) {
	if t.err == nil {
		t.err = cherr.New(cherr.NotImplemented, "%s of MySQL is not supported", what)
	}
}

// each writes a list.
func each[T any](t *translator, list []T, between string, f func(T)) {
	for i, x := range list {
		if i > 0 {
			t.write(between)
		}
		f(x)
	}
}

func (t *translator) statement(s sqlparser.Statement) {
	switch n := s.(type) {
	case sqlparser.SelectStatement:
		t.query(n)
	case *sqlparser.Insert:
		t.insert(n)
	case *sqlparser.Update:
		t.update(n)
	case *sqlparser.Delete:
		t.delete(n)
	case *sqlparser.DDL:
		t.ddl(n)
	default:
		t.unknown = true
	}
}

func (t *translator) query(s sqlparser.SelectStatement) {
	switch n := s.(type) {
	case *sqlparser.Select:
		t.sel(n)
	case *sqlparser.ParenSelect:
		t.query(n.Select)
	case *sqlparser.Union:
		t.union(n)
	default:
		t.unknown = true
	}
}

// union is UNION. ClickHouse would give ORDER BY and LIMIT at its end to the
// last SELECT.
func (t *translator) union(n *sqlparser.Union) {
	whole := len(n.OrderBy) > 0 || n.Limit != nil
	if whole {
		t.write("SELECT * FROM (")
	}
	word := " UNION ALL "
	if n.Type != sqlparser.UnionAllStr {
		word = " UNION DISTINCT "
	}
	sides := []sqlparser.SelectStatement{n.Right}
	left := n.Left
	for { // a chain of one kind is one list
		l, ok := left.(*sqlparser.Union)
		if !ok || (l.Type == sqlparser.UnionAllStr) != (n.Type == sqlparser.UnionAllStr) || len(l.OrderBy) > 0 || l.Limit != nil {
			break
		}
		sides, left = append(sides, l.Right), l.Left
	}
	t.unionSide(left)
	for i := len(sides) - 1; i >= 0; i-- {
		t.write(word)
		t.unionSide(sides[i])
	}
	if whole {
		t.write(")")
		t.orderBy(n.OrderBy)
		t.limit(n.Limit)
	}
}

func (t *translator) unionSide(s sqlparser.SelectStatement) {
	if n, ok := s.(*sqlparser.Select); ok && n.Limit == nil && len(n.OrderBy) == 0 {
		t.sel(n)
		return
	}
	t.write("(")
	t.query(s)
	t.write(")")
}

func (t *translator) sel(n *sqlparser.Select) {
	t.write("SELECT ")
	if n.Distinct != "" {
		t.write("DISTINCT ")
	}
	each(t, n.SelectExprs, ", ", t.selectExpr)
	if !isDual(n.From) {
		t.write(" FROM ")
		each(t, n.From, ", ", t.from)
	}
	t.where(" WHERE ", n.Where)
	if len(n.GroupBy) > 0 {
		t.write(" GROUP BY ")
		each(t, n.GroupBy, ", ", func(e sqlparser.Expr) { t.expr(e) })
	}
	t.where(" HAVING ", n.Having)
	t.orderBy(n.OrderBy)
	t.limit(n.Limit)
}

// isDual: sqlparser writes FROM dual where there is no FROM.
func isDual(from sqlparser.TableExprs) bool {
	if len(from) != 1 {
		return false
	}
	a, ok := from[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return false
	}
	name, ok := a.Expr.(sqlparser.TableName)
	return ok && name.Qualifier.IsEmpty() && strings.EqualFold(name.Name.String(), "dual")
}

func (t *translator) selectExpr(e sqlparser.SelectExpr) {
	switch n := e.(type) {
	case *sqlparser.StarExpr:
		if !n.TableName.IsEmpty() {
			t.tableName(n.TableName)
			t.write(".")
		}
		t.write("*")
	case *sqlparser.AliasedExpr:
		t.expr(n.Expr)
		switch variable := t.variableText(n.Expr); {
		case !n.As.IsEmpty():
			t.write(" AS ", quoteName(n.As.String()))
		case variable != "":
			t.write(" AS ", quoteName(variable))
		}
	default:
		t.unknown = true
	}
}

func (t *translator) tableName(n sqlparser.TableName) {
	if !n.Qualifier.IsEmpty() {
		t.write(quoteName(n.Qualifier.String()), ".")
	}
	t.write(quoteName(n.Name.String()))
}

// clauses are words behind a table that are ClickHouse's, where MySQL sees the
// table's new name: FROM t FINAL, FROM t ARRAY JOIN a.
var clauses = map[string]bool{
	"FINAL": true, "SAMPLE": true, "PREWHERE": true, "ARRAY": true, "ANY": true, "ALL": true, "ASOF": true, "SEMI": true, "ANTI": true,
	"GLOBAL": true, "LOCAL": true, "PASTE": true, "FULL": true, "SETTINGS": true, "FORMAT": true, "WINDOW": true, "QUALIFY": true,
}

func (t *translator) from(e sqlparser.TableExpr) {
	switch n := e.(type) {
	case *sqlparser.AliasedTableExpr:
		switch x := n.Expr.(type) {
		case sqlparser.TableName:
			t.tableName(x)
		case *sqlparser.Subquery:
			t.write("(")
			t.query(x.Select)
			t.write(")")
		}
		if len(n.Partitions) > 0 {
			t.refuse("PARTITION in FROM")
		}
		if clauses[strings.ToUpper(n.As.String())] {
			t.unknown = true
		}
		if !n.As.IsEmpty() {
			t.write(" AS ", quoteName(n.As.String()))
		}
	case *sqlparser.ParenTableExpr:
		if len(n.Exprs) != 1 {
			t.refuse("A list of tables in brackets")
			return
		}
		t.from(n.Exprs[0])
	case *sqlparser.JoinTableExpr:
		t.join(n)
	default:
		t.unknown = true
	}
}

func (t *translator) join(n *sqlparser.JoinTableExpr) {
	t.from(n.LeftExpr)
	word := strings.ToUpper(n.Join)
	switch {
	case strings.HasPrefix(word, "NATURAL"):
		t.unknown = true // ClickHouse reads it as it is
	case n.Condition.On == nil && n.Condition.Using == nil:
		word = "CROSS JOIN"
	case word == "STRAIGHT_JOIN", word == "JOIN":
		word = "INNER JOIN"
	}
	t.write(" ", word, " ")
	if _, nested := n.RightExpr.(*sqlparser.ParenTableExpr); nested {
		t.refuse("A join in brackets on the right of a join")
	}
	t.from(n.RightExpr)
	switch {
	case n.Condition.On != nil:
		t.write(" ON ")
		t.expr(n.Condition.On)
	case n.Condition.Using != nil:
		t.write(" USING (")
		each(t, n.Condition.Using, ", ", func(c sqlparser.ColIdent) { t.write(quoteName(c.String())) })
		t.write(")")
	}
}

func (t *translator) where(word string, n *sqlparser.Where) {
	if n != nil {
		t.write(word)
		t.expr(n.Expr)
	}
}

func (t *translator) orderBy(o sqlparser.OrderBy) {
	if len(o) == 0 {
		return
	}
	if _, null := o[0].Expr.(*sqlparser.NullVal); null && len(o) == 1 {
		return // ORDER BY NULL: in no order
	}
	t.write(" ORDER BY ")
	each(t, o, ", ", func(x *sqlparser.Order) {
		t.expr(x.Expr)
		if x.Direction == sqlparser.DescScr {
			t.write(" DESC") // NULL comes last either way, as in ClickHouse
		}
	})
}

func (t *translator) limit(n *sqlparser.Limit) {
	if n == nil {
		return
	}
	t.write(" LIMIT ")
	if n.Offset != nil {
		t.expr(n.Offset)
		t.write(", ")
	}
	t.expr(n.Rowcount)
}

// insert is INSERT with something of MySQL's in it. There are no unique keys,
// so that IGNORE has nothing to pass over; what would replace rows is refused.
func (t *translator) insert(n *sqlparser.Insert) {
	switch {
	case n.Action == sqlparser.ReplaceStr:
		t.refuse("REPLACE INTO")
	case len(n.OnDup) > 0:
		t.refuse("ON DUPLICATE KEY UPDATE")
	case len(n.Partitions) > 0:
		t.refuse("PARTITION of INSERT")
	}
	t.write("INSERT INTO ")
	t.tableName(n.Table)
	if len(n.Columns) > 0 {
		t.write(" (")
		each(t, n.Columns, ", ", func(c sqlparser.ColIdent) { t.write(quoteName(c.String())) })
		t.write(")")
	}
	t.write(" ")
	switch rows := n.Rows.(type) {
	case sqlparser.Values:
		t.write("VALUES ")
		each(t, rows, ", ", func(row sqlparser.ValTuple) {
			t.write("(")
			each(t, row, ", ", func(e sqlparser.Expr) { t.expr(e) })
			t.write(")")
		})
	case sqlparser.SelectStatement:
		t.query(rows)
	default:
		t.unknown = true
	}
}

// single gives the table of UPDATE and DELETE, of which ClickHouse takes one.
func (t *translator) single(list sqlparser.TableExprs, more bool) {
	if more {
		t.refuse("ORDER BY or LIMIT of UPDATE and DELETE")
	}
	if len(list) == 1 {
		if a, ok := list[0].(*sqlparser.AliasedTableExpr); ok && a.As.IsEmpty() {
			if name, ok := a.Expr.(sqlparser.TableName); ok {
				t.tableName(name)
				return
			}
		}
	}
	t.refuse("UPDATE or DELETE of several tables")
}

func (t *translator) update(n *sqlparser.Update) {
	t.write("UPDATE ")
	t.single(n.TableExprs, len(n.OrderBy) > 0 || n.Limit != nil)
	t.write(" SET ")
	each(t, n.Exprs, ", ", func(u *sqlparser.UpdateExpr) {
		t.write(quoteName(u.Name.Name.String()), " = ")
		t.expr(u.Expr)
	})
	if n.Where == nil {
		t.write(" WHERE 1")
	}
	t.where(" WHERE ", n.Where)
}

func (t *translator) delete(n *sqlparser.Delete) {
	if len(n.Targets) > 0 || len(n.Partitions) > 0 {
		t.refuse("DELETE of several tables")
	}
	t.write("DELETE FROM ")
	t.single(n.TableExprs, len(n.OrderBy) > 0 || n.Limit != nil)
	if n.Where == nil {
		t.write(" WHERE 1")
	}
	t.where(" WHERE ", n.Where)
}

var ifNotExists = regexp.MustCompile(`(?is)^CREATE\s+TABLE\s+IF\s+NOT\s+EXISTS\b`)

// ddl is CREATE TABLE in MySQL's types. Keys say how rows are ordered; what
// else MySQL hangs on a table is left out.
func (t *translator) ddl(n *sqlparser.DDL) {
	if n.Action != sqlparser.CreateStr || n.TableSpec == nil {
		t.unknown = true
		return
	}
	t.write("CREATE TABLE ")
	if ifNotExists.MatchString(t.source) {
		t.write("IF NOT EXISTS ")
	}
	t.tableName(n.NewName)
	t.write(" (")
	each(t, n.TableSpec.Columns, ", ", t.column)
	t.write(") ENGINE = MergeTree ORDER BY ")
	for _, x := range n.TableSpec.Indexes {
		if x.Info.Primary {
			t.write("(")
			each(t, x.Columns, ", ", func(c *sqlparser.IndexColumn) { t.write(quoteName(c.Column.String())) })
			t.write(")")
			return
		}
	}
	t.write("tuple()")
}

func (t *translator) column(n *sqlparser.ColumnDefinition) {
	kind, ok := columnType(&n.Type)
	if !ok {
		t.refuse("The column type " + n.Type.Type)
	}
	t.write(quoteName(n.Name.String()), " ", kind)
	if d := n.Type.Default; d != nil && !strings.EqualFold(string(d.Val), "null") {
		t.write(" DEFAULT ")
		if strings.EqualFold(string(d.Val), "current_timestamp") {
			t.write("now()")
		} else {
			t.expr(d)
		}
	}
	if c := n.Type.Comment; c != nil {
		t.write(" COMMENT ", ast.QuoteString(string(c.Val)))
	}
}
