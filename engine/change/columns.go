package change

import (
	"slices"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/table"
)

// Column is a column that a table is to have, and the one that its values come
// from, "" where it is new.
type Column struct {
	table.Column
	From string
	Cast bool // the values change their type
}

// Columns applies the commands of an ALTER to a table's columns; engine is for
// the words of a refusal.
func Columns(cols []table.Column, commands []table.AlterCommand, engine string, parse func(string) (ast.Expr, error)) ([]Column, error) {
	l := &list{engine: engine, parse: parse}
	for _, c := range cols {
		l.cols = append(l.cols, Column{Column: c, From: c.Name})
	}
	for i := range commands {
		if err := l.apply(&commands[i]); err != nil {
			return nil, err
		}
	}
	if len(l.cols) == 0 {
		return nil, cherr.New(cherr.BadArguments, "Cannot drop or clear all columns")
	}
	return l.cols, nil
}

// list is the columns while commands are applied.
type list struct {
	engine string
	parse  func(string) (ast.Expr, error)
	cols   []Column
}

func (l *list) index(name string) int {
	return slices.IndexFunc(l.cols, func(c Column) bool { return c.Name == name })
}

func (l *list) apply(c *table.AlterCommand) error {
	for _, path := range [][]string{c.Path, c.To, c.After} {
		if len(path) > 1 {
			return cherr.New(cherr.NotImplemented, "Columns inside of columns cannot be altered in storage %s", l.engine)
		}
	}
	switch c.Kind {
	case table.ModifyComment:
		return nil
	case table.AddColumn:
		return l.add(c)
	case table.DropColumn, table.RenameColumn, table.ModifyColumn, table.CommentColumn, table.ClearColumn:
	default:
		return cherr.New(cherr.NotImplemented, "Alter of type '%s' is not supported by storage %s", c.Kind, l.engine)
	}
	i := l.index(c.Path[0])
	if i < 0 {
		if c.IfExists {
			return nil
		}
		return cherr.New(cherr.NotFoundColumnInBlock, "Wrong column name. Cannot find column `%s`", c.Path[0])
	}
	switch c.Kind {
	case table.DropColumn:
		return l.drop(i)
	case table.RenameColumn:
		return l.rename(i, c.To[0])
	case table.CommentColumn:
		l.cols[i].Comment = *c.Comment
	case table.ClearColumn:
		if c.Partition != nil {
			return cherr.New(cherr.NotImplemented, "Table engine %s doesn't support partitioning.", l.engine)
		}
		l.cols[i].From = ""
	case table.ModifyColumn:
		return l.modify(i, c)
	}
	return nil
}

func (l *list) add(c *table.AlterCommand) error {
	name := c.Path[0]
	if l.index(name) >= 0 {
		if c.IfNotExists {
			return nil
		}
		return cherr.New(cherr.DuplicateColumn, "Cannot add column `%s`: column with this name already exists", name)
	}
	col := Column{Column: table.Column{Name: name, Type: c.Type}}
	if c.Comment != nil {
		col.Comment = *c.Comment
	}
	if c.Default != nil {
		col.DefaultKind, col.DefaultExpr = c.Default.Kind, c.Default.Expr
	}
	l.cols = append(l.cols, col)
	return l.move(len(l.cols)-1, c)
}

func (l *list) drop(i int) error {
	name := l.cols[i].Name
	if by := l.dependent(name, i); by != "" {
		return cherr.New(cherr.IllegalColumn, "Cannot drop column `%s`, because column `%s` depends on it", name, by)
	}
	l.cols = slices.Delete(l.cols, i, i+1)
	return nil
}

// dependent gives a column whose expression names another.
func (l *list) dependent(name string, but int) string {
	for i, c := range l.cols {
		if i == but || c.DefaultExpr == "" {
			continue
		}
		if e, err := l.parse(c.DefaultExpr); err == nil && slices.Contains(names(e), name) {
			return c.Name
		}
	}
	return ""
}

func (l *list) rename(i int, to string) error {
	name := l.cols[i].Name
	if to == name {
		return nil
	}
	if l.index(to) >= 0 {
		return cherr.New(cherr.DuplicateColumn, "Cannot rename column `%s` to `%s`: column with this name already exists", name, to)
	}
	l.cols[i].Name = to
	for k := range l.cols { // expressions follow
		c := &l.cols[k]
		if c.DefaultExpr == "" {
			continue
		}
		e, err := l.parse(c.DefaultExpr)
		if err != nil {
			return err
		}
		if e, hit := substitute(e, map[string]ast.Expr{name: ast.NewIdentifier(to)}); hit {
			c.DefaultExpr = ast.Format(e)
		}
	}
	return nil
}

func (l *list) modify(i int, c *table.AlterCommand) error {
	col := &l.cols[i]
	if c.Type != nil && !c.Type.Equal(col.Type) {
		col.Type, col.Cast = c.Type, true
	}
	if c.Comment != nil {
		col.Comment = *c.Comment
	}
	switch c.Remove {
	case "":
	case "COMMENT":
		col.Comment = ""
	case "DEFAULT", "MATERIALIZED", "ALIAS":
		if col.DefaultKind != c.Remove {
			return cherr.New(cherr.BadArguments, "Column `%s` doesn't have %s, cannot remove it", col.Name, c.Remove)
		}
		if c.Remove == "ALIAS" {
			col.From = "" // it never had values
		}
		col.DefaultKind, col.DefaultExpr = "", ""
	case "CODEC", "TTL", "SETTINGS": // of the definition alone
	}
	if c.Default != nil {
		if !col.Stored() {
			col.From = ""
		}
		col.DefaultKind, col.DefaultExpr = c.Default.Kind, c.Default.Expr
	}
	return l.move(i, c)
}

// move puts a column where FIRST or AFTER says.
func (l *list) move(i int, c *table.AlterCommand) error {
	if !c.First && c.After == nil {
		return nil
	}
	col := l.cols[i]
	rest := slices.Delete(slices.Clone(l.cols), i, i+1)
	at := 0
	if !c.First {
		at = slices.IndexFunc(rest, func(o Column) bool { return o.Name == c.After[0] }) + 1
		if at == 0 {
			return cherr.New(cherr.NoSuchColumnInTable, "Wrong column name. Cannot find column `%s` to insert after", c.After[0])
		}
	}
	l.cols = slices.Insert(rest, at, col)
	return nil
}

// Rebuild reads the values that the new columns take from the old ones.
func Rebuild(name string, cols []Column) *ast.Select {
	s := &ast.Select{}
	from := &ast.TableExpr{Query: &ast.Select{From: &ast.TableExpr{Name: &ast.TableName{Database: Database, Table: name}}}}
	inner, _ := from.Query.(*ast.Select)
	for i, c := range cols {
		if c.From == "" || !c.Stored() {
			continue
		}
		v := ast.Expr(ast.NewIdentifier(c.From))
		if c.Cast {
			v = cast(v, c.Column)
		}
		inner.Columns = append(inner.Columns, named(v, place("c", i)))
		from.Columns = append(from.Columns, c.Name)
		s.Columns = append(s.Columns, ast.NewIdentifier(c.Name))
	}
	s.From = from
	return s
}
