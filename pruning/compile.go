package pruning

import (
	"strings"
	"time"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// Column says which stored column an index of the filter's expressions is.
type Column struct {
	Field int // Iceberg field id, -1: nothing is known of it
	Type  *types.Type
	// Inner gives an element of a tuple column by its position; nil: none.
	Inner func(i int) (Column, bool)
}

// New compiles conjuncts. columns gives what a column of the expressions is;
// zone is the session's time zone. Conditions that it cannot judge are left
// out; nil means that nothing was left.
func New(filter []expr.Expr, columns func(index int) Column, zone *time.Location) *Filter {
	c := &compiler{columns: columns, zone: zone}
	f := &Filter{}
	for _, e := range filter {
		if n := c.compile(e, false); n != nil {
			f.conjuncts = append(f.conjuncts, n)
		}
	}
	if len(f.conjuncts) == 0 {
		return nil
	}
	return f
}

type compiler struct {
	columns func(int) Column
	zone    *time.Location
}

var comparisons = map[string]op{
	"equals": opEq, "notEquals": opNe, "less": opLt, "lessOrEquals": opLe, "greater": opGt, "greaterOrEquals": opGe,
}

// swapped is the comparison with its sides exchanged, negated its opposite.
var (
	swapped = [...]op{opEq: opEq, opNe: opNe, opLt: opGt, opLe: opGe, opGt: opLt, opGe: opLe}
	negated = [...]op{opEq: opNe, opNe: opEq, opLt: opGe, opLe: opGt, opGt: opLe, opGe: opLt}
)

// compile gives the node of an expression, or of its negation; nil: unknown.
func (c *compiler) compile(e expr.Expr, not bool) node {
	if v := expr.Constant(e); v != nil {
		return constantNode(v, not)
	}
	call, ok := e.(*expr.Call)
	if !ok {
		return nil
	}
	name := call.Fn.Name
	switch name {
	case "and", "or":
		return c.junction(call.Args, (name == "and") != not, not)
	case "not":
		if len(call.Args) == 1 {
			return c.compile(call.Args[0], !not)
		}
	case "in", "globalIn", "notIn", "globalNotIn":
		return c.in(call, not != (name == "notIn" || name == "globalNotIn"))
	case "isNull", "isNotNull":
		if o, ok := c.operand(call.Args[0]); ok && len(call.Args) == 1 && o.e == nil {
			return &nullTest{o, (name == "isNull") != not}
		}
	case "isNaN":
		if o, ok := c.operand(call.Args[0]); ok && len(call.Args) == 1 && o.e == nil && !not {
			return &nanTest{o}
		}
	case "like", "notLike":
		return c.like(call, not != (name == "notLike"))
	case "startsWith":
		return c.startsWith(call, not)
	case "identity", "materialize", "assumeNotNull", "toBool":
		return nil
	}
	if o, ok := comparisons[name]; ok && len(call.Args) == 2 {
		return c.compare(o, call.Args[0], call.Args[1], not)
	}
	return nil
}

func constantNode(v column.Column, not bool) node {
	if column.IsNullAt(v, 0) {
		return never{}
	}
	r, ok := rational(types.UInt8, column.At(v, 0))
	if ok && (r.Sign() != 0) == not {
		return never{}
	}
	return nil
}

func (c *compiler) junction(args []expr.Expr, all, not bool) node {
	var parts []node
	for _, a := range args {
		n := c.compile(a, not)
		switch {
		case n != nil:
			parts = append(parts, n)
		case !all:
			return nil // one unknown branch of OR may always be true
		}
	}
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1:
		return parts[0]
	case all:
		return andNode(parts)
	}
	return orNode(parts)
}

// operand finds the column that an expression is an ordered function of.
func (c *compiler) operand(e expr.Expr) (operand, bool) {
	if col, ok := c.column(e); ok {
		return operand{field: col.Field, t: col.Type}, col.Field >= 0
	}
	call, ok := e.(*expr.Call)
	if !ok || call.Fn.Monotonic == 0 || call.Fn.Volatile || !expr.Deterministic(call) {
		return operand{}, false
	}
	var inner operand
	at := -1
	for i, a := range call.Args {
		if expr.Constant(a) != nil {
			continue
		}
		o, ok := c.operand(a)
		if at >= 0 || !ok {
			return operand{}, false
		}
		inner, at = o, i
	}
	if at < 0 {
		return operand{}, false
	}
	arg := inner.e
	if arg == nil {
		arg = &expr.Column{Index: 0, Name: "x", T: inner.t}
	}
	args := append([]expr.Expr(nil), call.Args...)
	args[at] = arg
	inner.e, inner.result = call.WithChildren(args), call.Type()
	inner.reverse = inner.reverse != (call.Fn.Monotonic < 0)
	return inner, true
}

// column finds a column or an element of a struct column.
func (c *compiler) column(e expr.Expr) (Column, bool) {
	switch x := e.(type) {
	case *expr.Column:
		return c.columns(x.Index), true
	case *expr.Call:
		if x.Fn.Name != "tupleElement" || len(x.Args) < 2 {
			return Column{}, false
		}
		outer, ok := c.column(x.Args[0])
		key := expr.Constant(x.Args[1])
		if !ok || outer.Inner == nil || key == nil {
			return Column{}, false
		}
		i, ok := elementIndex(x.Args[0].Type(), x.Args[1].Type(), column.At(key, 0))
		if !ok {
			return Column{}, false
		}
		return outer.Inner(i)
	}
	return Column{}, false
}

