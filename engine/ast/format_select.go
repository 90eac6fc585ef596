package ast

func (n *Select) format(p *printer) {
	if len(n.With) > 0 {
		p.s("WITH")
		p.when(n.Recursive, " RECURSIVE")
		nodeBlock(p, n.With)
		p.clauseWord("SELECT")
	} else {
		p.s("SELECT")
	}
	p.when(n.Distinct, " DISTINCT")
	if n.DistinctOn != nil {
		p.s(" DISTINCT ON (")
		p.items(n.DistinctOn)
		p.s(")")
	}
	p.exprBlock(n.Columns)
	if n.From != nil {
		p.clauseWord("FROM ")
		n.From.format(p)
	}
	p.clause("PREWHERE ", n.Prewhere)
	p.clause("WHERE ", n.Where)
	if n.GroupBy != nil {
		n.GroupBy.format(p)
	}
	p.clause("HAVING ", n.Having)
	if len(n.Windows) > 0 {
		p.clauseWord("WINDOW")
		nodeBlock(p, n.Windows)
	}
	p.clause("QUALIFY ", n.Qualify)
	n.formatOrder(p)
	n.formatLimit(p)
	if len(n.Settings) > 0 {
		p.clauseWord("SETTINGS ")
		nodes(p, n.Settings)
	}
}

// clause prints a clause whose expression may have an alias.
func (p *printer) clause(word string, e Expr) {
	if e != nil {
		p.clauseWord(word)
		p.item(e)
	}
}

func (p *printer) settings(word string, list []*Setting) {
	if len(list) > 0 {
		p.s(word)
		nodes(p, list)
	}
}

func (n *Select) formatOrder(p *printer) {
	switch {
	case n.OrderByAll:
		p.clauseWord("ORDER BY ALL")
		if n.OrderAll != nil {
			n.OrderAll.tail(p)
		}
	case len(n.OrderBy) > 0:
		p.clauseWord("ORDER BY")
		nodeBlock(p, n.OrderBy)
	}
	if n.HasInterpolate {
		p.clauseWord("INTERPOLATE")
		if n.Interpolate != nil {
			p.s(" (")
			nodes(p, n.Interpolate)
			p.s(")")
		}
	}
}

func (n *Select) formatLimit(p *printer) {
	if b := n.LimitBy; b != nil {
		b.format(p)
	}
	p.clause("LIMIT ", n.Limit)
	p.clause("OFFSET ", n.Offset)
	p.when(n.WithTies && n.Limit != nil, " WITH TIES")
}

func (n *LimitBy) format(p *printer) {
	p.clause("LIMIT ", n.Limit)
	if n.Offset != nil {
		p.s(" OFFSET ")
		p.item(n.Offset)
	}
	p.s(" BY ")
	if n.All {
		p.s("ALL")
		return
	}
	p.items(n.Exprs)
}

func (n *WithItem) format(p *printer) {
	if n.Query == nil {
		p.item(n.Expr)
		return
	}
	p.name(n.Name)
	if n.Columns != nil {
		p.s(" (")
		p.names(n.Columns)
		p.s(")")
	}
	p.s(" AS ")
	p.when(n.Materialized, "MATERIALIZED ")
	p.parenQuery(n.Query)
}

func (n *GroupBy) format(p *printer) {
	switch n.Kind {
	case GroupAll:
		p.clauseWord("GROUP BY ALL")
	case GroupRollup, GroupCube:
		if n.Kind == GroupRollup {
			p.clauseWord("GROUP BY ROLLUP(")
		} else {
			p.clauseWord("GROUP BY CUBE(")
		}
		p.items(n.Exprs)
		p.s(")")
	case GroupSets:
		p.clauseWord("GROUP BY GROUPING SETS (")
		nodes(p, n.Sets)
		p.s(")")
	default:
		if len(n.Exprs) > 0 {
			p.clauseWord("GROUP BY")
			p.exprBlock(n.Exprs)
		}
	}
	p.when(n.Totals, " WITH TOTALS")
}

