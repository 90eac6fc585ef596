package analyze

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

// from resolves FROM. Without one there is system.one: a row with dummy = 0.
func (sc *scope) from(ctx context.Context, t ast.Table) (*relation, error) {
	switch t := t.(type) {
	case nil:
		return sc.one(), nil
	case *ast.TableExpr:
		return sc.tableExpr(ctx, t)
	case *ast.Join:
		return sc.join(ctx, t)
	case *ast.ArrayJoin:
		return sc.arrayJoin(ctx, t)
	}
	return nil, cherr.New(cherr.NotImplemented, "Unknown element of FROM")
}

func (sc *scope) one() *relation {
	h := column.Header{{Name: "dummy", Type: types.UInt8}}
	n := &plan.Values{Fields: h, Blocks: []*column.Block{column.NewBlock(&column.Fixed[uint8]{Values: []uint8{0}})}}
	return sc.relationOf(n, &source{database: "system", table: "one"})
}

// relationOf makes a relation of a plan's columns. Of several with one name the
// last is what the name means, and what * shows for each of them.
func (sc *scope) relationOf(n plan.Node, src *source) *relation {
	r := &relation{st: newStage(n)}
	for i, f := range n.Header() {
		c := &relCol{ref: ref{id: sc.a.id(), name: f.Name, t: f.Type}, src: src}
		r.cols = append(r.cols, c)
		r.st.at[c.node().String()] = i
	}
	last := map[string]ref{}
	for _, c := range slices.Backward(r.cols) {
		if of, ok := last[c.name]; ok {
			c.ref = of
		}
		last[c.name] = c.ref
	}
	return r
}

func (sc *scope) tableExpr(ctx context.Context, t *ast.TableExpr) (*relation, error) {
	r, err := sc.tableSource(ctx, t)
	if err != nil {
		return nil, err
	}
	for i, name := range t.Columns {
		if i < len(r.cols) {
			r.cols[i].name = name
		}
	}
	if len(t.Columns) > 0 { // the keys of the stage print the names
		r.st.at = map[string]int{}
		for i, c := range r.cols {
			r.st.at[c.node().String()] = i
		}
	}
	return r, nil
}

func (sc *scope) tableSource(ctx context.Context, t *ast.TableExpr) (*relation, error) {
	switch {
	case t.Query != nil:
		if t.Final {
			return nil, at(t, cherr.UnsupportedMethod, "FINAL is not supported for subqueries")
		}
		n, err := sc.a.query(ctx, t.Query, sc.child())
		if err != nil {
			return nil, err
		}
		return sc.relationOf(n, &source{alias: t.Alias}), nil
	case t.Function != nil:
		return sc.tableFunction(ctx, t)
	}
	return sc.namedTable(ctx, t)
}

func (sc *scope) namedTable(ctx context.Context, t *ast.TableExpr) (*relation, error) {
	db, name := t.Name.Database, t.Name.Table
	var err error
	if t.Name.DatabaseParam != "" {
		if db, err = sc.a.identifierParam(t.Name.DatabaseParam); err != nil {
			return nil, err
		}
	}
	if t.Name.TableParam != "" {
		if name, err = sc.a.identifierParam(t.Name.TableParam); err != nil {
			return nil, err
		}
	}
	src := &source{database: db, table: name, alias: t.Alias}
	if db == "" {
		if c := sc.findCTE(name); c != nil {
			return sc.useCTE(ctx, c, &source{table: name, alias: t.Alias})
		}
		src.database = sc.fenv.Database
	}
	version, err := sc.version(ctx, t.Version)
	if err != nil {
		return nil, err
	}
	if sc.a.env.Tables == nil {
		return nil, at(t, cherr.UnknownTable, "Unknown table expression identifier '%s'", name)
	}
	tab, view, err := sc.a.env.Tables.Table(ctx, db, name, version)
	if err != nil {
		return nil, err
	}
	if view != nil {
		return sc.useView(ctx, view, src)
	}
	sc.a.tables = append(sc.a.tables, OpenTable{Database: src.database, Name: name, Table: tab})
	return sc.scan(ctx, t, tab, src, name)
}

