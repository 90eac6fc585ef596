package ast

import (
	"slices"
	"strconv"
)

// ColumnName gives the name that ClickHouse gives a result column of e: its
// alias, or the expression written with function names. Names are compared by
// clients byte for byte. A query with several subqueries used as values needs
// one Namer, which numbers them.
func ColumnName(e Expr) string {
	var n Namer
	return n.ColumnName(e)
}

// Namer names the columns of one query.
type Namer struct {
	// Subqueries counts the subqueries so far: a query's own are _subquery_1,
	// _subquery_2 …, numbered in the order in which ClickHouse resolves them:
	// those of FROM first, then the columns from left to right, each before what
	// is nested in it. A reference to an alias or a CTE that holds a subquery
	// counts again.
	Subqueries int
	// Name, when set, gives the name of an identifier, asterisk or other leaf
	// whose name analysis knows better; false leaves it to the Namer.
	Name func(Expr) (string, bool)

	b       []byte
	secrets []string
}

// ColumnName is the package's function of that name, within this query.
func (n *Namer) ColumnName(e Expr) string {
	n.b = n.b[:0]
	n.expr(e)
	return string(n.b)
}

// Count counts the subqueries in a part of the query that gives no names, as FROM.
func (n *Namer) Count(part Node) {
	Walk(part, func(x Node) bool {
		switch x := x.(type) {
		case *Subquery:
			n.Subqueries++
		case *TableExpr:
			if x.Query != nil {
				n.Subqueries++
			}
		}
		return true
	})
}

func (n *Namer) s(text string) { n.b = append(n.b, text...) }

func (n *Namer) list(es []Expr) {
	for i, e := range es {
		if i > 0 {
			n.s(", ")
		}
		n.expr(e)
	}
}

func (n *Namer) expr(e Expr) {
	if n.Name != nil {
		if s, ok := n.Name(e); ok {
			n.s(s)
			return
		}
	}
	switch e := e.(type) {
	case *Aliased:
		n.Count(e.Expr)
		n.s(e.Alias)
	case *Literal:
		n.literal(e, false)
	case *Identifier:
		for i, part := range e.Parts {
			if i > 0 {
				n.s(".")
			}
			n.s(part)
		}
	case *Function:
		n.function(e)
	case *Lambda:
		n.s("lambda(tuple(")
		for i, p := range e.Params {
			if i > 0 {
				n.s(", ")
			}
			n.s(p)
		}
		n.s("), ")
		n.expr(e.Body)
		n.s(")")
	case *Subquery:
		n.Subqueries++
		n.s("_subquery_")
		n.b = strconv.AppendInt(n.b, int64(n.Subqueries), 10)
		n.Count(e.Query)
	default:
		n.s(Format(e))
	}
}

// literal writes a constant; asFloat is for the numbers of an array literal
// that holds a float, which all become floats.
func (n *Namer) literal(l *Literal, asFloat bool) {
	switch l.Kind {
	case Uint:
		if asFloat {
			n.b = appendFloat(n.b, float64(l.Uint))
			return
		}
		n.b = strconv.AppendUint(n.b, l.Uint, 10)
	case Int:
		if asFloat {
			n.b = appendFloat(n.b, float64(l.Int))
			return
		}
		n.b = strconv.AppendInt(n.b, l.Int, 10)
	case Float:
		n.b = appendFloat(n.b, l.Float)
	case Bool:
		if l.Uint != 0 {
			n.s("true")
		} else {
			n.s("false")
		}
	case Null:
		n.s("NULL")
	default:
		n.b = appendQuoted(n.b, l.Text, '\'')
	}
}

func (n *Namer) function(f *Function) {
	switch f.Name {
	case "array":
		if f.Operator && n.arrayLiteral(f, holdsFloat(f)) {
			return
		}
		n.s("[")
		n.list(f.Args)
		n.s("]")
		return
	case "tuple":
		n.s("(")
		n.list(f.Args)
		n.s(")")
		return
	}
	n.s(f.Name)
	if f.HasParams {
		n.s("(")
		n.list(f.Params)
		n.s(")")
	}
	n.s("(")
	switch secret := secretArgs(f.Name); {
	case secret > 0:
		n.secretList(f.Args, secret)
	case !countsRows(f):
		n.list(f.Args)
	}
	n.s(")")
	if f.Over != nil {
		n.s(" OVER ")
		n.window(f.Over)
	}
}

// secretArgs gives the first argument of a function whose constants ClickHouse
// hides in names, or 0.
func secretArgs(name string) int {
	switch name {
	case "encrypt", "decrypt", "tryDecrypt", "aes_encrypt_mysql", "aes_decrypt_mysql":
		return 1
	case "HMAC":
		return 2
	}
	return 0
}

