package iceberg

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/timetravel"
	write "lakeserver/write/iceberg"
)

// opener opens the tables of one store.
type opener struct {
	store   objstore.Store
	cache   *metadata.Cache
	shared  *read.Shared
	lines   *write.Lines
	maxArgs int
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

// path gives the table's folder of the arguments.
func (o *opener) path(req *functions.OpenRequest) (string, error) {
	n := len(req.Args)
	if n == 0 || n > o.maxArgs {
		return "", cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Storage %s requires 1 to %d arguments, %d are given: path[, format[, structure[, compression_method]]]", req.Name, o.maxArgs, n)
	}
	if a := req.Args[0]; a.Ident != "" && a.Key == "" {
		return "", cherr.New(cherr.NamedCollectionDoesntExist, "There is no named collection `%s`", a.Ident)
	}
	for _, a := range req.Args {
		if a.Key != "" {
			return "", cherr.New(cherr.UnknownIdentifier, "Unknown expression identifier `%s`: key-value arguments need a named collection before them", a.Key)
		}
		if _, ok := a.Value.(string); !ok && a.Ident == "" {
			return "", cherr.New(cherr.BadArguments, "Arguments of %s must be string literals", req.Name)
		}
	}
	path, _ := req.Args[0].Value.(string)
	if path == "" {
		return "", cherr.New(cherr.BadArguments, "The path of %s is empty", req.Name)
	}
	if !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return path, nil
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

func (o *opener) loader(s *settings.Settings) *metadata.Loader {
	l := &metadata.Loader{Store: o.store}
	if s.Bool("use_iceberg_metadata_files_cache") {
		l.Cache = o.cache
	}
	return l
}

// load finds and reads the table's metadata file.
func (o *opener) load(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (path string, l *metadata.Loader, m *iceberg.TableMetadata, hinted bool, err error) {
	if path, err = o.path(req); err != nil {
		return
	}
	if err = checkOptions(req.Options); err != nil {
		return
	}
	l = o.loader(env.Settings)
	m, hinted, err = iceberg.Load(ctx, l, path, choice(env, req))
	return
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
	path, l, m, hinted, err := o.load(ctx, env, req)
	if err != nil {
		return nil, err
	}
	when, err := timetravel.FromSettings(env.Settings, path)
	if err != nil {
		return nil, err
	}
	clause, err := asOf(req.Version, env)
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
	t, err := newTable(path, l, m, v, env, hinted)
	if err != nil {
		return nil, err
	}
	t.src.Shared = o.shared
	t.folder = o.folder(path, choice(env, req), textOf(req.Options, env.Settings, "iceberg_metadata_compression_method"))
	t.format, t.open = formatOf(req), o.own
	return t, nil
}