func (sc *scope) version(ctx context.Context, v *ast.TimeTravel) (*functions.TimeTravel, error) {
	if v == nil {
		return nil, nil
	}
	e, err := sc.bare().resolve(ctx, v.Value)
	if err != nil {
		return nil, err
	}
	l, err := sc.constantOf(v.Value, e)
	if err != nil {
		return nil, err
	}
	return &functions.TimeTravel{Timestamp: v.Timestamp, Type: l.T, Value: boxed(l)}, nil
}

// bare is a scope without columns, for constants.
func (sc *scope) bare() *scope {
	c := sc.helper()
	c.noAggregate = "a constant"
	return c
}

// scan reads a table.
func (sc *scope) scan(ctx context.Context, t *ast.TableExpr, tab table.Table, src *source, name string) (*relation, error) {
	if t.Final {
		m, ok := tab.(table.Merging)
		if !ok {
			return nil, at(t, cherr.IllegalFinal, "Storage of table %s doesn't support FINAL", name)
		}
		var err error
		if tab, err = m.Final(ctx); err != nil {
			return nil, err
		}
	}
	if t.Sample != nil {
		return nil, at(t, cherr.SamplingNotSupported, "Storage of table %s doesn't support sampling", name)
	}
	cols := tab.Columns()
	n := &plan.Scan{Table: tab, Name: name}
	r := &relation{}
	add := func(i int, c table.Column, hidden, virtual bool) error {
		rc := &relCol{ref: ref{id: sc.a.id(), name: c.Name, t: c.Type}, src: src, hidden: hidden, virtual: virtual}
		r.cols = append(r.cols, rc)
		if c.DefaultKind == "ALIAS" {
			rc.hidden = !sc.setting("asterisk_include_alias_columns")
			if sc.a.env.Parse == nil {
				return nil
			}
			e, err := sc.a.env.Parse(c.DefaultExpr)
			rc.expr = e
			return err
		}
		n.Columns = append(n.Columns, i)
		n.Fields = append(n.Fields, column.Field{Name: c.Name, Type: c.Type})
		return nil
	}
	for i, c := range cols {
		hidden := c.DefaultKind == "EPHEMERAL" || c.DefaultKind == "MATERIALIZED" && !sc.setting("asterisk_include_materialized_columns")
		if err := add(i, c, hidden, false); err != nil {
			return nil, err
		}
	}
	if v, ok := tab.(table.Virtual); ok {
		for i, c := range v.VirtualColumns() {
			if err := add(len(cols)+i, c, true, true); err != nil {
				return nil, err
			}
		}
	}
	r.st = newStage(n)
	i := 0
	for _, c := range r.cols {
		if c.expr == nil {
			r.st.at[c.node().String()] = i
			i++
		}
	}
	return r, nil
}

func (sc *scope) useView(ctx context.Context, v *View, src *source) (*relation, error) {
	root := sc.a.root()
	if v.Database != "" {
		fenv := *sc.fenv
		fenv.Database = v.Database
		root.fenv = &fenv
	}
	n, err := sc.a.query(ctx, v.Query, root)
	if err != nil {
		return nil, err
	}
	if v.Columns == nil {
		return sc.relationOf(n, src), nil
	}
	if n, err = sc.reshape(ctx, n, v.Columns); err != nil {
		return nil, err
	}
	return sc.relationOf(n, src), nil
}

// reshape casts a view's columns to the types it was declared with, by name.
func (sc *scope) reshape(ctx context.Context, n plan.Node, cols []table.Column) (plan.Node, error) {
	p := &plan.Project{Input: n}
	for _, c := range cols {
		i := n.Header().Index(c.Name)
		if i < 0 {
			return nil, cherr.New(cherr.ThereIsNoColumn, "The view's query gives no column %s", c.Name)
		}
		f := n.Header()[i]
		e, err := sc.cast(ctx, &expr.Column{Index: i, Name: f.Name, T: f.Type}, c.Type)
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, e)
		p.Fields = append(p.Fields, column.Field{Name: c.Name, Type: c.Type})
	}
	return p, nil
}

