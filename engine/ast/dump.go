package ast

import (
	"strconv"
	"strings"
)

// Dump prints the tree as EXPLAIN AST does: one node a line, a child one blank
// deeper than its parent. Queries and expressions have ClickHouse's nodes;
// other statements show their kind and what they hold.
func Dump(n Node) string {
	var b strings.Builder
	if !isNil(n) {
		dump(n).write(&b, 0)
	}
	return b.String()
}

// dumped is a line of the tree and the lines below it.
type dumped struct {
	text  string
	below []*dumped
}

func (d *dumped) write(b *strings.Builder, depth int) {
	for range depth {
		b.WriteByte(' ')
	}
	b.WriteString(d.text)
	if n := len(d.below); n > 0 {
		b.WriteString(" (children " + strconv.Itoa(n) + ")")
	}
	b.WriteByte('\n')
	for _, c := range d.below {
		c.write(b, depth+1)
	}
}

// add puts a child below; nil is none.
func (d *dumped) add(n Node) {
	if !isNil(n) {
		d.below = append(d.below, dump(n))
	}
}

func (d *dumped) addLine(c *dumped) { d.below = append(d.below, c) }

// dumpList is an ExpressionList; ClickHouse has no node for an absent list.
func dumpList[T Node](nodes []T) *dumped {
	d := &dumped{text: "ExpressionList"}
	for _, n := range nodes {
		d.add(n)
	}
	return d
}

func dump(n Node) *dumped { // long: one case for each kind of node
	switch n := n.(type) {
	case *Aliased:
		d := dump(n.Expr)
		d.text += " (alias " + n.Alias + ")"
		return d
	case *Literal:
		return &dumped{text: "Literal " + dumpField(n)}
	case *Identifier:
		return &dumped{text: "Identifier " + strings.Join(n.Parts, ".")}
	case *QueryParam:
		return &dumped{text: "QueryParameter " + n.Name + ":" + n.Type}
	case *Function:
		return dumpFunction(n)
	case *Lambda:
		params := &dumped{text: "Function tuple", below: []*dumped{{text: "ExpressionList"}}}
		for _, p := range n.Params {
			params.below[0].addLine(&dumped{text: "Identifier " + p})
		}
		list := &dumped{text: "ExpressionList", below: []*dumped{params}}
		list.add(n.Body)
		return &dumped{text: "Function lambda", below: []*dumped{list}}
	case *Subquery:
		return dumpSubquery(n.Query)
	case *Asterisk:
		return dumpMatcher("Asterisk", n.Qualifier, nil, n.Transformers)
	case *Columns:
		if n.List != nil {
			return dumpMatcher("ColumnsListMatcher", n.Qualifier, dumpList(n.List), n.Transformers)
		}
		return dumpMatcher("ColumnsRegexpMatcher", n.Qualifier, nil, n.Transformers)
	case *Apply:
		return &dumped{text: "ColumnsApplyTransformer"}
	case *Except:
		d := &dumped{text: "ColumnsExceptTransformer"}
		for _, x := range n.Names {
			d.add(x)
		}
		return d
	case *Replace:
		d := &dumped{text: "ColumnsReplaceTransformer"}
		for _, x := range n.Items {
			d.addLine(&dumped{text: "ColumnsReplaceTransformer::Replacement", below: []*dumped{dump(x.Expr)}})
		}
		return d
	case *Select:
		return dumpUnion(n)
	case *SelectUnion:
		return dumpUnion(n)
	case *QueryStatement:
		d := dumpUnion(n.Query)
		if n.OutputSettings != nil {
			d.addLine(&dumped{text: "Set"})
		}
		if n.Format != "" {
			d.addLine(&dumped{text: "Identifier " + n.Format})
		}
		return d
	case *OrderItem:
		return dumpOrder(n)
	case *Interpolate:
		d := &dumped{text: "InterpolateElement (column " + n.Column + ")"}
		if n.Expr == nil {
			d.addLine(&dumped{text: "Identifier " + n.Column})
		}
		d.add(n.Expr)
		return d
	case *NamedWindow:
		return &dumped{text: "WindowListElement", below: []*dumped{dumpWindow(n.Spec)}}
	case *ExprList:
		return dumpList(n.Exprs)
	case *Ratio:
		return &dumped{text: "SampleRatio " + Format(n)}
	case *WithItem:
		if n.Query == nil {
			return dump(n.Expr)
		}
		d := &dumped{text: "WithElement", below: []*dumped{dumpSubquery(n.Query)}}
		return d
	}
	return dumpOther(n)
}