func (n *ExprList) format(p *printer) {
	p.s("(")
	p.items(n.Exprs)
	p.s(")")
}

var setOpWords = [...]string{
	UnionDefault: "UNION", UnionAll: "UNION ALL", UnionDistinct: "UNION DISTINCT",
	IntersectDefault: "INTERSECT", IntersectAll: "INTERSECT ALL", IntersectDistinct: "INTERSECT DISTINCT",
	ExceptDefault: "EXCEPT", ExceptAll: "EXCEPT ALL", ExceptDistinct: "EXCEPT DISTINCT",
}

func (n *SelectUnion) format(p *printer) {
	for i, q := range n.Inputs {
		if i > 0 {
			p.clauseWord(setOpWords[n.Op])
			if p.pretty {
				p.newline()
			} else {
				p.s(" ")
			}
		}
		if _, simple := q.(*Select); simple {
			q.format(p)
			continue
		}
		p.parenQuery(q)
	}
}

func (n *ExplainQuery) format(p *printer) { n.Explain.format(p) }

func (n *QueryStatement) format(p *printer) {
	// Settings after the query and not its own: only brackets keep them apart.
	apart := n.OutputSettings != nil && n.Format == "" && n.Outfile == ""
	p.when(apart, "(")
	n.Query.format(p)
	p.when(apart, ")")
	n.Output.format(p)
}

func (o *Output) format(p *printer) {
	if o.Outfile != "" {
		p.s(" INTO OUTFILE ")
		p.str(o.Outfile)
		p.when(o.Append, " APPEND")
		p.when(o.Truncate, " TRUNCATE")
		p.when(o.AndStdout, " AND STDOUT")
		p.optStr(" COMPRESSION ", o.Compression)
		p.opt(" LEVEL ", o.Level)
	}
	p.optName(" FORMAT ", o.Format)
	p.settings(" SETTINGS ", o.OutputSettings)
}

func (n *Setting) format(p *printer) {
	for i, part := range splitDots(n.Name) {
		p.when(i > 0, ".")
		p.name(part)
	}
	p.s(" = ")
	if n.Default {
		p.s("DEFAULT")
		return
	}
	p.expr(n.Value)
}

