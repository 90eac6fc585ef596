package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"

	"lakeserver/cherr"
)

// rest is a catalog by Iceberg's REST protocol.
type rest struct {
	o    Options
	base string // ends with /v1
	c    client
	auth func(ctx context.Context, r *http.Request, body []byte, fresh bool) error

	mu     sync.Mutex
	config *restConfig // nil: not asked for yet
}

// restConfig is what the service says about itself.
type restConfig struct {
	prefix    string
	separator string // between the parts of a namespace, in paths
	props     map[string]string
	endpoints map[string]bool // nil: not said
}

func newREST(o Options) (Catalog, error) {
	base, _, err := serviceBase(o.URL, o.Warehouse, o.Stores.Hosts())
	if err != nil {
		return nil, err
	}
	r := &rest{o: o, base: base}
	hc := newClient(o.Stores.Hosts())
	if r.auth, err = authorization(o, hc, r.base+"/oauth/tokens"); err != nil {
		return nil, err
	}
	r.c = client{http: hc, sign: r.sign}
	return r, nil
}

// sign adds the token or header, and AWS's signature where the service wants it.
func (r *rest) sign(ctx context.Context, req *http.Request, body []byte, fresh bool) error {
	if r.auth != nil {
		if err := r.auth(ctx, req, body, fresh); err != nil {
			return err
		}
	}
	r.mu.Lock()
	cfg := r.config
	r.mu.Unlock()
	if cfg == nil || cfg.props["rest.sigv4-enabled"] != "true" {
		return nil
	}
	region, service := cfg.props["rest.signing-region"], cfg.props["rest.signing-name"]
	if region == "" {
		region = r.o.Region
	}
	if service == "" {
		service = "execute-api"
	}
	a := &r.o.Storage
	signV4(req, body, a.KeyID, a.Secret, a.Token, region, service, time.Now())
	return nil
}

