package paimon

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// EvolveSchema writes the next version of the table's schema. change works on a
// copy of the newest one; it is called again when another writer was first.
func (c *Committer) EvolveSchema(ctx context.Context, change func(s *paimon.Schema) error) error {
	for range 100 {
		old, err := c.dir.LatestSchema(ctx)
		if err != nil {
			return err
		}
		s := *old
		s.ID, s.Version, s.TimeMillis = old.ID+1, paimon.SchemaVersion, c.now().UnixMilli()
		s.Fields, s.Options = slices.Clone(old.Fields), maps.Clone(old.Options)
		s.PartitionKeys, s.PrimaryKeys = slices.Clone(old.PartitionKeys), slices.Clone(old.PrimaryKeys)
		keepDefaults(&s, old)
		if err := change(&s); err != nil {
			return err
		}
		data, err := s.MarshalJSON()
		if err != nil {
			return err
		}
		_, err = c.dir.Store.Put(ctx, c.dir.SchemaPath(s.ID), bytes.NewReader(paimon.Indent(data)), objstore.PutOptions{IfAbsent: true})
		if !errors.Is(err, objstore.ErrExists) {
			return err
		}
	}
	return cherr.New(cherr.NotImplemented, "the schema of Paimon table %s is changed by others all the time", c.ctx.Root)
}

// keepDefaults spells out what older versions of schema files left unsaid, for
// the new version would say something else by it (paimon.md §1.3).
func keepDefaults(s, old *paimon.Schema) {
	if _, ok := s.Options["bucket"]; !ok && old.Version <= 1 {
		s.Options["bucket"] = "1"
	}
	if _, ok := s.Options["file.format"]; !ok && old.Version <= 2 {
		s.Options["file.format"] = "orc"
	}
}

// fixedOptions cannot change once the table is there.
var fixedOptions = []string{
	"type", "bucket-key", "bucket-function.type", "merge-engine", "primary-key", "primary-key.nullable", "partition", "rowkind.field",
	"sequence.snapshot-ordering", "aggregation.remove-record-on-delete", "partial-update.remove-record-on-delete",
	"partial-update.remove-record-on-sequence-group", "dynamic-bucket.initial-buckets", "force-lookup", "row-tracking.enabled",
	"data-evolution.enabled", "index-file-in-data-file-dir", "data-file.path-directory", "blob-field", "blob-descriptor-field",
	"blob-view-field", "pk-clustering-override",
}

// SetOption sets an option, or removes it for a nil value.
func SetOption(s *paimon.Schema, name string, value *string) error {
	switch old := s.Options[name]; {
	case slices.Contains(fixedOptions, name):
		return invalid("Change '%s' is not supported yet: it is fixed when a Paimon table is made", name)
	case name == "bucket" && (value == nil || (old == "-1" || old == "") != (*value == "-1")):
		return invalid("Cannot change bucket of a Paimon table to or from -1")
	case value == nil:
		delete(s.Options, name)
	default:
		s.Options[name] = *value
	}
	return nil
}

func fieldIndex(s *paimon.Schema, name string) (int, error) {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i, nil
		}
	}
	return 0, cherr.New(cherr.NotFoundColumnInBlock, "Paimon table has no column `%s`", name)
}

// DropColumn takes a column away; its id is not given again.
func DropColumn(s *paimon.Schema, name string) error {
	i, err := fieldIndex(s, name)
	switch {
	case err != nil:
		return err
	case slices.Contains(s.PartitionKeys, name) || slices.Contains(s.PrimaryKeys, name):
		return invalid("Cannot drop partition key or primary key: [%s]", name)
	case len(s.Fields) == 1:
		return invalid("Cannot drop all fields in table")
	}
	s.Fields = slices.Delete(s.Fields, i, i+1)
	return nil
}