// dumpOther shows the nodes that have no line of their own in ClickHouse.
func dumpOther(n Node) *dumped {
	name := strings.TrimPrefix(nodeName(n), "*ast.")
	d := &dumped{text: name}
	switch n := n.(type) {
	case *Explain:
		d.text = "Explain " + "EXPLAIN " + n.Kind.String()
		if n.Kind == ExplainPlan {
			d.text = "Explain EXPLAIN"
		}
	case *Set:
		d.text = "Set"
		return d
	case *TableName:
		d.text = "Identifier " + Format(n)
		return d
	}
	n.edit(func(c Node) Node {
		d.add(c)
		return c
	})
	return d
}

func dumpSubquery(q Query) *dumped {
	return &dumped{text: "Subquery", below: []*dumped{dumpUnion(q)}}
}

func dumpMatcher(name string, qualifier []string, list *dumped, ts []Transformer) *dumped {
	d := &dumped{text: name}
	if qualifier != nil {
		d.text = "Qualified" + name
		d.addLine(&dumped{text: "Identifier " + strings.Join(qualifier, ".")})
	}
	if list != nil {
		d.addLine(list)
	}
	if len(ts) > 0 {
		l := &dumped{text: "ColumnsTransformerList"}
		for _, t := range ts {
			l.add(t)
		}
		d.addLine(l)
	}
	return d
}

func dumpFunction(f *Function) *dumped {
	if f.Operator && (f.Name == "array" || f.Name == "tuple") {
		if s, ok := dumpCollection(f); ok && (len(f.Args) > 1 || f.Name == "array") {
			return &dumped{text: "Literal " + s}
		}
	}
	d := &dumped{text: "Function " + f.Name}
	switch {
	case f.NoArgs:
	case len(f.Args) == 1 && takesQuery(f.Name) && f.Name != "exists":
		list := &dumped{text: "ExpressionList"}
		if q, ok := f.Args[0].(*Subquery); ok {
			list.addLine(dumpUnion(q.Query))
		}
		d.addLine(list)
	default:
		d.addLine(dumpList(f.Args))
	}
	if f.HasParams {
		d.addLine(dumpList(f.Params))
	}
	if f.Over != nil && f.Over.Name == "" {
		d.addLine(dumpWindow(f.Over))
	}
	return d
}

// dumpCollection writes an array or tuple of literals as one literal.
func dumpCollection(f *Function) (string, bool) {
	open, end := "Array_[", "]"
	if f.Name == "tuple" {
		open, end = "Tuple_(", ")"
	}
	var parts []string
	for _, a := range f.Args {
		switch a := a.(type) {
		case *Literal:
			parts = append(parts, dumpField(a))
			continue
		case *Function:
			// Arrays of tuples and tuples of arrays are calls in ClickHouse's tree.
			if a.Operator && a.Name == f.Name && (a.Name == "array" || len(a.Args) > 1) {
				if s, ok := dumpCollection(a); ok {
					parts = append(parts, s)
					continue
				}
			}
		}
		return "", false
	}
	return open + strings.Join(parts, ", ") + end, true
}

func dumpField(l *Literal) string {
	switch l.Kind {
	case Null:
		return "NULL"
	case Bool:
		return "Bool_" + strconv.FormatUint(l.Uint, 10)
	case Uint:
		return "UInt64_" + strconv.FormatUint(l.Uint, 10)
	case Int:
		return "Int64_" + strconv.FormatInt(l.Int, 10)
	case Float:
		s := string(appendFloat(nil, l.Float))
		return "Float64_" + strings.TrimSuffix(s, ".")
	}
	return QuoteString(l.Text)
}

// dumpUnion is SelectWithUnionQuery or SelectIntersectExceptQuery.
func dumpUnion(q Query) *dumped {
	list := &dumped{text: "ExpressionList"}
	d := &dumped{text: "SelectWithUnionQuery", below: []*dumped{list}}
	switch q := q.(type) {
	case *Select:
		list.addLine(dumpSelect(q))
	case *SelectUnion:
		if q.Op > UnionDistinct {
			list.addLine(dumpIntersectExcept(q))
			break
		}
		for _, in := range q.Inputs {
			list.addLine(dumpInput(in))
		}
	case *ExplainQuery:
		return dump(q.Explain)
	}
	return d
}

// dumpInput is one input of a set operation.
func dumpInput(q Query) *dumped {
	switch q := q.(type) {
	case *Select:
		return dumpSelect(q)
	case *SelectUnion:
		if q.Op > UnionDistinct {
			return dumpIntersectExcept(q)
		}
	}
	return dumpUnion(q)
}

func dumpIntersectExcept(u *SelectUnion) *dumped {
	d := &dumped{text: "SelectIntersectExceptQuery"}
	for _, in := range u.Inputs {
		d.addLine(dumpInput(in))
	}
	return d
}

