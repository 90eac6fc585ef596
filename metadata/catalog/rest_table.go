package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// loaded is the answer about a table.
type loaded struct {
	Location string            `json:"metadata-location"`
	Metadata json.RawMessage   `json:"metadata"`
	Config   map[string]string `json:"config"`
	Storage  []struct {
		Prefix string            `json:"prefix"`
		Config map[string]string `json:"config"`
	} `json:"storage-credentials"`
}

func (r *rest) delegation() map[string]string {
	if !r.o.Vended {
		return nil
	}
	return map[string]string{"X-Iceberg-Access-Delegation": "vended-credentials,remote-signing"}
}

// Load gives a table's present version, and what reaches its files.
func (r *rest) Load(ctx context.Context, id Identifier) (*Table, error) {
	cfg, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	var l loaded
	if _, err := r.c.do(ctx, request{method: http.MethodGet, url: r.tablePath(cfg, id), header: r.delegation(), again: true}, &l); err != nil {
		return nil, coded(err, "loading", id)
	}
	return r.table(id, &l)
}

func (r *rest) table(id Identifier, l *loaded) (*Table, error) {
	m, err := iceberg.ParseMetadata(l.Location, l.Metadata)
	if err != nil {
		return nil, cherr.Wrap(err, "loading `%s` from the catalog", id)
	}
	return &Table{Meta: m, Access: r.access(id, l, m.Location)}, nil
}

// access gives what the answer vends for a location; nil for nothing.
func (r *rest) access(id Identifier, l *loaded, location string) *objstore.Access {
	if !r.o.Vended {
		return nil
	}
	cfg := l.Config
	best := -1
	for _, s := range l.Storage { // the longest prefix that fits wins over config
		if strings.HasPrefix(location, s.Prefix) && len(s.Prefix) > best {
			best = len(s.Prefix)
			merged := map[string]string{}
			for k, v := range l.Config {
				merged[k] = v
			}
			for k, v := range s.Config {
				merged[k] = v
			}
			cfg = merged
		}
	}
	a := r.o.Storage
	if !vended(&a, cfg) && cfg["s3.endpoint"] == "" {
		return nil
	}
	a.Scope = r.base + "|" + r.o.Warehouse + "|" + id.String()
	if a.Token != "" || !a.Expires.IsZero() || a.SAS != "" {
		a.Refresh = func(ctx context.Context) (*objstore.Access, error) {
			t, err := r.Load(ctx, id)
			if err != nil {
				return nil, err
			}
			if t.Access == nil {
				return nil, cherr.New(cherr.AccessDenied, "The catalog gives no credentials to the files of `%s` any more", id)
			}
			return t.Access, nil
		}
	}
	if cfg["s3.remote-signing-enabled"] == "true" && cfg["s3.access-key-id"] == "" {
		a.Sign = r.remoteSigner(cfg)
	}
	return &a
}

// vended reads credentials in the names that engines have agreed on.
func vended(a *objstore.Access, cfg map[string]string) bool {
	found := false
	for _, k := range []struct {
		name string
		to   *string
	}{
		{"s3.access-key-id", &a.KeyID}, {"s3.secret-access-key", &a.Secret}, {"s3.session-token", &a.Token},
	} {
		if v := cfg[k.name]; v != "" {
			*k.to, found = v, true
		}
	}
	if found && cfg["s3.session-token"] == "" {
		a.Token = ""
	}
	if v := cfg["s3.endpoint"]; v != "" {
		a.Endpoint = v
	}
	for _, k := range []string{"client.region", "s3.region"} {
		if v := cfg[k]; v != "" {
			a.Region = v
		}
	}
	if v := cfg["s3.path-style-access"]; v != "" {
		path := v == "true"
		a.PathStyle = &path
	}
	if ms, err := strconv.ParseInt(cfg["s3.session-token-expires-at-ms"], 10, 64); err == nil {
		a.Expires = time.UnixMilli(ms)
	}
	for k, v := range cfg {
		if account, ok := strings.CutPrefix(k, "adls.sas-token."); ok && v != "" {
			a.Account, _, _ = strings.Cut(account, ".")
			a.SAS, found = v, true
		}
	}
	return found || cfg["s3.remote-signing-enabled"] == "true"
}

