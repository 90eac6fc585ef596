package paimon

import (
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/read"
)

// Config is what the family stands on.
type Config struct {
	Sources *storage.Sources
	Cache   *metadata.Cache // of parsed metadata files; nil: none
	Shared  *read.Shared    // footers and buffers of all scans
}

// names are the functions and engines, and the arguments they take: one opener
// is behind all of them.
var names = []struct {
	function, engine string
	form             *storage.Form
	where            string
	syntax           string
}{
	{"paimonLocal", "PaimonLocal", storage.Local, "in a local folder", "path[, format[, structure[, compression_method]]]"},
	{"paimonS3", "PaimonS3", storage.S3, "in S3 or a store that speaks it", s3Syntax},
	{"paimon", "Paimon", storage.S3, "in S3 or a store that speaks it", s3Syntax},
	{"paimonAzure", "PaimonAzure", storage.Azure, "in Azure Blob Storage", "connection_string|storage_account_url, container_name, blobpath[, account_name, account_key][, format[, compression]]"},
	{"paimonHDFS", "PaimonHDFS", storage.HDFS, "in HDFS", "uri[, format[, structure[, compression_method]]]"},
}

const s3Syntax = "url[, NOSIGN | access_key_id, secret_access_key[, session_token]][, format[, structure[, compression_method]]][, headers(…)][, extra_credentials(…)]"

const nameSummary = " `path$name` is one of its system tables (snapshots, schemas, options, manifests, files, tags, branches, partitions, buckets, consumers, " +
	"aggregation_fields, statistics, table_indexes, file_key_ranges, row_tracking, audit_log, binlog, ro), `path$branch_name` a branch."

// Set gives the family: one opener behind all names.
func Set(cfg Config) functions.Set {
	set := functions.Set{Family: "paimon", Databases: []functions.DatabaseEngine{databaseEngine(cfg)}}
	for _, n := range names {
		o := &opener{sources: cfg.Sources, form: n.form, cache: cfg.Cache, shared: cfg.Shared}
		set.Tables = append(set.Tables, functions.TableFunction{
			Name: n.function, OwnSettings: true, Open: o.open,
			Doc: functions.Doc{
				Syntax:  n.function + "(" + n.syntax + "[, SETTINGS name = value, …])",
				Summary: "An Apache Paimon table " + n.where + ", at its newest version or the one that settings or FOR … AS OF ask for." + nameSummary,
			},
		}, functions.TableFunction{
			Name: n.function + "Cluster", OwnSettings: true, Open: cfg.Sources.OnCluster(o.open),
			Doc: functions.Doc{
				Syntax:  n.function + "Cluster(cluster, " + n.syntax + ")",
				Summary: "As " + n.function + ", for a cluster of the configuration whose only node is this server.",
			},
		})
		set.Engines = append(set.Engines, functions.Engine{
			Name: n.engine, Durable: true, Layout: true, Create: o.create, Open: o.open,
			Doc: functions.Doc{
				Syntax:  "ENGINE = " + n.engine + "(" + n.syntax + ")",
				Summary: "An Apache Paimon table " + n.where + ".",
			},
		})
	}
	return set
}