func dumpSelect(s *Select) *dumped {
	d := &dumped{text: "SelectQuery"}
	if s.With != nil {
		d.addLine(dumpList(s.With))
	}
	d.addLine(dumpList(s.Columns))
	if s.From != nil {
		t := &dumped{text: "TablesInSelectQuery"}
		dumpTables(t, s.From)
		d.addLine(t)
	}
	d.add(s.Prewhere)
	d.add(s.Where)
	if g := s.GroupBy; g != nil {
		switch {
		case g.Kind == GroupSets:
			d.addLine(dumpList(g.Sets))
		case g.Exprs != nil:
			d.addLine(dumpList(g.Exprs))
		}
	}
	d.add(s.Having)
	if s.Windows != nil {
		d.addLine(dumpList(s.Windows))
	}
	d.add(s.Qualify)
	switch {
	case s.OrderByAll:
		o := *s.OrderAll
		o.Expr = NewIdentifier("all")
		d.addLine(dumpList([]*OrderItem{&o}))
	case s.OrderBy != nil:
		d.addLine(dumpList(s.OrderBy))
	}
	if b := s.LimitBy; b != nil {
		d.add(b.Offset)
		d.add(b.Limit)
		if !b.All {
			d.addLine(dumpList(b.Exprs))
		}
	}
	if s.DistinctOn != nil {
		d.addLine(&dumped{text: "Literal UInt64_1"})
		d.addLine(dumpList(s.DistinctOn))
	}
	d.add(s.Offset)
	d.add(s.Limit)
	if s.Settings != nil {
		d.addLine(&dumped{text: "Set"})
	}
	if s.Interpolate != nil {
		d.addLine(dumpList(s.Interpolate))
	}
	return d
}

func dumpTables(into *dumped, t Table) {
	switch t := t.(type) {
	case *TableExpr:
		into.addLine(&dumped{text: "TablesInSelectQueryElement", below: []*dumped{dumpTable(t)}})
	case *ArrayJoin:
		if t.Input != nil {
			dumpTables(into, t.Input)
		}
		into.addLine(&dumped{text: "TablesInSelectQueryElement", below: []*dumped{
			{text: "ArrayJoin", below: []*dumped{dumpList(t.Exprs)}},
		}})
	case *Join:
		dumpTables(into, t.Left)
		join := &dumped{text: "TableJoin"}
		switch {
		case t.UsingAll:
			join.addLine(dumpList([]Expr{&Asterisk{}}))
		case t.Using != nil:
			join.addLine(dumpList(t.Using))
		default:
			join.add(t.On)
		}
		right, _ := t.Right.(*TableExpr)
		into.addLine(&dumped{text: "TablesInSelectQueryElement", below: []*dumped{dumpTable(right), join}})
	}
}

func dumpTable(t *TableExpr) *dumped {
	d := &dumped{text: "TableExpression"}
	var inner *dumped
	switch {
	case t == nil:
		return d
	case t.Query != nil:
		inner = dumpSubquery(t.Query)
	case t.Function != nil:
		inner = dumpFunction(t.Function)
	default:
		name := t.Name.Table
		if t.Name.Database != "" {
			name = t.Name.Database + "." + name
		}
		inner = &dumped{text: "TableIdentifier " + name}
	}
	if t.Alias != "" {
		inner.text += " (alias " + t.Alias + ")"
	}
	d.addLine(inner)
	d.add(t.Sample)
	d.add(t.SampleOffset)
	if t.Columns != nil {
		l := &dumped{text: "ExpressionList"}
		for _, c := range t.Columns {
			l.addLine(&dumped{text: "Identifier " + c})
		}
		d.addLine(l)
	}
	return d
}

func dumpOrder(o *OrderItem) *dumped {
	d := &dumped{text: "OrderByElement"}
	d.add(o.Expr)
	if o.Collate != "" {
		d.add(NewString(o.Collate))
	}
	if f := o.Fill; f != nil {
		d.add(f.From)
		d.add(f.To)
		d.add(f.Step)
		d.add(f.Staleness)
	}
	return d
}

func dumpWindow(w *WindowSpec) *dumped {
	d := &dumped{text: "WindowDefinition"}
	if w == nil {
		return d
	}
	if w.PartitionBy != nil {
		d.addLine(dumpList(w.PartitionBy))
	}
	if w.OrderBy != nil {
		d.addLine(dumpList(w.OrderBy))
	}
	if w.Frame != nil {
		d.add(w.Frame.StartOffset)
		d.add(w.Frame.EndOffset)
	}
	return d
}