// tableFunction opens a function of FROM; view(SELECT …) is its query.
func (sc *scope) tableFunction(ctx context.Context, t *ast.TableExpr) (*relation, error) {
	f := t.Function
	if f.Name == "view" && len(f.Args) == 1 {
		if q, ok := f.Args[0].(*ast.Subquery); ok {
			n, err := sc.a.query(ctx, q.Query, sc.child())
			if err != nil {
				return nil, err
			}
			return sc.relationOf(n, &source{alias: t.Alias}), nil
		}
	}
	tf, ok := sc.a.env.Registry.Table(f.Name)
	if !ok {
		if r, err := sc.parametrised(ctx, t); r != nil || err != nil {
			return r, err
		}
		return nil, at(f, cherr.UnknownFunction, "Unknown table function %s", f.Name)
	}
	if sc.a.env.Source != nil {
		if err := sc.a.env.Source(f); err != nil {
			return nil, err
		}
	}
	req := &functions.OpenRequest{Name: f.Name}
	if f == sc.a.target {
		req.Incoming = sc.a.incoming
	}
	args := f.Args
	var err error
	if tf.TakesTable && len(args) > 0 {
		of, err := sc.tableArgument(ctx, args[0])
		if err != nil {
			return nil, err
		}
		req.Args, args = append(req.Args, functions.TableArg{Table: of}), args[1:]
	}
	rest, err := sc.tableArgs(ctx, args)
	if err != nil {
		return nil, err
	}
	req.Args = append(req.Args, rest...)
	if req.Version, err = sc.version(ctx, t.Version); err != nil {
		return nil, err
	}
	env := sc.fenv
	switch {
	case len(f.Settings) > 0 && tf.OwnSettings:
		if req.Options, err = sc.optionTexts(ctx, f.Settings); err != nil {
			return nil, err
		}
	case len(f.Settings) > 0:
		if env, err = sc.withSettings(ctx, f.Settings); err != nil {
			return nil, err
		}
	}
	tab, err := tf.Open(ctx, env, req)
	if err != nil {
		return nil, err
	}
	sc.a.tables = append(sc.a.tables, OpenTable{Function: f.Name, Table: tab})
	alias := t.Alias
	return sc.scan(ctx, t, tab, &source{alias: alias, table: f.Name, database: "_table_function"}, f.Name)
}

// tableArgument opens what a table function's first argument names.
func (sc *scope) tableArgument(ctx context.Context, a ast.Expr) (table.Table, error) {
	t := &ast.TableExpr{}
	switch x := a.(type) {
	case *ast.Identifier:
		parts, err := sc.parts(x)
		if err != nil {
			return nil, err
		}
		t.Name = &ast.TableName{Table: parts[len(parts)-1]}
		if len(parts) > 1 {
			t.Name.Database = parts[0]
		}
	case *ast.Function:
		t.Function = x
	default:
		return nil, at(a, cherr.BadArguments, "%s names no table", ast.Format(a))
	}
	before := len(sc.a.tables)
	if _, err := sc.tableExpr(ctx, t); err != nil {
		return nil, err
	}
	if len(sc.a.tables) != before+1 {
		return nil, at(a, cherr.BadArguments, "%s is a query, not a table", ast.Format(a))
	}
	if sc.a.env.Whole != nil {
		if err := sc.a.env.Whole(sc.a.tables[before].Table); err != nil {
			return nil, err
		}
	}
	return sc.a.tables[before].Table, nil
}

// optionTexts gives settings that are the table's own.
func (sc *scope) optionTexts(ctx context.Context, list []*ast.Setting) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range list {
		text, ok, err := sc.settingText(ctx, s)
		if err != nil {
			return nil, err
		}
		if ok && !s.Default {
			out[s.Name] = text
		}
	}
	return out, nil
}

// parametrised is a view with parameters: v(x = 1).
func (sc *scope) parametrised(ctx context.Context, t *ast.TableExpr) (*relation, error) {
	if sc.a.env.Tables == nil {
		return nil, nil
	}
	_, view, err := sc.a.env.Tables.Table(ctx, "", t.Function.Name, nil)
	if err != nil || view == nil {
		return nil, nil
	}
	params := map[string]string{}
	for k, v := range sc.a.env.Params {
		params[k] = v
	}
	args, err := sc.tableArgs(ctx, t.Function.Args)
	if err != nil {
		return nil, err
	}
	for _, a := range args {
		s, err := sc.cast(ctx, valueOf(a.Type, a.Value), types.String)
		if err != nil {
			return nil, err
		}
		text, _ := boxed(s.(*expr.Literal)).(string)
		params[a.Key] = text
	}
	was := sc.a.env
	env := *was
	env.Params = params
	sc.a.env = &env
	defer func() { sc.a.env = was }()
	return sc.useView(ctx, view, &source{table: t.Function.Name, alias: t.Alias})
}

