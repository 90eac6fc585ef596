package engine

import (
	"context"
	"reflect"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

// descriptionKinds are the commands that change what a table is.
var descriptionKinds = map[ast.AlterKind]table.AlterKind{
	ast.AddColumn: table.AddColumn, ast.DropColumn: table.DropColumn, ast.RenameColumn: table.RenameColumn,
	ast.ModifyColumn: table.ModifyColumn, ast.CommentColumn: table.CommentColumn, ast.ClearColumn: table.ClearColumn,
	ast.ModifyComment: table.ModifyComment, ast.AddPartitionField: table.AddPartitionField,
	ast.DropPartitionField: table.DropPartitionField, ast.ReplacePartitionField: table.ReplacePartitionField,
	ast.ModifyPartitionBy: table.ModifyPartitionBy, ast.ModifyOrderBy: table.ModifyOrderBy, ast.ModifySetting: table.ModifySetting,
	ast.ResetSetting: table.ResetSetting, ast.SetIdentifierFields: table.SetIdentifierFields,
	ast.DropIdentifierFields: table.DropIdentifierFields,
}

func (r *run) alterCommands(ctx context.Context, t table.Table, list []*ast.AlterCommand) ([]table.AlterCommand, error) {
	out := make([]table.AlterCommand, len(list))
	for i, c := range list {
		if err := r.alterCommand(ctx, t, c, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *run) alterCommand(ctx context.Context, t table.Table, c *ast.AlterCommand, out *table.AlterCommand) (err error) {
	out.Kind = descriptionKinds[c.Kind]
	out.IfExists, out.IfNotExists, out.First, out.Remove, out.Name, out.Names = c.IfExists, c.IfNotExists, c.First, c.Remove, c.As, c.Names
	if c.Name != nil {
		out.Path = columnPath(t, c.Name.Parts)
	}
	if c.To != nil {
		out.To = renamedPath(out.Path, c.To.Parts)
	}
	if c.After != nil {
		out.After = columnPath(t, c.After.Parts)
	}
	if c.Comment != nil {
		out.Comment = &c.Comment.Text
	}
	for _, id := range c.Columns {
		out.Paths = append(out.Paths, columnPath(t, id.Parts))
	}
	for _, s := range c.Settings {
		text, err := settingText(s.Value)
		if err != nil {
			return err
		}
		out.Settings = append(out.Settings, table.Argument{Name: s.Name, Type: types.String, Value: text, Text: text})
	}
	if c.Partition != nil {
		if out.Partition, err = r.partition(ctx, c.Partition); err != nil {
			return err
		}
	}
	if c.Column != nil {
		return r.alterColumn(ctx, t, c.Column, out)
	}
	return r.alterTerms(ctx, c, out)
}

// columnPath gives the column and what inside of it a dotted name means. A name
// whose beginning is no column is one name, dots and all.
func columnPath(t table.Table, parts []string) []string {
	for n := len(parts); n > 0; n-- {
		if indexOf(t.Columns(), strings.Join(parts[:n], ".")) >= 0 {
			return append([]string{strings.Join(parts[:n], ".")}, parts[n:]...)
		}
	}
	return []string{strings.Join(parts, ".")}
}

// renamedPath is the new name in the form of the old one.
func renamedPath(from, to []string) []string {
	if len(from) == 1 {
		return []string{strings.Join(to, ".")}
	}
	if len(to) == 1 { // RENAME COLUMN st.x TO y
		return append(append([]string(nil), from[:len(from)-1]...), to[0])
	}
	n := len(to) - len(from) + 1
	if n < 1 {
		return to
	}
	return append([]string{strings.Join(to[:n], ".")}, to[n:]...)
}

// alterColumn is what ADD and MODIFY COLUMN say of a column.
func (r *run) alterColumn(ctx context.Context, t table.Table, d *ast.ColumnDecl, out *table.AlterCommand) (err error) {
	out.Path = columnPath(t, strings.Split(d.Name, "."))
	if d.Comment != nil {
		out.Comment = &d.Comment.Text
	}
	if d.Type != "" {
		if out.Type, err = r.columnType(d); err != nil {
			return err
		}
	}
	if d.DefaultKind == "" {
		return nil
	}
	out.Default = &table.ColumnDefault{Kind: d.DefaultKind}
	if d.Default == nil {
		if out.Type == nil {
			out.Type = types.String
		}
		return nil
	}
	out.Default.Expr = ast.Format(d.Default)
	bound, err := analyze.BindOver(ctx, r.env, headerOfTable(t), d.Default)
	if err != nil {
		// The default may name what the same ALTER adds; whoever applies the
		// commands binds it again.
		if out.Type != nil && (cherr.Is(err, cherr.UnknownIdentifier) || cherr.Is(err, cherr.NoSuchColumnInTable)) {
			return nil
		}
		return cherr.Wrap(err, "default expression of column %s", d.Name)
	}
	if out.Type == nil && out.Kind == table.AddColumn {
		out.Type = bound.Type()
	}
	want := out.Type
	if i := indexOf(t.Columns(), d.Name); want == nil && i >= 0 {
		want = t.Columns()[i].Type
	}
	if want == nil {
		want = bound.Type()
	}
	out.Default.Value, out.Default.Constant, err = r.constantDefault(ctx, d.Default, want)
	return err
}

// constantDefault gives the value of a default that is the same for every row
// of every query. What depends on the moment shows when it is bound at two.
func (r *run) constantDefault(ctx context.Context, e ast.Expr, want *types.Type) (column.Value, bool, error) {
	var values [2]column.Value
	for i := range values {
		env, fenv := *r.env, *r.env.Functions
		fenv.Now = fenv.Now.Add(time.Duration(i) * (400*24*time.Hour + 12345*time.Second))
		env.Functions = &fenv
		bound, err := analyze.BindOver(ctx, &env, nil, e)
		if err != nil { // it names columns
			return nil, false, nil
		}
		cast, err := r.s.engine.cfg.Registry.Call(&fenv, "_CAST", bound, expr.NewLiteral(types.String, want.String()))
		if err != nil {
			return nil, false, err
		}
		if !expr.Deterministic(cast) {
			return nil, false, nil
		}
		col, err := cast.Eval(ctx, &column.Block{Rows: 1})
		if err != nil {
			return nil, false, err
		}
		values[i] = column.At(col, 0)
	}
	return values[0], reflect.DeepEqual(values[0], values[1]), nil
}

// alterTerms reads terms of partitioning and order.
func (r *run) alterTerms(ctx context.Context, c *ast.AlterCommand, out *table.AlterCommand) error {
	switch c.Kind {
	case ast.ModifyPartitionBy:
		terms, err := r.terms(ctx, c.Expr)
		out.Terms = terms
		return err
	case ast.ModifyOrderBy:
		order, err := r.orderTerms(ctx, c.Expr)
		out.Order = order
		return err
	case ast.AddPartitionField, ast.DropPartitionField, ast.ReplacePartitionField:
	default:
		return nil
	}
	var err error
	if out.Term, err = r.term(ctx, c.Expr); err != nil || c.NewExpr == nil {
		return err
	}
	out.NewTerm, err = r.term(ctx, c.NewExpr)
	return err
}

// terms reads PARTITION BY; none for tuple().
func (r *run) terms(ctx context.Context, list ast.Expr) (out []table.Term, err error) {
	for _, e := range tupleElements(list) {
		t, err := r.term(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, *t)
	}
	return out, nil
}

// orderTerms reads ORDER BY; none for tuple().
func (r *run) orderTerms(ctx context.Context, list ast.Expr) (out []table.OrderTerm, err error) {
	for _, e := range tupleElements(list) {
		o := table.OrderTerm{}
		if item, ok := e.(*ast.OrderItem); ok {
			o.Desc, o.NullsSaid, o.NullsFirst = item.Desc, item.Nulls != ast.NullsUnset, item.Nulls == ast.NullsFirst
			e = item.Expr
		}
		t, err := r.term(ctx, e)
		if err != nil {
			return nil, err
		}
		o.Term = *t
		out = append(out, o)
	}
	return out, nil
}

func tupleElements(e ast.Expr) []ast.Expr {
	if f, ok := e.(*ast.Function); ok && f.Name == "tuple" {
		return f.Args
	}
	return []ast.Expr{e}
}

// term reads a column, or a function of one with constant arguments.
func (r *run) term(ctx context.Context, e ast.Expr) (*table.Term, error) {
	t := &table.Term{Text: ast.Format(e)}
	if id, ok := e.(*ast.Identifier); ok {
		t.Path = id.Parts
		return t, nil
	}
	f, ok := e.(*ast.Function)
	if !ok {
		return nil, cherr.New(cherr.BadArguments, "%s is neither a column nor a function of one", t.Text)
	}
	t.Function = f.Name
	for _, a := range f.Args {
		if id, ok := a.(*ast.Identifier); ok {
			if t.Path != nil {
				return nil, cherr.New(cherr.BadArguments, "%s is a function of more than one column", t.Text)
			}
			t.Path = id.Parts
			continue
		}
		args, err := r.arguments(ctx, []ast.Expr{a}, t.Text)
		if err != nil {
			return nil, err
		}
		t.Args = append(t.Args, args[0].Value)
	}
	if t.Path == nil {
		return nil, cherr.New(cherr.BadArguments, "%s names no column", t.Text)
	}
	return t, nil
}

// arguments evaluates constants: positional ones, and name = value.
func (r *run) arguments(ctx context.Context, list []ast.Expr, what string) ([]table.Argument, error) {
	args, err := analyze.TableArguments(ctx, r.env, &ast.Function{Args: list})
	if err != nil {
		return nil, err
	}
	out := make([]table.Argument, len(args))
	for i, a := range args {
		if !isConstant(a) {
			return nil, cherr.New(cherr.BadArguments, "The arguments of %s must be constants", what)
		}
		out[i] = table.Argument{Name: a.Key, Type: a.Type, Value: a.Value}
		if i < len(list) {
			out[i].Text = ast.Format(valueOfArgument(list[i]))
		}
	}
	return out, nil
}

func isConstant(a functions.TableArg) bool { return a.Ident == "" && a.Call == nil && a.Query == nil }

// valueOfArgument is the value of name = value.
func valueOfArgument(e ast.Expr) ast.Expr {
	if f, ok := e.(*ast.Function); ok && f.Name == "equals" && len(f.Args) == 2 {
		return f.Args[1]
	}
	return e
}

// partition evaluates what names a partition.
func (r *run) partition(ctx context.Context, p *ast.Partition) (*table.Partition, error) {
	if p.All {
		return &table.Partition{All: true}, nil
	}
	if p.ID != nil {
		args, err := r.arguments(ctx, []ast.Expr{p.ID}, "PARTITION ID")
		if err != nil {
			return nil, err
		}
		id, ok := args[0].Value.(string)
		if !ok {
			return nil, cherr.New(cherr.InvalidPartitionValue, "The ID of a partition is a string")
		}
		return &table.Partition{ID: id}, nil
	}
	values, err := r.arguments(ctx, tupleElements(p.Value), "PARTITION")
	return &table.Partition{Values: values}, err
}
