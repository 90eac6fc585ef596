package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// call reads name(…), special forms among them; the name is a bare word.
func (p *parser) call(at ast.At) ast.Expr {
	t := p.cur()
	if form := specialForm(p.raw(t)); form != nil {
		if e := form(p, at); e != nil || p.failed {
			return e
		}
	}
	f := &ast.Function{At: at, Name: p.raw(t)}
	p.pos++
	return p.finishCall(f)
}

// specialForm gives the reader of a function with a grammar of its own. The
// reader stands at the name; nil from it, with nothing read, is an ordinary call.
func specialForm(name string) func(*parser, ast.At) ast.Expr {
	var b [16]byte
	if len(name) > len(b) {
		return nil
	}
	for i := range len(name) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	switch string(b[:len(name)]) {
	case "cast":
		return (*parser).cast
	case "case":
		return func(p *parser, at ast.At) ast.Expr { return p.caseForm(at) }
	case "extract":
		return (*parser).extract
	case "substring":
		return (*parser).substring
	case "position":
		return (*parser).position
	case "overlay":
		return (*parser).overlay
	case "trim":
		return func(p *parser, at ast.At) ast.Expr { return p.trim(at, "trimBoth") }
	case "ltrim":
		return func(p *parser, at ast.At) ast.Expr { return p.trim(at, "trimLeft") }
	case "rtrim":
		return func(p *parser, at ast.At) ast.Expr { return p.trim(at, "trimRight") }
	case "exists":
		return (*parser).exists
	case "interval":
		return (*parser).interval
	case "columns":
		return func(p *parser, at ast.At) ast.Expr { return p.columns(at, nil) }
	case "date_add", "dateadd", "timestampadd", "timestamp_add":
		return func(p *parser, at ast.At) ast.Expr { return p.dateShift(at, "plus") }
	case "date_sub", "datesub", "timestampsub", "timestamp_sub":
		return func(p *parser, at ast.At) ast.Expr { return p.dateShift(at, "minus") }
	case "datediff", "date_diff", "timestampdiff", "timestamp_diff":
		return (*parser).dateDiff
	}
	return nil
}

// finishCall reads the brackets and all that may follow them.
func (p *parser) finishCall(f *ast.Function) ast.Expr {
	distinct := p.arguments(f)
	if p.at('(') {
		f.Params, f.HasParams, f.Args = f.Args, true, nil
		distinct = p.arguments(f)
	}
	if distinct {
		f.Name += "Distinct"
	}
	if strings.EqualFold(f.Name, "grouping") {
		f.Name = "grouping"
	}
	p.afterCall(f)
	return asLambda(f)
}

// arguments reads (…) into Args; true is DISTINCT before them.
func (p *parser) arguments(f *ast.Function) bool {
	p.expect('(')
	distinct := false
	switch {
	case p.isWord(0, "DISTINCT") && !p.notOperand(1):
		p.pos++
		distinct = true
	case p.isWord(0, "ALL") && !p.notOperand(1):
		p.pos++
	}
	if p.accept(')') {
		return distinct
	}
	if p.queryHere(0) && isViewFunction(f.Name) {
		at := p.place()
		f.Args = []ast.Expr{&ast.Subquery{At: at, Query: p.query()}}
	} else {
		f.Args = p.callArguments(f)
	}
	p.expect(')')
	return distinct
}

// callArguments reads the arguments; SETTINGS at their end belongs to a table
// function.
func (p *parser) callArguments(f *ast.Function) []ast.Expr {
	var out []ast.Expr
	for {
		if p.isWord(0, "SETTINGS") && p.isName(1) && p.peek(2).kind == tEquals {
			p.pos++
			f.Settings = p.settings()
			return out
		}
		out = p.element(out)
		if !p.accept(',') {
			if p.isWord(0, "SETTINGS") && p.isName(1) {
				continue
			}
			return out
		}
	}
}

