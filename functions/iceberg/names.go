package iceberg

import (
	"context"

	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/table"
	write "lakeserver/write/iceberg"
)

// Config is what the family stands on.
type Config struct {
	Sources *storage.Sources
	Cache   *metadata.Cache // of parsed metadata files; nil: none
	Shared  *read.Shared    // footers and buffers of all scans
	// Warehouse is where the server keeps tables of its own; nil: nowhere.
	Warehouse objstore.Store
}

// names are the functions and engines, and the arguments they take: one opener
// is behind all of them.
var names = []struct {
	function, engine string
	form             *storage.Form
	where            string
	syntax           string
}{
	{"icebergLocal", "IcebergLocal", storage.Local, "in a local folder", "path[, format[, structure[, compression_method]]]"},
	{"icebergS3", "IcebergS3", storage.S3, "in S3 or a store that speaks it", s3Syntax},
	{"iceberg", "Iceberg", storage.S3, "in S3 or a store that speaks it", s3Syntax},
	{"icebergAzure", "IcebergAzure", storage.Azure, "in Azure Blob Storage", "connection_string|storage_account_url, container_name, blobpath[, account_name, account_key][, format[, compression]]"},
	{"icebergHDFS", "IcebergHDFS", storage.HDFS, "in HDFS", "uri[, format[, structure[, compression_method]]]"},
}

const s3Syntax = "url[, NOSIGN | access_key_id, secret_access_key[, session_token]][, format[, structure[, compression_method]]][, headers(…)][, extra_credentials(…)]"

// Set gives the family: one opener behind all names.
func Set(cfg Config) functions.Set {
	set := functions.Set{Family: "iceberg", Scalars: scalars, Tables: []functions.TableFunction{changesFunction}}
	lines := write.NewLines()
	set.Databases = []functions.DatabaseEngine{databaseEngine(cfg, lines)}
	for _, n := range names {
		o := &opener{sources: cfg.Sources, form: n.form, cache: cfg.Cache, shared: cfg.Shared, lines: lines}
		set.Tables = append(set.Tables, functions.TableFunction{
			Name: n.function, OwnSettings: true, Open: o.open,
			Doc: functions.Doc{
				Syntax:  n.function + "(" + n.syntax + "[, SETTINGS name = value, …])",
				Summary: "An Apache Iceberg table " + n.where + ", at its newest version or the one that settings or FOR … AS OF ask for.",
			},
		}, functions.TableFunction{
			Name: n.function + "Cluster", OwnSettings: true, Open: cfg.Sources.OnCluster(o.open),
			Doc: functions.Doc{
				Syntax:  n.function + "Cluster(cluster, " + n.syntax + ")",
				Summary: "As " + n.function + ", for a cluster of the configuration whose only node is this server.",
			},
		})
		e := functions.Engine{
			Name: n.engine, Durable: true, Layout: true, Create: o.create, Drop: o.drop, Open: o.open,
			Doc: functions.Doc{
				Syntax:  "ENGINE = " + n.engine + "(" + n.syntax + ")",
				Summary: "An Apache Iceberg table " + n.where + ".",
			},
		}
		if n.engine == "Iceberg" && cfg.Warehouse != nil {
			own := &opener{sources: &storage.Sources{Local: cfg.Warehouse}, form: storage.Local, cache: cfg.Cache, shared: cfg.Shared, lines: lines, own: true}
			e = withWarehouse(e, own)
		}
		set.Engines = append(set.Engines, e)
	}
	return set
}

// withWarehouse lets ENGINE = Iceberg without arguments stand for a table in
// the server's own warehouse. The folder it is given there is a path without a
// scheme, which no address of a far table is.
func withWarehouse(far functions.Engine, own *opener) functions.Engine {
	isOwn := func(req *functions.OpenRequest) bool {
		if len(req.Args) != 1 {
			return false
		}
		path, ok := req.Args[0].Value.(string)
		return ok && objstore.Scheme(path) == ""
	}
	e := far
	e.Doc.Syntax = "ENGINE = Iceberg | Iceberg(" + s3Syntax + ")"
	e.Doc.Summary = "An Apache Iceberg table in the server's own warehouse, a folder of its data directory, or with arguments in S3 or a store that speaks it."
	e.Place = own.place
	e.Create = func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
		if isOwn(req) {
			return own.create(ctx, env, req)
		}
		return far.Create(ctx, env, req)
	}
	e.Drop = func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) error {
		if isOwn(req) {
			return own.drop(ctx, env, req)
		}
		return far.Drop(ctx, env, req)
	}
	e.Open = func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
		if isOwn(req) {
			return own.open(ctx, env, req)
		}
		return far.Open(ctx, env, req)
	}
	return e
}
