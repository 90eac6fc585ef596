package paimon

import (
	"context"
	"encoding/json"
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata/catalog"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
	"lakeserver/table"
)

// lake is a DataLakeCatalog database of Paimon tables.
type lake struct {
	catalog catalog.Paimon
	options catalog.PaimonOptions
	opener  *opener
}

// databaseEngine describes DataLakeCatalog over the catalogs of Paimon.
func databaseEngine(cfg Config) functions.DatabaseEngine {
	return functions.DatabaseEngine{
		Name: "DataLakeCatalog",
		Doc: functions.Doc{
			Syntax:  "DataLakeCatalog('url') SETTINGS catalog_type = 'paimon_rest' | 'paimon_filesystem', warehouse = …",
			Summary: "The Paimon tables of a REST catalog or of a warehouse folder, each under the name `database.table`.",
		},
		Serves: func(req *functions.OpenRequest) bool {
			return strings.HasPrefix(req.Options["catalog_type"], "paimon_")
		},
		Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (functions.External, error) {
			o, err := catalogOptions(cfg.Sources, req)
			if err != nil {
				return nil, err
			}
			c, err := catalog.OpenPaimon(*o)
			if err != nil {
				return nil, err
			}
			return &lake{catalog: c, options: *o, opener: &opener{sources: cfg.Sources, cache: cfg.Cache, shared: cfg.Shared}}, nil
		},
	}
}

// catalogOptions reads the arguments and settings of the engine.
func catalogOptions(sources *storage.Sources, req *functions.OpenRequest) (*catalog.PaimonOptions, error) {
	if sources == nil || sources.Registry == nil {
		return nil, cherr.New(cherr.NotImplemented, "Object stores cannot be read")
	}
	words := make([]string, len(req.Args))
	for i, a := range req.Args {
		s, ok := a.Value.(string)
		if !ok || i > 2 || i == 1 && len(req.Args) == 2 {
			return nil, cherr.New(cherr.BadArguments, "DataLakeCatalog takes the catalog's URL, or that and two keys, as strings")
		}
		words[i] = s
	}
	if len(words) == 0 {
		return nil, cherr.New(cherr.BadArguments, "Engine `DataLakeCatalog` must have arguments.")
	}
	o := &catalog.PaimonOptions{URL: words[0], Stores: sources.Registry}
	if len(words) == 3 {
		o.Storage.KeyID, o.Storage.Secret = words[1], words[2]
	}
	texts := map[string]*string{
		"catalog_type": &o.Type, "warehouse": &o.Warehouse, "catalog_credential": &o.Token, "region": &o.Region, "storage_endpoint": &o.Storage.Endpoint,
		"dlf_access_key_id": &o.DLFKeyID, "dlf_access_key_secret": &o.DLFSecret, "dlf_security_token": &o.DLFToken, "dlf_signing_algorithm": &o.DLFAlgorithm,
		"aws_access_key_id": &o.Storage.KeyID, "aws_secret_access_key": &o.Storage.Secret,
		"aws_role_arn": &o.Storage.RoleARN, "aws_role_session_name": &o.Storage.RoleSession, "aws_external_id": &o.Storage.ExternalID,
	}
	for name, v := range req.Options {
		to := texts[name]
		if to == nil && !engineSettings[name] {
			return nil, cherr.New(cherr.UnknownSetting, "Unknown setting '%s': for database engine DataLakeCatalog over a catalog of Paimon.", name)
		}
		if to != nil {
			*to = v
		}
	}
	o.Storage.Region = o.Region
	return o, nil
}

const catalogGate = "allow_experimental_database_paimon_rest_catalog"

// Check asks for the gate's setting, and the catalog.
func (l *lake) Check(ctx context.Context, env *functions.Env) error {
	if !env.Settings.Bool(catalogGate) {
		return cherr.New(cherr.SupportIsDisabled, "DatabaseDataLake with %s catalog is experimental. To allow its usage, enable setting %s", l.options.Type, catalogGate)
	}
	_, err := l.catalog.Databases(ctx)
	return err
}

