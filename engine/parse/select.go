package parse

import (
	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// queryHere tells whether a query begins at the k-th token: SELECT, WITH, FROM,
// or brackets around one.
func (p *parser) queryHere(k int) bool {
	t := p.peek(k)
	if t.kind == '(' {
		return p.queryInParens(k)
	}
	if t.kind != tWord {
		return false
	}
	switch {
	case p.isWord(k, "SELECT"):
		n := p.peek(k + 1)
		return n.kind != ')' && n.kind != ',' && n.kind != '.' && n.kind != tEOF
	case p.isWord(k, "WITH"), p.isWord(k, "FROM"):
		switch n := p.peek(k + 1); n.kind {
		case tWord, tQuoted, '(', tString, tNumber, '[', '{', '-', tHeredoc:
			return true
		}
	case p.isWord(k, "EXPLAIN"):
		return p.explainHere(k + 1)
	case p.isWord(k, "VALUES"):
		return p.peek(k+1).kind == '(' && k > 0
	}
	return false
}

// explainHere tells EXPLAIN from a column of that name by the token after it.
func (p *parser) explainHere(k int) bool {
	for _, w := range [...]string{
		"AST", "SYNTAX", "QUERY", "PIPELINE", "ESTIMATE", "PLAN", "TABLE", "CURRENT", "ANALYZE", "SELECT", "WITH", "INSERT",
	} {
		if p.isWord(k, w) {
			return true
		}
	}
	return p.isName(k) && p.peek(k+1).kind == tEquals || p.peek(k).kind == '(' && p.queryInParens(k)
}

// queryInParens tells whether the bracket at the k-th token opens a query. For
// several brackets in a row it looks past the inner one's end, because
// ((SELECT 1) + 1) is an expression and ((SELECT 1) UNION ALL …) is not.
func (p *parser) queryInParens(k int) bool {
	open := k
	for p.peek(open).kind == '(' {
		if open++; open-k > maxDepth {
			return false
		}
	}
	if open == k || !p.queryHere(open) {
		return false
	}
	// From the innermost bracket outwards: each but the last must be followed
	// by its own end or by a set operation.
	i := open
	for level := open - k; level > 1; level-- {
		i = p.closing(i) + 1
		if i == 0 {
			return false
		}
		t := p.peek(i)
		switch {
		case t.kind == ')':
		case p.isWord(i, "UNION"), p.isWord(i, "INTERSECT"), p.isWord(i, "EXCEPT"):
		default:
			return false
		}
	}
	return true
}

// closing gives the index (from here) of the bracket that closes the one before
// the token i, or -1.
func (p *parser) closing(i int) int {
	depth := 1
	for ; ; i++ {
		switch p.peek(i).kind {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		case tEOF:
			return -1
		}
	}
}

// parenQuery reads ( query ).
func (p *parser) parenQuery() ast.Query {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.expect('(')
	q := p.query()
	p.expect(')')
	return q
}

// query reads a tree of set operations. INTERSECT binds tighter than UNION and
// EXCEPT, which go from left to right.
func (p *parser) query() ast.Query {
	left := p.intersection()
	var run *ast.SelectUnion // the node this loop made last: only that is continued
	for !p.failed {
		at := p.place()
		op, ok := p.setOp("UNION", ast.UnionDefault)
		if !ok {
			if op, ok = p.setOp("EXCEPT", ast.ExceptDefault); !ok {
				return left
			}
		}
		right := p.intersection()
		if run != nil && run.Op == op && op <= ast.UnionDistinct {
			run.Inputs = append(run.Inputs, right)
			continue
		}
		run = &ast.SelectUnion{At: at, Op: op, Inputs: []ast.Query{left, right}}
		left = run
	}
	return left
}

func (p *parser) intersection() ast.Query {
	left := p.queryOperand()
	for !p.failed {
		at := p.place()
		op, ok := p.setOp("INTERSECT", ast.IntersectDefault)
		if !ok {
			return left
		}
		left = &ast.SelectUnion{At: at, Op: op, Inputs: []ast.Query{left, p.queryOperand()}}
	}
	return left
}

// setOp takes the word and ALL or DISTINCT after it; base is the operation
// without either, followed by those with ALL and DISTINCT.
func (p *parser) setOp(w string, base ast.SetOp) (ast.SetOp, bool) {
	if !p.word(w) {
		return 0, false
	}
	switch {
	case p.word("ALL"):
		return base + 1, true
	case p.word("DISTINCT"):
		return base + 2, true
	}
	return base, true
}

// queryOperand is one input of a set operation.
func (p *parser) queryOperand() ast.Query {
	at := p.place()
	switch {
	case p.at('('):
		return p.parenQuery()
	case p.isWord(0, "EXPLAIN"):
		e, _ := p.explain().(*ast.Explain)
		return &ast.ExplainQuery{At: at, Explain: e}
	case p.isWord(0, "VALUES") && p.peek(1).kind == '(':
		p.pos++
		f := &ast.Function{At: at, Name: "SQLStandardValues", Args: p.exprs()}
		return &ast.Select{
			At: at, Columns: []ast.Expr{&ast.Asterisk{At: at}},
			From: &ast.TableExpr{At: at, Function: f},
		}
	}
	return p.selectQuery()
}

// selectQuery reads one SELECT.
func (p *parser) selectQuery() ast.Query {
	s := &ast.Select{At: p.place()}
	if p.word("WITH") {
		p.with(s)
	}
	if p.word("FROM") {
		s.From = p.tables()
	}
	p.mustWord("SELECT")
	p.selectHead(s)
	s.Columns = p.selectList()
	if s.From == nil && p.word("FROM") {
		s.From = p.tables()
	}
	if p.word("PREWHERE") {
		s.Prewhere = p.exprAs()
	}
	if p.word("WHERE") {
		s.Where = p.exprAs()
	}
	s.GroupBy = p.groupBy()
	if p.word("HAVING") {
		s.Having = p.exprAs()
	}
	if p.word("WINDOW") {
		s.Windows = list(p, p.namedWindow)
	}
	if p.word("QUALIFY") {
		s.Qualify = p.exprAs()
	}
	p.orderBy(s)
	p.limits(s)
	if s.WithTies && s.OrderBy == nil && !s.OrderByAll {
		p.refuse(cherr.WithTiesWithoutOrderBy, "Can not use WITH TIES without ORDER BY")
	}
	if p.word("SETTINGS") {
		s.Settings = p.settings()
	}
	return s
}

// selectHead reads DISTINCT, ALL and TOP.
func (p *parser) selectHead(s *ast.Select) {
	switch {
	case p.word("DISTINCT ON"):
		p.expect('(')
		s.DistinctOn = p.exprs()
		p.expect(')')
	case p.word("DISTINCT"):
		s.Distinct = true
	case p.isWord(0, "ALL") && p.peek(1).kind != '(' && p.peek(1).kind != '.':
		p.pos++
	}
	if !p.isWord(0, "TOP") || p.peek(1).kind != tNumber && p.peek(1).kind != '(' {
		return
	}
	p.pos++
	if p.accept('(') {
		s.Limit = p.expr()
		p.expect(')')
	} else {
		at := p.place()
		if l, ok := number(p.raw(p.cur()), false); ok {
			l.At = at
			s.Limit = l
		}
		p.pos++
	}
	s.WithTies = p.word("WITH TIES")
}

// selectList reads the columns; a comma may follow the last.
func (p *parser) selectList() []ast.Expr {
	if p.isWord(0, "FROM") && p.tableHere(1) && p.peek(1).kind != '(' {
		p.fail("not empty list of expressions")
		return nil
	}
	var out []ast.Expr
	for {
		out = append(out, p.exprAlias(true))
		if !p.accept(',') || p.at(tEOF) || p.at(')') || p.at(';') {
			return out
		}
		if p.isWord(0, "FROM") && p.tableHere(1) {
			return out
		}
	}
}

// tableHere tells whether the k-th token can begin a table in FROM.
func (p *parser) tableHere(k int) bool {
	switch t := p.peek(k); t.kind {
	case tWord:
		return !p.isClauseWord(k)
	case tQuoted, tString, '(', '{':
		return true
	}
	return false
}

func (p *parser) with(s *ast.Select) {
	s.Recursive = p.isWord(0, "RECURSIVE") && p.isName(1)
	if s.Recursive {
		p.pos++
	}
	for {
		s.With = append(s.With, p.withItem())
		if !p.accept(',') {
			return
		}
		if p.isWord(0, "SELECT") && !p.notOperand(1) {
			return
		}
	}
}

func (p *parser) withItem() *ast.WithItem {
	w := &ast.WithItem{At: p.place()}
	if p.isName(0) && (p.isWord(1, "AS") || p.peek(1).kind == '(') {
		m := p.mark()
		w.Name = p.ident()
		if p.at('(') && p.isName(1) {
			w.Columns = parens(p, p.ident)
		}
		if !p.failed && p.word("AS") {
			w.Materialized = p.word("MATERIALIZED")
			if p.queryInParens(0) {
				w.Query = p.parenQuery()
				return w
			}
		}
		p.reset(m)
		w = &ast.WithItem{At: w.At}
	}
	w.Expr = p.exprAs()
	return w
}

func (p *parser) groupBy() *ast.GroupBy {
	g := &ast.GroupBy{At: p.place()}
	if p.word("GROUP BY") {
		switch {
		case p.isWord(0, "ALL") && p.peek(1).kind != '(' && p.peek(1).kind != ',':
			p.pos++
			g.Kind = ast.GroupAll
		case p.word("GROUPING SETS"):
			g.Kind = ast.GroupSets
			g.Sets = parens(p, p.groupingSet)
			if p.isWords("WITH", "ROLLUP") || p.isWords("WITH", "CUBE") {
				p.refuse(cherr.NotImplemented, "ROLLUP and CUBE are not supported together with GROUPING SETS")
			}
		case p.isWord(0, "ROLLUP") && p.peek(1).kind == '(', p.isWord(0, "CUBE") && p.peek(1).kind == '(':
			g.Kind = ast.GroupCube
			if p.isWord(0, "ROLLUP") {
				g.Kind = ast.GroupRollup
			}
			p.pos++
			g.Exprs = parens(p, p.exprAs)
		default:
			g.Exprs = p.exprs()
		}
	}
	for !p.failed {
		switch {
		case p.word("WITH ROLLUP"):
			g.Kind = ast.GroupRollup
		case p.word("WITH CUBE"):
			g.Kind = ast.GroupCube
		case p.word("WITH TOTALS"):
			g.Totals = true
		case g.Kind == ast.GroupPlain && g.Exprs == nil && !g.Totals:
			return nil
		default:
			return g
		}
	}
	return g
}

func (p *parser) groupingSet() *ast.ExprList {
	l := &ast.ExprList{At: p.place()}
	if p.at('(') {
		l.Exprs = parens(p, p.exprAs)
		return l
	}
	l.Exprs = []ast.Expr{p.exprAs()}
	return l
}

func (p *parser) namedWindow() *ast.NamedWindow {
	w := &ast.NamedWindow{At: p.place(), Name: p.ident()}
	p.mustWord("AS")
	if !p.at('(') {
		p.expect('(')
		return w
	}
	w.Spec = p.window()
	return w
}

func (p *parser) orderBy(s *ast.Select) {
	if !p.word("ORDER BY") {
		return
	}
	if p.isWord(0, "ALL") && p.peek(1).kind != ',' && p.peek(1).kind != '(' && p.peek(1).kind != '.' {
		s.OrderByAll = true
		s.OrderAll = &ast.OrderItem{At: p.place()}
		p.pos++
		p.orderTail(s.OrderAll)
	} else {
		s.OrderBy = list(p, p.orderItem)
	}
	filled := s.OrderByAll && s.OrderAll.Fill != nil
	for _, o := range s.OrderBy {
		filled = filled || o.Fill != nil
	}
	if filled && p.word("INTERPOLATE") {
		s.HasInterpolate = true
		if p.at('(') {
			s.Interpolate = parens(p, p.interpolate)
		}
	}
}

func (p *parser) interpolate() *ast.Interpolate {
	i := &ast.Interpolate{At: p.place(), Column: p.ident()}
	if p.word("AS") {
		i.Expr = p.expr()
	}
	return i
}

func (p *parser) orderItem() *ast.OrderItem {
	o := &ast.OrderItem{At: p.place(), Expr: p.exprAs()}
	p.orderTail(o)
	return o
}

func (p *parser) orderTail(o *ast.OrderItem) {
	switch p.oneOf("DESC", "DESCENDING", "ASC", "ASCENDING") {
	case "DESC", "DESCENDING":
		o.Desc = true
	}
	switch {
	case p.word("NULLS FIRST"):
		o.Nulls = ast.NullsFirst
	case p.word("NULLS LAST"):
		o.Nulls = ast.NullsLast
	}
	if p.word("COLLATE") {
		o.Collate = p.strName()
	}
	at := p.place()
	if !p.word("WITH FILL") {
		return
	}
	o.Fill = &ast.Fill{At: at}
	if p.word("FROM") {
		o.Fill.From = p.expr()
	}
	if p.word("TO") {
		o.Fill.To = p.expr()
	}
	if p.word("STEP") {
		o.Fill.Step = p.expr()
	}
	if p.word("STALENESS") {
		o.Fill.Staleness = p.expr()
	}
}

// limits reads LIMIT BY, LIMIT, OFFSET and FETCH.
func (p *parser) limits(s *ast.Select) {
	for !p.failed {
		at := p.place()
		if !p.word("LIMIT") {
			break
		}
		if s.Limit != nil && s.LimitBy != nil {
			p.fail("end of query")
			return
		}
		limit, offset := p.limitAndOffset()
		ties := p.word("WITH TIES")
		if s.LimitBy == nil && p.word("BY") {
			s.LimitBy = &ast.LimitBy{At: at, Limit: limit, Offset: offset}
			if p.isWord(0, "ALL") && p.peek(1).kind != '(' && p.peek(1).kind != ',' {
				p.pos++
				s.LimitBy.All = true
			} else {
				s.LimitBy.Exprs = p.exprs()
			}
			continue
		}
		if s.Limit != nil {
			p.fail("end of query")
			return
		}
		s.Limit, s.Offset, s.WithTies = limit, offset, ties
		break
	}
	if s.Offset == nil && p.word("OFFSET") {
		s.Offset = p.exprAs()
		p.oneOf("ROWS", "ROW")
	}
	if s.Limit == nil && p.isWord(0, "FETCH") {
		p.fetch(s)
	}
}

func (p *parser) limitAndOffset() (limit, offset ast.Expr) {
	limit = p.exprAs()
	switch {
	case p.accept(','):
		return p.exprAs(), limit
	case p.word("OFFSET"):
		return limit, p.exprAs()
	}
	return limit, nil
}

func (p *parser) fetch(s *ast.Select) {
	if !p.word("FETCH") {
		return
	}
	if p.oneOf("FIRST", "NEXT") == "" {
		p.failed = true
	}
	s.Limit = p.exprAs()
	if p.oneOf("ROWS", "ROW") == "" {
		p.failed = true
	}
	if p.word("WITH TIES") {
		s.WithTies = true
		return
	}
	p.mustWord("ONLY")
}
