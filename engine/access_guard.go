package engine

import (
	"context"
	"reflect"
	"strings"
	"sync"

	"lakeserver/access"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/parse"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/table"
)

// openedTables remembers where the tables of a query came from.
type openedTables struct {
	mu sync.Mutex
	m  map[table.Table]*database.Entry
}

// opened remembers a table for guard. One that cannot be told from others by
// its value must be granted whole.
func (r *run) opened(e *database.Entry, t table.Table) error {
	a := r.s.user.Access
	if a == nil || e.Temporary {
		return nil
	}
	if !reflect.TypeOf(t).Comparable() {
		return a.Check(access.Need{Access: access.Select, Path: []string{e.Database, e.Name}})
	}
	r.tables.mu.Lock()
	defer r.tables.mu.Unlock()
	if r.tables.m == nil {
		r.tables.m = map[table.Table]*database.Entry{}
	}
	r.tables.m[t] = e
	return nil
}

// viewAllowed refuses a view that the user may not read; what it reads in turn
// is asked as if he read it himself.
func (r *run) viewAllowed(e *database.Entry) error {
	if r.s.user.Access == nil {
		return nil
	}
	return r.s.user.Access.Check(access.Need{Access: access.Select, Path: []string{e.Database, e.Name}, Any: true})
}

// sourceAllowed refuses a table function whose source the user may not read.
func (r *run) sourceAllowed(f *ast.Function) error {
	a, source := r.s.user.Access, sourceOf(f.Name)
	if a == nil || source == "" {
		return nil
	}
	if name := r.collectionOf(f); name != "" {
		if err := a.Check(access.Need{Access: "NAMED COLLECTION", Path: []string{name}}); err != nil {
			return err
		}
	}
	return a.Check(access.Need{Access: access.CreateTemporary},
		access.Need{Access: access.Read, Path: []string{source}, Source: addressOf(f)})
}

// wholeAllowed refuses a table that a table function reads in its own way, of
// which the user may not read all.
func (r *run) wholeAllowed(t table.Table) error {
	a := r.s.user.Access
	e := r.originOf(t)
	if a == nil || e == nil || isSystem(e) {
		return nil
	}
	need := access.Need{Access: access.Select, Path: []string{e.Database, e.Name}}
	if permissive, restrictive := a.Policy(e.Database, e.Name); len(permissive)+len(restrictive) > 0 {
		return a.Denied(need) // its rows are not all his to see
	}
	return a.Check(need)
}

// guard is the one place where what a query reads meets the user's rights: it
// sees the plan before any rule has run. A column that is read must be
// granted; rows that a policy hides are filtered out above the scan.
func (r *run) guard(ctx context.Context, n plan.Node) (plan.Node, error) {
	a := r.s.user.Access
	if a == nil || a.Effective().Everything() {
		return n, nil
	}
	for _, s := range plan.Reads(n) {
		e := r.originOf(s.Table)
		if e == nil || alwaysAllowed(e) {
			continue
		}
		need := access.Need{Access: access.Select, Path: []string{e.Database, e.Name}, Any: true}
		if names := columnNames(s); len(names) > 0 {
			need.Columns, need.Any = names, false
		}
		if err := a.Check(need); err != nil {
			return nil, err
		}
	}
	return plan.ReplaceScans(n, func(s *plan.Scan) (plan.Node, error) {
		e := r.originOf(s.Table)
		if e == nil {
			return s, nil
		}
		cond, err := r.visibleRows(e)
		if err != nil || cond == nil {
			return s, err
		}
		return r.filtered(ctx, s, cond)
	})
}

func (r *run) originOf(t table.Table) *database.Entry {
	if !reflect.TypeOf(t).Comparable() {
		return nil
	}
	r.tables.mu.Lock()
	defer r.tables.mu.Unlock()
	return r.tables.m[t]
}

// columnNames gives the table's columns that are read; virtual ones belong to
// the table as a whole.
func columnNames(s *plan.Scan) []string {
	all := s.Table.Columns()
	var out []string
	for _, c := range s.Columns {
		if c < len(all) {
			out = append(out, all[c].Name)
		}
	}
	return out
}

// openTables are tables of system that tell nothing of data: everybody may
// read them. The rows of those in filteredTables are chosen by what the user
// may see.
var openTables = map[string]bool{
	"one": true, "numbers": true, "numbers_mt": true, "zeros": true, "zeros_mt": true, "functions": true, "formats": true,
	"table_functions": true, "table_engines": true, "database_engines": true, "data_type_families": true, "settings": true,
	"merge_tree_settings": true, "aggregate_function_combinators": true, "build_options": true, "contributors": true,
	"licenses": true, "time_zones": true, "collations": true, "keywords": true, "privileges": true, "macros": true, "completions": true,
	"current_roles": true, "enabled_roles": true, "quota_usage": true, "warnings": true, "events": true, "errors": true,
	"character_sets": true, "engines": true, "key_column_usage": true, "referential_constraints": true, "statistics": true,
	"dictionaries": true, "processes": true, "clusters": true,
}

