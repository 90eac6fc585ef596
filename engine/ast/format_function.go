package ast

import "strings"

// operatorSign gives the sign of a binary operator, or "".
func operatorSign(name string) string {
	switch name {
	case "plus":
		return " + "
	case "minus":
		return " - "
	case "multiply":
		return " * "
	case "divide":
		return " / "
	case "modulo":
		return " % "
	case "intDiv":
		return " DIV "
	case "and":
		return " AND "
	case "or":
		return " OR "
	case "concat":
		return " || "
	case "equals":
		return " = "
	case "notEquals":
		return " != "
	case "less":
		return " < "
	case "greater":
		return " > "
	case "lessOrEquals":
		return " <= "
	case "greaterOrEquals":
		return " >= "
	case "like":
		return " LIKE "
	case "notLike":
		return " NOT LIKE "
	case "ilike":
		return " ILIKE "
	case "notILike":
		return " NOT ILIKE "
	case "match":
		return " REGEXP "
	case "in":
		return " IN "
	case "notIn":
		return " NOT IN "
	case "globalIn":
		return " GLOBAL IN "
	case "globalNotIn":
		return " GLOBAL NOT IN "
	case "isDistinctFrom":
		return " IS DISTINCT FROM "
	case "isNotDistinctFrom":
		return " IS NOT DISTINCT FROM "
	}
	return ""
}

// infix tells whether the call prints with an operator that needs brackets
// inside a greater expression.
func (n *Function) infix() bool {
	if !n.Operator {
		return false
	}
	switch n.Name {
	case "array", "tuple", "map", "multiIf", "caseWithExpression", "arrayElement", "tupleElement", "CAST":
		return false
	}
	return true
}

func (n *Function) format(p *printer) {
	if n.Operator && n.formatOperator(p) {
		return
	}
	p.s(funcName(n.Name))
	if n.HasParams {
		p.s("(")
		p.items(n.Params)
		p.s(")")
	}
	if n.NoArgs {
		return
	}
	p.s("(")
	n.formatArgs(p)
	p.s(")")
	switch n.Nulls {
	case NullsRespect:
		p.s(" RESPECT NULLS")
	case NullsIgnore:
		p.s(" IGNORE NULLS")
	}
	if n.Over != nil {
		p.s(" OVER ")
		n.Over.format(p)
	}
}

func (n *Function) formatArgs(p *printer) {
	if len(n.Args) == 1 {
		if q, ok := n.Args[0].(*Subquery); ok && takesQuery(n.Name) {
			q.Query.format(p)
			return
		}
	}
	p.items(n.Args)
	if len(n.Settings) > 0 {
		p.when(len(n.Args) > 0, ", ")
		p.s("SETTINGS ")
		nodes(p, n.Settings)
	}
}

// takesQuery tells whether a function's brackets hold a query itself.
func takesQuery(name string) bool {
	return name == "exists" || strings.EqualFold(name, "view") || strings.EqualFold(name, "viewIfPermitted")
}

// funcName quotes what would not read as a call of that name.
func funcName(s string) string {
	if !isBare(s) {
		return string(appendQuoted(nil, s, '`'))
	}
	if len(s) > 14 {
		return s
	}
	switch l := strings.ToLower(s); l {
	case "cast":
		if s == "CAST" {
			return s
		}
	case "substring", "position", "overlay":
		if s == l {
			return s
		}
	case "datediff":
		if s == "dateDiff" {
			return s
		}
	case "case", "columns", "trim", "ltrim", "rtrim", "not", "date_add", "dateadd", "timestampadd", "timestamp_add", "date_sub",
		"datesub", "timestampsub", "timestamp_sub", "date_diff", "timestampdiff", "timestamp_diff", "exists", "distinct":
		if s == "exists" {
			return s
		}
	default:
		return s
	}
	return string(appendQuoted(nil, s, '`'))
}