func elementIndex(tuple, kt *types.Type, key Value) (int, bool) {
	if s, ok := key.(string); ok {
		for i, n := range tuple.Names() {
			if n == s {
				return i, true
			}
		}
		return 0, false
	}
	r, ok := rational(kt, key)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	i := int(r.Num().Int64())
	if i < 0 {
		return len(tuple.Elems()) + i, len(tuple.Elems())+i >= 0
	}
	return i - 1, i >= 1 && i <= len(tuple.Elems())
}

// literalOf gives a constant as a value of the operand's type.
func (c *compiler) literalOf(o *operand, t *types.Type, v Value) (literal, bool) {
	to := o.t
	if o.e != nil {
		to = o.result
	}
	return place(t, v, to, c.zone)
}

func (o *operand) isFloat() bool { return types.Unwrap(o.t).IsFloat() }

func (c *compiler) compare(p op, a, b expr.Expr, not bool) node {
	if expr.Constant(a) != nil {
		a, b, p = b, a, swapped[p]
	}
	v := expr.Constant(b)
	if v == nil {
		return nil
	}
	if column.IsNullAt(v, 0) {
		return never{}
	}
	o, ok := c.operand(a)
	if !ok {
		return nil
	}
	lit, ok := c.literalOf(&o, b.Type(), column.At(v, 0))
	if !ok {
		return nil
	}
	if !not {
		return c.guarded(p == opNe, o, &comparison{o, p, lit})
	}
	return c.guarded(p != opNe, o, &comparison{o, negated[p], lit})
}

// guarded keeps containers with NaN where NaN makes the condition true.
func (c *compiler) guarded(nanMatches bool, o operand, n node) node {
	if nanMatches && o.isFloat() {
		return &notNaN{o, n}
	}
	return n
}

func (c *compiler) in(call *expr.Call, not bool) node {
	if len(call.Args) == 0 {
		return nil
	}
	ts, cols, orNull, ok := elements(call)
	if !ok {
		return nil
	}
	if len(cols) > 1 {
		tuple, ok := call.Args[0].(*expr.Call)
		if !ok || tuple.Fn.Name != "tuple" || len(tuple.Args) != len(cols) || not {
			return nil
		}
		var parts []node
		for i := range cols {
			if n := c.inColumn(tuple.Args[i], ts[i], cols[i], orNull, false); n != nil {
				parts = append(parts, n)
			}
		}
		if len(parts) == 0 {
			return nil
		}
		return andNode(parts)
	}
	return c.inColumn(call.Args[0], ts[0], cols[0], orNull, not)
}

// elements gives the constants of IN: of its set, or of a literal.
func elements(call *expr.Call) (ts []*types.Type, cols []column.Column, orNull, ok bool) {
	if s := call.Fn.Set; s != nil {
		cols := s.Elements()
		return s.Types(), cols, s.HasNull(), cols != nil && len(cols) == len(s.Types())
	}
	if len(call.Args) != 2 {
		return nil, nil, false, false
	}
	v, t := expr.Constant(call.Args[1]), call.Args[1].Type()
	if a, isArray := v.(*column.Array); isArray {
		from, to := a.Bounds(0)
		return []*types.Type{t.Elem()}, []column.Column{a.Elems.Slice(from, to)}, false, true
	}
	return nil, nil, false, false
}

// maxElements bounds the constants of a set that are looked at.
const maxElements = 100_000

func (c *compiler) inColumn(e expr.Expr, t *types.Type, values column.Column, orNull, not bool) node {
	o, ok := c.operand(e)
	if !ok || values.Len() > maxElements {
		return nil
	}
	var lits []literal
	for _, v := range constants(values) {
		if v == nil {
			orNull = true
			continue
		}
		lit, ok := c.literalOf(&o, t, v)
		if !ok {
			return nil
		}
		lits = append(lits, lit)
	}
	if !not {
		return newMembership(o, lits, orNull)
	}
	if len(lits) > maxAsked {
		return nil
	}
	var parts []node // not in (a, b): neither a nor b; with NULL nothing at all, which is left to the rows
	for _, lit := range lits {
		parts = append(parts, &comparison{o, opNe, lit})
	}
	if len(parts) == 0 {
		return nil
	}
	return c.guarded(true, o, andNode(parts))
}

// like knows patterns that begin with plain text.
func (c *compiler) like(call *expr.Call, not bool) node {
	if len(call.Args) != 2 {
		return nil
	}
	o, ok := c.operand(call.Args[0])
	v := expr.Constant(call.Args[1])
	if !ok || v == nil || o.e != nil || types.Unwrap(o.t).Kind() != types.KindString {
		return nil
	}
	pattern, ok := column.At(v, 0).(string)
	if !ok {
		return nil
	}
	text, rest := likePrefix(pattern)
	switch {
	case rest == "":
		p := opEq
		if not {
			p = opNe
		}
		return &comparison{o, p, exactly(text)}
	case not && strings.Trim(rest, "%") != "":
		return nil
	case text == "":
		return nil
	}
	return &prefix{o, text, not}
}

// likePrefix splits a pattern before its first wildcard.
func likePrefix(p string) (text, rest string) {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '%', '_':
			return b.String(), p[i:]
		case '\\':
			if i+1 < len(p) && (p[i+1] == '%' || p[i+1] == '_' || p[i+1] == '\\') {
				i++
			}
			b.WriteByte(p[i])
		default:
			b.WriteByte(p[i])
		}
	}
	return b.String(), ""
}

func (c *compiler) startsWith(call *expr.Call, not bool) node {
	if len(call.Args) != 2 {
		return nil
	}
	o, ok := c.operand(call.Args[0])
	v := expr.Constant(call.Args[1])
	if !ok || v == nil || o.e != nil || types.Unwrap(o.t).Kind() != types.KindString {
		return nil
	}
	text, ok := column.At(v, 0).(string)
	if !ok {
		return nil
	}
	return &prefix{o, text, not}
}