func splitDots(s string) []string {
	var out []string
	start := 0
	for i := range len(s) {
		if s[i] == '.' {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

func (n *OrderItem) format(p *printer) {
	p.item(n.Expr)
	n.tail(p)
}

func (n *OrderItem) tail(p *printer) {
	if n.Desc {
		p.s(" DESC")
	} else {
		p.s(" ASC")
	}
	switch n.Nulls {
	case NullsFirst:
		p.s(" NULLS FIRST")
	case NullsLast:
		p.s(" NULLS LAST")
	}
	p.optStr(" COLLATE ", n.Collate)
	if n.Fill != nil {
		p.s(" ")
		n.Fill.format(p)
	}
}

func (n *Fill) format(p *printer) {
	p.s("WITH FILL")
	p.opt(" FROM ", n.From)
	p.opt(" TO ", n.To)
	p.opt(" STEP ", n.Step)
	p.opt(" STALENESS ", n.Staleness)
}

func (n *Interpolate) format(p *printer) {
	p.name(n.Column)
	p.opt(" AS ", n.Expr)
}

func (n *NamedWindow) format(p *printer) {
	p.name(n.Name)
	p.s(" AS ")
	if n.Spec != nil {
		n.Spec.format(p)
	}
}

func (n *WindowSpec) format(p *printer) {
	if n.Name != "" {
		p.name(n.Name)
		return
	}
	p.s("(")
	space := ""
	if n.Base != "" {
		p.name(n.Base)
		space = " "
	}
	if n.PartitionBy != nil {
		p.s(space + "PARTITION BY ")
		p.items(n.PartitionBy)
		space = " "
	}
	if n.OrderBy != nil {
		p.s(space + "ORDER BY ")
		nodes(p, n.OrderBy)
		space = " "
	}
	if n.Frame != nil {
		p.s(space)
		n.Frame.format(p)
	}
	p.s(")")
}

func (n *Frame) format(p *printer) {
	p.s([...]string{"ROWS", "RANGE", "GROUPS"}[n.Unit])
	p.s(" BETWEEN ")
	p.bound(n.Start, n.StartOffset)
	p.s(" AND ")
	p.bound(n.End, n.EndOffset)
}

func (p *printer) bound(kind BoundKind, offset Expr) {
	switch kind {
	case CurrentRow:
		p.s("CURRENT ROW")
	case UnboundedPreceding:
		p.s("UNBOUNDED PRECEDING")
	case UnboundedFollowing:
		p.s("UNBOUNDED FOLLOWING")
	default:
		p.operand(offset)
		if kind == Preceding {
			p.s(" PRECEDING")
		} else {
			p.s(" FOLLOWING")
		}
	}
}

func (n *TableName) format(p *printer) {
	if n.Database != "" || n.DatabaseParam != "" {
		p.nameOr(n.Database, n.DatabaseParam)
		if n.Table == "" && n.TableParam == "" {
			return
		}
		p.s(".")
	}
	p.nameOr(n.Table, n.TableParam)
}

// nameOr prints a name, or the query parameter in its place.
func (p *printer) nameOr(name, param string) {
	if param != "" {
		p.param(param, "Identifier")
		return
	}
	p.name(name)
}

func (n *TableExpr) format(p *printer) {
	switch {
	case n.Query != nil:
		p.parenQuery(n.Query)
	case n.Function != nil:
		n.Function.format(p)
	default:
		n.Name.format(p)
	}
	if n.Version != nil {
		n.Version.format(p)
	}
	p.optName(" AS ", n.Alias)
	if n.Columns != nil {
		p.s(" (")
		p.names(n.Columns)
		p.s(")")
	}
	p.when(n.Final, " FINAL")
	if n.Sample != nil {
		p.s(" SAMPLE ")
		n.Sample.format(p)
		if n.SampleOffset != nil {
			p.s(" OFFSET ")
			n.SampleOffset.format(p)
		}
	}
}

func (n *Ratio) format(p *printer) {
	p.operand(n.Numerator)
	if n.Denominator != nil {
		p.s(" / ")
		p.operand(n.Denominator)
	}
}

func (n *TimeTravel) format(p *printer) {
	if n.Timestamp {
		p.s(" FOR TIMESTAMP AS OF ")
	} else {
		p.s(" FOR VERSION AS OF ")
	}
	p.operand(n.Value)
}

func (n *ArrayJoin) format(p *printer) {
	if n.Input != nil {
		n.Input.format(p)
	}
	word := "ARRAY JOIN"
	if n.Left {
		word = "LEFT ARRAY JOIN"
	}
	p.clauseWord(word)
	p.exprBlock(n.Exprs)
}

func (n *Join) format(p *printer) {
	n.Left.format(p)
	if n.Kind == JoinComma {
		p.s(", ")
		n.right(p)
		return
	}
	p.clauseWord("")
	p.s([...]string{"", "GLOBAL ", "LOCAL "}[n.Locality])
	p.when(n.Natural, "NATURAL ")
	p.s([...]string{"", "ALL ", "ANY ", "ASOF ", "SEMI ", "ANTI "}[n.Strictness])
	p.s([...]string{"INNER ", "LEFT ", "RIGHT ", "FULL ", "CROSS ", "", "PASTE "}[n.Kind])
	p.s("JOIN ")
	n.right(p)
	switch {
	case n.UsingAll:
		p.s(" USING (*)")
	case n.Using != nil:
		p.s(" USING (")
		p.items(n.Using)
		p.s(")")
	case n.On != nil:
		p.s(" ON ")
		p.expr(n.On)
	}
}

func (n *Join) right(p *printer) {
	if _, simple := n.Right.(*TableExpr); simple {
		n.Right.format(p)
		return
	}
	p.s("(")
	n.Right.format(p)
	p.s(")")
}
