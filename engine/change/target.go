package change

import (
	"slices"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/table"
)

// Database is where the queries of this package find the rows of the changed
// table (table.Change.Rows) by the table's own name. No statement can name it,
// so that subqueries over the table read the table as it is.
const Database = "\x00change"

// Names that no statement can spell, for columns of our own.
const (
	clauseName = "\x00clause"
	hashName   = "\x00hash"
	goneName   = "\x00gone"
	targetName = "\x00target"
	sourceName = "\x00source"
)

// Target is the table that a statement changes.
type Target struct {
	Name, Alias string
	Columns     []table.Column // of table.Change.Rows
	RowID       []string       // names of what names a row
	Parse       func(text string) (ast.Expr, error)
}

// Query finds the rows of one change. Its columns are those that name a row;
// then, if Tagged, a UInt8 with the number of the row's clause, 0 for none;
// then, if Unique, 16 bytes that stand for the row's name; then, if Values, the
// stored columns with their new values.
type Query struct {
	Select *ast.Select
	// Clauses say what becomes of the rows of each clause. The first is that of
	// rows without a clause where the query is not Tagged.
	Clauses []table.RowChange
	Tagged  bool
	// Unique: a row of the target may not come twice, except in clauses that
	// insert.
	Unique bool
	Values bool
	// Checks are queries that must be sound, though they are not run: clauses
	// that may only name the columns of one side.
	Checks []ast.Query
}

func (t *Target) from() *ast.TableExpr {
	return &ast.TableExpr{Name: &ast.TableName{Database: Database, Table: t.Name}, Alias: t.Alias}
}

// column names a column of the target.
func (t *Target) column(name string) ast.Expr {
	if t.Alias == "" {
		return ast.NewIdentifier(name)
	}
	return ast.NewIdentifier(t.Alias, name)
}

func (t *Target) stored() []table.Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c table.Column) bool { return !c.Stored() })
}

func (t *Target) find(name string) (table.Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Name == name })
	if i < 0 {
		return table.Column{}, false
	}
	return t.Columns[i], true
}

// assigned gives the new values that SET names, cast to their columns' types.
func (t *Target) assigned(set []*ast.Assignment) (map[string]ast.Expr, error) {
	out := map[string]ast.Expr{}
	for _, a := range set {
		name := t.nameOf(a.Column)
		c, ok := t.find(name)
		switch {
		case !ok:
			return nil, cherr.New(cherr.NoSuchColumnInTable, "There is no column %s in table", ast.Format(a.Column))
		case c.DefaultKind != "" && c.DefaultKind != "DEFAULT":
			return nil, cherr.New(cherr.CannotUpdateColumn, "Cannot UPDATE %s column `%s`", c.DefaultKind, name)
		case out[name] != nil:
			return nil, cherr.New(cherr.BadArguments, "Multiple assignments in the single statement to column `%s`", name)
		}
		out[name] = cast(a.Expr, c)
	}
	return out, nil
}

// nameOf gives the column that an identifier names, without the table's name.
func (t *Target) nameOf(id *ast.Identifier) string {
	parts := id.Parts
	if len(parts) > 1 && (parts[0] == t.Alias || t.Alias == "" && parts[0] == t.Name) {
		parts = parts[1:]
	}
	name := parts[0]
	for _, p := range parts[1:] {
		name += "." + p
	}
	return name
}

// updated gives the new value of every stored column: assigned ones, and
// MATERIALIZED ones over them.
func (t *Target) updated(assigned map[string]ast.Expr) ([]ast.Expr, error) {
	var out []ast.Expr
	for _, c := range t.stored() {
		v := assigned[c.Name]
		if v == nil && c.DefaultKind == "MATERIALIZED" {
			e, hit, err := t.substituted(c, assigned)
			if err != nil {
				return nil, err
			}
			if hit {
				v = cast(e, c)
			}
		}
		if v == nil {
			v = t.column(c.Name)
		}
		out = append(out, v)
	}
	return out, nil
}

// inserted gives the value of every stored column of a new row.
func (t *Target) inserted(given map[string]ast.Expr) ([]ast.Expr, error) {
	values := map[string]ast.Expr{}
	for k, v := range given {
		values[k] = v
	}
	var fill func(c table.Column, depth int) error
	fill = func(c table.Column, depth int) error {
		if values[c.Name] != nil {
			return nil
		}
		if depth > len(t.Columns) {
			return cherr.New(cherr.CyclicAliases, "Default of column `%s` depends on itself", c.Name)
		}
		if c.DefaultExpr == "" {
			values[c.Name] = ast.Call("defaultValueOfTypeName", ast.NewString(c.Type.String()))
			return nil
		}
		e, err := t.Parse(c.DefaultExpr)
		if err != nil {
			return err
		}
		for _, name := range names(e) {
			if of, ok := t.find(name); ok {
				if err := fill(of, depth+1); err != nil {
					return err
				}
			}
		}
		e, _ = substitute(e, values)
		values[c.Name] = cast(e, c)
		return nil
	}
	var out []ast.Expr
	for _, c := range t.stored() {
		if err := fill(c, 0); err != nil {
			return nil, err
		}
		out = append(out, values[c.Name])
	}
	return out, nil
}

// substituted is a column's expression over new values; hit tells whether it
// names one of them.
func (t *Target) substituted(c table.Column, values map[string]ast.Expr) (e ast.Expr, hit bool, err error) {
	if e, err = t.Parse(c.DefaultExpr); err != nil {
		return nil, false, err
	}
	// What is not assigned is the target's, whatever else the query reads.
	all := map[string]ast.Expr{}
	for _, c := range t.Columns {
		all[c.Name] = t.column(c.Name)
	}
	for _, name := range names(e) {
		hit = hit || values[name] != nil
	}
	for k, v := range values {
		all[k] = v
	}
	e, _ = substitute(e, all)
	return e, hit, nil
}

// names gives the names of one part that an expression holds.
func names(e ast.Expr) []string {
	var out []string
	ast.Walk(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Identifier); ok && len(id.Parts) == 1 {
			out = append(out, id.Parts[0])
		}
		return true
	})
	return out
}

// substitute puts values in the place of names.
func substitute(e ast.Expr, values map[string]ast.Expr) (ast.Expr, bool) {
	hit := false
	out := ast.Rewrite(ast.Clone(e), func(n ast.Node) ast.Node {
		id, ok := n.(*ast.Identifier)
		if !ok || len(id.Parts) != 1 || values[id.Parts[0]] == nil {
			return n
		}
		hit = true
		return ast.Clone(values[id.Parts[0]])
	})
	return out, hit
}

func cast(e ast.Expr, c table.Column) ast.Expr {
	return ast.Call("_CAST", e, ast.NewString(c.Type.String()))
}

func named(e ast.Expr, name string) ast.Expr { return &ast.Aliased{Expr: e, Alias: name} }

// place is the name of the i-th column of a query of ours. It differs from all
// columns: a SELECT's alias would hide the column of its name from the rest of
// the SELECT, and old values from new ones.
func place(prefix string, i int) string { return "\x00" + prefix + strconv.Itoa(i) }
