package paimon

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
	"lakeserver/table"
)

// create makes what CREATE TABLE names: without columns the table must be
// there, with columns it must not.
func (o *opener) create(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
	if !env.Settings.Bool("allow_experimental_paimon_storage_engine") {
		return cherr.New(cherr.SupportIsDisabled, "Paimon table engine is experimental. Set `allow_experimental_paimon_storage_engine` to enable it")
	}
	loc, err := o.locate(ctx, env, req)
	if err != nil {
		return err
	}
	options, err := splitOptions(req.Options)
	if err != nil {
		return err
	}
	d := paimon.Dir{Store: loc.store, Root: loc.path}.On(loc.branch)
	_, err = d.LatestSchema(ctx)
	def := req.Definition
	switch {
	case req.Columns == nil:
		return err
	case err == nil && def != nil && def.IfNotExists:
		return nil
	case err == nil:
		return cherr.New(cherr.TableAlreadyExists, "Paimon table with path %s already exists", loc.path)
	case !cherr.Is(err, cherr.FileDoesntExist):
		return err
	}
	schema, err := newSchema(req, options)
	if err != nil {
		return err
	}
	data, err := schema.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = loc.store.Put(ctx, d.SchemaPath(0), bytes.NewReader(paimon.Indent(data)), objstore.PutOptions{IfAbsent: true})
	return cherr.Wrap(err, "creating Paimon table %s", loc.path)
}

// newSchema reads a CREATE TABLE as a Paimon table.
func newSchema(req *functions.OpenRequest, options map[string]string) (*paimon.Schema, error) {
	s := &paimon.Schema{Version: paimon.SchemaVersion, Options: maps.Clone(options), TimeMillis: time.Now().UnixMilli()}
	ids := &paimon.IDs{Highest: len(req.Columns) - 1}
	for i, c := range req.Columns {
		if err := checkName(c); err != nil {
			return nil, err
		}
		t, err := paimon.FromClickHouse(c.Type, ids)
		if err != nil {
			return nil, cherr.Wrap(err, "creating column `%s`", c.Name)
		}
		s.Fields = append(s.Fields, paimon.Field{ID: i, Name: c.Name, Type: t, Description: c.Comment})
	}
	s.HighestFieldID = ids.Highest
	if def := req.Definition; def != nil {
		s.Comment = def.Comment
		if len(def.OrderBy) > 0 {
			return nil, cherr.New(cherr.BadArguments, "Paimon tables have no ORDER BY; PRIMARY KEY sorts the files of primary-key tables")
		}
		var err error
		if s.PartitionKeys, err = keyColumns(s, "PARTITION BY", def.PartitionBy); err != nil {
			return nil, err
		}
		if s.PrimaryKeys, err = keyColumns(s, "PRIMARY KEY", def.PrimaryKey); err != nil {
			return nil, err
		}
	}
	for _, k := range s.PrimaryKeys {
		if f := s.Field(k); !f.Type.NotNull {
			return nil, cherr.New(cherr.BadArguments, "Column `%s` of the primary key cannot be Nullable", k)
		}
	}
	return s, checkOptions(s)
}

func checkName(c table.Column) error {
	switch {
	case c.DefaultKind == "ALIAS" || c.DefaultKind == "EPHEMERAL" || c.DefaultKind == "MATERIALIZED":
		return cherr.New(cherr.NotImplemented, "Column `%s` is %s, which Paimon tables do not have", c.Name, c.DefaultKind)
	case slices.Contains([]string{"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID"}, c.Name) || strings.HasPrefix(c.Name, paimon.KeyFieldPrefix):
		return cherr.New(cherr.BadArguments, "Column name `%s` is reserved by Paimon", c.Name)
	}
	return nil
}