// formatOperator prints by signs; false where the shape does not fit one.
func (n *Function) formatOperator(p *printer) bool { // long: one case for each form
	a := n.Args
	switch n.Name {
	case "array":
		p.s("[")
		p.items(a)
		p.s("]")
	case "tuple":
		p.s("(")
		p.items(a)
		p.when(len(a) == 1, ",")
		p.s(")")
	case "map":
		p.s("{")
		for i := 0; i+1 < len(a); i += 2 {
			p.when(i > 0, ", ")
			p.expr(a[i])
			p.s(": ")
			p.expr(a[i+1])
		}
		p.s("}")
	case "not":
		if len(a) != 1 {
			return false
		}
		p.s("NOT ")
		p.operand(a[0])
	case "negate":
		if len(a) != 1 {
			return false
		}
		p.s("-")
		if id, ok := a[0].(*Identifier); ok {
			id.format(p)
		} else {
			p.s("(")
			p.item(a[0])
			p.s(")")
		}
	case "isNull", "isNotNull":
		if len(a) != 1 {
			return false
		}
		p.operand(a[0])
		if n.Name == "isNull" {
			p.s(" IS NULL")
		} else {
			p.s(" IS NOT NULL")
		}
	case "multiIf", "caseWithExpression":
		return n.formatCase(p)
	case "if":
		if len(a) != 3 {
			return false
		}
		p.operand(a[0])
		p.s(" ? ")
		p.operand(a[1])
		p.s(" : ")
		p.operand(a[2])
	case "arrayElement", "tupleElement", "CAST":
		return n.formatAccess(p)
	default:
		return n.formatBinary(p)
	}
	return true
}

func (n *Function) formatBinary(p *printer) bool {
	sign, a := operatorSign(n.Name), n.Args
	if sign == "" || len(a) < 2 {
		return false
	}
	like := len(a) == 3 && strings.HasSuffix(strings.ToLower(n.Name), "like")
	chain := n.Name == "and" || n.Name == "or" || n.Name == "concat"
	if len(a) > 2 && !like && !chain {
		return false
	}
	for i, x := range a {
		switch {
		case i == 2 && like:
			p.s(" ESCAPE ")
		case i > 0:
			p.s(sign)
		}
		p.operand(x)
	}
	return true
}

func (n *Function) formatCase(p *printer) bool {
	a := n.Args
	p.s("CASE")
	if n.Name == "caseWithExpression" {
		if len(a) < 4 {
			return false
		}
		p.s(" ")
		p.item(a[0])
		a = a[1:]
	}
	for ; len(a) > 1; a = a[2:] {
		p.s(" WHEN ")
		p.item(a[0])
		p.s(" THEN ")
		p.item(a[1])
	}
	if len(a) == 1 {
		p.s(" ELSE ")
		p.item(a[0])
	}
	p.s(" END")
	return true
}

// formatAccess prints x[i], x.1 and x::Type.
func (n *Function) formatAccess(p *printer) bool {
	if len(n.Args) != 2 {
		return false
	}
	x := n.Args[0]
	l, isLiteral := n.Args[1].(*Literal)
	switch n.Name {
	case "arrayElement":
		if id, ok := x.(*Identifier); ok {
			id.format(p)
		} else {
			p.atom(x)
		}
		p.s("[")
		p.item(n.Args[1])
		p.s("]")
		return true
	case "tupleElement":
		if !isLiteral || l.Kind == Null || l.Kind == Bool || l.Kind == Float {
			return false
		}
		if id, ok := x.(*Identifier); ok && l.Kind != String {
			id.format(p)
		} else {
			p.atom(x)
		}
		p.s(".")
		if l.Kind == String {
			p.name(l.Text)
		} else {
			l.format(p)
		}
		return true
	}
	if !isLiteral || l.Kind != String {
		return false
	}
	switch v := x.(type) {
	case *Identifier:
		v.format(p)
	case *Literal:
		if v.Kind == String || v.Kind == Null || v.Kind == Bool {
			v.format(p)
		} else {
			p.atom(v)
		}
	default:
		p.atom(x)
	}
	p.s("::")
	p.s(l.Text)
	return true
}
