package analyze

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/types"
)

// identifier finds what a name means: a lambda's parameter, an alias of the
// query block, a column of FROM, then the same in the queries around.
func (sc *scope) identifier(ctx context.Context, x *ast.Identifier) (expr.Expr, error) {
	parts, err := sc.parts(x)
	if err != nil {
		return nil, err
	}
	if e := sc.lambdaParam(parts); e != nil {
		return sc.subcolumns(e, parts[1:])
	}
	for s := sc; s != nil; s = s.parent {
		e, err := s.name(ctx, parts)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		if s != sc {
			return sc.foreign(s, e)
		}
		return e, nil
	}
	return nil, sc.unknown(x, parts)
}

// name looks in this block alone; nil when there is no such name.
func (sc *scope) name(ctx context.Context, parts []string) (expr.Expr, error) {
	first, second := sc.aliasNamed, sc.column
	if sc.setting("prefer_column_name_to_alias") {
		first, second = second, first
	}
	e, err := first(ctx, parts)
	if e != nil || err != nil {
		return e, err
	}
	return second(ctx, parts)
}

func (sc *scope) lambdaParam(parts []string) expr.Expr {
	for i := len(sc.frames) - 1; i >= 0; i-- {
		f := sc.frames[i]
		for n := range f.params {
			if f.params[n].Name == parts[0] {
				return &param{f, n}
			}
		}
	}
	return nil
}

func (sc *scope) aliasNamed(ctx context.Context, parts []string) (expr.Expr, error) {
	n := len(parts)
	a, ok := sc.aliases[strings.Join(parts, ".")]
	if !ok || a.busy {
		a, n = sc.aliases[parts[0]], 1
	}
	if a == nil || a.busy {
		return nil, nil
	}
	if _, ok := a.ast.(*ast.Lambda); ok {
		return nil, nil
	}
	if _, ok := a.ast.(*ast.Subquery); ok && a.e != nil {
		sc.a.numbered++ // ClickHouse numbers each use of a subquery with a name
	}
	e, err := sc.alias(ctx, a)
	if err != nil {
		return nil, err
	}
	out, err := sc.subcolumns(e, parts[n:])
	if err != nil && n < len(parts) { // t.x: t may be a table as well
		return nil, nil
	}
	return out, err
}

// alias resolves the expression behind an alias, once.
func (sc *scope) alias(ctx context.Context, a *alias) (expr.Expr, error) {
	if a.bound || a.e != nil && !sc.inAggregate {
		return a.e, nil
	}
	a.busy = true
	frames := sc.frames
	if !a.inLambda {
		sc.frames = nil
	}
	e, err := sc.resolve(ctx, a.ast)
	sc.frames, a.busy = frames, false
	if err == nil && !a.inLambda && !sc.inAggregate {
		a.e = e
	}
	return e, err
}

// column finds a column of FROM by a name that may be qualified and may go on
// into subcolumns.
func (sc *scope) column(ctx context.Context, parts []string) (expr.Expr, error) {
	if sc.rel == nil {
		return nil, nil
	}
	if len(parts) == 1 {
		for i := range sc.rel.using {
			if u := &sc.rel.using[i]; u.name == parts[0] {
				return u.e, nil
			}
		}
	}
	c, rest, err := sc.rel.find(parts, sc.setting("single_join_prefer_left_table"))
	if c == nil || err != nil {
		return nil, err
	}
	if c.expr != nil {
		e, err := sc.columnExpr(ctx, c)
		if err != nil {
			return nil, err
		}
		return sc.subcolumns(e, rest)
	}
	return sc.subcolumns(sc.nullableKey(c.node()), rest)
}

// columnExpr resolves an ALIAS column's expression over its own table.
func (sc *scope) columnExpr(ctx context.Context, c *relCol) (expr.Expr, error) {
	in := sc.helper()
	in.parent = nil
	in.rel = &relation{}
	for _, o := range sc.rel.cols {
		if o.src == c.src && o != c {
			in.rel.cols = append(in.rel.cols, o)
		}
	}
	e, err := in.resolve(ctx, c.expr)
	if err != nil {
		return nil, err
	}
	return in.cast(ctx, e, c.t)
}

// find looks for a column. The longest prefix that names a column wins; what
// is left over are subcolumns. Without any, c is nil.
func (r *relation) find(parts []string, preferLeft bool) (c *relCol, rest []string, err error) {
	for n := len(parts); n > 0; n-- {
		var found []*relCol
		for _, col := range r.cols {
			if col.matches(parts[:n]) {
				found = append(found, col)
			}
		}
		found = prefer(found)
		switch {
		case len(found) == 0:
			continue
		case len(found) > 1 && found[0].src != found[1].src && (r.joins > 1 || !preferLeft):
			return nil, nil, cherr.New(cherr.AmbiguousIdentifier, "ambiguous identifier '%s'", strings.Join(parts, "."))
		}
		return found[0], parts[n:], nil
	}
	return nil, nil, nil
}

