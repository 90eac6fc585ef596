package iceberg

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// create makes what CREATE TABLE names: without columns the table must be
// there, with columns it must not.
func (o *opener) create(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
	at, _, m, _, err := o.load(ctx, env, req)
	def := req.Definition
	if def == nil {
		def = &functions.Definition{}
	}
	switch {
	case def.RowsFollow && !o.own && !env.Settings.Bool("allow_insert_into_iceberg"):
		return cherr.New(cherr.SupportIsDisabled, "%s", insertGate)
	case req.Columns == nil:
		return err
	case err == nil && def.Replace:
		return o.replace(ctx, env, req, at, m)
	case err == nil && def.IfNotExists:
		return nil
	case err == nil:
		return cherr.New(cherr.TableAlreadyExists, "Iceberg table with path %s already exists", at.path)
	case !cherr.Is(err, cherr.FileDoesntExist):
		return err
	}
	t, err := newDefinition(env, req, at.format, objstore.Location(at.store, at.path))
	if err != nil {
		return err
	}
	if m, err = iceberg.NewTableMetadata(*t); err != nil {
		return err
	}
	// Engines that open a table by its folder alone look for the hint.
	folder := o.folder(at, iceberg.Choice{UseHint: o.own || isSet(req.Options, env.Settings, "iceberg_use_version_hint")}, textOf(req.Options, env.Settings, "iceberg_metadata_compression_method"))
	_, err = folder.Create(ctx, m)
	if errors.Is(err, write.ErrConflict) {
		return cherr.New(cherr.TableAlreadyExists, "Iceberg table with path %s already exists", at.path)
	}
	return err
}

// defaultVersion is the format version of new tables, as the reference
// implementation's.
const defaultVersion = 2

// place gives a folder of the warehouse to a table: its name's, unless a
// renamed table still lies there.
func (o *opener) place(ctx context.Context, database, name string) ([]functions.TableArg, error) {
	path := url.PathEscape(database) + "/" + url.PathEscape(name)
	there, err := o.sources.Local.List(ctx, path, true)
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		path += "-" + uuid.NewString()[:8]
	}
	return []functions.TableArg{{Type: types.String, Value: path, Const: true}}, nil
}

// newDefinition reads a CREATE TABLE as an Iceberg table.
func newDefinition(env *functions.Env, req *functions.OpenRequest, format, location string) (*iceberg.NewTable, error) {
	t := &iceberg.NewTable{FormatVersion: defaultVersion, Location: location, Properties: map[string]string{}}
	if text := textOf(req.Options, env.Settings, "iceberg_format_version"); text != "" {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 || v > iceberg.MaxFormatVersion {
			return nil, cherr.New(cherr.BadArguments, "Iceberg format version %s is not supported, versions 1 to %d are", text, iceberg.MaxFormatVersion)
		}
		t.FormatVersion = v
	}
	for name, value := range req.Options {
		if isProperty(name) {
			t.Properties[name] = value
		}
	}
	if format != "" && t.Properties["write.format.default"] == "" && format != "parquet" {
		t.Properties["write.format.default"] = format
	}
	for _, c := range req.Columns {
		f, err := fieldOf(c, t.FormatVersion)
		if err != nil {
			return nil, err
		}
		t.Fields = append(t.Fields, f)
	}
	return t, defineLayout(t, req.Definition)
}

// isProperty tells a table property from a setting: it has dots in its name.
func isProperty(name string) bool { return strings.Contains(name, ".") }

func fieldOf(c table.Column, version int) (iceberg.Field, error) {
	if c.DefaultKind == "ALIAS" || c.DefaultKind == "EPHEMERAL" {
		return iceberg.Field{}, cherr.New(cherr.NotImplemented, "Column `%s` is %s, which Iceberg tables do not have", c.Name, c.DefaultKind)
	}
	f, err := iceberg.FieldFromClickHouse(c.Name, c.Type, version)
	f.Doc = c.Comment
	return f, cherr.Wrap(err, "creating column `%s`", c.Name)
}