// RenameColumn gives a column another name, also in the options that name it.
func RenameColumn(s *paimon.Schema, from, to string) error {
	i, err := fieldIndex(s, from)
	switch {
	case err != nil:
		return err
	case s.Field(to) != nil:
		return invalid("Column `%s` exists already", to)
	case slices.Contains(s.PartitionKeys, from):
		return invalid("Cannot rename partition column: [%s]", from)
	}
	s.Fields[i].Name = to
	for j, k := range s.PrimaryKeys {
		if k == from {
			s.PrimaryKeys[j] = to
		}
	}
	for name, v := range s.Options {
		list := paimon.SplitList(v)
		if name == "bucket-key" || name == "sequence.field" {
			for j := range list {
				if list[j] == from {
					list[j] = to
				}
			}
			s.Options[name] = strings.Join(list, ",")
		}
		if rest, ok := strings.CutPrefix(name, "fields."+from+"."); ok {
			delete(s.Options, name)
			s.Options["fields."+to+"."+rest] = v
		}
	}
	return nil
}

// widening lists the types that a column's type may become (paimon.md §1.3):
// all old values are values of the new type.
var widening = map[paimon.Kind][]paimon.Kind{
	paimon.TinyInt:  {paimon.SmallInt, paimon.Int, paimon.BigInt, paimon.Float, paimon.Double, paimon.Decimal, paimon.VarChar},
	paimon.SmallInt: {paimon.Int, paimon.BigInt, paimon.Float, paimon.Double, paimon.Decimal, paimon.VarChar},
	paimon.Int:      {paimon.BigInt, paimon.Float, paimon.Double, paimon.Decimal, paimon.VarChar},
	paimon.BigInt:   {paimon.Float, paimon.Double, paimon.Decimal, paimon.VarChar},
	paimon.Float:    {paimon.Double, paimon.VarChar},
	paimon.Double:   {paimon.VarChar},
	paimon.Decimal:  {paimon.Decimal, paimon.VarChar},
	paimon.Char:     {paimon.VarChar},
	paimon.Boolean:  {paimon.VarChar},
	paimon.Date:     {paimon.Timestamp, paimon.VarChar},
	paimon.Binary:   {paimon.VarBinary},
}

// RetypeColumn changes a column's type where every value survives it.
func RetypeColumn(s *paimon.Schema, name string, t *paimon.Type) error {
	i, err := fieldIndex(s, name)
	if err != nil {
		return err
	}
	old := s.Fields[i].Type
	switch {
	case slices.Contains(s.PartitionKeys, name):
		return invalid("Cannot update partition column: [%s]", name)
	case slices.Contains(s.PrimaryKeys, name):
		return invalid("Cannot update primary key: [%s]", name)
	case t.NotNull && !old.NotNull:
		return invalid("Cannot update column `%s` from nullable to NOT NULL", name)
	case old.Equal(t):
	case !slices.Contains(widening[old.Kind], t.Kind):
		return invalid("Column type %s[%s] cannot be converted to %s without loosing information.", name, old, t)
	case t.Kind == paimon.Decimal && old.Kind == paimon.Decimal && (t.Precision-t.Scale < old.Precision-old.Scale || t.Scale < old.Scale):
		return invalid("Column type %s[%s] cannot be converted to %s without loosing information.", name, old, t)
	}
	s.Fields[i].Type = t
	return nil
}

// AddColumn adds a column at a place: behind another one, first, or last.
func AddColumn(s *paimon.Schema, f paimon.Field, first bool, after string) error {
	if s.Field(f.Name) != nil {
		return cherr.New(cherr.DuplicateColumn, "Column `%s` exists already", f.Name)
	}
	if f.Type.NotNull && f.Default == nil && !f.Type.Nested() {
		return invalid("Column `%s` cannot be NOT NULL: the rows that are there have no value for it", f.Name)
	}
	return insertField(s, f, first, after)
}

func insertField(s *paimon.Schema, f paimon.Field, first bool, after string) error {
	at := len(s.Fields)
	switch {
	case first:
		at = 0
	case after != "":
		i, err := fieldIndex(s, after)
		if err != nil {
			return err
		}
		at = i + 1
	}
	s.Fields = slices.Insert(s.Fields, at, f)
	return nil
}

// MoveColumn puts a column first or behind another one.
func MoveColumn(s *paimon.Schema, name string, first bool, after string) error {
	i, err := fieldIndex(s, name)
	if err != nil {
		return err
	}
	f := s.Fields[i]
	s.Fields = slices.Delete(s.Fields, i, i+1)
	return insertField(s, f, first, after)
}
