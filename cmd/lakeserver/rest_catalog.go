package main

import (
	"context"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"sort"
	gostrings "strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/engine"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/functions"
	"lakeserver/functions/iceberg"
	meta "lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/server"
	"lakeserver/server/restcatalog"
	"lakeserver/settings"
)

// restCatalog wires the catalog that serves the embedded warehouse.
func restCatalog(cfg Config, eng *engine.Engine, users *server.Users, log *slog.Logger) (*restcatalog.Handler, error) {
	store := warehouse(cfg)
	if store == nil {
		return nil, cherr.New(cherr.BadArguments, "rest_catalog_listen needs data_dir: without it there is no warehouse to serve")
	}
	props, err := restcatalog.OpenProperties(filepath.Join(cfg.DataDir, "namespaces.json"))
	if err != nil {
		return nil, err
	}
	return restcatalog.New(restcatalog.Config{
		Warehouse: &ownTables{eng: eng, store: store, root: objstore.Location(store, "")},
		Engine:    server.Over(eng), Users: users, Properties: props, Log: log,
	}), nil
}

// ownTables are the tables of the embedded warehouse: those whose definition
// names a folder of it.
type ownTables struct {
	eng   *engine.Engine
	store objstore.Store
	root  string
}

// folder gives an own table's folder in the warehouse; "" for another table.
func folder(e *database.Entry) string {
	if e.Engine == nil || e.Request == nil || e.Engine.Name != "Iceberg" || len(e.Request.Args) != 1 {
		return ""
	}
	path, ok := e.Request.Args[0].Value.(string)
	if !ok || objstore.Scheme(path) != "" {
		return ""
	}
	return path
}

// Namespaces lists the databases that keep tables of ours.
func (o *ownTables) Namespaces() []string {
	var out []string
	for _, db := range o.eng.Catalog().Databases() {
		if !db.System && db.External == nil && db.Engine != "Memory" {
			out = append(out, db.Name)
		}
	}
	sort.Strings(out)
	return out
}

// Tables lists the own tables of a database.
func (o *ownTables) Tables(namespace string) []string {
	var out []string
	for _, e := range o.eng.Catalog().Tables(namespace) {
		if folder(e) != "" {
			out = append(out, e.Name)
		}
	}
	return out
}

// Location is where a database's tables lie.
func (o *ownTables) Location(namespace string) string {
	return o.root + "/" + url.PathEscape(namespace)
}

func (o *ownTables) env() *functions.Env {
	return &functions.Env{
		Settings: settings.Default(), Zone: time.UTC, ServerZone: o.eng.Zone(), Now: time.Now(),
		User: "default", Host: o.eng.Host(), Version: engine.Version, Registry: o.eng.Registry(),
	}
}

func (o *ownTables) open(ctx context.Context, id restcatalog.Identifier) (*iceberg.Table, error) {
	e, err := o.eng.Catalog().Lookup(id.Namespace, id.Name)
	if err != nil {
		return nil, err
	}
	if folder(e) == "" {
		return nil, cherr.New(cherr.UnknownTable, "Table does not exist in the warehouse: %s.%s", id.Namespace, id.Name)
	}
	t, err := e.Open(ctx, o.env(), nil)
	if err != nil {
		return nil, err
	}
	own, ok := t.(*iceberg.Table)
	if !ok {
		return nil, cherr.New(cherr.UnknownTable, "Table does not exist in the warehouse: %s.%s", id.Namespace, id.Name)
	}
	return own, nil
}

// Load gives a table's newest version.
func (o *ownTables) Load(ctx context.Context, id restcatalog.Identifier) (*meta.TableMetadata, error) {
	t, err := o.open(ctx, id)
	if err != nil {
		return nil, err
	}
	return t.Metadata(), nil
}

// Commit makes the next version.
func (o *ownTables) Commit(ctx context.Context, id restcatalog.Identifier, reqs []meta.Requirement, ups []meta.Update) (*meta.TableMetadata, error) {
	t, err := o.open(ctx, id)
	if err != nil {
		return nil, err
	}
	return t.Update(ctx, reqs, ups)
}

