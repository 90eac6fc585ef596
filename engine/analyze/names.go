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
func (sc *scope) nameOf(e ast.Expr) string { // long: one case a node
	switch e := e.(type) {
	case *ast.Aliased:
		n, _ := sc.aliasName(e)
		return n
	case *ast.Identifier:
		return sc.identifierName(e)
	case *ast.Literal:
		return literalName(e)
	case *ast.Subquery:
		return sc.subqueryName(e.Query)
	case *ast.Lambda:
		return "lambda(tuple(" + strings.Join(e.Params, ", ") + "), " + sc.nameOf(e.Body) + ")"
	case *ast.QueryParam:
		return sc.paramName(e)
	case *ast.Function:
		return sc.functionName(e)
	case *ast.Asterisk:
		return "*"
	}
	return ""
}

func (sc *scope) functionName(f *ast.Function) string {
	name := f.Name
	args := make([]string, 0, len(f.Args)+1)
	for _, a := range f.Args {
		args = append(args, sc.argNames(a)...)
	}
	switch {
	case f.Name == "array" && !f.HasParams:
		return "[" + strings.Join(args, ", ") + "]"
	case f.Name == "tuple" && !f.HasParams:
		return "(" + strings.Join(args, ", ") + ")"
	case f.Name == "exists" && len(f.Args) == 1:
		if q, ok := f.Args[0].(*ast.Subquery); ok {
			return sc.existsName(q)
		}
	case f.Name == "untuple":
		return name + "(" + strings.Join(args, ", ") + ")"
	}
	if len(args) == 1 && args[0] == "*" {
		args = nil
	}
	if f.Distinct {
		name += "Distinct"
	}
	if f.Filter != nil {
		name += "If"
		args = append(args, sc.nameOf(f.Filter))
	}
	if f.HasParams || len(f.Params) > 0 {
		p := make([]string, len(f.Params))
		for i := range p {
			p[i] = sc.nameOf(f.Params[i])
		}
		name += "(" + strings.Join(p, ", ") + ")"
	}
	out := name + "(" + strings.Join(args, ", ") + ")"
	if f.Over != nil {
		out += " OVER " + sc.windowName(f.Over)
	}
	return out
}

// argNames gives the names of an argument, of which matchers have several.
func (sc *scope) argNames(a ast.Expr) []string {
	switch x := ast.Unalias(a).(type) {
	case *ast.Asterisk, *ast.Columns:
		items, err := sc.matcher(context.TODO(), x)
		if err != nil {
			return []string{"*"}
		}
		out := make([]string, len(items))
		for i := range items {
			out[i] = items[i].name
		}
		return out
	}
	return []string{sc.nameOf(a)}
}

func (sc *scope) windowName(w *ast.WindowSpec) string {
	if w.Name != "" {
		return w.Name
	}
	var parts []string
	if w.Base != "" {
		parts = append(parts, w.Base)
	}
	if len(w.PartitionBy) > 0 {
		parts = append(parts, "PARTITION BY "+strings.Join(sc.names(w.PartitionBy), ", "))
	}
	if len(w.OrderBy) > 0 {
		var o []string
		for _, k := range w.OrderBy {
			dir := " ASC"
			if k.Desc {
				dir = " DESC"
			}
			o = append(o, sc.nameOf(k.Expr)+dir+nullsName(k))
		}
		parts = append(parts, "ORDER BY "+strings.Join(o, ", "))
	}
	if w.Frame != nil {
		unit := [...]string{"ROWS", "RANGE", "GROUPS"}[w.Frame.Unit]
		parts = append(parts, unit+" BETWEEN "+sc.boundName(w.Frame.Start, w.Frame.StartOffset)+" AND "+sc.boundName(w.Frame.End, w.Frame.EndOffset))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func nullsName(k *ast.OrderItem) string {
	switch k.Nulls {
	case ast.NullsFirst:
		return " NULLS FIRST"
	case ast.NullsLast:
		return " NULLS LAST"
	}
	return ""
}

func (sc *scope) boundName(k ast.BoundKind, offset ast.Expr) string {
	switch k {
	case ast.UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case ast.UnboundedFollowing:
		return "UNBOUNDED FOLLOWING"
	case ast.Preceding:
		return sc.nameOf(offset) + " PRECEDING"
	case ast.Following:
		return sc.nameOf(offset) + " FOLLOWING"
	}
	return "CURRENT ROW"
}

func (sc *scope) names(exprs []ast.Expr) []string {
	out := make([]string, len(exprs))
	for i, e := range exprs {
		out[i] = sc.nameOf(e)
	}
	return out
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
			if r, ok := u.e.(*ref); !ok || r.id == c.id {
				if ok || contains(u.left, c.id) {
					return c.name
				}
			}
			return c.src.qualified(c.name)
		}
	}
	other, rest, err := sc.rel.find([]string{c.name}, true)
	if err == nil && other == c && rest != nil && len(rest) == 0 {
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
		n = len(sc.a.subqueries) + 1
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
	case ast.BigInt:
		return l.Big.String()
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
