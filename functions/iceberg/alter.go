package iceberg

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// Alter changes the table's schema, partitioning, order and properties: all
// commands make one new version.
func (t *Table) Alter(ctx context.Context, commands []table.AlterCommand) error {
	if err := t.gate("Alter iceberg is experimental. To allow its usage, enable setting allow_insert_into_iceberg"); err != nil {
		return err
	}
	rewrite := false
	_, err := t.writer().Commit(ctx, &write.Alteration{Steps: func(e *write.Evolution) error {
		for i := range commands {
			if err := t.alterStep(e, &commands[i]); err != nil {
				return err
			}
		}
		rewrite = e.FewRead()
		return nil
	}})
	if err != nil || !rewrite {
		return err
	}
	return t.rewriteAll(ctx)
}

// rewriteAll writes the data files of main anew, in the types that their
// columns have now.
func (t *Table) rewriteAll(ctx context.Context) error {
	opt := t.rewriteOptions("", nil)
	opt.All = true
	_, err := t.writer().RewriteDataFiles(ctx, opt)
	return cherr.Wrap(err, "rewriting the data files of Iceberg table %s, whose columns have their new types already", t.path)
}

func (t *Table) alterStep(e *write.Evolution, c *table.AlterCommand) error { // long: one case a command
	if c.IfExists {
		if _, err := e.Find(c.Path); err != nil {
			return nil
		}
	}
	switch c.Kind {
	case table.AddColumn:
		return t.addColumn(e, c)
	case table.DropColumn:
		return e.Drop(c.Path)
	case table.RenameColumn:
		return e.Rename(c.Path, c.To)
	case table.ModifyColumn:
		return t.modifyColumn(e, c)
	case table.CommentColumn:
		return e.Comment(c.Path, *c.Comment)
	case table.ClearColumn:
		return cherr.New(cherr.BadArguments, "Iceberg doesn't support CLEAR COLUMN. Please use UPDATE instead")
	case table.ModifyComment:
		if *c.Comment == "" {
			e.RemoveProperty("comment")
		} else {
			e.SetProperty("comment", *c.Comment)
		}
		return nil
	case table.AddPartitionField:
		return addPartitionField(e, c.Term, c.Name)
	case table.DropPartitionField:
		return dropPartitionField(e, c.Term)
	case table.ReplacePartitionField:
		if err := dropPartitionField(e, c.Term); err != nil {
			return err
		}
		return addPartitionField(e, c.NewTerm, c.Name)
	case table.ModifyPartitionBy:
		e.ClearPartition()
		for i := range c.Terms {
			if err := addPartitionField(e, &c.Terms[i], ""); err != nil {
				return err
			}
		}
		return nil
	case table.ModifyOrderBy:
		return modifyOrderBy(e, c.Order)
	case table.ModifySetting:
		return modifySettings(e, c.Settings)
	case table.ResetSetting:
		for _, name := range c.Names {
			if engineSettings[name] {
				return cherr.New(cherr.BadArguments, "Setting '%s' of an Iceberg table cannot be reset", name)
			}
			e.RemoveProperty(name)
		}
		return nil
	case table.SetIdentifierFields:
		return e.SetIdentifiers(c.Paths)
	case table.DropIdentifierFields:
		return e.DropIdentifiers(c.Paths)
	}
	return cherr.New(cherr.NotImplemented, "Alter of type '%s' is not supported by Iceberg storage", c.Kind)
}

func (t *Table) addColumn(e *write.Evolution, c *table.AlterCommand) error {
	if c.IfNotExists {
		if _, err := e.Find(c.Path); err == nil {
			return nil
		}
	}
	if c.Type == nil {
		return cherr.New(cherr.BadArguments, "Column `%s` has no type", strings.Join(c.Path, "."))
	}
	f, err := iceberg.FieldFromClickHouse("", c.Type, e.Version())
	if err != nil {
		return err
	}
	n := write.NewColumn{Path: c.Path, Type: f.Type, Required: f.Required && !f.Type.Nested(), Place: place(c)}
	if c.Comment != nil {
		n.Doc = *c.Comment
	}
	if c.Default != nil {
		if n.InitialDefault, err = t.defaultOf(&f, c, c.Type); err != nil {
			return err
		}
		n.WriteDefault = n.InitialDefault
	}
	return e.Add(n)
}

func place(c *table.AlterCommand) write.Place {
	p := write.Place{First: c.First}
	if len(c.After) > 0 {
		p.After = c.After[len(c.After)-1]
	}
	return p
}