// Place chooses a folder as CREATE TABLE does.
func (o *ownTables) Place(ctx context.Context, id restcatalog.Identifier) (string, error) {
	eng, ok := o.eng.Registry().Engine("Iceberg")
	if !ok || eng.Place == nil {
		return "", cherr.New(cherr.NotImplemented, "There is no warehouse")
	}
	args, err := eng.Place(ctx, id.Namespace, id.Name)
	if err != nil {
		return "", err
	}
	path, _ := args[0].Value.(string)
	return o.root + "/" + path, nil
}

// within gives a location's folder in the warehouse: a folder of the
// namespace's, and no deeper.
func (o *ownTables) within(namespace, location string) (string, error) {
	path, ok := gostrings.CutPrefix(gostrings.TrimPrefix(location, "file://"), o.root+"/")
	db, name, two := gostrings.Cut(path, "/")
	if !ok || !two || db != url.PathEscape(namespace) || name == "" || name == "." || name == ".." || gostrings.Contains(name, "/") {
		return "", cherr.New(cherr.BadArguments, "A table of namespace %s lies in a folder of %s, not at %s", namespace, o.Location(namespace), location)
	}
	return path, nil
}

// Create writes the first version and then enters the name: a crash between
// leaves files that no table has, never a table without files.
func (o *ownTables) Create(ctx context.Context, id restcatalog.Identifier, m *meta.TableMetadata) (*meta.TableMetadata, error) {
	path, err := o.within(id.Namespace, m.Location)
	if err != nil {
		return nil, err
	}
	made, err := iceberg.CreateIn(ctx, o.store, path, m)
	if err != nil {
		return nil, err
	}
	if err := o.enter(ctx, id, path); err != nil {
		// Another was first to take the name.
		for _, f := range []string{made.File, path + "/metadata/version-hint.text"} {
			_ = o.store.Delete(context.WithoutCancel(ctx), f)
		}
		return nil, err
	}
	return made, nil
}

// enter gives a folder of the warehouse a name. Rights have been asked.
func (o *ownTables) enter(ctx context.Context, id restcatalog.Identifier, path string) error {
	s := o.eng.NewSession(engine.User{Name: "default"})
	defer s.Close()
	res, err := s.Execute(ctx, &engine.Query{
		Text:      "CREATE TABLE " + ast.QuoteName(id.Namespace) + "." + ast.QuoteName(id.Name) + " ENGINE = Iceberg(" + ast.QuoteString(path) + ")",
		Interface: "REST catalog",
	})
	if err != nil {
		return err
	}
	return res.Close(nil)
}

// Register names a table that lies in the warehouse and has no name.
func (o *ownTables) Register(ctx context.Context, id restcatalog.Identifier, file string) (*meta.TableMetadata, error) {
	path, ok := gostrings.CutPrefix(gostrings.TrimPrefix(file, "file://"), o.root+"/")
	root, _, in := gostrings.Cut(path, "/metadata/")
	if !ok || !in {
		return nil, cherr.New(cherr.BadArguments, "%s is not in the warehouse %s", file, o.root)
	}
	m, err := iceberg.NewestIn(ctx, o.store, root)
	if err != nil {
		return nil, err
	}
	if m.File != o.root+"/"+path {
		return nil, cherr.New(cherr.BadArguments, "%s is not the newest version of its table, that is %s", file, m.File)
	}
	for _, ns := range o.Namespaces() {
		taken := slices.ContainsFunc(o.eng.Catalog().Tables(ns), func(e *database.Entry) bool { return folder(e) == root })
		if taken {
			return nil, cherr.New(cherr.TableAlreadyExists, "The table at %s has a name already", m.Location)
		}
	}
	return m, o.enter(ctx, id, root)
}

// Forget takes the name away.
func (o *ownTables) Forget(_ context.Context, id restcatalog.Identifier) error {
	_, err := o.eng.Catalog().Drop(id.Namespace, id.Name, false)
	return err
}

// Unclear tells whether nobody knows if a commit landed.
func (o *ownTables) Unclear(err error) bool { return iceberg.IsUnknown(err) }
