package iceberg

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/metadata/catalog"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	write "lakeserver/write/iceberg"
)

// lake is a DataLakeCatalog database: tables that a catalog service keeps.
type lake struct {
	kind    string // catalog_type
	catalog catalog.Catalog
	options catalog.Options
	stores  *objstore.Registry
	cache   *metadata.Cache
	shared  *read.Shared
	lines   *write.Lines
}

// databaseEngine describes DataLakeCatalog.
func databaseEngine(cfg Config, lines *write.Lines) functions.DatabaseEngine {
	return functions.DatabaseEngine{
		Name: "DataLakeCatalog",
		Doc: functions.Doc{
			Syntax:  "DataLakeCatalog('url'[, 'access_key_id', 'secret_access_key']) SETTINGS catalog_type = 'rest' | 'glue' | 'unity' | 'hive', warehouse = …",
			Summary: "The Iceberg tables of a catalog service, each under the name `namespace.table`.",
		},
		Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (functions.External, error) {
			o, err := catalogOptions(cfg.Sources, req)
			if err != nil {
				return nil, err
			}
			c, err := catalog.Open(*o)
			if err != nil {
				return nil, err
			}
			return &lake{kind: o.Type, catalog: c, options: *o, stores: o.Stores, cache: cfg.Cache, shared: cfg.Shared, lines: lines}, nil
		},
	}
}

// gates are the settings that let a query make a database of a catalog type.
var gates = map[string]string{
	"rest": "allow_database_iceberg", "glue": "allow_database_glue_catalog",
	"unity": "allow_database_unity_catalog", "hive": "allow_experimental_database_hms_catalog",
}

// catalogOptions reads the arguments and settings of the engine.
func catalogOptions(sources *storage.Sources, req *functions.OpenRequest) (*catalog.Options, error) {
	if len(req.Args) == 0 {
		return nil, cherr.New(cherr.BadArguments, "Engine `DataLakeCatalog` must have arguments.")
	}
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
	o := &catalog.Options{URL: words[0], Vended: true, Scope: "PRINCIPAL_ROLE:ALL", TokenInBody: true, Stores: sources.Registry}
	if len(words) == 3 {
		o.Storage.KeyID, o.Storage.Secret = words[1], words[2]
	}
	for name, v := range req.Options {
		if err := catalogSetting(o, name, v); err != nil {
			return nil, err
		}
	}
	o.Storage.Region = o.Region
	return o, nil
}

// catalogSetting puts one setting into its place.
func catalogSetting(o *catalog.Options, name, v string) error { // long: one line a setting
	on := v == "1" || strings.EqualFold(v, "true")
	switch name {
	case "catalog_type":
		o.Type = v
	case "warehouse":
		o.Warehouse = v
	case "catalog_credential":
		o.Credential = v
	case "auth_scope":
		o.Scope = v
	case "oauth_server_uri":
		o.TokenURL = v
	case "oauth_server_use_request_body":
		o.TokenInBody = on
	case "auth_header":
		o.AuthHeader = v
	case "vended_credentials":
		o.Vended = on
	case "region":
		o.Region = v
	case "aws_access_key_id":
		o.Storage.KeyID = v
	case "aws_secret_access_key":
		o.Storage.Secret = v
	case "aws_role_arn":
		o.Storage.RoleARN = v
	case "aws_role_session_name":
		o.Storage.RoleSession = v
	case "aws_external_id":
		o.Storage.ExternalID = v
	case "storage_endpoint":
		o.Storage.Endpoint = endpointOf(v)
	case "force_add_bucket", "namespaces":
	default:
		switch {
		case strings.HasPrefix(name, "iceberg_") && !engineSettings[name]:
			return cherr.New(cherr.BadArguments, "The setting %s is used for storage. Please use the setting without `iceberg_` prefix", name)
		case engineSettings[name]:
		case strings.HasPrefix(name, "onelake_"), strings.HasPrefix(name, "google_"), strings.HasPrefix(name, "dlf_"):
			return cherr.New(cherr.NotImplemented, "The setting '%s' is of a catalog type that is not supported", name)
		default:
			return cherr.New(cherr.UnknownSetting, "Unknown setting '%s': for database engine DataLakeCatalog.", name)
		}
	}
	return nil
}

