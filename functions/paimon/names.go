package paimon

import (
	"lakeserver/functions"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
)

// Config is what the family stands on.
type Config struct {
	Local objstore.Store
	Cache *metadata.Cache // of parsed metadata files; nil: none
}

// footerCacheBytes is ClickHouse's default for its cache of Parquet footers.
const footerCacheBytes = 512 << 20

// Set gives the family: one opener behind all names.
func Set(cfg Config) functions.Set {
	local := &opener{store: cfg.Local, cache: cfg.Cache, shared: read.NewShared(footerCacheBytes)}
	return functions.Set{
		Family: "paimon",
		Tables: []functions.TableFunction{
			{
				Name: "paimonLocal", OwnSettings: true, Open: local.open,
				Doc: functions.Doc{
					Syntax: "paimonLocal(path[, format[, structure[, compression_method]]][, SETTINGS name = value, …])",
					Summary: "An Apache Paimon table in a local folder, at its newest version or the one that settings or FOR … AS OF ask for. " +
						"`path$name` is one of its system tables (snapshots, schemas, options, manifests, files, tags, branches, partitions, buckets, consumers, " +
						"aggregation_fields, statistics, table_indexes, file_key_ranges, row_tracking, audit_log, binlog, ro), `path$branch_name` a branch.",
				},
			},
		},
		Engines: []functions.Engine{{
			Name: "PaimonLocal", Durable: true, Layout: true, Create: local.create, Open: local.open,
			Doc: functions.Doc{
				Syntax:  "ENGINE = PaimonLocal(path[, format[, structure[, compression_method]]])",
				Summary: "An Apache Paimon table in a local folder.",
			},
		}},
	}
}
