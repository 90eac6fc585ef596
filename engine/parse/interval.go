package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// unitOf gives the interval unit that a word means, as in toIntervalDay.
func unitOf(w string) (string, bool) {
	switch strings.ToUpper(w) {
	case "NANOSECOND", "NANOSECONDS", "SQL_TSI_NANOSECOND", "NS":
		return "Nanosecond", true
	case "MICROSECOND", "MICROSECONDS", "SQL_TSI_MICROSECOND", "MCS", "US":
		return "Microsecond", true
	case "MILLISECOND", "MILLISECONDS", "SQL_TSI_MILLISECOND", "MS":
		return "Millisecond", true
	case "SECOND", "SECONDS", "SQL_TSI_SECOND", "SS", "S":
		return "Second", true
	case "MINUTE", "MINUTES", "SQL_TSI_MINUTE", "MI", "N":
		return "Minute", true
	case "HOUR", "HOURS", "SQL_TSI_HOUR", "HH", "H":
		return "Hour", true
	case "DAY", "DAYS", "SQL_TSI_DAY", "DD", "D":
		return "Day", true
	case "WEEK", "WEEKS", "SQL_TSI_WEEK", "WW", "WK":
		return "Week", true
	case "MONTH", "MONTHS", "SQL_TSI_MONTH", "MM", "M":
		return "Month", true
	case "QUARTER", "QUARTERS", "SQL_TSI_QUARTER", "QQ", "Q":
		return "Quarter", true
	case "YEAR", "YEARS", "SQL_TSI_YEAR", "YYYY", "YY":
		return "Year", true
	}
	return "", false
}

// unit takes a unit's word, or gives "".
func (p *parser) unit() string {
	if p.at(tWord) {
		if u, ok := unitOf(p.raw(p.cur())); ok {
			p.pos++
			return u
		}
	}
	p.want(0, "interval kind")
	return ""
}

// interval is INTERVAL n unit, INTERVAL '1 day 2 hours' and INTERVAL '1-2' YEAR
// TO MONTH. Where it is none of these, nothing is read: interval is a name then.
func (p *parser) interval(at ast.At) ast.Expr {
	m := p.mark()
	p.pos++
	if p.atString() {
		if e := p.intervalString(at); e != nil {
			return e
		}
		p.reset(m)
		p.pos++
	}
	n := p.expr()
	if u := p.unit(); u != "" && !p.failed {
		return toInterval(at, u, n)
	}
	p.reset(m)
	return nil
}

func toInterval(at ast.At, unit string, n ast.Expr) ast.Expr {
	return &ast.Function{At: at, Name: "toInterval" + unit, Args: []ast.Expr{n}}
}

func (p *parser) intervalString(at ast.At) ast.Expr {
	text := p.str()
	if u := p.unit(); u != "" {
		if !p.isWord(0, "TO") {
			return toInterval(at, u, ast.NewString(text))
		}
		p.pos++
		return p.intervalRange(at, text, u, p.unit())
	}
	words := strings.Fields(text)
	if len(words) == 0 || len(words)%2 != 0 {
		return nil
	}
	var parts []ast.Expr
	for i := 0; i < len(words); i += 2 {
		n, ok := signedNumber(words[i])
		u, known := unitOf(words[i+1])
		if !ok || !known {
			return nil
		}
		n.At = at
		parts = append(parts, toInterval(at, u, n))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &ast.Function{At: at, Name: "tuple", Args: parts, Operator: true}
}

func signedNumber(s string) (*ast.Literal, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" || !isDigit(digits[0]) {
		return nil, false
	}
	return number(digits, negative)
}

// intervalRange is '1-2' YEAR TO MONTH, '1 2:3:4' DAY TO SECOND and between.
func (p *parser) intervalRange(at ast.At, text, from, to string) ast.Expr {
	units := []string{"Year", "Month"}
	if from != "Year" {
		units = []string{"Day", "Hour", "Minute", "Second"}
	}
	for len(units) > 0 && units[0] != from {
		units = units[1:]
	}
	for len(units) > 0 && units[len(units)-1] != to {
		units = units[:len(units)-1]
	}
	body, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	fields := strings.FieldsFunc(body, func(r rune) bool { return r == '-' || r == ':' || r == ' ' })
	if len(units) == 0 || len(fields) != len(units) {
		return nil
	}
	tuple := &ast.Function{At: at, Name: "tuple", Operator: true}
	for i, u := range units {
		if !isDigit(fields[i][0]) {
			return nil
		}
		n, ok := number(fields[i], negative)
		if !ok {
			return nil
		}
		tuple.Args = append(tuple.Args, toInterval(at, u, n))
	}
	return tuple
}

// dateShift is DATE_ADD(unit, n, date) and date_add(a, b), both as plus.
func (p *parser) dateShift(at ast.At, name string) ast.Expr {
	m := p.mark()
	p.pos += 2
	if u := p.unit(); u != "" && p.accept(',') {
		n := p.argument()
		if p.accept(',') {
			date := p.argument()
			p.expect(')')
			return &ast.Function{At: at, Name: name, Args: []ast.Expr{date, toInterval(at, u, n)}}
		}
	}
	p.reset(m)
	f := &ast.Function{At: at, Name: name}
	p.pos++
	p.bareArguments(f)
	return f
}

// dateDiff is DATEDIFF(unit, a, b); the unit may be a bare word.
func (p *parser) dateDiff(at ast.At) ast.Expr {
	m := p.mark()
	p.pos += 2
	f := &ast.Function{At: at, Name: "dateDiff"}
	if u := p.unit(); u != "" && p.accept(',') {
		f.Args = append(f.Args, &ast.Literal{At: at, Kind: ast.String, Text: strings.ToLower(u)})
		f.Args = append(f.Args, list(p, p.argument)...)
		p.expect(')')
		return f
	}
	p.reset(m)
	p.pos++
	p.bareArguments(f)
	return f
}

// quantified is a comparison with ANY or ALL of a subquery, as ClickHouse's
// parser rewrites it; nil when there is none.
func (p *parser) quantified(left ast.Expr, op string, at ast.At) ast.Expr {
	all := p.isWord(0, "ALL")
	if !all && !p.isWord(0, "ANY") || p.peek(1).kind != '(' || !p.queryInParens(1) {
		return nil
	}
	p.pos++
	qat := p.place()
	q := p.parenQuery()
	set := &ast.Subquery{At: qat, Query: q}
	call := func(name string, x ast.Expr) ast.Expr {
		return &ast.Function{At: at, Name: name, Args: []ast.Expr{left, x}, Operator: true}
	}
	over := func(aggregate string) ast.Expr {
		return &ast.Subquery{At: qat, Query: &ast.Select{
			At:      qat,
			Columns: []ast.Expr{&ast.Function{At: qat, Name: aggregate, Args: []ast.Expr{&ast.Asterisk{At: qat}}}},
			From:    &ast.TableExpr{At: qat, Query: q},
		}}
	}
	switch op {
	case "equals":
		if all {
			return call("in", over("singleValueOrNull"))
		}
		return call("in", set)
	case "notEquals":
		if all {
			return call("notIn", set)
		}
		return call("notIn", over("singleValueOrNull"))
	case "less", "lessOrEquals":
		if all {
			return call(op, over("min"))
		}
		return call(op, over("max"))
	}
	if all {
		return call(op, over("max"))
	}
	return call(op, over("min"))
}
