package catalog

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// glue is AWS's data catalog. Its namespaces have one level.
type glue struct {
	files
	address string
	region  string
	c       client
}

func newGlue(o Options) (Catalog, error) {
	region := o.Region
	if region == "" {
		region = "us-east-1"
	}
	g := &glue{files: files{o.Stores, o.Storage, o.Warehouse}, address: o.URL, region: region}
	if g.address == "" {
		g.address = "https://glue." + region + ".amazonaws.com"
	}
	u, err := url.Parse(g.address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, cherr.New(cherr.BadArguments, "The address of the catalog must be an http or https URL")
	}
	if err := o.Stores.Hosts().Check(u); err != nil {
		return nil, err
	}
	if u.Path == "" {
		g.address += "/"
	}
	if o.Storage.KeyID == "" {
		return nil, cherr.New(cherr.BadArguments, "A glue catalog needs aws_access_key_id and aws_secret_access_key")
	}
	a := o.Storage
	g.c = client{http: newClient(o.Stores.Hosts()), sign: func(_ context.Context, r *http.Request, body []byte, _ bool) error {
		signV4(r, body, a.KeyID, a.Secret, a.Token, region, "glue", time.Now())
		return nil
	}}
	return g, nil
}

func (g *glue) call(ctx context.Context, action string, again bool, in, out any) error {
	_, err := g.c.do(ctx, request{
		method: http.MethodPost, url: g.address, body: in, again: again,
		header: map[string]string{"X-Amz-Target": "AWSGlue." + action, "Content-Type": "application/x-amz-json-1.1"},
	}, out)
	return err
}

// isKind tells a service's exception by its name.
func isKind(err error, kind string) bool {
	e, ok := errors.AsType[*httpError](err)
	return ok && (e.kind == kind || strings.HasSuffix(e.kind, "#"+kind))
}

func (g *glue) coded(err error, doing string, id Identifier) error {
	if isKind(err, "EntityNotFoundException") {
		return unknownTable(id)
	}
	return coded(err, doing, id)
}

type glueTable struct {
	Name         string
	DatabaseName string            `json:",omitempty"`
	Parameters   map[string]string `json:",omitempty"`
	VersionID    string            `json:"VersionId,omitempty"`
}

func (t *glueTable) isIceberg() bool {
	return strings.EqualFold(t.Parameters["table_type"], "iceberg") && t.Parameters["metadata_location"] != ""
}

// Namespaces gives the databases.
func (g *glue) Namespaces(ctx context.Context) ([][]string, error) {
	var out [][]string
	token := ""
	for {
		var page struct {
			DatabaseList []struct{ Name string }
			NextToken    string
		}
		in := map[string]any{"MaxResults": 100}
		if token != "" {
			in["NextToken"] = token
		}
		if err := g.call(ctx, "GetDatabases", true, in, &page); err != nil {
			return nil, g.coded(err, "listing", Identifier{Name: "*"})
		}
		for _, d := range page.DatabaseList {
			out = append(out, []string{d.Name})
		}
		if page.NextToken == "" || page.NextToken == token {
			return out, nil
		}
		token = page.NextToken
	}
}

// Tables gives the Iceberg tables of a database.
func (g *glue) Tables(ctx context.Context, namespace []string) ([]Identifier, error) {
	var out []Identifier
	token := ""
	for {
		var page struct {
			TableList []glueTable
			NextToken string
		}
		in := map[string]any{"DatabaseName": strings.Join(namespace, "."), "MaxResults": 100}
		if token != "" {
			in["NextToken"] = token
		}
		if err := g.call(ctx, "GetTables", true, in, &page); err != nil {
			return nil, g.coded(err, "listing", Identifier{namespace, "*"})
		}
		for i := range page.TableList {
			if page.TableList[i].isIceberg() {
				out = append(out, Identifier{namespace, page.TableList[i].Name})
			}
		}
		if page.NextToken == "" || page.NextToken == token {
			return out, nil
		}
		token = page.NextToken
	}
}

func (g *glue) get(ctx context.Context, id Identifier) (*glueTable, error) {
	var out struct{ Table glueTable }
	if err := g.call(ctx, "GetTable", true, map[string]any{"DatabaseName": strings.Join(id.Namespace, "."), "Name": id.Name}, &out); err != nil {
		return nil, g.coded(err, "loading", id)
	}
	if !out.Table.isIceberg() {
		return nil, cherr.New(cherr.DatalakeDatabaseError, "Table `%s` of the catalog is no Iceberg table", id)
	}
	return &out.Table, nil
}