// Create makes a table.
func (r *rest) Create(ctx context.Context, id Identifier, def *iceberg.TableMetadata) (*Table, error) {
	cfg, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"name": id.Name, "schema": def.CurrentSchema(), "stage-create": false}
	props := map[string]string{"format-version": strconv.Itoa(def.FormatVersion)}
	for k, v := range def.Properties {
		props[k] = v
	}
	body["properties"] = props
	if def.Location != "" {
		body["location"] = def.Location
	}
	if s := def.DefaultSpec(); s != nil && len(s.Fields) > 0 {
		body["partition-spec"] = s
	}
	if so := def.SortOrder(def.DefaultSortOrderID); so != nil && len(so.Fields) > 0 {
		body["write-order"] = so
	}
	var l loaded
	address := r.namespacePath(cfg, id.Namespace) + "/tables"
	_, err = r.c.do(ctx, request{method: http.MethodPost, url: address, header: r.delegation(), body: body}, &l)
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusNotFound {
		if err := r.createNamespace(ctx, cfg, id.Namespace); err != nil {
			return nil, err
		}
		_, err = r.c.do(ctx, request{method: http.MethodPost, url: address, header: r.delegation(), body: body}, &l)
	}
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusConflict {
		return nil, exists(id)
	}
	if err != nil {
		return nil, coded(err, "creating", id)
	}
	return r.table(id, &l)
}

func (r *rest) createNamespace(ctx context.Context, cfg *restConfig, ns []string) error {
	_, err := r.c.do(ctx, request{method: http.MethodPost, url: r.base + cfg.prefix + "/namespaces", body: map[string]any{
		"namespace": ns, "properties": map[string]string{},
	}}, nil)
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusConflict {
		return nil // another was first
	}
	return coded(err, "creating", Identifier{ns, "*"})
}

// commitBody is one table's change.
func commitBody(id Identifier, reqs []iceberg.Requirement, ups []iceberg.Update) (map[string]any, error) {
	rs, err := iceberg.EncodeRequirements(reqs)
	if err != nil {
		return nil, err
	}
	us, err := iceberg.EncodeUpdates(ups)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"identifier":   map[string]any{"namespace": id.Namespace, "name": id.Name},
		"requirements": json.RawMessage(rs), "updates": json.RawMessage(us),
	}, nil
}

// outcome reads what an error says about a commit (iceberg.md §2.1): only a
// clear no is a no.
func outcome(err error, id Identifier) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*httpError](err)
	switch {
	case ok && e.status == http.StatusConflict:
		return cherr.Wrap(ErrConflict, "committing to `%s`: %s", id, e.text)
	case ok && e.status < 500:
		return coded(err, "committing to", id)
	}
	return cherr.Wrap(ErrUnknown, "committing to `%s`: %s", id, err)
}

// Commit sends the change; it is sent once.
func (r *rest) Commit(ctx context.Context, id Identifier, base *Table, reqs []iceberg.Requirement, ups []iceberg.Update) (*Table, error) {
	cfg, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	body, err := commitBody(id, reqs, iceberg.Explicit(base.Meta, ups))
	if err != nil {
		return nil, err
	}
	var l loaded
	if _, err := r.c.do(ctx, request{method: http.MethodPost, url: r.tablePath(cfg, id), body: body}, &l); err != nil {
		return nil, outcome(err, id)
	}
	return r.table(id, &l)
}

// Change is one table's part of a commit over several.
type Change struct {
	ID           Identifier
	Requirements []iceberg.Requirement
	Updates      []iceberg.Update
}

// MultiCommitter is a catalog that commits to several tables at once.
type MultiCommitter interface {
	// CommitAll makes all changes or none.
	CommitAll(ctx context.Context, changes []Change) error
}

