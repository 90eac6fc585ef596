package analyze

import (
	"context"
	"regexp"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/types"
)

// matcher gives the columns that *, t.* and COLUMNS stand for.
func (sc *scope) matcher(ctx context.Context, e ast.Expr) ([]item, error) {
	switch x := e.(type) {
	case *ast.Asterisk:
		items, err := sc.matched(ctx, x, x.Qualifier, nil)
		if err != nil {
			return nil, err
		}
		return sc.transform(ctx, items, x.Transformers)
	case *ast.Columns:
		items, err := sc.columnsMatched(ctx, x)
		if err != nil {
			return nil, err
		}
		return sc.transform(ctx, items, x.Transformers)
	}
	return nil, at(e, cherr.UnknownElementInAST, "Not a matcher")
}

func (sc *scope) columnsMatched(ctx context.Context, x *ast.Columns) ([]item, error) {
	if x.List != nil {
		var out []item
		for _, e := range x.List {
			if id, ok := e.(*ast.Identifier); ok && len(x.Qualifier) > 0 {
				e = &ast.Identifier{At: id.At, Parts: append(append([]string(nil), x.Qualifier...), id.Parts...)}
			}
			b, err := sc.resolve(ctx, e)
			if err != nil {
				return nil, err
			}
			out = append(out, item{e: b, name: sc.nameOf(e), ast: e})
		}
		return out, nil
	}
	pattern := x.Pattern
	if x.PatternParam != "" {
		p, err := sc.a.identifierParam(x.PatternParam)
		if err != nil {
			return nil, err
		}
		pattern = p
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, at(x, cherr.CannotCompileRegexp, "COLUMNS pattern %s cannot be compiled: %v", pattern, err)
	}
	return sc.matched(ctx, x, x.Qualifier, re)
}

// matched gives the columns of the qualified source, or of all.
func (sc *scope) matched(ctx context.Context, x ast.Node, qualifier []string, re *regexp.Regexp) ([]item, error) {
	if len(qualifier) > 0 {
		if items, ok, err := sc.matchedValue(ctx, qualifier, re); ok || err != nil {
			return items, err
		}
	}
	if sc.rel == nil {
		return nil, at(x, cherr.UnknownIdentifier, "A matcher without FROM")
	}
	var out []item
	found := len(qualifier) == 0
	if found {
		for i := range sc.rel.using {
			u := &sc.rel.using[i]
			if re == nil || re.MatchString(u.name) {
				out = append(out, item{e: u.e, name: u.name, ast: ast.NewIdentifier(u.name)})
			}
		}
	}
	for _, c := range sc.rel.cols {
		if len(qualifier) > 0 && c.src.named(append(append([]string(nil), qualifier...), c.name)) < len(qualifier) {
			continue
		}
		found = true
		if c.hidden || re != nil && !re.MatchString(c.name) || len(qualifier) == 0 && sc.rel.common(c) {
			continue
		}
		e := sc.nullableKey(c.node())
		if c.expr != nil {
			var err error
			if e, err = sc.columnExpr(ctx, c); err != nil {
				return nil, err
			}
		}
		out = append(out, item{e: e, name: sc.columnName(c), ast: ast.NewIdentifier(c.name)})
	}
	if !found {
		return nil, at(x, cherr.UnknownIdentifier, "Qualified matcher %s.* does not find table", strings.Join(qualifier, "."))
	}
	return out, nil
}

// matchedValue is x.* over a tuple.
func (sc *scope) matchedValue(ctx context.Context, qualifier []string, re *regexp.Regexp) ([]item, bool, error) {
	if sc.rel != nil {
		for _, c := range sc.rel.cols {
			if c.src.named(append(append([]string(nil), qualifier...), c.name)) == len(qualifier) {
				return nil, false, nil
			}
		}
	}
	var e expr.Expr
	var err error
	for s := sc; s != nil && e == nil && err == nil; s = s.parent {
		e, err = s.name(ctx, qualifier)
	}
	if e == nil || err != nil || e.Type().Kind() != types.KindTuple {
		return nil, false, err
	}
	var out []item
	for i := range e.Type().Elems() {
		n := elementName(e.Type(), i)
		if re != nil && !re.MatchString(n) {
			continue
		}
		x, err := sc.call("tupleElement", e, unsigned(uint64(i+1)))
		if err != nil {
			return nil, true, err
		}
		out = append(out, item{e: x, name: strings.Join(qualifier, ".") + "." + n, ast: ast.NewIdentifier(append(append([]string(nil), qualifier...), n)...)})
	}
	return out, true, nil
}