func keyColumns(s *paimon.Schema, clause string, terms []table.Term) ([]string, error) {
	var out []string
	for i := range terms {
		name := strings.Join(terms[i].Path, ".")
		f := s.Field(name)
		switch {
		case terms[i].Function != "":
			return nil, cherr.New(cherr.BadArguments, "%s of a Paimon table takes columns, not %s", clause, terms[i].Text)
		case f == nil:
			return nil, cherr.New(cherr.UnknownIdentifier, "There is no column `%s`, which %s names", name, clause)
		case f.Type.Nested() || f.Type.Kind == paimon.Variant:
			return nil, cherr.New(cherr.BadArguments, "Column `%s` of type %s cannot be in %s", name, f.Type, clause)
		case slices.Contains(out, name):
			return nil, cherr.New(cherr.BadArguments, "Column `%s` is in %s twice", name, clause)
		}
		out = append(out, name)
	}
	return out, nil
}

var oneOf = map[string][]string{
	"merge-engine":       {"deduplicate", "partial-update", "aggregation", "first-row"},
	"changelog-producer": {"none", "input", "lookup", "full-compaction"},
	"file.format":        {"parquet", "avro", "orc"},
}

// aggregates are the functions that merge a column of an aggregation table.
var aggregates = []string{
	"sum", "product", "count", "max", "min", "last_value", "last_non_null_value", "first_value", "first_non_null_value", "first_not_null_value",
	"listagg", "bool_or", "bool_and", "collect", "merge_map", "merge_map_with_keytime", "nested_update", "nested_partial_update", "theta_sketch", "hll_sketch", "rbm32", "rbm64", "primary-key",
}

// checkOptions refuses what Paimon's own engines would not open.
func checkOptions(s *paimon.Schema) error {
	bad := func(name string) error {
		return cherr.New(cherr.BadArguments, "Option %s = '%s' is not possible for this Paimon table", name, s.Options[name])
	}
	for name, values := range oneOf {
		if v, ok := s.Options[name]; ok && !slices.Contains(values, strings.ToLower(v)) {
			return bad(name)
		}
	}
	if v, ok := s.Options["bucket"]; ok {
		if n, err := strconv.Atoi(v); err != nil || n == 0 || n < -2 || n == -2 && !s.HasPrimaryKey() {
			return bad("bucket")
		}
	}
	for _, name := range paimon.SplitList(s.Options["bucket-key"]) {
		f := s.Field(name)
		if f == nil || slices.Contains(s.PartitionKeys, name) || s.HasPrimaryKey() && !slices.Contains(s.PrimaryKeys, name) {
			return bad("bucket-key")
		}
	}
	if n, _ := strconv.Atoi(s.Options["bucket"]); n > 0 && !s.HasPrimaryKey() && s.Options["bucket-key"] == "" {
		return cherr.New(cherr.BadArguments, "A Paimon table of %d buckets without a primary key needs the option bucket-key", n)
	}
	first := strings.EqualFold(s.Options["merge-engine"], "first-row")
	if p := s.Options["changelog-producer"]; first && (p == "input" || p == "full-compaction") {
		return bad("changelog-producer")
	}
	for _, name := range paimon.SplitList(s.Options["sequence.field"]) {
		if s.Field(name) == nil || first {
			return bad("sequence.field")
		}
	}
	if !s.HasPrimaryKey() {
		for _, name := range []string{"merge-engine", "changelog-producer", "sequence.field"} {
			if v := s.Options[name]; v != "" && v != "none" && v != "deduplicate" {
				return cherr.New(cherr.BadArguments, "Option %s = '%s' needs a primary key", name, v)
			}
		}
	} else if s.Options["row-tracking.enabled"] == "true" {
		return bad("row-tracking.enabled")
	}
	return checkFieldOptions(s)
}

// checkFieldOptions looks at fields.<columns>.<option>.
func checkFieldOptions(s *paimon.Schema) error {
	for name, v := range s.Options {
		rest, ok := strings.CutPrefix(name, "fields.")
		at := strings.LastIndexByte(rest, '.')
		if !ok || at < 0 || rest[:at] == "default-aggregate-function" {
			continue
		}
		if rest[at+1:] == "aggregate-function" && !slices.Contains(aggregates, v) {
			return cherr.New(cherr.BadArguments, "Option %s = '%s': there is no such aggregate function in Paimon", name, v)
		}
		for _, column := range paimon.SplitList(rest[:at]) {
			if s.Field(column) == nil {
				return cherr.New(cherr.BadArguments, "Option %s names column `%s`, which the table does not have", name, column)
			}
		}
	}
	return nil
}