// CommitAll makes all changes or none.
func (r *rest) CommitAll(ctx context.Context, changes []Change) error {
	cfg, err := r.ask(ctx)
	if err != nil {
		return err
	}
	all := make([]map[string]any, len(changes))
	for i, c := range changes {
		if all[i], err = commitBody(c.ID, c.Requirements, c.Updates); err != nil {
			return err
		}
	}
	_, err = r.c.do(ctx, request{method: http.MethodPost, url: r.base + cfg.prefix + "/transactions/commit", body: map[string]any{"table-changes": all}}, nil)
	if len(changes) == 0 {
		return err
	}
	return outcome(err, changes[0].ID)
}

// remoteSigner lets the catalog sign requests to the store.
func (r *rest) remoteSigner(cfg map[string]string) func(req *http.Request) error {
	uri, endpoint := cfg["s3.signer.uri"], cfg["s3.signer.endpoint"]
	if uri == "" {
		uri = strings.TrimSuffix(r.base, "/v1")
	}
	if endpoint == "" {
		endpoint = "v1/aws/s3/sign"
	}
	address := strings.TrimRight(uri, "/") + "/" + strings.TrimLeft(endpoint, "/")
	region := cfg["s3.region"]
	if region == "" {
		region = cfg["client.region"]
	}
	if region == "" {
		region = "us-east-1"
	}
	return func(req *http.Request) error {
		headers := map[string][]string{}
		for k, v := range req.Header {
			headers[k] = v
		}
		var out struct {
			URI     string              `json:"uri"`
			Headers map[string][]string `json:"headers"`
		}
		_, err := r.c.do(req.Context(), request{method: http.MethodPost, url: address, again: true, body: map[string]any{
			"method": req.Method, "region": region, "uri": req.URL.String(), "headers": headers,
		}}, &out)
		if err != nil {
			if e, ok := errors.AsType[*httpError](err); ok {
				return cherr.New(cherr.AccessDenied, "The catalog does not sign the request: %s (HTTP status %d)", e.text, e.status)
			}
			return err
		}
		for k, v := range out.Headers {
			req.Header[http.CanonicalHeaderKey(k)] = v
		}
		if out.URI != "" && out.URI != req.URL.String() {
			signed, err := req.URL.Parse(out.URI)
			if err != nil || signed.Host != req.URL.Host {
				return cherr.New(cherr.AccessDenied, "The catalog signs a request to another host")
			}
			req.URL = signed
		}
		return nil
	}
}

// View gives the query of a view, and the namespace that its names are in; the
// dialect is ours if there is one, or else the first.
func (r *rest) View(ctx context.Context, id Identifier) (sql string, namespace []string, err error) {
	cfg, err := r.ask(ctx)
	if err != nil {
		return "", nil, err
	}
	var out struct {
		Metadata struct {
			Current  int `json:"current-version-id"`
			Versions []struct {
				ID              int      `json:"version-id"`
				Namespace       []string `json:"default-namespace"`
				Representations []struct {
					Type    string `json:"type"`
					SQL     string `json:"sql"`
					Dialect string `json:"dialect"`
				} `json:"representations"`
			} `json:"versions"`
		} `json:"metadata"`
	}
	address := r.namespacePath(cfg, id.Namespace) + "/views/" + url.PathEscape(id.Name)
	if _, err := r.c.do(ctx, request{method: http.MethodGet, url: address, again: true}, &out); err != nil {
		return "", nil, coded(err, "loading", id)
	}
	for _, v := range out.Metadata.Versions {
		if v.ID != out.Metadata.Current {
			continue
		}
		for _, rep := range v.Representations {
			if rep.Type == "sql" && (sql == "" || strings.EqualFold(rep.Dialect, "clickhouse")) {
				sql = rep.SQL
			}
		}
		namespace = v.Namespace
	}
	if sql == "" {
		return "", nil, cherr.New(cherr.NotImplemented, "View `%s` of the catalog has no query in SQL", id)
	}
	return sql, namespace, nil
}

// Viewer is a catalog that has views.
type Viewer interface {
	View(ctx context.Context, id Identifier) (sql string, namespace []string, err error)
}