// mergeLambda makes one lambda of f(a, b -> body): all arguments before the
// arrow are its parameters, and must be names.
func (p *parser) mergeLambda(before []ast.Expr, e ast.Expr) []ast.Expr {
	outer := e
	if a, ok := e.(*ast.Aliased); ok {
		outer = a.Expr
	}
	l, ok := outer.(*ast.Lambda)
	names, all := simpleNames(before)
	if !ok || !all {
		p.fail("lambda arguments")
		return nil
	}
	l.Params = append(names, l.Params...)
	return []ast.Expr{e}
}

// simpleNames gives the names if all the expressions are names without dots.
func simpleNames(es []ast.Expr) ([]string, bool) {
	var names []string
	for _, e := range es {
		id, ok := e.(*ast.Identifier)
		if !ok || len(id.Parts) != 1 || id.Params != nil {
			return nil, false
		}
		names = append(names, id.Parts[0])
	}
	return names, true
}

// asLambda is the call lambda(tuple(x, y), body), which is (x, y) -> body.
func asLambda(f *ast.Function) ast.Expr {
	if f.Name != "lambda" || len(f.Args) != 2 || f.HasParams {
		return f
	}
	t, ok := f.Args[0].(*ast.Function)
	if !ok || t.Name != "tuple" {
		return f
	}
	names, all := simpleNames(t.Args)
	if !all {
		return f
	}
	return &ast.Lambda{At: f.At, Params: names, Body: f.Args[1]}
}

// argument is an argument of a special form, where an alias needs no AS.
func (p *parser) argument() ast.Expr {
	at := p.place()
	e := p.exprAs()
	if _, has := e.(*ast.Aliased); !has && p.bareAlias() && !p.isWord(0, "FOR") && !p.isWord(0, "PLACING") {
		return &ast.Aliased{At: at, Expr: e, Alias: p.ident()}
	}
	return e
}

// bareArguments reads (…) of such a form into Args.
func (p *parser) bareArguments(f *ast.Function) {
	f.Args = parens(p, p.argument)
}

func isViewFunction(name string) bool {
	return strings.EqualFold(name, "view") || strings.EqualFold(name, "viewIfPermitted")
}

// afterCall reads FILTER, RESPECT or IGNORE NULLS, and OVER.
func (p *parser) afterCall(f *ast.Function) {
	if p.isWord(0, "FILTER") && p.peek(1).kind == '(' && p.isWord(2, "WHERE") {
		p.pos += 3
		f.Name += "If"
		f.Args = append(f.Args, p.expr())
		p.expect(')')
	}
	switch {
	case p.word("RESPECT NULLS"):
		f.Nulls = ast.NullsRespect
	case p.word("IGNORE NULLS"):
		f.Nulls = ast.NullsIgnore
	}
	if p.isWord(0, "OVER") && (p.peek(1).kind == '(' || p.isName(1)) {
		p.pos++
		f.Over = p.window()
	}
}

// window reads a window's name or its definition in brackets.
func (p *parser) window() *ast.WindowSpec {
	w := &ast.WindowSpec{At: p.place()}
	if p.isName(0) {
		w.Name = p.ident()
		return w
	}
	p.expect('(')
	if p.isName(0) && !p.isWords("PARTITION", "BY") && !p.isWords("ORDER", "BY") && p.frameUnit() == "" {
		w.Base = p.ident()
	}
	if p.word("PARTITION BY") {
		w.PartitionBy = p.exprs()
	}
	if p.word("ORDER BY") {
		w.OrderBy = list(p, p.orderItem)
	}
	w.Frame = p.frame()
	p.expect(')')
	return w
}

func (p *parser) frameUnit() string {
	for _, u := range [...]string{"ROWS", "RANGE", "GROUPS"} {
		if p.isWord(0, u) && p.peek(1).kind != ')' {
			return u
		}
	}
	return ""
}

func (p *parser) frame() *ast.Frame {
	f := &ast.Frame{At: p.place()}
	switch p.frameUnit() {
	case "ROWS":
		f.Unit = ast.Rows
	case "RANGE":
		f.Unit = ast.Range
	case "GROUPS":
		f.Unit = ast.Groups
	default:
		return nil
	}
	p.pos++
	if p.word("BETWEEN") {
		f.Start, f.StartOffset = p.bound()
		p.mustWord("AND")
		f.End, f.EndOffset = p.bound()
		return f
	}
	f.Start, f.StartOffset = p.bound()
	return f
}