// ask gives the service's configuration, once.
func (r *rest) ask(ctx context.Context) (*restConfig, error) {
	r.mu.Lock()
	cfg := r.config
	r.mu.Unlock()
	if cfg != nil {
		return cfg, nil
	}
	var out struct {
		Defaults  map[string]string `json:"defaults"`
		Overrides map[string]string `json:"overrides"`
		Endpoints []string          `json:"endpoints"`
	}
	_, err := r.c.do(ctx, request{method: http.MethodGet, url: r.base + "/config?warehouse=" + url.QueryEscape(r.o.Warehouse), again: true}, &out)
	if err != nil {
		return nil, unconfigured(r.o.Warehouse, err)
	}
	cfg = &restConfig{props: map[string]string{}, separator: "\x1f"}
	for _, m := range []map[string]string{out.Defaults, out.Overrides} {
		for k, v := range m {
			cfg.props[k] = v
		}
	}
	if p := strings.Trim(cfg.props["prefix"], "/"); p != "" {
		cfg.prefix = "/" + p
	}
	if s := cfg.props["namespace-separator"]; s != "" {
		if plain, err := url.PathUnescape(s); err == nil {
			cfg.separator = plain
		}
	}
	if out.Endpoints != nil {
		cfg.endpoints = map[string]bool{}
		for _, e := range out.Endpoints {
			cfg.endpoints[e] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.config = cfg
	return cfg, nil
}

func (r *rest) namespacePath(cfg *restConfig, ns []string) string {
	return r.base + cfg.prefix + "/namespaces/" + url.PathEscape(strings.Join(ns, cfg.separator))
}

func (r *rest) tablePath(cfg *restConfig, id Identifier) string {
	return r.namespacePath(cfg, id.Namespace) + "/tables/" + url.PathEscape(id.Name)
}

// pageSize is asked for; services give what they like.
const pageSize = "1000"

// pages follows a listing to its end. A token that comes twice ends it: some
// services would go round for ever.
func (r *rest) pages(ctx context.Context, address string, query url.Values, page func(data []byte) error) error {
	seen := map[string]bool{}
	query.Set("pageSize", pageSize)
	query.Set("pageToken", "")
	for {
		a, err := r.c.do(ctx, request{method: http.MethodGet, url: address + "?" + query.Encode(), again: true}, nil)
		if err != nil {
			return err
		}
		var next struct {
			Token string `json:"next-page-token"`
		}
		if json.Unmarshal(a.body, &next) != nil {
			return cherr.New(cherr.DatalakeDatabaseError, "The catalog's answer is not the JSON that was asked for")
		}
		if err := page(a.body); err != nil {
			return err
		}
		if next.Token == "" {
			return nil
		}
		if seen[next.Token] {
			return cherr.New(cherr.DatalakeDatabaseError, "The catalog's listing goes round: the same page token came twice")
		}
		seen[next.Token] = true
		query.Set("pageToken", next.Token)
	}
}

// Namespaces gives all namespaces, level by level.
func (r *rest) Namespaces(ctx context.Context) ([][]string, error) {
	cfg, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	var out [][]string
	level := [][]string{nil}
	for len(level) > 0 {
		next := make([][][]string, len(level))
		errs := make([]error, len(level))
		g, gctx := cherr.NewGroup(ctx)
		g.SetLimit(listAtOnce)
		for i, parent := range level {
			g.Go(func() error { // one listing each
				next[i], errs[i] = r.children(gctx, cfg, parent)
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		if errs[0] != nil && len(out) == 0 {
			return nil, coded(errs[0], "listing", Identifier{Name: r.o.Warehouse})
		}
		level = nil
		for _, found := range next { // what a namespace does not tell hides no other
			level = append(level, found...)
		}
		out = append(out, level...)
	}
	sort.Slice(out, func(i, j int) bool { return strings.Join(out[i], "\x00") < strings.Join(out[j], "\x00") })
	return out, nil
}

func (r *rest) children(ctx context.Context, cfg *restConfig, parent []string) (out [][]string, err error) {
	query := url.Values{}
	if len(parent) > 0 {
		query.Set("parent", strings.Join(parent, cfg.separator))
	}
	err = r.pages(ctx, r.base+cfg.prefix+"/namespaces", query, func(data []byte) error {
		var p struct {
			Namespaces [][]string `json:"namespaces"`
		}
		if json.Unmarshal(data, &p) != nil {
			return cherr.New(cherr.DatalakeDatabaseError, "The catalog's list of namespaces cannot be read")
		}
		for _, ns := range p.Namespaces {
			if len(ns) > len(parent) { // a service without nesting gives the same again
				out = append(out, ns)
			}
		}
		return nil
	})
	return out, err
}

// Tables gives the tables of a namespace.
func (r *rest) Tables(ctx context.Context, namespace []string) (out []Identifier, err error) {
	cfg, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	err = r.pages(ctx, r.namespacePath(cfg, namespace)+"/tables", url.Values{}, func(data []byte) error {
		var p struct {
			Identifiers []struct {
				Namespace []string `json:"namespace"`
				Name      string   `json:"name"`
			} `json:"identifiers"`
		}
		if json.Unmarshal(data, &p) != nil {
			return cherr.New(cherr.DatalakeDatabaseError, "The catalog's list of tables cannot be read")
		}
		for _, id := range p.Identifiers {
			out = append(out, Identifier{id.Namespace, id.Name})
		}
		return nil
	})
	return out, coded(err, "listing", Identifier{namespace, "*"})
}

// Drop removes a table.
func (r *rest) Drop(ctx context.Context, id Identifier, purge bool) error {
	cfg, err := r.ask(ctx)
	if err != nil {
		return err
	}
	address := r.tablePath(cfg, id)
	if purge {
		address += "?purgeRequested=true"
	}
	_, err = r.c.do(ctx, request{method: http.MethodDelete, url: address}, nil)
	return coded(err, "dropping", id)
}

// Rename moves a table to another name.
func (r *rest) Rename(ctx context.Context, from, to Identifier) error {
	cfg, err := r.ask(ctx)
	if err != nil {
		return err
	}
	type named struct {
		Namespace []string `json:"namespace"`
		Name      string   `json:"name"`
	}
	_, err = r.c.do(ctx, request{method: http.MethodPost, url: r.base + cfg.prefix + "/tables/rename", body: map[string]named{
		"source": {from.Namespace, from.Name}, "destination": {to.Namespace, to.Name},
	}}, nil)
	if e, ok := errors.AsType[*httpError](err); ok && e.status == http.StatusConflict {
		return exists(to)
	}
	return coded(err, "renaming", from)
}

// DefaultLocation leaves the place to the service.
func (r *rest) DefaultLocation(context.Context, Identifier) (string, error) { return "", nil }