// prefer leaves out virtual columns where real ones are.
func prefer(cols []*relCol) []*relCol {
	var stored []*relCol
	for _, c := range cols {
		if !c.virtual {
			stored = append(stored, c)
		}
	}
	if stored != nil {
		return stored
	}
	return cols
}

func (c *relCol) matches(parts []string) bool {
	if len(parts) == 1 {
		return c.name == parts[0]
	}
	if c.name == strings.Join(parts, ".") {
		return true
	}
	n := c.src.named(parts)
	return n > 0 && c.name == strings.Join(parts[n:], ".")
}

// subcolumns goes into a value by names: tuple elements and what columns of
// composite types offer.
func (sc *scope) subcolumns(e expr.Expr, names []string) (expr.Expr, error) {
	for i, n := range names {
		if types.WithoutNullable(e.Type()).Kind() == types.KindJSON || e.Type().Kind() == types.KindArray && jsonElements(e.Type()) {
			return sc.call("getSubcolumn", e, sc.text(strings.Join(names[i:], ".")))
		}
		next, err := sc.subcolumn(e, n)
		if err != nil {
			return nil, err
		}
		e = next
	}
	return e, nil
}

// jsonElements tells whether an array is of JSON objects at its bottom.
func jsonElements(t *types.Type) bool {
	for t.Kind() == types.KindArray {
		t = t.Elem()
	}
	return t.Kind() == types.KindJSON
}

func (sc *scope) subcolumn(e expr.Expr, name string) (expr.Expr, error) {
	t := types.WithoutNullable(e.Type())
	switch {
	case t.Kind() == types.KindMap && name == "keys":
		return sc.call("mapKeys", e)
	case t.Kind() == types.KindMap && name == "values":
		return sc.call("mapValues", e)
	case (t.Kind() == types.KindArray || t.Kind() == types.KindMap) && name == "size0":
		return sc.call("length", e)
	case e.Type().Kind() == types.KindNullable && name == "null":
		return sc.call("isNull", e)
	case t.Kind() == types.KindJSON || t.Kind() == types.KindDynamic || t.Kind() == types.KindVariant:
		return sc.call("getSubcolumn", e, sc.text(name))
	}
	inner := t
	for inner.Kind() == types.KindArray {
		inner = types.WithoutNullable(inner.Elem())
	}
	if inner.Kind() != types.KindTuple {
		return nil, cherr.New(cherr.UnknownIdentifier, "Identifier '%s' has no subcolumn in type %s", name, e.Type())
	}
	return sc.call("tupleElement", e, sc.text(name))
}

// foreign records that a column of an outer query is used here.
func (sc *scope) foreign(owner *scope, e expr.Expr) (expr.Expr, error) {
	expr.Walk(e, func(x expr.Expr) {
		if r, ok := x.(*ref); ok {
			for s := sc; s != owner; s = s.parent {
				s.outer = append(s.outer, &outerRef{owner, r})
				if s.domain == nil {
					s.foreignIDs()[r.id] = true
				}
			}
		}
	})
	return e, nil
}

func (sc *scope) parts(x *ast.Identifier) ([]string, error) {
	if x.Params == nil {
		return x.Parts, nil
	}
	out := append([]string(nil), x.Parts...)
	for i, p := range x.Params {
		if p == "" {
			continue
		}
		v, err := sc.a.identifierParam(p)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (a *analyzer) identifierParam(name string) (string, error) {
	v, ok := a.env.Params[name]
	if !ok {
		return "", cherr.New(cherr.UnknownQueryParameter, "Substitution `%s` is not set", name)
	}
	return v, nil
}

// unknown is the error for a name that nothing bears, with what it may have meant.
func (sc *scope) unknown(x ast.Node, parts []string) error {
	name := strings.Join(parts, ".")
	var hints []string
	consider := func(s string) {
		if d := distance(strings.ToLower(s), strings.ToLower(name)); d <= 1+len(name)/4 && len(hints) < 3 {
			hints = append(hints, "'"+s+"'")
		}
	}
	if sc.rel != nil {
		for _, c := range sc.rel.cols {
			if !c.virtual {
				consider(c.name)
			}
		}
	}
	if hints == nil {
		return at(x, cherr.UnknownIdentifier, "Unknown expression identifier `%s`", name)
	}
	return at(x, cherr.UnknownIdentifier, "Unknown expression identifier `%s`. Maybe you meant: [%s]", name, strings.Join(hints, ", "))
}

// distance is the number of edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			prev, row[j] = row[j], min(row[j]+1, row[j-1]+1, prev+cost)
		}
	}
	return row[len(b)]
}

func at(n ast.Node, code cherr.Code, format string, args ...any) error {
	p := n.Pos()
	return cherr.At(code, int(p.Line), int(p.Column), format, args...)
}
