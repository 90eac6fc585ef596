package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/table"
	write "lakeserver/write/iceberg"
)

// Config is what the family stands on.
type Config struct {
	Local objstore.Store
	Cache *metadata.Cache // of parsed metadata files; nil: none
	// Warehouse is where the server keeps tables of its own; nil: nowhere.
	Warehouse objstore.Store
}

// footerCacheBytes is ClickHouse's default for its cache of Parquet footers.
const footerCacheBytes = 512 << 20

// Set gives the family: one opener behind all names.
func Set(cfg Config) functions.Set {
	local := &opener{store: cfg.Local, cache: cfg.Cache, shared: read.NewShared(footerCacheBytes), lines: write.NewLines(), maxArgs: 4}
	set := functions.Set{
		Family: "iceberg",
		Tables: []functions.TableFunction{
			{
				Name: "icebergLocal", OwnSettings: true, Open: local.open,
				Doc: functions.Doc{
					Syntax:  "icebergLocal(path[, format[, structure[, compression_method]]][, SETTINGS name = value, …])",
					Summary: "An Apache Iceberg table in a local folder, at its newest version or the one that settings or FOR … AS OF ask for.",
				},
			},
			{
				Name: "icebergLocalCluster", OwnSettings: true, Open: openCluster,
				Doc: functions.Doc{
					Syntax:  "icebergLocalCluster(cluster, path[, …])",
					Summary: "As icebergLocal, read by the nodes of a cluster.",
				},
			},
			changesFunction,
		},
		Engines: []functions.Engine{{
			Name: "IcebergLocal", Durable: true, Layout: true, Create: local.create, Drop: local.drop, Open: local.open,
			Doc: functions.Doc{
				Syntax:  "ENGINE = IcebergLocal(path[, format[, structure[, compression_method]]])",
				Summary: "An Apache Iceberg table in a local folder.",
			},
		}},
		Scalars: scalars,
	}
	if cfg.Warehouse != nil {
		own := &opener{store: cfg.Warehouse, cache: cfg.Cache, shared: local.shared, lines: local.lines, maxArgs: 1, own: true}
		set.Engines = append(set.Engines, functions.Engine{
			Name: "Iceberg", Durable: true, Layout: true, Place: own.place, Create: own.create, Drop: own.drop, Open: own.open,
			Doc: functions.Doc{
				Syntax:  "ENGINE = Iceberg",
				Summary: "An Apache Iceberg table in the server's own warehouse, a folder of its data directory.",
			},
		})
	}
	return set
}

// openCluster knows no clusters yet.
func openCluster(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	if len(req.Args) == 0 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function '%s' requires the name of a cluster as its first argument", req.Name)
	}
	name := req.Args[0].Ident
	if s, ok := req.Args[0].Value.(string); ok {
		name = s
	}
	return nil, cherr.New(cherr.ClusterDoesntExist, "Requested cluster '%s' not found", name)
}
