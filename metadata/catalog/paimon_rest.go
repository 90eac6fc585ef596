package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// paimonREST is a catalog by Paimon's REST protocol (paimon.md §5.2).
type paimonREST struct {
	o    PaimonOptions
	base string // ends with /v1
	c    client

	mu     sync.Mutex
	config *paimonConfig // nil: not asked for yet
	grants map[string]*objstore.Access
}

// paimonConfig is what the service says about itself.
type paimonConfig struct {
	prefix string // of paths behind /v1, with the slash before it
	header map[string]string
	tokens bool // the service gives credentials to tables' files
}

func newPaimonREST(o PaimonOptions) (Paimon, error) {
	base, host, err := serviceBase(o.URL, o.Warehouse, o.Stores.Hosts())
	if err != nil {
		return nil, err
	}
	p := &paimonREST{o: o, base: base, grants: map[string]*objstore.Access{}}
	p.c = client{http: newClient(o.Stores.Hosts())}
	if p.c.sign, err = paimonSigner(o, host); err != nil {
		return nil, err
	}
	return p, nil
}

// paimonSigner gives what tells the service who asks.
func paimonSigner(o PaimonOptions, host string) (func(ctx context.Context, r *http.Request, body []byte, fresh bool) error, error) {
	switch {
	case o.Token != "":
		return func(_ context.Context, r *http.Request, _ []byte, _ bool) error {
			r.Header.Set("Authorization", "Bearer "+o.Token)
			return nil
		}, nil
	case o.DLFKeyID != "" && o.DLFSecret != "" && o.Region != "":
		sign := signDLF
		if o.DLFAlgorithm == "openapi" || o.DLFAlgorithm == "" && strings.HasPrefix(host, "dlfnext.") {
			sign = signDLFOpenAPI
		}
		return func(_ context.Context, r *http.Request, body []byte, _ bool) error {
			sign(r, body, &o, time.Now())
			return nil
		}, nil
	}
	return nil, cherr.New(cherr.BadArguments, "Paimon catalog requires either catalog_credential or (dlf_access_key_id, dlf_access_key_secret and region)")
}