func defineLayout(t *iceberg.NewTable, def *functions.Definition) error {
	if def == nil {
		return nil
	}
	if def.Comment != "" {
		t.Properties["comment"] = def.Comment
	}
	for i := range def.PartitionBy {
		term := &def.PartitionBy[i]
		transform, err := transformOf(term)
		if err != nil {
			return err
		}
		t.Partition = append(t.Partition, iceberg.NewPartitionField{Source: strings.Join(term.Path, "."), Transform: transform})
	}
	uniqueNames(t)
	for i := range def.OrderBy {
		term := &def.OrderBy[i]
		transform, err := transformOf(&term.Term)
		if err != nil {
			return err
		}
		t.Sort = append(t.Sort, newSortField(term, transform))
	}
	for i := range def.PrimaryKey {
		if term := &def.PrimaryKey[i]; term.Function == "" {
			t.Identifiers = append(t.Identifiers, strings.Join(term.Path, "."))
		}
	}
	return nil
}

func newSortField(term *table.OrderTerm, transform iceberg.Transform) iceberg.NewSortField {
	f := iceberg.NewSortField{Source: strings.Join(term.Path, "."), Transform: transform.String(), Direction: iceberg.Ascending, NullOrder: iceberg.NullsLast}
	if term.Desc {
		f.Direction = iceberg.Descending
	}
	if term.NullsSaid && term.NullsFirst || !term.NullsSaid && !term.Desc {
		f.NullOrder = iceberg.NullsFirst // the spec's habit for ascending order
	}
	return f
}

// uniqueNames keeps the names of partition fields apart: several may stand
// over one column.
func uniqueNames(t *iceberg.NewTable) {
	taken := map[string]bool{}
	for _, f := range t.Fields {
		taken[f.Name] = true
	}
	for i := range t.Partition {
		p := &t.Partition[i]
		if p.Transform.Kind == iceberg.Identity && !taken["\x00"+p.Source] {
			taken["\x00"+p.Source] = true
			continue
		}
		name := p.Transform.FieldName(p.Source)
		for n := 2; taken[name]; n++ {
			name = p.Transform.FieldName(p.Source) + "_" + strconv.Itoa(n)
		}
		taken[name] = true
		p.Name = name
	}
}

// replace makes a table anew in place: the same one with another schema and
// layout, empty at first; its past stays readable.
func (o *opener) replace(ctx context.Context, env *functions.Env, req *functions.OpenRequest, at *spot, m *iceberg.TableMetadata) error {
	def, err := newDefinition(env, req, at.format, m.Location)
	if err != nil {
		return err
	}
	def.FormatVersion = max(def.FormatVersion, m.FormatVersion)
	folder := o.folder(at, choice(env, req), textOf(req.Options, env.Settings, "iceberg_metadata_compression_method"))
	w := &write.Table{
		Meta: m, Loader: &metadata.Loader{Store: at.store}, Paths: iceberg.NewPathMapper(at.path, m.Location), Swapper: folder, Line: folder.Line, Now: time.Now,
	}
	_, err = w.Commit(ctx, &write.Replace{Definition: *def})
	return err
}

// drop deletes the files of a table that was dropped, where the setting asks
// for it. Only files that the table's metadata and its folders account for go.
func (o *opener) drop(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
	if !o.own && !req.Discard && !isSet(req.Options, env.Settings, "iceberg_delete_data_on_drop") {
		return nil
	}
	at, err := o.locate(ctx, env, req)
	if err != nil {
		return err
	}
	objs := map[string]bool{}
	for _, dir := range []string{"metadata/", "data/"} {
		list, err := at.store.List(ctx, at.path+dir, true)
		if err != nil {
			return err
		}
		for _, obj := range list {
			objs[obj.Path] = true
		}
	}
	for _, p := range slices.Sorted(maps.Keys(objs)) {
		if err := at.store.Delete(ctx, p); err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
			return cherr.Wrap(err, "deleting the data of Iceberg table %s", at.path)
		}
	}
	for _, dir := range []string{"metadata", "data", ""} { // folders, where the store has such
		_ = at.store.Delete(ctx, strings.TrimSuffix(at.path+dir, "/"))
	}
	return nil
}
