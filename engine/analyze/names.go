package analyze

import (
	"context"
	"math"
	"strconv"
	"strings"

	"lakeserver/engine/ast"
	"lakeserver/types"
)

// nameOf gives the name that ClickHouse gives the result column of e: the
// alias, or the expression in function form.
func (sc *scope) nameOf(e ast.Expr) string {
	n := ast.Namer{Name: sc.leafName}
	return n.ColumnName(e)
}

// leafName names what depends on what names mean here.
func (sc *scope) leafName(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Aliased:
		n, err := sc.aliasName(e)
		return n, err == nil
	case *ast.Identifier:
		return sc.identifierName(e), true
	case *ast.Subquery:
		return sc.subqueryName(e.Query), true
	case *ast.QueryParam:
		return sc.paramName(e), true
	case *ast.Asterisk, *ast.Columns:
		items, err := sc.matcher(context.Background(), e) // names wait for nothing
		if err != nil {
			return "", false
		}
		out := make([]string, len(items))
		for i := range items {
			out[i] = items[i].name
		}
		return strings.Join(out, ", "), true
	case *ast.Function:
		if e.Name == "countIf" && len(e.Args) == 2 {
			if s, ok := e.Args[0].(*ast.Asterisk); ok && len(s.Transformers) == 0 {
				return "countIf(" + sc.nameOf(e.Args[1]) + ")", true
			}
		}
		if e.Name == "exists" && len(e.Args) == 1 {
			if q, ok := e.Args[0].(*ast.Subquery); ok {
				return sc.existsName(q), true
			}
		}
	}
	return "", false
}

// identifierName leaves the qualifier off where the bare name means the same
// column.
func (sc *scope) identifierName(x *ast.Identifier) string {
	parts, err := sc.parts(x)
	if err != nil || len(parts) == 0 {
		return ""
	}
	whole := strings.Join(parts, ".")
	if len(parts) == 1 {
		return whole
	}
	for s := sc; s != nil; s = s.parent {
		if s.rel == nil {
			continue
		}
		c, rest, err := s.rel.find(parts, true)
		if c == nil || err != nil {
			continue
		}
		name := s.columnName(c)
		if len(rest) > 0 {
			name += "." + strings.Join(rest, ".")
		}
		return name
	}
	return whole
}

// columnName qualifies a column's name where the bare one means another.
func (sc *scope) columnName(c *relCol) string {
	for i := range sc.rel.using {
		if u := &sc.rel.using[i]; u.name == c.name {
			if contains(u.bare, c.id) {
				return c.name
			}
			return c.src.qualified(c.name)
		}
	}
	// The bare name is the alias; a table function has no name to tell them apart.
	if sc.visibleAlias(c.name) != nil && (sc.rel.joins > 0 || c.src.alias != "" || c.src.database != "" && c.src.database != "_table_function") {
		return c.src.qualified(c.name)
	}
	other, rest, err := sc.rel.find([]string{c.name}, sc.setting("single_join_prefer_left_table"))
	if err == nil && other == c && len(rest) == 0 {
		return c.name
	}
	return c.src.qualified(c.name)
}

func contains(ids []int, id int) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

func (s *source) qualified(name string) string {
	switch {
	case s.alias != "":
		return s.alias + "." + name
	case s.table != "":
		return s.table + "." + name
	}
	return name
}

func (sc *scope) paramName(x *ast.QueryParam) string {
	v := sc.a.env.Params[x.Name]
	if x.Type == "Identifier" {
		return v
	}
	return "_CAST(" + quoted(v) + ", " + quoted(x.Type) + ")"
}

// subqueryName numbers subqueries in the order in which they are named.
func (sc *scope) subqueryName(q ast.Query) string {
	n, ok := sc.a.subqueries[q]
	if !ok {
		sc.a.numbered++
		n = sc.a.numbered
		sc.a.subqueries[q] = n
	}
	return "_subquery_" + strconv.Itoa(n)
}

func elementName(t *types.Type, i int) string {
	if n := t.Names(); n != nil {
		return n[i]
	}
	return strconv.Itoa(i + 1)
}

func literalName(l *ast.Literal) string {
	switch l.Kind {
	case ast.Null:
		return "NULL"
	case ast.Bool:
		if l.Uint != 0 {
			return "true"
		}
		return "false"
	case ast.Uint:
		return strconv.FormatUint(l.Uint, 10)
	case ast.Int:
		return strconv.FormatInt(l.Int, 10)
	case ast.Float:
		return floatName(l.Float)
	}
	return quoted(l.Text)
}

// floatName prints a float with the point that tells it from an integer.
func floatName(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	if e >= 21 || e < -6 {
		return mantissa + "e" + strconv.Itoa(e)
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += "."
	}
	return s
}

// quoted prints a string literal as ClickHouse does in names.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'':
			b.WriteString(`\'`)
		case '\\':
			b.WriteString(`\\`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\0`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
