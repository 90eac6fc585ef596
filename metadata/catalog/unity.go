package catalog

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// unity is a Unity Catalog; the warehouse is one of its catalogs. It is read
// only: its API has no commit for Iceberg tables (its REST endpoint for
// Iceberg has: catalog_type = 'rest').
type unity struct {
	files
	base    string
	catalog string
	vended  bool
	c       client
}

func newUnity(o Options) (Catalog, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, cherr.New(cherr.BadArguments, "The address of the catalog must be an http or https URL")
	}
	if o.Warehouse == "" {
		return nil, cherr.New(cherr.BadArguments, "`warehouse` setting cannot be empty: it names the catalog of Unity")
	}
	if err := o.Stores.Hosts().Check(u); err != nil {
		return nil, err
	}
	x := &unity{files: files{o.Stores, o.Storage, ""}, base: strings.TrimRight(o.URL, "/"), catalog: o.Warehouse, vended: o.Vended}
	if !strings.Contains(u.Path, "/api/") {
		x.base += "/api/2.1/unity-catalog"
	}
	hc := newClient(o.Stores.Hosts())
	sign, err := authorization(o, hc, x.base+"/oauth/tokens")
	x.c = client{http: hc, sign: sign}
	return x, err
}

type unityTable struct {
	Name     string `json:"name"`
	Schema   string `json:"schema_name"`
	ID       string `json:"table_id"`
	Format   string `json:"data_source_format"`
	Location string `json:"storage_location"`
	UniForm  struct {
		Location string `json:"metadata_location"`
	} `json:"delta_uniform_iceberg"`
	Properties map[string]string `json:"properties"`
}

// metadataLocation gives the Iceberg metadata that stands for a table, "" for
// none.
func (t *unityTable) metadataLocation() string {
	if t.UniForm.Location != "" {
		return t.UniForm.Location
	}
	return t.Properties["metadata_location"]
}

func (x *unity) pages(ctx context.Context, path string, query url.Values, page func(a *answer) (next string, err error)) error {
	seen := map[string]bool{}
	for {
		a, err := x.c.do(ctx, request{method: http.MethodGet, url: x.base + path + "?" + query.Encode(), again: true}, nil)
		if err != nil {
			return err
		}
		next, err := page(a)
		if err != nil || next == "" {
			return err
		}
		if seen[next] {
			return cherr.New(cherr.DatalakeDatabaseError, "The catalog's listing goes round: the same page token came twice")
		}
		seen[next] = true
		query.Set("page_token", next)
	}
}

// Namespaces gives the schemas of the catalog.
func (x *unity) Namespaces(ctx context.Context) (out [][]string, err error) {
	err = x.pages(ctx, "/schemas", url.Values{"catalog_name": {x.catalog}, "max_results": {"1000"}}, func(a *answer) (string, error) {
		var p struct {
			Schemas []struct {
				Name string `json:"name"`
			} `json:"schemas"`
			Next string `json:"next_page_token"`
		}
		if err := x.c.result(a, nil, &p); err != nil {
			return "", err
		}
		for _, s := range p.Schemas {
			out = append(out, []string{s.Name})
		}
		return p.Next, nil
	})
	return out, coded(err, "listing", Identifier{Name: x.catalog})
}

// Tables gives the tables of a schema, of any format.
func (x *unity) Tables(ctx context.Context, namespace []string) (out []Identifier, err error) {
	err = x.pages(ctx, "/tables", url.Values{"catalog_name": {x.catalog}, "schema_name": {strings.Join(namespace, ".")}, "max_results": {"1000"}}, func(a *answer) (string, error) {
		var p struct {
			Tables []unityTable `json:"tables"`
			Next   string       `json:"next_page_token"`
		}
		if err := x.c.result(a, nil, &p); err != nil {
			return "", err
		}
		for _, t := range p.Tables {
			out = append(out, Identifier{namespace, t.Name})
		}
		return p.Next, nil
	})
	return out, coded(err, "listing", Identifier{namespace, "*"})
}

// Load reads the Iceberg metadata that the catalog names.
func (x *unity) Load(ctx context.Context, id Identifier) (*Table, error) {
	var t unityTable
	full := x.catalog + "." + id.String()
	if _, err := x.c.do(ctx, request{method: http.MethodGet, url: x.base + "/tables/" + url.PathEscape(full), again: true}, &t); err != nil {
		return nil, coded(err, "loading", id)
	}
	location := t.metadataLocation()
	if location == "" {
		return nil, cherr.New(cherr.NotImplemented, "Table `%s` of the catalog has the format %s and no Iceberg metadata", id, t.Format)
	}
	var access *objstore.Access
	if x.vended {
		var err error
		if access, err = x.credentials(ctx, t.ID, id); err != nil {
			return nil, err
		}
	}
	m, err := x.load(ctx, location, access)
	if err != nil {
		return nil, cherr.Wrap(err, "loading `%s` from the catalog", id)
	}
	return &Table{Meta: m, Access: access}, nil
}

// credentials asks for keys to a table's files; nil when none are given.
func (x *unity) credentials(ctx context.Context, table string, id Identifier) (*objstore.Access, error) {
	var out struct {
		AWS *struct {
			Key    string `json:"access_key_id"`
			Secret string `json:"secret_access_key"`
			Token  string `json:"session_token"`
		} `json:"aws_temp_credentials"`
		Azure *struct {
			SAS string `json:"sas_token"`
		} `json:"azure_user_delegation_sas"`
		Expires int64 `json:"expiration_time"`
	}
	_, err := x.c.do(ctx, request{method: http.MethodPost, url: x.base + "/temporary-table-credentials", again: true, body: map[string]string{
		"table_id": table, "operation": "READ",
	}}, &out)
	if err != nil {
		return nil, coded(err, "asking for keys to", id)
	}
	a := x.storage
	switch {
	case out.AWS != nil && out.AWS.Key != "":
		a.KeyID, a.Secret, a.Token = out.AWS.Key, out.AWS.Secret, out.AWS.Token
	case out.Azure != nil && out.Azure.SAS != "":
		a.SAS = out.Azure.SAS
	default:
		return nil, nil
	}
	if out.Expires > 0 {
		a.Expires = time.UnixMilli(out.Expires)
	}
	a.Scope = x.base + "|" + x.catalog + "|" + id.String()
	a.Refresh = func(ctx context.Context) (*objstore.Access, error) {
		next, err := x.credentials(ctx, table, id)
		if err == nil && next == nil {
			err = cherr.New(cherr.AccessDenied, "The catalog gives no credentials to the files of `%s` any more", id)
		}
		return next, err
	}
	return &a, nil
}

func readOnly() error {
	return cherr.New(cherr.NotImplemented, "Tables of a Unity catalog are read only here; its Iceberg endpoint (catalog_type = 'rest') takes changes")
}

// DefaultLocation is nowhere.
func (x *unity) DefaultLocation(context.Context, Identifier) (string, error) { return "", readOnly() }

// Create is refused.
func (x *unity) Create(context.Context, Identifier, *iceberg.TableMetadata) (*Table, error) {
	return nil, readOnly()
}

// Drop is refused.
func (x *unity) Drop(context.Context, Identifier, bool) error { return readOnly() }

// Rename is refused.
func (x *unity) Rename(context.Context, Identifier, Identifier) error { return readOnly() }

// Commit is refused.
func (x *unity) Commit(context.Context, Identifier, *Table, []iceberg.Requirement, []iceberg.Update) (*Table, error) {
	return nil, readOnly()
}