// Load reads the metadata file that the catalog names.
func (g *glue) Load(ctx context.Context, id Identifier) (*Table, error) {
	t, err := g.get(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := g.load(ctx, t.Parameters["metadata_location"], nil)
	if err != nil {
		return nil, cherr.Wrap(err, "loading `%s` from the catalog", id)
	}
	return &Table{Meta: m, token: t.VersionID}, nil
}

// input describes a version to Glue; the columns are for display alone.
func (g *glue) input(id Identifier, m *iceberg.TableMetadata, previous string) map[string]any {
	params := map[string]string{"table_type": "ICEBERG", "metadata_location": m.File}
	if previous != "" {
		params["previous_metadata_location"] = previous
	}
	var cols []map[string]string
	for _, f := range m.CurrentSchema().Fields {
		cols = append(cols, map[string]string{"Name": f.Name, "Type": hiveType(f.Type)})
	}
	return map[string]any{
		"Name": id.Name, "TableType": "EXTERNAL_TABLE", "Parameters": params,
		"StorageDescriptor": map[string]any{"Columns": cols, "Location": m.Location},
	}
}

// DefaultLocation is below the warehouse.
func (g *glue) DefaultLocation(_ context.Context, id Identifier) (string, error) { return g.place(id) }

// Create writes the first version and names it to the catalog.
func (g *glue) Create(ctx context.Context, id Identifier, def *iceberg.TableMetadata) (*Table, error) {
	m := *def
	if err := g.write(ctx, &m, 0, nil); err != nil {
		return nil, err
	}
	in := map[string]any{"DatabaseName": strings.Join(id.Namespace, "."), "TableInput": g.input(id, &m, "")}
	err := g.call(ctx, "CreateTable", false, in, nil)
	if isKind(err, "EntityNotFoundException") {
		err = g.call(ctx, "CreateDatabase", false, map[string]any{"DatabaseInput": map[string]any{"Name": strings.Join(id.Namespace, ".")}}, nil)
		if err == nil || isKind(err, "AlreadyExistsException") {
			err = g.call(ctx, "CreateTable", false, in, nil)
		}
	}
	if isKind(err, "AlreadyExistsException") {
		g.forget(ctx, &m, nil)
		return nil, exists(id)
	}
	if err != nil {
		return nil, g.coded(err, "creating", id)
	}
	return g.Load(ctx, id)
}

// Drop takes the table out of the catalog; its files stay.
func (g *glue) Drop(ctx context.Context, id Identifier, _ bool) error {
	if _, err := g.get(ctx, id); err != nil {
		return err
	}
	return g.coded(g.call(ctx, "DeleteTable", false, map[string]any{"DatabaseName": strings.Join(id.Namespace, "."), "Name": id.Name}, nil), "dropping", id)
}

// Rename makes the table anew under the other name and drops the old one, as
// Glue cannot rename.
func (g *glue) Rename(ctx context.Context, from, to Identifier) error {
	t, err := g.Load(ctx, from)
	if err != nil {
		return err
	}
	err = g.call(ctx, "CreateTable", false, map[string]any{"DatabaseName": strings.Join(to.Namespace, "."), "TableInput": g.input(to, t.Meta, "")}, nil)
	if isKind(err, "AlreadyExistsException") {
		return exists(to)
	}
	if err != nil {
		return g.coded(err, "renaming", from)
	}
	return g.Drop(ctx, from, false)
}

// Commit writes the next version and swaps the pointer, if it is still at the
// version that the change was made for.
func (g *glue) Commit(ctx context.Context, id Identifier, base *Table, reqs []iceberg.Requirement, ups []iceberg.Update) (*Table, error) {
	m, err := g.next(ctx, base, reqs, ups)
	if err != nil {
		return nil, err
	}
	err = g.call(ctx, "UpdateTable", false, map[string]any{
		"DatabaseName": strings.Join(id.Namespace, "."), "TableInput": g.input(id, m, base.Meta.File), "VersionId": base.token, "SkipArchive": true,
	}, nil)
	switch {
	case err == nil:
		return &Table{Meta: m}, nil
	case isKind(err, "ConcurrentModificationException"):
		g.forget(ctx, m, nil)
		return nil, cherr.Wrap(ErrConflict, "committing to `%s`", id)
	case isKind(err, "EntityNotFoundException"):
		g.forget(ctx, m, nil)
		return nil, unknownTable(id)
	}
	return g.unclear(ctx, id, m, err)
}

// unclear looks whether a commit landed whose answer does not tell.
func (g *glue) unclear(ctx context.Context, id Identifier, m *iceberg.TableMetadata, err error) (*Table, error) {
	if e, ok := errors.AsType[*httpError](err); ok && e.status < 500 {
		g.forget(ctx, m, nil)
		return nil, g.coded(err, "committing to", id)
	}
	ctx = context.WithoutCancel(ctx)
	if t, lerr := g.Load(ctx, id); lerr == nil && landed(t.Meta, m.File) {
		return t, nil
	}
	return nil, cherr.Wrap(ErrUnknown, "committing to `%s`: %s", id, err)
}

// landed tells whether a version is the present one or one before it.
func landed(now *iceberg.TableMetadata, file string) bool {
	if now.File == file {
		return true
	}
	for _, e := range now.MetadataLog {
		if e.File == file {
			return true
		}
	}
	return false
}
