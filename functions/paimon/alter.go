package paimon

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/paimon"
)

// Alter changes columns and options: all commands make one new schema.
func (t *Table) Alter(ctx context.Context, commands []table.AlterCommand) error {
	if err := t.gate(); err != nil {
		return err
	}
	change := func(s *paimon.Schema) error {
		for i := range commands {
			if err := alterStep(s, &commands[i]); err != nil {
				return err
			}
		}
		return checkOptions(s)
	}
	if t.kept != nil {
		return t.kept.alter(ctx, t.src.Dir, change)
	}
	c, err := t.committer(ctx, nil)
	if err != nil {
		return err
	}
	return c.EvolveSchema(ctx, change)
}

func alterStep(s *paimon.Schema, c *table.AlterCommand) error { // long: one case a command
	name := strings.Join(c.Path, ".")
	if len(c.Path) > 1 && s.Field(name) == nil {
		return cherr.New(cherr.NotImplemented, "Changing what is inside of column `%s` of a Paimon table is not supported", c.Path[0])
	}
	if c.IfExists && s.Field(name) == nil || c.IfNotExists && s.Field(name) != nil {
		return nil
	}
	switch c.Kind {
	case table.AddColumn:
		return addColumn(s, c, name)
	case table.DropColumn:
		return write.DropColumn(s, name)
	case table.RenameColumn:
		return write.RenameColumn(s, name, strings.Join(c.To, "."))
	case table.ModifyColumn:
		return modifyColumn(s, c, name)
	case table.CommentColumn:
		f := s.Field(name)
		if f == nil {
			return cherr.New(cherr.NotFoundColumnInBlock, "Paimon table has no column `%s`", name)
		}
		f.Description = *c.Comment
		return nil
	case table.ModifyComment:
		s.Comment = *c.Comment
		return nil
	case table.ModifySetting:
		for _, a := range c.Settings {
			v := fmt.Sprint(a.Value)
			if err := write.SetOption(s, a.Name, &v); err != nil {
				return err
			}
		}
		return nil
	case table.ResetSetting:
		for _, n := range c.Names {
			if err := write.SetOption(s, n, nil); err != nil {
				return err
			}
		}
		return nil
	}
	return cherr.New(cherr.NotImplemented, "ALTER command %s is not supported by Paimon tables", c.Kind)
}

func fromClickHouse(s *paimon.Schema, t *types.Type) (*paimon.Type, error) {
	ids := &paimon.IDs{Highest: s.HighestFieldID}
	out, err := paimon.FromClickHouse(t, ids)
	s.HighestFieldID = ids.Highest
	return out, err
}

func addColumn(s *paimon.Schema, c *table.AlterCommand, name string) error {
	if err := checkName(table.Column{Name: name}); err != nil {
		return err
	}
	if c.Default != nil {
		return cherr.New(cherr.NotImplemented, "Defaults of columns of Paimon tables are not supported")
	}
	s.HighestFieldID++
	f := paimon.Field{ID: s.HighestFieldID, Name: name}
	var err error
	if f.Type, err = fromClickHouse(s, c.Type); err != nil {
		return cherr.Wrap(err, "adding column `%s`", name)
	}
	if c.Comment != nil {
		f.Description = *c.Comment
	}
	return write.AddColumn(s, f, c.First, strings.Join(c.After, "."))
}

func modifyColumn(s *paimon.Schema, c *table.AlterCommand, name string) error {
	if c.Default != nil || c.Remove != "" && c.Remove != "COMMENT" {
		return cherr.New(cherr.NotImplemented, "Defaults of columns of Paimon tables are not supported")
	}
	if c.Type != nil {
		t, err := fromClickHouse(s, c.Type)
		if err != nil {
			return cherr.Wrap(err, "changing column `%s`", name)
		}
		if err := write.RetypeColumn(s, name, t); err != nil {
			return err
		}
	}
	f := s.Field(name)
	switch {
	case f == nil:
		return cherr.New(cherr.NotFoundColumnInBlock, "Paimon table has no column `%s`", name)
	case c.Remove == "COMMENT":
		f.Description = ""
	case c.Comment != nil:
		f.Description = *c.Comment
	}
	if c.First || c.After != nil {
		return write.MoveColumn(s, name, c.First, strings.Join(c.After, "."))
	}
	return nil
}