// filteredTables are the tables that list databases and tables, with the
// columns that name them.
var filteredTables = map[string][]string{
	"databases": {"name"}, "tables": {"database", "name"}, "columns": {"database", "table"},
	"named_collections": {"name"}, "schemata": {"schema_name"}, "views": {"table_schema", "table_name"}, "processes": {"user"},
}

func isSystem(e *database.Entry) bool {
	return e.Database == "system" || strings.EqualFold(e.Database, "information_schema")
}

func alwaysAllowed(e *database.Entry) bool {
	name := strings.ToLower(e.Name)
	return isSystem(e) && (openTables[name] || filteredTables[name] != nil)
}

// visibleRows gives what holds for the rows that the user may see of a table;
// nil where he may see all.
func (r *run) visibleRows(e *database.Entry) (ast.Expr, error) {
	a := r.s.user.Access
	if isSystem(e) {
		return r.listed(e), nil
	}
	permissive, restrictive := a.Policy(e.Database, e.Name)
	var all []ast.Expr
	if len(permissive) > 0 {
		var any []ast.Expr
		for _, text := range permissive {
			x, err := parse.ParseExpr(text)
			if err != nil {
				return nil, err
			}
			any = append(any, x)
		}
		all = append(all, joined("or", any))
	}
	for _, text := range restrictive {
		x, err := parse.ParseExpr(text)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return joined("and", all), nil
}

func joined(op string, list []ast.Expr) ast.Expr {
	if len(list) == 1 {
		return list[0]
	}
	return ast.Op(op, list...)
}

// listed is the condition on a table that lists others: what is in it must be
// visible to the user.
func (r *run) listed(e *database.Entry) ast.Expr {
	cols := filteredTables[strings.ToLower(e.Name)]
	if e.Name == "named_collections" && r.s.engine.cfg.Collections == nil {
		return nil
	}
	rights := r.s.user.Access.Effective().Rights
	if cols == nil || rights.IsAll() {
		return nil
	}
	if strings.EqualFold(e.Database, "information_schema") && (strings.EqualFold(e.Name, "tables") || strings.EqualFold(e.Name, "columns")) {
		cols = []string{"table_schema", "table_name"}
	}
	name := func(i int) ast.Expr { return ast.NewIdentifier(cols[i]) }
	if cols[0] == "user" {
		if rights.Allows(access.Need{Access: access.KillQuery}) {
			return nil
		}
		return ast.Op("equals", name(0), ast.NewString(r.s.user.Name))
	}
	var seen []ast.Expr
	if e.Name == "named_collections" {
		for _, c := range r.s.engine.cfg.Collections.All() {
			if rights.Allows(access.Need{Access: "SHOW NAMED COLLECTIONS", Path: []string{c.Name}}) {
				seen = append(seen, ast.NewString(c.Name))
			}
		}
		return anyOf(name(0), seen)
	}
	for _, db := range r.s.engine.catalog.Databases() {
		if len(cols) == 1 {
			if rights.Visible(db.Name) || isSystem(&database.Entry{Database: db.Name}) {
				seen = append(seen, ast.NewString(db.Name))
			}
			continue
		}
		for _, t := range r.s.engine.catalog.Tables(db.Name) {
			if rights.Visible(db.Name, t.Name) || alwaysAllowed(t) {
				seen = append(seen, ast.Op("tuple", ast.NewString(db.Name), ast.NewString(t.Name)))
			}
		}
	}
	left := name(0)
	if len(cols) == 2 {
		left = ast.Op("tuple", name(0), name(1))
	}
	return anyOf(left, seen)
}

// anyOf is x IN (values); without any it is never true.
func anyOf(x ast.Expr, values []ast.Expr) ast.Expr {
	if len(values) == 0 {
		return ast.NewUint(0)
	}
	return ast.Op("in", x, ast.Op("tuple", values...))
}

// filtered reads a table under a condition. The scan reads what the condition
// asks for beside what the query does; the query sees its own columns.
func (r *run) filtered(ctx context.Context, s *plan.Scan, cond ast.Expr) (plan.Node, error) {
	h := make(column.Header, 0, len(s.Table.Columns()))
	for _, c := range s.Table.Columns() {
		h = append(h, column.Field{Name: c.Name, Type: c.Type})
	}
	bound, err := analyze.BindOver(ctx, r.env, h, cond)
	if err != nil {
		return nil, err
	}
	wide := *s
	wide.Columns, wide.Fields = append([]int(nil), s.Columns...), append(column.Header(nil), s.Fields...)
	at := map[int]int{}
	for i, c := range wide.Columns {
		at[c] = i
	}
	for _, c := range expr.Columns(bound) {
		if _, ok := at[c]; !ok {
			at[c] = len(wide.Columns)
			wide.Columns, wide.Fields = append(wide.Columns, c), append(wide.Fields, h[c])
		}
	}
	filter := &plan.Filter{Input: &wide, Conditions: expr.Conjuncts(expr.Remap(bound, func(i int) int { return at[i] }))}
	out := &plan.Project{Input: filter}
	for i, f := range s.Fields {
		out.Exprs = append(out.Exprs, &expr.Column{Index: i, Name: f.Name, T: f.Type})
		out.Fields = append(out.Fields, f)
	}
	return out, nil
}