// Names lists the tables of all databases.
func (l *lake) Names(ctx context.Context) ([]string, error) {
	dbs, err := l.catalog.Databases(ctx)
	if err != nil {
		return nil, err
	}
	found := make([][]string, len(dbs))
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(listAtOnce)
	for i, db := range dbs {
		g.Go(func() (err error) { // one listing each
			found[i], err = l.catalog.Tables(gctx, db)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []string
	for i, db := range dbs {
		for _, t := range found[i] {
			out = append(out, db+"."+t)
		}
	}
	sort.Strings(out)
	return out, nil
}

const listAtOnce = 16

// catalogName reads database.table, database.table$branch_b, database.table$files.
func catalogName(name string) (catalog.Identifier, location, error) {
	id, err := catalog.ParseIdentifier(name)
	if err != nil {
		return id, location{}, err
	}
	loc, err := locationOf("", id.Name)
	if id.Name = strings.TrimSuffix(loc.path, "/"); loc.branch != "" {
		id.Name += "$branch_" + loc.branch
	}
	return id, loc, err
}

// Has tells whether a table is there; one that cannot be read is.
func (l *lake) Has(ctx context.Context, name string) (bool, error) {
	id, _, err := catalogName(name)
	if err != nil {
		return false, cherr.New(cherr.BadArguments, "%s", err)
	}
	_, err = l.catalog.Load(ctx, id)
	switch {
	case err == nil:
		return true, nil
	case cherr.Is(err, cherr.UnknownTable):
		return false, nil
	case cherr.Is(err, cherr.NetworkError):
		return false, err
	}
	return true, nil
}

func allowed(env *functions.Env, what string) error {
	if !env.Settings.Bool("allow_insert_into_paimon") {
		return cherr.New(cherr.SupportIsDisabled, "%s is experimental. To allow it, enable setting allow_insert_into_paimon", what)
	}
	return nil
}

// Rename moves a table within the catalog.
func (l *lake) Rename(ctx context.Context, env *functions.Env, from, to string) error {
	if err := allowed(env, "Renaming tables of a catalog"); err != nil {
		return err
	}
	a, err := catalog.ParseIdentifier(from)
	if err != nil {
		return err
	}
	b, err := catalog.ParseIdentifier(to)
	if err != nil {
		return cherr.New(cherr.BadArguments, "%s", err)
	}
	return l.catalog.Rename(ctx, a, b)
}

// Table gives the engine of one table.
func (l *lake) Table(name string) *functions.Engine {
	return &functions.Engine{
		Name: "Paimon", Durable: true, Layout: true,
		Create: func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
			return l.create(ctx, env, req, name)
		},
		Drop: func(ctx context.Context, env *functions.Env, _ *functions.OpenRequest) error {
			if err := allowed(env, "Dropping tables of a catalog"); err != nil {
				return err
			}
			id, err := catalog.ParseIdentifier(name)
			if err != nil {
				return err
			}
			return l.catalog.Drop(ctx, id)
		},
		Open: func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
			return l.open(ctx, env, req, name)
		},
	}
}

func (l *lake) create(ctx context.Context, env *functions.Env, req *functions.OpenRequest, name string) error {
	if err := allowed(env, "Creating tables in a catalog"); err != nil {
		return err
	}
	id, err := catalog.ParseIdentifier(name)
	if err != nil {
		return err
	}
	_, err = l.catalog.Load(ctx, id)
	switch {
	case req.Columns == nil || err != nil && !cherr.Is(err, cherr.UnknownTable):
		return err
	case err == nil && req.Definition != nil && req.Definition.IfNotExists:
		return nil
	case err == nil:
		return cherr.New(cherr.TableAlreadyExists, "Table `%s` is in the catalog already", id)
	}
	options, err := splitOptions(req.Options)
	if err != nil {
		return err
	}
	def, err := newSchema(req, options)
	if err != nil {
		return err
	}
	return l.catalog.Create(ctx, id, def)
}

// open loads a table from the catalog and opens its present version.
func (l *lake) open(ctx context.Context, env *functions.Env, req *functions.OpenRequest, name string) (table.Table, error) {
	id, loc, err := catalogName(name)
	if err != nil {
		return nil, err
	}
	t, err := l.catalog.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	access := t.Access
	if access == nil {
		access = &l.options.Storage
	}
	kind, address := "", t.Path
	switch objstore.Scheme(address) {
	case "file": // the local store judges it
		kind, address = "file", "/"+strings.TrimLeft(address[len("file:"):], "/")
	case "":
		kind = "file"
	}
	store, path, err := l.options.Stores.Open(ctx, kind, address, access)
	if err != nil {
		return nil, err
	}
	loc.store, loc.path = storage.Elsewhere(store, l.options.Stores, access), strings.TrimRight(path, "/")+"/"
	if v, ok := l.catalog.(catalog.PaimonVersions); ok {
		loc.kept = &keptHere{versions: v, id: id, table: t}
	}
	options, err := splitOptions(req.Options)
	if err != nil {
		return nil, err
	}
	return l.opener.openAt(ctx, env, loc, req, options)
}

// keptHere is a table whose versions a catalog keeps.
type keptHere struct {
	versions catalog.PaimonVersions
	id       catalog.Identifier
	table    *catalog.PaimonTable
}

func (k *keptHere) head(ctx context.Context) (*paimon.Snapshot, error) {
	return k.versions.Latest(ctx, k.id)
}

// alter changes the schema through the catalog.
func (k *keptHere) alter(ctx context.Context, d paimon.Dir, change func(s *paimon.Schema) error) error {
	from, err := d.LatestSchema(ctx)
	if err != nil {
		return err
	}
	data, err := from.MarshalJSON()
	if err != nil {
		return err
	}
	to := &paimon.Schema{}
	if err := json.Unmarshal(data, to); err != nil {
		return err
	}
	if err := change(to); err != nil {
		return err
	}
	return k.versions.Alter(ctx, k.id, from, to)
}