func (t *Table) modifyColumn(e *write.Evolution, c *table.AlterCommand) error {
	f, err := e.Find(c.Path)
	if err != nil {
		return err
	}
	if c.Type != nil {
		if err := modifyType(e, f, c); err != nil {
			return err
		}
	}
	if c.First || len(c.After) > 0 {
		if err := e.Move(c.Path, place(c)); err != nil {
			return err
		}
		if f, err = e.Find(c.Path); err != nil { // it stands elsewhere now
			return err
		}
	}
	if c.Comment != nil {
		if err := e.Comment(c.Path, *c.Comment); err != nil {
			return err
		}
	}
	switch c.Remove {
	case "":
	case "COMMENT":
		return e.Comment(c.Path, "")
	case "DEFAULT":
		return e.SetDefault(c.Path, nil)
	default:
		return cherr.New(cherr.NotImplemented, "MODIFY COLUMN … REMOVE %s is not supported by Iceberg storage", c.Remove)
	}
	if c.Default == nil {
		return nil
	}
	from := c.Type
	if from == nil {
		if from, err = iceberg.ClickHouseType(f); err != nil {
			return err
		}
	}
	value, err := t.defaultOf(f, c, from)
	if err != nil {
		return err
	}
	return e.SetDefault(c.Path, value)
}

// modifyType leaves a column alone whose type reads as the one asked for.
func modifyType(e *write.Evolution, f *iceberg.Field, c *table.AlterCommand) error {
	now, err := iceberg.ClickHouseType(f)
	if err == nil && now.Equal(c.Type) {
		return nil
	}
	want, required := f.Type, !c.Type.IsNullable()
	if err != nil || !types.Unwrap(now).Equal(types.Unwrap(c.Type)) {
		if want, _, err = iceberg.FromClickHouse(c.Type, e.Version()); err != nil {
			return err
		}
	}
	if want.Nested() {
		required = f.Required // ClickHouse has no Nullable of these
	}
	return e.SetType(c.Path, want, required)
}

// defaultOf gives the JSON of a constant default, whose value is of type from.
func (t *Table) defaultOf(f *iceberg.Field, c *table.AlterCommand, from *types.Type) (json.RawMessage, error) {
	d, name := c.Default, strings.Join(c.Path, ".")
	switch {
	case d.Kind != "DEFAULT":
		return nil, cherr.New(cherr.NotImplemented, "%s of column `%s` is not supported by Iceberg storage", d.Kind, name)
	case !d.Constant:
		return nil, cherr.New(cherr.BadArguments, "The default of column `%s` of an Iceberg table must be a constant, but is %s", name, d.Expr)
	case d.Value == nil:
		return nil, nil
	}
	optional := *f
	optional.Required = false
	to, err := iceberg.ClickHouseType(&optional)
	if err != nil {
		return nil, err
	}
	b := column.NewBuilder(from, 1)
	b.AppendValue(d.Value)
	col, err := cast.Column(b.Finish(), from, to, &cast.Options{Zone: t.zone, Accurate: true})
	if err != nil {
		return nil, cherr.Wrap(err, "converting the default of column `%s`", name)
	}
	return iceberg.DefaultJSON(f.Type, column.At(col, 0))
}

func addPartitionField(e *write.Evolution, term *table.Term, name string) error {
	tr, err := transformOf(term)
	if err != nil {
		return err
	}
	if _, err := e.Find(term.Path); err != nil {
		return cherr.New(cherr.UnknownIdentifier, "Unknown field to partition %s.", strings.Join(term.Path, "."))
	}
	return e.AddPartitionField(term.Path, tr, name)
}

func dropPartitionField(e *write.Evolution, term *table.Term) error {
	tr, err := transformOf(term)
	if err != nil {
		return err
	}
	return e.DropPartitionField(term.Path, tr)
}

func modifyOrderBy(e *write.Evolution, order []table.OrderTerm) error {
	var terms []write.SortTerm
	for i := range order {
		o := &order[i]
		tr, err := transformOf(&o.Term)
		if err != nil {
			return err
		}
		// As in CREATE: NULL first unless the statement says otherwise.
		terms = append(terms, write.SortTerm{Path: o.Path, Transform: tr, Desc: o.Desc, NullsFirst: o.NullsFirst || !o.NullsSaid})
	}
	return e.SetSortOrder(terms)
}

func modifySettings(e *write.Evolution, list []table.Argument) error {
	for _, a := range list {
		if a.Name == "iceberg_format_version" {
			v, err := strconv.Atoi(a.Text)
			if err != nil {
				return cherr.New(cherr.BadArguments, "iceberg_format_version is %s, not a number", a.Text)
			}
			if err := e.Upgrade(v); err != nil {
				return err
			}
			continue
		}
		if engineSettings[a.Name] {
			return cherr.New(cherr.BadArguments, "Setting '%s' of an Iceberg table cannot be changed", a.Name)
		}
		e.SetProperty(a.Name, a.Text)
	}
	return nil
}
