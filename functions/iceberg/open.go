package iceberg

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/timetravel"
	write "lakeserver/write/iceberg"
)

// opener opens tables by one form of arguments.
type opener struct {
	sources *storage.Sources
	form    *storage.Form
	cache   *metadata.Cache
	shared  *read.Shared
	lines   *write.Lines
	own     bool // the server's own warehouse: no gate, DROP deletes
}

// engineSettings are those that a table may be given, by CREATE TABLE or inside
// of a function's parentheses.
var engineSettings = map[string]bool{
	"iceberg_metadata_file_path": true, "iceberg_metadata_table_uuid": true,
	"iceberg_recent_metadata_file_by_last_updated_ms_field": true, "iceberg_use_version_hint": true,
	"iceberg_metadata_async_prefetch_period_ms": true, "iceberg_format_version": true, "disk": true,
	"paimon_incremental_read": true, "paimon_metadata_refresh_interval_sec": true, "paimon_keeper_path": true, "paimon_replica_name": true,
	"allow_experimental_delta_kernel_rs": true, "delta_lake_read_schema_same_as_table_schema": true,
	"allow_dynamic_metadata_for_data_lakes": true, "iceberg_metadata_compression_method": true,
}

func checkOptions(options map[string]string) error {
	for name := range options {
		if engineSettings[name] || isProperty(name) {
			continue
		}
		_, known := settings.Lookup(name)
		isFormat := strings.HasPrefix(name, "input_format_") || strings.HasPrefix(name, "output_format_") || strings.HasPrefix(name, "format_")
		if !known || !isFormat {
			return cherr.New(cherr.UnknownSetting, "Unknown setting '%s'", name)
		}
	}
	return nil
}

// spot is a table's folder in its store.
type spot struct {
	store  objstore.Store
	path   string // ends with /
	format string // of new data files, as the arguments name it; "" by the table
}

// locate opens the store of the arguments and gives the table's folder there.
func (o *opener) locate(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (*spot, error) {
	if disk := req.Options["disk"]; disk != "" {
		return nil, cherr.New(cherr.UnknownDisk, "Unknown disk %s", disk)
	}
	src, err := o.sources.Open(ctx, env, o.form, req)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(src.Path, "/") {
		src.Path += "/"
	}
	return &spot{src.Store, src.Path, strings.ToLower(src.Format)}, nil
}

// isSet tells whether an option or else a query's setting is on.
func isSet(options map[string]string, s *settings.Settings, name string) bool {
	v, ok := options[name]
	if !ok {
		v = s.Get(name)
	}
	return v == "1" || strings.EqualFold(v, "true")
}

func textOf(options map[string]string, s *settings.Settings, name string) string {
	if v, ok := options[name]; ok {
		return v
	}
	return s.Get(name)
}

func (o *opener) loader(store objstore.Store, s *settings.Settings) *metadata.Loader {
	l := &metadata.Loader{Store: store}
	if s.Bool("use_iceberg_metadata_files_cache") {
		l.Cache = o.cache
	}
	return l
}

// load finds and reads the table's metadata file. at is given also when the
// file is not there.
func (o *opener) load(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (at *spot, l *metadata.Loader, m *iceberg.TableMetadata, hinted bool, err error) {
	if err = checkOptions(req.Options); err != nil {
		return nil, nil, nil, false, err
	}
	if at, err = o.locate(ctx, env, req); err != nil {
		return nil, nil, nil, false, err
	}
	l = o.loader(at.store, env.Settings)
	m, hinted, err = iceberg.Load(ctx, l, at.path, choice(env, req))
	return at, l, m, hinted, err
}

// choice says how the table's metadata file is found.
func choice(env *functions.Env, req *functions.OpenRequest) iceberg.Choice {
	return iceberg.Choice{
		File:    textOf(req.Options, env.Settings, "iceberg_metadata_file_path"),
		UUID:    textOf(req.Options, env.Settings, "iceberg_metadata_table_uuid"),
		Newest:  isSet(req.Options, env.Settings, "iceberg_recent_metadata_file_by_last_updated_ms_field"),
		UseHint: isSet(req.Options, env.Settings, "iceberg_use_version_hint"),
	}
}

// open gives the table pinned to one snapshot.
func (o *opener) open(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	at, l, m, hinted, err := o.load(ctx, env, req)
	if err != nil {
		return nil, err
	}
	t, err := pinned(env, req.Version, at.path, l, m)
	if err != nil {
		return nil, err
	}
	t.hinted = hinted
	t.src.Shared = o.shared
	withDefaults(t.columns, t.src.Schema, req.Columns)
	folder := o.folder(at, choice(env, req), textOf(req.Options, env.Settings, "iceberg_metadata_compression_method"))
	t.swapper, t.line = folder, folder.Line
	t.format, t.open, t.bind = at.format, o.own, env.Condition
	return t, nil
}

// pinned gives the version of a table that settings or FOR … AS OF ask for.
func pinned(env *functions.Env, version *functions.TimeTravel, path string, l *metadata.Loader, m *iceberg.TableMetadata) (*Table, error) {
	when, err := timetravel.FromSettings(env.Settings, path)
	if err != nil {
		return nil, err
	}
	clause, err := asOf(version, env)
	if err != nil {
		return nil, err
	}
	if when, err = when.And(clause, path); err != nil {
		return nil, err
	}
	v, err := timetravel.Iceberg(m, when, path)
	if err != nil {
		return nil, err
	}
	return newTable(path, l, m, v, env, false)
}