// ask gives the service's configuration, once. What it says overrides what it
// calls defaults.
func (p *paimonREST) ask(ctx context.Context) (*paimonConfig, error) {
	p.mu.Lock()
	cfg := p.config
	p.mu.Unlock()
	if cfg != nil {
		return cfg, nil
	}
	var out struct {
		Defaults  map[string]*string `json:"defaults"`
		Overrides map[string]*string `json:"overrides"`
	}
	_, err := p.c.do(ctx, request{method: http.MethodGet, url: p.base + "/config?warehouse=" + url.QueryEscape(p.o.Warehouse), again: true}, &out)
	if err != nil {
		return nil, unconfigured(p.o.Warehouse, err)
	}
	cfg = &paimonConfig{header: map[string]string{}}
	for _, m := range []map[string]*string{out.Defaults, out.Overrides} {
		for k, v := range m {
			switch name, isHeader := strings.CutPrefix(k, "header."); {
			case v == nil:
			case isHeader:
				cfg.header[name] = *v
			case k == "data-token.enabled":
				cfg.tokens = strings.EqualFold(*v, "true")
			case k == "prefix":
				cfg.prefix = ""
				if t := strings.Trim(*v, "/"); t != "" {
					cfg.prefix = "/" + t
				}
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.config = cfg
	return cfg, nil
}

// send sends one request to a path behind the prefix. GETs are repeated when
// their answer is lost, nothing else is.
func (p *paimonREST) send(ctx context.Context, method, path string, body, out any) error {
	cfg, err := p.ask(ctx)
	if err != nil {
		return err
	}
	_, err = p.c.do(ctx, request{method: method, url: p.base + cfg.prefix + path, header: cfg.header, body: body, again: method == http.MethodGet}, out)
	return err
}

func databasePath(db string) string { return "/databases/" + url.PathEscape(db) }

// tablePath names a table; the $ of a branch is escaped as well.
func (p *paimonREST) tablePath(id Identifier) (string, error) {
	db, err := database(id)
	return databasePath(db) + "/tables/" + strings.ReplaceAll(url.PathEscape(id.Name), "$", "%24"), err
}

// pages follows a listing to its end.
func (p *paimonREST) pages(ctx context.Context, path, key string) (out []string, err error) {
	seen := map[string]bool{}
	query := url.Values{"maxResults": {pageSize}}
	for {
		var page map[string]json.RawMessage
		if err := p.send(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		var names []string
		var next *string
		if page[key] != nil && json.Unmarshal(page[key], &names) != nil || page["nextPageToken"] != nil && json.Unmarshal(page["nextPageToken"], &next) != nil {
			return nil, cherr.New(cherr.DatalakeDatabaseError, "The catalog's list of %s cannot be read", key)
		}
		out = append(out, names...)
		if next == nil || *next == "" {
			return out, nil
		}
		if seen[*next] {
			return nil, cherr.New(cherr.DatalakeDatabaseError, "The catalog's listing goes round: the same page token came twice")
		}
		seen[*next] = true
		query.Set("pageToken", *next)
	}
}

// Databases lists the databases.
func (p *paimonREST) Databases(ctx context.Context) ([]string, error) {
	out, err := p.pages(ctx, "/databases", "databases")
	return out, coded(err, "listing", Identifier{Name: p.o.Warehouse})
}

// Tables lists the tables of a database.
func (p *paimonREST) Tables(ctx context.Context, db string) ([]string, error) {
	out, err := p.pages(ctx, databasePath(db)+"/tables", "tables")
	return out, coded(err, "listing", Identifier{Namespace: []string{db}, Name: "*"})
}

// Load asks for a table.
func (p *paimonREST) Load(ctx context.Context, id Identifier) (*PaimonTable, error) {
	path, err := p.tablePath(id)
	if err != nil {
		return nil, err
	}
	var out struct {
		ID       string `json:"id"`
		Path     string `json:"path"`
		SchemaID int64  `json:"schemaId"`
	}
	if err := p.send(ctx, http.MethodGet, path, nil, &out); err != nil {
		return nil, coded(err, "loading", id)
	}
	if out.Path == "" {
		return nil, cherr.New(cherr.DatalakeDatabaseError, "The catalog does not say where table `%s` is", id)
	}
	t := &PaimonTable{ID: out.ID, Path: out.Path, SchemaID: out.SchemaID}
	t.Access, err = p.grant(ctx, id, path)
	return t, err
}

// Create makes a table, and its database when there is none.
func (p *paimonREST) Create(ctx context.Context, id Identifier, def *paimon.Schema) error {
	db, err := database(id)
	if err != nil {
		return err
	}
	fields := json.RawMessage(paimon.FieldsJSON(def.Fields))
	nonNil := func(s []string) []string { return append([]string{}, s...) }
	body := map[string]any{
		"identifier": map[string]string{"database": db, "object": id.Name},
		"schema": map[string]any{
			"fields": fields, "partitionKeys": nonNil(def.PartitionKeys), "primaryKeys": nonNil(def.PrimaryKeys), "options": def.Options, "comment": def.Comment,
		},
	}
	err = p.send(ctx, http.MethodPost, databasePath(db)+"/tables", body, nil)
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusNotFound {
		made := p.send(ctx, http.MethodPost, "/databases", map[string]any{"name": db, "options": map[string]string{}}, nil)
		if e, ok := errors.AsType[*httpError](made); made != nil && (!ok || e.status != http.StatusConflict) {
			return coded(made, "creating the database of", id)
		}
		err = p.send(ctx, http.MethodPost, databasePath(db)+"/tables", body, nil)
	}
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusConflict {
		return exists(id)
	}
	return coded(err, "creating", id)
}

// Drop removes a table.
func (p *paimonREST) Drop(ctx context.Context, id Identifier) error {
	path, err := p.tablePath(id)
	if err != nil {
		return err
	}
	return coded(p.send(ctx, http.MethodDelete, path, nil, nil), "dropping", id)
}

// Rename moves a table to another name.
func (p *paimonREST) Rename(ctx context.Context, from, to Identifier) error {
	named := func(id Identifier) map[string]string {
		return map[string]string{"database": strings.Join(id.Namespace, "."), "object": id.Name}
	}
	err := p.send(ctx, http.MethodPost, "/tables/rename", map[string]any{"source": named(from), "destination": named(to)}, nil)
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusConflict {
		return exists(to)
	}
	return coded(err, "renaming", from)
}

// Latest asks for the newest snapshot. A catalog says by 404, or by null, that
// there is none.
func (p *paimonREST) Latest(ctx context.Context, id Identifier) (*paimon.Snapshot, error) {
	path, err := p.tablePath(id)
	if err != nil {
		return nil, err
	}
	var out struct {
		Snapshot *struct {
			Snapshot json.RawMessage `json:"snapshot"`
		} `json:"snapshot"`
	}
	err = p.send(ctx, http.MethodGet, path+"/snapshot", nil, &out)
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusNotFound && e.kind != "TABLE" {
		return nil, nil
	}
	if err != nil {
		return nil, coded(err, "asking for the latest snapshot of", id)
	}
	if out.Snapshot == nil || len(out.Snapshot.Snapshot) == 0 || string(out.Snapshot.Snapshot) == "null" {
		return nil, nil
	}
	return paimon.ParseSnapshot("of table "+id.String()+" in the catalog", out.Snapshot.Snapshot)
}

// CommitSnapshot sends a commit. It is never sent again.
func (p *paimonREST) CommitSnapshot(ctx context.Context, id Identifier, body []byte) (bool, error) {
	path, err := p.tablePath(id)
	if err != nil {
		return false, err
	}
	var out struct {
		Success bool `json:"success"`
	}
	err = p.send(ctx, http.MethodPost, path+"/commit", json.RawMessage(body), &out)
	return out.Success, coded(err, "committing to", id)
}

// grant gives credentials to a table's files, where the service has them.
func (p *paimonREST) grant(ctx context.Context, id Identifier, path string) (*objstore.Access, error) {
	cfg, err := p.ask(ctx)
	if err != nil || !cfg.tokens {
		return nil, err
	}
	p.mu.Lock()
	a := p.grants[path]
	p.mu.Unlock()
	if a != nil && time.Until(a.Expires) > time.Hour {
		return a, nil
	}
	var out struct {
		Token     map[string]string `json:"token"`
		ExpiresAt int64             `json:"expiresAt"`
	}
	if err := p.send(ctx, http.MethodGet, path+"/token", nil, &out); err != nil {
		return nil, coded(err, "asking for access to", id)
	}
	access := accessOf(out.Token, p.o.Storage)
	access.Expires, access.Scope = time.UnixMilli(out.ExpiresAt), p.base+path+"#"+strconv.FormatInt(out.ExpiresAt, 10)
	access.Refresh = func(ctx context.Context) (*objstore.Access, error) { return p.grant(ctx, id, path) }
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grants[path] = &access
	return &access, nil
}

// accessOf reads a token: options of Paimon's file systems.
func accessOf(token map[string]string, a objstore.Access) objstore.Access {
	for k, v := range token {
		switch strings.ToLower(k) {
		case "fs.oss.accesskeyid", "s3.access-key", "s3.access.key", "fs.s3a.access.key":
			a.KeyID = v
		case "fs.oss.accesskeysecret", "s3.secret-key", "s3.secret.key", "fs.s3a.secret.key":
			a.Secret = v
		case "fs.oss.securitytoken", "s3.session-token", "s3.session.token", "fs.s3a.session.token":
			a.Token = v
		case "fs.oss.endpoint", "s3.endpoint", "fs.s3a.endpoint":
			a.Endpoint = v
			if !strings.Contains(v, "://") {
				a.Endpoint = "https://" + v
			}
		case "fs.oss.region", "s3.region", "fs.s3a.endpoint.region":
			a.Region = v
		}
	}
	return a
}