func (p *parser) bound() (ast.BoundKind, ast.Expr) {
	switch {
	case p.word("CURRENT ROW"):
		return ast.CurrentRow, nil
	case p.word("UNBOUNDED PRECEDING"):
		return ast.UnboundedPreceding, nil
	case p.word("UNBOUNDED FOLLOWING"):
		return ast.UnboundedFollowing, nil
	}
	e := p.binary(bindBetween)
	if p.word("PRECEDING") {
		return ast.Preceding, e
	}
	p.mustWord("FOLLOWING")
	return ast.Following, e
}

// cast is CAST(e AS Type) and CAST(e, type); an alias may precede both.
func (p *parser) cast(at ast.At) ast.Expr {
	p.pos += 2
	eat := p.place()
	e := p.expr()
	if p.isWord(0, "AS") {
		m := p.mark()
		p.pos++
		tat := p.place()
		if typ := p.typeName(); !p.failed && p.accept(')') {
			return castTo(at, e, &ast.Literal{At: tat, Kind: ast.String, Text: typ})
		}
		p.reset(m)
		p.pos++
		e = &ast.Aliased{At: eat, Expr: e, Alias: p.ident()}
	} else if !p.at(',') && p.bareAlias() {
		e = &ast.Aliased{At: eat, Expr: e, Alias: p.ident()}
	}
	var typ ast.Expr
	if p.word("AS") {
		tat := p.place()
		typ = &ast.Literal{At: tat, Kind: ast.String, Text: p.typeName()}
	} else {
		p.expect(',')
		typ = p.argument()
	}
	p.expect(')')
	return castTo(at, e, typ)
}

func castTo(at ast.At, e, typ ast.Expr) ast.Expr {
	return &ast.Function{At: at, Name: "CAST", Args: []ast.Expr{e, typ}}
}

// caseForm is CASE [x] WHEN … THEN … [ELSE …] END, as multiIf or caseWithExpression.
func (p *parser) caseForm(at ast.At) ast.Expr {
	p.pos++
	f := &ast.Function{At: at, Name: "multiIf", Operator: true}
	if !p.isWord(0, "WHEN") {
		f.Name = "caseWithExpression"
		f.Args = append(f.Args, p.exprAs())
	}
	p.mustWord("WHEN")
	for !p.failed {
		f.Args = append(f.Args, p.exprAs())
		p.mustWord("THEN")
		f.Args = append(f.Args, p.exprAs())
		if !p.word("WHEN") {
			break
		}
	}
	if p.word("ELSE") {
		f.Args = append(f.Args, p.exprAs())
	} else {
		f.Args = append(f.Args, &ast.Literal{At: p.place(), Kind: ast.Null})
	}
	p.mustWord("END")
	return f
}

// exists is EXISTS (SELECT …); anything else in the brackets is refused.
func (p *parser) exists(at ast.At) ast.Expr {
	if !p.queryInParens(1) {
		p.pos += 2
		p.fail("subquery")
		return nil
	}
	p.pos++
	sat := p.place()
	q := p.parenQuery()
	return &ast.Function{At: at, Name: "exists", Args: []ast.Expr{&ast.Subquery{At: sat, Query: q}}}
}