// endpointOf takes off the bucket that ClickHouse wants behind the endpoint.
func endpointOf(v string) string {
	scheme, rest, ok := strings.Cut(v, "://")
	if !ok {
		return v
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// Check asks for the gate's setting, and the catalog.
func (l *lake) Check(ctx context.Context, env *functions.Env) error {
	if g := gates[l.kind]; !env.Settings.Bool(g) {
		return cherr.New(cherr.SupportIsDisabled, "DatabaseDataLake with %s catalog is experimental. To allow its usage, enable setting %s", l.kind, g)
	}
	_, err := l.catalog.Namespaces(ctx)
	return err
}

// Names lists the tables.
func (l *lake) Names(ctx context.Context) ([]string, error) {
	ids, err := catalog.List(ctx, l.catalog)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	sort.Strings(out)
	return out, nil
}

// Has tells whether a table is there; one that cannot be read is.
func (l *lake) Has(ctx context.Context, name string) (bool, error) {
	id, err := catalog.ParseIdentifier(name)
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

const writeGate = "allow_insert_into_iceberg"

func allowed(env *functions.Env, what string) error {
	if !env.Settings.Bool(writeGate) {
		return cherr.New(cherr.SupportIsDisabled, "%s is in beta. To allow its usage, enable setting %s", what, writeGate)
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
	with := func(do func(id catalog.Identifier) error) error {
		id, err := catalog.ParseIdentifier(name)
		if err != nil {
			return err
		}
		return do(id)
	}
	return &functions.Engine{
		Name: "Iceberg", Durable: true, Layout: true,
		Create: func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
			return with(func(id catalog.Identifier) error { return l.create(ctx, env, req, id) })
		},
		Drop: func(ctx context.Context, env *functions.Env, _ *functions.OpenRequest) error {
			return with(func(id catalog.Identifier) error {
				if err := allowed(env, "Dropping tables of a catalog"); err != nil {
					return err
				}
				return l.catalog.Drop(ctx, id, env.Settings.Bool("iceberg_delete_data_on_drop"))
			})
		},
		Open: func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (t table.Table, err error) {
			err = with(func(id catalog.Identifier) (err error) {
				t, err = l.open(ctx, env, req, id)
				return err
			})
			return t, err
		},
	}
}

func (l *lake) create(ctx context.Context, env *functions.Env, req *functions.OpenRequest, id catalog.Identifier) error {
	if err := allowed(env, "Creating tables in a catalog"); err != nil {
		return err
	}
	if req.Columns == nil {
		_, err := l.catalog.Load(ctx, id)
		return err
	}
	if req.Definition != nil && req.Definition.Replace {
		if _, err := l.catalog.Load(ctx, id); err == nil {
			return cherr.New(cherr.NotImplemented, "A table of a catalog cannot be replaced: drop it first")
		}
	}
	location, err := l.catalog.DefaultLocation(ctx, id)
	if err != nil {
		return err
	}
	def, err := newDefinition(env, req, "", location)
	if err != nil {
		return err
	}
	if location == "" {
		def.Location = "unplaced" // the catalog decides; a name is wanted to build with
	}
	m, err := iceberg.NewTableMetadata(*def)
	if err != nil {
		return err
	}
	m.Location = location
	_, err = l.catalog.Create(ctx, id, m)
	return err
}

// open loads a table's present version from the catalog and pins it.
func (l *lake) open(ctx context.Context, env *functions.Env, req *functions.OpenRequest, id catalog.Identifier) (*Table, error) {
	ct, err := l.catalog.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	at, err := l.locate(ctx, ct)
	if err != nil {
		return nil, err
	}
	t, err := pinned(env, req.Version, at.path, l.loader(at.store, env.Settings), ct.Meta)
	if err != nil {
		return nil, err
	}
	t.src.Shared = l.shared
	t.swapper = &catalogSwapper{catalog: l.catalog, id: id, last: ct}
	t.line = l.lines.Of(l.kind + "|" + l.options.URL + "|" + l.options.Warehouse + "|" + id.String())
	return t, nil
}

// locate opens the store that a table's files lie in.
func (l *lake) locate(ctx context.Context, ct *catalog.Table) (*spot, error) {
	a := ct.Access
	if a == nil {
		a = &l.options.Storage
	}
	store, path, err := l.stores.Open(ctx, kindOf(ct.Meta.Location), ct.Meta.Location, a)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return &spot{store: store, path: path}, nil
}

// kindOf names the store of a location: a bare path is a local one, which the
// local store judges.
func kindOf(location string) string {
	if objstore.Scheme(location) == "" {
		return "file"
	}
	return ""
}

func (l *lake) loader(store objstore.Store, s *settings.Settings) *metadata.Loader {
	loader := &metadata.Loader{Store: store}
	if s.Bool("use_iceberg_metadata_files_cache") {
		loader.Cache = l.cache
	}
	return loader
}

// catalogSwapper commits through a catalog. It serves one open table.
type catalogSwapper struct {
	catalog catalog.Catalog
	id      catalog.Identifier

	mu   sync.Mutex
	last *catalog.Table // what Load gave last
}

func (s *catalogSwapper) remember(t *catalog.Table) *iceberg.TableMetadata {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = t
	return t.Meta
}

// Load asks the catalog.
func (s *catalogSwapper) Load(ctx context.Context) (*iceberg.TableMetadata, error) {
	t, err := s.catalog.Load(ctx, s.id)
	if err != nil {
		return nil, err
	}
	return s.remember(t), nil
}

// Swap commits, and says what is known of an answer that did not come.
func (s *catalogSwapper) Swap(ctx context.Context, base *iceberg.TableMetadata, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error) {
	s.mu.Lock()
	t := s.last
	s.mu.Unlock()
	if t == nil || t.Meta != base {
		t = &catalog.Table{Meta: base}
	}
	next, err := s.catalog.Commit(ctx, s.id, t, reqs, ups)
	switch {
	case err == nil:
		return s.remember(next), nil
	case errors.Is(err, catalog.ErrConflict):
		return nil, cherr.Wrap(write.ErrConflict, "%s", err)
	case errors.Is(err, catalog.ErrUnknown):
		return s.resolve(context.WithoutCancel(ctx), ups, err)
	}
	return nil, err
}

// resolve asks whether an unclear commit landed: by the id of its snapshot,
// which nobody else uses.
func (s *catalogSwapper) resolve(ctx context.Context, ups []iceberg.Update, cause error) (*iceberg.TableMetadata, error) {
	var id int64
	for _, u := range ups {
		if a, ok := u.(iceberg.AddSnapshot); ok && a.Snapshot != nil {
			id = a.Snapshot.ID
		}
	}
	for n := range 4 {
		if n > 0 {
			time.Sleep(250 * time.Millisecond << n)
		}
		now, err := s.Load(ctx)
		if err != nil {
			continue
		}
		if id != 0 && now.Snapshot(id) != nil {
			return now, nil
		}
	}
	return nil, cherr.Wrap(write.ErrUnknown, "%s", cause)
}

// View gives the query of a catalog's view.
func (l *lake) View(ctx context.Context, name string) (sql, prefix string, err error) {
	v, ok := l.catalog.(catalog.Viewer)
	id, err := catalog.ParseIdentifier(name)
	if err != nil || !ok {
		return "", "", cherr.New(cherr.UnknownTable, "There is no view `%s` in the catalog", name)
	}
	sql, ns, err := v.View(ctx, id)
	if err != nil {
		return "", "", err
	}
	if len(ns) == 0 {
		ns = id.Namespace
	}
	return sql, strings.Join(ns, ".") + ".", nil
}