// secretList writes arguments with the constants from the given one on as
// [HIDDEN id: n]; equal ones have equal numbers.
func (n *Namer) secretList(args []Expr, from int) {
	for i, a := range args {
		if i > 0 {
			n.s(", ")
		}
		if i < from || !constant(a) {
			n.expr(a)
			continue
		}
		text := Format(a)
		id := slices.Index(n.secrets, text) + 1
		if id == 0 {
			n.secrets = append(n.secrets, text)
			id = len(n.secrets)
		}
		n.s("[HIDDEN id: ")
		n.b = strconv.AppendInt(n.b, int64(id), 10)
		n.s("]")
	}
}

// constant tells whether e is made of literals and functions alone.
func constant(e Expr) bool {
	yes := true
	Walk(e, func(x Node) bool {
		switch x.(type) {
		case *Literal, *Function:
		default:
			yes = false
		}
		return yes
	})
	return yes
}

// countsRows tells count(*) and its combinators without arguments, whose
// asterisk is dropped.
func countsRows(f *Function) bool {
	if len(f.Args) != 1 || len(f.Name) < 5 {
		return false
	}
	star, ok := f.Args[0].(*Asterisk)
	if !ok || star.Qualifier != nil || star.Transformers != nil {
		return false
	}
	const word = "count"
	for i := range len(word) {
		if f.Name[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// holdsFloat tells whether an array of literals has a float among its numbers.
func holdsFloat(f *Function) bool {
	for _, a := range f.Args {
		switch a := a.(type) {
		case *Literal:
			if a.Kind == Float {
				return true
			}
		case *Function:
			if a.Name == "array" && a.Operator && holdsFloat(a) {
				return true
			}
		}
	}
	return false
}

// arrayLiteral writes an array if all in it is literal.
func (n *Namer) arrayLiteral(f *Function, asFloat bool) bool {
	start := len(n.b)
	n.s("[")
	for i, a := range f.Args {
		if i > 0 {
			n.s(", ")
		}
		switch a := a.(type) {
		case *Literal:
			n.literal(a, asFloat)
			continue
		case *Function:
			if a.Operator && a.Name == "array" && n.arrayLiteral(a, asFloat) {
				continue
			}
			if a.Operator && a.Name == "tuple" {
				n.function(a)
				continue
			}
		}
		n.b = n.b[:start]
		return false
	}
	n.s("]")
	return true
}

func (n *Namer) window(w *WindowSpec) {
	if w.Name != "" {
		n.s(w.Name)
		return
	}
	n.s("(")
	space := ""
	if w.Base != "" {
		n.s(w.Base)
		space = " "
	}
	if w.PartitionBy != nil {
		n.s(space + "PARTITION BY ")
		n.list(w.PartitionBy)
		space = " "
	}
	if w.OrderBy != nil {
		n.s(space + "ORDER BY ")
		for i, o := range w.OrderBy {
			if i > 0 {
				n.s(", ")
			}
			n.orderItem(o)
		}
		space = " "
	}
	if w.Frame != nil {
		n.s(space)
		n.frame(w.Frame)
	}
	n.s(")")
}

func (n *Namer) orderItem(o *OrderItem) {
	n.expr(o.Expr)
	if o.Desc {
		n.s(" DESC")
	} else {
		n.s(" ASC")
	}
	switch o.Nulls {
	case NullsFirst:
		n.s(" NULLS FIRST")
	case NullsLast:
		n.s(" NULLS LAST")
	}
	if o.Collate != "" {
		n.s(" COLLATE " + o.Collate)
	}
	if o.Fill != nil {
		n.s(" WITH FILL")
		for _, x := range []struct {
			word string
			e    Expr
		}{{" FROM ", o.Fill.From}, {" TO ", o.Fill.To}, {" STEP ", o.Fill.Step}, {" STALENESS ", o.Fill.Staleness}} {
			if x.e != nil {
				n.s(x.word)
				n.expr(x.e)
			}
		}
	}
}

func (n *Namer) frame(f *Frame) {
	n.s([...]string{"ROWS", "RANGE", "GROUPS"}[f.Unit])
	n.s(" BETWEEN ")
	n.bound(f.Start, f.StartOffset)
	n.s(" AND ")
	n.bound(f.End, f.EndOffset)
}

func (n *Namer) bound(kind BoundKind, offset Expr) {
	switch kind {
	case CurrentRow:
		n.s("CURRENT ROW")
	case UnboundedPreceding:
		n.s("UNBOUNDED PRECEDING")
	case UnboundedFollowing:
		n.s("UNBOUNDED FOLLOWING")
	case Preceding:
		n.expr(offset)
		n.s(" PRECEDING")
	case Following:
		n.expr(offset)
		n.s(" FOLLOWING")
	}
}