// extract is EXTRACT(unit FROM date); otherwise a function.
func (p *parser) extract(at ast.At) ast.Expr {
	if p.peek(2).kind != tWord || !p.isWord(3, "FROM") {
		f := &ast.Function{At: at, Name: p.ident()}
		p.bareArguments(f)
		p.afterCall(f)
		return f
	}
	part := strings.ToUpper(p.raw(p.peek(2)))
	if u, ok := unitOf(part); ok {
		part = strings.ToUpper(u)
	}
	p.pos += 4
	arg := p.argument()
	p.expect(')')
	call := func(name string, args ...ast.Expr) ast.Expr {
		return &ast.Function{At: at, Name: name, Args: args}
	}
	year := func() ast.Expr { return call("__toYearCalendarOnly", arg) }
	number := ast.NewUint
	switch part {
	case "EPOCH":
		return call("toUnixTimestamp", arg)
	case "DOW":
		return call("toDayOfWeek", arg, number(2))
	case "ISODOW":
		return call("toDayOfWeek", arg)
	case "DOY":
		return call("toDayOfYear", arg)
	case "DAY":
		return call("toDayOfMonth", arg)
	case "WEEK":
		return call("toISOWeek", arg)
	case "ISOYEAR":
		return call("toISOYear", arg)
	case "DECADE":
		return call("intDiv", year(), number(10))
	case "CENTURY":
		return call("plus", call("intDiv", call("minus", year(), number(1)), number(100)), number(1))
	case "MILLENNIUM":
		return call("plus", call("intDiv", call("minus", year(), number(1)), number(1000)), number(1))
	case "SECOND", "MINUTE", "HOUR", "MONTH", "QUARTER", "YEAR", "MILLISECOND", "MICROSECOND", "NANOSECOND":
		return call("to"+part[:1]+strings.ToLower(part[1:]), arg)
	}
	p.fail("interval kind")
	return nil
}

// substring is SUBSTRING(s FROM a [FOR b]) and SUBSTRING(s, a, b).
func (p *parser) substring(at ast.At) ast.Expr {
	p.pos += 2
	f := &ast.Function{At: at, Name: "substring"}
	if p.accept(')') {
		return f
	}
	f.Args = append(f.Args, p.argument())
	for _, w := range [...]string{"FROM", "FOR"} {
		if !p.word(w) && !p.accept(',') {
			break
		}
		f.Args = append(f.Args, p.argument())
	}
	for p.accept(',') { // too many arguments are the analyzer's business
		f.Args = append(f.Args, p.argument())
	}
	p.expect(')')
	return f
}

// overlay is OVERLAY(s PLACING r FROM a [FOR n]) and overlay(s, r, a, n).
func (p *parser) overlay(at ast.At) ast.Expr {
	p.pos += 2
	f := &ast.Function{At: at, Name: "overlay"}
	if p.accept(')') {
		return f
	}
	f.Args = append(f.Args, p.argument())
	for _, w := range [...]string{"PLACING", "FROM", "FOR"} {
		if !p.word(w) && !p.accept(',') {
			break
		}
		f.Args = append(f.Args, p.argument())
	}
	for p.accept(',') {
		f.Args = append(f.Args, p.argument())
	}
	p.expect(')')
	return f
}

// position is POSITION(needle IN haystack) and position(haystack, needle).
func (p *parser) position(at ast.At) ast.Expr {
	f := &ast.Function{At: at, Name: p.raw(p.cur())}
	p.pos++
	p.bareArguments(f)
	if strings.EqualFold(f.Name, "position") {
		f.Name = "position"
	}
	if len(f.Args) == 1 {
		if in, ok := f.Args[0].(*ast.Function); ok && in.Name == "in" && in.Operator {
			f.Args = []ast.Expr{in.Args[1], in.Args[0]}
		}
	}
	return f
}

// trim is TRIM([BOTH|LEADING|TRAILING] [chars] FROM s) and trim(s [, chars]).
func (p *parser) trim(at ast.At, name string) ast.Expr {
	p.pos += 2
	f := &ast.Function{At: at, Name: name}
	side := ""
	if !p.notOperand(1) || p.isWord(1, "FROM") {
		side = p.oneOf("BOTH", "LEADING", "TRAILING")
	}
	switch side {
	case "LEADING":
		f.Name = "trimLeft"
	case "TRAILING":
		f.Name = "trimRight"
	case "BOTH":
		f.Name = "trimBoth"
	}
	if p.accept(')') {
		return f
	}
	if side == "" {
		f.Args = list(p, p.argument)
		p.expect(')')
		return f
	}
	chars := p.argument()
	p.mustWord("FROM")
	f.Args = []ast.Expr{p.argument(), chars}
	p.expect(')')
	return f
}