// tableArgs binds the arguments of a table function.
func (sc *scope) tableArgs(ctx context.Context, args []ast.Expr) ([]functions.TableArg, error) {
	out := make([]functions.TableArg, 0, len(args))
	for _, a := range args {
		many, err := sc.spreadArgs(ctx, a)
		if err != nil {
			return nil, err
		}
		if many != nil {
			out = append(out, many...)
			continue
		}
		one, err := sc.tableArg(ctx, a)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// spreadArgs binds an argument that stands for several: untuple(t), t.*.
func (sc *scope) spreadArgs(ctx context.Context, a ast.Expr) ([]functions.TableArg, error) {
	switch x := ast.Unalias(a).(type) {
	case *ast.Asterisk, *ast.Columns:
	case *ast.Function:
		if x.Name != "untuple" {
			return nil, nil
		}
	default:
		return nil, nil
	}
	items, err := sc.bare().items(ctx, a)
	if err != nil {
		return nil, err
	}
	out := make([]functions.TableArg, len(items))
	for i, it := range items {
		l, err := sc.constantOf(a, it.e)
		if err != nil {
			return nil, err
		}
		out[i] = functions.TableArg{Type: l.T, Value: boxed(l), Const: true}
	}
	return out, nil
}

// headerArgs binds headers('Name' = 'value', …), whose names are strings.
func (sc *scope) headerArgs(ctx context.Context, f *ast.Function) (functions.TableArg, error) {
	call := &functions.TableCall{Name: f.Name}
	for _, a := range f.Args {
		eq, ok := a.(*ast.Function)
		if !ok || eq.Name != "equals" || len(eq.Args) != 2 {
			return functions.TableArg{}, cherr.New(cherr.BadArguments, "headers takes 'name' = 'value'")
		}
		v, err := sc.tableArg(ctx, eq.Args[1])
		if err != nil {
			return v, err
		}
		switch k := eq.Args[0].(type) {
		case *ast.Literal:
			v.Key = k.Text
		case *ast.Identifier:
			v.Key = k.Parts[len(k.Parts)-1]
		}
		call.Args = append(call.Args, v)
	}
	return functions.TableArg{Call: call}, nil
}

func (sc *scope) tableArg(ctx context.Context, a ast.Expr) (functions.TableArg, error) {
	switch x := a.(type) {
	case *ast.Identifier:
		if len(x.Parts) != 1 || sc.visibleAlias(x.Parts[0]) == nil {
			parts, err := sc.parts(x)
			if err != nil {
				return functions.TableArg{}, err
			}
			name := ""
			for i, p := range parts {
				if i > 0 {
					name += "."
				}
				name += p
			}
			return functions.TableArg{Ident: name}, nil
		}
	case *ast.Function:
		if x.Name == "equals" && len(x.Args) == 2 {
			if id, ok := x.Args[0].(*ast.Identifier); ok && len(id.Parts) == 1 {
				v, err := sc.tableArg(ctx, x.Args[1])
				v.Key = id.Parts[0]
				return v, err
			}
		}
		if x.Name == "headers" {
			return sc.headerArgs(ctx, x)
		}
		if _, ok := sc.a.env.Registry.Scalar(x.Name); !ok && sc.namedLambda(x.Name) == nil {
			inner, err := sc.tableArgs(ctx, x.Args)
			return functions.TableArg{Call: &functions.TableCall{Name: x.Name, Args: inner}}, err
		}
	}
	e, err := sc.bare().resolve(ctx, a)
	if err != nil {
		return functions.TableArg{}, err
	}
	l, err := sc.constantOf(a, e)
	if err != nil {
		return functions.TableArg{}, err
	}
	return functions.TableArg{Type: l.T, Value: boxed(l), Const: true}, nil
}

func (sc *scope) visibleAlias(name string) *alias {
	for s := sc; s != nil; s = s.parent {
		if a, ok := s.aliases[name]; ok {
			return a
		}
	}
	return nil
}