// common tells whether a column is shown as one of JOIN USING.
func (r *relation) common(c *relCol) bool {
	for i := range r.using {
		if contains(r.using[i].left, c.id) || contains(r.using[i].right, c.id) {
			return true
		}
	}
	return false
}

// transform applies EXCEPT, REPLACE and APPLY in their order.
func (sc *scope) transform(ctx context.Context, items []item, ts []ast.Transformer) ([]item, error) {
	for _, t := range ts {
		var err error
		switch t := t.(type) {
		case *ast.Except:
			items, err = sc.except(items, t)
		case *ast.Replace:
			items, err = sc.replace(ctx, items, t)
		case *ast.Apply:
			items, err = sc.apply(ctx, items, t)
		}
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// bare is a column's name without qualifier, by which transformers know it.
func (it item) bare() string {
	if id, ok := it.ast.(*ast.Identifier); ok {
		return id.Parts[len(id.Parts)-1]
	}
	return it.name
}

func (sc *scope) except(items []item, t *ast.Except) ([]item, error) {
	drop := map[string]bool{}
	for _, n := range t.Names {
		drop[n.Parts[len(n.Parts)-1]] = false
	}
	var re *regexp.Regexp
	if len(t.Names) == 0 {
		var err error
		if re, err = regexp.Compile(t.Pattern); err != nil {
			return nil, at(t, cherr.CannotCompileRegexp, "EXCEPT pattern %s cannot be compiled: %v", t.Pattern, err)
		}
	}
	var out []item
	for _, it := range items {
		n := it.bare()
		if _, ok := drop[n]; ok {
			drop[n] = true
			continue
		}
		if re == nil || !re.MatchString(n) {
			out = append(out, it)
		}
	}
	if t.Strict {
		for n, seen := range drop {
			if !seen {
				return nil, at(t, cherr.BadArguments, "Columns transformer EXCEPT expects following column: %s", n)
			}
		}
	}
	return out, nil
}

func (sc *scope) replace(ctx context.Context, items []item, t *ast.Replace) ([]item, error) {
	out := append([]item(nil), items...)
	for _, r := range t.Items {
		seen := false
		for i := range out {
			if out[i].bare() != r.Alias {
				continue
			}
			e, err := sc.resolve(ctx, r.Expr)
			if err != nil {
				return nil, err
			}
			out[i] = item{e: e, name: r.Alias, ast: r.Expr}
			out[i].name, seen = r.Alias, true
		}
		if t.Strict && !seen {
			return nil, at(t, cherr.BadArguments, "Columns transformer REPLACE expects following column: %s", r.Alias)
		}
	}
	return out, nil
}

// apply calls a function for each column. The column stands in the call as a
// bound expression under a name that no query can write.
func (sc *scope) apply(ctx context.Context, items []item, t *ast.Apply) ([]item, error) {
	out := make([]item, len(items))
	for i, it := range items {
		hole := "\x00column"
		was := sc.aliases[hole]
		sc.aliases[hole] = &alias{name: hole, ast: ast.NewIdentifier(hole), e: it.e, bound: true}
		var call ast.Expr = &ast.Function{At: t.At, Name: t.Func, Params: t.Params, HasParams: t.Params != nil, Args: []ast.Expr{ast.NewIdentifier(hole)}}
		if t.Lambda != nil {
			call = substitute(t.Lambda, []ast.Expr{ast.NewIdentifier(hole)})
		}
		e, err := sc.resolve(ctx, call)
		name := strings.ReplaceAll(sc.nameOf(call), hole, it.name)
		delete(sc.aliases, hole)
		if was != nil {
			sc.aliases[hole] = was
		}
		if err != nil {
			return nil, err
		}
		if t.Prefix != "" {
			name = t.Prefix + it.name
		}
		out[i] = item{e: e, name: name}
	}
	return out, nil
}
